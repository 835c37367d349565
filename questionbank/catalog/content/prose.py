"""What authors may put into running text: values, axes, numbers; and what they may not."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from questionbank.catalog.content.documents import Fact
from questionbank.catalog.content.errors import Problems
from questionbank.catalog.content.numbers import INPUT_DIGITS, shown_in, written
from questionbank.catalog.content.units import parse_unit

AXES = ("data", "model", "fsdp", "expert", "pipe", "seq", "slice", "none")

PLACEHOLDER = r"\{\{[ \t]*([^{}]*?)[ \t]*\}\}"
AXIS = r":ax\[([^\[\]\n]*)\]"
FIGURE = re.compile(r"!\[(?P<caption>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<file>[^()\s]+)\)")
_LITERAL = re.compile(r'lit\("([^"]+)"\)')
_FACT = re.compile(r"fact\.([a-z0-9_.]+)")
_NAME = re.compile(r"[a-z][A-Za-z0-9_]*")

_FENCED = re.compile(
    r"^ *(?P<mark>`{3,}|~{3,})[^`\n]*\n.*?(?:^ *(?P=mark)[`~]*[ \t]*$|\Z)", re.M | re.S
)
_CODE = re.compile(r"(?<![`\\])(?P<mark>`+)(?!`)(?:(?!\n\s*\n).)+?(?<!`)(?P=mark)(?!`)", re.S)
_MATHS = re.compile(
    r"(?<![\\$])\$\$.+?\$\$|(?<![\\$])\$(?![\s$])(?:[^$\\\n]|\\.)+?(?<!\s)\$(?!\d)", re.S
)
_TARGET = re.compile(r"(?<=\])\([^()\s]*\)|^\[(?!\^)[^\]\n]+\]: \S+", re.M)
_HTML = re.compile(r"</?[a-zA-Z][a-zA-Z0-9-]*(?:\s[^<>]*)?/?>")

_SPACED = r"B|s|h|W|J|min|d"
_UNIT = (
    r"[kMGTP]B|[KMGTP]iB|bytes?|[kMGT]?bits?|[kMGT]b|ns|µs|us|ms|seconds?|minutes?|hours?|days?"
    r"|[kMGTPE]?FLOPs?|[kMGTP]?FLOPS|TF|PF|TOPS|[kMGT]?Hz|[kM]W|k?Wh|[kM]J|USD|INR|per cent|percent"
)
_BARE = re.compile(
    rf"(?<![\w.,\\])(?:\d[\d,.]*(?:e\d+)?(?:[\s\u00a0-]?(?:(?:{_UNIT})\b|%)"
    rf"|[\s\u00a0](?:{_SPACED})(?![\w-]))|\\?[$₹]\s?\d[\d,.]*)"
)
_BIT_NAME = re.compile(r"\d+-bits?$")


class Value(NamedTuple):
    """What a placeholder stands for: its text, and the live name or the fact where there is one."""

    text: str
    name: str = ""
    fact: Fact | None = None


class Known(msgspec.Struct, frozen=True):
    """What placeholders of one text may name: written values by name, and facts by name.

    `has_unread_sheets`: a sheet could not be read, so what it would have named is not known.
    """

    values: Mapping[str, str] = {}
    facts: Mapping[str, Fact] = {}
    has_unread_sheets: bool = False

    def resolve(self, text: str) -> Value:
        """Give what `{{ text }}` stands for. Raises ValueError with a message for the author."""
        if literal := _LITERAL.fullmatch(text):
            return Value(literal[1])
        if name := _FACT.fullmatch(text):
            fact = self.facts.get(name[1])
            if fact is None:
                raise ValueError(f"{{{{ {text} }}}}: {name[1]!r} is not in facts.yaml")
            return Value(fact_text(fact), fact=fact)
        if not _NAME.fullmatch(text):
            raise ValueError(f'{{{{ {text} }}}}: give a name, fact.NAME or lit("…")')
        if text not in self.values:
            raise ValueError(f"{{{{ {text} }}}}: no sheet of this text has the name {text!r}")
        return Value(self.values[text], name=text)


def fact_text(fact: Fact) -> str:
    """Write a fact's value with its unit."""
    unit = parse_unit(fact.unit)
    return written(fact.value * unit.factor, shown_in(unit, INPUT_DIGITS))


def masked(text: str) -> str:
    """Blank out code, maths and link targets, so that every character keeps its place."""
    for pattern in (_FENCED, _CODE, _MATHS, _TARGET):
        text = pattern.sub(_blank, text)
    return text


def check_prose(text: str, known: Known, problems: Problems) -> None:
    """Hold running text to the rules: placeholders resolve, axes exist, numbers are worked."""
    text = masked(FIGURE.sub(lambda match: match["caption"], text))
    for line, match in _matches(PLACEHOLDER, text):
        if known.has_unread_sheets and _NAME.fullmatch(match[1]):
            continue  # the sheet's own mistake is told; this would only repeat it
        try:
            known.resolve(match[1])
        except ValueError as error:
            problems.add(line, str(error))
    for line, match in _matches(AXIS, text):
        if match[1] not in AXES:
            problems.add(line, f"axis {match[1]!r} is unknown; one of {', '.join(AXES)}")
    text = re.sub(PLACEHOLDER, _blank, text)
    for line, match in _matches(_HTML, text):
        problems.add(line, f"{match[0]} is HTML, which would be shown as text")
    for line, match in _matches(_BARE, text):
        if not _BIT_NAME.search(match[0]):
            problems.add(
                line,
                f"{' '.join(match[0].split())!r} is a bare number with a unit: take it from a "
                'sheet or a fact, or say {{ lit("…") }}',
            )


def _matches(pattern: str | re.Pattern[str], text: str) -> Iterator[tuple[int, re.Match[str]]]:
    for match in re.finditer(pattern, text):
        yield text.count("\n", 0, match.start()) + 1, match


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
