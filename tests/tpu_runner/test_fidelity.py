"""What stage 2 compiles from the artefact is what JAX compiles from the learner's function."""

import collections
import re
from typing import Any

import jax
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from grader.core.collectives import Collective, Mesh, find_collectives
from grader.core.hlo import parse_module
from tests.tpu_runner.generated_programs import (
    GeneratedProgram,
    explicit_programs,
    manual_programs,
    nested_scans,
    products,
    training_steps,
)
from tests.tpu_runner.programs import CPU, tpu
from tpu_runner.artefact import open_artefact
from tpu_runner.compile import target_mesh
from tpu_runner.executable import load_program
from tpu_runner.learner_module import FILE_NAME, load
from tpu_runner.meshes import abstract_mesh, places
from tpu_runner.protocol import (
    Limits,
    MeshSpec,
    SpecsFrom,
    Target,
    TraceOutcome,
    TraceReport,
    TraceRequest,
)
from tpu_runner.topologies import slices_with
from tpu_runner.trace import trace

pytestmark = [pytest.mark.compiler, pytest.mark.slow]

COMMON = settings(
    max_examples=4,
    # Each step of shrinking compiles again; the programs are small enough to read as they are.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


class NoOutput:
    """In the test's own process nobody collects what is printed."""

    total = 0

    def finish(self) -> bytes:
        """Nothing was collected."""
        return b""


def traced(program: GeneratedProgram) -> TraceReport:
    report = trace(
        TraceRequest(
            source=program.source.encode(),
            mesh=program.mesh,
            arguments=None,
            specs_from=SpecsFrom.REQUEST,
        ),
        output=NoOutput(),
    )
    assert report.outcome is TraceOutcome.TRACED, report.error
    return report


def compiled_in_stage_two(report: TraceReport, program: GeneratedProgram, target: Target) -> Any:
    opened = open_artefact(
        report.artefact,
        mesh=abstract_mesh(program.mesh),
        inputs=None,
        outputs=None,
        limits=Limits(),
    )
    return load_program(opened, target_mesh(target, program.mesh))


def compiled_directly(program: GeneratedProgram, target: Target) -> Any:
    mesh = target_mesh(target, program.mesh)
    module = load(program.source)
    with jax.set_mesh(mesh):
        return module.build(mesh).lower(*module.example_args(mesh)).compile()


def instructions(hlo_text: str) -> collections.Counter[tuple[str, str, str]]:
    """Count (shape, opcode, groups) over all instructions; names and layouts do not matter."""
    found: collections.Counter[tuple[str, str, str]] = collections.Counter()
    for line in hlo_text.splitlines():
        match = re.match(r"\s*(?:ROOT )?%?[\w.\-]+ = (\S.*?) ([\w\-]+)\(", line)
        if match is None:
            continue
        groups = re.search(r"(replica_groups=\S+(?: \{[^}]*\})?|source_target_pairs=\S+)", line)
        shape = re.sub(r"\{[^}]*\}", "", match[1])
        found[shape, match[2], groups[0] if groups else ""] += 1
    assert found, "no instruction was recognised"
    return found


def rows(hlo_text: str, program: GeneratedProgram, target: Target) -> tuple[Collective, ...]:
    """Return what a reader is told of the program's communication, with the learner's lines."""
    mesh = Mesh(
        {axis.name: axis.size for axis in program.mesh.axes},
        slices=target.slices,
        device_ids=tuple(place.id for place in places(target_mesh(target, program.mesh))),
    )
    findings = find_collectives(parse_module(hlo_text), mesh=mesh, learner_file=FILE_NAME)
    assert findings.not_understood == ()
    return findings.collectives


def memory(compiled: Any) -> tuple[int, ...]:
    stats = compiled.memory_analysis()
    return (
        stats.argument_size_in_bytes,
        stats.output_size_in_bytes,
        stats.temp_size_in_bytes,
        stats.alias_size_in_bytes,
        stats.peak_memory_in_bytes,
    )


def blocks_of_results(shardings: Any, report: TraceReport) -> list[Any]:
    """Return each device's block of each result: specs may spell one split in two ways."""
    leaves = jax.tree.leaves(shardings)
    return [
        {device.id: block for device, block in one.devices_indices_map(result.shape).items()}
        for one, result in zip(leaves, report.results, strict=True)
    ]


def tpu_targets(mesh: MeshSpec) -> list[Target]:
    """Return a slice of each generation that the mesh fits, and two slices where it divides."""
    found = [tpu(one.name) for one in slices_with(mesh.devices)]
    if mesh.axes[0].size % 2 == 0 and mesh.devices >= 8:
        found += [tpu(one.name, 2) for one in slices_with(mesh.devices // 2)]
    return found


def hold_equal(program: GeneratedProgram, data: st.DataObject) -> None:
    report = traced(program)
    targets = [CPU]
    if fitting := tpu_targets(program.mesh):
        targets.append(data.draw(st.sampled_from(fitting), label="target"))
    for target in targets:
        ours = compiled_in_stage_two(report, program, target)
        direct = compiled_directly(program, target)
        assert instructions(ours.as_text()) == instructions(direct.as_text())
        assert rows(ours.as_text(), program, target) == rows(direct.as_text(), program, target)
        assert memory(ours) == memory(direct)
        assert blocks_of_results(ours.output_shardings, report) == blocks_of_results(
            direct.output_shardings, report
        )


@COMMON
@given(products(), st.data())
def test_products_compile_as_directly(program: GeneratedProgram, data: st.DataObject) -> None:
    hold_equal(program, data)


@COMMON
@given(training_steps(), st.data())
def test_donated_training_steps_compile_as_directly(
    program: GeneratedProgram, data: st.DataObject
) -> None:
    hold_equal(program, data)


@COMMON
@given(nested_scans(), st.data())
def test_nested_scans_compile_as_directly(program: GeneratedProgram, data: st.DataObject) -> None:
    hold_equal(program, data)


@COMMON
@given(manual_programs(), st.data())
def test_manual_collectives_compile_as_directly(
    program: GeneratedProgram, data: st.DataObject
) -> None:
    hold_equal(program, data)


@COMMON
@given(explicit_programs(), st.data())
def test_explicit_shardings_compile_as_directly(
    program: GeneratedProgram, data: st.DataObject
) -> None:
    hold_equal(program, data)
