"""FORMAT.md shows one complete example of each kind: together they are a sound content folder."""

import re
from pathlib import Path

from questionbank.catalog.content.errors import fatal
from questionbank.catalog.content.expressions import FUNCTIONS
from questionbank.catalog.content.prose import AXES
from questionbank.catalog.content.report import check_folder
from questionbank.catalog.content.units import UNITS
from tests.catalog.content.texts import FORMAT, example_files, examples, lay


def test_there_is_an_example_of_every_kind() -> None:
    lists = {"topics.yaml", "tracks.yaml", "planned.yaml", "facts.yaml"}
    exercise = {"exercise", "expected.yaml"}
    assert examples().keys() == {"question", "concept", "drawing"} | exercise | lists


def test_the_examples_hold_in_their_canonical_form_and_their_code_runs(tmp_path: Path) -> None:
    _, errors = check_folder(lay(tmp_path, example_files()), run=True)
    assert fatal(errors) == []
    # The example answer is shorter than a real one, and that is all there is to say of it.
    assert ["the answer has" in error.message for error in errors] == [True]


def test_every_unit_function_and_axis_is_listed() -> None:
    code = " ".join(re.findall(r"`([^`\n]+)`", FORMAT.read_text(encoding="utf-8")))
    listed = set(code.split())
    assert UNITS.keys() <= listed
    assert FUNCTIONS.keys() <= listed
    assert set(AXES) <= listed
