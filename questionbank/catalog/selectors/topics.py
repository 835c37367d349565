"""Topics, and the questions of one."""

from collections import Counter

from questionbank.catalog.models import Topic
from questionbank.catalog.readers import Reader
from questionbank.catalog.selectors.cards import (
    concept_card,
    concept_rows,
    place_in,
    question_card,
    question_rows,
)
from questionbank.catalog.selectors.counts import counts_of, tiers_by_topic
from questionbank.catalog.shown import TopicCard, TopicPage
from questionbank.catalog.vocabulary import Tier


def topics_overview(reader: Reader) -> tuple[TopicCard, ...]:
    """Every topic in order, those with nothing written yet among them. Two queries."""
    tiers = tiers_by_topic()
    topics = Topic.objects.defer("document")
    return tuple(_topic_card(topic, tiers.get(topic.pk, Counter()), reader) for topic in topics)


def topic_page(slug: str, reader: Reader) -> TopicPage:
    """One topic with its published questions and concepts. Raises Topic.DoesNotExist."""
    topic = Topic.objects.defer("document").get(slug=slug)
    questions = [question_card(row, reader) for row in question_rows().filter(topic=topic)]
    concepts = [concept_card(row, reader) for row in concept_rows().filter(topic=topic)]
    question_place = place_in(topic.question_order)
    concept_place = place_in(topic.concept_order)
    return TopicPage(
        topic=_topic_card(topic, Counter(question.tier for question in questions), reader),
        questions=tuple(sorted(questions, key=lambda question: question_place(question.slug))),
        concepts=tuple(sorted(concepts, key=lambda concept: concept_place(concept.slug))),
    )


def _topic_card(topic: Topic, tiers: Counter[Tier], reader: Reader) -> TopicCard:
    counts = counts_of(tiers, reader)
    return TopicCard(
        slug=topic.slug,
        title=topic.title,
        emoji=topic.emoji,
        description=topic.description,
        # An editor may have written more than the files plan.
        planned=max(len(topic.question_order), counts.written),
        counts=counts,
    )
