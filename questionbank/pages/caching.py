"""Whose page may be kept: a visitor's, who has no session. Everyone else's is made afresh."""

import gzip
import hashlib
import re
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, NamedTuple, Self

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers

KEPT_SECONDS = 60
_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))")


class KeptPage(NamedTuple):
    """A page as the cache holds it, compressed once: it has no secret that its size could tell."""

    content: bytes
    compressed: bytes
    content_type: str
    etag: str

    @classmethod
    def of(cls, response: HttpResponse) -> Self:
        """Take a visitor's page."""
        content = response.content
        return cls(
            content=content,
            compressed=gzip.compress(content, mtime=0),
            content_type=response.headers["Content-Type"],
            etag=hashlib.sha256(content).hexdigest()[:32],
        )

    def answer_to(self, request: HttpRequest) -> HttpResponseBase:
        """Give the page, or the news that the visitor has it already."""
        takes_gzip = bool(_GZIP.search(request.headers.get("Accept-Encoding", "")))
        body = self.compressed if takes_gzip else self.content
        response = HttpResponse(body, content_type=self.content_type)
        if takes_gzip:
            response.headers["Content-Encoding"] = "gzip"
        # Browsers ask again each time, since signing in changes the page; shared caches need not.
        response.headers["Cache-Control"] = f"public, max-age=0, s-maxage={KEPT_SECONDS}"
        # Weak: the page is the same page, compressed or not.
        response.headers["ETag"] = etag = f'W/"{self.etag}"'
        patch_vary_headers(response, ["Accept-Encoding", "Cookie", "HX-Request"])
        return get_conditional_response(request, etag=etag, response=response) or response


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
        kept: KeptPage | None = cache.get(key)
        if kept is None:
            response = view(request, *args, **kwargs)
            if not _may_be_kept(request, response):
                return own_page(response)
            kept = KeptPage.of(response)
            cache.set(key, kept, KEPT_SECONDS)
        return kept.answer_to(request)

    return wrapped


def own_page(response: HttpResponse) -> HttpResponse:
    """Mark the page as one reader's: no cache keeps it."""
    response.headers["Cache-Control"] = "private, no-store"
    patch_vary_headers(response, ["Cookie"])
    return response


class PrivateUnlessSaidMiddleware:
    """No cache keeps a response that does not say who may: what was forgotten stays private."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        return response if "Cache-Control" in response.headers else own_page(response)


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
