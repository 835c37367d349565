"""Find one's way in HLO text without being fooled by what stands inside strings."""

import re
from collections.abc import Iterator

from grader.core.hlo.errors import HloError

# An unclosed string runs to the end: a quadratic search for its quote would be an attack.
_STRING = r'"(?:[^"\\]|\\.)*(?:"|$)'
_BRACKET_OR_STRING = re.compile(_STRING + r"|[()\[\]{}]", re.DOTALL)
_BRACKET_STRING_OR_COMMA = re.compile(_STRING + r"|[()\[\]{},]", re.DOTALL)
_WHOLE_STRING = re.compile(_STRING, re.DOTALL)
_ESCAPES = re.compile(r"((?:\\[0-7]{3})+)|\\(.)", re.DOTALL)
_NAMED_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_OPENING = "([{"


def closing_bracket(text: str, start: int) -> int:
    """Return the position of the bracket that closes the one at `text[start]`.

    Brackets inside double-quoted strings do not count. Raises `HloError` where nothing closes it.
    """
    depth = 0
    for match in _BRACKET_OR_STRING.finditer(text, start):
        mark = match.group()
        if mark[0] == '"':
            continue
        if mark in _OPENING:
            depth += 1
            continue
        depth -= 1
        if depth == 0:
            return match.start()
    raise HloError(f"nothing closes the bracket in {text[start : start + 60]!r}")


def split_top_level(text: str) -> Iterator[str]:
    """Yield the parts of `text` between commas that stand in no bracket and no string, stripped."""
    depth, part_start = 0, 0
    for match in _BRACKET_STRING_OR_COMMA.finditer(text):
        mark = match.group()
        if mark in _OPENING:
            depth += 1
        elif mark in ")]}":
            depth -= 1
        elif mark == "," and depth == 0:
            yield text[part_start : match.start()].strip()
            part_start = match.end()
    if last := text[part_start:].strip():
        yield last


def attribute(attributes: str, name: str) -> str | None:
    """Return the raw value of one attribute of an instruction, or None where it is not given.

    `attributes` is what follows the operands: `channel_id=1, replica_groups={{0,1}}, …`. The
    search stops at the attribute, so asking for an early one never walks the long configuration.
    """
    if name + "=" not in attributes:
        return None
    prefix = name + "="
    for part in split_top_level(attributes):
        if part.startswith(prefix):
            return part[len(prefix) :]
    return None


def without_strings(text: str) -> str:
    """Return `text` without what stands in its strings: names the learner chose live there."""
    return _WHOLE_STRING.sub('""', text)


def unquoted(text: str) -> str:
    """Return the value of a quoted string, escapes resolved; other text comes back as it is."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    return _ESCAPES.sub(_resolve_escape, text[1:-1])


def _resolve_escape(match: re.Match[str]) -> str:
    octal, named = match.groups()
    if octal is None:
        return _NAMED_ESCAPES.get(named, named)
    # XLA escapes what is not ASCII byte by byte, so a letter may be several of them.
    return bytes(int(code, 8) & 0xFF for code in octal[1:].split("\\")).decode("utf-8", "replace")


def parse_int(text: str, *, what: str) -> int:
    """Return a decimal integer of at most 18 digits; else an `HloError` about `what`."""
    stripped = text.strip()
    digits = stripped.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        raise HloError(f"{what} is not a number: {text[:60]!r}")
    return int(stripped)
