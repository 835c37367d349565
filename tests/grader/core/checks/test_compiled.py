"""Checks of what a compiler made of a program, on facts made by hand."""

import dataclasses

import pytest

from grader.core.collectives import Collective, Kind
from grader.core.collectives.rows import Link
from grader.core.hlo.times import Times
from grader.core.products import Products
from grader.core.verdict import Outcome, Status, Verdict
from tests.grader.core.checks.facts import (
    inspection,
    layout,
    memory,
    product,
    result,
    row,
    verdict,
)
from tpu_runner.protocol import Backend, BackendStatus

CPU = "on: [cpu]"
GATHER = row(Kind.ALL_GATHER)


# Collectives


@pytest.mark.parametrize(
    ("rule", "rows", "status"),
    [
        ("require: [{kind: all-reduce}]", [row()], Status.PASSED),
        ("require: [{kind: all-reduce}]", [], Status.FAILED),
        ("require: [{kind: [all-gather, all-reduce]}]", [GATHER], Status.PASSED),
        ("require: [{kind: all-reduce, axes: [y]}]", [row()], Status.FAILED),
        ("require: [{axes: [y, x]}]", [row(axes=("x", "y"))], Status.PASSED),
        ("require: [{axes: [x]}]", [row(axes=("x", "y"))], Status.FAILED),
        ("require: [{exactly: 5}]", [row(times=Times(5, 5))], Status.PASSED),
        ("require: [{exactly: 1}]", [row(times=Times(5, 5))], Status.FAILED),
        ("require: [{exactly: 2}]", [row(), row()], Status.PASSED),
        ("require: [{exactly: 0}]", [], Status.PASSED),
        ("require: [{at_most: 1}]", [], Status.PASSED),
        ("require: [{at_most: 1}]", [row(), row()], Status.FAILED),
        ("require: [{at_least: 3}]", [row(times=Times(1, None))], Status.NOT_KNOWN),
        ("require: [{at_least: 3}]", [row(times=Times(3, None))], Status.PASSED),
        ("require: [{at_most: 3}]", [row(times=Times(1, None))], Status.NOT_KNOWN),
        ("require: [{at_most: 3}]", [row(times=Times(4, None))], Status.FAILED),
        ("require: [{where: outside_loops}]", [row(times=Times(5, 5))], Status.FAILED),
        ("require: [{where: inside_loops}]", [row(times=Times(0, None))], Status.NOT_KNOWN),
        ("forbid: [{kind: all-reduce}]", [GATHER], Status.PASSED),
        ("forbid: [{kind: all-reduce}]", [row(times=Times(0, 1))], Status.FAILED),
        ("forbid: [{kind: all-reduce}]", [row(times=Times(0, 0))], Status.PASSED),
        ("forbid: [{where: inside_loops}]", [row()], Status.PASSED),
        ("forbid: [{where: inside_loops}]", [row(times=Times(2, 2))], Status.FAILED),
        ("forbid: [{touches: x}]", [row(axes=("x", "y"))], Status.FAILED),
        ("forbid: [{touches: x}]", [row(axes=("y",))], Status.PASSED),
        ("forbid: [{touches: x}]", [row(axes=(), part_of=("x",))], Status.FAILED),
        ("forbid: [{touches: x}]", [row(axes=())], Status.FAILED),
        ("forbid: [{link: dcn}]", [row()], Status.PASSED),
        ("forbid: [{link: dcn}]", [row(link=Link.DCN)], Status.FAILED),
        ("forbid: [{dtype: f32}]", [row(dtype="bf16")], Status.PASSED),
        ("forbid: [{larger_than_bytes: 1000}]", [row(sent=1000)], Status.PASSED),
        ("forbid: [{larger_than_bytes: 1000}]", [row(sent=1001)], Status.FAILED),
        ("forbid: [{kind: all-reduce}]", [row(sent=0)], Status.FAILED),
        ("require: [{kind: all-reduce}], nothing_else: true", [row()], Status.PASSED),
        ("require: [{kind: all-reduce}], nothing_else: true", [row(), GATHER], Status.FAILED),
    ],
)
def test_rules_on_collectives_hold_as_they_are_written(
    rule: str, rows: list[Collective], status: Status
) -> None:
    found = result(f"{{check: collectives, {CPU}, {rule}}}", inspection(rows=rows))
    assert found.status is status, found


def test_a_forbidden_collective_is_named_with_its_line() -> None:
    check = f"{{check: collectives, {CPU}, forbid: [{{kind: all-reduce}}], concept: collectives}}"
    late = row(line=None, feeds_line=12)
    found = result(check, inspection(rows=[late, row(times=Times(5, 5))]))
    assert found.found == "all-reduce over x, 1 ×"
    assert found.also == ("all-reduce over x, 5 ×",)
    assert (found.line, found.concept) == (12, "collectives")


def test_what_could_not_be_read_is_not_known_where_nothing_failed() -> None:
    check = f"{{check: collectives, {CPU}, forbid: [{{kind: all-gather}}]}}"
    assert result(check, inspection(unread="a new form")).status is Status.NOT_KNOWN
    assert result(check, inspection(rows=[GATHER], unread="a new form")).status is Status.FAILED


# Traffic

TRAFFIC = f"{{check: traffic, {CPU}}}"


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ([row(sent=100_000)], Status.PASSED),
        ([row(sent=106_024)], Status.PASSED),  # 1.05 × 100,000 + 1,024
        ([row(sent=106_025)], Status.FAILED),
        ([row(sent=53_012), row(sent=53_012)], Status.PASSED),
        ([row(sent=53_012, times=Times(2, 2))], Status.PASSED),
        ([row(sent=53_012, times=Times(3, 3))], Status.FAILED),
        ([row(sent=1, times=Times(1, None))], Status.NOT_KNOWN),
        ([row(sent=200_000, times=Times(1, None))], Status.FAILED),
        ([row(sent=100_000), row(axes=("y",), sent=1024)], Status.PASSED),
        ([row(sent=100_000), row(axes=("y",), sent=1025)], Status.FAILED),
        ([row(sent=100_000, link=Link.DCN)], Status.FAILED),
        ([], Status.NOT_KNOWN),
    ],
)
def test_traffic_is_at_most_the_references_with_five_per_cent_and_a_kibibyte(
    rows: list[Collective], status: Status
) -> None:
    reference = [inspection(rows=[row(sent=100_000)])]
    assert result(TRAFFIC, inspection(rows=rows), reference=reference).status is status


def test_no_traffic_passes_where_the_reference_has_none() -> None:
    assert result(TRAFFIC, inspection(), reference=[inspection()]).status is Status.PASSED


@pytest.mark.parametrize(
    ("own", "reference"),
    [
        (inspection(unread="a new form"), inspection()),
        (inspection(), inspection(rows=[row(times=Times(1, None))])),
    ],
)
def test_traffic_that_cannot_be_known_is_not_known(own: object, reference: object) -> None:
    found = result(TRAFFIC, own, reference=[reference])  # type: ignore[arg-type, list-item]
    assert found.status is Status.NOT_KNOWN


# Memory


@pytest.mark.parametrize(
    ("bounds", "own", "usual", "status"),
    [
        ("figure: temp, at_most: 1.5", 150, 100, Status.PASSED),
        ("figure: temp, at_most: 1.5", 151, 100, Status.FAILED),
        ("figure: temp, at_most: 1.5", 0, 100, Status.NOT_KNOWN),
        ("figure: temp, at_most: 1.5", 0, 0, Status.NOT_KNOWN),
        ("figure: temp, at_most_bytes: 200", 200, 100, Status.PASSED),
        ("figure: temp, at_most_bytes: 200", 201, 100, Status.FAILED),
        ("figure: temp, at_most: 9, at_most_bytes: 200", 201, 100, Status.FAILED),
        ("figure: peak, at_most: 2", None, 100, Status.NOT_KNOWN),
        ("figure: peak, at_most: 2", 100, None, Status.NOT_KNOWN),
        ("figure: alias, at_least: 1", 100, 100, Status.PASSED),
        ("figure: alias, at_least: 1", 0, 100, Status.FAILED),
        ("figure: alias, at_least_bytes: 64", 63, 100, Status.FAILED),
    ],
)
def test_memory_is_held_to_its_bounds(
    bounds: str, own: int | None, usual: int | None, status: Status
) -> None:
    figure = bounds.partition("figure: ")[2].partition(",")[0]
    found = result(
        f"{{check: memory, {CPU}, {bounds}}}",
        inspection(memory=memory(**{figure: own})),
        reference=[inspection(memory=memory(**{figure: usual}))],
    )
    assert found.status is status, found


def test_a_compiler_without_a_memory_analysis_is_not_known() -> None:
    check = f"{{check: memory, {CPU}, figure: temp, at_most_bytes: 5}}"
    assert result(check, inspection()).status is Status.NOT_KNOWN


# Flops


@pytest.mark.parametrize(
    ("own", "status"),
    [
        (Products((product(105),), ()), Status.PASSED),
        (Products((product(106),), ()), Status.FAILED),
        (Products((product(50, Times(2, 2)),), ()), Status.PASSED),
        (Products((product(50, Times(3, 3)),), ()), Status.FAILED),
        (Products((product(1, Times(1, None)),), ()), Status.NOT_KNOWN),
        (Products((), ()), Status.NOT_KNOWN),
        (Products((product(100),), ("dot.2",)), Status.NOT_KNOWN),
    ],
)
def test_products_are_counted_against_the_references(own: Products, status: Status) -> None:
    reference = [inspection(products=Products((product(100),), ()))]
    found = result(f"{{check: flops, {CPU}}}", inspection(products=own), reference=reference)
    assert found.status is status


def test_the_heaviest_product_gives_the_line() -> None:
    own = Products((product(10, line=4), product(200, line=9)), ())
    reference = [inspection(products=Products((product(100),), ()))]
    found = result(f"{{check: flops, {CPU}}}", inspection(products=own), reference=reference)
    assert found.line == 9


# Overlap

OVERLAP = "{check: overlap, of: {kind: all-gather}, at_least: 0.5}"
HIDDEN = row(Kind.ALL_GATHER, overlapped_by=("fusion.1",))


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ([HIDDEN], Status.PASSED),
        ([GATHER], Status.FAILED),
        ([HIDDEN, GATHER], Status.PASSED),
        ([HIDDEN, row(Kind.ALL_GATHER, sent=1001)], Status.FAILED),
        ([row(Kind.ALL_GATHER, is_decomposed=True)], Status.PASSED),
        ([row()], Status.FAILED),
    ],
)
def test_overlap_is_a_share_of_the_bytes(rows: list[Collective], status: Status) -> None:
    found = verdict(OVERLAP, inspection(Backend.TPU_COMPILE, rows=rows))
    assert [one.status for one in found.results] == [status]


# Output shardings


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        (layout(("x", None)), Status.PASSED),
        (layout((("x",), None)), Status.PASSED),
        (layout((("x", "y"), None)), Status.FAILED),
        (layout((None, None)), Status.FAILED),
        (layout((None, "y")), Status.FAILED),
        (layout(("x", None), shape=(4, 6)), Status.FAILED),
        (layout(("x", None), listed=False), Status.PASSED),
        (layout((None, None), listed=False), Status.FAILED),
        (dataclasses.replace(layout(("x", None), listed=False), spec=None), Status.NOT_KNOWN),
        (dataclasses.replace(layout(("x", None)), spec=None), Status.PASSED),
    ],
)
def test_output_shardings_are_compared_block_by_block(changed: object, status: Status) -> None:
    own = inspection(outputs=(changed,))  # type: ignore[arg-type]
    assert result(f"{{check: output_sharding, {CPU}}}", own).status is status


def test_a_result_on_every_device_is_called_replicated() -> None:
    found = result(
        f"{{check: output_sharding, {CPU}}}", inspection(outputs=(layout((None, None)),))
    )
    assert "replicated on every device" in found.found


def test_another_number_of_outputs_has_another_layout() -> None:
    found = result(f"{{check: output_sharding, {CPU}}}", inspection(outputs=()))
    assert found.status is Status.FAILED


# Time, without a model of the slice

TIME = "{check: time}"


def test_a_time_that_cannot_be_modelled_is_not_known() -> None:
    tpu = inspection(Backend.TPU_COMPILE)
    assert verdict(TIME, tpu, reference=[tpu]).outcome is Outcome.NOT_GRADED


# Backends


def on_tpu(status: BackendStatus, message: str = "") -> Verdict:
    tpu = inspection(Backend.TPU_COMPILE, status=status, message=message)
    return verdict("{check: collectives, forbid: [{kind: all-reduce}]}", inspection(), tpu)


def test_a_backend_that_the_host_lacks_is_never_passed() -> None:
    for found in (
        on_tpu(BackendStatus.NOT_CHECKED),
        verdict("{check: collectives, forbid: [{kind: all-reduce}]}", inspection()),
    ):
        assert [one.status for one in found.results] == [Status.PASSED, Status.NOT_CHECKED]
        assert found.outcome is Outcome.PASSED
        assert not found.is_complete
        assert "Not checked on this host: tpu-compile" in found.headline


def test_a_program_that_was_checked_nowhere_is_not_graded() -> None:
    found = verdict(OVERLAP, inspection(Backend.TPU_COMPILE, status=BackendStatus.NOT_CHECKED))
    assert found.outcome is Outcome.NOT_GRADED


def test_a_program_that_a_compiler_refuses_fails_on_that_backend() -> None:
    found = on_tpu(BackendStatus.COMPILER_ERROR, "out of memory in HBM")
    assert found.outcome is Outcome.FAILED
    assert found.lead is not None
    assert (found.lead.backend, found.lead.found) == ("tpu-compile", "out of memory in HBM")


def test_a_slice_that_does_not_exist_is_nobodys_failure_but_ours() -> None:
    assert on_tpu(BackendStatus.UNKNOWN_TOPOLOGY, "no such slice").outcome is Outcome.NOT_GRADED


def test_a_verdict_comes_back_from_its_bytes() -> None:
    found = on_tpu(BackendStatus.COMPILED)
    assert Verdict.from_json(found.to_json()) == found
    assert found.to_json() == on_tpu(BackendStatus.COMPILED).to_json()
