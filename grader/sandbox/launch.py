"""Runs one stage from start to end, each in a process of its own."""

import dataclasses

from grader.sandbox.holding import Holder
from grader.sandbox.slot import POOL_DEVICES, Ended, RunLimits, Slot, Stage, StageEnd
from tpu_runner import protocol
from tpu_runner.protocol import (
    AnswerReport,
    AnswerRequest,
    Backend,
    BackendReport,
    BackendStatus,
    CompileReport,
    CompileRequest,
    Target,
    TraceReport,
    TraceRequest,
)


def run_trace(
    request: TraceRequest, *, limits: RunLimits | None = None, holder: Holder | None = None
) -> StageEnd[TraceReport]:
    """Start a process, trace in it, and return how it ended."""
    with Slot(
        Stage.TRACE, devices=pool_devices(request.mesh.devices), limits=limits, holder=holder
    ) as slot:
        return slot.trace(request)


def run_compile(
    request: CompileRequest, *, limits: RunLimits | None = None, holder: Holder | None = None
) -> StageEnd[CompileReport]:
    """Start a process, compile for every target in it, and return how it ended.

    A compiler can crash, and takes the reports for the other targets with it. Then each target is
    compiled in a process of its own, and those that crash are reported as such.
    """
    end = _compile_once(request, limits, holder)
    if end.ended is not Ended.CRASHED or len(request.targets) == 1:
        return end
    return _each_alone(request, limits, holder)


def run_answer(
    request: AnswerRequest,
    *,
    devices: int,
    limits: RunLimits | None = None,
    holder: Holder | None = None,
) -> StageEnd[AnswerReport]:
    """Start a process with so many fake devices, get answers in it, and return how it ended."""
    with Slot(Stage.ANSWER, devices=devices, limits=limits, holder=holder) as slot:
        return slot.answer(request)


def pool_devices(mesh_devices: int) -> int:
    """Return how many fake devices a process needs: the pool's 64 serve every smaller mesh."""
    return max(mesh_devices, POOL_DEVICES)


def _compile_once(
    request: CompileRequest, limits: RunLimits | None, holder: Holder | None
) -> StageEnd[CompileReport]:
    needs_cpu = any(target.backend is Backend.CPU for target in request.targets)
    devices = pool_devices(request.mesh.devices) if needs_cpu else 1
    with Slot(Stage.COMPILE, devices=devices, limits=limits, holder=holder) as slot:
        return slot.compile(request)


def _each_alone(
    request: CompileRequest, limits: RunLimits | None, holder: Holder | None
) -> StageEnd[CompileReport]:
    ends = [
        _compile_once(dataclasses.replace(request, targets=(target,)), limits, holder)
        for target in request.targets
    ]
    survivor = next((end for end in ends if end.report is not None), None)
    if survivor is None or survivor.report is None:
        return ends[0]
    backends = [
        end.report.backends[0] if end.report is not None else crashed(target, end.log)
        for target, end in zip(request.targets, ends, strict=True)
    ]
    return dataclasses.replace(
        survivor,
        report=dataclasses.replace(survivor.report, backends=tuple(backends)),
        log="".join(end.log for end in ends),
        seconds=sum(end.seconds for end in ends),
    )


def crashed(target: Target, log: str) -> BackendReport:
    """Return the report for a compiler that crashed, with its last words from the log."""
    last_words = [line for line in log.splitlines() if line.startswith("F")][-1:]
    said = f" It said: {last_words[0].partition('] ')[2]}" if last_words else ""
    return BackendReport(
        target=target,
        status=BackendStatus.COMPILER_CRASHED,
        message=f"The compiler crashed on this program.{said}"[: protocol.MESSAGE_CAP_CHARACTERS],
        device_kind="",
        platform_version="",
        hlo_text="",
        memory=None,
        devices=(),
        inputs=(),
        outputs=(),
        phases=(),
    )
