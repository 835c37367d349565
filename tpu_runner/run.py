"""Runs a compiled program on given arguments and gives back every device's shard of the results."""

import math
import time
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh

from tpu_runner.artefact import Program
from tpu_runner.executable import LoadedProgram
from tpu_runner.protocol import (
    MESSAGE_CAP_CHARACTERS,
    TRIAL_CAP_BYTES,
    RunStatus,
    Trial,
    TrialRun,
)


class TrialMismatchError(Exception):
    """The bytes of a trial are not the program's arguments: a mistake of whoever made the trial."""


def run_trials(
    trials: Sequence[Trial], program: Program, compiled: LoadedProgram, mesh: Mesh
) -> tuple[TrialRun, ...]:
    """Run each trial on the mesh's devices. Raises TrialMismatchError."""
    return tuple(_run(trial, program, compiled, mesh) for trial in trials)


def _run(trial: Trial, program: Program, compiled: LoadedProgram, mesh: Mesh) -> TrialRun:
    arguments = _place(_split(trial, program), program, compiled)
    started = time.monotonic()
    try:
        results = jax.block_until_ready(compiled.executable.call(*arguments))
        shards = b"".join(part for result in results for part in _shards(result, mesh))
    except Exception as error:  # noqa: BLE001 - the runtime may refuse in any way; the report says which
        return _ended(trial, RunStatus.RAISED, started, message=str(error))
    if len(shards) > TRIAL_CAP_BYTES:
        message = f"The results have {len(shards)} bytes over all devices, over {TRIAL_CAP_BYTES}."
        return _ended(trial, RunStatus.TOO_LARGE, started, message=message)
    return _ended(trial, RunStatus.RAN, started, results=shards)


def _split(trial: Trial, program: Program) -> list[np.ndarray[Any, Any]]:
    """Each flat argument as an array over the trial's bytes."""
    arrays = []
    start = 0
    for aval in program.exported.in_avals:
        size = math.prod(aval.shape) * aval.dtype.itemsize
        raw = trial.arguments[start : start + size]
        if len(raw) != size:
            raise TrialMismatchError(f"trial {trial.name!r} ends within its arguments")
        arrays.append(np.frombuffer(raw, dtype=aval.dtype).reshape(aval.shape))
        start += size
    if start != len(trial.arguments):
        raise TrialMismatchError(f"trial {trial.name!r} has more bytes than arguments")
    return arrays


def _place(
    arrays: Sequence[np.ndarray[Any, Any]], program: Program, compiled: LoadedProgram
) -> list[jax.Array]:
    """Lay the used arguments over the devices. Each trial gets fresh buffers: some are donated."""
    used = [array for array, is_kept in zip(arrays, program.kept, strict=True) if is_kept]
    return [
        jax.make_array_from_callback(array.shape, sharding, array.__getitem__, dtype=array.dtype)
        for array, sharding in zip(used, compiled.input_shardings, strict=True)
    ]


def _shards(result: jax.Array, mesh: Mesh) -> list[bytes]:
    by_device = {shard.device: shard.data for shard in result.addressable_shards}
    return [np.asarray(by_device[device]).tobytes() for device in mesh.devices.flat]


def _ended(
    trial: Trial, status: RunStatus, started: float, *, message: str = "", results: bytes = b""
) -> TrialRun:
    return TrialRun(
        name=trial.name,
        status=status,
        message=message[:MESSAGE_CAP_CHARACTERS],
        results=results,
        seconds=time.monotonic() - started,
    )
