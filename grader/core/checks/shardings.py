"""`output_sharding`: which block of each output every device holds once the program is compiled."""

from typing import Final

from grader.core.arrays import block_at
from grader.core.checks.observed import Compiled, Finding, Observed, failed, not_known, passed
from grader.core.rubric.checks import OutputSharding
from grader.core.rubric.consistency import axes_of
from grader.core.rubric.documents import DataRubric, Mesh, Output
from grader.core.rubric.vocabulary import Spec
from tpu_runner.protocol import TensorLayout

WHY: Final = (
    "A result in another layout makes the next step move it again, or keeps more of it on each "
    "device than fits."
)


def judge_output_sharding(
    check: OutputSharding, observed: Observed, programs: tuple[Compiled, ...]
) -> Finding:
    """Return whether each device's block of each output is that of the wanted sharding."""
    rubric = observed.rubric
    if isinstance(rubric, DataRubric):
        raise TypeError("a data exercise has no outputs")
    specs = check.outputs or {
        name: output.sharding
        for name, output in rubric.outputs.items()
        if output.sharding is not None
    }
    wanted = ", ".join(f"{name}: {spelled(spec)}" for name, spec in specs.items())
    wrong: list[str] = []
    unknown: list[str] = []
    for program in programs:
        layouts = program.inspection.outputs
        if len(layouts) != len(rubric.outputs):
            return failed(wanted, f"{len(layouts)} outputs, not {len(rubric.outputs)}")
        for (name, output), layout in zip(rubric.outputs.items(), layouts, strict=True):
            if name not in specs:
                continue
            message = _message(output, layout, specs[name], rubric.mesh)
            if message:
                (unknown if message == _UNKNOWN else wrong).append(f"{name}: {message}")
    if wrong:
        return failed(wanted, wrong[0], also=tuple(wrong[1:]))
    if unknown:
        return not_known(wanted, unknown[0])
    return passed(wanted, wanted)


_UNKNOWN: Final = "the compiler's sharding has no form that can be compared"


def _message(output: Output, layout: TensorLayout, spec: Spec, mesh: Mesh) -> str:
    shape = layout.shape
    if len(shape) != len(spec) or any(
        isinstance(size, int) and size != found
        for size, found in zip(output.shape, shape, strict=True)
    ):
        return f"shape {list(shape)}, not {list(output.shape)}"
    if layout.shards is None:
        return _message_by_spec(layout, spec)
    wrong = [
        position
        for position, shard in enumerate(layout.shards)
        if shard != block_at(position, axes=mesh.axes, spec=spec, shape=shape)
    ]
    if not wrong:
        return ""
    return (
        f"{found_spelling(layout)}; {len(wrong)} of {len(layout.shards)} devices hold another block"
    )


def _message_by_spec(layout: TensorLayout, spec: Spec) -> str:
    """Compare where blocks are too many to list. The compiler's spelling may differ: not known."""
    if layout.spec is None:
        return _UNKNOWN
    if layout.spec == tuple(axes_of(part) for part in spec):
        return ""
    return found_spelling(layout)


def found_spelling(layout: TensorLayout) -> str:
    """Return a layout for reading, with its shard shape."""
    if layout.spec is None:
        how = "a sharding that no PartitionSpec spells"
    elif not any(layout.spec):
        how = "replicated on every device"
    else:
        how = spelled(tuple(axes or None for axes in layout.spec))
    return f"{how}, shards of {list(layout.shard_shape)}"


def spelled(spec: Spec) -> str:
    """Return a sharding as JAX writes it."""
    parts = []
    for part in spec:
        axes = axes_of(part)
        quoted = ", ".join(f'"{axis}"' for axis in axes)
        parts.append("None" if not axes else quoted if len(axes) == 1 else f"({quoted})")
    return f"P({', '.join(parts)})"
