"""What a rubric says of hidden inputs: how each is drawn, and the named edge cases."""

import enum
from typing import Annotated

import msgspec
from msgspec import Meta


class Edge(enum.StrEnum):
    """Named fillings that hidden inputs are tried with beside random ones.

    The names stand in rubrics and in case names, so they never change.
    """

    ZEROS = "zeros"
    ONES = "ones"
    ALL_FALSE = "all_false"
    ALL_TRUE = "all_true"
    ALL_EQUAL = "all_equal"  # one drawn value everywhere
    EXTREMES = "extremes"  # only the least and the greatest value that the draw can give
    MIXED_MAGNITUDES = "mixed_magnitudes"  # eight decades: shows sums in too narrow a type
    ONE_HOT = "one_hot"  # one 1 along the last dimension at a drawn place
    RAGGED = "ragged"  # the least, the greatest and all lengths between, for integers
    SORTED = "sorted"  # as drawn, ascending in flat order: the first shards hold all small ones


class Draw(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How one input is drawn: exactly one of these."""

    normal: Annotated[float, Meta(gt=0, description="standard deviation, about zero")] | None = None
    uniform: (
        Annotated[tuple[float, float], Meta(description="least, and what is just not reached")]
        | None
    ) = None
    integers: (
        Annotated[tuple[int, int], Meta(description="least, and one past the greatest")] | None
    ) = None
    bernoulli: Annotated[float, Meta(ge=0, le=1, description="probability of true")] | None = None
    constant: Annotated[float, Meta(description="the same value everywhere")] | None = None

    def __post_init__(self) -> None:
        given = [name for name in self.__struct_fields__ if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"name exactly one of {', '.join(self.__struct_fields__)}")
        for low, high in filter(None, (self.uniform, self.integers)):
            if low >= high:
                raise ValueError("the least value has to be below the greatest")
