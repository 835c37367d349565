"""Runs a learner's module and turns whatever it raises into a message about their own lines."""

import contextlib
import inspect
import linecache
import re
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from tpu_runner.protocol import (
    MESSAGE_CAP_CHARACTERS,
    SOURCE_CAP_BYTES,
    LearnerError,
    LearnerErrorKind,
    LearnerFrame,
)

FILE_NAME = "submission.py"
_MAX_FRAMES = 20
_MAX_LINE_CHARACTERS = 200
_INSTALLED_PATH = re.compile(r"(?:/[^\s\"':/]+)+/(?:site-packages|lib/python[\d.]+)/")


class LearnerMistakeError(Exception):
    """Something that the learner has to put right; `line` points into their file where known."""

    def __init__(self, kind: LearnerErrorKind, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.line = line


def read_source(raw: bytes) -> str:
    """Return the module's text: without a byte order mark, with plain newlines.

    Raises LearnerMistakeError for what is no Python text at all.
    """
    if len(raw) > SOURCE_CAP_BYTES:
        raise LearnerMistakeError(
            LearnerErrorKind.SOURCE_TOO_LARGE,
            f"The file is larger than {SOURCE_CAP_BYTES // 1024} KiB. Hand in only the program: "
            "data and weights are arguments.",
        )
    if b"\0" in raw:
        raise LearnerMistakeError(
            LearnerErrorKind.SOURCE_HAS_NUL,
            f"The file has a NUL byte at offset {raw.index(0)}. Save it as UTF-8 text.",
        )
    try:
        text = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise LearnerMistakeError(
            LearnerErrorKind.SOURCE_NOT_UTF8,
            f"The file is not UTF-8: line {line} has the byte 0x{raw[error.start]:02x}. "
            "Save it as UTF-8.",
            line=line,
        ) from None
    if not text.strip():
        raise LearnerMistakeError(
            LearnerErrorKind.SOURCE_EMPTY,
            "The file is empty. Write a function build(mesh) that returns a jitted function.",
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def load(text: str) -> types.ModuleType:
    """Run the text as the module `submission`. Raises LearnerMistakeError."""
    linecache.cache[FILE_NAME] = (len(text), None, text.splitlines(keepends=True), FILE_NAME)
    module = types.ModuleType("submission")
    module.__file__ = FILE_NAME
    sys.modules["submission"] = module
    try:
        code = compile(text, FILE_NAME, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise LearnerMistakeError(
            LearnerErrorKind.SYNTAX_ERROR,
            f"{type(error).__name__}: {error.msg} (line {error.lineno}).",
            line=error.lineno,
        ) from None
    except (RecursionError, MemoryError, ValueError, OverflowError) as error:
        raise LearnerMistakeError(
            LearnerErrorKind.SYNTAX_ERROR,
            f"Python cannot compile the file: {type(error).__name__}. "
            "Is something nested very deeply?",
        ) from None
    with blaming(LearnerErrorKind.IMPORT_RAISED, "The module"):
        exec(code, module.__dict__)  # noqa: S102 - running it is this process's purpose
    return module


def function_of(
    module: types.ModuleType,
    name: str,
    *,
    missing: tuple[LearnerErrorKind, str],
    wrong: LearnerErrorKind,
) -> Callable[[Any], Any]:
    """Return the module's function of one argument, the mesh. Raises LearnerMistakeError."""
    function = module.__dict__.get(name)
    if function is None:
        raise LearnerMistakeError(*missing)
    if not callable(function):
        raise LearnerMistakeError(
            wrong, f"{name} is {with_article(function)}, not a function. Write: def {name}(mesh): …"
        )
    try:
        inspect.signature(function).bind(object())
    except TypeError:
        raise LearnerMistakeError(
            wrong,
            f"{name} is called with one argument, the mesh, but it is written as "
            f"{name}{_signature_text(function)}. Write: def {name}(mesh): …",
            line=getattr(getattr(function, "__code__", None), "co_firstlineno", None),
        ) from None
    except ValueError:
        pass  # a callable without a signature: calling it will tell
    return function  # type: ignore[no-any-return]  # a learner's object, callable by the check above


@contextlib.contextmanager
def blaming(kind: LearnerErrorKind, what: str) -> Iterator[None]:
    """Run learner code; whatever it raises becomes a LearnerMistakeError of this kind.

    `what` starts the message, such as "build(mesh)".
    """
    try:
        yield
    except LearnerMistakeError:
        raise
    except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
        raise LearnerMistakeError(
            LearnerErrorKind.EXITED,
            f"{what} ended the process ({type(error).__name__}). "
            "Return the jitted function instead.",
        ) from error
    except RecursionError as error:
        raise LearnerMistakeError(
            kind, f"{what} calls itself too deeply (RecursionError)."
        ) from error
    except BaseException as error:  # learner code may raise anything
        raise LearnerMistakeError(kind, f"{what} raised {describe(error)}") from error


def describe(error: BaseException) -> str:
    """Return the exception's type and text, capped, without paths of this installation."""
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - a learner's __str__ may raise anything
        text = "(its text could not be made)"
    text = _INSTALLED_PATH.sub("", text[: 4 * MESSAGE_CAP_CHARACTERS])
    name = str(type(error).__name__)[:80]
    return (f"{name}: {text}" if text else name)[: MESSAGE_CAP_CHARACTERS - 200]


def error_report(mistake: LearnerMistakeError) -> LearnerError:
    """Return the mistake as data, with the learner's frames of its cause, outermost first."""
    cause = mistake.__cause__
    frames = _learner_frames(cause) if cause is not None else ()
    if not frames and mistake.line is not None:
        frames = (_frame(mistake.line, "<module>"),)
    return LearnerError(
        kind=mistake.kind,
        message=mistake.message[:MESSAGE_CAP_CHARACTERS],
        exception=str(type(cause).__name__)[:80] if cause is not None else "",
        frames=frames,
    )


def _learner_frames(error: BaseException) -> tuple[LearnerFrame, ...]:
    found: list[tuple[int, str]] = []
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == FILE_NAME:
            found.append((step.tb_lineno, step.tb_frame.f_code.co_name))
            # A recursion has thousands of frames: the first and the last ones tell it all.
            if len(found) > 2 * _MAX_FRAMES:
                del found[_MAX_FRAMES // 2]
        step = step.tb_next
    if len(found) > _MAX_FRAMES:
        found = found[: _MAX_FRAMES // 2] + found[-_MAX_FRAMES // 2 :]
    return tuple(_frame(line, function) for line, function in found)


def _frame(line: int, function: str) -> LearnerFrame:
    text = linecache.getline(FILE_NAME, line).strip()
    return LearnerFrame(line=line, function=function[:80], text=text[:_MAX_LINE_CHARACTERS])


def _signature_text(function: Callable[..., Any]) -> str:
    try:
        return str(inspect.signature(function))[:200]
    except (TypeError, ValueError):
        return "(…)"


def with_article(value: object) -> str:
    """Return the name of the value's type as a sentence has it, such as `an int`."""
    name = type(value).__name__[:80]
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
