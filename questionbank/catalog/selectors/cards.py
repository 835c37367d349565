"""From rows to the cards that lists show. The rows never hold an answer's text."""

from collections.abc import Callable

from django.db.models import QuerySet

from questionbank.catalog.models import PublishedConcept, PublishedQuestion, Topic
from questionbank.catalog.readers import Reader
from questionbank.catalog.shown import ConceptCard, Heading, QuestionCard, SourceShown, TopicRef
from questionbank.catalog.vocabulary import Level, Tier

_CARD_FIELDS = (
    "title",
    "summary",
    "level",
    "tier",
    "minutes",
    "updated",
    "topic__slug",
    "topic__title",
    "topic__emoji",
)


def question_rows() -> QuerySet[PublishedQuestion]:
    """Published questions, with what a card needs and nothing more."""
    return PublishedQuestion.objects.select_related("question", "topic").only(
        *_CARD_FIELDS, "question__slug"
    )


def concept_rows() -> QuerySet[PublishedConcept]:
    """Published concepts, with what a card needs and nothing more."""
    return PublishedConcept.objects.select_related("concept", "topic").only(
        *_CARD_FIELDS, "concept__slug"
    )


def topic_ref(topic: Topic) -> TopicRef:
    """The topic as it is named beside something else."""
    return TopicRef(slug=topic.slug, title=topic.title, emoji=topic.emoji)


def question_card(row: PublishedQuestion, reader: Reader) -> QuestionCard:
    """The question as this reader sees it in a list."""
    tier = Tier(row.tier)
    return QuestionCard(
        id=row.question_id,
        slug=row.question.slug,
        title=row.title,
        summary=row.summary,
        topic=topic_ref(row.topic),
        level=Level(row.level),
        tier=tier,
        minutes=row.minutes,
        updated=row.updated,
        opened_by=reader.opened_by(tier),
    )


def concept_card(row: PublishedConcept, reader: Reader) -> ConceptCard:
    """The concept as this reader sees it in a list."""
    tier = Tier(row.tier)
    return ConceptCard(
        id=row.concept_id,
        slug=row.concept.slug,
        title=row.title,
        summary=row.summary,
        topic=topic_ref(row.topic),
        level=Level(row.level),
        tier=tier,
        minutes=row.minutes,
        updated=row.updated,
        opened_by=reader.opened_by(tier),
    )


def headings(outline: list[tuple[int, str, str]]) -> tuple[Heading, ...]:
    """The stored outline as values."""
    return tuple(Heading(level=level, anchor=anchor, text=text) for level, anchor, text in outline)


def sources_shown(sources: list[dict[str, str]]) -> tuple[SourceShown, ...]:
    """The stored sources as values."""
    return tuple(SourceShown(**source) for source in sources)


def place_in(order: list[str]) -> Callable[[str], tuple[int, str]]:
    """A sort key for slugs: their place in a topic's order; what it does not list comes last."""
    places = {slug: place for place, slug in enumerate(order)}
    return lambda slug: (places.get(slug, len(places)), slug)
