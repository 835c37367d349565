"""Code that answers show is run, and what fails is told on its line of the file."""

import pytest

from questionbank.catalog.content.documents import Concept, Level, Origin
from questionbank.catalog.content.running import program_in, run_document


def _concept(body: str) -> Concept:
    return Concept(
        slug="c", title="T", summary="S", topic="dist", level=Level.CORE, updated="2026-12",
        breath="B", body=body, origin=Origin(path="concepts/c.md", body_line=10),
    )  # fmt: skip


def test_blocks_are_one_program_on_their_own_lines() -> None:
    body = (
        "## H\n\n```python run\nx = 1\n```\n\ntext\n\n```python\nno\n```\n\n"
        "```python run\nassert x == 1\n```"
    )
    lines = program_in(_concept(body)).split("\n")
    # The body starts on line 10, so its 4th line is the file's 13th, its 14th the 23rd.
    assert (lines[12], lines[22]) == ("x = 1", "assert x == 1")
    assert "no" not in lines


def test_a_text_without_such_blocks_runs_nothing() -> None:
    assert run_document(_concept("## H\n\n```python\nraise ValueError\n```")) is None


def test_what_holds_is_silent() -> None:
    assert run_document(_concept("```python run\nassert 1 + 1 == 2\n```")) is None


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "x = 1\nassert x == 2, 'x is one'",
            "concepts/c.md:12: the code fails: AssertionError: x is one",
        ),
        ("x = 1\nx = (", "concepts/c.md:12: the code fails: SyntaxError: '(' was never closed"),
        ("raise SystemExit(3)", "concepts/c.md:1: the code fails: exit status 3"),
    ],
)
def test_what_fails_is_told_on_its_line(code: str, message: str) -> None:
    assert str(run_document(_concept(f"```python run\n{code}\n```"))) == message


@pytest.mark.compiler
def test_code_has_jax_on_eight_devices() -> None:
    code = "import jax\nassert jax.device_count() == 8\nassert jax.devices()[0].platform == 'cpu'"
    assert run_document(_concept(f"```python run\n{code}\n```")) is None
