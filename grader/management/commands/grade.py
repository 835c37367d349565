"""Grade a file as the site would; needs no database, broker or web server."""

import shutil
import sys
from argparse import ArgumentParser
from collections.abc import Collection, Mapping
from io import StringIO
from pathlib import Path
from typing import Final, override

import numpy as np
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from grader.core.data_kinds.judging import data_cases
from grader.core.draws import case_names, hidden_inputs
from grader.core.evidence import Array, CaseRun
from grader.core.rubric import DataRubric, ProgramRubric, ProgramSetRubric
from grader.core.verdict import Outcome, Verdict
from grader.exercises import Exercise, exercise_slugs, read_exercise
from grader.grading import ALL_BACKENDS, NotGradedError, draw_seeds, grade, measure_reference
from grader.sandbox.confinement import best_confinement
from grader.sandbox.errors import SandboxUnavailableError
from grader.sandbox.holding import Holder
from grader.terminal.verdict import verdict_report
from tpu_runner.protocol import SOURCE_CAP_BYTES, Backend

FAILED, USAGE, NOT_GRADED = 1, 2, 3
_WIDTH_OF_A_FILE: Final = 120
_EXITS: Final = {Outcome.PASSED: 0, Outcome.NOT_GRADED: NOT_GRADED}
_UNSAFE: Final = (
    "--no-sandbox: this file runs with all that you may do yourself. Only for files of your own."
)


class Command(BaseCommand):
    """Adapter: the work is in `grader.grading`, the look in `grader.terminal`."""

    help = "Trace FILE, compile and run it on hidden inputs, and hold it against EXERCISE's rubric."
    requires_system_checks = ()

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("exercise", help="an exercise's slug")
        parser.add_argument("file", type=Path, help="the program")
        parser.add_argument("--backend", help="cpu, tpu-compile, or both with a comma")
        parser.add_argument("--json", action="store_true", help="print the verdict as JSON instead")
        parser.add_argument("--seed", type=int, help="draw hidden inputs from this seed on")
        parser.add_argument("--case", help="with --save: the case to write")
        parser.add_argument(
            "--save", type=Path, help="write the inputs of --seed and --case to this folder"
        )
        parser.add_argument(
            "--no-sandbox", action="store_true", help="for files of your own only: it is unsafe"
        )

    @override
    def handle(self, *args: object, **options: object) -> None:
        exercise = _exercise(str(options["exercise"]))
        file = Path(str(options["file"]))
        source = _read(file)
        seed = options["seed"]
        first = int(str(seed)) if seed is not None else None
        if options["save"] is not None:
            written = save_case(exercise, Path(str(options["save"])), first, options["case"])
            self.stdout.write(f"Wrote {', '.join(written)} to {options['save']}.")
            return
        holder: Holder | None = None
        if options["no_sandbox"]:
            self.stderr.write(_UNSAFE)
            holder = best_confinement()
        backends = parse_backends(None if options["backend"] is None else str(options["backend"]))
        verdict = _graded(exercise, source, seeds_from(first), backends, holder)
        if options["json"]:
            self.stdout.write(verdict.to_json().decode())
        else:
            self._print(verdict, file, source)
        if status := _EXITS.get(verdict.outcome, FAILED):
            sys.exit(status)

    def _print(self, verdict: Verdict, file: Path, source: bytes) -> None:
        shown = StringIO()
        is_terminal = self.stdout.isatty()
        width = shutil.get_terminal_size().columns if is_terminal else _WIDTH_OF_A_FILE
        console = Console(file=shown, force_terminal=is_terminal, width=width)
        text = source.decode("utf-8", "replace")
        verdict_report(console, verdict, file=str(file), source=text)
        self.stdout.write(shown.getvalue(), ending="")


def seeds_from(first: int | None) -> tuple[int, ...]:
    """Return three seeds: fresh ones, or those that follow from one, to repeat a grading."""
    return draw_seeds() if first is None else (first, first + 1, first + 2)


def parse_backends(names: str | None) -> Collection[Backend]:
    """Return the backends of a comma-separated list, all without one. Raises CommandError."""
    if names is None:
        return ALL_BACKENDS
    try:
        return frozenset(Backend(name.strip()) for name in names.split(","))
    except ValueError:
        raise CommandError(
            f"--backend {names!r}: choose cpu, tpu-compile, or both with a comma.", returncode=USAGE
        ) from None


def save_case(exercise: Exercise, folder: Path, seed: int | None, case: object) -> tuple[str, ...]:
    """Write one case's inputs as .npy files, to be looked at on one's own machine.

    Types that numpy's files do not know (bfloat16, float8) are written as float32, which holds them
    exactly. Raises CommandError.
    """
    rubric = exercise.rubric
    if seed is None:
        raise CommandError("--save needs --seed, which the verdict names.", returncode=USAGE)
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(rubric, DataRubric):
        cases = data_cases(rubric, exercise=exercise.slug, seed=seed)
        (folder / "cases.txt").write_text("\n".join(map(repr, cases)) + "\n", encoding="utf-8")
        return ("cases.txt",)
    inputs = _inputs(exercise.slug, rubric, str(case), seed)
    for name, array in inputs.items():
        plain = array.astype(np.float32) if array.dtype.kind == "V" else array
        np.save(folder / f"{name}.npy", plain)
    return tuple(f"{name}.npy" for name in inputs)


def _inputs(
    slug: str, rubric: ProgramRubric | ProgramSetRubric, case: str, seed: int
) -> Mapping[str, Array]:
    """Return a case's inputs; that of a program_set has its length behind a semicolon."""
    name, _, length = case.partition(";")
    names = case_names(rubric)
    sizes: dict[str, int] = {}
    if isinstance(rubric, ProgramSetRubric):
        word, _, number = length.partition("=")
        known = word == rubric.calls.name and number.isascii() and number.isdigit()
        sizes = {word: int(number)} if known else {}
        names = tuple(f"{one};{rubric.calls.name}=LENGTH" for one in names)
    if name not in case_names(rubric) or bool(length) != bool(sizes):
        raise CommandError(f"--case: choose one of {', '.join(names)}.", returncode=USAGE)
    return hidden_inputs(rubric, exercise=slug, run=CaseRun(name, seed), sizes=sizes)


def _graded(
    exercise: Exercise,
    source: bytes,
    seeds: tuple[int, ...],
    backends: Collection[Backend],
    holder: Holder | None,
) -> Verdict:
    try:
        reference = measure_reference(exercise, seeds=seeds, backends=backends, holder=holder)
        return grade(
            exercise, source, reference=reference, seeds=seeds, backends=backends, holder=holder
        )
    except (NotGradedError, SandboxUnavailableError) as error:
        raise CommandError(f"Not graded: {error}.", returncode=NOT_GRADED) from error


def _exercise(slug: str) -> Exercise:
    content = Path(settings.CONTENT_ROOT)
    exercise, errors = read_exercise(content, slug)
    if exercise is not None:
        return exercise
    if slug not in exercise_slugs(content):
        known = ", ".join(exercise_slugs(content))
        raise CommandError(f"There is no exercise {slug!r}; there are {known}.", returncode=USAGE)
    raise CommandError("\n".join(map(str, errors)), returncode=USAGE)


def _read(file: Path) -> bytes:
    """Return what the file holds; of one over the cap only so much that the runner refuses it."""
    try:
        with file.open("rb") as opened:
            return opened.read(SOURCE_CAP_BYTES + 1)
    except OSError as error:
        raise CommandError(f"Cannot read {file}: {error.strerror}.", returncode=USAGE) from error
