"""Concept cards, and every question that leans on one."""

from questionbank.catalog.models import PublishedConcept
from questionbank.catalog.readers import Reader
from questionbank.catalog.selectors.cards import (
    concept_card,
    concept_rows,
    headings,
    question_card,
    question_rows,
    sources_shown,
)
from questionbank.catalog.selectors.counts import unlock_counts
from questionbank.catalog.shown import ConceptCard, ConceptGroup, ConceptPage, Text, TopicRef


def concepts_overview(reader: Reader) -> tuple[ConceptGroup, ...]:
    """Every published concept, by topic in order. One query."""
    groups: dict[TopicRef, list[ConceptCard]] = {}
    for row in concept_rows().order_by("topic__position", "topic__slug", "title"):
        card = concept_card(row, reader)
        groups.setdefault(card.topic, []).append(card)
    return tuple(ConceptGroup(topic=topic, concepts=tuple(cs)) for topic, cs in groups.items())


def concept_page(slug: str, reader: Reader) -> ConceptPage:
    """A published concept as this reader may see it. Raises PublishedConcept.DoesNotExist.

    A locked text is not loaded from the database. Four queries.
    """
    row = (
        PublishedConcept.objects.select_related("concept", "topic")
        .defer("html", "plain_text", "document", "breath_html", "sources")
        .defer("concept__document", "concept__body", "topic__document")
        .get(concept__slug=slug)
    )
    card = concept_card(row, reader)
    text, breath_html = (None, None) if card.locked else _text(row.pk)
    leaning = (
        question_rows()
        .filter(ranked_concepts__concept=row, ranked_concepts__linked=True)
        .order_by("-ranked_concepts__score", "question__slug")
    )
    return ConceptPage(
        concept=card,
        summary_html=row.summary_html,
        breath_html=breath_html,
        outline=headings(row.outline),
        words=row.words,
        text=text,
        questions=tuple(question_card(question, reader) for question in leaning),
        unlock=unlock_counts(reader),
    )


def _text(published_id: int) -> tuple[Text, str]:
    row = PublishedConcept.objects.only(
        "html", "has_maths", "has_sheet", "breath_html", "sources"
    ).get(pk=published_id)
    text = Text(
        html=row.html,
        has_maths=row.has_maths,
        has_sheet=row.has_sheet,
        editor_note_html=(),
        sources=sources_shown(row.sources),
    )
    return text, row.breath_html
