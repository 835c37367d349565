"""The only module that reads the environment."""

import hashlib
import os
import secrets
import tempfile
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

PROJECT_ROOT = Path(__file__).resolve().parents[2]
VAR = Path(os.environ.get("QUESTIONBANK_VAR") or PROJECT_ROOT / "var").absolute()

_LONGEST_SOCKET_PATH = 107  # bytes: sun_path holds 108 with its closing zero

_environment = environ.Env()


def required(name: str) -> str:
    """The variable's value. Raises ImproperlyConfigured when it is missing or empty."""
    value = os.environ.get(name, "")
    if not value:
        raise ImproperlyConfigured(f"set {name}; deploy/example.env says what it is")
    return value


def required_names(name: str) -> list[str]:
    """A comma-separated variable as a list. Raises ImproperlyConfigured when it names nothing."""
    required(name)
    if found := names(name):
        return found
    raise ImproperlyConfigured(f"{name} names nothing; deploy/example.env says what it is")


def text(name: str, default: str = "") -> str:
    """The variable's value, or `default`."""
    return os.environ.get(name, default)


def names(name: str) -> list[str]:
    """A comma-separated variable as a list, empty when it is missing."""
    return [item.strip() for item in os.environ.get(name, "").split(",") if item.strip()]


def number(name: str, default: int) -> int:
    """The variable as an integer, or `default`. Raises ImproperlyConfigured for other text."""
    value = os.environ.get(name, "")
    try:
        return int(value) if value else default
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}") from None


def switch(name: str, *, default: bool) -> bool:
    """The variable as a truth value, or `default`."""
    return bool(_environment.bool(name, default=default))


def database(name: str, default: str) -> dict[str, object]:
    """Django's database settings from a URL such as `postgres://user:secret@host/name`."""
    return dict(_environment.db_url(name, default=default))


def mailer(name: str) -> dict[str, object]:
    """One of Django's MAILERS from a URL such as `smtp+tls://user:secret@host:587`.

    Raises ImproperlyConfigured when the variable is missing or its scheme is not one of smtp,
    smtp+tls and smtp+ssl.
    """
    found = _environment.email_url_config(required(name))
    if found["EMAIL_BACKEND"] != "django.core.mail.backends.smtp.EmailBackend":
        raise ImproperlyConfigured(f"{name} must begin with smtp://, smtp+tls:// or smtp+ssl://")
    return {
        "BACKEND": found["EMAIL_BACKEND"],
        "OPTIONS": {
            "host": found["EMAIL_HOST"],
            "port": found["EMAIL_PORT"] or 25,
            "username": found["EMAIL_HOST_USER"] or "",
            "password": found["EMAIL_HOST_PASSWORD"] or "",
            "use_tls": bool(found.get("EMAIL_USE_TLS")),
            "use_ssl": bool(found.get("EMAIL_USE_SSL")),
            "timeout": 10,
        },
    }


def kept_secret(name: str, file: Path) -> str:
    """The variable's value, or else a random secret made on first use and kept in `file`.

    For one machine alone. Only its owner can read the file.
    """
    if value := os.environ.get(name, ""):
        return value
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_name(f"{file.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(48))
        try:
            os.link(draft, file)  # whole or not at all; two processes agree on the first one's
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return file.read_text()


def valkey_socket() -> Path:
    """Where the embedded Valkey listens: in VAR, or in a short folder when VAR's path is long."""
    socket = VAR / "valkey.sock"
    if len(os.fsencode(socket)) <= _LONGEST_SOCKET_PATH:
        return socket
    mark = hashlib.sha256(os.fsencode(VAR)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"questionbank-{os.getuid()}-{mark}" / "valkey.sock"
