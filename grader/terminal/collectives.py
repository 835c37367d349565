"""The table of collectives."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from grader.core.collectives import Collective, Kind, Link, NotUnderstood
from grader.core.cost import ModelledTime
from grader.terminal.words import (
    QUIET,
    AxisColours,
    bytes_text,
    groups_text,
    place_text,
    seconds_text,
    times_text,
)

_NAMED = 2


def collectives_table(
    rows: Sequence[Collective], colours: AxisColours, modelled: ModelledTime | None
) -> RenderableType:
    """Return one line for each row, and beneath it what does not fit a column."""
    if not rows:
        return Text("No collectives: the devices do not talk to each other.", style="green")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=QUIET, pad_edge=False)
    for heading in ("collective", "over", "type"):
        table.add_column(heading, no_wrap=True)
    for heading in ("bytes", "sent/device", "times"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("link", no_wrap=True)
    if modelled is not None:
        table.add_column("model", justify="right", no_wrap=True)
    table.add_column("line", justify="right", no_wrap=True)
    table.add_column("how", style=QUIET, overflow="fold")
    for index, row in enumerate(rows):
        cells: list[RenderableType] = [
            Text(row.kind.value, style="bold"),
            Text.assemble(place_text(row, colours), (f" ×{row.group_size}", QUIET)),
            row.dtype,
            f"{bytes_text(row.operand_bytes)} → {bytes_text(row.result_bytes)}",
            bytes_text(row.sent_bytes_per_device),
            times_text(row.times),
            Text(row.link.value, style="bold yellow" if row.link is Link.DCN else ""),
        ]
        if modelled is not None:
            cells.append(seconds_text(modelled.collectives[index].seconds))
        table.add_row(*cells, line_text(row), "; ".join((row.hlo_name, *_remarks(row))))
    return table


def line_text(row: Collective) -> Text:
    """Return `12`, `feeds 12` or a dash."""
    if row.line is not None:
        return Text(str(row.line), style="bold")
    if row.feeds_line is not None:
        return Text.assemble(("feeds ", QUIET), str(row.feeds_line))
    return Text("no line", style=QUIET)


def _remarks(row: Collective) -> list[str]:
    """Return how it is done: what hides it, which way it goes, the compiler's algorithm."""
    parts = []
    if row.is_decomposed:
        parts.append("spread over a loop of products")
    elif row.is_async and row.overlapped_by:
        more = (
            ""
            if len(row.overlapped_by) <= _NAMED
            else f" and {len(row.overlapped_by) - _NAMED} more"
        )
        parts.append(f"behind {', '.join(row.overlapped_by[:_NAMED])}{more}")
    elif row.is_async:
        parts.append("asynchronous, nothing computes meanwhile")
    if row.kind is Kind.COLLECTIVE_PERMUTE and row.steps is not None:
        parts.append(f"{row.steps:+d} along the axis")
    if row.groups is not None:
        parts.append(groups_text(row))
    if row.algorithm:
        parts.append(row.algorithm)
    return [*parts, *row.notes]


def not_understood_list(unread: Sequence[NotUnderstood]) -> RenderableType:
    """Return what communicates, or may, and could not be read."""
    lines = [
        Text.assemble(
            ("not understood  ", "bold red"), f"{one.hlo_name} in {one.computation}: {one.reason}"
        )
        for one in unread
    ]
    return Group(*lines)
