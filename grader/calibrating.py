"""Proves an exercise: its reference passes, each wrong program fails just as its author says."""

from collections.abc import Collection, Iterator
from typing import Final

from grader.core.checks.amounts import traffic_by_route
from grader.core.checks.observed import compiled_for
from grader.core.evidence import Reference
from grader.core.hlo.times import NEVER
from grader.core.rubric import DataRubric
from grader.core.rubric.checks import Theory, Traffic
from grader.core.verdict import Outcome, Status, Verdict
from grader.exercises import ExampleProgram, Exercise
from grader.grading import ALL_BACKENDS, NotGradedError, grade, measure_reference
from grader.sandbox.holding import Holder
from questionbank.catalog.content.errors import ContentError
from tpu_runner.protocol import Backend

CALIBRATION_SEEDS: Final = (101, 202, 303)  # the same every time: a build says the same twice
_THEORY_TOLERANCE: Final = 0.05


def calibrate(
    exercise: Exercise,
    *,
    backends: Collection[Backend] = ALL_BACKENDS,
    holder: Holder | None = None,
) -> Iterator[ContentError]:
    """Yield everything in which the exercise does not do what its author says.

    A backend that this host lacks is passed over. Raises SandboxUnavailableError.
    """
    path = f"exercises/{exercise.slug}"
    try:
        reference = measure_reference(
            exercise, seeds=CALIBRATION_SEEDS, backends=backends, holder=holder
        )
    except NotGradedError as error:
        yield ContentError(f"{path}/reference.py", 1, str(error))
        return

    def verdict_on(source: bytes) -> Verdict:
        return grade(
            exercise,
            source,
            reference=reference,
            seeds=CALIBRATION_SEEDS,
            backends=backends,
            holder=holder,
        )

    own = verdict_on(exercise.reference)
    if own.outcome is not Outcome.PASSED:
        yield ContentError(f"{path}/reference.py", 1, f"does not pass: {explained(own)}")
    for message in theory_problems(exercise, reference):
        yield ContentError(f"{path}/rubric.yaml", 1, message)
    for program in exercise.programs:
        message = difference_from_expected(program, verdict_on(program.source))
        if message:
            yield ContentError(f"{path}/programs/{program.name}", 1, message)


def difference_from_expected(program: ExampleProgram, verdict: Verdict) -> str:
    """Return how a verdict differs from what the author expects of the program, or nothing.

    Checks of backends that were not checked on this host say nothing, either way.
    """
    expected = program.expected
    if verdict.outcome is not expected.outcome:
        if not verdict.is_complete and verdict.outcome is Outcome.PASSED:
            return ""
        return f"is {verdict.outcome.value}, not {expected.outcome.value}: {explained(verdict)}"
    checked = {one.backend for one in verdict.results if one.status is not Status.NOT_CHECKED}
    for backend in sorted(checked | set(expected.fails)):
        if backend not in checked:
            continue
        failing = {
            one.check
            for one in verdict.results
            if one.backend == backend and one.status is Status.FAILED
        }
        wanted = set(expected.fails.get(backend, ()))
        if failing != wanted:
            return (
                f"on {backend} fails {_listed(failing)}, not {_listed(wanted)}: "
                f"{explained(verdict)}"
            )
    return ""


def theory_problems(exercise: Exercise, reference: Reference) -> Iterator[str]:
    """Yield where the reference's traffic is not within 5 % of what theory gives."""
    rubric = exercise.rubric
    if isinstance(rubric, DataRubric):
        return
    for check in rubric.checks:
        for theory in check.theory if isinstance(check, Traffic) else ():
            for backend in check.on or (Backend.CPU, Backend.TPU_COMPILE):
                yield from _theory_problem(theory, reference, backend)


def _theory_problem(theory: Theory, reference: Reference, backend: Backend) -> Iterator[str]:
    programs = compiled_for(reference.programs, backend)
    if not programs:
        return
    route = ("+".join(theory.axes), theory.link.value)
    found = traffic_by_route(programs).get(route, NEVER).exact
    if found is None or abs(found - theory.bytes) > _THEORY_TOLERANCE * theory.bytes:
        yield (
            f"theory gives {theory.bytes} B over {route[0]}, the reference sends {found} B "
            f"on {backend.value}"
        )


def explained(verdict: Verdict) -> str:
    """Return a verdict's reasons in one line."""
    if not verdict.results:
        return verdict.message or verdict.headline
    reasons = [
        f"{one.check} on {one.backend} {one.status.value} (wanted {one.wanted}; found {one.found})"
        for one in verdict.results
        if one.status in (Status.FAILED, Status.NOT_KNOWN)
    ]
    return "; ".join(reasons) or verdict.headline


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names)) or "nothing"
