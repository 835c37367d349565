"""The modelled time of one execution: products by roofline, and what traffic they do not hide."""

import dataclasses
from collections.abc import Mapping, Sequence

from grader.core.collectives.mesh import Mesh
from grader.core.collectives.rows import Collective, Kind, Link
from grader.core.cost.network import (
    collective_seconds,
    cross_slice_seconds,
    permute_seconds,
    rings_between,
    scattered_seconds,
)
from grader.core.cost.torus import Torus
from grader.core.hlo.module import Module
from grader.core.hlo.times import Times, callers_first, calls_of
from grader.core.products import Product

type Places = Sequence[tuple[int, ...]]


@dataclasses.dataclass(frozen=True, slots=True)
class ModelledCollective:
    """One row's modelled time: of one execution, and the part that no compute hides.

    None where the model has no formula for where the group lies.
    """

    hlo_name: str
    seconds: float | None
    exposed_seconds: float | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ModelledTime:
    """The modelled time of one execution on each device; None where a count is not known."""

    products_seconds: float | None
    exposed_seconds: float | None
    collectives: tuple[ModelledCollective, ...]

    @property
    def seconds(self) -> float | None:
        """Products and exposed traffic together."""
        if self.products_seconds is None or self.exposed_seconds is None:
            return None
        return self.products_seconds + self.exposed_seconds


def model_time(
    module: Module,
    *,
    rows: Sequence[Collective],
    products: Sequence[Product],
    mesh: Mesh,
    torus: Torus,
    places: Places,
) -> ModelledTime:
    """Model one execution of `module` on a slice.

    `places` are the coordinates of the chip at each position of the mesh. Elementwise work, copies
    and the compiler's own overheads are not in it: it is a lower bound of a kind.
    """
    seconds_by_product = {
        (product.computation, product.hlo_name): product_seconds(product, torus)
        for product in products
    }
    busy = _seconds_by_instruction(module, seconds_by_product)
    modelled = []
    for row in rows:
        seconds = row_seconds(row, mesh=mesh, torus=torus, places=places)
        hidden = sum(busy.get(name, 0.0) for name in row.overlapped_by)
        exposed = None if seconds is None else max(seconds - hidden, 0.0)
        modelled.append(ModelledCollective(row.hlo_name, seconds, exposed))
    return ModelledTime(
        products_seconds=_total(
            [product.times for product in products], list(seconds_by_product.values())
        ),
        exposed_seconds=_total(
            [row.times for row in rows], [one.exposed_seconds for one in modelled]
        ),
        collectives=tuple(modelled),
    )


def product_seconds(product: Product, torus: Torus) -> float:
    """Return one product's roofline: multiplying at peak, or moving its arrays past HBM."""
    chip = torus.chip
    peak = chip.flops_per_second(product.dtype) / chip.devices
    bandwidth = chip.hbm_bytes_per_second / chip.devices
    return max(product.passes * product.flops / peak, product.bytes / bandwidth)


def row_seconds(row: Collective, *, mesh: Mesh, torus: Torus, places: Places) -> float | None:
    """Return the modelled seconds of one execution of a row, or None where there is no formula."""
    chip = torus.chip
    if row.link is Link.DCN:
        if chip.dcn_bytes_per_second is None:
            return None
        return cross_slice_seconds(
            row.sent_bytes_per_device,
            devices_per_chip=chip.devices,
            dcn_bytes_per_second=chip.dcn_bytes_per_second,
        )
    chips = [torus.chip_coordinates(place) for place in places]
    if row.kind is Kind.COLLECTIVE_PERMUTE:
        # Slices are alike and have the same coordinates: one of them stands for all.
        inside = [pair for pair in row.pairs if max(pair) < mesh.devices_per_slice]
        moves = [(chips[source], chips[target]) for source, target in inside]
        return permute_seconds(
            row.operand_bytes,
            [move for move in moves if move[0] != move[1]],
            sides=torus.sides,
            wraps=torus.wraps,
            link_bytes_per_second=chip.ici_bytes_per_second,
        )
    groups = [[chips[position] for position in group] for group in groups_in_a_slice(row, mesh)]
    # Devices of one chip in different groups share its links; in the same group, its traffic.
    sharing = 1 if len(set(groups[0])) < len(groups[0]) else chip.devices
    distinct = [tuple(dict.fromkeys(group)) for group in groups]
    operand_bytes, result_bytes = row.operand_bytes * sharing, row.result_bytes * sharing
    boxes = [rings_between(group, sides=torus.sides, wraps=torus.wraps) for group in distinct]
    if boxes[0] is not None and None not in boxes:
        return collective_seconds(
            row.kind,
            operand_bytes=operand_bytes,
            result_bytes=result_bytes,
            rings=boxes[0],
            link_bytes_per_second=chip.ici_bytes_per_second,
        )
    return scattered_seconds(
        row.kind,
        operand_bytes=operand_bytes,
        result_bytes=result_bytes,
        groups=list(dict.fromkeys(distinct)),
        sides=torus.sides,
        wraps=torus.wraps,
        link_bytes_per_second=chip.ici_bytes_per_second,
    )


def groups_in_a_slice(row: Collective, mesh: Mesh) -> tuple[tuple[int, ...], ...]:
    """Return the groups of positions of a row that lie in the first slice: all slices are alike."""
    if row.groups is not None:
        return tuple(group for group in row.groups if max(group) < mesh.devices_per_slice)
    fixed = [index for index, name in enumerate(mesh.axes) if name not in row.axes]
    found: dict[tuple[int, ...], list[int]] = {}
    for position in range(mesh.devices_per_slice):
        coordinates = mesh.coordinates(position)
        found.setdefault(tuple(coordinates[index] for index in fixed), []).append(position)
    return tuple(tuple(group) for group in found.values())


def _seconds_by_instruction(
    module: Module, products: Mapping[tuple[str, str], float]
) -> Mapping[str, float]:
    """Return the product time inside each instruction: itself, or what it calls."""
    inside: dict[str, float] = {}
    found: dict[str, float] = {}
    for computation in reversed(callers_first(module)):
        called: dict[str, float] = {}
        for callee, call, _ in calls_of(computation):
            called[call.name] = called.get(call.name, 0.0) + inside.get(callee, 0.0)
        total = 0.0
        for instruction in computation.instructions:
            seconds = products.get((computation.name, instruction.name), 0.0)
            seconds += called.get(instruction.name, 0.0)
            if seconds:
                found[instruction.name] = seconds
            total += seconds
        inside[computation.name] = total
    return found


def _total(times: Sequence[Times], seconds: Sequence[float | None]) -> float | None:
    total = 0.0
    for count, one in zip(times, seconds, strict=True):
        if count.exact is None or one is None:
            return None
        total += count.exact * one
    return total
