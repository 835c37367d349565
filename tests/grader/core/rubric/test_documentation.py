"""docs/rubrics.md shows every kind, every check, every draw, and each example is read."""

import re
from pathlib import Path
from typing import get_args

import pytest
import yaml

from grader.core.rubric import ProgramCheck, read_rubric
from grader.core.rubric.documents import AnswerRule
from grader.core.rubric.drawing import Draw, Edge

PAGE = Path("docs/rubrics.md").read_text(encoding="utf-8")
FENCES = re.findall(r"^```yaml (rubric|check)(?: in=(\w+))?\n(.*?)^```$", PAGE, re.M | re.S)
RUBRICS = [text for kind, _, text in FENCES if kind == "rubric"]
CHECKS = [(within or "program", text) for kind, within, text in FENCES if kind == "check"]


def with_checks(within: str, check: str) -> str:
    """The page's first rubric of a kind, with one check in place of its own."""
    rubric = next(text for text in RUBRICS if text.startswith(f"kind: {within}\n"))
    document = yaml.safe_load(rubric)
    document["checks"] = [{str(key): value for key, value in _words(check).items()}]
    return yaml.safe_dump(document, sort_keys=False)


def _words(check: str) -> dict[object, object]:
    found: dict[object, object] = yaml.safe_load(check)
    # YAML 1.1 reads the key `on` as a truth value, and 1e-4 as a text.
    return {("on" if key is True else key): _number(value) for key, value in found.items()}


def _number(value: object) -> object:
    if isinstance(value, dict):
        return {key: _number(inner) for key, inner in value.items()}
    return float(value) if isinstance(value, str) and re.fullmatch(r"\de-\d", value) else value


@pytest.mark.parametrize("text", RUBRICS)
def test_each_rubric_on_the_page_is_right(text: str) -> None:
    assert read_rubric(text)[1] == ()


@pytest.mark.parametrize(("within", "check"), CHECKS)
def test_each_check_on_the_page_is_right(within: str, check: str) -> None:
    assert read_rubric(with_checks(within, check))[1] == ()


def test_every_check_kind_and_judge_has_an_example() -> None:
    checks = {kind.__struct_config__.tag for kind in get_args(ProgramCheck.__value__)}
    assert {re.findall(r"check: (\w+)", text)[0] for _, text in CHECKS} == checks
    judges = {kind.__struct_config__.tag for kind in get_args(AnswerRule.__value__)}
    assert {judge for text in RUBRICS for judge in re.findall(r"judge: (\w+)", text)} == judges


def test_every_draw_and_edge_case_is_on_the_page() -> None:
    assert all(f"`{{{name}: " in PAGE for name in Draw.__struct_fields__)
    assert all(f"`{edge.value}`" in PAGE for edge in Edge)
