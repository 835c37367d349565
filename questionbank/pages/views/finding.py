"""Search."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from questionbank.pages.caching import own_page

LONGEST_QUERY = 200


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Questions and concepts that match, best first; a near miss where nothing does."""
    query = request.GET.get("q", "").replace("\x00", "").strip()[:LONGEST_QUERY]
    return own_page(render(request, "pages/search.html", {"query": query}))
