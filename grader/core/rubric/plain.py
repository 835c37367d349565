"""YAML as plain values that still know their lines."""

import dataclasses
import re
from collections.abc import Mapping
from typing import override

import yaml

type Place = tuple[str | int, ...]


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class RubricProblem:
    """One mistake of an author; `line` counts from 1."""

    line: int
    message: str


@dataclasses.dataclass(frozen=True, slots=True)
class Plain:
    """A document's value, the line of every place in it, and what is wrong with it as YAML."""

    value: object
    lines: Mapping[Place, int]
    problems: tuple[RubricProblem, ...]

    def line(self, place: Place) -> int:
        """Return the line of a place, or of the nearest one around it."""
        for end in range(len(place), -1, -1):
            if place[:end] in self.lines:
                return self.lines[place[:end]]
        return 1


class _NoAliases(yaml.SafeLoader):
    """Refuses aliases: rubrics have no use for them, and nested ones unfold without bound."""

    @override
    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="aliases (*name) are refused", problem_mark=mark)
        return super().compose_node(parent, index)


# YAML 1.1 takes 1e-4 for a text because it has no point.
_NoAliases.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+"),
    list("-+0123456789"),
)


def read_plain(text: str) -> Plain:
    """Read one YAML document. Keys are texts; one given twice is a problem."""
    loader = _NoAliases(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return Plain(None, {}, (RubricProblem(1, "the file is empty"),))
        walk = _Walk(loader)
        value = walk.value(node, ())
        return Plain(value, walk.lines, tuple(walk.problems))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        return Plain(None, {}, (RubricProblem(line, f"not valid YAML: {error.problem}"),))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        first = (str(error) or type(error).__name__).splitlines()[0]
        return Plain(None, {}, (RubricProblem(1, f"not valid YAML: {first}"),))
    finally:
        loader.dispose()


class _Walk:
    def __init__(self, loader: _NoAliases) -> None:
        self.loader = loader
        self.lines: dict[Place, int] = {}
        self.problems: list[RubricProblem] = []

    def value(self, node: yaml.Node, place: Place) -> object:
        self.lines.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*place, index)) for index, item in enumerate(node.value)]
        found: object = self.loader.construct_object(node, deep=True)
        return found

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, object]:
        found: dict[str, object] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            # YAML reads `on`, `y` and `n` as booleans; as keys they are the words that they are.
            key = str(key_node.value)
            if not isinstance(key_node, yaml.ScalarNode):
                self.problems.append(RubricProblem(line, "a key has to be a plain word"))
            elif key in found:
                self.problems.append(RubricProblem(line, f"{key!r} is given twice"))
            else:
                self.lines[(*place, key)] = line
                found[key] = self.value(value_node, (*place, key))
        return found
