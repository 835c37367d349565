"""The verdict: what the learner is told, and how it is kept."""

import dataclasses
import enum
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from tpu_runner.protocol import LearnerError, Versions

VERDICT_FORMAT: Final = 1


class Outcome(enum.StrEnum):
    """What the learner is told. Each value is stored, so values never change."""

    PASSED = "passed"
    FAILED = "failed"
    LEARNER_ERROR = "learner_error"
    LIMIT = "limit"
    NOT_GRADED = "not_graded"  # our fault: costs the learner no attempt


class Status(enum.StrEnum):
    """How one check came out. Each value is stored, so values never change."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_KNOWN = "not_known"  # the evidence does not say: never a pass
    NOT_CHECKED = "not_checked"  # this host lacks the backend: never a pass either


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One check on one backend. `line` is in the learner's file; `concept` is a slug to read.

    `also` lists further findings of the same check, the first being in `found`.
    """

    check: str
    backend: str
    status: Status
    wanted: str
    found: str
    why: str
    line: int | None = None
    concept: str = ""
    also: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome, every check's result in the rubric's order, and what it was judged with.

    `is_complete` is False where a backend of the rubric was not checked: what passed then passed
    only in part, and `headline` says so. `seconds` are the phases' times, the only part of a
    verdict that differs between two gradings of the same source.
    """

    outcome: Outcome
    headline: str
    exercise: str
    exercise_version: int
    results: tuple[CheckResult, ...] = ()
    is_complete: bool = True
    message: str = ""
    learner_error: LearnerError | None = None
    versions: Versions | None = None
    format: int = VERDICT_FORMAT
    seconds: Mapping[str, float] = dataclasses.field(default_factory=dict)

    @property
    def lead(self) -> CheckResult | None:
        """The result that leads the feedback: the first failure, else the first unknown."""
        for status in (Status.FAILED, Status.NOT_KNOWN):
            for result in self.results:
                if result.status is status:
                    return result
        return None

    def to_json(self) -> bytes:
        """Return the verdict as JSON: the same verdict gives the same bytes but for `seconds`."""
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=2)

    @classmethod
    def from_json(cls, stored: bytes) -> "Verdict":
        """Read a stored verdict. Raises msgspec.ValidationError."""
        return msgspec.json.decode(stored, type=cls)


def outcome_of(results: Sequence[CheckResult]) -> Outcome:
    """Return what the results make together.

    One failure fails. Otherwise something unknown, or nothing checked at all, is no verdict: we
    could not say. What is left has passed wherever this host could check it.
    """
    statuses = {result.status for result in results}
    if Status.FAILED in statuses:
        return Outcome.FAILED
    if Status.NOT_KNOWN in statuses or Status.PASSED not in statuses:
        return Outcome.NOT_GRADED
    return Outcome.PASSED


def headline_of(outcome: Outcome, results: Sequence[CheckResult]) -> str:
    """Return one sentence for the learner about the results of checks."""
    missing = sorted({one.backend for one in results if one.status is Status.NOT_CHECKED})
    unchecked = f" Not checked on this host: {', '.join(missing)}." if missing else ""
    if outcome is Outcome.PASSED:
        first = "Passed what this host can check." if missing else "Passed."
    elif outcome is Outcome.FAILED:
        failed = sum(one.status is Status.FAILED for one in results)
        first = f"{failed} of {len(results)} checks failed."
    else:
        first = "Not graded: the evidence does not settle every check. This costs no attempt."
    return first + unchecked
