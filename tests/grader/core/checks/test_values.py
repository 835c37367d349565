"""`values`: what is right on the assembled array and wrong on a device is wrong."""

import dataclasses

import numpy as np
import pytest

from grader.core.evidence import OutputValue, RunEvidence
from grader.core.verdict import Outcome, Status, Verdict
from tests.grader.core.checks.facts import (
    RUNS,
    inspection,
    moved,
    output,
    right_runs,
    shards_of,
    verdict,
    whole,
)

CHECK = "{check: values, rtol: 1e-5, atol: 1e-6}"


def judged(*outputs: OutputValue) -> Verdict:
    """The verdict where the second of three runs gave these outputs, the others the right ones."""
    first, _, third = right_runs()
    changed = RunEvidence(case=RUNS[1], outputs=outputs)
    return verdict(CHECK, inspection(), runs=(first, changed, third))


def test_the_right_values_on_every_shard_pass() -> None:
    assert verdict(CHECK, inspection()).outcome is Outcome.PASSED


def test_right_on_two_seeds_of_three_fails_and_names_the_third() -> None:
    array = whole(RUNS[1])
    array[...] = 0.5
    found = judged(output(array))
    assert found.outcome is Outcome.FAILED
    assert "case random-2 (seed 2): c: wrong on all 8 devices" in found.results[0].found


def test_one_wrong_replica_fails_though_the_assembled_array_is_right() -> None:
    shards = list(shards_of(whole(RUNS[1])))
    shards[5] = dataclasses.replace(shards[5], array=np.zeros_like(shards[5].array))
    found = judged(output(whole(RUNS[1]), tuple(shards)))
    assert found.outcome is Outcome.FAILED
    assert "wrong on devices [5] of 8" in found.results[0].found


def test_the_place_that_is_named_counts_in_the_whole_array() -> None:
    array = whole(RUNS[1])
    array[6, 2] += 3.0
    found = judged(output(array))
    assert f"at [6, 2] wanted {whole(RUNS[1])[6, 2]:.6g}" in found.results[0].found


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (output(whole(RUNS[1]).astype(np.float64)), "dtype float64, not float32"),
        (output(whole(RUNS[1]).astype(np.complex64)), "dtype complex64, not float32"),
        (output(whole(RUNS[1])[:4]), "shape [4, 6], not [8, 6]"),
        (output(np.full((8, 6), np.nan, np.float32)), "NaN in other places"),
        (output(np.full((8, 6), np.inf, np.float32)), "infinities in other places"),
        (output(whole(RUNS[1]), ()), "0 shards on 8 devices"),
        (output(whole(RUNS[1]), shards_of(whole(RUNS[1]))[:7]), "7 shards on 8 devices"),
        (
            output(whole(RUNS[1]), (*shards_of(whole(RUNS[1]))[:7], shards_of(whole(RUNS[1]))[0])),
            "8 shards on 8 devices",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_a_plain_comparison_lets_through_fails(wrong: OutputValue, says: str) -> None:
    found = judged(wrong)
    assert found.outcome is Outcome.FAILED
    assert says in found.results[0].found


def test_shards_that_leave_a_part_out_fail() -> None:
    array = whole(RUNS[1])
    first = shards_of(array)[0]
    same = tuple(dataclasses.replace(first, position=position) for position in range(8))
    found = judged(output(array, same))
    assert "36 of 48 elements are on no device" in found.results[0].found


@pytest.mark.parametrize(
    ("start", "stop"), [((7, 0), (9, 6)), ((-1, 0), (1, 6)), ((2, 0), (2, 6)), ((0,), (2,))]
)
def test_a_block_that_is_none_of_the_array_fails(
    start: tuple[int, ...], stop: tuple[int, ...]
) -> None:
    first, *others = shards_of(whole(RUNS[1]))
    found = judged(output(whole(RUNS[1]), (moved(first, start, stop), *others)))
    assert "device 0 holds no block of it" in found.results[0].found


def test_another_number_of_outputs_fails() -> None:
    right = output(whole(RUNS[1]))
    assert "2 outputs, not 1" in judged(right, right).results[0].found
    assert "0 outputs, not 1" in judged().results[0].found


def test_a_case_that_was_not_run_is_not_known() -> None:
    found = verdict(CHECK, inspection(), runs=right_runs()[:2])
    assert found.outcome is Outcome.NOT_GRADED
    assert found.results[0].status is Status.NOT_KNOWN


def test_a_case_that_was_run_twice_does_not_stand_for_another() -> None:
    first, second, _ = right_runs()
    assert verdict(CHECK, inspection(), runs=(first, second, first)).outcome is Outcome.NOT_GRADED
