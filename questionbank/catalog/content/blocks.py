"""Where headings, fenced blocks and prose stand in a Markdown body, by line."""

import dataclasses
import re

_FENCE = re.compile(r"^(?P<indent> *)(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)$")
_HEADING = re.compile(r"^(?P<marks>#{1,6})[ \t]+(?P<text>.*?)[ \t]*#*[ \t]*$")


@dataclasses.dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block. `line` is that of its opening fence; its text starts on the next one."""

    info: str
    text: str
    line: int
    is_closed: bool

    @property
    def words(self) -> list[str]:
        """The words after the opening fence: the language, then marks such as `run`."""
        return self.info.split()


@dataclasses.dataclass(frozen=True, slots=True)
class HeadingLine:
    """A heading as written. `level` is the number of `#`."""

    level: int
    text: str
    line: int


@dataclasses.dataclass(frozen=True, slots=True)
class Outline:
    """A body taken apart. `prose` holds every other line, with its number."""

    headings: tuple[HeadingLine, ...]
    fences: tuple[Fence, ...]
    prose: tuple[tuple[int, str], ...]


def outline(body: str) -> Outline:
    """Take a Markdown body apart. Lines count from 1; an unclosed fence runs to the end."""
    headings: list[HeadingLine] = []
    fences: list[Fence] = []
    prose: list[tuple[int, str]] = []
    lines = body.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if opening := _FENCE.match(line):
            fence, at = _fence(lines, at, opening)
            fences.append(fence)
            continue
        if heading := _HEADING.match(line):
            headings.append(HeadingLine(len(heading["marks"]), heading["text"], at + 1))
        else:
            prose.append((at + 1, line))
        at += 1
    return Outline(tuple(headings), tuple(fences), tuple(prose))


def _fence(lines: list[str], start: int, opening: re.Match[str]) -> tuple[Fence, int]:
    mark, indent = opening["mark"], len(opening["indent"])
    text: list[str] = []
    for at in range(start + 1, len(lines)):
        stripped = lines[at].strip()
        if stripped.startswith(mark) and set(stripped) == {mark[0]}:
            return Fence(
                opening["info"].strip(), "\n".join(text), start + 1, is_closed=True
            ), at + 1
        text.append(lines[at][indent:] if lines[at][:indent].isspace() else lines[at])
    fence = Fence(opening["info"].strip(), "\n".join(text), start + 1, is_closed=False)
    return fence, len(lines)
