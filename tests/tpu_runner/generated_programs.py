"""Random sharded programs as source text, over random meshes of 2 to 64 devices."""

import dataclasses
import math
from typing import override

from hypothesis import strategies as st

from tpu_runner.protocol import AxisType, MeshAxis, MeshSpec

_PREAMBLE = """\
from functools import partial

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P


def arg(mesh, shape, spec, dtype):
    return jax.ShapeDtypeStruct(shape, dtype, sharding=NamedSharding(mesh, spec))

"""


@dataclasses.dataclass(frozen=True)
class GeneratedProgram:
    """A learner's module and the mesh it is for."""

    source: str
    mesh: MeshSpec

    @override
    def __repr__(self) -> str:
        axes = ", ".join(f"{axis.name}={axis.size}" for axis in self.mesh.axes)
        return f"mesh {axes} ({self.mesh.axes[0].type})\n{self.source}"


def mesh_specs(axis_type: AxisType = AxisType.AUTO) -> st.SearchStrategy[MeshSpec]:
    """Meshes of one to three axes whose sizes are powers of two, 2 to 64 devices."""
    sizes = st.lists(st.sampled_from([1, 2, 4, 8]), min_size=1, max_size=3).filter(
        lambda found: 2 <= math.prod(found) <= 64
    )
    return sizes.map(
        lambda found: MeshSpec(
            axes=tuple(
                MeshAxis(name=name, size=size, type=axis_type)
                for name, size in zip(("data", "model", "expert"), found, strict=False)
            )
        )
    )


@st.composite
def spec_texts(draw: st.DrawFn, mesh: MeshSpec, rank: int = 2) -> str:
    """A PartitionSpec over distinct axes of the mesh, as source text."""
    places = draw(st.lists(st.integers(0, rank), min_size=len(mesh.axes), max_size=len(mesh.axes)))
    parts = []
    for dimension in range(rank):
        names = [
            axis.name for axis, place in zip(mesh.axes, places, strict=True) if place == dimension
        ]
        parts.append(
            {0: "None", 1: repr(names[0]) if names else ""}.get(len(names), repr(tuple(names)))
        )
    return f"P({', '.join(parts)})"


DTYPES = st.sampled_from(["jnp.float32", "jnp.bfloat16"])
SIZES = st.sampled_from([64, 128])


@st.composite
def products(draw: st.DrawFn) -> GeneratedProgram:
    """One product; the learner fixes input and output shardings in different ways."""
    mesh = draw(mesh_specs())
    x, w, y = (draw(spec_texts(mesh)) for _ in range(3))
    dtype = draw(DTYPES)
    how = draw(
        st.sampled_from(
            [
                f"jax.jit(lambda x, w: lax.with_sharding_constraint(x @ w, {y}))",
                f"jax.jit(lambda x, w: x @ w, out_shardings={y})",
                f"jax.jit(lambda x, w: x @ w, in_shardings=({x}, {w}), out_shardings={y})",
                f"jax.jit(lambda x, w: (x @ w, w.sum(0)), out_shardings=({y}, None))",
                "jax.jit(lambda x, w: x @ w)",
                f"jax.jit(lambda x, w: lax.with_sharding_constraint(w * x.sum(), {y}))",
                "jax.jit(lambda x, w: (x + 1, w), donate_argnums=(0, 1))",
                "jax.jit(lambda x, w: w * 2, donate_argnums=0)",
            ]
        )
    )
    # An argument whose sharding nobody gives is the compiler's to split.
    second = draw(
        st.sampled_from(
            [
                f"arg(mesh, (64, 128), {w}, {dtype})",
                f"jax.ShapeDtypeStruct((64, 128), {dtype})",
            ]
        )
    )
    source = f"""{_PREAMBLE}
def build(mesh):
    return {how}


def example_args(mesh):
    return arg(mesh, (128, 64), {x}, {dtype}), {second}
"""
    return GeneratedProgram(source, mesh)


@st.composite
def training_steps(draw: st.DrawFn) -> GeneratedProgram:
    """The gradient of a two-layer network under a scan, donated and updated."""
    mesh = draw(mesh_specs())
    w1, w2, x, hidden = (draw(spec_texts(mesh)) for _ in range(4))
    dtype = draw(DTYPES)
    remat = draw(st.sampled_from(["", "@jax.checkpoint\n        "]))
    source = f"""{_PREAMBLE}
def build(mesh):
    def step(weights, x):
        {remat}def layer(h, _):
            h = lax.with_sharding_constraint(jnp.tanh(h @ weights["up"]), {hidden})
            return h @ weights["down"], None

        def loss(weights):
            out, _ = lax.scan(lambda h, i: (jnp.tanh(h @ weights["up"]) @ weights["down"], None),
                              x, None, length={draw(st.integers(1, 4))})
            out, _ = layer(out, None)
            return jnp.mean(out.astype(jnp.float32) ** 2)

        value, gradient = jax.value_and_grad(loss)(weights)
        new = jax.tree.map(lambda w, g: w - (g * 0.1).astype(w.dtype), weights, gradient)
        return new, value

    return jax.jit(step, donate_argnums=0)


def example_args(mesh):
    return (
        {{"up": arg(mesh, (64, 128), {w1}, {dtype}), "down": arg(mesh, (128, 64), {w2}, {dtype})}},
        arg(mesh, (128, 64), {x}, {dtype}),
    )
"""
    return GeneratedProgram(source, mesh)


@st.composite
def nested_scans(draw: st.DrawFn) -> GeneratedProgram:
    """A scan in a scan, with a constraint that may need a collective in either body."""
    mesh = draw(mesh_specs())
    x, inner, outer = (draw(spec_texts(mesh)) for _ in range(3))
    w, dtype = draw(spec_texts(mesh)), draw(DTYPES)
    source = f"""{_PREAMBLE}
def build(mesh):
    def step(x, w):
        def inner(c, _):
            return lax.with_sharding_constraint(jnp.sin(c @ w), {inner}), c.sum()

        def outer(c, _):
            c, sums = lax.scan(inner, c, None, length={draw(st.integers(1, 3))})
            return lax.with_sharding_constraint(c + sums.sum(), {outer}), None

        return lax.scan(outer, x, None, length={draw(st.integers(1, 5))})[0]

    return jax.jit(step)


def example_args(mesh):
    return arg(mesh, (64, 64), {x}, {dtype}), arg(mesh, (64, 64), {w}, {dtype})
"""
    return GeneratedProgram(source, mesh)


@st.composite
def manual_programs(draw: st.DrawFn) -> GeneratedProgram:
    """Collectives written by hand in a shard_map over one axis, the others left to the compiler."""
    mesh = draw(mesh_specs())
    axis = draw(st.sampled_from(mesh.axes))
    # XLA:CPU aborts on a bfloat16 psum or pmax that leaves other axes to the compiler.
    dtype = draw(DTYPES) if len(mesh.axes) == 1 else "jnp.float32"
    name, size = repr(axis.name), axis.size
    body = draw(
        st.sampled_from(
            [
                f"lax.psum(x, {name})",
                f"lax.pmax(x, {name}) + x",
                f"lax.all_gather(x, {name}, tiled=True)[: x.shape[0]]",
                f"lax.psum_scatter(jnp.tile(x, ({size}, 1)), {name}, tiled=True)",
                f"lax.ppermute(x, {name}, ring)",
                f"lax.all_to_all(x, {name}, 1, 0, tiled=True).reshape(x.shape)",
                f"x * lax.axis_index({name}).astype(x.dtype)",
                f"lax.fori_loop(0, 3, lambda i, c: lax.ppermute(c, {name}, ring) + 1, x)",
            ]
        )
    )
    source = f"""{_PREAMBLE}
def build(mesh):
    ring = [(i, (i + 1) % {size}) for i in range({size})]

    @partial(jax.shard_map, mesh=mesh, in_specs=P({name}), out_specs=P({name}),
             axis_names={{{name}}}, check_vma=False)
    def manual(x):
        return {body}

    return jax.jit(lambda x: manual(x) + 1)


def example_args(mesh):
    return (arg(mesh, (128, 64), P({name}), {dtype}),)
"""
    return GeneratedProgram(source, mesh)


@st.composite
def explicit_programs(draw: st.DrawFn) -> GeneratedProgram:
    """Products and reductions with shardings in types."""
    mesh = draw(mesh_specs(AxisType.EXPLICIT))
    rows, inner = draw(st.permutations([None, *(axis.name for axis in mesh.axes)]))[:2]
    out = f"P({rows!r}, None)"
    body = draw(
        st.sampled_from(
            [
                f"jnp.dot(x, w, out_sharding={out})",
                f"jax.sharding.reshard(x, P(None, {rows!r})).sum(0)",
                f"jax.nn.softmax(jnp.dot(x, w, out_sharding={out}))",
                f"jax.grad(lambda x: jnp.dot(x, w, out_sharding={out}).sum())(x)",
            ]
        )
    )
    source = f"""{_PREAMBLE}
def build(mesh):
    return jax.jit(lambda x, w: {body})


def example_args(mesh):
    return (arg(mesh, (128, 64), P({rows!r}, {inner!r}), jnp.float32),
            arg(mesh, (64, 64), P({inner!r}, None), jnp.float32))
"""
    return GeneratedProgram(source, mesh)
