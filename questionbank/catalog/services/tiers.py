"""Dealing tiers: a question gets one when first published, by its place in its topic."""

from typing import NamedTuple

from django.db import transaction
from django.db.models.fields.json import KT

from questionbank.catalog.models import PublishedQuestion, Question, Topic
from questionbank.catalog.search import index
from questionbank.catalog.selectors.cards import place_in
from questionbank.catalog.services.bookkeeping import note
from questionbank.catalog.vocabulary import Tier

OPEN_PER_TOPIC = 10
SIGNED_IN_PER_TOPIC = 10


def tier_at(place: int) -> Tier:
    """The tier of the `place`-th answer of a topic, from 0."""
    if place < OPEN_PER_TOPIC:
        return Tier.OPEN
    return Tier.SIGNED_IN if place < OPEN_PER_TOPIC + SIGNED_IN_PER_TOPIC else Tier.PREMIUM


@transaction.atomic
def deal_new(topic: Topic) -> None:
    """Give each published question of a topic that has no tier yet the one of its place.

    Places count the published questions in the topic's order. Tiers dealt before stay, so a
    question that is inserted locks nothing; it may leave a topic with more open, never with fewer.
    """
    _deal(topic, anew=False)


@transaction.atomic
def redeal_topic(topic: Topic) -> int:
    """Deal a whole topic again, on purpose. Explicit tiers stay. Returns how many changed."""
    changed = _deal(topic, anew=True)
    if changed:
        index.refresh_words()
    return changed


def _deal(topic: Topic, *, anew: bool) -> int:
    changed = 0
    for at, row in enumerate(_in_order(topic)):
        if anew or not row.dealt:
            note(Question(pk=row.question_id), dealt_tier=tier_at(at))
        tier = row.explicit or (tier_at(at) if anew or not row.dealt else row.dealt)
        if tier != row.tier:
            PublishedQuestion.objects.filter(pk=row.published_id).update(tier=tier)
            changed += 1
    return changed


class _Row(NamedTuple):
    published_id: int
    question_id: int
    slug: str
    tier: str
    dealt: str
    explicit: str | None


def _in_order(topic: Topic) -> list[_Row]:
    rows = PublishedQuestion.objects.filter(topic=topic).values_list(
        "pk",
        "question_id",
        "question__slug",
        "tier",
        "question__dealt_tier",
        KT("document__tier"),
    )
    place = place_in(topic.question_order)
    return sorted((_Row(*row) for row in rows), key=lambda row: place(row.slug))
