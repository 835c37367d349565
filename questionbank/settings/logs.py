"""Log lines: JSON for machines, short coloured text for a terminal; both carry the request's id."""

from typing import Any

import structlog


def _without_colours(_: object, __: str, event: dict[str, Any]) -> dict[str, Any]:
    event.pop("color_message", None)  # uvicorn says its lines twice, once for a terminal
    return event


_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.ExtraAdder(),
    _without_colours,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def logging_config(*, as_json: bool, level: str) -> dict[str, Any]:
    """Django's LOGGING, with structlog's own loggers sent the same way."""
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,  # so that a test can listen
    )
    shown: list[Any] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if as_json:
        shown += [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    else:
        # Plain: a traceback that shows variables would write passwords and sessions into a file.
        plain = structlog.dev.plain_traceback
        shown += [
            structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0, exception_formatter=plain)
        ]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "lines": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": shown,
            }
        },
        "handlers": {"stream": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "root": {"handlers": ["stream"], "level": level},
        "loggers": {
            # Ours are taken out of Django's own arrangement, which would print each line twice.
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.server": {"handlers": [], "level": level, "propagate": True},
            # The line that a request leaves says the same, with more.
            "django.request": {"level": "ERROR"},
        },
    }
