"""The TPU slices that exist, and an error that names the nearest one for those that do not.

Slice shapes are those that Google's Cloud TPU documentation lists for each generation ("TPU
architecture" and "Supported configurations"), counted in chips. From v4 on, slices of whole
4x4x4 cubes may have any multiple of four on each side, in ascending order.
"""

import dataclasses
import itertools
import math
import re
from typing import Final


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One TPU generation; `devices_per_chip` is what JAX shows as devices."""

    name: str
    accelerator_type: str
    devices_per_chip: int
    slices: tuple[tuple[int, ...], ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """A named slice, in chips."""

    generation: Generation
    shape: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name that the TPU compiler takes, such as `v5e:2x4`."""
        return f"{self.generation.name}:{'x'.join(map(str, self.shape))}"

    @property
    def devices(self) -> int:
        """How many devices JAX shows for the whole slice."""
        return math.prod(self.shape) * self.generation.devices_per_chip


class UnknownTopologyError(Exception):
    """There is no such slice; the message names the nearest that exists."""


def _cubes(*, largest: tuple[int, int, int]) -> tuple[tuple[int, ...], ...]:
    below_a_cube = ((2, 2, 1), (2, 2, 2), (2, 2, 4), (2, 4, 4))
    sides = range(4, max(largest) + 1, 4)
    whole = (
        shape
        for shape in itertools.combinations_with_replacement(sides, 3)
        if all(side <= most for side, most in zip(shape, largest, strict=True))
    )
    return (*below_a_cube, *whole)


_FLAT: Final = ((1, 1), (2, 2), (2, 4), (4, 4), (4, 8), (8, 8), (8, 16), (16, 16))

GENERATIONS: Final = {
    generation.name: generation
    for generation in (
        Generation(
            name="v2",
            accelerator_type="v2-8",
            devices_per_chip=2,
            slices=((2, 2), (4, 4), (4, 8), (8, 8), (8, 16), (16, 16)),
        ),
        Generation(
            name="v3",
            accelerator_type="v3-8",
            devices_per_chip=2,
            slices=((2, 2), (4, 4), (4, 8), (8, 8), (8, 16), (16, 16), (16, 32), (32, 32)),
        ),
        Generation(
            name="v4",
            accelerator_type="v4-8",
            devices_per_chip=2,
            slices=_cubes(largest=(12, 16, 16)),
        ),
        Generation(name="v5e", accelerator_type="v5litepod-8", devices_per_chip=1, slices=_FLAT),
        Generation(
            name="v5p",
            accelerator_type="v5p-8",
            devices_per_chip=1,
            slices=_cubes(largest=(16, 16, 24)),
        ),
        Generation(name="v6e", accelerator_type="v6e-8", devices_per_chip=1, slices=_FLAT),
        Generation(
            name="tpu7x",
            accelerator_type="tpu7x-8",
            devices_per_chip=2,
            slices=_cubes(largest=(16, 16, 24)),
        ),
    )
}

_NAME = re.compile(r"^([A-Za-z0-9]+):(\d{1,4}(?:x\d{1,4})*)$")


def find_slice(name: str) -> Slice:
    """Return the slice of that name. Raises UnknownTopologyError, which names the nearest."""
    parsed = _NAME.match(name)
    if parsed is None or parsed[1] not in GENERATIONS:
        raise UnknownTopologyError(
            f"There is no TPU topology {name[:80]!r}. Write GENERATION:SHAPE, such as v5e:2x4, "
            f"with a generation of {', '.join(GENERATIONS)}."
        )
    generation = GENERATIONS[parsed[1]]
    shape = tuple(int(side) for side in parsed[2].split("x"))
    if shape in generation.slices:
        return Slice(generation=generation, shape=shape)
    nearest = Slice(generation=generation, shape=_nearest(shape, generation.slices))
    raise UnknownTopologyError(
        f"There is no slice {name}; the nearest that exists is {nearest.name} "
        f"({nearest.devices} devices)."
    )


def slices_with(devices: int) -> tuple[Slice, ...]:
    """Return one slice of each generation that has exactly so many devices, where there is one."""
    found = []
    for generation in GENERATIONS.values():
        for shape in generation.slices:
            candidate = Slice(generation=generation, shape=shape)
            if candidate.devices == devices:
                found.append(candidate)
                break
    return tuple(found)


def _nearest(shape: tuple[int, ...], known: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """Nearest by the number of chips, then by the sides; logarithms, since slices double."""
    wanted = sorted(max(side, 1) for side in shape)

    def distance(candidate: tuple[int, ...]) -> tuple[float, float]:
        sides = sorted(candidate)
        padded = [1] * max(0, len(sides) - len(wanted)) + wanted
        by_side = sum(abs(math.log2(a / b)) for a, b in zip(padded, sides, strict=False))
        return abs(math.log2(math.prod(candidate) / math.prod(wanted))), by_side

    return min(known, key=distance)
