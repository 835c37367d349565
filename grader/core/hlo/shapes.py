"""Shapes as HLO prints them: `bf16[1024,8192]{1,0:T(8,128)(2,1)S(1)}`, tuples, tokens."""

import dataclasses
import functools
import math
import re

from grader.core.hlo.errors import HloError
from grader.core.hlo.text import closing_bracket, parse_int, split_top_level

# Bits, because int4 and the one-bit types share bytes. XLA: xla/primitive_util, xla_data.proto.
_BITS_BY_DTYPE = {
    "pred": 8,
    "s1": 1, "u1": 1, "s2": 2, "u2": 2, "s4": 4, "u4": 4,
    "s8": 8, "u8": 8, "s16": 16, "u16": 16, "s32": 32, "u32": 32, "s64": 64, "u64": 64,
    "f4e2m1fn": 4, "f8e3m4": 8, "f8e4m3": 8, "f8e4m3fn": 8, "f8e4m3b11fnuz": 8,
    "f8e4m3fnuz": 8, "f8e5m2": 8, "f8e5m2fnuz": 8, "f8e8m0fnu": 8,
    "bf16": 16, "f16": 16, "f32": 32, "f64": 64, "c64": 64, "c128": 128,
    "token": 0, "opaque": 0,
}  # fmt: skip

_ARRAY = re.compile(r"([a-z][a-z0-9]*)\[([^\]]*)\](?:\{(.*)\})?", re.DOTALL)
_MEMORY_SPACE = re.compile(r"S\((\d{1,6})\)")
_INDEX_COMMENT = re.compile(r"/\*index=\d+\*/")


@dataclasses.dataclass(frozen=True, slots=True)
class ArrayShape:
    """One array: element type, dimensions, and the memory that it lives in (0 is HBM)."""

    dtype: str
    dims: tuple[int, ...]
    memory_space: int = 0

    @property
    def elements(self) -> int:
        """The number of elements; 1 for a scalar."""
        return math.prod(self.dims)

    @property
    def bytes(self) -> int:
        """Bytes of the elements themselves: no layout padding."""
        return -(-self.elements * _BITS_BY_DTYPE[self.dtype] // 8)


@dataclasses.dataclass(frozen=True, slots=True)
class TupleShape:
    """Several shapes together."""

    elements: tuple["Shape", ...]

    @property
    def bytes(self) -> int:
        """Bytes of all elements, nested ones too."""
        return sum(element.bytes for element in self.elements)


type Shape = ArrayShape | TupleShape


def array_leaves(shape: Shape) -> tuple[ArrayShape, ...]:
    """Return the arrays in a shape, in order, without tokens and opaque handles."""
    if isinstance(shape, ArrayShape):
        return () if shape.dtype in ("token", "opaque") else (shape,)
    return tuple(leaf for element in shape.elements for leaf in array_leaves(element))


@functools.lru_cache(maxsize=4096)
def parse_shape(text: str) -> Shape:
    """Parse a shape; raises `HloError` where it is none or has an element type we do not know."""
    try:
        return _parse_shape(_INDEX_COMMENT.sub("", text).strip())
    except RecursionError:
        raise HloError("a tuple shape is nested too deep to read") from None


def _parse_shape(text: str) -> Shape:
    if text.startswith("("):
        end = closing_bracket(text, 0)
        if end != len(text) - 1:
            raise HloError(f"unexpected text after a tuple shape: {text[:60]!r}")
        return TupleShape(tuple(_parse_shape(part) for part in split_top_level(text[1:end])))
    match = _ARRAY.fullmatch(text)
    if match is None:
        raise HloError(f"not a shape: {text[:60]!r}")
    dtype, dims, layout = match.groups()
    if dtype not in _BITS_BY_DTYPE:
        raise HloError(f"unknown element type {dtype!r}")
    return ArrayShape(dtype, _parse_dims(dims), _memory_space(layout or ""))


def _parse_dims(text: str) -> tuple[int, ...]:
    if not text:
        return ()
    # A bounded dynamic dimension prints as `<=16`: the bound is what is allocated and moved.
    return tuple(
        parse_int(dim.strip().removeprefix("<="), what="a dimension") for dim in text.split(",")
    )


def _memory_space(layout: str) -> int:
    match = _MEMORY_SPACE.search(layout)
    return int(match.group(1)) if match else 0
