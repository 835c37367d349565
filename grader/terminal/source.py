"""The learner's source with what the compiler made of each line in its margin."""

from collections.abc import Sequence

from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from grader.core.collectives import Collective
from grader.core.hlo.times import NEVER, Times
from grader.core.products import Product
from grader.terminal.words import QUIET, AxisColours, flops_text, place_text, times_text

_CONTEXT = 3


def annotated_source(
    source: str, rows: Sequence[Collective], products: Sequence[Product], colours: AxisColours
) -> Table:
    """Return the lines round those with a finding, each finding to the right of its line."""
    findings = _findings_by_line(rows, products, colours)
    code = Syntax("", "python", theme="ansi_dark", background_color="default")
    highlighted = code.highlight(source).split("\n", allow_blank=True)
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=False, pad_edge=False)
    table.add_column(justify="right", style=QUIET, no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=3)
    table.add_column(ratio=2)
    shown_before = 0
    for number, text in enumerate(highlighted, start=1):
        if not any(abs(number - line) <= _CONTEXT for line in findings):
            continue
        if shown_before and number > shown_before + 1:
            table.add_row("⋮", "", "")
        shown_before = number
        margin = Text("\n").join(findings.get(number, ()))
        marker = "bold" if number in findings else QUIET
        table.add_row(Text(str(number), style=marker), text, margin)
    return table


def _findings_by_line(
    rows: Sequence[Collective], products: Sequence[Product], colours: AxisColours
) -> dict[int, list[Text]]:
    found: dict[int, list[Text]] = {}
    for row in rows:
        line = row.line or row.feeds_line
        if line is None:
            continue
        before = "◂ fed by " if row.line is None else "◂ "
        count = "" if row.times.exact == 1 else f" × {times_text(row.times)}"
        text = Text.assemble(
            (before, QUIET), (row.kind.value, "bold"), " ", place_text(row, colours), count
        )
        found.setdefault(line, []).append(text)
    work: dict[int, Times] = {}
    for product in products:
        if product.line is not None:
            work[product.line] = work.get(product.line, NEVER) + product.total_flops
    for line, total in work.items():
        found.setdefault(line, []).append(Text(f"  {flops_text(total)} a device", style=QUIET))
    return found
