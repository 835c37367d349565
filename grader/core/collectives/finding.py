"""Walk a compiled module in the order in which it runs and write down what it communicates."""

import itertools
import json
from collections.abc import Iterator, Mapping

from grader.core.collectives.across_slices import cross_slice_site, receivers, transfer_type
from grader.core.collectives.decomposed import decomposed_loop
from grader.core.collectives.fused import PADDED, FusedCollectives, realigns
from grader.core.collectives.mesh import Mesh, Placement, over_whole_mesh, place_groups, place_pairs
from grader.core.collectives.rows import (
    Collective,
    Findings,
    Kind,
    Link,
    NotUnderstood,
    sent_bytes,
)
from grader.core.collectives.schedule import AsyncPair, async_pair, async_pairs, between, computes
from grader.core.collectives.sites import (
    Site,
    collective_kind,
    done_of,
    dtype_of,
    operand_shapes,
    total_bytes,
)
from grader.core.collectives.slicing import keeps_only_a_slice
from grader.core.collectives.unrolled import unrolled_rings
from grader.core.hlo.errors import HloError
from grader.core.hlo.frames import SourceLine, consumer_line, own_line
from grader.core.hlo.groups import replica_groups, source_target_pairs
from grader.core.hlo.module import Computation, Instruction, Module
from grader.core.hlo.shapes import array_leaves
from grader.core.hlo.times import (
    NEVER,
    in_execution_order,
    in_order_of_call,
    times_by_computation,
)


def find_collectives(module: Module, *, mesh: Mesh, learner_file: str) -> Findings:
    """Return one row per logical collective of `module`, in the order in which they run.

    What communicates and cannot be read comes back as `NotUnderstood`, with its name. Raises
    `HloError` only where the module as a whole makes no sense: calls that go round in circles, or
    another number of devices than the mesh has.
    """
    if module.partitions not in (1, mesh.devices, mesh.devices_per_slice):
        raise HloError(
            f"the program is for {module.partitions} devices, the mesh has {mesh.devices}"
        )
    return _Walk(module, mesh, learner_file).findings()


class _Walk:
    """One pass over a module's computations."""

    def __init__(self, module: Module, mesh: Mesh, learner_file: str) -> None:
        self._module = module
        self._mesh = mesh
        self._file = learner_file
        self._times = times_by_computation(module)
        self._fused = FusedCollectives(module)
        self._rows: list[Collective] = []
        self._unread: list[NotUnderstood] = []
        self._absorbed: set[tuple[str, str]] = set()
        self._unrolled: dict[tuple[str, str], Site] = {}
        self._sites_in_fusions: dict[str, Mapping[str, tuple[Site, ...]]] = {}

    def findings(self) -> Findings:
        """Read every computation that runs, in the order of first call."""
        for computation in in_order_of_call(self._module):
            for line in computation.unparsed:
                self._report(computation, line.name, f"line {line.line}: {line.text}")
        for computation in in_order_of_call(self._module):
            self._absorb_loops(computation)
        for computation in in_order_of_call(self._module):
            self._absorb_unrolled(computation)
        for computation, instruction in in_execution_order(self._module):
            self._read(computation, instruction)
        return Findings(tuple(self._rows), tuple(self._unread), self._schedule())

    def _schedule(self) -> tuple[AsyncPair, ...]:
        """Return the pairs of every scheduled computation, those of fused collectives too."""
        names = dict.fromkeys(one.name for one, _ in in_execution_order(self._module))
        computations = [self._module.computations[name] for name in names]
        pairs = [pair for computation in computations for pair in async_pairs(computation)]
        pairs += [
            async_pair(site.computation, site.instruction, site.done)
            for computation in computations
            for site in itertools.chain.from_iterable(self._fused_sites(computation).values())
            if site.done is not None
        ]
        return tuple(pairs)

    def _report(self, computation: Computation, name: str, reason: str) -> None:
        self._unread.append(
            NotUnderstood(hlo_name=name, computation=computation.name, reason=reason)
        )

    def _absorb_loops(self, computation: Computation) -> None:
        """Note the permutes that belong to decomposed gathers and scatters."""
        for instruction in computation.instructions:
            if instruction.opcode != "while":
                continue
            try:
                loop = decomposed_loop(self._module, computation, instruction, self._mesh)
            except HloError:
                continue  # its permutes are then read one by one, and say what is wrong
            if loop is None:
                continue
            self._absorbed.update(
                (loop.body.name, permute.name) for permute in loop.permutes_inside
            )
            self._absorbed.update(
                (computation.name, permute.name) for permute in loop.permutes_outside
            )

    def _absorb_unrolled(self, computation: Computation) -> None:
        """Note the permutes that spell out a gather or a scatter; the first stands for all."""
        left = [
            instruction
            for instruction in computation.instructions
            if instruction.opcode in ("collective-permute", "collective-permute-start")
            and (computation.name, instruction.name) not in self._absorbed
        ]
        for ring in unrolled_rings(self._module, computation, left, self._mesh):
            names = {(computation.name, permute.name) for permute in ring.permutes}
            first = (computation.name, ring.site.instruction.name)
            self._unrolled[first] = ring.site
            self._absorbed.update(names - {first})

    def _read(self, computation: Computation, instruction: Instruction) -> None:
        fused = self._fused_sites(computation)
        if (computation.name, instruction.name) in self._absorbed:
            return
        try:
            for site in fused.get(instruction.name) or self._sites(computation, instruction):
                self._rows.append(self._row(site))
        except HloError as error:
            self._report(computation, instruction.name, str(error))

    def _fused_sites(self, computation: Computation) -> Mapping[str, tuple[Site, ...]]:
        if computation.name not in self._sites_in_fusions:
            try:
                found = self._fused.sites(computation)
            except HloError as error:
                found = {}
                self._report(computation, computation.name, f"its fusions cannot be read: {error}")
            self._sites_in_fusions[computation.name] = found
        return self._sites_in_fusions[computation.name]

    def _padded(self, computation: Computation) -> frozenset[str]:
        """Return the fusions of a computation that hold a padded reduce-scatter."""
        return frozenset(
            name
            for name, sites in self._fused_sites(computation).items()
            if any(PADDED in site.notes for site in sites)
        )

    def _sites(self, computation: Computation, instruction: Instruction) -> Iterator[Site]:
        opcode = instruction.opcode
        if (site := self._unrolled.get((computation.name, instruction.name))) is not None:
            yield site
        elif opcode == "while":
            loop = decomposed_loop(self._module, computation, instruction, self._mesh)
            if loop is not None:
                yield loop.site
        elif opcode == "send" and transfer_type(instruction) is not None:
            yield cross_slice_site(computation, instruction, self._mesh)
        elif opcode == "send" and instruction.attribute("is_host_transfer") != "true":
            raise HloError("a send between devices outside any collective")
        elif opcode == "async-start":
            yield from self._wrapped(computation, instruction)
        elif (kind := collective_kind(opcode)) is not None:
            is_permute = kind is Kind.COLLECTIVE_PERMUTE
            if is_permute and realigns(computation, instruction, self._padded(computation)):
                return
            yield _plain_site(computation, instruction, kind)

    def _wrapped(self, computation: Computation, start: Instruction) -> Iterator[Site]:
        """Read a collective inside the computation that an `async-start` wraps."""
        done = done_of(computation, start)
        for name in start.called("calls"):
            inner = self._module.computations[name]
            for core in inner.instructions:
                if (kind := collective_kind(core.opcode)) is not None:
                    yield Site(
                        kind=kind,
                        computation=computation,
                        instruction=start,
                        core=core,
                        operands=operand_shapes(inner, core),
                        result=array_leaves(core.shape),
                        is_async=True,
                        done=done,
                        hidden_in=inner,
                    )

    def _row(self, site: Site) -> Collective:
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
        if site.hidden_in is not None:
            for instruction in site.hidden_in.instructions:
                own = own_line(self._module, instruction, file=self._file)
                if own is not None and instruction.operands:
                    return own, None
        return None, consumer_line(
            self._module,
            site.computation,
            site.done or site.instruction,
            file=self._file,
            handed_to=receivers(site.computation),
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
            if computes(instruction) and not self._only_communicates(instruction)
        )
        return tuple(dict.fromkeys(names))

    def _only_communicates(self, instruction: Instruction) -> bool:
        """Whether an instruction is itself a collective: it hides nothing, it competes."""
        try:
            if collective_kind(instruction.opcode) is not None:
                return True
        except HloError:
            return True
        if instruction.opcode != "fusion":
            return False
        return instruction.attribute("kind") == "kCustom" and bool(self._fused.inside(instruction))

    def _notes(self, site: Site) -> tuple[str, ...]:
        notes = list(site.notes)
        if site.kind is Kind.ALL_REDUCE and keeps_only_a_slice(
            self._module, site.computation, site.done or site.instruction
        ):
            notes.append("only a slice of the result is kept")
        return tuple(notes)


def _plain_site(computation: Computation, instruction: Instruction, kind: Kind) -> Site:
    is_start = instruction.opcode.endswith("-start")
    done = done_of(computation, instruction) if is_start else None
    result = array_leaves((done or instruction).shape)
    operands = operand_shapes(computation, instruction)
    if kind is Kind.RAGGED_ALL_TO_ALL:
        operands = operands[:1]  # the others are the output buffer, offsets and sizes
    if is_start and done is None:
        raise HloError("an asynchronous collective that nothing ends")
    return Site(
        kind=kind,
        computation=computation,
        instruction=instruction,
        core=instruction,
        operands=operands,
        result=result,
        is_async=is_start,
        done=done,
    )


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
