"""The content of this repository holds to its own rules."""

import re

import pytest

from questionbank.catalog.content.errors import fatal
from questionbank.catalog.content.reading import read_bank
from questionbank.catalog.content.report import check_folder
from questionbank.catalog.content.running import run_blocks
from questionbank.catalog.content.svg import CLASSES
from tests.catalog.content.conftest import CONTENT, PROJECT


def test_nothing_is_wrong_with_the_committed_content() -> None:
    _, errors = check_folder(CONTENT)
    assert [str(error) for error in fatal(errors)] == []


@pytest.mark.compiler
def test_the_code_that_it_shows_runs() -> None:
    bank, _ = read_bank(CONTENT)
    assert [str(error) for error in run_blocks(bank)] == []


def test_the_style_sheet_draws_every_class_at_the_size_that_the_checker_counts_with() -> None:
    css = (PROJECT / "frontend/src/css/diagram.css").read_text(encoding="utf-8")
    missing = [name for name in CLASSES if f".{name}" not in css]
    assert missing == []
    assert re.search(r"\.diagram text \{[^}]*\b13px", css)
    assert re.search(r"\.diagram \.small \{[^}]*\b12px", css)
