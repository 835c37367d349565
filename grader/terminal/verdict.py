"""A verdict as a person reads it in a terminal."""

from collections import defaultdict

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from grader.core.verdict import CheckResult, Outcome, Status, Verdict
from grader.terminal.report import learner_error_report
from grader.terminal.words import QUIET

_CONTEXT = 2
_MARKS = {
    Status.PASSED: ("✓", "green"),
    Status.FAILED: ("✗", "bold red"),
    Status.NOT_KNOWN: ("?", "yellow"),
    Status.NOT_CHECKED: ("–", QUIET),
}
_STYLES = {
    Outcome.PASSED: "bold green",
    Outcome.FAILED: "bold red",
    Outcome.LEARNER_ERROR: "bold red",
    Outcome.LIMIT: "bold red",
    Outcome.NOT_GRADED: "bold yellow",
}


def verdict_report(console: Console, verdict: Verdict, *, file: str, source: str) -> None:
    """Print the verdict: the first failure at length, then every check, then the source."""
    console.print(Rule(Text(f"{file}  for  {verdict.exercise}"), align="left", style=QUIET))
    console.print(Text(verdict.headline, style=_STYLES[verdict.outcome]))
    if verdict.learner_error is not None:
        learner_error_report(console, verdict.learner_error, file=file)
    elif verdict.message:
        console.print(verdict.message, markup=False, highlight=False)
    if verdict.lead is not None:
        console.print(Padding(_at_length(verdict.lead, file), (1, 0, 1, 2)))
    if verdict.results:
        console.print(_table(verdict.results))
    margin = _source_with_findings(source, verdict.results)
    if margin.row_count:
        console.print(Padding(margin, (1, 0, 0, 0)))
    console.print(Text(_versions(verdict), style=QUIET))


def _at_length(result: CheckResult, file: str) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style=QUIET)
    grid.add_column()
    where = f"{result.check} on {result.backend}"
    grid.add_row("check", Text(where, style="bold"))
    grid.add_row("wanted", Text(result.wanted))
    grid.add_row("found", Text("\n").join([Text(result.found), *map(Text, result.also)]))
    grid.add_row("why", Text(result.why))
    if result.line is not None:
        grid.add_row("line", Text(f"{file}:{result.line}"))
    if result.concept:
        grid.add_row("read", Text(f"the concept {result.concept}"))
    return grid


def _table(results: tuple[CheckResult, ...]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name in ("", "check", "backend"):
        table.add_column(name, no_wrap=True)
    table.add_column("found", ratio=1)
    for result in results:
        mark, style = _MARKS[result.status]
        table.add_row(Text(mark, style), result.check, result.backend, Text(result.found))
    return table


def _source_with_findings(source: str, results: tuple[CheckResult, ...]) -> Table:
    """Return the lines round those that a failed check names, with the check beside them."""
    failed: defaultdict[tuple[int, str], list[str]] = defaultdict(list)
    for result in results:
        if result.line is not None and result.status is Status.FAILED:
            failed[result.line, result.check].append(result.backend)
    findings: defaultdict[int, list[Text]] = defaultdict(list)
    for (line, check), backends in failed.items():
        findings[line].append(Text(f"◂ {check} ({', '.join(backends)})", style="red"))
    code = Syntax("", "python", theme="ansi_dark", background_color="default")
    table = Table(box=None, padding=(0, 1, 0, 0), show_header=False, pad_edge=False)
    table.add_column(justify="right", style=QUIET, no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=3)
    table.add_column(ratio=2)
    lines = code.highlight(source).split("\n", allow_blank=True)
    for number, text in enumerate(lines, start=1):
        if any(abs(number - named) <= _CONTEXT for named in findings):
            table.add_row(str(number), text, Group(*findings.get(number, [])))
    return table


def _versions(verdict: Verdict) -> str:
    versions = verdict.versions
    if versions is None:
        return f"exercise version {verdict.exercise_version}"
    return (
        f"exercise version {verdict.exercise_version}, jax {versions.jax}, jaxlib "
        f"{versions.jaxlib}, libtpu {versions.libtpu or 'not installed'}"
    )
