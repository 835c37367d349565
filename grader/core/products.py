"""Dots and convolutions counted from compiled HLO: what each device multiplies, loops included.

A compiler's own cost analysis counts the body of a loop once; here it counts as often as it runs.
"""

import dataclasses
import math
import re
from collections.abc import Iterator

from grader.core.hlo.errors import HloError
from grader.core.hlo.frames import own_line
from grader.core.hlo.module import Computation, Instruction, Module
from grader.core.hlo.shapes import ArrayShape, array_leaves
from grader.core.hlo.text import parse_int
from grader.core.hlo.times import NEVER, Times, times_by_computation

_NUMBERS = re.compile(r"\{([\d,\s]*)\}")
_LABELS = re.compile(r"([\dbf?]+)_([\dio?]+)->([\dbf?]+)")
_WINDOW_FIELD = re.compile(r"(\w+)=([\d\-x_]+)")
_COMPLEX = frozenset({"c64", "c128"})
# Products under other names, which we do not count.
_UNCOUNTED = frozenset({"ragged-dot", "scaled-dot"})
# Calls that move, pack, sort or choose. Any other that returns real numbers may multiply: a kernel
# (`lax.ragged_dot` becomes one), a factorisation.
_MULTIPLY_NOTHING = frozenset(
    f'"{target}"'
    for target in (
        "AllocateBuffer", "ApproxTopK", "AssumeGatherIndicesInBound", "AsyncCollectiveDone",
        "AsyncCollectiveStart", "ConcatBitcast", "GatherScatterIndicesBitpacked", "PartialReduce",
        "Sharding", "SliceBitcast", "SliceId", "TopK", "X64Combine", "X64SplitHigh", "X64SplitLow",
    )
)  # fmt: skip
_MAX_KERNEL = 1 << 20


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """One dot or convolution: floating point operations, bytes and count on each device.

    A multiplication and an addition are two operations. `bytes` are those of both operands and the
    result, for a roofline. `passes` is how often a TPU multiplies to reach the asked precision.
    """

    hlo_name: str
    computation: str
    dtype: str
    flops: int
    bytes: int
    passes: int
    times: Times
    line: int | None

    @property
    def total_flops(self) -> Times:
        """Operations in one execution of the program."""
        return self.times * Times(self.flops, self.flops)


@dataclasses.dataclass(frozen=True, slots=True)
class Products:
    """All products of a program, and the names of those that could not be read."""

    products: tuple[Product, ...]
    not_understood: tuple[str, ...]

    @property
    def flops(self) -> Times:
        """Operations on each device in one execution: exact, or a range like the counts."""
        return sum((product.total_flops for product in self.products), start=NEVER)


def find_products(module: Module, *, learner_file: str) -> Products:
    """Return every product that runs, in fusions too. Raises `HloError` as counting times does."""
    products, unread = [], []
    times = times_by_computation(module)
    for name, count in times.items():
        computation = module.computations[name]
        for instruction in computation.instructions:
            if _may_multiply_uncounted(instruction):
                unread.append(instruction.name)
            if instruction.opcode not in ("dot", "convolution"):
                continue
            try:
                shapes = _shapes(computation, instruction)
                flops = _flops(instruction, *shapes)
            except HloError:
                unread.append(instruction.name)
                continue
            line = own_line(module, instruction, file=learner_file)
            products.append(
                Product(
                    hlo_name=instruction.name,
                    computation=name,
                    dtype=shapes[0].dtype,
                    flops=flops,
                    bytes=sum(shape.bytes for shape in shapes),
                    passes=_passes(instruction),
                    times=count,
                    line=line.line if line else None,
                )
            )
    return Products(tuple(products), tuple(unread))


def _may_multiply_uncounted(instruction: Instruction) -> bool:
    if instruction.opcode != "custom-call":
        return instruction.opcode in _UNCOUNTED
    if instruction.attribute("custom_call_target") in _MULTIPLY_NOTHING:
        return False
    try:
        return any(leaf.dtype[0] in "fbc" for leaf in array_leaves(instruction.shape))
    except HloError:
        return True


def _shapes(
    computation: Computation, instruction: Instruction
) -> tuple[ArrayShape, ArrayShape, ArrayShape]:
    operands = [computation.by_name.get(name) for name in instruction.operands]
    shapes = [operand.shape for operand in operands if operand is not None]
    result = instruction.shape
    if len(operands) != 2 or len(shapes) != 2 or not isinstance(result, ArrayShape):
        raise HloError(f"{instruction.name!r} is no product of two arrays")
    left, right = shapes
    if not isinstance(left, ArrayShape) or not isinstance(right, ArrayShape):
        raise HloError(f"{instruction.name!r} multiplies a tuple")
    return left, right, result


def _flops(
    instruction: Instruction, left: ArrayShape, right: ArrayShape, result: ArrayShape
) -> int:
    # A complex product is four real ones and two sums; with the sum of two parts, eight operations.
    each = 8 if left.dtype in _COMPLEX else 2
    if instruction.opcode == "dot":
        return each * result.elements * _contracted(instruction, left)
    return each * _multiplications(instruction, left, right, result)


def _contracted(instruction: Instruction, left: ArrayShape) -> int:
    raw = instruction.attribute("lhs_contracting_dims") or "{}"
    match = _NUMBERS.fullmatch(raw)
    if match is None:
        raise HloError(f"contracting dimensions that are not understood: {raw[:60]!r}")
    dims = [parse_int(part, what="a dimension") for part in match.group(1).split(",") if part]
    if any(not 0 <= dim < len(left.dims) for dim in dims):
        raise HloError(f"{instruction.name!r} contracts a dimension that its operand lacks")
    return math.prod(left.dims[dim] for dim in dims)


def _multiplications(
    instruction: Instruction, left: ArrayShape, right: ArrayShape, result: ArrayShape
) -> int:
    """Count the multiplications of a convolution whose factors both exist.

    On TPU a dot is a convolution, and a batched dot one whose batch is a spatial dimension, spread
    out so that each output meets one kernel element: positions that fall into padding or between
    dilated elements multiply nothing.
    """
    labels = _LABELS.fullmatch(instruction.attribute("dim_labels") or "")
    if labels is None:
        raise HloError(f"{instruction.name!r} has dimension labels that are not understood")
    inputs, kernel, outputs = labels.groups()
    if (len(inputs), len(kernel), len(outputs)) != tuple(
        map(len, (left.dims, right.dims, result.dims))
    ):
        raise HloError(f"{instruction.name!r} has labels for other dimensions than its operands")
    sizes = dict(zip(outputs, result.dims, strict=True))
    kernel_sizes = dict(zip(kernel, right.dims, strict=True))
    input_sizes = dict(zip(inputs, left.dims, strict=True))
    spatial = sorted(label for label in kernel if label.isdigit())
    try:
        count: int = sizes["b"] * sizes["f"] * kernel_sizes["i"]
        for window, label in zip(_windows(instruction, len(spatial)), spatial, strict=True):
            if window.size != kernel_sizes[label]:
                raise HloError(f"{instruction.name!r} has a window unlike its kernel")
            count *= _meetings(window, input_sizes[label], sizes[label])
    except KeyError as missing:
        raise HloError(f"{instruction.name!r} lacks the dimension {missing}") from None
    return count


@dataclasses.dataclass(frozen=True, slots=True)
class _Window:
    """One spatial dimension of a convolution."""

    size: int = 1
    stride: int = 1
    pad_low: int = 0
    lhs_dilate: int = 1
    rhs_dilate: int = 1


def _windows(instruction: Instruction, count: int) -> Iterator[_Window]:
    raw = instruction.attribute("window")
    fields = dict(_WINDOW_FIELD.findall(raw or ""))
    columns: dict[str, list[int]] = {}
    for name in ("size", "stride", "lhs_dilate", "rhs_dilate"):
        parts = fields[name].split("x") if name in fields else ["1"] * count
        columns[name] = [parse_int(part, what="a window") for part in parts]
    pads = fields["pad"].split("x") if "pad" in fields else ["0_0"] * count
    columns["pad_low"] = [parse_int(pad.partition("_")[0], what="a padding") for pad in pads]
    if any(len(column) != count for column in columns.values()):
        raise HloError(f"{instruction.name!r} has a window of other dimensions than its kernel")
    for index in range(count):
        window = _Window(**{name: column[index] for name, column in columns.items()})
        if min(window.size, window.stride, window.lhs_dilate, window.rhs_dilate) < 1:
            raise HloError(f"{instruction.name!r} has a window that makes no sense")
        yield window


def _meetings(window: _Window, input_size: int, output_size: int) -> int:
    """Count the pairs of an output and a kernel position that meet an element of the input.

    Output o and kernel element k meet position o*stride + k*rhs_dilate - pad_low of the input with
    lhs_dilate - 1 holes between its elements.
    """
    if window.size > _MAX_KERNEL:
        raise HloError("a convolution's kernel is too large to count")
    if window.size == window.stride == window.lhs_dilate == 1 and window.pad_low == 0:
        return min(input_size, output_size)
    last: int = (input_size - 1) * window.lhs_dilate
    step = math.gcd(window.stride, window.lhs_dilate)
    period = window.lhs_dilate // step
    inverse = int(pow(window.stride // step, -1, period)) if period > 1 else 0
    total: int = 0
    for element in range(window.size):
        offset = element * window.rhs_dilate - window.pad_low
        if offset % step:
            continue
        lowest = max(0, -(offset // window.stride))
        highest = min(output_size - 1, (last - offset) // window.stride)
        first = (-(offset // step) * inverse) % period if period > 1 else 0
        start = lowest + (first - lowest) % period
        if start <= highest:
            total += (highest - start) // period + 1
    return total


def _passes(instruction: Instruction) -> int:
    """Return how many bf16 products make one at the asked precision: 1, 3 or 6."""
    raw = instruction.attribute("operand_precision") or ""
    return 6 if "highest" in raw else 3 if "high" in raw else 1
