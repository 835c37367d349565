"""Times warm slots against the two bare compiles of the same program in one warm process.

Run from the project's root: `python bench/inspect/warm_slots.py`. The target is that a small
program goes through trace, check and both compilers in at most 1.3 × the bare compiles.
"""

import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from grader.sandbox.slot import Slot, Stage  # noqa: E402 - the root has to be known first
from tpu_runner.protocol import (  # noqa: E402 - as above
    AxisType,
    Backend,
    CompileRequest,
    Limits,
    MeshAxis,
    MeshSpec,
    SpecsFrom,
    Target,
    TraceRequest,
)

ROUNDS = 5
SMALL = """\
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P


def build(mesh):
    def step(w, x):
        def loss(w):
            y = jax.nn.relu(x @ w["up"]) @ w["down"]
            return jnp.mean(jax.lax.with_sharding_constraint(y, P("data", None)) ** 2)

        return jax.tree.map(lambda w, g: w - g, w, jax.grad(loss)(w))

    return jax.jit(step, donate_argnums=0)


def example_args(mesh):
    def arg(shape, spec):
        return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, spec))

    return (
        {"up": arg((256, 512), P(None, "model")), "down": arg((512, 256), P("model", None))},
        arg((128, 256), P("data", None)),
    )
"""
# The same program compiled directly, in a process that is as warm as a slot.
BARE = """\
import sys, time
sys.path.insert(0, {root!r})
from tpu_runner import start
import os
os.environ.update(start._FIXED_ENVIRONMENT)
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=64"
import jax
from tpu_runner import compile as stage, warmth
from tpu_runner.learner_module import load
from tpu_runner.protocol import AxisType, Backend, MeshAxis, MeshSpec, Target
warmth.warm_trace(); warmth.warm_compile()
axes = (("data", 4), ("model", 2))
spec = MeshSpec(axes=tuple(MeshAxis(name=n, size=s, type=AxisType.AUTO) for n, s in axes))
module = load({source!r})
seconds = 0.0
for target in (Target(backend=Backend.CPU, topology=None, slices=1),
               Target(backend=Backend.TPU_COMPILE, topology="v5e:2x4", slices=1)):
    mesh = stage.target_mesh(target, spec)
    with jax.set_mesh(mesh):
        started = time.perf_counter()
        module.build(mesh).lower(*module.example_args(mesh)).compile().as_text()
        seconds += time.perf_counter() - started
print(seconds)
"""
MESH = MeshSpec(
    axes=(
        MeshAxis(name="data", size=4, type=AxisType.AUTO),
        MeshAxis(name="model", size=2, type=AxisType.AUTO),
    )
)
TARGETS = (
    Target(backend=Backend.CPU, topology=None, slices=1),
    Target(backend=Backend.TPU_COMPILE, topology="v5e:2x4", slices=1),
)


def bare_seconds() -> float:
    """Return the seconds of both direct compilations."""
    code = BARE.format(root=str(ROOT), source=SMALL)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def slot_seconds() -> tuple[float, float, float]:
    """Return the seconds from hand-over to report of trace and compile, and of the two compiles."""
    with Slot(Stage.TRACE, warm=True) as tracer, Slot(Stage.COMPILE, warm=True) as compiler:
        if not (tracer.wait_until_ready() and compiler.wait_until_ready()):
            raise SystemExit("a slot did not become ready")
        traced = tracer.trace(
            TraceRequest(
                source=SMALL.encode(), mesh=MESH, arguments=None, specs_from=SpecsFrom.REQUEST
            )
        )
        if traced.report is None:
            raise SystemExit(traced.detail)
        compiled = compiler.compile(
            CompileRequest(
                artefact=traced.report.artefact,
                mesh=MESH,
                inputs=None,
                outputs=None,
                targets=TARGETS,
                limits=Limits(),
            )
        )
    if compiled.report is None:
        raise SystemExit(compiled.detail)
    inside = sum(
        phase.seconds
        for backend in compiled.report.backends
        for phase in backend.phases
        if phase.name == "compile"
    )
    return traced.seconds, compiled.seconds, inside


def main() -> None:
    """Print the medians and their ratio."""
    bare, traces, compiles, insides = [], [], [], []
    for _ in range(ROUNDS):  # alternating, so that a busy machine slows both
        bare.append(bare_seconds())
        trace, compilation, inside = slot_seconds()
        traces.append(trace)
        compiles.append(compilation)
        insides.append(inside)
    both = [trace + compilation for trace, compilation in zip(traces, compiles, strict=True)]
    print(f"bare compiles          {statistics.median(bare):6.3f} s")
    print(f"trace slot             {statistics.median(traces):6.3f} s")
    print(f"compile slot           {statistics.median(compiles):6.3f} s")
    print(f"  of it in compilers   {statistics.median(insides):6.3f} s")
    ratios = [total / alone for total, alone in zip(both, bare, strict=True)]
    print(f"both slots / bare      {statistics.median(ratios):6.2f} (target 1.3)")


if __name__ == "__main__":
    main()
