"""What was observed of one submission: facts, from which a verdict is made."""

import dataclasses
import enum
from collections.abc import Mapping

import numpy as np

from grader.core.inspection import Inspection
from tpu_runner.protocol import LearnerError, Shard, Versions

type Array = np.ndarray[tuple[int, ...], np.dtype[np.generic]]


class Ended(enum.StrEnum):
    """How gathering evidence ended. Values are stored and never change."""

    COMPLETED = "completed"
    LEARNER_ERROR = "learner_error"
    LIMIT = "limit"
    OUR_FAULT = "our_fault"


@dataclasses.dataclass(frozen=True, slots=True)
class CaseRun:
    """One filling of the inputs: the case's name and the seed that it was drawn with."""

    name: str
    seed: int


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ShardValue:
    """One device's block of an output, as it came out: `block` is where it belongs."""

    position: int
    block: Shard
    array: Array


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OutputValue:
    """One output as the run left it on every device, in order of positions."""

    dtype: str
    shape: tuple[int, ...]
    shards: tuple[ShardValue, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RunEvidence:
    """The outputs of one run, in flat order."""

    case: CaseRun
    outputs: tuple[OutputValue, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ProgramEvidence:
    """One artefact: what each compiler made of it, and how many of the calls used it."""

    backends: tuple[Inspection, ...]
    calls: int = 1


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What the learner's function gave for one case of a `data` exercise."""

    case: Mapping[str, object]
    answer: object


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that was observed. Where gathering did not complete, `message` says what happened.

    `programs` has one entry for a `program`, one for each artefact that a hidden call of a
    `program_set` used, none for `data`; `programs_used` is how many all possible calls would use.
    `phases` are seconds by name, and no part of what is judged.
    """

    ended: Ended = Ended.COMPLETED
    message: str = ""
    learner_error: LearnerError | None = None
    programs: tuple[ProgramEvidence, ...] = ()
    programs_used: int | None = None
    runs: tuple[RunEvidence, ...] = ()
    answers: tuple[Answered, ...] = ()
    versions: Versions | None = None
    phases: Mapping[str, float] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What the author's own program does: the same facts, and the values that are wanted.

    `expected` has the outputs of the plain program for every run, whole, in flat order; `answers`
    what the reference's function gave for the cases of a `data` exercise.
    """

    programs: tuple[ProgramEvidence, ...] = ()
    expected: Mapping[CaseRun, tuple[Array, ...]] = dataclasses.field(default_factory=dict)
    answers: tuple[Answered, ...] = ()
