"""Traffic between slices: the TPU compiler writes it as sends and receives of its runtime."""

import re
from collections.abc import Mapping

from grader.core.collectives.mesh import (
    Mesh,
    Placement,
    place_groups,
    place_pairs,
)
from grader.core.collectives.rows import Kind
from grader.core.collectives.sites import Site, done_of, operand_shapes
from grader.core.hlo.errors import HloError
from grader.core.hlo.groups import Groups
from grader.core.hlo.module import Computation, Instruction
from grader.core.hlo.shapes import array_leaves
from grader.core.hlo.text import attribute, parse_int, unquoted

_KIND_BY_TRANSFER = {
    "ALL_REDUCE": Kind.ALL_REDUCE,
    "ALL_GATHER": Kind.ALL_GATHER,
    "REDUCE_SCATTER": Kind.REDUCE_SCATTER,
    "ALL_TO_ALL": Kind.ALL_TO_ALL,
    "ONE_TO_ONE": Kind.COLLECTIVE_PERMUTE,
}
# `{1,2}x{0:7}`: slices 1 and 2 (counted from 1), each device from 0 to 7 with its counterparts.
_COUNTERPARTS = re.compile(r"\{([\d,]+)\}x\{(\d+):(\d+)\}")
_GROUP = re.compile(r"\{([\d,]+)\}")
_PAIR = re.compile(r"\{(\d+)->(\d+)\}")
_IDS_PER_SLICE = 100_000  # an id is this times the slice, counted from 1, plus the device


def transfer_type(instruction: Instruction) -> str | None:
    """Return the kind of transfer that a `send` or `recv` takes part in; None if it is no such."""
    if instruction.opcode not in ("send", "recv"):
        return None
    return _frontend(instruction, "_xla_megascale_transfer_type")


def cross_slice_site(
    computation: Computation, send: Instruction, receive: Instruction | None, mesh: Mesh
) -> Site:
    """Return the collective between slices that a `send` and its `recv` are the halves of.

    Raises `HloError` where its counterpart is missing or its target cannot be read.
    """
    transfer = transfer_type(send) or ""
    kind = _KIND_BY_TRANSFER.get(transfer)
    if kind is None:
        raise HloError(f"a transfer between slices of a type that we do not know: {transfer!r}")
    if receive is None:
        raise HloError(f"nothing receives what {send.name!r} sends between slices")
    done = done_of(computation, receive)
    received = array_leaves(receive.shape)
    return Site(
        kind=kind,
        computation=computation,
        instruction=send,
        core=send,
        operands=operand_shapes(computation, send),
        result=received[:1],
        is_async=True,
        done=done,
        placement=_placement(send, mesh),
    )


def receivers(computation: Computation) -> Mapping[str, Instruction]:
    """Return, for each `send` between slices, the `recv` where its counterparts' values come in."""
    waiting: dict[str, Instruction] = {}
    sends: list[tuple[str, str]] = []
    for instruction in computation.instructions:
        if transfer_type(instruction) is None:
            continue
        meeting = _frontend(instruction, "_xla_host_transfer_rendezvous")
        if meeting is None:
            continue
        if instruction.opcode == "recv":
            waiting.setdefault(meeting, instruction)
        else:
            sends.append((instruction.name, meeting))
    return {name: waiting[meeting] for name, meeting in sends if meeting in waiting}


def _frontend(instruction: Instruction, name: str) -> str | None:
    raw = instruction.attribute("frontend_attributes")
    value = attribute(raw[1:-1], name) if raw else None
    return None if value is None else unquoted(value)


def _placement(send: Instruction, mesh: Mesh) -> Placement:
    target = _frontend(send, "_xla_megascale_target")
    if target is None:
        raise HloError("a transfer between slices without a target")
    if (match := _COUNTERPARTS.fullmatch(target)) is not None:
        return place_groups(mesh, _counterparts(match, mesh))
    if pairs := _PAIR.findall(target):
        for pair in pairs:
            _check_known(list(pair), mesh)
        return place_pairs(mesh, [(_position(a, mesh), _position(b, mesh)) for a, b in pairs])
    if groups := _GROUP.findall(target):
        members = [[part for part in group.split(",") if part] for group in groups]
        for group in members:
            _check_known(group, mesh)
        placed = (sorted(_position(member, mesh) for member in group) for group in members)
        return place_groups(mesh, tuple(tuple(group) for group in placed))
    raise HloError(f"a target of a transfer between slices that is not understood: {target[:80]!r}")


def _counterparts(match: re.Match[str], mesh: Mesh) -> Groups:
    slices = [parse_int(part, what="a slice") - 1 for part in match.group(1).split(",") if part]
    first, last = int(match.group(2)), int(match.group(3))
    size = mesh.devices_per_slice
    if (first, last) != (0, size - 1):
        raise HloError(f"a transfer between slices over devices {first} to {last} of {size}")
    if not slices or min(slices) < 0 or max(slices) >= mesh.slices:
        raise HloError(f"a transfer names slices that do not exist: {match.group(1)}")
    return tuple(tuple(index * size + position for index in slices) for position in range(size))


def _position(device_id: str, mesh: Mesh) -> int:
    """Return the position in the mesh of a device that is named by its id."""
    identity = parse_int(device_id, what="a device")
    if mesh.device_ids is not None:
        if identity not in mesh.device_ids:
            raise HloError(f"a transfer names device {identity}, which the mesh does not have")
        return mesh.device_ids.index(identity)
    slice_number, device = divmod(identity, _IDS_PER_SLICE)
    if not 1 <= slice_number <= mesh.slices or device >= mesh.devices_per_slice:
        raise HloError(f"a transfer names device {identity}, which the slices do not have")
    return (slice_number - 1) * mesh.devices_per_slice + device


def _check_known(device_ids: list[str], mesh: Mesh) -> None:
    """Refuse to guess: without the mesh's ids only counterparts in each slice can be placed."""
    if (
        mesh.device_ids is None
        and len({int(identity) % _IDS_PER_SLICE for identity in device_ids}) > 1
    ):
        raise HloError("a transfer names devices by id, and the mesh's device ids are not known")
