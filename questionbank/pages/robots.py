"""What robots are told: where to look, and what is nobody's but a reader's own."""

from datetime import datetime
from typing import override

from django.contrib.sitemaps import Sitemap
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from questionbank.catalog.readers import VISITOR
from questionbank.catalog.selectors import sitemap_entries, topics_overview, tracks_overview
from questionbank.catalog.shown import Entry

_CLOSED = ("/account/", "/admin/", "/bookmarks/", "/progress/", "/search/", "/styleguide/")


@require_safe
def robots_txt(request: HttpRequest) -> HttpResponse:
    """The rules, and where the sitemap is."""
    rules = ["User-agent: *", *(f"Disallow: {path}" for path in _CLOSED)]
    sitemap = request.build_absolute_uri(reverse("sitemap"))
    return HttpResponse("\n".join([*rules, f"Sitemap: {sitemap}", ""]), content_type="text/plain")


class OpenTexts(Sitemap[Entry]):
    """Every question and concept that is open to everyone."""

    @override
    def items(self) -> tuple[Entry, ...]:
        return sitemap_entries()

    @override
    def location(self, item: Entry) -> str:
        return reverse(item.kind, args=[item.slug])

    def lastmod(self, item: Entry) -> datetime:
        """When the text was last published."""
        return item.published_at


class Shelves(Sitemap[str]):
    """The pages that list others: those with something on them."""

    @override
    def items(self) -> list[str]:
        topics = [
            reverse("topic", args=[t.slug]) for t in topics_overview(VISITOR) if t.counts.written
        ]
        tracks = [reverse("track", args=[t.slug]) for t in tracks_overview(VISITOR)]
        fixed = [reverse(name) for name in ("front", "topics", "tracks", "concepts", "unlock")]
        return [*fixed, *topics, *tracks]

    @override
    def location(self, item: str) -> str:
        return item


SITEMAPS = {"shelves": Shelves, "texts": OpenTexts}
