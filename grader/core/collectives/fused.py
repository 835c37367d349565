"""Collectives that the TPU compiler puts inside fusions: reduce-scatters and asynchronous ones."""

import dataclasses
from collections.abc import Iterator, Mapping

from grader.core.collectives.rows import Kind
from grader.core.collectives.sites import Site, collective_kind, operand_shapes
from grader.core.hlo.errors import HloError
from grader.core.hlo.module import Computation, Instruction, Module
from grader.core.hlo.shapes import ArrayShape, array_leaves

_START, _DONE = '"AsyncCollectiveStart"', '"AsyncCollectiveDone"'
_VIEWS = frozenset({"bitcast", "copy", "get-tuple-element", "reshape", "slice"})
_MAX_NESTING = 50
PADDED = "padded"


@dataclasses.dataclass(frozen=True, slots=True)
class Inner:
    """A collective found inside a fusion, and the computation that it stands in."""

    kind: Kind
    core: Instruction
    computation: Computation
    operands: tuple[ArrayShape, ...]
    result: tuple[ArrayShape, ...]
    is_padded: bool = False

    @property
    def identity(self) -> tuple[object, ...]:
        """What the copies of one asynchronous collective share in the fusions that carry it."""
        attributes = ("channel_id", "replica_groups", "source_target_pairs", "dimensions")
        chain = self.core.attribute("frontend_attributes") or ""
        shape = tuple((leaf.dtype, leaf.dims) for leaf in self.operands)
        return (self.kind, shape, chain, *(self.core.attribute(name) for name in attributes))


class FusedCollectives:
    """Looks into fusions, and remembers what it found."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._inner: dict[str, tuple[Inner, ...]] = {}
        self._targets: dict[str, frozenset[str]] = {}

    def inside(self, fusion: Instruction) -> tuple[Inner, ...]:
        """Return the collectives in the computation that `fusion` calls, and in its fusions."""
        return tuple(
            inner
            for name in fusion.called("calls")
            for inner in self._in_computation(name, _MAX_NESTING)
        )

    def sites(self, computation: Computation) -> Mapping[str, tuple[Site, ...]]:
        """Return the sites of one computation's fusions, by the fusion's name.

        A fusion that only carries an asynchronous collective on, or ends it, has none.
        """
        found: dict[str, tuple[Site, ...]] = {}
        claimed: set[tuple[str, object]] = set()
        fusions = [
            (instruction, held)
            for instruction in computation.instructions
            if instruction.opcode == "fusion" and (held := self.inside(instruction))
        ]
        for fusion, inside in fusions:
            if _START in self._custom_calls(fusion):
                sites = []
                for inner in inside:
                    done, carriers = self._follow(computation, fusion, inner)
                    claimed.update((carrier, inner.identity) for carrier in carriers)
                    sites.append(_site(computation, fusion, inner, done=done, is_async=True))
                found[fusion.name] = tuple(sites)
        for fusion, inside in fusions:
            if fusion.name not in found:
                found[fusion.name] = tuple(
                    _site(computation, fusion, inner)
                    for inner in inside
                    if (fusion.name, inner.identity) not in claimed
                )
        return found

    def _follow(
        self, computation: Computation, start: Instruction, inner: Inner
    ) -> tuple[Instruction | None, frozenset[str]]:
        """Follow a started collective; return the fusion that ends it, and all that carry it."""
        carriers: set[str] = set()
        waiting, seen, done = [start.name], {start.name}, None
        while waiting:
            for user in computation.users.get(waiting.pop(), ()):
                if user.name in seen:
                    continue
                seen.add(user.name)
                if user.opcode == "fusion":
                    if all(other.identity != inner.identity for other in self.inside(user)):
                        continue
                    carriers.add(user.name)
                    if _DONE in self._custom_calls(user):
                        done = user if done is None or user.position < done.position else done
                        continue
                elif user.opcode not in ("get-tuple-element", "tuple", "bitcast"):
                    continue
                waiting.append(user.name)
        return done, frozenset(carriers)

    def _custom_calls(self, fusion: Instruction) -> frozenset[str]:
        names = fusion.called("calls")
        key = names[0] if names else ""
        if key not in self._targets:
            computation = self._module.computations.get(key)
            self._targets[key] = frozenset(
                instruction.attribute("custom_call_target") or ""
                for instruction in (computation.instructions if computation else ())
                if instruction.opcode == "custom-call"
            )
        return self._targets[key]

    def _in_computation(self, name: str, depth: int) -> tuple[Inner, ...]:
        if name not in self._inner:
            computation = self._module.computations.get(name)
            if computation is None or depth == 0:
                raise HloError(f"the fusion calls {name!r}, which is not defined or nests too deep")
            self._inner[name] = ()  # a computation that calls itself finds nothing the second time
            self._inner[name] = tuple(self._read(computation, depth))
        return self._inner[name]

    def _read(self, computation: Computation, depth: int) -> Iterator[Inner]:
        for instruction in computation.instructions:
            if instruction.opcode == "fusion":
                for name in instruction.called("calls"):
                    yield from self._in_computation(name, depth - 1)
            elif (kind := collective_kind(instruction.opcode)) is not None:
                yield _inner(computation, instruction, kind)


def _inner(computation: Computation, core: Instruction, kind: Kind) -> Inner:
    root = computation.root
    is_scattered = kind is Kind.ALL_REDUCE and _slices(computation, root, core)
    operands, is_padded = _unpadded_operands(computation, core)
    result = array_leaves(root.shape if is_scattered else core.shape)
    return Inner(
        kind=Kind.REDUCE_SCATTER if is_scattered else kind,
        core=core,
        computation=computation,
        operands=operands,
        result=result,
        is_padded=is_padded,
    )


def _slices(computation: Computation, root: Instruction, core: Instruction) -> bool:
    """Whether the root is this device's slice of the all-reduced array: a reduce-scatter.

    Several arrays that are reduced together make a tuple of slices.
    """
    if root.opcode == "tuple":
        parts = [computation.by_name.get(name) for name in root.operands]
        return bool(parts) and all(
            part is not None and part.opcode != "tuple" and _slices(computation, part, core)
            for part in parts
        )
    for _ in range(_MAX_NESTING):
        if root.opcode == "dynamic-slice":
            return bool(root.operands) and _is_view_of(computation, root.operands[0], core.name)
        if root.opcode not in _VIEWS or not root.operands:
            return False
        operand = computation.by_name.get(root.operands[0])
        if operand is None:
            return False
        root = operand
    return False


def _is_view_of(computation: Computation, name: str, origin: str) -> bool:
    for _ in range(_MAX_NESTING):
        if name == origin:
            return True
        instruction = computation.by_name.get(name)
        if instruction is None or instruction.opcode not in _VIEWS or not instruction.operands:
            return False
        name = instruction.operands[0]
    return False


def _unpadded_operands(
    computation: Computation, core: Instruction
) -> tuple[tuple[ArrayShape, ...], bool]:
    """Return the shapes that go into a collective, before the padding that its fusion adds."""
    shapes: list[ArrayShape] = []
    is_padded = False
    for name in core.operands:
        operand = computation.by_name.get(name)
        if operand is not None and operand.opcode == "pad":
            is_padded = True
            shapes.extend(operand_shapes(computation, operand)[:1])
        elif operand is not None:
            shapes.extend(array_leaves(operand.shape))
        else:
            raise HloError(f"{core.name!r} takes {name!r}, which is not defined")
    return tuple(shapes), is_padded


def _site(
    computation: Computation,
    fusion: Instruction,
    inner: Inner,
    *,
    done: Instruction | None = None,
    is_async: bool = False,
) -> Site:
    return Site(
        kind=inner.kind,
        computation=computation,
        instruction=fusion,
        core=inner.core,
        operands=inner.operands,
        result=inner.result,
        is_async=is_async,
        done=done,
        hidden_in=inner.computation,
        notes=(PADDED,) if inner.is_padded else (),
    )


def realigns(computation: Computation, permute: Instruction, padded: frozenset[str]) -> bool:
    """Whether `permute` moves rows of a padded reduce-scatter back into place.

    The compiler pads an uneven scatter, so that each device holds rows of its neighbour's; it then
    sends those on and joins them to the rest. `padded` names the fusions that it may stem from.
    """
    name = permute.operands[0] if permute.operands else ""
    for _ in range(_MAX_NESTING):
        if name in padded:
            return True
        instruction = computation.by_name.get(name)
        if instruction is None or instruction.opcode not in _VIEWS or not instruction.operands:
            return False
        name = instruction.operands[0]
    return False
