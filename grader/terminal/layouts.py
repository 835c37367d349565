"""Which device holds which block of each output: a picture, one cell for each block."""

from collections.abc import Sequence

from rich import box
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.terminal.words import QUIET, AxisColours
from tpu_runner.protocol import Shard, TensorLayout

_MAX_SIDE = 8
_MAX_NAMED = 4
_MAX_PICTURES = 4


def layouts_pictures(layouts: Sequence[TensorLayout], colours: AxisColours) -> RenderableType:
    """Return the pictures of several outputs beside each other."""
    pictures = [_picture(number, layout, colours) for number, layout in enumerate(layouts)]
    parts: list[RenderableType] = [Columns(pictures[:_MAX_PICTURES], padding=(0, 4))]
    if len(pictures) > _MAX_PICTURES:
        parts.append(Text(f"and {len(pictures) - _MAX_PICTURES} more outputs", style=QUIET))
    return Group(*parts)


def spec_text(layout: TensorLayout, colours: AxisColours) -> Text:
    """Return `P(data, None)` with the axes in their colours."""
    if layout.spec is None:
        return Text("a sharding that no PartitionSpec names", style=QUIET)
    parts = []
    for axes in layout.spec:
        names = [Text(name, style=f"bold {colours.get(name, 'white')}") for name in axes]
        one = Text(", ").join(names)
        parts.append(
            Text.assemble("(", one, ")") if len(names) > 1 else one if names else Text("None")
        )
    return Text.assemble("P(", Text(", ").join(parts), ")")


def _picture(number: int, layout: TensorLayout, colours: AxisColours) -> RenderableType:
    shape = "×".join(map(str, layout.shape)) or "scalar"
    shard = "×".join(map(str, layout.shard_shape)) or "scalar"
    head = Text.assemble(
        (f"output {number} ", QUIET), f"{layout.dtype}[{shape}] ", spec_text(layout, colours)
    )
    copies = _copies(layout)
    each = Text(
        f"{shard} on each device" + (f", {copies} copies" if copies > 1 else ""), style=QUIET
    )
    if layout.shards is None:
        return Group(head, each)
    return Group(head, each, Padding(_blocks(layout.shards, layout.shape), (0, 0, 1, 0)))


def _copies(layout: TensorLayout) -> int:
    return 1 if not layout.shards else len(layout.shards) // len(set(layout.shards))


def _blocks(shards: Sequence[Shard], shape: Sequence[int]) -> RenderableType:
    """Draw the two dimensions that are split most; blocks along others share a cell."""
    holders: dict[Shard, list[int]] = {}
    for position, shard in enumerate(shards):
        holders.setdefault(shard, []).append(position)
    splits = [sorted({shard.start[axis] for shard in holders}) for axis in range(len(shape))]
    drawn = sorted(sorted(range(len(shape)), key=lambda axis: -len(splits[axis]))[:2])
    rows = splits[drawn[0]] if drawn else [0]
    columns = splits[drawn[1]] if len(drawn) > 1 else [0]
    table = Table(box=box.SQUARE, show_header=False, show_lines=True, padding=(0, 1))
    for _ in columns[:_MAX_SIDE]:
        table.add_column(justify="center", no_wrap=True)
    for row in rows[:_MAX_SIDE]:
        table.add_row(*(_cell(holders, drawn, (row, column)) for column in columns[:_MAX_SIDE]))
    if len(rows) > _MAX_SIDE or len(columns) > _MAX_SIDE:
        return Group(table, Text(f"of {len(rows)}×{len(columns)} blocks", style=QUIET))
    return table


def _cell(holders: dict[Shard, list[int]], drawn: Sequence[int], at: tuple[int, int]) -> Text:
    positions = [
        position
        for shard, held_by in holders.items()
        for position in held_by
        if all(shard.start[axis] == start for axis, start in zip(drawn, at, strict=False))
    ]
    if len(positions) <= _MAX_NAMED:
        return Text(" ".join(map(str, positions)))
    named = " ".join(map(str, positions[: _MAX_NAMED - 1]))
    return Text(f"{named} … {positions[-1]} ({len(positions)})")
