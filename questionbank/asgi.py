"""The ASGI application: static files straight from the server's loop, everything else by Django."""

import os
from collections.abc import MutableMapping

from django.conf import settings
from django.core.asgi import get_asgi_application
from servestatic import ServeStaticASGI

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "questionbank.settings.production")


def _add_headers(headers: MutableMapping[str, str], _path: str, _address: str) -> None:
    """What Django's middleware would have added; a picture opened by itself may run nothing."""
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Content-Security-Policy"] = "default-src 'none'; style-src 'self'; sandbox"


_django = get_asgi_application()
application = ServeStaticASGI(
    _django,
    root=settings.STATIC_ROOT,
    prefix=settings.STATIC_URL,
    # The storage puts twelve digits of the content's hash into each name that a page uses.
    immutable_file_test=r"\.[0-9a-f]{12}\.[^/]+$",
    allow_all_origins=False,
    add_headers_function=_add_headers,
)
