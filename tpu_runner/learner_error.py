"""What a learner can get wrong, as part of the protocol."""

import enum
from dataclasses import dataclass


class LearnerErrorKind(enum.StrEnum):
    """What in the learner's module has to be put right."""

    SOURCE_TOO_LARGE = "source_too_large"
    SOURCE_NOT_UTF8 = "source_not_utf8"
    SOURCE_HAS_NUL = "source_has_nul"
    SOURCE_EMPTY = "source_empty"
    SYNTAX_ERROR = "syntax_error"
    IMPORT_RAISED = "import_raised"
    NO_BUILD = "no_build"
    BUILD_SIGNATURE = "build_signature"
    BUILD_RAISED = "build_raised"
    NOT_JITTED = "not_jitted"
    NO_EXAMPLE_ARGS = "no_example_args"
    EXAMPLE_ARGS_RAISED = "example_args_raised"
    EXAMPLE_ARGS_WRONG = "example_args_wrong"
    NO_INPUT_SPECS = "no_input_specs"
    INPUT_SPECS_RAISED = "input_specs_raised"
    INPUT_SPECS_WRONG = "input_specs_wrong"
    UNKNOWN_MESH_AXIS = "unknown_mesh_axis"
    UNEVEN_SHARD = "uneven_shard"
    WRONG_SIGNATURE = "wrong_signature"
    TRACE_RAISED = "trace_raised"
    HOST_CALLBACK = "host_callback"
    NOT_EXPORTABLE = "not_exportable"
    PROGRAM_TOO_LARGE = "program_too_large"
    EXITED = "exited"
    NO_FUNCTION = "no_function"
    FUNCTION_RAISED = "function_raised"
    NOT_DATA = "not_data"


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerFrame:
    """One line of the learner's own traceback."""

    line: int
    function: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerError:
    """A learner's mistake: what happened, what to do, and where in their file."""

    kind: LearnerErrorKind
    message: str
    exception: str
    frames: tuple[LearnerFrame, ...]
