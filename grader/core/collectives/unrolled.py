"""Collective matmuls without their loop: on short rings the TPU compiler writes every step out.

A gather then is a family of permutes of one shard, whose steps together reach every other place of
the ring, each arrival feeding a product. A scatter is a family of permutes of partial sums, each
made by a product, whose remaining steps together come from every other place. Anything less is
left as the permutes that it is. The compiler's steps bear the source frame of the product that they
serve, or nothing at all in a program for several slices, where one product has to take them all;
shards that a `roll` moves have their own products.
"""

import dataclasses
from collections.abc import Iterable, Mapping

from grader.core.collectives.mesh import Mesh, over_whole_mesh, place_groups, rings
from grader.core.collectives.rows import Kind
from grader.core.collectives.sites import Site, done_of, operand_shapes
from grader.core.hlo.errors import HloError
from grader.core.hlo.groups import Groups, source_target_pairs
from grader.core.hlo.module import Computation, Instruction, Module
from grader.core.hlo.shapes import ArrayShape

_VIEWS = frozenset(
    {"bitcast", "copy", "copy-done", "copy-start", "get-tuple-element", "reshape", "transpose"}
)
_EMPTY = frozenset({"broadcast", "constant"})  # what a sum starts from
_MAX_CHAIN = 200


@dataclasses.dataclass(frozen=True, slots=True)
class _Step:
    """One permute by one place round a ring; `origin` is what made its operand, views aside."""

    start: Instruction
    end: Instruction
    ring: Groups
    shift: int
    shard: ArrayShape
    origin: Instruction
    origin_element: str | None


@dataclasses.dataclass(frozen=True, slots=True)
class UnrolledRing:
    """The site of a decomposed collective and every permute that it accounts for."""

    site: Site
    permutes: tuple[Instruction, ...]


def unrolled_rings(
    module: Module, computation: Computation, permutes: Iterable[Instruction], mesh: Mesh
) -> tuple[UnrolledRing, ...]:
    """Return the gathers and scatters that `permutes` of one computation spell out."""
    steps = [step for one in permutes if (step := _step(module, computation, one)) is not None]
    if not steps:
        return ()
    reader = _Reader(module, computation, {step.end.name: step for step in steps})
    return tuple(
        UnrolledRing(
            _site(module, computation, kind, family, mesh),
            tuple(step.start for step in (*family, *reader.empty_steps(steps, family))),
        )
        for kind, family in reader.families(steps)
    )


def _step(module: Module, computation: Computation, permute: Instruction) -> _Step | None:
    """Return a permute as a step, where the partitioner made it and it goes one place round."""
    if 'is_spmd_generated="true"' not in (permute.attribute("frontend_attributes") or ""):
        return None
    try:
        cycles = rings(source_target_pairs(permute, devices=module.partitions))
        shards = operand_shapes(computation, permute)
    except HloError:
        return None  # reading it as a permute says what is wrong
    end = done_of(computation, permute) if permute.opcode.endswith("-start") else permute
    shift = _shift(cycles, module.partitions) if cycles else None
    if end is None or shift is None or len(shards) != 1 or cycles is None:
        return None
    origin, element = _origin(computation, permute.operands[0])
    ring = tuple(tuple(sorted(cycle)) for cycle in cycles)
    return _Step(permute, end, ring, shift, shards[0], origin, element)


def _shift(cycles: Groups, devices: int) -> int | None:
    """Return 1 or -1 where every cycle visits its places in order, one way or the other."""
    size = len(cycles[0])
    if size < 2 or any(len(cycle) != size for cycle in cycles) or size * len(cycles) != devices:
        return None
    forward = all(list(cycle) == sorted(cycle) for cycle in cycles)
    backward = all([cycle[0], *reversed(cycle[1:])] == sorted(cycle) for cycle in cycles)
    return 1 if forward else -1 if backward else None


def _origin(computation: Computation, name: str) -> tuple[Instruction, str | None]:
    """Follow views back to what made a value, and which element of it the value is."""
    element = None
    for _ in range(_MAX_CHAIN):
        instruction = computation.by_name[name]
        if instruction.opcode not in _VIEWS or not instruction.operands:
            break
        following = computation.by_name.get(instruction.operands[0])
        if following is None:
            break
        if instruction.opcode == "get-tuple-element":
            element = instruction.attribute("index")
        name = following.name
    return computation.by_name[name], element


class _Reader:
    """Sorts the steps of one computation into families."""

    def __init__(
        self, module: Module, computation: Computation, by_end: Mapping[str, _Step]
    ) -> None:
        self._module = module
        self._computation = computation
        self._by_end = by_end

    def families(self, steps: list[_Step]) -> list[tuple[Kind, list[_Step]]]:
        gathers = self._gathers(steps)
        taken = {step.start.name for family in gathers for step in family}
        rest = [step for step in steps if step.start.name not in taken]
        scatters = self._scatters(rest)
        found = [(Kind.ALL_GATHER, family) for family in gathers]
        return found + [(Kind.REDUCE_SCATTER, family) for family in scatters]

    def _gathers(self, steps: list[_Step]) -> list[list[_Step]]:
        families: dict[tuple[object, ...], list[tuple[_Step, int]]] = {}
        for step in steps:
            first, offset = step, step.shift
            for _ in range(_MAX_CHAIN):
                before = self._by_end.get(first.origin.name)
                if before is None or before.ring != step.ring:
                    break
                first, offset = before, offset + before.shift
            key = (first.origin.name, first.origin_element, step.ring, step.shard.bytes)
            families.setdefault(key, []).append((step, offset))
        return [
            [step for step, _ in family]
            for family in families.values()
            if _reach_all([offset for _, offset in family], family[0][0])
            and self._feed_one_product([step for step, _ in family])
        ]

    def _scatters(self, steps: list[_Step]) -> list[list[_Step]]:
        summing = [step for step in steps if self._adds_product(step.origin, step)]
        makers: dict[str, list[_Step]] = {}
        for step in summing:
            makers.setdefault(step.origin.name, []).append(step)
        families: dict[tuple[str, Groups, int], list[tuple[_Step, int]]] = {}
        for step in summing:
            last, offset = step, step.shift
            for _ in range(_MAX_CHAIN):
                following = self._following(last, makers)
                if following is None:
                    break
                last, offset = following, offset + following.shift
            end = min((user.name for user in self._users(last.end)), default="")
            families.setdefault((end, step.ring, step.shard.bytes), []).append((step, offset))
        found = []
        for (end, *_), family in families.items():
            reaches_all = _reach_all([offset for _, offset in family], family[0][0])
            if end and reaches_all and self._adds_own_part(end, family[0][0]):
                found.append([step for step, _ in family])
        return found

    def _following(self, step: _Step, makers: Mapping[str, list[_Step]]) -> _Step | None:
        """Return the step that sends on what `step` brought, once something was added to it."""
        for user in self._users(step.end):
            for candidate in makers.get(user.name, ()):
                if (candidate.ring, candidate.shift) == (step.ring, step.shift):
                    return candidate
        return None

    def empty_steps(self, steps: list[_Step], family: list[_Step]) -> list[_Step]:
        """Return the steps that carry a sum before anything was added: a scatter's first turn.

        Several scatters may share them.
        """
        first_makers = {step.origin.name for step in family}
        return [
            step
            for step in steps
            if step.origin.opcode in _EMPTY
            and step.ring == family[0].ring
            and step.shard.bytes == family[0].shard.bytes
            and any(user.name in first_makers for user in self._users(step.end))
        ]

    def _users(self, value: Instruction) -> list[Instruction]:
        """Return the instructions that take a value, views aside."""
        found, waiting, seen = [], [value.name], {value.name}
        while waiting:
            for user in self._computation.users.get(waiting.pop(), ()):
                if user.name in seen:
                    continue
                seen.add(user.name)
                if user.opcode in _VIEWS:
                    waiting.append(user.name)
                else:
                    found.append(user)
        return found

    def _feed_one_product(self, family: list[_Step]) -> bool:
        """Whether the device's own shard and all that arrive go into one product."""
        values = [family[0].origin, *(step.end for step in family)]
        frames = [
            frozenset[int | None]().union(*map(self._product_frames, self._users(value)))
            for value in values
        ]
        common = frozenset.intersection(*frames)
        return all(_serves(step, common) for step in family)

    def _adds_own_part(self, end: str, step: _Step) -> bool:
        """Whether what takes the last arrivals takes this device's own product too.

        Without it a product is merely sent on, as when shards change places.
        """
        operands = self._computation.by_name[end].operands
        origins = [
            _origin(self._computation, name)[0]
            for name in operands
            if name in self._computation.by_name
        ]
        own = (origin for origin in origins if origin.name not in self._by_end)
        return any(self._adds_product(origin, step) for origin in own)

    def _adds_product(self, instruction: Instruction, step: _Step) -> bool:
        """Whether an instruction makes a product, or takes one that another just made."""
        makers = (
            _origin(self._computation, name)[0]
            for name in instruction.operands
            if name in self._computation.by_name
        )
        return any(_serves(step, self._product_frames(one)) for one in (instruction, *makers))

    def _product_frames(self, instruction: Instruction) -> frozenset[int | None]:
        """Return the source frames of the products in an instruction; empty where it has none."""
        waiting, seen, found = [instruction], set[str](), set[int | None]()
        while waiting:
            one = waiting.pop()
            if one.opcode in ("dot", "convolution"):
                found.add(one.frame_id)
            for name in one.called("calls") if one.opcode == "fusion" else ():
                inner = self._module.computations.get(name)
                if inner is not None and name not in seen:
                    seen.add(name)
                    waiting.extend(inner.instructions)
        return frozenset(found)


def _serves(step: _Step, frames: frozenset[int | None]) -> bool:
    """Whether a step may belong to one of the products that bear `frames`."""
    if step.start.attribute("metadata") is None:
        return bool(frames)
    return step.start.frame_id in frames


def _reach_all(offsets: list[int], step: _Step) -> bool:
    """Whether the offsets are every other place of the ring."""
    size = len(step.ring[0])
    return {offset % size for offset in offsets} == set(range(1, size))


def _site(
    module: Module, computation: Computation, kind: Kind, family: list[_Step], mesh: Mesh
) -> Site:
    first = min(family, key=lambda step: step.start.position)
    size = len(first.ring[0])
    full = ArrayShape(first.shard.dtype, (size, *first.shard.dims))
    gathers = kind is Kind.ALL_GATHER
    groups = over_whole_mesh(mesh, first.ring, partitions=module.partitions)
    return Site(
        kind=kind,
        computation=computation,
        instruction=first.start,
        core=first.start,
        operands=(first.shard,) if gathers else (full,),
        result=(full,) if gathers else (first.shard,),
        is_async=any(step.start is not step.end for step in family),
        is_decomposed=True,
        placement=place_groups(mesh, groups),
        steps=tuple((step.start, step.end) for step in family),
    )
