"""Stage 1: runs a learner's module once and exports the one program that it traces to.

Everything that leaves this process is a claim: learner code may have changed any of it.
"""

import dataclasses
import inspect
from collections.abc import Iterator
from typing import Any, Protocol

import jax
from jax import export
from jax._src import core, source_info_util
from jax.sharding import Mesh

from tpu_runner.arguments import call_arguments
from tpu_runner.layouts import sharding_spec
from tpu_runner.learner_module import (
    FILE_NAME,
    LearnerMistakeError,
    blaming,
    error_report,
    function_of,
    load,
    read_source,
    with_article,
)
from tpu_runner.meshes import cpu_mesh
from tpu_runner.protocol import (
    ARTEFACT_CAP_BYTES,
    LearnerError,
    LearnerErrorKind,
    TracedLeaf,
    TraceOutcome,
    TraceReport,
    TraceRequest,
)
from tpu_runner.stopwatch import Stopwatch


class Output(Protocol):
    """What collects the process's output."""

    total: int

    def finish(self) -> bytes:
        """Stop collecting and return the last bytes."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Traced:
    function: str
    artefact: bytes
    arguments: tuple[TracedLeaf, ...]
    results: tuple[TracedLeaf, ...]


_CALLBACKS = {
    "debug_print": "jax.debug.print",
    "debug_callback": "jax.debug.callback or jax.debug.print",
    "pure_callback": "jax.pure_callback",
    "io_callback": "jax.experimental.io_callback",
}


def trace(request: TraceRequest, *, output: Output) -> TraceReport:
    """Return the exported program, or what the learner has to put right."""
    watch = Stopwatch()
    traced: _Traced | None = None
    error: LearnerError | None = None
    # Frames between learner code and JAX are sorted out here, by file name.
    jax.config.update("jax_traceback_filtering", "off")
    try:
        traced = _trace(request, watch)
    except LearnerMistakeError as mistake:
        error = error_report(mistake)
    tail = output.finish()
    return TraceReport(
        outcome=TraceOutcome.TRACED if traced is not None else TraceOutcome.LEARNER_ERROR,
        error=error,
        artefact=traced.artefact if traced is not None else b"",
        function=traced.function if traced is not None else "",
        arguments=traced.arguments if traced is not None else (),
        results=traced.results if traced is not None else (),
        output=tail.decode("utf-8", "backslashreplace"),
        output_bytes=output.total,
        phases=tuple(watch.phases),
    )


def _trace(request: TraceRequest, watch: Stopwatch) -> _Traced:
    mesh = cpu_mesh(request.mesh)
    with jax.set_mesh(mesh):
        with watch.phase("build"):
            module = load(read_source(request.source))
            jitted = _build(module, mesh)
            arguments = call_arguments(request, module, mesh)
            names = _argument_names(jitted, arguments)
        with watch.phase("trace"), blaming_trace():
            traced = jitted.trace(*arguments)
        _refuse_callbacks(traced.jaxpr)
        with watch.phase("export"), blaming_trace():
            # The trace above is cached: the learner's Python does not run a second time.
            exported = export.export(
                jitted,
                platforms=["tpu"],
                # Stage 2 decides which custom calls may be compiled: not JAX's list of stable ones.
                disabled_checks=[export.DisabledSafetyCheck.custom_call("ALL")],
            )(*arguments)
        _refuse_keys(exported)
        return _Traced(
            function=str(exported.fun_name)[:200],
            artefact=_serialize(exported),
            arguments=_claimed_arguments(exported, traced, names, jax.tree.leaves(arguments)),
            results=_claimed_results(exported),
        )


def _build(module: Any, mesh: Mesh) -> Any:
    build = function_of(
        module,
        "build",
        missing=(
            LearnerErrorKind.NO_BUILD,
            "The module has no build. Write: def build(mesh): … return jax.jit(step)",
        ),
        wrong=LearnerErrorKind.BUILD_SIGNATURE,
    )
    with blaming(LearnerErrorKind.BUILD_RAISED, "build(mesh)"):
        jitted = build(mesh)
    if isinstance(jitted, jax.stages.Wrapped):
        return jitted
    if jitted is None:
        message = "build(mesh) returned nothing. End it with: return jax.jit(step)"
    elif callable(jitted):
        name = str(getattr(jitted, "__name__", "step"))[:80]
        message = f"build(mesh) returned a plain function. End it with: return jax.jit({name})"
    else:
        message = (
            f"build(mesh) returned {with_article(jitted)}. It has to return a jitted "
            "function that has not been called: return jax.jit(step)"
        )
    raise LearnerMistakeError(LearnerErrorKind.NOT_JITTED, message)


def _argument_names(jitted: Any, arguments: tuple[Any, ...]) -> tuple[str, ...]:
    try:
        signature = inspect.signature(jitted)
    except (TypeError, ValueError):
        return tuple(f"arg{index}" for index in range(len(arguments)))
    try:
        bound = signature.bind(*arguments)
    except TypeError as error:
        raise LearnerMistakeError(
            LearnerErrorKind.WRONG_SIGNATURE,
            f"The function that build(mesh) returned is called with {len(arguments)} positional "
            f"arguments, but it is written as {str(signature)[:200]}: {error}.",
            line=getattr(getattr(jitted, "__wrapped__", None), "__code__", None)
            and jitted.__wrapped__.__code__.co_firstlineno,
        ) from None
    names: list[str] = []
    for name, value in bound.arguments.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            names.extend(f"{name}[{index}]" for index in range(len(value)))
        else:
            names.append(name)
    return tuple(names)


class blaming_trace:  # noqa: N801 - reads as a statement, beside blaming
    """Runs tracing or lowering; what it raises is the learner's, of the kind that it tells of."""

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Turn any exception into a LearnerMistakeError."""
        if error is None or isinstance(error, LearnerMistakeError):
            return
        with blaming(_kind_of(error), "Tracing your function"):
            raise error


def _kind_of(error: BaseException) -> LearnerErrorKind:
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - a learner's __str__ may raise anything
        return LearnerErrorKind.TRACE_RAISED
    if "evenly divide" in text or "divisible by" in text or "does not evenly" in text:
        return LearnerErrorKind.UNEVEN_SHARD
    if "not found in mesh" in text or "is not found in the mesh" in text or "unbound axis" in text:
        return LearnerErrorKind.UNKNOWN_MESH_AXIS
    if "host_callbacks" in text or "callback" in text:
        return LearnerErrorKind.HOST_CALLBACK
    return LearnerErrorKind.TRACE_RAISED


def _refuse_callbacks(jaxpr: Any) -> None:
    for equation in _equations(jaxpr.jaxpr):
        name = equation.primitive.name
        if "callback" not in name and not name.startswith("debug_print"):
            continue
        called = _CALLBACKS.get(name, name)
        raise LearnerMistakeError(
            LearnerErrorKind.HOST_CALLBACK,
            f"The program calls back into Python ({called}). The compiled program runs without "
            "Python: remove the callback; print(x.shape) at trace time works.",
            line=_line_of(equation),
        )


def _equations(jaxpr: core.Jaxpr) -> Iterator[Any]:
    stack = [jaxpr]
    while stack:
        current = stack.pop()
        yield from current.eqns
        stack.extend(core.subjaxprs(current))


def _line_of(equation: Any) -> int | None:
    for frame in source_info_util.user_frames(equation.source_info.traceback):
        if frame.file_name == FILE_NAME:
            return int(frame.start_line)
    return None


def _refuse_keys(exported: export.Exported) -> None:
    for what, avals in (("argument", exported.in_avals), ("result", exported.out_avals)):
        for index, aval in enumerate(avals):
            if jax.numpy.issubdtype(aval.dtype, jax.dtypes.extended):
                raise LearnerMistakeError(
                    LearnerErrorKind.NOT_EXPORTABLE,
                    f"Flat {what} {index} is a {aval.dtype}. Programs take and give plain arrays: "
                    "pass jax.random.key_data(key), a uint32 array, and call "
                    "jax.random.wrap_key_data on it inside the function.",
                )


def _serialize(exported: export.Exported) -> bytes:
    """Serialize with flat trees: the learner's own node types mean nothing to another process."""
    flat = dataclasses.replace(
        exported,
        disabled_safety_checks=(export.DisabledSafetyCheck.platform(),),
        in_tree=jax.tree.structure((tuple(exported.in_avals), {})),
        out_tree=jax.tree.structure(tuple(exported.out_avals)),
    )
    raw = bytes(flat.serialize())
    if len(raw) > ARTEFACT_CAP_BYTES:
        raise LearnerMistakeError(
            LearnerErrorKind.PROGRAM_TOO_LARGE,
            f"The exported program has {len(raw)} bytes, more than {ARTEFACT_CAP_BYTES}. Arrays "
            "made outside the function become constants of the program: pass them as arguments, "
            "or make them inside with jnp.",
        )
    return raw


def _claimed_arguments(
    exported: export.Exported,
    traced: Any,
    names: tuple[str, ...],
    given: list[Any],
) -> tuple[TracedLeaf, ...]:
    infos, _ = jax.tree_util.tree_flatten_with_path(traced.args_info)
    leaves = []
    for index, (path, info) in enumerate(infos):
        # The first two keys say "positional" and which argument.
        inner = path[2:]
        name = names[path[1].idx]
        leaves.append(
            _leaf(
                name + jax.tree_util.keystr(inner),
                exported.in_avals[index],
                # The header has none for an argument that the program does not use.
                exported._in_named_shardings[index] or given[index].sharding,  # noqa: SLF001 - no public accessor without a mesh
                donated=bool(info.donated),
            )
        )
    return tuple(leaves)


def _claimed_results(exported: export.Exported) -> tuple[TracedLeaf, ...]:
    numbered = jax.tree.unflatten(exported.out_tree, range(len(exported.out_avals)))
    paths, _ = jax.tree_util.tree_flatten_with_path(numbered)
    return tuple(
        _leaf(
            "result" + jax.tree_util.keystr(path),
            exported.out_avals[index],
            exported._out_named_shardings[index],  # noqa: SLF001 - no public accessor without a mesh
            donated=False,
        )
        for index, (path, _) in enumerate(paths)
    )


def _leaf(path: str, aval: Any, sharding: Any, *, donated: bool) -> TracedLeaf:
    return TracedLeaf(
        path=path[:400],
        dtype=aval.dtype.name,
        shape=tuple(aval.shape),
        spec=sharding_spec(sharding, len(aval.shape)) if sharding is not None else None,
        donated=donated,
    )
