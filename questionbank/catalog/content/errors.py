"""What is wrong with content, said to its author: which file, which line, what to do."""

from collections.abc import Iterable, Sequence
from typing import override

import msgspec


class ContentError(msgspec.Struct, frozen=True, order=True):
    """One mistake of an author.

    `path` is relative to the content folder, `line` counts from 1. A warning is reported but does
    not fail the build.
    """

    path: str
    line: int
    message: str
    is_warning: bool = False

    @override
    def __str__(self) -> str:
        """Give the form that editors and terminals turn into a link."""
        kind = "warning: " if self.is_warning else ""
        return f"{self.path}:{self.line}: {kind}{self.message}"


class ContentErrors(Exception):  # noqa: N818 - it is the plural of ContentError
    """Content that must be right is not; carries every mistake found, not only the first."""

    def __init__(self, errors: Iterable[ContentError]) -> None:
        self.errors: Sequence[ContentError] = tuple(sorted(errors))
        super().__init__("\n".join(str(error) for error in self.errors))


def fatal(errors: Iterable[ContentError]) -> list[ContentError]:
    """Leave out the warnings."""
    return [error for error in errors if not error.is_warning]


class Problems:
    """Gathers the errors of one file.

    `first_line` is the line of the file at which the text being read starts, so that a line within
    that text can be told as a line of the file.
    """

    def __init__(
        self, path: str, first_line: int = 1, found: list[ContentError] | None = None
    ) -> None:
        self.path = path
        self.first_line = first_line
        self.found: list[ContentError] = [] if found is None else found

    def add(self, line: int, message: str) -> None:
        """Record a mistake at `line` of the text being read (from 1)."""
        self.found.append(ContentError(self.path, self.first_line + line - 1, message))

    def within(self, line: int) -> "Problems":
        """Give a collector for a text that starts at `line` of this one; both share the list."""
        return Problems(self.path, self.first_line + line - 1, self.found)
