"""Stage 1: each mistake gets its kind, a message that says what to do, and the learner's lines."""

import pytest

from tests.tpu_runner.programs import DATA_MODEL, NoOutput, request, traced
from tpu_runner.protocol import (
    SOURCE_CAP_BYTES,
    Argument,
    LearnerErrorKind,
    SpecsFrom,
    TensorSpec,
    TraceOutcome,
    TraceRequest,
)
from tpu_runner.trace import trace

pytestmark = pytest.mark.compiler

IMPORTS = """\
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P
"""
ONE_ARGUMENT = """
def example_args(mesh):
    return (jax.ShapeDtypeStruct((8, 4), jnp.float32, sharding=NamedSharding(mesh, P("data"))),)
"""
PLAIN = """
def build(mesh):
    return jax.jit(lambda x: x + 1)
"""

TAKES_A_KEY = """
def build(mesh):
    return jax.jit(lambda key: jax.random.normal(key, (8,)))

def example_args(mesh):
    return (jax.random.key(0),)
"""
RAISES_ODD = "def build(mesh):\n    raise Odd"

MISTAKES = {
    "empty file": (b" \n", LearnerErrorKind.SOURCE_EMPTY, "Write a function build(mesh)", ()),
    "not UTF-8": (b"x = 1\ny = '\xff'", LearnerErrorKind.SOURCE_NOT_UTF8, "line 2", (2,)),
    "UTF-16": ("x = 1".encode("utf-16"), LearnerErrorKind.SOURCE_HAS_NUL, "Save it as UTF-8", ()),
    "NUL": (b"x = 1\0", LearnerErrorKind.SOURCE_HAS_NUL, "offset 5", ()),
    "too large": (b"#" * (SOURCE_CAP_BYTES + 1), LearnerErrorKind.SOURCE_TOO_LARGE, "64 KiB", ()),
    "syntax error": ("x = 1\ndef build(:\n", LearnerErrorKind.SYNTAX_ERROR, "line 2", (2,)),
    "nested too deeply": ("(" * 100_00 + ")" * 100_00, LearnerErrorKind.SYNTAX_ERROR, "nest", None),
    "module raises": ("x = 1\n1 / 0", LearnerErrorKind.IMPORT_RAISED, "ZeroDivisionError", (2,)),
    "module exits": ("import sys\nsys.exit(0)", LearnerErrorKind.EXITED, "SystemExit", (2,)),
    "interrupt": ("raise KeyboardInterrupt", LearnerErrorKind.EXITED, "KeyboardInterrupt", (1,)),
    "no build": (IMPORTS + ONE_ARGUMENT, LearnerErrorKind.NO_BUILD, "def build(mesh)", ()),
    "build is no function": ("build = 3", LearnerErrorKind.BUILD_SIGNATURE, "an int", ()),
    "build takes nothing": (
        "def build():\n    pass",
        LearnerErrorKind.BUILD_SIGNATURE,
        "build()",
        (1,),
    ),
    "build takes too much": (
        "\ndef build(mesh, size):\n    pass",
        LearnerErrorKind.BUILD_SIGNATURE,
        "build(mesh, size)",
        (2,),
    ),
    "build raises": (
        "def inner():\n    raise KeyError('w')\n\ndef build(mesh):\n    return inner()",
        LearnerErrorKind.BUILD_RAISED,
        "KeyError: 'w'",
        (5, 2),
    ),
    "build recurses": (
        "def build(mesh):\n    return build(mesh)",
        LearnerErrorKind.BUILD_RAISED,
        "too deeply",
        None,
    ),
    "build returns nothing": (
        "def build(mesh):\n    pass",
        LearnerErrorKind.NOT_JITTED,
        "returned nothing",
        (),
    ),
    "build returns a plain function": (
        "def build(mesh):\n    def step(x): return x\n    return step",
        LearnerErrorKind.NOT_JITTED,
        "return jax.jit(step)",
        (),
    ),
    "build returns a result": (
        "import jax.numpy as jnp\ndef build(mesh):\n    return jnp.ones(3)",
        LearnerErrorKind.NOT_JITTED,
        "has not been called",
        (),
    ),
    "no example_args": (IMPORTS + PLAIN, LearnerErrorKind.NO_EXAMPLE_ARGS, "example_args(", ()),
    "example_args raises": (
        IMPORTS + PLAIN + "def example_args(mesh):\n    return undefined",
        LearnerErrorKind.EXAMPLE_ARGS_RAISED,
        "NameError",
        (7,),
    ),
    "example_args is no tuple": (
        IMPORTS + PLAIN + "def example_args(mesh):\n    return jnp.ones(8)",
        LearnerErrorKind.EXAMPLE_ARGS_WRONG,
        "written (x,)",
        (),
    ),
    "example_args holds a number": (
        IMPORTS + PLAIN + "def example_args(mesh):\n    return ({'a': 3},)",
        LearnerErrorKind.EXAMPLE_ARGS_WRONG,
        "example_args(mesh)[0]['a'] is an int",
        (),
    ),
    "two arguments for a function of one": (
        IMPORTS
        + "def step(x): return x\ndef build(mesh):\n    return jax.jit(step)\n"
        + "def example_args(mesh):\n    return (jnp.ones(8), jnp.ones(8))",
        LearnerErrorKind.WRONG_SIGNATURE,
        "2 positional arguments",
        (3,),
    ),
    "axis that the mesh does not have": (
        IMPORTS + PLAIN + ONE_ARGUMENT.replace('"data"', '"batch"'),
        LearnerErrorKind.EXAMPLE_ARGS_RAISED,
        "batch",
        (8,),
    ),
    "uneven argument": (
        IMPORTS + PLAIN + ONE_ARGUMENT.replace("(8, 4)", "(10, 4)"),
        LearnerErrorKind.UNEVEN_SHARD,
        "10 elements, which do not divide over data (4)",
        (),
    ),
    "unknown axis in a constraint": (
        IMPORTS
        + "def build(mesh):\n    def step(x):\n"
        + "        return jax.lax.with_sharding_constraint(x, P('rows'))\n"
        + "    return jax.jit(step)\n"
        + ONE_ARGUMENT,
        LearnerErrorKind.UNKNOWN_MESH_AXIS,
        "rows",
        (5,),
    ),
    "uneven shard_map": (
        IMPORTS
        + "def build(mesh):\n    def step(x):\n"
        + "        local = jax.shard_map(jnp.sin, in_specs=P('data'), out_specs=P('data'))\n"
        + "        return local(x[:3])\n"
        + "    return jax.jit(step)\n"
        + ONE_ARGUMENT,
        LearnerErrorKind.UNEVEN_SHARD,
        "evenly",
        (6,),
    ),
    "wrong shapes": (
        IMPORTS + "def build(mesh):\n    return jax.jit(lambda x: x @ x)\n" + ONE_ARGUMENT,
        LearnerErrorKind.TRACE_RAISED,
        "dot_general",
        (4,),
    ),
    "exit while tracing": (
        IMPORTS
        + "def build(mesh):\n    def step(x):\n        raise SystemExit\n    return jax.jit(step)\n"
        + ONE_ARGUMENT,
        LearnerErrorKind.EXITED,
        "SystemExit",
        (5,),
    ),
    "debug print": (
        IMPORTS
        + "def build(mesh):\n    def step(x):\n        jax.debug.print('{}', x)\n        return x\n"
        + "    return jax.jit(step)\n"
        + ONE_ARGUMENT,
        LearnerErrorKind.HOST_CALLBACK,
        "jax.debug.print",
        (5,),
    ),
    "pure callback in a scan": (
        IMPORTS
        + "def build(mesh):\n    def body(c, _):\n"
        + "        return jax.pure_callback(lambda y: y, c, c), None\n"
        + "    return jax.jit(lambda x: jax.lax.scan(body, x, None, length=3)[0])\n"
        + ONE_ARGUMENT,
        LearnerErrorKind.HOST_CALLBACK,
        "pure_callback",
        (5,),
    ),
    "io callback": (
        IMPORTS
        + "from jax.experimental import io_callback\n"
        + "def build(mesh):\n    return jax.jit(lambda x: io_callback(lambda y: y, x, x))\n"
        + ONE_ARGUMENT,
        LearnerErrorKind.HOST_CALLBACK,
        "io_callback",
        (5,),
    ),
    "constants over the artefact's cap": (
        IMPORTS
        + "import numpy as np\nDATA = np.random.rand(1100, 1000).astype('float32')\n"
        + "def build(mesh):\n    return jax.jit(lambda x: x.sum() + DATA)\n"
        + ONE_ARGUMENT,
        LearnerErrorKind.PROGRAM_TOO_LARGE,
        "pass them as arguments",
        (),
    ),
    "exception whose text raises": (
        "class Odd(Exception):\n    def __str__(self): raise ValueError\n" + RAISES_ODD,
        LearnerErrorKind.BUILD_RAISED,
        "Odd: (its text could not be made)",
        (4,),
    ),
    "random key": (IMPORTS + TAKES_A_KEY, LearnerErrorKind.NOT_EXPORTABLE, "key_data(key)", ()),
    "exception with a huge text": (
        "def build(mesh):\n    raise ValueError('x' * 10**7)",
        LearnerErrorKind.BUILD_RAISED,
        "ValueError: xxx",
        (2,),
    ),
}


@pytest.mark.parametrize(
    ("source", "kind", "part", "lines"), MISTAKES.values(), ids=MISTAKES.keys()
)
def test_a_mistake_is_told_with_its_lines(
    source: str | bytes, kind: LearnerErrorKind, part: str, lines: tuple[int, ...] | None
) -> None:
    raw = source.encode() if isinstance(source, str) else source
    report = trace(request(raw), output=NoOutput())
    assert report.outcome is TraceOutcome.LEARNER_ERROR
    assert report.error is not None
    assert report.error.kind is kind, report.error
    assert part in report.error.message
    assert len(report.error.message) <= 4096
    assert "site-packages" not in report.error.message
    assert report.artefact == b""
    if lines is not None:
        assert tuple(frame.line for frame in report.error.frames) == lines
    assert len(report.error.frames) <= 20


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(b"\xef\xbb\xbf" + (IMPORTS + PLAIN + ONE_ARGUMENT).encode(), id="BOM"),
        pytest.param((IMPORTS + PLAIN + ONE_ARGUMENT).replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param((IMPORTS + PLAIN + ONE_ARGUMENT).replace("\n", "\r").encode(), id="CR"),
        pytest.param(
            b"from __future__ import annotations\n" + (IMPORTS + PLAIN + ONE_ARGUMENT).encode(),
            id="future import",
        ),
    ],
)
def test_other_line_endings_and_a_byte_order_mark_are_read(source: bytes) -> None:
    report = trace(request(source), output=NoOutput())
    assert report.error is None
    assert report.outcome is TraceOutcome.TRACED


def test_named_tuples_dataclasses_and_dictionaries_come_out_as_key_paths() -> None:
    report = traced("""
import dataclasses
from typing import NamedTuple
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

class Moments(NamedTuple):
    mean: object
    count: object

@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    weights: dict
    moments: Moments

def build(mesh):
    def step(state, x):
        return State(state.weights, Moments(state.moments.mean + 1, state.moments.count)), [x * 2]
    return jax.jit(step, donate_argnums=0)

def example_args(mesh):
    def arg(*shape, spec=P()):
        return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(mesh, spec))
    return State({"up": arg(8, 4, spec=P("model", "data"))}, Moments(arg(), arg())), arg(4)
""")
    assert [(leaf.path, leaf.donated) for leaf in report.arguments] == [
        ("state.weights['up']", True),
        ("state.moments.mean", True),
        ("state.moments.count", True),
        ("x", False),
    ]
    assert report.arguments[0].spec == (("model",), ("data",))
    assert [leaf.path for leaf in report.results] == [
        "result[0].weights['up']",
        "result[0].moments.mean",
        "result[0].moments.count",
        "result[1][0]",
    ]


def test_the_function_is_traced_once() -> None:
    report = traced(
        IMPORTS
        + """
COUNT = []
def build(mesh):
    def step(x):
        COUNT.append(1)
        return x * sum(COUNT)
    return jax.jit(step)
def example_args(mesh):
    import atexit
    return (jax.ShapeDtypeStruct((4, len(COUNT) + 1), jnp.float32),)
"""
    )
    assert report.results[0].shape == (4, 1)
    import sys  # noqa: PLC0415 - the learner's module appears there while the test runs

    assert sys.modules["submission"].COUNT == [1]


def arguments(*named: tuple[tuple[str | int, ...], tuple[int, ...]]) -> tuple[Argument, ...]:
    return tuple(
        Argument(path=path, tensor=TensorSpec(dtype="bfloat16", shape=shape, spec=None))
        for path, shape in named
    )


def test_arguments_of_an_exercise_arrive_as_a_tree_with_the_learners_specs() -> None:
    source = """
import jax
from jax.sharding import PartitionSpec as P
def input_specs(mesh):
    return {"tokens": P("data"), "state": P(None, "model")}
def build(mesh):
    return jax.jit(lambda tokens, state: tokens @ state["layers"][1])
"""
    report = trace(
        TraceRequest(
            source=source.encode(),
            mesh=DATA_MODEL,
            arguments=arguments(
                (("tokens",), (8, 16)),
                (("state", "layers", 0), (4, 4)),
                (("state", "layers", 1), (16, 4)),
            ),
            specs_from=SpecsFrom.LEARNER,
        ),
        output=NoOutput(),
    )
    assert report.error is None
    assert [(leaf.path, leaf.spec) for leaf in report.arguments] == [
        ("tokens", (("data",), ())),
        ("state['layers'][0]", ((), ("model",))),
        ("state['layers'][1]", ((), ("model",))),
    ]


@pytest.mark.parametrize(
    ("specs", "kind", "part"),
    [
        ("", LearnerErrorKind.NO_INPUT_SPECS, "input_specs(mesh)"),
        ("def input_specs(mesh): return {}", LearnerErrorKind.INPUT_SPECS_WRONG, "keys tokens"),
        (
            "def input_specs(mesh): return {'tokens': 'data'}",
            LearnerErrorKind.INPUT_SPECS_WRONG,
            "PartitionSpec",
        ),
        (
            "def input_specs(mesh): return {'tokens': P('batch')}",
            LearnerErrorKind.UNKNOWN_MESH_AXIS,
            "data, model",
        ),
        (
            "def input_specs(mesh): return {'tokens': P(None, ('data', 'model'))}",
            LearnerErrorKind.UNEVEN_SHARD,
            "data × model (8)",
        ),
        ("def input_specs(mesh): return 1 / 0", LearnerErrorKind.INPUT_SPECS_RAISED, "Zero"),
    ],
)
def test_wrong_input_specs_are_told(specs: str, kind: LearnerErrorKind, part: str) -> None:
    source = f"import jax\nfrom jax.sharding import PartitionSpec as P\n{specs}\n{PLAIN}"
    report = trace(
        TraceRequest(
            source=source.encode(),
            mesh=DATA_MODEL,
            arguments=arguments((("tokens",), (8, 12))),
            specs_from=SpecsFrom.LEARNER,
        ),
        output=NoOutput(),
    )
    assert report.error is not None
    assert report.error.kind is kind
    assert part in report.error.message
