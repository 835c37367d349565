"""The content of this repository holds to its own rules."""

from questionbank.catalog.content.errors import fatal
from questionbank.catalog.content.report import check_folder
from tests.catalog.content.conftest import CONTENT


def test_nothing_is_wrong_with_the_committed_content() -> None:
    _, errors = check_folder(CONTENT)
    assert [str(error) for error in fatal(errors)] == []
