"""Secrets made on first use, and a socket's path that the kernel takes."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from questionbank.settings import env

ROOT = Path(__file__).parents[2]


def test_a_kept_secret_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "var" / "secret_key"
    first = env.kept_secret("A_SECRET_THAT_IS_NOT_SET", file)
    assert len(first) >= 50
    assert file.stat().st_mode & 0o777 == 0o600
    assert env.kept_secret("A_SECRET_THAT_IS_NOT_SET", file) == first
    assert [path.name for path in file.parent.iterdir()] == ["secret_key"]


def test_a_secret_of_the_environment_goes_before_the_kept_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", "from the environment")
    assert env.kept_secret("A_SECRET", tmp_path / "key") == "from the environment"
    assert not (tmp_path / "key").exists()


def test_a_number_that_is_none_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUSTED_PROXY_COUNT", "two")
    with pytest.raises(ImproperlyConfigured, match="TRUSTED_PROXY_COUNT must be a whole number"):
        env.number("TRUSTED_PROXY_COUNT", 0)


@pytest.mark.parametrize("depth", [1, 30])
def test_the_socket_of_a_deep_folder_is_still_short_enough_for_the_kernel(
    tmp_path: Path, depth: int
) -> None:
    var = tmp_path.joinpath(*["a-deep-folder"] * depth)
    said = "from questionbank.settings import env; print(env.valkey_socket())"
    done = subprocess.run(
        [sys.executable, "-c", said],
        cwd=ROOT,
        env={"QUESTIONBANK_VAR": str(var)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(done.stdout.strip().encode()) <= 107  # sun_path: 108 with the closing zero (unix(7))
