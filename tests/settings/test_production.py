"""Production settings in a fresh interpreter: what they refuse and what every answer carries."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMPLETE = {
    "DJANGO_SETTINGS_MODULE": "questionbank.settings.production",
    "SECRET_KEY": "q7-long-enough-and-random-looking-Zx81kfh2390dfkjw8erhsdf-0981",
    "ALLOWED_HOSTS": "bank.example.org",
    "DATABASE_URL": "postgres://bank:secret@db.invalid/bank",
    "REDIS_URL": "redis://redis.invalid:6379/0",
    "EMAIL_URL": "smtp+tls://post:secret@mail.invalid:587",
    "DEFAULT_FROM_EMAIL": "bank@example.org",
}
LOCAL = {
    "ALLOWED_HOSTS": "testserver,bank.example.org",
    "REDIS_URL": "unix:///nowhere/redis.sock",
}


def run(
    *arguments: str, given: dict[str, str], without: str | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in given.items() if name != without}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_deployment_check_finds_nothing() -> None:
    done = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", given=COMPLETE)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


@pytest.mark.parametrize("missing", sorted(COMPLETE.keys() - {"DJANGO_SETTINGS_MODULE"}))
def test_a_missing_secret_or_address_stops_the_start_and_is_named(missing: str) -> None:
    done = run("-c", "import questionbank.settings.production", given=COMPLETE, without=missing)
    assert done.returncode != 0
    last_line = done.stderr.strip().splitlines()[-1]
    assert f"set {missing}; deploy/example.env says what it is" in last_line


def test_hosts_that_name_nothing_stop_the_start() -> None:
    given = {**COMPLETE, "ALLOWED_HOSTS": " , "}
    done = run("-c", "import questionbank.settings.production", given=given)
    assert "ALLOWED_HOSTS names nothing" in done.stderr


def test_mail_that_would_go_nowhere_stops_the_start() -> None:
    given = {**COMPLETE, "EMAIL_URL": "consolemail://"}
    done = run("-c", "import questionbank.settings.production", given=given)
    assert "EMAIL_URL must begin with smtp://" in done.stderr


ANSWERS = """
import json, django
django.setup()
from django.conf import settings
# The hashed names of static files are made by collectstatic, which has not run here.
settings.STORAGES = {
    **settings.STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
from django.test import Client
asked = {
    "plain": Client().get("/healthz"),
    "redirect": Client().get("/account/login/"),
    "missing": Client().get("/there-is-no-such-page", secure=True),
    "wrong host": Client().get("/account/login/", secure=True, headers={"host": "evil.example"}),
    "forwarded": Client().get("/account/login/", headers={"x-forwarded-proto": "https"}),
}
print(json.dumps({
    "debug": settings.DEBUG,
    "session": [settings.SESSION_COOKIE_NAME, settings.SESSION_COOKIE_SECURE,
                settings.SESSION_COOKIE_HTTPONLY, settings.SESSION_COOKIE_SAMESITE],
    "csrf": [settings.CSRF_COOKIE_NAME, settings.CSRF_COOKIE_SECURE,
             settings.CSRF_COOKIE_HTTPONLY, settings.CSRF_COOKIE_SAMESITE],
    "hashers": settings.PASSWORD_HASHERS[:1],
    "answers": {name: [answer.status_code, dict(answer.headers)] for name, answer in asked.items()},
}))
"""


@pytest.fixture(scope="module")
def production() -> dict[str, object]:
    """What the production settings say, and what the site answers under them."""
    done = run("-W", "ignore", "-c", ANSWERS, given={**COMPLETE, **LOCAL})
    assert done.returncode == 0, done.stderr
    said: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return said


def answers(production: dict[str, object]) -> dict[str, tuple[int, dict[str, str]]]:
    found = production["answers"]
    assert isinstance(found, dict)
    return {name: (status, headers) for name, (status, headers) in found.items()}


def test_debugging_is_off_and_cookies_are_shut(production: dict[str, object]) -> None:
    assert production["debug"] is False
    assert production["session"] == ["__Host-session", True, True, "Lax"]
    assert production["csrf"] == ["__Host-csrf", True, True, "Lax"]
    assert production["hashers"] == ["django.contrib.auth.hashers.Argon2PasswordHasher"]


def test_plain_http_is_sent_to_https_except_a_balancers_probe(
    production: dict[str, object],
) -> None:
    found = answers(production)
    status, headers = found["redirect"]
    assert (status, headers["Location"]) == (301, "https://testserver/account/login/")
    assert found["plain"][0] == 200


def test_a_forwarded_scheme_is_not_believed_unless_settings_say_so(
    production: dict[str, object],
) -> None:
    assert answers(production)["forwarded"][0] == 301
    said = "import questionbank.settings.production as p; print(p.SECURE_PROXY_SSL_HEADER)"
    done = run("-c", said, given={**COMPLETE, "BEHIND_TLS_PROXY": "true"})
    assert done.stdout.strip() == "('HTTP_X_FORWARDED_PROTO', 'https')"


def test_an_unknown_host_is_refused(production: dict[str, object]) -> None:
    assert answers(production)["wrong host"][0] == 400


def test_https_answers_promise_https_for_two_years(production: dict[str, object]) -> None:
    _, headers = answers(production)["missing"]
    assert headers["Strict-Transport-Security"] == ("max-age=63072000; includeSubDomains; preload")


def test_every_answer_carries_a_policy_without_unsafe_sources(
    production: dict[str, object],
) -> None:
    for name, (_, headers) in answers(production).items():
        policy = headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy, name
        assert "frame-ancestors 'none'" in policy, name
        assert "unsafe-" not in policy, name
        assert headers["X-Content-Type-Options"] == "nosniff", name


@pytest.mark.postgres
def test_the_tables_are_made_on_postgres_through_the_pool(postgres_url: str) -> None:
    done = run("manage.py", "migrate", given={**COMPLETE, "DATABASE_URL": postgres_url})
    assert done.returncode == 0, done.stderr
    again = run("manage.py", "migrate", "--check", given={**COMPLETE, "DATABASE_URL": postgres_url})
    assert again.returncode == 0, again.stderr
