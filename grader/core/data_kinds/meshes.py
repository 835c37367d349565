"""`mesh`: names, sizes and types of a mesh's axes, and which device is where."""

from collections.abc import Mapping

from grader.core.data_kinds.shapes import grid, items, mapping, spelled
from grader.core.draws import Bits
from grader.core.rubric.documents import Mesh, MeshAnswer

_CASES = 3


def mesh_cases(*, devices: int, bits: Bits) -> tuple[Mapping[str, object], ...]:
    """Return orders of the devices: their own first, then shuffled.

    A function that takes `jax.devices()` instead of its argument is right on the first only.
    """
    orders = [list(range(devices))] + [shuffled(devices, bits) for _ in range(_CASES - 1)]
    return tuple({"devices": order} for order in orders)


def shuffled(count: int, bits: Bits) -> list[int]:
    """Return 0 to count - 1 in a drawn order."""
    keys = bits.unit(count)
    return sorted(range(count), key=lambda index: float(keys[index]))


def judge_mesh(answer: MeshAnswer, case: Mapping[str, object], given: object) -> str:
    """Return what is wrong with a mesh, or nothing. Raises AnswerShapeError."""
    found = mapping(given, "the mesh")
    names = list(answer.axes)
    if found.get("axis_names") != names:
        return f"axis names {spelled(found.get('axis_names'))}, not {names}"
    sizes = list(answer.axes.values())
    given_sizes = _sizes(found.get("device_ids"))
    if given_sizes != sizes:
        return f"sizes {given_sizes}, not {sizes}"
    mesh = Mesh(axes=answer.axes, types=answer.types)
    types = [mesh.type_of(name).value for name in names]
    if found.get("axis_types") != types:
        return f"axis types {spelled(found.get('axis_types'))}, not {types}"
    ids = grid(found.get("device_ids"), tuple(sizes), "device_ids")
    order = items(case["devices"], "devices")
    if answer.in_order and ids != order:
        return f"devices {ids} row by row, not {order}: those that the function is given"
    if sorted(ids) != sorted(grid(order, (len(order),), "devices")):
        return f"devices {ids}: each of those given has to be there once"
    return ""


def _sizes(nested: object) -> list[int]:
    sizes = []
    while isinstance(nested, list) and nested:
        sizes.append(len(nested))
        nested = nested[0]
    return sizes
