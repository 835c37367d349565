"""The front page."""

from questionbank.catalog.models import PublishedConcept, PublishedQuestion
from questionbank.catalog.readers import Reader
from questionbank.catalog.selectors.counts import unlock_counts
from questionbank.catalog.selectors.questions import question_page
from questionbank.catalog.selectors.topics import topics_overview
from questionbank.catalog.selectors.tracks import tracks_overview
from questionbank.catalog.shown import FrontPage, QuestionPage
from questionbank.catalog.vocabulary import Tier


def front_page(reader: Reader) -> FrontPage:
    """Topics, tracks, and one question that is open to everyone, in full."""
    topics = topics_overview(reader)
    return FrontPage(
        topics=topics,
        tracks=tracks_overview(reader),
        featured=_featured(reader),
        counts=unlock_counts(reader),
        planned=sum(topic.planned for topic in topics),
        concepts=PublishedConcept.objects.count(),
    )


def _featured(reader: Reader) -> QuestionPage | None:
    """The open question revised last; among equals one with a sheet to play with, the longest."""
    slug = (
        PublishedQuestion.objects.in_tiers([Tier.OPEN])
        .order_by("-updated", "-has_sheet", "-words", "question_id")
        .values_list("question__slug", flat=True)
        .first()
    )
    return None if slug is None else question_page(slug, reader)
