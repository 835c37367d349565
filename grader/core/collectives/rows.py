"""The normalised form of what a program communicates, which everything downstream uses."""

import dataclasses
import enum

from grader.core.collectives.schedule import AsyncPair
from grader.core.hlo.groups import Groups
from grader.core.hlo.times import Times


class Kind(enum.StrEnum):
    """The kinds of collective. Values are stored and stand in rubrics: they never change."""

    ALL_GATHER = "all-gather"
    REDUCE_SCATTER = "reduce-scatter"
    ALL_REDUCE = "all-reduce"
    ALL_TO_ALL = "all-to-all"
    RAGGED_ALL_TO_ALL = "ragged-all-to-all"
    COLLECTIVE_PERMUTE = "collective-permute"
    COLLECTIVE_BROADCAST = "collective-broadcast"


class Link(enum.StrEnum):
    """What a group's traffic travels on."""

    ICI = "ici"  # within a slice
    DCN = "dcn"  # between slices


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Collective:
    """One logical collective of a compiled program. Bytes are per device and for one execution.

    `axes` are the learner's, in mesh order; where the groups are a part of an axis (`part_of`) or
    no axes at all, it is empty and `groups` lists positions in the flattened mesh. `pairs` are the
    moves of a permute, in positions too. `line` is the learner's own line; where there is none,
    `feeds_line` is that of the first consumer with one.
    """

    kind: Kind
    axes: tuple[str, ...]
    groups: Groups | None
    part_of: tuple[str, ...]
    group_size: int
    steps: int | None
    pairs: tuple[tuple[int, int], ...]
    dtype: str
    operand_bytes: int
    result_bytes: int
    sent_bytes_per_device: int
    times: Times
    link: Link
    is_async: bool
    is_decomposed: bool
    overlapped_by: tuple[str, ...]
    algorithm: str | None
    line: int | None
    feeds_line: int | None
    function: str | None
    hlo_name: str
    computation: str
    notes: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Return the row as `inspect --json` prints it."""
        row: dict[str, object] = {
            "kind": self.kind.value,
            "axes": list(self.axes),
            "group_size": self.group_size,
            "dtype": self.dtype,
            "operand_bytes": self.operand_bytes,
            "result_bytes": self.result_bytes,
            "times": self.times.exact,
            "sent_bytes_per_device": self.sent_bytes_per_device,
            "link": self.link.value,
            "async": self.is_async,
            "decomposed": self.is_decomposed,
            "overlapped_by": list(self.overlapped_by),
            "algorithm": self.algorithm,
            "line": self.line,
            "feeds_line": self.feeds_line,
            "function": self.function,
            "hlo_name": self.hlo_name,
            "notes": list(self.notes),
        }
        if self.times.exact is None:
            row["times_range"] = [self.times.least, self.times.most]
        if self.groups is not None:
            row["groups"] = [list(group) for group in self.groups]
            row["part_of"] = list(self.part_of)
        if self.kind is Kind.COLLECTIVE_PERMUTE:
            row["steps"] = self.steps
        return row


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class NotUnderstood:
    """Something that communicates, or may, and that we cannot put in a row. Never dropped."""

    hlo_name: str
    computation: str
    reason: str

    def as_json(self) -> dict[str, object]:
        """Return the finding as `inspect --json` prints it."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True, slots=True)
class Findings:
    """All rows of a program in the order in which it runs, what could not be read, the schedule.

    `schedule` has every asynchronous pair, copies too, and what is scheduled between its ends.
    """

    collectives: tuple[Collective, ...]
    not_understood: tuple[NotUnderstood, ...]
    schedule: tuple[AsyncPair, ...]


def sent_bytes(kind: Kind, *, operand_bytes: int, result_bytes: int, group_size: int) -> int:
    """Return the bytes that one device sends, by the ring algorithm of each kind.

    All-gather and reduce-scatter send (n-1)/n of the full array, an all-reduce both; an all-to-all
    keeps 1/n of its operand; a permute sends its operand, and a broadcast along a ring hands it on.
    The figures are those of NCCL's performance notes and of the scaling book's chapter on sharding.
    """
    if group_size <= 1:
        return 0
    match kind:
        case Kind.ALL_GATHER:
            return _share_of_others(result_bytes, group_size)
        case Kind.ALL_REDUCE:
            # The TPU compiler may sum in f32 and gather the sums as bf16: the halves differ.
            return _share_of_others(operand_bytes, group_size) + _share_of_others(
                result_bytes, group_size
            )
        case Kind.REDUCE_SCATTER | Kind.ALL_TO_ALL | Kind.RAGGED_ALL_TO_ALL:
            return _share_of_others(operand_bytes, group_size)
        case Kind.COLLECTIVE_PERMUTE | Kind.COLLECTIVE_BROADCAST:
            return operand_bytes


def _share_of_others(full_bytes: int, group_size: int) -> int:
    """Return (n-1)/n of `full_bytes`, rounded up."""
    return -(-full_bytes * (group_size - 1) // group_size)
