"""The site's end of the queue: it hands work over by name and never imports what does it."""

import structlog
from celery import Celery

app = Celery("questionbank")
app.config_from_object("django.conf:settings", namespace="CELERY")

REQUEST_ID = "request_id"


def hand_over(task: str, *arguments: object, queue: str) -> str:
    """Send a task and return its id; the worker's log lines carry the id of this request.

    Raises kombu.exceptions.OperationalError when the broker is away: the caller's row stays queued
    and the sweeper sends it later.
    """
    request_id = structlog.contextvars.get_contextvars().get(REQUEST_ID)
    headers = {REQUEST_ID: request_id} if request_id else {}
    return str(app.send_task(task, args=arguments, queue=queue, headers=headers).id)
