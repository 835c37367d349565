"""Looks at every operation of a deserialised StableHLO module before anything compiles it."""

import dataclasses
import functools
import re
from collections.abc import Iterator
from typing import Any

from jaxlib.mlir import ir

from tpu_runner.protocol import Limits, ModuleSummary
from tpu_runner.stablehlo_ops import ALLOWED_OPS, MARKER_CALLS

# Others, such as parameter layouts and aliases, would steer the compiler past what JAX lowers to.
_MODULE_ATTRIBUTES = frozenset(
    {"sym_name", "mhlo.num_partitions", "mhlo.num_replicas", "jax.uses_shape_polymorphism"}
)
_WIDTH = re.compile(r"^(?:[us]?i|b?f|tf)(\d+)")


class ModuleRefusedError(Exception):
    """The module may not be compiled; the message says what it holds and, where it helps, why."""


@dataclasses.dataclass(slots=True)
class _Function:
    """One function: how many operations it holds itself, and which functions it calls how often."""

    ops: int = 0
    calls: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class _Findings:
    ops: int = 0
    custom_calls: set[str] = dataclasses.field(default_factory=set)
    constant_bytes: int = 0
    largest_tensor_bytes: int = 0
    total_tensor_bytes: int = 0


def walk_module(module: Any, *, devices: int, limits: Limits) -> ModuleSummary:
    """Return what the module holds. Raises ModuleRefusedError on the first thing not allowed.

    Every region of every function is visited, reachable or not. `expanded_ops` counts each called
    function at each of its call sites; a loop's body counts once.
    """
    _check_partitions(module, devices)
    findings = _Findings()
    functions: dict[str, _Function] = {}
    for operation in module.body.operations:
        name = operation.operation.name
        if name == "func.func":
            symbol = ir.StringAttr(operation.attributes["sym_name"]).value
            functions[symbol] = _walk_function(operation.operation, findings, limits)
        elif name == "sdy.mesh":
            _check_op_name(name)
        else:
            raise ModuleRefusedError(f"operation {name!r} is not allowed at the top of a module")
    expanded = expanded_ops(
        {name: (function.ops, tuple(function.calls)) for name, function in functions.items()},
        cap=limits.expanded_ops,
    )
    _check_sizes(findings, limits)
    return ModuleSummary(
        ops=findings.ops,
        expanded_ops=expanded,
        functions=len(functions),
        custom_calls=tuple(sorted(findings.custom_calls)),
        constant_bytes=findings.constant_bytes,
        largest_tensor_bytes=findings.largest_tensor_bytes,
        total_tensor_bytes=findings.total_tensor_bytes,
    )


def expanded_ops(functions: dict[str, tuple[int, tuple[str, ...]]], *, cap: int) -> int:
    """Return the operations of `main` with every call written out.

    `functions` gives each function's own operations and its callees, one entry a call site. Raises
    ModuleRefusedError over `cap`, on recursion, and on a call to a function that does not exist.
    """
    done: dict[str, int] = {}
    open_names: set[str] = set()
    stack = ["main"]
    while stack:
        name = stack[-1]
        if name not in functions:
            raise ModuleRefusedError(f"function {name[:80]!r} is called but not defined")
        own, calls = functions[name]
        waiting = [callee for callee in dict.fromkeys(calls) if callee not in done]
        if name not in open_names and waiting:
            open_names.add(name)
            if open_names & set(waiting):
                raise ModuleRefusedError("a function calls itself")
            stack.extend(waiting)
            continue
        if waiting:
            raise ModuleRefusedError("a function calls itself")
        stack.pop()
        open_names.discard(name)
        done[name] = own + sum(done[callee] for callee in calls)
        if done[name] > cap:
            raise ModuleRefusedError(
                f"the program has more than {cap} operations with its calls written out; "
                "use lax.scan or lax.fori_loop in place of a Python loop"
            )
    return done["main"]


def _check_partitions(module: Any, devices: int) -> None:
    attributes = module.operation.attributes
    for name, expected in (("mhlo.num_partitions", devices), ("mhlo.num_replicas", 1)):
        if name not in attributes or ir.IntegerAttr(attributes[name]).value != expected:
            raise ModuleRefusedError(f"{name} is not {expected}")
    if odd := sorted(set(attributes) - _MODULE_ATTRIBUTES):
        raise ModuleRefusedError(f"the module attribute {odd[0][:80]!r} is not allowed")


def _walk_function(function: Any, findings: _Findings, limits: Limits) -> _Function:
    found = _Function()
    if not any(len(region.blocks) for region in function.regions):
        raise ModuleRefusedError("a function has no body")
    for operation in _inner_operations(function, findings):
        found.ops += 1
        findings.ops += 1
        if findings.ops > limits.expanded_ops:
            raise ModuleRefusedError(f"the program has more than {limits.expanded_ops} operations")
        name = operation.name
        _check_op_name(name)
        for result in operation.results:
            _weigh(str(result.type), findings)
        found.calls.extend(_callees(operation))
        if name == "stablehlo.custom_call":
            _check_custom_call(operation, findings, limits)
        elif name == "stablehlo.constant":
            findings.constant_bytes += _constant_bytes(operation)
    return found


def _inner_operations(root: Any, findings: _Findings) -> Iterator[Any]:
    stack = [root]
    while stack:
        operation = stack.pop()
        if operation is not root:
            yield operation
        for region in operation.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    _weigh(str(argument.type), findings)
                stack.extend(inner.operation for inner in block.operations)


def _check_op_name(name: str) -> None:
    if name not in ALLOWED_OPS:
        raise ModuleRefusedError(f"operation {name[:80]!r} is not allowed")


def _check_custom_call(operation: Any, findings: _Findings, limits: Limits) -> None:
    target = ir.StringAttr(operation.attributes["call_target_name"]).value
    findings.custom_calls.add(target)
    if target not in MARKER_CALLS and target not in limits.custom_calls:
        raise ModuleRefusedError(f"custom call to {target[:80]!r} is not allowed")


def _callees(operation: Any) -> Iterator[str]:
    """Yield every function that any attribute of the operation refers to, whatever its name."""
    if operation.name in {
        "sdy.sharding_constraint",
        "sdy.manual_computation",
        "stablehlo.constant",
    }:
        return
    for name in operation.attributes:
        yield from _symbols(operation.attributes[name])


def _symbols(attribute: Any) -> Iterator[str]:
    if isinstance(attribute, ir.FlatSymbolRefAttr):
        yield ir.FlatSymbolRefAttr(attribute).value
    elif isinstance(attribute, ir.SymbolRefAttr):
        raise ModuleRefusedError("a nested symbol reference is not allowed")
    elif isinstance(attribute, ir.ArrayAttr):
        for item in ir.ArrayAttr(attribute):
            yield from _symbols(item)


def _constant_bytes(operation: Any) -> int:
    value = operation.attributes["value"]
    if isinstance(value, ir.DenseElementsAttr) and ir.DenseElementsAttr(value).is_splat:
        return 0
    return tensor_bytes(str(operation.results[0].type))


def _weigh(type_text: str, findings: _Findings) -> None:
    size = tensor_bytes(type_text)
    findings.total_tensor_bytes += size
    findings.largest_tensor_bytes = max(findings.largest_tensor_bytes, size)


def _check_sizes(findings: _Findings, limits: Limits) -> None:
    for what, found, cap in (
        ("largest tensor", findings.largest_tensor_bytes, limits.tensor_bytes),
        ("sum of all tensors", findings.total_tensor_bytes, limits.total_tensor_bytes),
        ("sum of all constants", findings.constant_bytes, limits.constant_bytes),
    ):
        if found > cap:
            raise ModuleRefusedError(f"the {what} is {found} bytes, over the limit of {cap}")


@functools.lru_cache(maxsize=4096)
def tensor_bytes(type_text: str) -> int:
    """Return the bytes of an MLIR tensor or tuple type given as text.

    A boolean counts one byte, 4-bit types a half. Raises ModuleRefusedError on dynamic shapes and
    on types that are no tensors.
    """
    if type_text.startswith("tuple<") and type_text.endswith(">"):
        return sum(tensor_bytes(part) for part in _tuple_parts(type_text[6:-1]))
    if not type_text.startswith("tensor<") or not type_text.endswith(">"):
        raise ModuleRefusedError(f"a value of type {type_text[:80]!r} is not allowed")
    inner = type_text[7:-1].split(",", 1)[0].strip()
    if "?" in inner or "*" in inner:
        raise ModuleRefusedError("dynamic shapes are not allowed: every dimension needs a size")
    *dimensions, element = inner.split("x") if "complex" not in inner else _split_complex(inner)
    elements = 1
    for dimension in dimensions:
        if not dimension.isdigit():
            raise ModuleRefusedError(f"a tensor of type {type_text[:80]!r} is not allowed")
        elements *= int(dimension)
    return (elements * _element_bits(element) + 7) // 8


def _split_complex(inner: str) -> list[str]:
    head, _, element = inner.rpartition("complex<")
    return [*head.rstrip("x").split("x"), f"complex<{element}"] if head else [f"complex<{element}"]


def _element_bits(element: str) -> int:
    if element.startswith("complex<"):
        return 2 * _element_bits(element[8:].rstrip(">"))
    found = _WIDTH.match(element)
    if found is None:
        raise ModuleRefusedError(f"tensors of {element[:80]!r} are not allowed")
    bits = int(found.group(1))
    return 8 if bits == 1 else bits


def _tuple_parts(text: str) -> Iterator[str]:
    depth = start = 0
    for index, character in enumerate(text):
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            yield text[start:index].strip()
            start = index + 1
    if text:
        yield text[start:].strip()
