"""What one compiler made of a program, as facts that a report or a rubric can use."""

import dataclasses

from grader.core.collectives import Collective, Mesh, NotUnderstood, find_collectives
from grader.core.collectives.schedule import AsyncPair
from grader.core.cost import ModelledTime, Torus, model_time
from grader.core.hlo import Module, parse_module
from grader.core.products import Products, find_products
from tpu_runner.protocol import (
    Backend,
    BackendReport,
    BackendStatus,
    MemoryBytes,
    MeshSpec,
    TensorLayout,
    Versions,
)

LEARNER_FILE = "submission.py"
NOT_CHECKED = "not checked on this host"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All that is read from one compiled text."""

    collectives: tuple[Collective, ...]
    not_understood: tuple[NotUnderstood, ...]
    schedule: tuple[AsyncPair, ...]
    products: Products
    modelled: ModelledTime | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """One backend's part of an inspection.

    `reading` is None where nothing was compiled; `message` then says why. `memory` is the
    compiler's own, in bytes on each device.
    """

    backend: Backend
    topology: str | None
    slices: int
    status: BackendStatus
    message: str
    device_kind: str
    mesh: MeshSpec
    versions: Versions
    memory: MemoryBytes | None
    outputs: tuple[TensorLayout, ...]
    inputs: tuple[TensorLayout, ...]
    reading: Reading | None

    def as_json(self) -> dict[str, object]:
        """Return the object that `inspect --json` prints for this backend."""
        found: dict[str, object] = {
            "backend": self.backend.value,
            "topology": self.topology,
            "slices": self.slices,
            "status": self.status.value,
            "message": self.message,
            "device_kind": self.device_kind,
            "devices": self.mesh.devices,
            "versions": {
                "python": self.versions.python,
                "jax": self.versions.jax,
                "jaxlib": self.versions.jaxlib,
                "libtpu": self.versions.libtpu,
            },
            "mesh": {axis.name: axis.size for axis in self.mesh.axes},
        }
        if self.reading is not None:
            found |= _reading_json(self.reading)
            found["memory"] = _memory_json(self.memory)
            found["outputs"] = [_layout_json(layout) for layout in self.outputs]
            found["inputs"] = [_layout_json(layout) for layout in self.inputs]
        return found


def read_report(report: BackendReport, *, mesh: MeshSpec, versions: Versions) -> Inspection:
    """Read what one backend reported. Raises `HloError` where its text is none that we know."""
    compiled = report.status is BackendStatus.COMPILED
    return Inspection(
        backend=report.target.backend,
        topology=report.target.topology,
        slices=report.target.slices,
        status=report.status,
        message=NOT_CHECKED if report.status is BackendStatus.NOT_CHECKED else report.message,
        device_kind=report.device_kind,
        mesh=mesh,
        versions=versions,
        memory=report.memory,
        outputs=report.outputs,
        inputs=report.inputs,
        reading=_read_text(report, mesh) if compiled else None,
    )


def _read_text(report: BackendReport, spec: MeshSpec) -> Reading:
    module = parse_module(report.hlo_text)
    ids = tuple(device.id for device in report.devices)
    mesh = Mesh(
        {axis.name: axis.size for axis in spec.axes},
        slices=report.target.slices,
        device_ids=ids if len(ids) == spec.devices else None,
    )
    findings = find_collectives(module, mesh=mesh, learner_file=LEARNER_FILE)
    products = find_products(module, learner_file=LEARNER_FILE)
    return Reading(
        collectives=findings.collectives,
        not_understood=findings.not_understood,
        schedule=findings.schedule,
        products=products,
        modelled=_modelled(report, module, mesh, findings.collectives, products),
    )


def _modelled(
    report: BackendReport,
    module: Module,
    mesh: Mesh,
    rows: tuple[Collective, ...],
    products: Products,
) -> ModelledTime | None:
    places = [device.coords for device in report.devices]
    if report.target.topology is None or len(places) != mesh.devices or None in places:
        return None
    try:
        torus = Torus.named(report.target.topology)
    except ValueError:
        return None
    return model_time(
        module,
        rows=rows,
        products=products.products,
        mesh=mesh,
        torus=torus,
        places=[place for place in places if place is not None],
    )


def _reading_json(reading: Reading) -> dict[str, object]:
    flops = reading.products.flops
    modelled = reading.modelled
    seconds: list[float | None] = [None] * len(reading.collectives)
    if modelled is not None:
        seconds = [one.seconds for one in modelled.collectives]
    rows = [
        row.as_json() | {"modelled_seconds": one}
        for row, one in zip(reading.collectives, seconds, strict=True)
    ]
    found: dict[str, object] = {
        "collectives": rows,
        "not_understood": [unread.as_json() for unread in reading.not_understood],
        "flops_per_device": None if reading.products.not_understood else flops.exact,
        "schedule": [dataclasses.asdict(pair) for pair in reading.schedule],
        "modelled": _modelled_json(modelled),
    }
    if flops.exact is None:
        found["flops_range"] = [flops.least, flops.most]
    if reading.products.not_understood:
        found["products_not_understood"] = list(reading.products.not_understood)
    return found


def _modelled_json(modelled: ModelledTime | None) -> dict[str, object] | None:
    if modelled is None:
        return None
    return {
        "seconds": modelled.seconds,
        "products_seconds": modelled.products_seconds,
        "exposed_collectives_seconds": modelled.exposed_seconds,
        "is": "a model: products by roofline, collectives on the slice's links; nothing was run",
    }


def _memory_json(memory: MemoryBytes | None) -> dict[str, int | None] | None:
    if memory is None:
        return None
    return {
        "argument": memory.argument,
        "output": memory.output,
        "temp": memory.temp,
        "alias": memory.alias,
        "peak": memory.peak,
    }


def _layout_json(layout: TensorLayout) -> dict[str, object]:
    return {
        "shape": list(layout.shape),
        "dtype": layout.dtype,
        "sharding": None if layout.spec is None else [list(axes) for axes in layout.spec],
        "shard_shape": list(layout.shard_shape),
    }
