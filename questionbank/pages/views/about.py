"""What the unlock opens, and for editors every diagram on one page."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from questionbank.catalog import selectors as catalog
from questionbank.catalog.readers import Reader, ReaderKind
from questionbank.pages.caching import cached_for_visitors, own_page


@require_safe
@cached_for_visitors
def unlock(request: HttpRequest) -> HttpResponse:
    """What each tier opens, and what the unlock costs."""
    reader = Reader.of(request.user)
    context = {"counts": catalog.unlock_counts(reader), "reader": reader}
    return render(request, "pages/unlock.html", context)


@require_safe
@login_required
def styleguide(request: HttpRequest) -> HttpResponse:
    """Every diagram in both themes at two widths, and the parts that pages are made of."""
    if Reader.of(request.user).kind is not ReaderKind.STAFF:
        raise PermissionDenied("This page is for editors.")
    return own_page(render(request, "pages/styleguide.html", {"drawings": ()}))
