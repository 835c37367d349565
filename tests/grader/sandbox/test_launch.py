"""A stage's process seen from outside: whatever learner code does, the launcher gets an end."""

import os
import time

import pytest

from grader.sandbox.confinement import best_confinement
from grader.sandbox.launch import run_compile, run_trace
from grader.sandbox.slot import Ended, RunLimits, Slot, Stage, StageEnd
from tests.tpu_runner.programs import (
    CONTRACTED_OVER_MODEL,
    CPU,
    DATA_MODEL,
    compile_request,
    mesh_spec,
    request,
    tpu,
)
from tpu_runner.protocol import (
    STDOUT_CAP_BYTES,
    BackendStatus,
    CompileOutcome,
    LearnerErrorKind,
    TraceOutcome,
    TraceReport,
)

pytestmark = [pytest.mark.compiler, pytest.mark.sandbox]


def ends(source: str, *, wall_seconds: float = 60) -> StageEnd[TraceReport]:
    return run_trace(request(source), limits=RunLimits(wall_seconds=wall_seconds))


def is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_process_that_leaves_without_a_report_has_crashed() -> None:
    end = ends("import os\nos._exit(0)")
    assert end.ended is Ended.CRASHED
    assert end.report is None


def test_a_flood_of_output_leaves_its_tail() -> None:
    end = ends(
        "import os, sys\nfor _ in range(200): os.write(1, b'x' * 65536)\n"
        "print('\\x1b[31mlast', file=sys.stderr)\n" + CONTRACTED_OVER_MODEL
    )
    assert end.report is not None
    assert end.report.outcome is TraceOutcome.TRACED
    assert end.report.output_bytes == 200 * 65536 + len("\x1b[31mlast\n")
    assert len(end.report.output) == STDOUT_CAP_BYTES
    assert end.report.output.endswith("xxx\x1b[31mlast\n")


def test_an_endless_program_is_ended_from_outside_with_all_that_it_started() -> None:
    source = (
        "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "if os.fork() == 0:\n    time.sleep(600)\nwhile True: pass\n"
    )
    slot = Slot(Stage.TRACE, limits=RunLimits(wall_seconds=1.5))
    started = time.monotonic()
    with slot:
        assert slot.wait_until_ready()
        end = slot.trace(request(source))
    assert end.ended is Ended.TIMED_OUT
    assert time.monotonic() - started < 40
    assert not is_alive(slot.process_id)


def test_bytes_of_the_learners_on_the_reports_channel_are_no_report() -> None:
    end = ends(
        "import os\nfor fd in range(3, 40):\n    try: os.write(fd, b'{\"passed\": true}')\n"
        "    except OSError: pass\n" + CONTRACTED_OVER_MODEL
    )
    assert end.ended is Ended.SPOKE_GARBAGE
    assert end.report is None


def test_a_child_that_holds_the_channel_open_does_not_hold_up_the_end() -> None:
    source = "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(20); os._exit(0)\n"
    end = ends(source + CONTRACTED_OVER_MODEL, wall_seconds=60)
    assert end.ended is Ended.REPORTED
    assert end.seconds < 15


def test_the_process_sees_no_environment_files_or_network_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SECRET_KEY", "open sesame")
    end = ends("""
import os, pathlib, socket, sys
print("environment", sorted(name for name in os.environ if "SECRET" in name))
print("inherited", "sesame" in pathlib.Path("/proc/self/environ").read_text())
print("files", [os.readlink(f"/proc/self/fd/{fd}") for fd in range(3, 64)
                if os.path.exists(f"/proc/self/fd/{fd}")
                and not os.readlink(f"/proc/self/fd/{fd}").startswith(("pipe:", "anon_inode:"))])
print("path", [entry for entry in sys.path if "packages" not in entry and "lib/" not in entry])
print("modules", [name for name in sys.modules if name.split(".")[0] in ("grader", "questionbank")])
try:
    bytearray(60 * 2**30)
except MemoryError:
    print("memory", "refused")
try:
    socket.create_connection(("127.0.0.1", 9), timeout=1)
except OSError as error:
    print("network", error.errno)
""")
    assert end.report is not None
    lines = dict(line.split(" ", 1) for line in end.report.output.splitlines())
    assert lines["environment"] == "[]"
    assert lines["inherited"] == "False"
    assert lines["files"] == "[]"
    assert "grader" not in lines["path"]
    assert lines["modules"] == "[]"
    assert lines["memory"] == "refused"
    assert lines["network"] == "1"  # EPERM: not even a socket


def test_a_file_of_ten_megabytes_is_refused_by_its_size() -> None:
    end = ends("#" * 10_000_000)
    assert end.report is not None
    assert end.report.error is not None
    assert end.report.error.kind is LearnerErrorKind.SOURCE_TOO_LARGE


def test_a_mesh_larger_than_the_pool_is_traced_in_a_process_with_as_many_devices() -> None:
    mesh = mesh_spec(("data", 32), ("model", 16))
    end = run_trace(request(CONTRACTED_OVER_MODEL, mesh))
    assert end.report is not None, end.log
    assert end.report.error is None
    compiled = run_compile(compile_request(end.report.artefact, tpu("v5p:8x8x8"), mesh=mesh))
    assert compiled.report is not None, compiled.log
    (found,) = compiled.report.backends
    assert found.status in (BackendStatus.COMPILED, BackendStatus.NOT_CHECKED)


def test_a_slot_that_waits_takes_one_job() -> None:
    with Slot(Stage.TRACE, warm=True) as slot:
        assert slot.wait_until_ready()
        end = slot.trace(request(CONTRACTED_OVER_MODEL))
        assert end.report is not None
        assert end.report.outcome is TraceOutcome.TRACED
        with pytest.raises(ValueError, match="one job"):
            slot.trace(request(CONTRACTED_OVER_MODEL))


def test_bytes_that_are_no_program_are_refused_or_end_the_process() -> None:
    end = run_compile(compile_request(b"no program" * 100, CPU))
    assert end.report is not None
    assert end.report.outcome is CompileOutcome.REFUSED
    assert end.report.backends == ()


CRASHES_XLA_CPU = """\
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

def build(mesh):
    def total(x):
        return jax.lax.psum(x, "data")
    return jax.jit(jax.shard_map(total, in_specs=P("data"), out_specs=P(), axis_names={"data"}))

def example_args(mesh):
    sharding = NamedSharding(mesh, P("data"))
    return (jax.ShapeDtypeStruct((64, 64), jnp.bfloat16, sharding=sharding),)
"""


def test_a_compiler_that_crashes_takes_no_other_report_with_it() -> None:
    traced = ends(CRASHES_XLA_CPU)
    assert traced.report is not None
    assert traced.report.outcome is TraceOutcome.TRACED
    end = run_compile(compile_request(traced.report.artefact, CPU, tpu("v5e:2x4"), mesh=DATA_MODEL))
    assert end.report is not None
    on_cpu, on_tpu = end.report.backends
    assert on_cpu.status is BackendStatus.COMPILER_CRASHED
    assert "opcode copy" in on_cpu.message
    assert on_tpu.status in (BackendStatus.COMPILED, BackendStatus.NOT_CHECKED)


# The split over both axes cannot become one over `model` in the other dimension step by step.
REPLICATES = """\
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

def build(mesh):
    def step(x):
        x = jax.lax.with_sharding_constraint(jnp.sin(x), P(("data", "model"), None))
        return jax.lax.with_sharding_constraint(jnp.sin(x), P(None, "model"))
    return jax.jit(step)

def example_args(mesh):
    return (jax.ShapeDtypeStruct((64, 64), jnp.float32, sharding=NamedSharding(mesh, P())),)
"""


def test_a_report_names_the_learners_file_alone_and_the_log_has_the_compilers_warnings() -> None:
    traced = ends(REPLICATES)
    assert traced.report is not None
    end = run_compile(compile_request(traced.report.artefact, CPU))
    assert end.report is not None
    text = end.report.backends[0].hlo_text
    names = text.partition("FileNames\n")[2].partition("\n\n")[0]
    assert names == '1 "submission.py"'
    assert "Involuntary full rematerialization" in end.log


def test_a_file_of_ones_own_can_be_run_without_a_jail() -> None:
    end = run_trace(request(CONTRACTED_OVER_MODEL), holder=best_confinement())
    assert end.report is not None
    assert end.report.outcome is TraceOutcome.TRACED


def test_a_program_that_takes_too_much_memory_is_told_so() -> None:
    limits = RunLimits(memory_bytes=900 << 20)
    end = run_trace(request("kept = []\nwhile True: kept.append(bytearray(10**7))"), limits=limits)
    assert end.ended is Ended.OUT_OF_MEMORY
    assert end.report is None
