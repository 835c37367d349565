"""`manage.py publish_content`: bring the content files before readers."""

from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import IO, Any, cast, override

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table

from questionbank.catalog.content.checking import check_bank
from questionbank.catalog.content.documents import Bank
from questionbank.catalog.content.errors import ContentErrors, fatal
from questionbank.catalog.content.reading import read_bank
from questionbank.catalog.services import (
    Choices,
    Filing,
    Outcome,
    UnknownSlugError,
    publish_files,
)


class Command(BaseCommand):
    help = (
        "Bring the content files into the database and before readers: in one transaction, as"
        " often as you like, never over what was edited in the admin."
    )

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder", nargs="?", type=Path, default=settings.CONTENT_ROOT, help="the content folder"
        )
        parser.add_argument(
            "--take-files",
            action="append",
            default=[],
            metavar="SLUG",
            help="let the file win over what was edited in the admin",
        )
        parser.add_argument(
            "--keep-edits",
            action="append",
            default=[],
            metavar="SLUG",
            help="let what was edited in the admin win, until the file changes again",
        )

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(file=cast("IO[str]", self.stdout), soft_wrap=True)
        bank = _checked_bank(options["folder"])
        choices = Choices(
            take=frozenset(options["take_files"]), keep=frozenset(options["keep_edits"])
        )
        try:
            filings = publish_files(bank, choices=choices)
        except UnknownSlugError as error:
            raise CommandError(str(error)) from None
        except ContentErrors as error:
            raise CommandError(f"nothing was published:\n{error}") from None
        _print_differences(console, filings)
        console.print(_table(filings))


def _checked_bank(folder: Path) -> Bank:
    bank, errors = read_bank(folder)
    wrong = fatal([*errors, *check_bank(bank)])
    if wrong:
        listed = "\n".join(f"{folder}/{error}" for error in sorted(set(wrong)))
        raise CommandError(f"nothing was published: mend these first\n{listed}")
    return bank


def _print_differences(console: Console, filings: tuple[Filing, ...]) -> None:
    left = [filing for filing in filings if filing.outcome is Outcome.LEFT]
    colours = Syntax("", "diff", background_color="default")
    for filing in left:
        console.rule(f"{filing.kind} {filing.slug}: edited in the admin, left as it is")
        console.print(colours.highlight(filing.diff))
    if left:
        console.print("To resolve one: --take-files SLUG, or --keep-edits SLUG.")


def _table(filings: tuple[Filing, ...]) -> Table:
    counts = Counter((filing.outcome, filing.kind) for filing in filings)
    kinds = ("topic", "track", "concept", "question")
    table = Table(title="Published")
    table.add_column("")
    for kind in kinds:
        table.add_column(f"{kind}s", justify="right")
    for outcome in Outcome:
        row = [counts[outcome, kind] for kind in kinds]
        if any(row):
            table.add_row(outcome, *(str(number or "") for number in row))
    return table
