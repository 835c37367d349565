"""The worker's Celery application: what it runs, and how it shows that it is at work."""

import logging
from collections.abc import Callable
from typing import Any, Protocol, override

import redis
import structlog
from celery import Celery, Task, bootsteps, signals

from questionbank import broker
from questionbank.celery import REQUEST_ID
from questionbank.health import heartbeat

_log = structlog.get_logger(__name__)

app = Celery("grader", include=["grader.worker.tasks"])
app.config_from_object("django.conf:settings", namespace="CELERY")


class Entry(Protocol):
    """What a timer will call."""

    def cancel(self) -> None: ...


class Timer(Protocol):
    """The clock of the loop that takes messages."""

    def call_repeatedly(
        self, secs: float, fun: Callable[[str], None], args: tuple[str]
    ) -> Entry: ...


class Consumer(Protocol):
    """What takes the messages, as far as a step needs it."""

    hostname: str
    timer: Timer


class Pulse(bootsteps.StartStopStep):
    """Beats from the loop that takes messages: a worker that takes none falls silent."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Consumer, **options: object) -> None:
        self._timer: Entry | None = None
        super().__init__(consumer, **options)

    @override
    def start(self, consumer: Consumer) -> None:
        _beat(consumer.hostname)
        self._timer = consumer.timer.call_repeatedly(
            heartbeat.PERIOD_SECONDS, _beat, (consumer.hostname,)
        )

    @override
    def stop(self, consumer: Consumer) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        try:
            heartbeat.end(broker.connect(), consumer.hostname)
        except redis.RedisError:
            _log.info("broker away: the last beat runs out by itself")


app.steps["consumer"].add(Pulse)


def _beat(worker: str) -> None:
    try:
        heartbeat.beat(broker.connect(), worker)
    except redis.RedisError as error:
        # Celery itself mends its connection; until then the silence is the message.
        _log.warning("no heartbeat: the broker is away", error=str(error))


@signals.setup_logging.connect
def _keep_the_logs_that_django_set_up(**_: object) -> None:
    """Celery leaves logging alone when this signal has a receiver."""
    logging.getLogger("celery").setLevel(logging.INFO)


@signals.task_prerun.connect
def _bind_request_id(task: Task[Any, Any], task_id: str, **_: object) -> None:
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(task_id=task_id, task=task.name)
    if request_id := task.request.get(REQUEST_ID):
        structlog.contextvars.bind_contextvars(**{REQUEST_ID: request_id})


@signals.task_postrun.connect
def _forget_request_id(**_: object) -> None:
    structlog.contextvars.clear_contextvars()
