"""Check everything in content/; needs no database, broker or web server."""

from argparse import ArgumentParser
from io import StringIO
from pathlib import Path
from typing import override

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from questionbank.catalog.content.errors import fatal
from questionbank.catalog.content.report import check_folder, report


class Command(BaseCommand):
    """Adapter: the checker is `questionbank.catalog.content.report`."""

    help = "Check every file of the content and run the code that it shows."
    requires_system_checks = ()

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, default=settings.CONTENT_ROOT)
        parser.add_argument(
            "--no-run", action="store_true", help="do not run the code blocks marked `run`"
        )

    @override
    def handle(self, *args: object, **options: object) -> None:
        folder = Path(str(options["folder"]))
        bank, errors = check_folder(folder, run=not options["no_run"])
        written = StringIO()
        report(bank, errors, Console(file=written, width=100), prefix=f"{folder}/")
        self.stdout.write(written.getvalue())
        if wrong := len(fatal(errors)):
            raise CommandError(f"{wrong} errors in {folder}", returncode=1)
