"""Forged modules: whatever is hidden anywhere in them is found before anything compiles them."""

import dataclasses

import pytest
from jax._src.interpreters import mlir
from jax.export import deserialize
from jaxlib import _jax
from jaxlib.mlir import ir

from tests.tpu_runner.programs import CONTRACTED_OVER_MODEL, DATA_MODEL, traced
from tpu_runner.artefact import ArtefactRefusedError, open_artefact
from tpu_runner.meshes import abstract_mesh
from tpu_runner.protocol import Limits, ModuleSummary, TensorSpec
from tpu_runner.walk import ModuleRefusedError, expanded_ops, tensor_bytes, walk_module

pytestmark = pytest.mark.compiler

CALLBACK = (
    "%9 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {api_version = 4 : i32}"
    " : (tensor<f32>) -> tensor<f32>"
)


def walked(text: str, limits: Limits | None = None, devices: int = 1) -> ModuleSummary:
    with mlir.make_ir_context(), ir.Location.unknown():
        return walk_module(ir.Module.parse(text), devices=devices, limits=limits or Limits())


def module(functions: str, attributes: str = "mhlo.num_partitions = 1 : i32") -> str:
    return f"""
module attributes {{{attributes}, mhlo.num_replicas = 1 : i32}} {{
  {functions}
}}"""


def main(body: str) -> str:
    return module(f"func.func public @main(%x: tensor<f32>) -> tensor<f32> {{ {body} }}")


HIDDEN = {
    "in main": main(f"{CALLBACK} return %9 : tensor<f32>"),
    "in a private function that nothing calls": module(
        "func.func public @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\n"
        f"func.func private @spare(%x: tensor<f32>) -> tensor<f32> {{ {CALLBACK}"
        " return %9 : tensor<f32> }"
    ),
    "in a loop's body": main(
        f"""
        %0 = stablehlo.while(%i = %x) : tensor<f32>
        cond {{
          %c = stablehlo.compare LT, %i, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        }} do {{
          {CALLBACK.replace("%x", "%i")}
          stablehlo.return %9 : tensor<f32>
        }}
        return %0 : tensor<f32>"""
    ),
    "in a loop's condition": main(
        f"""
        %0 = stablehlo.while(%i = %x) : tensor<f32>
        cond {{
          {CALLBACK.replace("%x", "%i")}
          %c = stablehlo.compare LT, %9, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        }} do {{ stablehlo.return %i : tensor<f32> }}
        return %0 : tensor<f32>"""
    ),
    "in a branch in a branch": main(
        f"""
        %p = stablehlo.constant dense<true> : tensor<i1>
        %0 = "stablehlo.if"(%p) ({{
          %1 = "stablehlo.if"(%p) ({{
            {CALLBACK}
            stablehlo.return %9 : tensor<f32>
          }}, {{ stablehlo.return %x : tensor<f32> }}) : (tensor<i1>) -> tensor<f32>
          stablehlo.return %1 : tensor<f32>
        }}, {{ stablehlo.return %x : tensor<f32> }}) : (tensor<i1>) -> tensor<f32>
        return %0 : tensor<f32>"""
    ),
    "in a composite's decomposition": module(
        """
        func.func public @main(%x: tensor<f32>) -> tensor<f32> {
          %0 = stablehlo.composite "chlo.erf" %x {decomposition = @inner}
            : (tensor<f32>) -> tensor<f32>
          return %0 : tensor<f32>
        }
        """
        f"func.func private @inner(%x: tensor<f32>) -> tensor<f32> {{ {CALLBACK}"
        " return %9 : tensor<f32> }"
    ),
    "in what an allowed custom call calls": module(
        """
        func.func public @main(%x: tensor<f32>) -> tensor<f32> {
          %0 = stablehlo.custom_call @Sharding(%x) {called_computations = [@inner]}
            : (tensor<f32>) -> tensor<f32>
          return %0 : tensor<f32>
        }
        """
        f"func.func private @inner(%x: tensor<f32>) -> tensor<f32> {{ {CALLBACK}"
        " return %9 : tensor<f32> }"
    ),
    "in a reducer": main(
        f"""
        %v = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %0 = "stablehlo.reduce"(%v, %x) ({{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          {CALLBACK.replace("%x", "%a")}
          stablehlo.return %9 : tensor<f32>
        }}) {{dimensions = array<i64: 0>}} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
        return %0 : tensor<f32>"""
    ),
    "in manual sharding": module(
        f"""
        sdy.mesh @mesh = <["a"=1]>
        func.func public @main(%x: tensor<f32>) -> tensor<f32> {{
          %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, []>] out_shardings=[<@mesh, []>]
              manual_axes={{"a"}} (%y: tensor<f32>) {{
            {CALLBACK.replace("%x", "%y")}
            sdy.return %9 : tensor<f32>
          }} : (tensor<f32>) -> tensor<f32>
          return %0 : tensor<f32>
        }}"""
    ),
}


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN.keys())
def test_a_python_callback_is_found_wherever_it_is_hidden(text: str) -> None:
    with pytest.raises(ModuleRefusedError, match="xla_ffi_python_cpu_callback"):
        walked(text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        pytest.param(
            main(
                '%t = stablehlo.create_token : !stablehlo.token\n %0:2 = "stablehlo.infeed"(%t)'
                ' {infeed_config = ""} : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)'
                " return %0#0 : tensor<f32>"
            ),
            "stablehlo",
            id="infeed",
        ),
        pytest.param(
            main(
                "%0 = stablehlo.constant dense<4> : tensor<1xi32>\n"
                " %1 = stablehlo.dynamic_broadcast_in_dim %x, %0, dims = []"
                " : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32> return %x : tensor<f32>"
            ),
            "dynamic_broadcast_in_dim",
            id="operation with a dynamic shape",
        ),
        pytest.param(
            module(
                "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32>"
                " { return %x : tensor<?xf32> }"
            ),
            "dynamic shapes",
            id="dynamic argument",
        ),
        pytest.param(
            module(
                "func.func public @main(%x: tensor<f32>) -> tensor<f32>"
                " { return %x : tensor<f32> }\n func.func private @outside(tensor<f32>)"
            ),
            "no body",
            id="function without a body",
        ),
        pytest.param(
            module(
                "func.func public @main(%x: tensor<f32>) -> tensor<f32>"
                " { return %x : tensor<f32> }",
                "mhlo.num_partitions = 8 : i32",
            ),
            "num_partitions",
            id="another number of devices",
        ),
        pytest.param(
            module(
                "func.func public @main(%x: tensor<f32>) -> tensor<f32>"
                " { return %x : tensor<f32> }",
                "mhlo.num_partitions = 1 : i32, mhlo.is_dynamic = true",
            ),
            "mhlo.is_dynamic",
            id="module attribute that JAX does not write",
        ),
        pytest.param(
            main(
                "%0 = stablehlo.broadcast_in_dim %x, dims = []"
                " : (tensor<f32>) -> tensor<10000000000000xf32> return %x : tensor<f32>"
            ),
            "largest tensor is 40000000000000 bytes",
            id="tensor of 10^13 elements",
        ),
    ],
)
def test_what_no_program_needs_is_refused(text: str, part: str) -> None:
    with pytest.raises(ModuleRefusedError, match=part):
        walked(text)


def test_a_custom_call_that_the_exercise_allows_passes() -> None:
    text = HIDDEN["in main"]
    summary = walked(text, Limits(custom_calls=("xla_ffi_python_cpu_callback",)))
    assert summary.custom_calls == ("xla_ffi_python_cpu_callback",)


def test_calls_are_counted_where_they_are_made() -> None:
    # Each of 14 functions calls the next twice: 2^14 copies of the last one's two operations.
    functions = [
        f"func.func private @f{index}(%x: tensor<f32>) -> tensor<f32> {{"
        f" %0 = call @f{index + 1}(%x) : (tensor<f32>) -> tensor<f32>"
        f" %1 = call @f{index + 1}(%0) : (tensor<f32>) -> tensor<f32> return %1 : tensor<f32> }}"
        for index in range(14)
    ]
    last = (
        "func.func private @f14(%x: tensor<f32>) -> tensor<f32>"
        " { %0 = stablehlo.add %x, %x : tensor<f32> return %0 : tensor<f32> }"
    )
    entry = (
        "func.func public @main(%x: tensor<f32>) -> tensor<f32>"
        " { %0 = call @f0(%x) : (tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }"
    )
    text = module("\n".join([entry, *functions, last]))
    with pytest.raises(ModuleRefusedError, match="more than 20000 operations"):
        walked(text)
    roomy = walked(text, Limits(expanded_ops=10**6))
    # main has 2, f14 has 2, and f(n) has 3 + 2 f(n + 1).
    count = 2
    for _ in range(14):
        count = 3 + 2 * count
    assert roomy.expanded_ops == count + 2
    assert roomy.ops == 2 + 14 * 3 + 2


def test_recursion_is_refused_however_long_its_circle() -> None:
    circle = {f"f{index}": (1, (f"f{(index + 1) % 5000}",)) for index in range(5000)}
    with pytest.raises(ModuleRefusedError, match="calls itself"):
        expanded_ops({"main": (1, ("f0",)), **circle}, cap=10**9)


def test_a_long_chain_of_calls_needs_no_deep_stack() -> None:
    chain = {f"f{index}": (1, (f"f{index + 1}",)) for index in range(50_000)}
    functions = {"main": (1, ("f0",)), **chain, "f50000": (1, ())}
    assert expanded_ops(functions, cap=10**9) == 50_002


def test_a_call_to_nothing_is_refused() -> None:
    with pytest.raises(ModuleRefusedError, match="not defined"):
        expanded_ops({"main": (1, ("ghost",))}, cap=10)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("tensor<f32>", 4),
        ("tensor<0x8xf32>", 0),
        ("tensor<2x3xbf16>", 12),
        ("tensor<5xi1>", 5),
        ("tensor<5xi4>", 3),
        ("tensor<4xui8>", 4),
        ("tensor<4xf8E4M3FN>", 4),
        ("tensor<3xcomplex<f32>>", 24),
        ("tensor<complex<f64>>", 16),
        ("tuple<tensor<2xf32>, tuple<tensor<i32>, tensor<3xi8>>>", 15),
    ],
)
def test_bytes_of_a_type(text: str, size: int) -> None:
    assert tensor_bytes(text) == size


@pytest.mark.parametrize(
    "text", ["tensor<?xf32>", "tensor<*xf32>", "!stablehlo.token", "tensor<4xindex>", "i32"]
)
def test_types_that_are_no_fixed_tensors_are_refused(text: str) -> None:
    with pytest.raises(ModuleRefusedError):
        tensor_bytes(text)


@pytest.fixture(scope="module")
def artefact() -> bytes:
    return traced(CONTRACTED_OVER_MODEL).artefact


def opened(raw: bytes, **expected: tuple[TensorSpec, ...] | None) -> None:
    open_artefact(
        raw,
        mesh=abstract_mesh(DATA_MODEL),
        inputs=expected.get("inputs"),
        outputs=expected.get("outputs"),
        limits=Limits(),
    )


def test_an_honest_artefact_is_opened_with_its_donation(artefact: bytes) -> None:
    program = open_artefact(
        artefact, mesh=abstract_mesh(DATA_MODEL), inputs=None, outputs=None, limits=Limits()
    )
    assert program.donated == (True, False, False)
    assert program.kept == (True, True, False)


def test_an_artefact_for_another_mesh_is_refused(artefact: bytes) -> None:
    swapped = dataclasses.replace(DATA_MODEL, axes=DATA_MODEL.axes[::-1])
    with pytest.raises(ArtefactRefusedError, match="another mesh"):
        open_artefact(
            artefact, mesh=abstract_mesh(swapped), inputs=None, outputs=None, limits=Limits()
        )


SPLIT = (("data",), ("model",))
HONEST = (
    TensorSpec(dtype="float32", shape=(64, 32), spec=(("model",), ())),
    TensorSpec(dtype="float32", shape=(64, 64), spec=SPLIT),
    TensorSpec(dtype="float32", shape=(8,), spec=((),)),
)


def test_the_exercises_own_types_are_accepted(artefact: bytes) -> None:
    opened(artefact, inputs=HONEST)


@pytest.mark.parametrize(
    ("inputs", "part"),
    [
        (HONEST[:2], "3 arguments, expected 2"),
        ((dataclasses.replace(HONEST[0], dtype="bfloat16"), *HONEST[1:]), "expected bfloat16"),
        ((dataclasses.replace(HONEST[0], shape=(32, 64)), *HONEST[1:]), "expected float32"),
        ((dataclasses.replace(HONEST[0], spec=((), ())), *HONEST[1:]), "argument 0 is not split"),
    ],
)
def test_other_types_than_the_exercises_are_refused(
    artefact: bytes, inputs: tuple[TensorSpec, ...], part: str
) -> None:
    with pytest.raises(ArtefactRefusedError, match=part):
        opened(artefact, inputs=inputs)


def test_a_forged_header_is_refused(artefact: bytes) -> None:
    honest = deserialize(bytearray(artefact))
    for change in (
        {"platforms": ("cpu",)},
        {"nr_devices": 4},
        {"disabled_safety_checks": ()},
        {"calling_convention_version": 9},
        {"uses_global_constants": True},
        {"module_kept_var_idx": (0, 1, 2)},
        {"in_avals": honest.in_avals[:2]},
    ):
        forged = dataclasses.replace(honest, **change)
        with pytest.raises(ArtefactRefusedError):
            opened(bytes(forged.serialize()))


def test_a_module_with_a_callback_behind_an_honest_header_is_refused(artefact: bytes) -> None:
    honest = deserialize(bytearray(artefact))
    with mlir.make_ir_context():
        text = honest.mlir_module()
        inner = "func.func private @spare(%x: tensor<f32>) -> tensor<f32> {"
        forged_text = text.replace(
            "  func.func public @main",
            f"  {inner} {CALLBACK} return %9 : tensor<f32> }}\n  func.func public @main",
        )
        assert forged_text != text
        raw = _jax.mlir.serialize_portable_artifact(
            ir.Module.parse(forged_text),
            "1.9.0",
            True,  # noqa: FBT003 - takes no keywords; keeps the shardings
        )
    forged = dataclasses.replace(honest, mlir_module_serialized=raw)
    with pytest.raises(ArtefactRefusedError, match="xla_ffi_python_cpu_callback"):
        opened(bytes(forged.serialize()))


def test_bytes_that_are_no_program_are_refused() -> None:
    for raw in (b"", b"\0" * 64, b"not a program" * 10):
        with pytest.raises(ArtefactRefusedError, match="not a program"):
            opened(raw)
