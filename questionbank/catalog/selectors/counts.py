"""How much is written, and how much of it is open to a reader."""

from collections import Counter

from django.db.models import Count

from questionbank.catalog.models import PublishedQuestion
from questionbank.catalog.readers import Reader
from questionbank.catalog.shown import Counts
from questionbank.catalog.vocabulary import OpenedBy, Tier


def counts_of(tiers: Counter[Tier], reader: Reader) -> Counts:
    """Counts from the number of answers in each tier."""
    by: Counter[OpenedBy | None] = Counter()
    for tier, number in tiers.items():
        by[reader.opened_by(tier)] += number
    return Counts(
        written=tiers.total(),
        open=by[None],
        by_account=by[OpenedBy.ACCOUNT],
        by_unlock=by[OpenedBy.UNLOCK],
    )


def tiers_by_topic() -> dict[int, Counter[Tier]]:
    """The number of published answers in each tier, by the topic's id. One query."""
    rows = PublishedQuestion.objects.values_list("topic_id", "tier").annotate(Count("id"))
    tiers: dict[int, Counter[Tier]] = {}
    for topic_id, tier, number in rows.order_by():
        tiers.setdefault(topic_id, Counter())[Tier(tier)] = number
    return tiers


def unlock_counts(reader: Reader) -> Counts:
    """All published answers as this reader meets them: what an account or the unlock would open.

    `locked` is what the unlock would open in all: it opens what an account opens too.
    """
    rows = PublishedQuestion.objects.values_list("tier").annotate(Count("id")).order_by()
    return counts_of(Counter({Tier(tier): number for tier, number in rows}), reader)
