"""The command is an adapter: it needs no database, and fails where the checker finds something."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.catalog.content.texts import QUESTION, example_files, lay


def test_sound_content_passes_and_the_counts_are_shown(tmp_path: Path) -> None:
    output = StringIO()
    call_command("check_content", str(lay(tmp_path, example_files())), "--no-run", stdout=output)
    assert "Distributed Training" in output.getvalue()
    assert "0 errors, 1 warnings" in output.getvalue()


def test_wrong_content_fails_and_names_the_place(tmp_path: Path) -> None:
    files = example_files()
    files[QUESTION] = files[QUESTION].replace("level: Core", "level: Hard")
    output = StringIO()
    with pytest.raises(CommandError, match=r"errors in "):
        call_command("check_content", str(lay(tmp_path, files)), "--no-run", stdout=output)
    assert f"{QUESTION}:6: question: level: 'Hard' is unknown" in output.getvalue()


def test_code_that_fails_is_found_unless_running_is_declined(tmp_path: Path) -> None:
    files = example_files()
    files[QUESTION] = files[QUESTION].replace(
        "import jax\n\nassert jax.device_count() == 8", "assert 1 == 2"
    )
    lay(tmp_path, files)
    with pytest.raises(CommandError, match="1 errors"):
        call_command("check_content", str(tmp_path), stdout=StringIO())
    call_command("check_content", str(tmp_path), "--no-run", stdout=StringIO())
