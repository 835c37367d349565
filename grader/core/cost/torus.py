"""A named TPU slice as a torus of chips, and where each position of the mesh lies on it."""

import dataclasses
import re
from collections.abc import Sequence

from grader.core.cost.chips import CHIPS, Chip

_NAME = re.compile(r"([a-z0-9]{2,8}):(\d{1,3}(?:x\d{1,3}){1,2})")
_CUBE_SIDE = 4


@dataclasses.dataclass(frozen=True, slots=True)
class Torus:
    """A slice such as `v5e:2x4`, counted in chips."""

    chip: Chip
    sides: tuple[int, ...]

    @classmethod
    def named(cls, topology: str) -> "Torus":
        """Return the slice of that name; raises ValueError where the name has no such form."""
        match = _NAME.fullmatch(topology)
        if match is None or match.group(1) not in CHIPS:
            raise ValueError(f"no TPU slice has the name {topology!r}")
        return cls(CHIPS[match.group(1)], tuple(int(side) for side in match.group(2).split("x")))

    @property
    def wraps(self) -> tuple[bool, ...]:
        """Whether each side closes to a ring.

        v5e and v6e: only sides of 16. v4, v5p and TPU7x: slices of whole 4×4×4 cubes, joined by
        optical switches. Earlier: all sides. (Cloud TPU pages; scaling book, "TPUs".)
        """
        match self.chip.wraps:
            case "sixteen":
                return tuple(side == 16 for side in self.sides)
            case "cubes":
                whole = all(side % _CUBE_SIDE == 0 for side in self.sides)
                return tuple(whole for _ in self.sides)
            case _:
                return tuple(side > 2 for side in self.sides)

    def chip_coordinates(self, coordinates: Sequence[int]) -> tuple[int, ...]:
        """Return a device's coordinates on the sides of this slice: 2D slices have z = 0."""
        return tuple(coordinates[: len(self.sides)])
