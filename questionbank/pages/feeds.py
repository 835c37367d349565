"""New answers, for feed readers: only what is open to everyone."""

from datetime import datetime
from typing import override

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.urls import reverse

from questionbank.catalog.selectors import feed_entries
from questionbank.catalog.shown import Entry


class NewAnswers(Feed):  # type: ignore[type-arg]  # not generic at run time
    """The open answers published last."""

    description = "Interview questions on training and serving large models, newest first."

    @override
    def title(self) -> str:
        return f"New answers on {settings.SITE_NAME}"

    @override
    def link(self) -> str:
        return reverse("front")

    @override
    def items(self) -> tuple[Entry, ...]:
        return feed_entries()

    @override
    def item_title(self, item: Entry) -> str:
        return item.title

    @override
    def item_description(self, item: Entry) -> str:
        return item.summary

    @override
    def item_link(self, item: Entry) -> str:
        return reverse(item.kind, args=[item.slug])

    @override
    def item_pubdate(self, item: Entry) -> datetime:
        return item.first_published_at

    @override
    def item_updateddate(self, item: Entry) -> datetime:
        return item.published_at
