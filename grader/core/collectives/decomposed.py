"""Collective matmuls: a gather or a scatter that the TPU compiler spread over a loop of products.

The partitioner turns the gather that feeds a large product (or the scatter that follows one) into a
`while` whose body sends shards round a ring in both directions while it multiplies those that have
arrived. It is one gather over that ring, decomposed and overlapped by design.
"""

import dataclasses
import re

from grader.core.collectives.mesh import Mesh, Placement, over_whole_mesh, place_groups, rings
from grader.core.collectives.rows import Kind
from grader.core.collectives.sites import Site, done_of, operand_shapes
from grader.core.hlo.errors import HloError
from grader.core.hlo.groups import source_target_pairs
from grader.core.hlo.module import Computation, Instruction, Module
from grader.core.hlo.shapes import ArrayShape

# The partitioner's own names for these loops; a learner's scan is called `region_…`, and its
# ppermutes are not marked as made by the partitioner.
_LOOP_BODY = re.compile(
    r"windowed_dot_general_body(?:_unrolled)?_(ag|rs)\b|windowed_dot_general_body_(ag|rs)"
)
_KINDS = {"ag": Kind.ALL_GATHER, "rs": Kind.REDUCE_SCATTER}
_VIEWS = frozenset({"bitcast", "copy", "get-tuple-element", "reshape"})
_MAX_CHAIN = 50


@dataclasses.dataclass(frozen=True, slots=True)
class DecomposedLoop:
    """The site of a decomposed collective, and the permutes that it accounts for."""

    site: Site
    body: Computation
    permutes_inside: tuple[Instruction, ...]
    permutes_outside: tuple[Instruction, ...]


def decomposed_loop(
    module: Module, computation: Computation, loop: Instruction, mesh: Mesh
) -> DecomposedLoop | None:
    """Return what a `while` decomposes, or None where it is an ordinary loop."""
    names = loop.called("body")
    named = _LOOP_BODY.search(names[0]) if names else None
    body = module.computations.get(names[0]) if names else None
    if named is None or body is None:
        return None
    permutes = tuple(
        instruction
        for instruction in body.instructions
        if instruction.opcode in ("collective-permute", "collective-permute-start")
    )
    if not permutes or not all(_is_made_by_partitioner(permute) for permute in permutes):
        return None
    placement, ring = _ring(module, permutes, mesh)
    if placement is None:
        return None
    kind = _KINDS[named.group(1) or named.group(2)]
    shards = operand_shapes(body, permutes[0])
    if len(shards) != 1:
        raise HloError(f"{permutes[0].name!r} moves {len(shards)} arrays, not one shard")
    (shard,) = shards
    full = ArrayShape(shard.dtype, (ring, *shard.dims))
    site = Site(
        kind=kind,
        computation=computation,
        instruction=loop,
        core=permutes[0],
        operands=(shard,) if kind is Kind.ALL_GATHER else (full,),
        result=(full,) if kind is Kind.ALL_GATHER else (shard,),
        is_async=True,
        is_decomposed=True,
        placement=placement,
        hidden_in=body,
        steps=tuple((permute, done_of(body, permute) or permute) for permute in permutes),
    )
    return DecomposedLoop(
        site, body, permutes, _outside(computation, loop, shard, permutes, module)
    )


def _is_made_by_partitioner(permute: Instruction) -> bool:
    return 'is_spmd_generated="true"' in (permute.attribute("frontend_attributes") or "")


def _ring(
    module: Module, permutes: tuple[Instruction, ...], mesh: Mesh
) -> tuple[Placement | None, int]:
    """Return where the ring lies that all permutes go round, and its size."""
    found: set[frozenset[frozenset[int]]] = set()
    groups: tuple[tuple[int, ...], ...] = ()
    for permute in permutes:
        ring = rings(source_target_pairs(permute, devices=module.partitions))
        if ring is None or len({len(group) for group in ring}) != 1:
            return None, 0
        groups = tuple(tuple(sorted(group)) for group in ring)
        found.add(frozenset(frozenset(group) for group in groups))
    if len(found) != 1:
        return None, 0
    return place_groups(mesh, over_whole_mesh(mesh, groups, partitions=module.partitions)), len(
        groups[0]
    )


def _outside(
    computation: Computation,
    loop: Instruction,
    shard: ArrayShape,
    permutes: tuple[Instruction, ...],
    module: Module,
) -> tuple[Instruction, ...]:
    """Return the permutes before or after the loop that belong to it: its first or last step."""
    inside = {frozenset(_pair_groups(permute, module)) for permute in permutes}
    found = []
    for permute in computation.instructions:
        if permute.opcode not in ("collective-permute", "collective-permute-start"):
            continue
        if not _is_made_by_partitioner(permute):
            continue
        same_ring = frozenset(_pair_groups(permute, module)) in inside
        shapes = operand_shapes(computation, permute)
        same_bytes = [shape.bytes for shape in shapes] == [shard.bytes]
        if same_ring and same_bytes and _touches(computation, permute, loop):
            found.append(permute)
    return tuple(found)


def _pair_groups(permute: Instruction, module: Module) -> frozenset[frozenset[int]]:
    ring = rings(source_target_pairs(permute, devices=module.partitions))
    return frozenset(frozenset(group) for group in ring or ())


def _touches(computation: Computation, permute: Instruction, loop: Instruction) -> bool:
    """Whether a permute's result goes into the loop, or its operand comes from the loop."""
    end = done_of(computation, permute) or permute
    forward, name = {end.name}, end.name
    for _ in range(_MAX_CHAIN):
        users = computation.users.get(name, ())
        if any(loop.name == user.name for user in users):
            return True
        following = next((user for user in users if user.opcode in (*_VIEWS, "tuple")), None)
        if following is None or following.name in forward:
            break
        forward.add(following.name)
        name = following.name
    return _comes_from(computation, permute, loop.name)


def _comes_from(computation: Computation, permute: Instruction, origin: str) -> bool:
    name = permute.operands[0] if permute.operands else ""
    for _ in range(_MAX_CHAIN):
        instruction = computation.by_name.get(name)
        if instruction is None or instruction.opcode not in _VIEWS or not instruction.operands:
            return name == origin
        name = instruction.operands[0]
    raise HloError(f"the operand of {permute.name!r} takes too long to follow")
