"""One stage of the runner in a jail of its own, which takes a single job."""

import dataclasses
import enum
import os
import selectors
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from grader.sandbox import seccomp
from grader.sandbox.cgroups import Counted
from grader.sandbox.holding import Holder
from grader.sandbox.jail import Limits
from grader.sandbox.jailer import jailer
from tpu_runner import protocol
from tpu_runner.protocol import (
    AnswerReport,
    AnswerRequest,
    CompileReport,
    CompileRequest,
    ProtocolError,
    TraceReport,
    TraceRequest,
)

_START_FILE = Path(protocol.__file__).with_name("start.py")
POOL_DEVICES = 64
_LOG_CAP_BYTES = 64 * protocol.KIB
_BYTES_PER_DEVICE = 32 * protocol.MIB
_TASKS_PER_DEVICE = 8  # of a mesh larger than the pool: four threads, and room to compile
_POLL_SECONDS = 0.5
_GIB = 1024 * protocol.MIB


class Stage(enum.StrEnum):
    """The stages; each runs in a process of its own."""

    TRACE = "trace"
    COMPILE = "compile"
    ANSWER = "answer"  # stage 1 of an exercise whose answer is data


_SYSTEM_CALLS = {
    Stage.TRACE: seccomp.tracer_filter,
    Stage.COMPILE: seccomp.compiler_filter,
    Stage.ANSWER: seccomp.tracer_filter,
}


class Ended(enum.StrEnum):
    """How a stage's process ended, seen from outside."""

    REPORTED = "reported"
    CRASHED = "crashed"  # no report, or only a part of one: a signal, os._exit, a limit
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    SPOKE_GARBAGE = "spoke_garbage"  # its bytes were not one report
    NOT_STARTED = "not_started"  # it ended before it was ready: never the learner's doing


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """What one stage may use. Processor time counts all threads, and warming up."""

    wall_seconds: float = 60.0
    start_seconds: float = 60.0
    cpu_seconds: int = 240
    memory_bytes: int = 6 * _GIB
    # Beyond what each fake device's threads reserve (about 30 MiB). A warm process reserves some
    # 2 GiB of address space and uses a tenth.
    address_space_bytes: int = 12 * _GIB
    tasks: int = 1024  # 64 fake devices have 264 threads, and as many again while they compile
    file_bytes: int = 16 * protocol.MIB
    open_files: int = 512

    def of_the_jail(self, devices: int) -> Limits:
        """Those that are set from outside."""
        return Limits(
            memory_bytes=self.memory_bytes,
            address_space_bytes=self.address_space_bytes + devices * _BYTES_PER_DEVICE,
            cpu_seconds=self.cpu_seconds,
            tasks=self.tasks + _TASKS_PER_DEVICE * max(0, devices - POOL_DEVICES),
            open_files=self.open_files,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StageEnd[Report: (TraceReport, CompileReport, AnswerReport)]:
    """A stage's report, or how its process ended without one.

    `log` is the tail of what the process wrote to its standard error: in stage 2 the compilers'
    own warnings and, where one crashed, its last words. `detail` says in words how it ended.
    """

    ended: Ended
    report: Report | None
    detail: str
    log: str
    seconds: float
    counted: Counted


class Slot:
    """One started process that waits for its single job. Use as a context manager."""

    def __init__(
        self,
        stage: Stage,
        *,
        devices: int = POOL_DEVICES,
        warm: bool = False,
        limits: RunLimits | None = None,
        holder: Holder | None = None,
    ) -> None:
        self.stage = stage
        self.limits = limits or RunLimits()
        self._output = bytearray()
        self._log = bytearray()
        self._used = False
        self._held = (holder or jailer()).start(
            _command(stage, devices, self.limits, warm=warm),
            readable=[_START_FILE.parent],
            system_calls=_SYSTEM_CALLS[stage],
            limits=self.limits.of_the_jail(devices),
        )
        self._process = self._held.process

    def __enter__(self) -> Self:
        """Return the slot."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process, whatever state it is in."""
        self.close()

    @property
    def process_id(self) -> int:
        """The process's id, which is also that of its group."""
        return self._process.pid

    def wait_until_ready(self) -> bool:
        """Wait until the process waits for its job; False if it ended or took too long."""
        deadline = time.monotonic() + self.limits.start_seconds
        self._exchange(b"", deadline, until=len(protocol.READY))
        return self._is_ready()

    def is_waiting(self) -> bool:
        """Whether the process still lives and has said nothing since it was ready."""
        return self._process.poll() is None and bytes(self._output) == protocol.READY

    def last_words(self) -> str:
        """The last line that the process wrote to its standard error."""
        lines = self._log.decode("utf-8", "backslashreplace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def trace(self, request: TraceRequest) -> StageEnd[TraceReport]:
        """Hand over the slot's one job, for a slot of the trace stage.

        Of a source over the cap only so much is sent that stage 1 refuses it for its size.
        """
        source = request.source[: protocol.SOURCE_CAP_BYTES + 1]
        frame = protocol.to_frame(dataclasses.replace(request, source=source))
        return self._run(frame, TraceReport)

    def compile(self, request: CompileRequest) -> StageEnd[CompileReport]:
        """Hand over the slot's one job, for a slot of the compile stage."""
        return self._run(protocol.to_frame(request), CompileReport)

    def answer(self, request: AnswerRequest) -> StageEnd[AnswerReport]:
        """Hand over the slot's one job, for a slot of the answer stage."""
        return self._run(protocol.to_frame(request), AnswerReport)

    def close(self) -> None:
        """End the process with all that it started, and reap it."""
        self._held.end()

    def _run[Report: (TraceReport, CompileReport, AnswerReport)](
        self, frame: bytes, report: type[Report]
    ) -> StageEnd[Report]:
        if self._used:
            raise ValueError("a slot takes one job")
        self._used = True
        if not self.wait_until_ready():
            return self._end(Ended.NOT_STARTED, None, time.monotonic())
        started = time.monotonic()
        finished = self._exchange(frame, started + self.limits.wall_seconds, until=None)
        if not finished:
            over = len(self._output) > protocol.FRAME_CAP_BYTES
            return self._end(Ended.SPOKE_GARBAGE if over else Ended.TIMED_OUT, None, started)
        answer = bytes(self._output[len(protocol.READY) :])
        try:
            return self._end(Ended.REPORTED, protocol.from_frame(answer, report), started)
        except ProtocolError as error:
            ended = Ended.SPOKE_GARBAGE if answer else Ended.CRASHED
            return self._end(ended, None, started, problem=str(error))

    def _end[Report: (TraceReport, CompileReport, AnswerReport)](
        self, ended: Ended, report: Report | None, started: float, *, problem: str = ""
    ) -> StageEnd[Report]:
        seconds = time.monotonic() - started
        counted = self._held.end()
        if report is None and counted.out_of_memory_kills:
            ended = Ended.OUT_OF_MEMORY
        return StageEnd(
            ended=ended,
            report=report,
            detail=f"exit status {self._process.returncode}{f', {problem}' if problem else ''}",
            log=self._log.decode("utf-8", "backslashreplace"),
            seconds=seconds,
            counted=counted,
        )

    def _is_ready(self) -> bool:
        return bytes(self._output[: len(protocol.READY)]) == protocol.READY

    def _exchange(self, frame: bytes, deadline: float, *, until: int | None) -> bool:
        """Write the frame and read what comes, to end of file or `until` bytes of output.

        False at the deadline, or where more comes than any report may have.
        """
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        if stdin is None or stdout is None or stderr is None:
            raise ValueError("the process has no pipes")
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            selector.register(stderr, selectors.EVENT_READ)
            if until is None:
                os.set_blocking(stdin.fileno(), False)
                selector.register(stdin, selectors.EVENT_WRITE)
            left = memoryview(frame)
            open_ends = {stdout.fileno(), stderr.fileno()}
            while open_ends and (until is None or len(self._output) < until):
                ready = selector.select(min(_POLL_SECONDS, deadline - time.monotonic()))
                if self._process.poll() is not None:
                    # What it left behind may hold the pipes open: it has no say any more.
                    self._held.kill()
                if time.monotonic() >= deadline or len(self._output) > protocol.FRAME_CAP_BYTES:
                    return False
                for key, _ in ready:
                    if key.fileobj is stdin:
                        left = _write_some(stdin, left)
                        if not left:
                            selector.unregister(stdin)
                            stdin.close()
                    elif not self._read_some(key.fd, is_output=key.fileobj is stdout):
                        selector.unregister(key.fileobj)
                        open_ends.discard(key.fd)
        return True

    def _read_some(self, descriptor: int, *, is_output: bool) -> bool:
        part = os.read(descriptor, 1 << 16)
        if is_output:
            self._output += part
        else:
            self._log += part
            del self._log[:-_LOG_CAP_BYTES]
        return bool(part)


def _command(stage: Stage, devices: int, limits: RunLimits, *, warm: bool) -> Sequence[str]:
    return (
        sys.executable,
        *("-I", "-B", "-s"),
        str(_START_FILE),
        stage.value,
        f"--devices={devices}",
        f"--memory-bytes={limits.address_space_bytes + devices * _BYTES_PER_DEVICE}",
        f"--cpu-seconds={limits.cpu_seconds}",
        f"--file-bytes={limits.file_bytes}",
        f"--open-files={limits.open_files}",
        *(("--warm",) if warm else ()),
    )


def _write_some(stream: Any, left: memoryview) -> memoryview:  # noqa: ANN401 - a pipe
    try:
        return left[os.write(stream.fileno(), left[: 1 << 16]) :]
    except BrokenPipeError:
        return left[len(left) :]
