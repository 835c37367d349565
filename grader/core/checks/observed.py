"""What a check looks at, and how it says what it found."""

import dataclasses

from grader.core.evidence import Evidence, ProgramEvidence, Reference
from grader.core.inspection import Inspection
from grader.core.rubric.checks import Check
from grader.core.rubric.documents import DataRubric, Rubric
from grader.core.verdict import CheckResult, Status
from tpu_runner.protocol import Backend, BackendStatus

_LEARNERS = frozenset({BackendStatus.COMPILER_ERROR, BackendStatus.COMPILER_CRASHED})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """One submission's evidence beside the reference's, and the rubric for both."""

    rubric: Rubric
    evidence: Evidence
    reference: Reference


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check came to on one backend."""

    status: Status
    wanted: str
    found: str
    line: int | None = None
    also: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Compiled:
    """One program on one backend, with how many calls ran it."""

    inspection: Inspection
    calls: int


def backends_of(rubric: Rubric, check: Check) -> tuple[Backend, ...]:
    """Return the backends that a check is judged on: those it names, or all of the rubric."""
    if isinstance(rubric, DataRubric):
        return ()
    has_tpu = rubric.backends.tpu_compile is not None
    there = (Backend.CPU, Backend.TPU_COMPILE) if has_tpu else (Backend.CPU,)
    return tuple(backend for backend in there if not check.on or backend in check.on)


def compiled_for(programs: tuple[ProgramEvidence, ...], backend: Backend) -> tuple[Compiled, ...]:
    """Return what each program became on a backend, where it was compiled."""
    return tuple(
        Compiled(inspection, program.calls)
        for program in programs
        for inspection in program.backends
        if inspection.backend is backend and inspection.reading is not None
    )


def unusable(observed: Observed, backend: Backend) -> Finding | None:
    """Return the finding that stands for a backend without evidence; None where there is some."""
    programs = observed.evidence.programs
    there = [
        inspection
        for program in programs
        for inspection in program.backends
        if inspection.backend is backend
    ]
    compiles = "the program compiles"
    if not there or any(one.status is BackendStatus.NOT_CHECKED for one in there):
        return Finding(status=Status.NOT_CHECKED, wanted=compiles, found="not checked on this host")
    for one in there:
        if one.status in _LEARNERS:
            return Finding(status=Status.FAILED, wanted=compiles, found=one.message)
        if one.reading is None:
            return Finding(status=Status.NOT_KNOWN, wanted=compiles, found=one.message)
    return None


def result(check: Check, *, name: str, backend: str, why: str, finding: Finding) -> CheckResult:
    """Return a finding as the row of a verdict. The rubric's own reason comes before the usual."""
    return CheckResult(
        check=name,
        backend=backend,
        status=finding.status,
        wanted=finding.wanted,
        found=finding.found,
        why=check.why or why,
        line=finding.line,
        concept=check.concept,
        also=finding.also,
    )


def passed(wanted: str, found: str) -> Finding:
    """Return a pass."""
    return Finding(status=Status.PASSED, wanted=wanted, found=found)


def not_known(wanted: str, found: str) -> Finding:
    """Return that the evidence does not say."""
    return Finding(status=Status.NOT_KNOWN, wanted=wanted, found=found)


def failed(
    wanted: str, found: str, *, line: int | None = None, also: tuple[str, ...] = ()
) -> Finding:
    """Return a failure."""
    return Finding(status=Status.FAILED, wanted=wanted, found=found, line=line, also=also)


def byte_count(count: float) -> str:
    """Return bytes for reading: exact, with a rounded binary unit where that helps."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{int(count):,} B ({count / size:.3g} {unit})"
    return f"{int(count):,} B"
