"""Takes a `program_set` through the stages: the table of lengths first, then each program used."""

import dataclasses
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from grader.answering import ask
from grader.core.draws import Call, padded
from grader.core.evidence import Ended, Evidence, ProgramEvidence, RunEvidence
from grader.core.rubric import ProgramSetRubric
from grader.running import Job, run_job
from grader.sandbox.holding import Holder

FUNCTION: Final = "bucket"
_LARGEST_PAD: Final = 2  # times the greatest length: nobody needs more, and memory is not free


def run_set(job: Job, rubric: ProgramSetRubric) -> Evidence:
    """Return what was observed of all programs that the calls use.

    `bucket` is asked for every length that a call may have, and is then out of the game: how many
    programs there are is how many different answers it gave. `job.calls` have their own lengths.
    """
    table = _table(job.source, rubric, holder=job.holder)
    if isinstance(table, Evidence):
        return table
    by_bucket: defaultdict[int, list[Call]] = defaultdict(list)
    for call in job.calls:
        by_bucket[table[call.length - rubric.calls.least]].append(call)
    programs: list[ProgramEvidence] = []
    runs: list[RunEvidence] = []
    gathered = Evidence()
    for length, calls in sorted(by_bucket.items()):
        gathered = run_job(
            dataclasses.replace(
                job,
                sizes={rubric.calls.name: length},
                calls=tuple(
                    dataclasses.replace(call, inputs=padded(rubric, call.inputs, length))
                    for call in calls
                ),
            )
        )
        if gathered.ended is not Ended.COMPLETED:
            return gathered
        programs += gathered.programs
        runs += gathered.runs
    return dataclasses.replace(
        gathered,
        programs=tuple(programs),
        runs=tuple(runs),
        programs_used=len(set(table)),
    )


def _table(
    source: bytes, rubric: ProgramSetRubric, *, holder: Holder | None
) -> Sequence[int] | Evidence:
    """Return the padded length of every length from the least to the greatest."""
    lengths = range(rubric.calls.least, rubric.calls.greatest + 1)
    cases = tuple({rubric.calls.name: length} for length in lengths)
    evidence = ask(source, FUNCTION, cases, devices=1, holder=holder)
    if evidence.ended is not Ended.COMPLETED:
        return evidence
    table: list[int] = []
    for length, answered in zip(lengths, evidence.answers, strict=True):
        found = answered.answer
        if isinstance(found, bool) or not isinstance(found, int):
            return _wrong(f"{FUNCTION}({length}) gives {found!r:.80}, which is no whole number.")
        if not length <= found <= _LARGEST_PAD * rubric.calls.greatest:
            return _wrong(
                f"{FUNCTION}({length}) gives {found}: a call is padded, so it has to be from "
                f"{length} to {_LARGEST_PAD * rubric.calls.greatest}."
            )
        table.append(found)
    return table


def _wrong(message: str) -> Evidence:
    return Evidence(ended=Ended.LEARNER_ERROR, message=message)
