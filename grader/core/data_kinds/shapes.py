"""Reads what a learner's function returned: JSON that may be anything."""

from collections.abc import Mapping


class AnswerShapeError(Exception):
    """The answer is no such thing; the message says what was wanted."""


def whole(value: object, what: str) -> int:
    """Return a whole number; a bool is none. Raises AnswerShapeError."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise AnswerShapeError(f"{what} has to be a whole number, not {spelled(value)}")
    return value


def items(value: object, what: str, *, length: int | None = None) -> list[object]:
    """Return a list, of a given length where there is one. Raises AnswerShapeError."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        wanted = "a list" if length is None else f"a list of {length}"
        raise AnswerShapeError(f"{what} has to be {wanted}, not {spelled(value)}")
    return value


def mapping(value: object, what: str) -> Mapping[str, object]:
    """Return an object with text keys. Raises AnswerShapeError."""
    if not isinstance(value, dict):
        raise AnswerShapeError(f"{what} has to be a dictionary, not {spelled(value)}")
    return value


def grid(value: object, shape: tuple[int, ...], what: str) -> list[int]:
    """Return the numbers of a nested list of just this shape, row by row."""
    if not shape:
        return [whole(value, what)]
    return [
        number
        for index, inner in enumerate(items(value, what, length=shape[0]))
        for number in grid(inner, shape[1:], f"{what}[{index}]")
    ]


def spelled(value: object) -> str:
    """Return a value for reading, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
