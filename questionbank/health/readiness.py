"""Whether the parts that a page or a submission needs do answer."""

import dataclasses
from collections.abc import Callable

import redis
import structlog
from django.db import DatabaseError, connection

from questionbank import broker
from questionbank.health import heartbeat

_log = structlog.get_logger(__name__)


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """One part of the site: whether it answers, and in a few public words what is wrong."""

    name: str
    ready: bool
    says: str


def parts() -> list[Part]:
    """Ask every part. Takes at most a few seconds, and raises nothing for a part that is down."""
    return [
        _ask("database", _database, otherwise=DatabaseError),
        _ask("broker", _broker, otherwise=redis.RedisError),
        _ask("worker", _worker, otherwise=redis.RedisError),
    ]


def _ask(
    name: str, question: Callable[[], tuple[bool, str]], *, otherwise: type[Exception]
) -> Part:
    try:
        ready, says = question()
    except otherwise as error:
        # What went wrong may name hosts and users: it goes to the log and not to the page.
        _log.warning("part does not answer", part=name, error=str(error))
        return Part(name, ready=False, says="does not answer")
    return Part(name, ready, says)


def _database() -> tuple[bool, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
    return True, "answers"


def _broker() -> tuple[bool, str]:
    broker.connect().ping()
    return True, "answers"


def _worker() -> tuple[bool, str]:
    count = len(heartbeat.workers_at_work(broker.connect()))
    if count:
        return True, f"{count} at work"
    return False, f"none heard from for {heartbeat.SILENCE_SECONDS:g} s"
