"""Walk a compiled module in the order in which it runs and write down what it communicates."""

import itertools
from collections.abc import Iterator, Mapping

from grader.core.collectives.across_slices import cross_slice_site, transfer_type
from grader.core.collectives.decomposed import decomposed_loop
from grader.core.collectives.fused import PADDED, FusedCollectives, realigns
from grader.core.collectives.mesh import Mesh
from grader.core.collectives.rows import (
    Collective,
    Findings,
    Kind,
    NotUnderstood,
)
from grader.core.collectives.schedule import AsyncPair, async_pair, async_pairs
from grader.core.collectives.sites import (
    Site,
    collective_kind,
    done_of,
    operand_shapes,
)
from grader.core.collectives.unrolled import unrolled_rings
from grader.core.collectives.wrapped import is_wrapper, out_of_sight, wrapped_sites
from grader.core.collectives.writing import RowWriter
from grader.core.hlo.errors import HloError
from grader.core.hlo.module import Computation, Instruction, Module
from grader.core.hlo.shapes import array_leaves
from grader.core.hlo.times import (
    in_execution_order,
    in_order_of_call,
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
        self._fused = FusedCollectives(module)
        self._writer = RowWriter(module, mesh, learner_file)
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
        for computation, instruction in out_of_sight(self._module):
            self._report(
                computation, instruction.name, "what runs this collective is not understood"
            )
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
                self._rows.append(self._writer.row(site))
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
            receive = self._writer.receivers(computation).get(instruction.name)
            yield cross_slice_site(computation, instruction, receive, self._mesh)
        elif opcode == "send" and instruction.attribute("is_host_transfer") != "true":
            raise HloError("a send between devices outside any collective")
        elif is_wrapper(instruction):
            yield from wrapped_sites(self._module, self._fused, computation, instruction)
        elif (kind := collective_kind(opcode)) is not None:
            is_permute = kind is Kind.COLLECTIVE_PERMUTE
            if is_permute and realigns(computation, instruction, self._padded(computation)):
                return
            yield _plain_site(computation, instruction, kind)


def _plain_site(computation: Computation, instruction: Instruction, kind: Kind) -> Site:
    is_start = instruction.opcode.endswith("-start")
    done = done_of(computation, instruction) if is_start else None
    result = array_leaves((done or instruction).shape)
    operands = operand_shapes(computation, instruction)
    if kind is Kind.RAGGED_ALL_TO_ALL:
        operands = operands[:1]  # the others are the output buffer, offsets and sizes
    if is_start and done is None:
        raise HloError("an asynchronous collective that nothing ends")
    if is_start and not operands:
        raise HloError("an asynchronous collective that is given nothing where it starts")
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
