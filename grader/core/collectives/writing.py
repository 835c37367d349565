"""From a site to its row: where it lies, how often it runs, what hides it, which line it is."""

import json
from collections.abc import Mapping

from grader.core.collectives.across_slices import receivers
from grader.core.collectives.fused import PADDED
from grader.core.collectives.mesh import (
    Mesh,
    Placement,
    over_whole_mesh,
    place_groups,
    place_pairs,
)
from grader.core.collectives.rows import Collective, Kind, Link, sent_bytes
from grader.core.collectives.schedule import Arithmetic, between
from grader.core.collectives.sites import Site, dtype_of, total_bytes
from grader.core.collectives.slicing import keeps_only_a_slice
from grader.core.hlo.frames import SourceLine, consumer_line, own_line
from grader.core.hlo.groups import replica_groups, source_target_pairs
from grader.core.hlo.module import Computation, Instruction, Module
from grader.core.hlo.times import NEVER, times_by_computation


class RowWriter:
    """Writes rows for one module. Raises `HloError` on creation as counting times does."""

    def __init__(self, module: Module, mesh: Mesh, learner_file: str) -> None:
        self._module = module
        self._mesh = mesh
        self._file = learner_file
        self._arithmetic = Arithmetic(module)
        self._times = times_by_computation(module)
        self._handed_over: dict[str, Mapping[str, Instruction]] = {}

    def receivers(self, computation: Computation) -> Mapping[str, Instruction]:
        """Return where what a computation sends between slices comes in."""
        if computation.name not in self._handed_over:
            self._handed_over[computation.name] = receivers(computation)
        return self._handed_over[computation.name]

    def row(self, site: Site) -> Collective:
        """Return the row of one site. Raises `HloError` where its groups make no sense."""
        placement = site.placement or self._placement(site)
        operand_bytes, result_bytes = total_bytes(site.operands), total_bytes(site.result)
        if PADDED in site.notes and placement.group_size:
            result_bytes = operand_bytes // placement.group_size
        line, feeds = self._lines(site)
        return Collective(
            kind=site.kind,
            axes=placement.axes,
            groups=placement.groups,
            part_of=placement.part_of,
            group_size=placement.group_size,
            steps=placement.steps,
            pairs=placement.pairs,
            dtype=dtype_of(site.operands),
            operand_bytes=operand_bytes,
            result_bytes=result_bytes,
            sent_bytes_per_device=sent_bytes(
                site.kind,
                operand_bytes=operand_bytes,
                result_bytes=result_bytes,
                group_size=placement.group_size,
            ),
            times=self._times.get(site.computation.name, NEVER),
            link=Link.DCN if placement.crosses_slices else Link.ICI,
            is_async=site.is_async,
            is_decomposed=site.is_decomposed,
            overlapped_by=self._overlapped_by(site),
            algorithm=_algorithm(site),
            line=line.line if line else None,
            feeds_line=feeds.line if feeds else None,
            function=line.function if line else feeds.function if feeds else None,
            hlo_name=site.instruction.name,
            computation=site.computation.name,
            notes=self._notes(site),
        )

    def _placement(self, site: Site) -> Placement:
        devices = self._module.partitions
        if site.kind is Kind.COLLECTIVE_PERMUTE:
            pairs = source_target_pairs(site.core, devices=devices)
            repeated = over_whole_mesh(self._mesh, pairs, partitions=devices)
            return place_pairs(self._mesh, [(pair[0], pair[1]) for pair in repeated])
        groups = replica_groups(site.core, devices=devices)
        return place_groups(self._mesh, over_whole_mesh(self._mesh, groups, partitions=devices))

    def _lines(self, site: Site) -> tuple[SourceLine | None, SourceLine | None]:
        """Return the learner's own line of a collective; else that of its first consumer."""
        own = own_line(self._module, site.core, file=self._file) or own_line(
            self._module, site.instruction, file=self._file
        )
        if own is not None:
            return own, None
        return None, consumer_line(
            self._module,
            site.computation,
            site.done or site.instruction,
            file=self._file,
            handed_to=self.receivers(site.computation),
        )

    def _overlapped_by(self, site: Site) -> tuple[str, ...]:
        if not site.is_async:
            return ()
        if site.is_decomposed:
            holder = site.hidden_in or site.computation
            scheduled = [
                instruction
                for start, end in site.steps
                for instruction in between(holder, start, end)
            ]
        else:
            scheduled = list(between(site.computation, site.instruction, site.done))
        names = (
            instruction.name
            for instruction in scheduled
            if self._arithmetic.is_done_by(instruction)
        )
        return tuple(dict.fromkeys(names))

    def _notes(self, site: Site) -> tuple[str, ...]:
        notes = list(site.notes)
        if site.kind is Kind.ALL_REDUCE and keeps_only_a_slice(
            self._module, site.computation, site.done or site.instruction
        ):
            notes.append("only a slice of the result is kept")
        if site.kind is Kind.RAGGED_ALL_TO_ALL:
            notes.append("sent bytes are those of an even load: the tables decide")
        return tuple(notes)


def _algorithm(site: Site) -> str | None:
    """Return the strategy, else the emitter, that the TPU compiler states for a collective."""
    for instruction in (site.instruction, site.core):
        raw = instruction.attribute("backend_config")
        if raw is None or "collective_algorithm_config" not in raw:
            continue
        try:
            config = json.loads(raw)["collective_algorithm_config"]
            chosen = config.get("strategy") or config.get("emitter")
        except (ValueError, KeyError, AttributeError, RecursionError):
            continue
        if isinstance(chosen, str):
            return chosen
    return None
