"""Reports as the runner would send them, made from golden texts: no compiler is started."""

import json

from tests.golden.cases import CASES, Case
from tpu_runner.protocol import (
    AxisType,
    Backend,
    BackendReport,
    BackendStatus,
    DevicePlace,
    MemoryBytes,
    MeshAxis,
    MeshSpec,
    Shard,
    Target,
    TensorLayout,
    Versions,
)

VERSIONS = Versions(python="3.13.0", jax="0.12.0.1", jaxlib="0.12.0.1", libtpu="0.0.50.1")
MEMORY = MemoryBytes(
    argument=8 << 20, output=4 << 20, temp=0, alias=0, peak=48 << 20, generated_code=1 << 20
)


def case_named(name: str) -> Case:
    """Return the golden case of that name."""
    return next(case for case in CASES if case.name == name)


def mesh_of(case: Case) -> MeshSpec:
    """Return the case's mesh as the protocol has it."""
    axes = (MeshAxis(name=name, size=size, type=AxisType.AUTO) for name, size in case.mesh.items())
    return MeshSpec(axes=tuple(axes))


def golden_report(case: Case, backend: str, **changes: object) -> BackendReport:
    """Return a compiled report with the golden text of `case`, and made-up memory and layouts.

    On TPU the devices lie along a line of chips, one after the other.
    """
    ids = json.loads(case.rows_path(backend).read_text())["device_ids"]
    is_tpu = backend == "tpu"
    places = tuple(
        DevicePlace(
            position=position,
            id=identity,
            coords=(position % 2, position // 2, 0) if is_tpu else None,
            core=0 if is_tpu else None,
            slice_index=0,
            host=0,
        )
        for position, identity in enumerate(ids)
    )
    fields: dict[str, object] = {
        "target": Target(
            backend=Backend.TPU_COMPILE if is_tpu else Backend.CPU,
            topology=case.topology if is_tpu else None,
            slices=case.slices,
        ),
        "status": BackendStatus.COMPILED,
        "message": "",
        "device_kind": "TPU v5 lite" if is_tpu else "cpu",
        "platform_version": "",
        "hlo_text": case.hlo_path(backend).read_text(),
        "memory": MEMORY,
        "devices": places,
        "inputs": (),
        "outputs": (rows_over_data(len(ids)),),
        "phases": (),
    }
    return BackendReport(**(fields | changes))  # type: ignore[arg-type]  # each is a field of the report


def rows_over_data(devices: int) -> TensorLayout:
    """Return an output of 1024 rows split 4 ways over `data`, held twice or more."""
    shards = tuple(
        Shard(start=(256 * (position * 4 // devices), 0), stop=(256 * (position * 4 // devices) + 256, 512))
        for position in range(devices)
    )
    return TensorLayout(
        dtype="bfloat16",
        shape=(1024, 512),
        spec=(("data",), ()),
        shard_shape=(256, 512),
        memory_kind="device",
        kept=True,
        donated=False,
        shards=shards,
    )
