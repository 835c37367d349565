"""Times a slice of 512 chips against one of 8 at the same shapes per device, in warm slots.

Run from the project's root: `python bench/inspect/large_slice.py`. The target is at most 3 ×.
"""

import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from grader.sandbox.launch import pool_devices  # noqa: E402 - the root has to be known first
from grader.sandbox.slot import Slot, Stage  # noqa: E402 - as above
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
SAME_PER_DEVICE = """\
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
        return jax.ShapeDtypeStruct(shape, jnp.bfloat16, sharding=NamedSharding(mesh, spec))

    batch, hidden = 128 * mesh.shape["data"], 256 * mesh.shape["model"]
    return (
        {"up": arg((256, hidden), P(None, "model")), "down": arg((hidden, 256), P("model", None))},
        arg((batch, 256), P("data", None)),
    )
"""


def seconds(topology: str, data: int, model: int) -> float:
    """Return the seconds from hand-over to report of both stages, for the TPU alone."""
    mesh = MeshSpec(
        axes=(
            MeshAxis(name="data", size=data, type=AxisType.AUTO),
            MeshAxis(name="model", size=model, type=AxisType.AUTO),
        )
    )
    target = Target(backend=Backend.TPU_COMPILE, topology=topology, slices=1)
    with (
        Slot(Stage.TRACE, warm=True, devices=pool_devices(mesh.devices)) as tracer,
        Slot(Stage.COMPILE, warm=True) as compiler,
    ):
        if not (tracer.wait_until_ready() and compiler.wait_until_ready()):
            raise SystemExit("a slot did not become ready")
        traced = tracer.trace(
            TraceRequest(
                source=SAME_PER_DEVICE.encode(),
                mesh=mesh,
                arguments=None,
                specs_from=SpecsFrom.REQUEST,
            )
        )
        if traced.report is None:
            raise SystemExit(traced.detail)
        compiled = compiler.compile(
            CompileRequest(
                artefact=traced.report.artefact,
                mesh=mesh,
                inputs=None,
                outputs=None,
                targets=(target,),
                limits=Limits(),
            )
        )
    if compiled.report is None or compiled.report.backends[0].memory is None:
        raise SystemExit(f"{compiled.detail} {compiled.log}")
    return traced.seconds + compiled.seconds


def main() -> None:
    """Print both medians and their ratio."""
    small, large = [], []
    for _ in range(ROUNDS):  # alternating, so that a busy machine slows both
        small.append(seconds("v5e:2x4", 4, 2))
        large.append(seconds("v5p:8x8x8", 8, 64))
    print(f"v5e:2x4    (8 chips)    {statistics.median(small):6.3f} s")
    print(f"v5p:8x8x8  (512 chips)  {statistics.median(large):6.3f} s")
    ratios = [many / few for many, few in zip(large, small, strict=True)]
    print(f"ratio                   {statistics.median(ratios):6.2f} (target 3)")


if __name__ == "__main__":
    main()
