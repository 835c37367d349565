"""The whole report of an inspection."""

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from grader.core.cost import CHIPS
from grader.core.inspection import Inspection, Reading
from grader.terminal.collectives import collectives_table, not_understood_list
from grader.terminal.layouts import layouts_pictures
from grader.terminal.source import annotated_source
from grader.terminal.words import (
    QUIET,
    AxisColours,
    axes_text,
    axis_colours,
    bytes_text,
    flops_text,
    seconds_text,
)
from tpu_runner.protocol import Backend, BackendStatus, LearnerError, MemoryBytes

_BAR_WIDTH = 30


def report(console: Console, inspections: Sequence[Inspection], *, file: str, source: str) -> None:
    """Print everything that was found about the program in `file`."""
    for inspection in inspections:
        colours = axis_colours(axis.name for axis in inspection.mesh.axes)
        console.print(_heading(inspection, colours, file))
        if inspection.reading is None:
            console.print(Padding(_not_compiled(inspection), (0, 0, 1, 2)))
            continue
        for title, part in _parts(inspection, inspection.reading, source, colours):
            console.print(Text(title, style="bold underline"))
            console.print(Padding(part, (0, 0, 1, 2)))
    for line in _versions(inspections):
        console.print(line)


def learner_error_report(console: Console, error: LearnerError, *, file: str) -> None:
    """Print the learner's mistake and where in their own file it is."""
    console.print(Text(error.message, style="bold red"))
    for frame in error.frames:
        console.print(f"  {file}:{frame.line} in {frame.function}", style=QUIET, highlight=False)
        console.print(f"    {frame.text}", highlight=False, markup=False)


def _heading(inspection: Inspection, colours: AxisColours, file: str) -> RenderableType:
    where = _backend_name(inspection)
    axes = [
        Text.assemble(axes_text([axis.name], colours), f"={axis.size}")
        for axis in inspection.mesh.axes
    ]
    title = Text.assemble(
        (file, "bold"), "  on  ", (where, "bold"), "  mesh ", Text(" ").join(axes)
    )
    return Rule(title, align="left", style=QUIET)


def _backend_name(inspection: Inspection) -> str:
    if inspection.backend is Backend.CPU:
        return f"cpu, {inspection.mesh.devices} fake devices"
    slices = f"{inspection.slices} slices of " if inspection.slices > 1 else ""
    kind = f" ({inspection.device_kind})" if inspection.device_kind else ""
    return f"tpu-compile, {slices}{inspection.topology}{kind}"


def _not_compiled(inspection: Inspection) -> RenderableType:
    style = "yellow" if inspection.status is BackendStatus.NOT_CHECKED else "bold red"
    return Text(inspection.message, style=style)


def _parts(
    inspection: Inspection, reading: Reading, source: str, colours: AxisColours
) -> list[tuple[str, RenderableType]]:
    table = collectives_table(reading.collectives, colours, reading.modelled)
    if reading.not_understood:
        table = Group(table, not_understood_list(reading.not_understood))
    parts: list[tuple[str, RenderableType]] = [("Collectives", table)]
    products = reading.products.products
    margin = annotated_source(source, reading.collectives, products, colours)
    if margin.row_count:
        parts.append(("Source", margin))
    parts.append(("Outputs", layouts_pictures(inspection.outputs, colours)))
    parts.append(("Each device", _per_device(inspection, reading)))
    return parts


def _per_device(inspection: Inspection, reading: Reading) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style=QUIET)
    grid.add_column(justify="right")
    grid.add_column()
    for name, count, remark in _memory_rows(inspection.memory, inspection):
        grid.add_row(name, bytes_text(count) if count is not None else "not known", remark)
    grid.add_row(
        "products", flops_text(reading.products.flops), "dots and convolutions, loops included"
    )
    if reading.products.not_understood:
        grid.add_row(
            "", "", Text(f"without {', '.join(reading.products.not_understood)}", "yellow")
        )
    if (modelled := reading.modelled) is not None:
        grid.add_row("modelled time", seconds_text(modelled.seconds), "a model, nothing was run:")
        grid.add_row("  products", seconds_text(modelled.products_seconds), "by roofline, at peak")
        grid.add_row("  traffic", seconds_text(modelled.exposed_seconds), "that no product hides")
    return grid


def _memory_rows(
    memory: MemoryBytes | None, inspection: Inspection
) -> list[tuple[str, int | None, RenderableType]]:
    if memory is None:
        return [("memory", None, "")]
    rows: list[tuple[str, int | None, RenderableType]] = [
        ("arguments", memory.argument, ""),
        ("outputs", memory.output, ""),
        ("aliased", memory.alias, "outputs in donated arguments" if memory.alias else ""),
    ]
    is_cpu = inspection.backend is Backend.CPU
    # On a TPU small temporaries live in VMEM and show as 0; XLA:CPU's peak leaves temporaries out.
    temp = memory.temp if is_cpu or memory.temp else None
    rows.append(("temporaries", temp, "" if is_cpu or memory.temp else "the compiler says 0"))
    if not is_cpu:
        rows.append(("peak", memory.peak, _share_of_hbm(memory.peak, inspection.topology)))
    return rows


def _share_of_hbm(peak: int | None, topology: str | None) -> Text:
    chip = CHIPS.get((topology or "").partition(":")[0])
    if chip is None or peak is None:
        return Text("")
    capacity = chip.hbm_bytes // chip.devices
    share = peak / capacity
    filled = min(round(share * _BAR_WIDTH), _BAR_WIDTH)
    style = "green" if share < 0.8 else "yellow" if share <= 1 else "bold red"
    return Text.assemble(
        ("█" * filled, style),
        ("░" * (_BAR_WIDTH - filled), QUIET),
        f" {share:.1%} of {bytes_text(capacity)} HBM",
    )


def _versions(inspections: Sequence[Inspection]) -> list[Text]:
    if not inspections:
        return []
    versions = inspections[0].versions
    libtpu = versions.libtpu or "not installed"
    return [
        Text(
            f"jax {versions.jax}, jaxlib {versions.jaxlib}, libtpu {libtpu}, "
            f"Python {versions.python}",
            style=QUIET,
        )
    ]
