"""The checks that a rubric may ask for, as data. `grader.core.checks` judges them."""

import enum
from typing import Annotated

import msgspec
from msgspec import Meta

from grader.core.collectives.rows import Kind, Link
from grader.core.rubric.vocabulary import Spec
from tpu_runner.protocol import Backend


class Where(enum.StrEnum):
    """Whether a collective counts inside loops, outside them, or wherever it is."""

    ANYWHERE = "anywhere"
    INSIDE_LOOPS = "inside_loops"
    OUTSIDE_LOOPS = "outside_loops"


class Figure(enum.StrEnum):
    """The figures of a compiler's memory analysis."""

    ARGUMENT = "argument"
    OUTPUT = "output"
    TEMP = "temp"
    ALIAS = "alias"
    PEAK = "peak"


class Check(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="check", kw_only=True
):
    """What every check has."""

    on: Annotated[
        tuple[Backend, ...],
        Meta(description="backends it is judged on; without it, all that have its evidence"),
    ] = ()
    why: Annotated[str, Meta(description="why it matters, shown to the learner")] = ""
    concept: Annotated[str, Meta(description="slug of the concept to read")] = ""


class Tolerance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a value may be off: |found - wanted| <= atol + rtol × |wanted|."""

    rtol: Annotated[float, Meta(ge=0)] = 0.0
    atol: Annotated[float, Meta(ge=0)] = 0.0


class Values(Check, frozen=True, tag="values"):
    """Outputs on hidden inputs, on every shard, against the plain reference. Judged on cpu."""

    rtol: Annotated[float, Meta(ge=0)] = 0.0
    atol: Annotated[float, Meta(ge=0)] = 0.0
    outputs: Annotated[
        dict[str, Tolerance], Meta(description="tolerances of single outputs, by name")
    ] = msgspec.field(default_factory=dict)
    allow_nan: Annotated[
        bool, Meta(description="the reference may have NaN, which must be at the same places")
    ] = False
    allow_infinite: Annotated[
        bool, Meta(description="the reference may have infinities, at the same places")
    ] = False


class OutputSharding(Check, frozen=True, tag="output_sharding"):
    """The compiled layouts of the outputs that state a sharding in `outputs`, or of these."""

    outputs: Annotated[dict[str, Spec], Meta(description="shardings by output name")] = (
        msgspec.field(default_factory=dict)
    )


class Pattern(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which rows are meant; what is not said may be anything."""

    kind: Kind | tuple[Kind, ...] = ()
    axes: Annotated[
        tuple[str, ...] | None, Meta(description="exactly over these mesh axes, together")
    ] = None
    touches: Annotated[str, Meta(description="over this axis, whole or in part")] = ""
    where: Where = Where.ANYWHERE
    link: Link | None = None
    dtype: Annotated[str, Meta(description="element type as HLO names it, such as f32")] = ""
    larger_than_bytes: Annotated[
        int, Meta(ge=0, description="only rows that send more per execution on each device")
    ] = 0


class Required(Pattern, frozen=True, kw_only=True):
    """Rows that must be there: at least once, unless a count is given. Loops count each turn."""

    exactly: Annotated[int, Meta(ge=0)] | None = None
    at_least: Annotated[int, Meta(ge=0)] | None = None
    at_most: Annotated[int, Meta(ge=0)] | None = None


class Collectives(Check, frozen=True, tag="collectives"):
    """The normalised rows: what must, what must not be there, how often, and on which axes."""

    require: tuple[Required, ...] = ()
    forbid: tuple[Pattern, ...] = ()
    nothing_else: Annotated[bool, Meta(description="rows that match nothing in `require` fail")] = (
        False
    )


class Theory(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What theory says that each device sends; the build holds the reference to it within 5 %."""

    axes: tuple[str, ...]
    bytes: Annotated[int, Meta(ge=0)]
    link: Link = Link.ICI


class Traffic(Check, frozen=True, tag="traffic"):
    """Bytes sent by each device, per mesh axes and link, against the reference's."""

    factor: Annotated[float, Meta(ge=1)] = 1.05
    slack_bytes: Annotated[int, Meta(ge=0)] = 1024
    theory: tuple[Theory, ...] = ()


class Memory(Check, frozen=True, tag="memory"):
    """One figure of the memory analysis, on each device, against the reference's or in bytes."""

    figure: Figure
    at_most: Annotated[float, Meta(gt=0, description="times the reference's")] | None = None
    at_least: Annotated[float, Meta(gt=0, description="times the reference's")] | None = None
    at_most_bytes: Annotated[int, Meta(ge=0)] | None = None
    at_least_bytes: Annotated[int, Meta(ge=0)] | None = None


class Flops(Check, frozen=True, tag="flops"):
    """Dots and convolutions of each device, loops counted, against the reference's."""

    at_most: Annotated[float, Meta(ge=1, description="times the reference's")] = 1.05


class Overlap(Check, frozen=True, tag="overlap"):
    """The share of matching rows' bytes that has compute between start and done. tpu-compile."""

    of: Pattern
    at_least: Annotated[float, Meta(gt=0, le=1, description="share of the bytes")]


class Compilations(Check, frozen=True, tag="compilations"):
    """How many programs the calls of a `program_set` use."""

    at_most: Annotated[int, Meta(ge=1)]


class Time(Check, frozen=True, tag="time"):
    """The time of one execution as modelled on the slice's links and matrix units."""

    at_most: Annotated[float, Meta(ge=1, description="times the reference's")] = 1.1


class Answer(Check, frozen=True, tag="answer"):
    """The answers of a `data` exercise, every case."""


type ProgramCheck = (
    Values
    | OutputSharding
    | Collectives
    | Traffic
    | Memory
    | Flops
    | Overlap
    | Compilations
    | Time
    | Answer
)
