"""`manage.py export_content DIR`: write what readers see back to files."""

from argparse import ArgumentParser
from pathlib import Path
from typing import IO, Any, cast, override

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.table import Table

from questionbank.catalog.content.writing import bank_files, write_bank
from questionbank.catalog.selectors.bank import published_bank


class Command(BaseCommand):
    help = "Write the published content to files that publish to the same rows, byte for byte."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="where to write; other files there are left")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        console = Console(file=cast("IO[str]", self.stdout), soft_wrap=True)
        folder: Path = options["folder"]
        bank = published_bank()
        if not bank.topics:
            raise CommandError("nothing is stored, so nothing was written: publish_content first")
        files = bank_files(bank)
        changed = sum(not _holds(folder / path, text) for path, text in files.items())
        write_bank(bank, folder)
        table = Table(title=f"Exported to {folder}")
        for name in ("topics", "tracks", "concepts", "questions", "facts", "files", "changed"):
            table.add_column(name, justify="right")
        kinds = (bank.topics, bank.tracks, bank.concepts, bank.questions, bank.facts, files)
        table.add_row(*(str(len(kind)) for kind in kinds), str(changed))
        console.print(table)


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()
