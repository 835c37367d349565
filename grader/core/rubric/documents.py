"""A rubric as data: what an exercise asks, on what, and how it is checked."""

import enum
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from grader.core.rubric.checks import ProgramCheck
from grader.core.rubric.drawing import Draw, Edge
from grader.core.rubric.vocabulary import Dtype, Spec
from tpu_runner.protocol import AxisType

type Case = Literal["random"] | dict[str, Edge | Draw]


class InputShardings(enum.StrEnum):
    """Who says how the arguments are split over the mesh."""

    GIVEN = "given"
    LEARNER = "learner"  # the module has input_specs(mesh)


class Mesh(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Axes from the slowest to the fastest varying position."""

    axes: Annotated[dict[str, int], Meta(min_length=1, description="size of each axis")]
    types: Annotated[
        AxisType | dict[str, AxisType], Meta(description="of all axes, or of each")
    ] = AxisType.AUTO

    def type_of(self, axis: str) -> AxisType:
        """Return the type of one axis."""
        return self.types if isinstance(self.types, AxisType) else self.types[axis]


class CpuTarget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fake CPU devices, as many as the mesh has: compiles and runs."""


class TpuTarget(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The TPU compiler for a named slice: compiles only."""

    topology: Annotated[str, Meta(description="such as v5e:2x4")]
    slices: Annotated[int, Meta(ge=1)] = 1


class Backends(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True
):
    """What the program is compiled for. Values always come from `cpu`."""

    cpu: CpuTarget = CpuTarget()
    tpu_compile: TpuTarget | None = None


class Input(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One array among the arguments."""

    dtype: Dtype
    shape: Annotated[
        tuple[int | str, ...],
        Meta(description="global sizes; in a program_set the call's name stands for its length"),
    ]
    sharding: Annotated[Spec | None, Meta(description="mesh axes of each dimension")] = None
    draw: Draw
    donated: Annotated[bool, Meta(description="may the program reuse its memory")] = False


class Output(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One array among the results."""

    dtype: Dtype
    shape: tuple[int | str, ...]
    sharding: Annotated[Spec | None, Meta(description="checked by output_sharding")] = None


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a submission may use, where the usual is not right."""

    expanded_ops: Annotated[int, Meta(ge=1)] | None = None
    constant_bytes: Annotated[int, Meta(ge=0)] | None = None
    compile_seconds: Annotated[float, Meta(gt=0, le=120)] = 30.0
    run_seconds: Annotated[float, Meta(gt=0, le=120)] = 20.0


class _Program(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"
):
    version: Annotated[
        int,
        Meta(ge=1, description="raised whenever a verdict could change: hidden inputs follow it"),
    ]
    mesh: Mesh
    backends: Backends = Backends()
    inputs: Annotated[
        dict[str, Input],
        Meta(min_length=1, description="by name, in argument order; state.w is a key in state"),
    ]
    outputs: Annotated[
        dict[str, Output],
        Meta(min_length=1, description="by name, in the order in which JAX flattens the result"),
    ]
    cases: Annotated[
        tuple[Case, ...], Meta(min_length=3, description="at least three of them `random`")
    ] = ("random", "random", "random")
    custom_calls: Annotated[
        tuple[str, ...], Meta(description="custom call targets allowed beside the usual ones")
    ] = ()
    limits: Limits = Limits()
    checks: Annotated[tuple[ProgramCheck, ...], Meta(min_length=1)]


class ProgramRubric(_Program, frozen=True, tag="program"):
    """One program: `build(mesh)` returns the jitted function."""

    input_shardings: InputShardings = InputShardings.GIVEN


class Calls(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The lengths a program_set is called with: a whole number by this name in shapes."""

    name: str
    length: Annotated[str, Meta(description="the int32 input without dimensions that holds it")]
    least: Annotated[int, Meta(ge=1)]
    greatest: Annotated[int, Meta(ge=1)]
    hidden: Annotated[int, Meta(ge=1, description="how many lengths are drawn and run")] = 12


class Padding(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How an input of the call's length is brought to the program's: filled at its end."""

    dimension: Annotated[int, Meta(ge=0)]
    value: float = 0


class ProgramSetRubric(_Program, frozen=True, tag="program_set"):
    """Several calls, few programs: `bucket(n)` says which length a call is padded to."""

    calls: Calls
    padding: dict[str, Padding]


class MeshAnswer(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    tag_field="judge",
    tag="mesh",
    kw_only=True,
):
    """The function returns a mesh: names, sizes and types of axes, and devices in order."""

    axes: dict[str, int]
    types: AxisType | dict[str, AxisType]
    in_order: Annotated[bool, Meta(description="devices in the order given, row by row")] = True


class IndexMapAnswer(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    tag_field="judge",
    tag="index_map",
    kw_only=True,
):
    """The function says which block of an array each device holds, for random specs."""

    cases: Annotated[int, Meta(ge=1, le=500)] = 200
    most_axes: Annotated[int, Meta(ge=1, le=4)] = 3
    most_dimensions: Annotated[int, Meta(ge=1, le=4)] = 3


class PlacementAnswer(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    tag_field="judge",
    tag="placement",
    kw_only=True,
):
    """The function lays shuffled devices out; crossings of slices are counted along each axis."""

    axes: dict[str, int]
    slices: Annotated[int, Meta(ge=1)]
    torus: Annotated[tuple[int, ...], Meta(description="sides of a slice, in chips")]
    crosses: Annotated[str, Meta(description="the only axis that may cross slices")]
    neighbours: Annotated[
        tuple[str, ...], Meta(description="axes along which steps are single torus links")
    ] = ()
    cases: Annotated[int, Meta(ge=3, le=100)] = 10


class DrawnArgument(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One argument of a drawn case: a whole number, a word, or a list of so many of either."""

    integers: (
        Annotated[tuple[int, int], Meta(description="least, and one past the greatest")] | None
    ) = None
    one_of: Annotated[tuple[str, ...], Meta(min_length=1)] | None = None
    length: (
        Annotated[tuple[int, int], Meta(description="of the list: least and greatest")] | None
    ) = None

    def __post_init__(self) -> None:
        if (self.integers is None) == (self.one_of is None):
            raise ValueError("name exactly one of integers, one_of")


class NumbersAnswer(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    tag_field="judge",
    tag="numbers",
    kw_only=True,
):
    """The function's results on fresh cases equal the reference's, within a tolerance.

    So many cases are drawn, each argument by its own rule.
    """

    arguments: dict[str, DrawnArgument]
    rtol: Annotated[float, Meta(ge=0)] = 0.0
    cases: Annotated[int, Meta(ge=3, le=500)] = 50


type AnswerRule = MeshAnswer | IndexMapAnswer | PlacementAnswer | NumbersAnswer


class DataRubric(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    kw_only=True,
    tag_field="kind",
    tag="data",
):
    """The answer is data: what a function of the learner's returns for cases it has not seen."""

    version: Annotated[int, Meta(ge=1)]
    function: Annotated[str, Meta(description="the learner's function, called once for each case")]
    answer: AnswerRule
    devices: Annotated[int, Meta(ge=1, le=64, description="fake devices it may ask JAX for")] = 8
    checks: Annotated[tuple[ProgramCheck, ...], Meta(min_length=1)]


type Rubric = ProgramRubric | ProgramSetRubric | DataRubric
