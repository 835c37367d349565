"""The only module that reads the environment."""

import os
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

PROJECT_ROOT = Path(__file__).resolve().parents[2]
VAR = Path(os.environ.get("QUESTIONBANK_VAR", PROJECT_ROOT / "var"))

_environment = environ.Env()


def required(name: str) -> str:
    """The variable's value. Raises ImproperlyConfigured when it is missing or empty."""
    value = os.environ.get(name, "")
    if not value:
        raise ImproperlyConfigured(f"set {name}; deploy/example.env says what it is")
    return value


def text(name: str, default: str = "") -> str:
    """The variable's value, or `default`."""
    return os.environ.get(name, default)


def names(name: str) -> list[str]:
    """A comma-separated variable as a list, empty when it is missing."""
    return [item.strip() for item in os.environ.get(name, "").split(",") if item.strip()]


def number(name: str, default: int) -> int:
    """The variable as an integer, or `default`."""
    return int(_environment.int(name, default=default))


def switch(name: str, *, default: bool) -> bool:
    """The variable as a truth value, or `default`."""
    return bool(_environment.bool(name, default=default))


def database(name: str, default: str) -> dict[str, object]:
    """Django's database settings from a URL such as `postgres://user:secret@host/name`."""
    return dict(_environment.db_url(name, default=default))
