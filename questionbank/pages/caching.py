"""Whose page may be kept: a visitor's, who has no session. Everyone else's is made afresh."""

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Concatenate

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers

KEPT_SECONDS = 60

type PageView[**P] = Callable[Concatenate[HttpRequest, P], HttpResponse]


def cached_for_visitors[**P](
    view: PageView[P],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Keep the page for visitors for a minute, and let no cache keep anyone else's.

    A visitor's page holds nothing that is not open to all, so that a stale one is at worst a minute
    behind an editor. Addresses with a query are not kept: there is no end to them.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not _is_plain_visit(request):
            return own_page(view(request, *args, **kwargs))
        key = _key(request)
        kept = cache.get(key)
        if kept is None:
            response = view(request, *args, **kwargs)
            if not _may_be_kept(request, response):
                return own_page(response)
            kept = (response.content, response.headers["Content-Type"])
            cache.set(key, kept, KEPT_SECONDS)
        return _shared_page(request, *kept)

    return wrapped


def own_page(response: HttpResponse) -> HttpResponse:
    """Mark the page as one reader's: no cache keeps it."""
    response.headers["Cache-Control"] = "private, no-store"
    patch_vary_headers(response, ["Cookie"])
    return response


def _is_plain_visit(request: HttpRequest) -> bool:
    """Whether nothing in the request could make the page differ from another visitor's."""
    personal = {settings.SESSION_COOKIE_NAME, "messages"}
    return (
        request.method in ("GET", "HEAD")
        and not request.META.get("QUERY_STRING")
        and personal.isdisjoint(request.COOKIES)
        and "Authorization" not in request.headers
        and "HX-Request" not in request.headers
    )


def _may_be_kept(request: HttpRequest, response: HttpResponse) -> bool:
    # A page with a form in it carries a token that is the visitor's own.
    has_token = "CSRF_COOKIE" in request.META
    return response.status_code == 200 and not response.cookies and not has_token


def _key(request: HttpRequest) -> str:
    address = request.build_absolute_uri()
    return "page:" + hashlib.sha256(address.encode()).hexdigest()


def _shared_page(request: HttpRequest, content: bytes, content_type: str) -> HttpResponseBase:
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    response = HttpResponse(content, content_type=content_type)
    # Browsers ask again each time, since signing in changes the page; shared caches need not.
    response.headers["Cache-Control"] = f"public, max-age=0, s-maxage={KEPT_SECONDS}"
    response.headers["ETag"] = etag
    patch_vary_headers(response, ["Cookie", "HX-Request"])
    return get_conditional_response(request, etag=etag, response=response) or response
