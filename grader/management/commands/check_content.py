"""Check everything in content/; needs no database, broker or web server."""

from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from typing import override

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from grader.calibrating import calibrate
from grader.exercises import exercise_slugs, read_exercise
from grader.sandbox.errors import SandboxUnavailableError
from questionbank.catalog.content.errors import ContentError, fatal
from questionbank.catalog.content.report import check_folder, report


class Command(BaseCommand):
    """Adapter: the checkers are `questionbank.catalog.content.report`, `grader.calibrating`."""

    help = "Check every file of the content, run the code that it shows, grade what exercises say."
    requires_system_checks = ()

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, default=settings.CONTENT_ROOT)
        parser.add_argument(
            "--no-run", action="store_true", help="run no code: neither blocks nor exercises"
        )
        parser.add_argument("--exercise", help="check and calibrate this exercise alone")

    @override
    def handle(self, *args: object, **options: object) -> None:
        folder = Path(str(options["folder"]))
        run = not options["no_run"]
        if options["exercise"] is not None:
            errors = self._calibrated(folder, [str(options["exercise"])], run=run)
            for error in errors:
                self.stdout.write(f"{folder}/{error}")
        else:
            bank, errors = check_folder(folder, run=run)
            errors = [*errors, *self._calibrated(folder, exercise_slugs(folder), run=run)]
            written = StringIO()
            report(bank, errors, Console(file=written, width=100), prefix=f"{folder}/")
            self.stdout.write(written.getvalue())
        if wrong := len(fatal(errors)):
            raise CommandError(f"{wrong} errors in {folder}", returncode=1)

    def _calibrated(
        self, folder: Path, slugs: Iterable[str], *, run: bool
    ) -> Sequence[ContentError]:
        """Return what is wrong with exercises, and say of each that it was graded as it goes on."""
        found: list[ContentError] = []
        for slug in slugs:
            exercise, errors = read_exercise(folder, slug)
            found += errors
            if exercise is None or not run:
                continue
            try:
                wrong = list(calibrate(exercise))
            except SandboxUnavailableError as error:
                raise CommandError(f"No exercise was graded: {error}", returncode=3) from error
            found += wrong
            said = f"{len(wrong)} wrong" if wrong else "as its author says"
            self.stdout.write(f"{slug}: {len(exercise.programs) + 1} programs graded, {said}")
        return found
