"""Pages for what went wrong. The last one asks nothing of the database."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from questionbank.pages.caching import own_page


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The request could not be read."""
    return _bare("400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The reader may not do this."""
    context = {"reason": str(exception)}
    return own_page(render(request, "403.html", context, status=403))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Nothing is at this address."""
    return own_page(render(request, "404.html", status=404))


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form's token is missing or old: say what to do, and lose nothing by going back."""
    if request.headers.get("HX-Request") == "true":
        messages.info(request, "This page was too old to save anything. It is new now: try again.")
        return own_page(HttpResponse(status=403, headers={"HX-Refresh": "true"}))
    return own_page(render(request, "403_csrf.html", status=403))


def server_error(request: HttpRequest) -> HttpResponse:
    """Something of ours broke."""
    return _bare("500.html", status=500)


def _bare(template: str, *, status: int) -> HttpResponse:
    return own_page(
        HttpResponse(render_to_string(template, {"site_name": settings.SITE_NAME}), status=status)
    )
