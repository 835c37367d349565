"""The wire format of the runner: requests and reports of both stages, facts only, never a score.

A stage first writes READY, then reads one request frame up to end of file, and answers with one
report frame and end of file. Standard library only: this module is what others may import.
"""

import enum
from dataclasses import dataclass
from typing import Any, Final

from tpu_runner.framing import ProtocolError, decode, encode, read_to_end, section
from tpu_runner.learner_error import LearnerError, LearnerErrorKind, LearnerFrame
from tpu_runner.placement import DevicePlace, MemoryBytes, Shard, TensorLayout

__all__ = [
    "DevicePlace",
    "LearnerError",
    "LearnerErrorKind",
    "LearnerFrame",
    "MemoryBytes",
    "ProtocolError",
    "Shard",
    "TensorLayout",
    "read_to_end",
]

PROTOCOL_VERSION: Final = 1
READY: Final = b"READY\n"

KIB: Final = 1024
MIB: Final = 1024 * KIB
SOURCE_CAP_BYTES: Final = 64 * KIB
ARTEFACT_CAP_BYTES: Final = 4 * MIB
STDOUT_CAP_BYTES: Final = 64 * KIB
HLO_CAP_BYTES: Final = 64 * MIB
TRIAL_CAP_BYTES: Final = 64 * MIB
CASES_CAP_BYTES: Final = 4 * MIB
MESSAGE_CAP_CHARACTERS: Final = 4096
HEADER_CAP_BYTES: Final = 16 * MIB
FRAME_CAP_BYTES: Final = HEADER_CAP_BYTES + 4 * HLO_CAP_BYTES


# What JAX's decompositions and kernels lower to for a TPU. The compiler brings them along; an
# exercise that needs them allows them, and inspection of one's own file may allow them all.
LIBRARY_CALLS: Final = (
    "AllocateBuffer",
    "ApproxTopK",
    "Eigh",
    "LuDecomposition",
    "ProductOfElementaryHouseholderReflectors",
    "Qr",
    "tpu_custom_call",
)


class AxisType(enum.StrEnum):
    """How sharding along a mesh axis is decided: by the compiler, or by types."""

    AUTO = "auto"
    EXPLICIT = "explicit"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshAxis:
    """One named axis of a mesh."""

    name: str
    size: int
    type: AxisType


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshSpec:
    """A logical mesh: axes from the slowest to the fastest varying position."""

    axes: tuple[MeshAxis, ...]

    def __post_init__(self) -> None:
        names = [axis.name for axis in self.axes]
        if not names or len(set(names)) != len(names) or not all(names):
            raise ValueError("a mesh needs axes with names, each once")
        if any(axis.size < 1 for axis in self.axes) or self.devices > 65536:
            raise ValueError("mesh axes are at least 1 and a mesh has at most 65536 devices")

    @property
    def devices(self) -> int:
        """The number of devices: the product of the axis sizes."""
        product = 1
        for axis in self.axes:
            product *= axis.size
        return product


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorSpec:
    """Shape, dtype and, where it is fixed, the mesh axes that split each dimension."""

    dtype: str
    shape: tuple[int, ...]
    spec: tuple[tuple[str, ...], ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One leaf of the arguments: `path` starts with the argument's name.

    A string after that is a dictionary key, an integer a place in a tuple.
    """

    path: tuple[str | int, ...]
    tensor: TensorSpec


class SpecsFrom(enum.StrEnum):
    """Who says how the arguments are split over the mesh."""

    REQUEST = "request"
    LEARNER = "learner"  # the module has input_specs(mesh): name -> PartitionSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRequest:
    """Stage 1: run this source, trace what `build(mesh)` returns, export it.

    With `arguments` None the module says itself what it is called with, in `example_args(mesh)`.
    """

    source: bytes = section(cap=SOURCE_CAP_BYTES + 1)
    mesh: MeshSpec
    arguments: tuple[Argument, ...] | None
    specs_from: SpecsFrom


class TraceOutcome(enum.StrEnum):
    """How stage 1 ended, where it ended by itself."""

    TRACED = "traced"
    LEARNER_ERROR = "learner_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedLeaf:
    """One flat argument or result as stage 1 claims it; `path` is a key path such as `state.w`."""

    path: str
    dtype: str
    shape: tuple[int, ...]
    spec: tuple[tuple[str, ...], ...] | None
    donated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """How long one named step took."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceReport:
    """Stage 1's answer. All of it is a claim of an untrusted process."""

    outcome: TraceOutcome
    error: LearnerError | None
    artefact: bytes = section(cap=ARTEFACT_CAP_BYTES)
    function: str
    arguments: tuple[TracedLeaf, ...]
    results: tuple[TracedLeaf, ...]
    output: str = section(cap=4 * STDOUT_CAP_BYTES)
    output_bytes: int
    phases: tuple[Phase, ...]


class Backend(enum.StrEnum):
    """What a program is compiled for."""

    CPU = "cpu"
    TPU_COMPILE = "tpu-compile"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One compilation: fake CPU devices, or a named TPU slice (`topology`, times `slices`)."""

    backend: Backend
    topology: str | None
    slices: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the module walk allows, beyond what it always refuses."""

    expanded_ops: int = 20_000
    tensor_bytes: int = 64 * 1024 * MIB
    total_tensor_bytes: int = 4096 * 1024 * MIB
    constant_bytes: int = 4 * MIB
    custom_calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One call of the program: each flat argument whole and row-major, one after another.

    Every argument is there, also one that the program does not use.
    """

    name: str
    arguments: bytes = section(cap=TRIAL_CAP_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileRequest:
    """Stage 2: check this artefact against what is expected of it, compile it, run it on the CPU.

    `mesh` is the exercise's, never a claim of stage 1. `inputs` and `outputs` are the expected
    flat tensors; None accepts the artefact's own (inspection of one's own file). `trials` need the
    CPU among the targets and `inputs` to be stated.
    """

    artefact: bytes = section(cap=ARTEFACT_CAP_BYTES)
    mesh: MeshSpec
    inputs: tuple[TensorSpec, ...] | None
    outputs: tuple[TensorSpec, ...] | None
    targets: tuple[Target, ...]
    limits: Limits
    trials: tuple[Trial, ...] = ()


class CompileOutcome(enum.StrEnum):
    """Whether the artefact was a program that may be compiled at all."""

    ACCEPTED = "accepted"
    REFUSED = "refused"


class BackendStatus(enum.StrEnum):
    """How one compilation ended."""

    COMPILED = "compiled"
    NOT_CHECKED = "not_checked"  # this host has no TPU compiler
    UNKNOWN_TOPOLOGY = "unknown_topology"
    MESH_DOES_NOT_FIT = "mesh_does_not_fit"
    COMPILER_ERROR = "compiler_error"
    COMPILER_CRASHED = "compiler_crashed"  # said from outside: the process is gone


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleSummary:
    """What the walk found before anything was compiled. Sizes are global, not per device."""

    ops: int
    expanded_ops: int
    functions: int
    custom_calls: tuple[str, ...]
    constant_bytes: int
    largest_tensor_bytes: int
    total_tensor_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """The versions that really ran. `libtpu` is None where it is not installed."""

    python: str
    jax: str
    jaxlib: str
    libtpu: str | None


class RunStatus(enum.StrEnum):
    """How one trial ended, where it ended by itself."""

    RAN = "ran"
    RAISED = "raised"  # the runtime refused: `message` says why
    TOO_LARGE = "too_large"  # more bytes of output than a report may carry


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRun:
    """What one trial gave: for each flat result, each position's shard in mesh order, row-major.

    The shards' shapes are those of the report's `outputs`. Empty where it did not run.
    """

    name: str
    status: RunStatus
    message: str
    results: bytes = section(cap=TRIAL_CAP_BYTES)
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendReport:
    """What one compiler made of the program."""

    target: Target
    status: BackendStatus
    message: str
    device_kind: str
    platform_version: str
    hlo_text: str = section(cap=HLO_CAP_BYTES)
    memory: MemoryBytes | None
    devices: tuple[DevicePlace, ...]
    inputs: tuple[TensorLayout, ...]
    outputs: tuple[TensorLayout, ...]
    phases: tuple[Phase, ...]
    runs: tuple[TrialRun, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileReport:
    """Stage 2's answer: one report for each target, in the order of the request."""

    outcome: CompileOutcome
    refusal: str
    module: ModuleSummary | None
    mesh: MeshSpec
    versions: Versions
    backends: tuple[BackendReport, ...]
    phases: tuple[Phase, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRequest:
    """Stage 1 of an exercise whose answer is data: call this function once for each case.

    `cases` is a JSON list of objects, whose values are the arguments, in order.
    """

    source: bytes = section(cap=SOURCE_CAP_BYTES + 1)
    function: str
    cases: bytes = section(cap=CASES_CAP_BYTES)


class AnswerOutcome(enum.StrEnum):
    """Whether the function answered every case."""

    ANSWERED = "answered"
    LEARNER_ERROR = "learner_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReport:
    """The answers as a JSON list, one for each case. All of it is a claim."""

    outcome: AnswerOutcome
    error: LearnerError | None
    answers: bytes = section(cap=CASES_CAP_BYTES)
    output: str = section(cap=4 * STDOUT_CAP_BYTES)
    output_bytes: int
    phases: tuple[Phase, ...]


type AnyMessage = (
    TraceRequest | TraceReport | CompileRequest | CompileReport | AnswerRequest | AnswerReport
)

# The number of a message in the frame's prefix never changes.
_KINDS: Final[dict[type, int]] = {
    TraceRequest: 1,
    TraceReport: 2,
    CompileRequest: 3,
    CompileReport: 4,
    AnswerRequest: 5,
    AnswerReport: 6,
}


def to_frame(message: AnyMessage) -> bytes:
    """Return the message as one frame. Raises ProtocolError where a part is over its cap."""
    return encode(
        message,
        kind=_KINDS[type(message)],
        version=PROTOCOL_VERSION,
        header_cap=HEADER_CAP_BYTES,
    )


def from_frame[Message: AnyMessage](frame: bytes, message: type[Message]) -> Message:
    """Return the message that the bytes hold, exactly. Raises only ProtocolError."""
    found: Any = decode(
        frame,
        message,
        kind=_KINDS[message],
        version=PROTOCOL_VERSION,
        header_cap=HEADER_CAP_BYTES,
    )
    return found  # type: ignore[no-any-return]  # decode gives an instance of what was asked for
