"""From a runner's report to the object that `inspect --json` prints."""

import dataclasses

import pytest

from grader.core.hlo import HloError
from grader.core.inspection import Inspection, read_report
from tests.golden.cases import Case
from tests.golden.reports import VERSIONS, case_named, golden_report, mesh_of
from tpu_runner.protocol import Backend, BackendStatus, Target

GATHERS = case_named("gather_behind_compute")


def read(case: Case, backend: str, **changes: object) -> Inspection:
    report = golden_report(case, backend, **changes)
    return read_report(report, mesh=mesh_of(case), versions=VERSIONS)


def test_the_object_has_every_key_that_is_promised() -> None:
    found = read(GATHERS, "tpu").as_json()
    assert found["backend"] == "tpu-compile"
    assert found["topology"] == "v5e:2x4"
    assert found["device_kind"] == "TPU v5 lite"
    assert found["devices"] == 8
    assert found["mesh"] == {"data": 4, "model": 2}
    assert found["versions"] == {
        "python": "3.13.0", "jax": "0.12.0.1", "jaxlib": "0.12.0.1", "libtpu": "0.0.50.1",
    }  # fmt: skip
    assert found["memory"] == {
        "argument": 8 << 20, "output": 4 << 20, "temp": 0, "alias": 0, "peak": 48 << 20,
    }  # fmt: skip
    assert found["outputs"] == [
        {
            "shape": [1024, 512],
            "dtype": "bfloat16",
            "sharding": [["data"], []],
            "shard_shape": [256, 512],
        }
    ]
    # two products of 1024 x 2048 by 2048 x 2048 on each device
    assert found["flops_per_device"] == 2 * 2 * 1024 * 2048 * 2048
    rows = found["collectives"]
    assert isinstance(rows, list)
    promised = (
        "kind axes group_size dtype operand_bytes result_bytes times sent_bytes_per_device link "
        "async decomposed overlapped_by algorithm line function hlo_name"
    )
    assert all(set(promised.split()) <= row.keys() for row in rows)
    assert [row["async"] for row in rows] == [False, True, False]


def test_the_schedule_says_what_runs_between_a_start_and_its_end() -> None:
    reading = read(GATHERS, "tpu").reading
    assert reading is not None
    pair = next(pair for pair in reading.schedule if pair.start == "async-collective-start")
    assert pair.done == "async-collective-done"
    assert "fusion.6" in pair.between
    assert "all-gather.17" not in pair.between


def test_modelled_time_is_products_and_the_traffic_that_they_do_not_hide() -> None:
    reading = read(GATHERS, "tpu").reading
    assert reading is not None
    modelled = reading.modelled
    assert modelled is not None
    # each product: 8.59 GFLOP at 197 TFLOP/s
    assert modelled.products_seconds == pytest.approx(2 * 8_589_934_592 / 197e12)
    hidden = modelled.collectives[1]
    assert hidden.seconds is not None
    assert hidden.exposed_seconds == pytest.approx(hidden.seconds - 8_589_934_592 / 197e12)
    assert modelled.products_seconds is not None
    assert modelled.exposed_seconds is not None
    assert modelled.seconds == modelled.products_seconds + modelled.exposed_seconds


def test_nothing_is_modelled_for_fake_devices() -> None:
    assert read(GATHERS, "cpu").as_json()["modelled"] is None


def test_a_slice_without_a_model_has_no_modelled_time() -> None:
    target = Target(backend=Backend.TPU_COMPILE, topology="v99:2x4", slices=1)
    assert read(GATHERS, "tpu", target=target).as_json()["modelled"] is None


def test_times_that_are_not_known_leave_the_totals_unknown() -> None:
    case = case_named("unknown_times")
    found = read(case, "tpu").as_json()
    rows = found["collectives"]
    assert isinstance(rows, list)
    assert [row["times"] for row in rows] == [None, None]
    assert [row["times_range"] for row in rows] == [[0, None], [0, 1]]
    modelled = found["modelled"]
    assert isinstance(modelled, dict)
    assert modelled["seconds"] is None


def test_without_a_tpu_compiler_nothing_is_said_but_that() -> None:
    status = BackendStatus.NOT_CHECKED
    found = read(GATHERS, "tpu", status=status, message="no libtpu", hlo_text="")
    assert found.message == "not checked on this host"
    assert found.reading is None
    assert "collectives" not in found.as_json()
    assert "memory" not in found.as_json()


def test_memory_that_the_compiler_does_not_state_is_null() -> None:
    assert read(GATHERS, "cpu", memory=None).as_json()["memory"] is None


def test_a_sharding_that_no_spec_names_is_null() -> None:
    layout = dataclasses.replace(golden_report(GATHERS, "cpu").outputs[0], spec=None)
    outputs = read(GATHERS, "cpu", outputs=(layout,)).as_json()["outputs"]
    assert isinstance(outputs, list)
    assert outputs[0]["sharding"] is None


def test_text_that_is_no_hlo_is_an_error() -> None:
    with pytest.raises(HloError):
        read(GATHERS, "cpu", hlo_text="?")
