"""Gives each request an id that its log lines, its response and its tasks carry."""

import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.encoding import escape_uri_path

HEADER = "X-Request-ID"

# A proxy may have named the request already; what else a client sends never gets into a log line.
_ACCEPTABLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
_QUIET = ("/healthz", "/readyz", "/metrics")

_log = structlog.get_logger("questionbank.requests")


class RequestLogMiddleware:
    """Binds the request's id to every log line under it and leaves one line when it is answered."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = accepted_id(request.headers.get(HEADER, "")) or uuid.uuid4().hex
        began = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
            response.headers[HEADER] = request_id
            write = _log.debug if _is_noise(request, response) else _log.info
            write(
                # Escaped again: a decoded line break in a path would write a line of its own.
                f"{request.method} {escape_uri_path(request.path)}",
                status=response.status_code,
                ms=round((time.perf_counter() - began) * 1000, 1),
            )
        return response


def accepted_id(given: str) -> str | None:
    """The id that the client gave, if it is 8 to 64 letters, digits, dots, dashes, underscores."""
    return given if _ACCEPTABLE.fullmatch(given) else None


def _is_noise(request: HttpRequest, response: HttpResponse) -> bool:
    """Whether nobody looks for this line: files and probes that went well."""
    return response.status_code < 400 and (
        request.path in _QUIET or request.path.startswith(settings.STATIC_URL)
    )
