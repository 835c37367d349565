"""The checker as a command: all that is wrong, then how much is written of what is planned."""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from questionbank.catalog.content.checking import check_bank, check_canonical, warn_of_lengths
from questionbank.catalog.content.documents import Bank, Level
from questionbank.catalog.content.errors import ContentError, fatal
from questionbank.catalog.content.reading import read_bank
from questionbank.catalog.content.running import run_blocks
from questionbank.catalog.content.writing import write_bank


def check_folder(root: Path, *, run: bool = False) -> tuple[Bank, list[ContentError]]:
    """Read a content folder and check all of it; with `run`, also run its code."""
    bank, errors = read_bank(root)
    errors += check_bank(bank)
    errors += check_canonical(root, bank)
    if not fatal(errors):
        errors += warn_of_lengths(bank)
    if run:
        errors += run_blocks(bank)
    return bank, sorted(set(errors))


def report(
    bank: Bank,
    errors: Sequence[ContentError],
    console: Console,
    *,
    prefix: str,
    planned: bool = False,
) -> None:
    """Print every error as `path:line: message`, then the counts by topic and level.

    With `planned`, also what the curriculum names and nobody has written yet.
    """
    for error in errors:
        style = "yellow" if error.is_warning else "red"
        console.print(
            f"{prefix}{error}", style=style, markup=False, highlight=False, soft_wrap=True
        )
    console.print(_counts(bank))
    if planned:
        for kind, path in _unwritten(bank):
            console.print(f"planned: {kind} {path}", markup=False, highlight=False, soft_wrap=True)
    wrong = len(fatal(errors))
    console.print(f"{wrong} errors, {len(errors) - wrong} warnings", highlight=False)


def _counts(bank: Bank) -> Table:
    table = Table(title="Written, of planned", show_footer=True)
    written = Counter((question.topic, question.level) for question in bank.questions)
    table.add_column("topic", "all")
    for level in Level:
        number = sum(1 for question in bank.questions if question.level == level)
        table.add_column(level, str(number), justify="right")
    questions = {question.slug for question in bank.questions}
    concepts = {concept.slug for concept in bank.concepts}
    for kind, slugs in (("questions", questions), ("concepts", concepts)):
        planned = {slug for topic in bank.topics for slug in getattr(topic, kind)}
        table.add_column(kind, f"{len(slugs)} of {len(planned | slugs)}", justify="right")
    for topic in bank.topics:
        cells = [str(written[topic.slug, level] or "") for level in Level]
        asked = f"{len(questions & set(topic.questions))} of {len(topic.questions)}"
        cards = f"{len(concepts & set(topic.concepts))} of {len(topic.concepts)}"
        table.add_row(topic.title, *cells, asked, cards)
    return table


def _unwritten(bank: Bank) -> Iterator[tuple[str, str]]:
    written = {document.slug for document in bank.documents}
    for kind in ("questions", "concepts"):
        for item in getattr(bank.planned, kind):
            if item.slug not in written:
                yield kind, f"{item.topic}/{item.slug}: {item.title}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a folder; 0 where nothing but warnings was found, else 1."""
    parser = argparse.ArgumentParser(
        prog="python -m questionbank.catalog.content", description="Check the content of a folder."
    )
    parser.add_argument("folder", type=Path, help="the content folder")
    parser.add_argument("--run", action="store_true", help="also run the code marked `run`")
    parser.add_argument(
        "--write", action="store_true", help="first bring files into canonical form"
    )
    parser.add_argument("--planned", action="store_true", help="also list what is not written yet")
    chosen = parser.parse_args(arguments)
    if chosen.write:
        # A file that could not be read whole would lose what is wrong in it: it stays as it is.
        readable, unread = read_bank(chosen.folder)
        write_bank(readable, chosen.folder, leaving={error.path for error in unread})
    bank, errors = check_folder(chosen.folder, run=chosen.run)
    report(bank, errors, Console(), prefix=f"{chosen.folder}/", planned=chosen.planned)
    return 1 if fatal(errors) else 0
