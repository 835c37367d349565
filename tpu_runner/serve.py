"""One stage's life: keep the report's channel apart, warm up, answer one request, end."""

import os
import sys
import threading
from pathlib import Path
from typing import BinaryIO

from jax._src import source_info_util

from tpu_runner import answer as answer_stage
from tpu_runner import compile as compile_stage
from tpu_runner import trace as trace_stage
from tpu_runner import warmth
from tpu_runner.protocol import (
    FRAME_CAP_BYTES,
    READY,
    STDOUT_CAP_BYTES,
    AnswerRequest,
    CompileRequest,
    TraceRequest,
    from_frame,
    read_to_end,
    to_frame,
)


class OutputTail:
    """Takes over file descriptors 1 and 2 and keeps the last bytes written to them."""

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self._kept = bytearray()
        self._lock = threading.Lock()
        self._read_end, write_end = os.pipe()
        os.dup2(write_end, 1)
        os.dup2(write_end, 2)
        os.close(write_end)
        self.total = 0
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        while part := os.read(self._read_end, 1 << 16):
            with self._lock:
                self.total += len(part)
                self._kept += part
                del self._kept[: -self._cap]

    def finish(self) -> bytes:
        """Close the writing ends and return the tail; nothing is written to 1 and 2 after this."""
        sys.stdout.flush()
        sys.stderr.flush()
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        # A child that the learner started may still hold the pipe open: do not wait for it.
        self._thread.join(timeout=0.2)
        with self._lock:
            return bytes(self._kept)


def serve(stage: str, *, warm: bool) -> None:
    """Answer the one request on stdin with one report on what was stdout, then end the process."""
    channel = os.fdopen(os.dup(1), "wb")
    # Frames of the runner's own files are no part of a learner's program.
    source_info_util.register_exclusion(f"{Path(__file__).resolve().parent}{os.sep}")
    if stage == "trace":
        _serve_trace(channel, warm=warm)
    elif stage == "answer":
        _serve_answer(channel)
    else:
        _serve_compile(channel, warm=warm)
    # Leave at once: exit handlers and threads that the learner left behind have no say any more.
    os._exit(0)


def _serve_trace(channel: BinaryIO, *, warm: bool) -> None:
    tail = OutputTail(STDOUT_CAP_BYTES)
    if warm:
        warmth.warm_trace()
    request = from_frame(_next_request(channel), TraceRequest)
    _send(channel, to_frame(trace_stage.trace(request, output=tail)))


def _serve_answer(channel: BinaryIO) -> None:
    tail = OutputTail(STDOUT_CAP_BYTES)
    request = from_frame(_next_request(channel), AnswerRequest)
    _send(channel, to_frame(answer_stage.answer(request, output=tail)))


def _serve_compile(channel: BinaryIO, *, warm: bool) -> None:
    # No learner code runs here. What a compiler says, and its last words, go out as they come.
    os.dup2(2, 1)
    if warm:
        warmth.warm_compile()
    request = from_frame(_next_request(channel), CompileRequest)
    _send(channel, to_frame(compile_stage.compile_program(request)))


def _next_request(channel: BinaryIO) -> bytes:
    _send(channel, READY)
    return read_to_end(sys.stdin.buffer, cap=FRAME_CAP_BYTES)


def _send(channel: BinaryIO, raw: bytes) -> None:
    channel.write(raw)
    channel.flush()
