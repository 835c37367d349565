"""Search."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from questionbank.catalog.readers import Reader
from questionbank.catalog.search import search as find
from questionbank.pages.caching import own_page


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Questions and concepts that match, best first; a near miss where nothing does."""
    result = find(request.GET.get("q", ""), reader=Reader.of(request.user))
    return own_page(render(request, "pages/search.html", {"query": result.query, "result": result}))
