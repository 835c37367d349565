"""Reads a rubric strictly: every mistake found, each with its line, none of them passed over."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

import msgspec

from grader.core.rubric.checks import ProgramCheck
from grader.core.rubric.consistency import inconsistencies
from grader.core.rubric.documents import (
    Case,
    DataRubric,
    Input,
    Output,
    Padding,
    ProgramRubric,
    ProgramSetRubric,
    Rubric,
)
from grader.core.rubric.plain import Place, Plain, RubricProblem, read_plain

__all__ = ["RubricProblem", "read_rubric"]

KINDS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "program": ProgramRubric,
    "program_set": ProgramSetRubric,
    "data": DataRubric,
}
# Members of these are read one by one, so that each is blamed for its own mistakes.
_MEMBERS: Final[Mapping[str, Any]] = {
    "inputs": Input,
    "outputs": Output,
    "padding": Padding,
    "cases": Case,
    "checks": ProgramCheck,
}
_PATH: Final = re.compile(r" - at `(?:key in )?\$([^`]*)`$")
_STEP: Final = re.compile(r"\.([A-Za-z_][\w-]*)|\[(\d+)\]|\[\.\.\.\]")
_FIELD: Final = re.compile(r"`([^`]+)`")


def read_rubric(text: str) -> tuple[Rubric | None, tuple[RubricProblem, ...]]:
    """Return the rubric, or None with everything that is wrong with it, in order of lines."""
    plain = read_plain(text)
    if plain.problems:
        return None, tuple(sorted(plain.problems))
    problems = tuple(sorted(set(_problems(plain))))
    if problems:
        return None, problems
    rubric = cast(Rubric, msgspec.convert(plain.value, Rubric.__value__, strict=True))
    found = tuple(
        RubricProblem(plain.line(place), message) for place, message in inconsistencies(rubric)
    )
    return (None, tuple(sorted(found))) if found else (rubric, ())


def _problems(plain: Plain) -> Iterator[RubricProblem]:
    document = plain.value
    if not isinstance(document, dict):
        yield RubricProblem(1, "a rubric is a mapping of fields")
        return
    kind = KINDS.get(str(document.get("kind")))
    if kind is None:
        yield RubricProblem(
            plain.line(("kind",)), f"kind: has to be one of {', '.join(sorted(KINDS))}"
        )
        return
    known = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for name in document:
        if name != "kind" and name not in known:
            expected = ", ".join(["kind", *known])
            yield RubricProblem(plain.line((name,)), f"unknown field {name!r}; known: {expected}")
    for name, field in known.items():
        if name in document:
            yield from _field_problems(plain, name, field.type, document[name])
        elif field.required:
            yield RubricProblem(1, f"field {name!r} is missing")


def _field_problems(
    plain: Plain, name: str, kind: type[object], value: object
) -> Iterator[RubricProblem]:
    member = _MEMBERS.get(name)
    found = False
    if member is not None and isinstance(value, dict):
        for key, inner in value.items():
            for problem in _converted(plain, (name, key), member, inner):
                found = True
                yield problem
    elif member is not None and isinstance(value, list):
        for index, inner in enumerate(value):
            for problem in _converted(plain, (name, index), member, inner):
                found = True
                yield problem
    if not found:
        yield from _converted(plain, (name,), kind, value)


def _converted(
    plain: Plain, place: Place, kind: type[object], value: object
) -> Iterator[RubricProblem]:
    try:
        msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        message, inner = _said(str(error))
        field = _FIELD.search(message)
        exact = (*place, *inner, field.group(1)) if field and "unknown field" in message else None
        line = plain.line(exact or (*place, *inner))
        where = ".".join(str(step) for step in (*place, *inner))
        yield RubricProblem(line, f"{where}: {message}")


def _said(error: str) -> tuple[str, Place]:
    """Split a converter's message into what it says and the place that it says it of."""
    found = _PATH.search(error)
    if found is None:
        return error, ()
    steps: list[str | int] = []
    for step in _STEP.finditer(found.group(1)):
        if step.group(1):
            steps.append(step.group(1))
        elif step.group(2):
            steps.append(int(step.group(2)))
        else:
            break  # a member of a mapping, which the message does not name
    return error[: found.start()], tuple(steps)
