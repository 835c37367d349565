"""Programs drawn at random, with the collectives that theory demands of them.

A program is a chain of manual collectives on one block of an array, so that none can be merged with
another or moved past it; some stand in scans, or in scans in scans.
"""

import dataclasses
import math
from typing import Final
from collections import Counter
from collections.abc import Mapping

from hypothesis import strategies as st

from grader.core.collectives import Kind
from grader.core.collectives.rows import sent_bytes

ROWS, COLUMNS = 64, 128
_WIDTH = {"float32": 4, "bfloat16": 2, "int32": 4}

# What identifies a logical collective, and how often it must run.
type Key = tuple[str, tuple[str, ...], int, int, int, int]


@dataclasses.dataclass(frozen=True)
class Step:
    """One collective over some axes, in scans of the given lengths, outermost first."""

    kind: Kind
    axes: tuple[str, ...]
    shift: int
    scans: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Generated:
    """A mesh, an element type and steps, one after the other."""

    mesh: Mapping[str, int]
    dtype: str
    axis_types: str
    steps: tuple[Step, ...]

    @property
    def source(self) -> str:
        """The program as a learner would hand it in."""
        lines = [
            "import jax",
            "import jax.numpy as jnp",
            "from jax.sharding import NamedSharding",
            "from jax.sharding import PartitionSpec as P",
            f"AXES = {tuple(self.mesh)!r}",
            "def mix(x):",
            "    return x * 3 + 1 if x.dtype == jnp.int32 else jnp.sin(x).astype(x.dtype)",
            "def run(x):",
        ]
        for number, step in enumerate(self.steps):
            call = f"step{number}"
            lines += [f"    def {call}(x, _=None):", f"        return {self._expression(step)}, None"]
            for depth, length in enumerate(reversed(step.scans)):
                lines += [
                    f"    def {call}_{depth}(x, _=None, inner={call}):",
                    f"        return jax.lax.scan(inner, x, None, length={length})[0], None",
                ]
                call = f"{call}_{depth}"
            lines.append(f"    x = mix({call}(x)[0])")
        lines += [
            "    return x",
            "def build(mesh):",
            "    spec = P(AXES, None)",
            "    return jax.jit(jax.shard_map(run, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False))",
            "def example_args(mesh):",
            f"    shape = ({ROWS * math.prod(self.mesh.values())}, {COLUMNS})",
            "    sharding = NamedSharding(mesh, P(AXES, None))",
            f"    return (jax.ShapeDtypeStruct(shape, jnp.{self.dtype}, sharding=sharding),)",
        ]
        return "\n".join(lines) + "\n"

    def _expression(self, step: Step) -> str:
        axes = step.axes if len(step.axes) > 1 else step.axes[0]
        n = self._group(step)
        match step.kind:
            case Kind.ALL_REDUCE:
                return f"jax.lax.psum(mix(x), {axes!r})"
            case Kind.ALL_GATHER:
                gathered = f"jax.lax.all_gather(mix(x), {axes!r}, axis=0, tiled=True)"
                return f"{gathered}.reshape({n}, {ROWS}, {COLUMNS}).max(axis=0)"
            case Kind.REDUCE_SCATTER:
                scattered = f"jax.lax.psum_scatter(mix(x), {axes!r}, scatter_dimension=0, tiled=True)"
                return f"jnp.tile(mix({scattered}), ({n}, 1))"
            case Kind.ALL_TO_ALL:
                return f"jax.lax.all_to_all(mix(x), {axes!r}, split_axis=0, concat_axis=0, tiled=True)"
            case _:
                pairs = [(i, (i + step.shift) % n) for i in range(n)]
                return f"jax.lax.ppermute(mix(x), {axes!r}, {pairs})"

    def _group(self, step: Step) -> int:
        return math.prod(self.mesh[axis] for axis in step.axes)

    def expected(self, *, promotes_bf16: bool) -> Counter[Key]:
        """Return how often each collective must run; XLA:CPU moves bf16 as f32."""
        width = 4 if promotes_bf16 else _WIDTH[self.dtype]
        block = ROWS * COLUMNS * width
        found: Counter[Key] = Counter()
        for step in self.steps:
            n = self._group(step)
            result = {Kind.ALL_GATHER: block * n, Kind.REDUCE_SCATTER: block // n}.get(step.kind, block)
            sent = sent_bytes(step.kind, operand_bytes=block, result_bytes=result, group_size=n)
            axes = tuple(name for name in self.mesh if name in step.axes)
            found[step.kind.value, axes, n, block, result, sent] += math.prod(step.scans)
        return found


SMALL: Final = ((2,), (4,), (8,), (2, 2), (4, 2), (2, 4), (2, 2, 2))
LARGE: Final = ((16,), (4, 4), (2, 2, 4), (8, 4), (2, 4, 4), (8, 8), (4, 4, 4), (2, 4, 8))


def _meshes(shapes: tuple[tuple[int, ...], ...]) -> st.SearchStrategy[dict[str, int]]:
    return st.sampled_from(shapes).map(lambda shape: dict(zip(("data", "seq", "model"), shape, strict=False)))


@st.composite
def generated_programs(
    draw: st.DrawFn, shapes: tuple[tuple[int, ...], ...] = SMALL
) -> Generated:
    """Draw a program for a mesh of one of these shapes."""
    mesh = draw(_meshes(shapes))
    steps = draw(st.lists(_steps(mesh), min_size=2, max_size=5))
    return Generated(
        mesh=mesh,
        dtype=draw(st.sampled_from(sorted(_WIDTH))),
        axis_types=draw(st.sampled_from(["auto", "explicit"])),
        steps=tuple(steps),
    )


@st.composite
def _steps(draw: st.DrawFn, mesh: dict[str, int]) -> Step:
    kind = draw(
        st.sampled_from(
            [
                Kind.ALL_REDUCE,
                Kind.ALL_GATHER,
                Kind.REDUCE_SCATTER,
                Kind.ALL_TO_ALL,
                Kind.COLLECTIVE_PERMUTE,
            ]
        )
    )
    most = len(mesh) if kind is Kind.ALL_REDUCE else 1
    axes = draw(st.lists(st.sampled_from(sorted(mesh)), min_size=1, max_size=most, unique=True))
    size = math.prod(mesh[axis] for axis in axes)
    return Step(
        kind=kind,
        axes=tuple(axes),
        shift=draw(st.integers(1, size - 1)),
        scans=tuple(draw(st.lists(st.integers(2, 6), max_size=2))),
    )
