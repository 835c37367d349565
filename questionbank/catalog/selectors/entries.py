"""What robots and feed readers are told: only what is open to everyone."""

from datetime import datetime
from typing import Literal

from questionbank.catalog.models import PublishedConcept, PublishedQuestion
from questionbank.catalog.shown import Entry
from questionbank.catalog.vocabulary import Tier


def sitemap_entries() -> tuple[Entry, ...]:
    """Every question and concept that is open to everyone, oldest first. Two queries."""
    entries = [*_questions(), *_concepts()]
    return tuple(sorted(entries, key=lambda entry: (entry.first_published_at, entry.slug)))


def feed_entries(limit: int = 30) -> tuple[Entry, ...]:
    """The open questions first published last, newest first. One query."""
    return tuple(_questions(limit))


def _questions(limit: int | None = None) -> list[Entry]:
    rows = (
        PublishedQuestion.objects.in_tiers([Tier.OPEN])
        .order_by("-first_published_at", "question__slug")
        .values_list("question__slug", "title", "summary", "published_at", "first_published_at")[
            :limit
        ]
    )
    return [_entry("question", row) for row in rows]


def _concepts() -> list[Entry]:
    rows = PublishedConcept.objects.in_tiers([Tier.OPEN]).values_list(
        "concept__slug", "title", "summary", "published_at", "first_published_at"
    )
    return [_entry("concept", row) for row in rows]


def _entry(
    kind: Literal["question", "concept"], row: tuple[str, str, str, datetime, datetime]
) -> Entry:
    slug, title, summary, published_at, first_published_at = row
    return Entry(
        kind=kind,
        slug=slug,
        title=title,
        summary=summary,
        published_at=published_at,
        first_published_at=first_published_at,
    )
