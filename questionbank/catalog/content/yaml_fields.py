"""Strict reading of YAML with line numbers: every field is asked for by name and kind."""

import enum
import re
from collections.abc import Iterator

import yaml

from questionbank.catalog.content.errors import Problems

_NUMBER = re.compile(r"[-+]?[0-9][0-9_]*(\.[0-9]+)?([eE][-+]?[0-9]+)?")
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_MONTH = re.compile(r"20[0-9]{2}-(0[1-9]|1[0-2])")
_DAY = re.compile(r"20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")


# libyaml is ten times as fast; a PyYAML built without it reads the same.
_Loader: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEPEST = 20


def compose(text: str, problems: Problems) -> yaml.Node | None:
    """Read one YAML document into nodes; None, with the reason recorded, where it is no YAML.

    Aliases are refused: content has no use for them, and nested ones unfold without bound.
    """
    try:
        refused = _refused(text)
        if refused:
            problems.add(*refused)
            return None
        node: yaml.Node | None = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problems.add(mark.line + 1 if mark else 1, f"not valid YAML: {error.problem}")
        return None
    except yaml.YAMLError as error:
        problems.add(1, f"not valid YAML: {error}".splitlines()[0])
        return None
    if node is None:
        problems.add(1, "is empty")
    return node


def _refused(text: str) -> tuple[int, str] | None:
    """Line and reason where a text must not be composed, which recurses and follows aliases."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            return line, "not valid YAML: aliases (*name) are refused"
        if depth > _DEEPEST:
            return line, f"not valid YAML: nested more than {_DEEPEST} deep"
    return None


def line_of(node: yaml.Node) -> int:
    """Line of a node in the text that was composed, from 1."""
    return int(node.start_mark.line) + 1


class Fields:
    """The fields of one mapping. A getter records what is wrong and then returns a blank value.

    `finish()` reports the keys that nobody asked for.
    """

    def __init__(self, node: yaml.Node, problems: Problems, what: str) -> None:
        self.problems = problems
        self.what = what
        self.line = line_of(node)
        self._nodes: dict[str, yaml.Node] = {}
        self._key_lines: dict[str, int] = {}
        self._asked: list[str] = []
        if not isinstance(node, yaml.MappingNode):
            problems.add(self.line, f"{what} must be a mapping of fields")
            return
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                problems.add(line_of(key), f"{what}: a field's name must be a plain word")
            elif key.value in self._nodes:
                problems.add(line_of(key), f"{what}: field {key.value!r} is given twice")
            else:
                self._nodes[key.value] = value
                self._key_lines[key.value] = line_of(key)

    def __contains__(self, key: str) -> bool:
        return key in self._nodes

    def lines(self) -> dict[str, int]:
        """Line of each field that is present, in the file."""
        first = self.problems.first_line
        return {key: first + line - 1 for key, line in self._key_lines.items()}

    def fail(self, key: str, message: str) -> None:
        """Record a mistake in the value of a field."""
        self.problems.add(self._key_lines.get(key, self.line), f"{self.what}: {key}: {message}")

    def node(self, key: str, *, required: bool = True) -> yaml.Node | None:
        """Give the raw value of a field."""
        self._asked.append(key)
        if key not in self._nodes and required:
            self.problems.add(self.line, f"{self.what}: field {key!r} is missing")
        return self._nodes.get(key)

    def text(self, key: str, *, required: bool = True) -> str:
        """Give a non-empty string, stripped, its line breaks as spaces."""
        node = self.node(key, required=required)
        if node is None:
            return ""
        return self.scalar(node, key)

    def scalar(self, node: yaml.Node, key: str) -> str:
        """Read a node as a non-empty string."""
        if not isinstance(node, yaml.ScalarNode) or node.tag == "tag:yaml.org,2002:null":
            self.problems.add(line_of(node), f"{self.what}: {key}: must be a text")
            return ""
        value = " ".join(str(node.value).split())
        if not value:
            self.problems.add(line_of(node), f"{self.what}: {key}: is empty")
        return value

    def number(self, key: str, *, required: bool = True) -> float | None:
        """Give a number; `70e9` and `1_000` are numbers."""
        node = self.node(key, required=required)
        if node is None:
            return None
        return self.as_number(node, key)

    def as_number(self, node: yaml.Node, key: str) -> float | None:
        """Read a node as a number."""
        if not isinstance(node, yaml.ScalarNode) or not _NUMBER.fullmatch(node.value):
            self.problems.add(line_of(node), f"{self.what}: {key}: must be a number")
            return None
        return float(node.value.replace("_", ""))

    def choice[E: enum.StrEnum](self, key: str, kind: type[E]) -> E | None:
        """Give a member of a closed vocabulary; None where the field is absent or unknown."""
        value = self.text(key, required=False)
        try:
            return kind(value) if value else None
        except ValueError:
            self.fail(key, f"{value!r} is unknown; one of {', '.join(kind)}")
            return None

    def slug(self, key: str) -> str:
        """Give a slug: lower-case words and digits joined by single hyphens."""
        return self._matching(key, SLUG, "must be lower-case words joined by hyphens")

    def month(self, key: str) -> str:
        """Give a month as YYYY-MM."""
        return self._matching(key, _MONTH, "must be a month as YYYY-MM")

    def day(self, key: str) -> str:
        """Give a day as YYYY-MM-DD."""
        return self._matching(key, _DAY, "must be a day as YYYY-MM-DD")

    def _matching(self, key: str, pattern: re.Pattern[str], rule: str) -> str:
        value = self.text(key)
        if value and not pattern.fullmatch(value):
            self.fail(key, f"{value!r} {rule}")
        return value

    def items(self, key: str, *, required: bool = True) -> list[yaml.Node]:
        """Give the members of a list."""
        node = self.node(key, required=required)
        if node is None:
            return []
        if not isinstance(node, yaml.SequenceNode):
            self.fail(key, "must be a list")
            return []
        return list(node.value)

    def texts(self, key: str, *, required: bool = True) -> tuple[str, ...]:
        """Give a list of non-empty strings."""
        return tuple(self.scalar(node, key) for node in self.items(key, required=required))

    def slugs(self, key: str, *, required: bool = True) -> tuple[str, ...]:
        """Give a list of slugs, none twice."""
        values = []
        for node in self.items(key, required=required):
            value = self.scalar(node, key)
            line = line_of(node)
            self._key_lines[f"{key}.{value}"] = line
            if value and not SLUG.fullmatch(value):
                self.problems.add(line, f"{self.what}: {key}: {value!r} is not a slug")
            elif value in values:
                self.problems.add(line, f"{self.what}: {key}: {value!r} is listed twice")
            else:
                values.append(value)
        return tuple(values)

    def mapping(self, key: str, *, required: bool = True) -> Iterator[tuple[str, int, yaml.Node]]:
        """Give name, line and value of each entry of a mapping, in order."""
        node = self.node(key, required=required)
        if node is None:
            return
        if not isinstance(node, yaml.MappingNode):
            self.fail(key, "must be a mapping")
            return
        inner = Fields(node, self.problems, f"{self.what}: {key}")
        for name, value in inner._nodes.items():
            self._key_lines[f"{key}.{name}"] = inner._key_lines[name]
            yield name, inner._key_lines[name], value

    def finish(self) -> None:
        """Report every field that is not known."""
        for key, line in self._key_lines.items():
            if key in self._nodes and key not in self._asked:
                known = ", ".join(sorted(set(self._asked)))
                self.problems.add(line, f"{self.what}: unknown field {key!r}; known: {known}")
