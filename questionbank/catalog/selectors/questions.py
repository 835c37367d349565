"""One question's page, and cards of chosen questions."""

from collections.abc import Iterable

from questionbank.catalog.models import PublishedQuestion, RankedConcept
from questionbank.catalog.readers import Reader
from questionbank.catalog.selectors.cards import (
    concept_card,
    headings,
    question_card,
    question_rows,
    sources_shown,
)
from questionbank.catalog.selectors.counts import unlock_counts
from questionbank.catalog.selectors.tracks import journey_through
from questionbank.catalog.shown import QuestionCard, QuestionPage, RankedCard, Text

CONCEPTS_SHOWN = 6


def question_page(slug: str, reader: Reader, *, track_slug: str | None = None) -> QuestionPage:
    """A published question as this reader may see it. Raises PublishedQuestion.DoesNotExist.

    A locked answer is not loaded from the database. At most eight queries.
    """
    row = (
        PublishedQuestion.objects.select_related("question", "topic")
        .defer("html", "plain_text", "document", "editor_note_html", "sources")
        .defer("question__document", "question__body", "topic__document")
        .get(question__slug=slug)
    )
    card = question_card(row, reader)
    return QuestionPage(
        question=card,
        summary_html=row.summary_html,
        outline=headings(row.outline),
        words=row.words,
        answer=None if card.locked else _answer(row.pk),
        concepts=_ranked(row.pk, reader),
        exercises=tuple(row.exercises),
        journey=journey_through(slug, reader, track_slug=track_slug),
        unlock=unlock_counts(reader),
    )


def question_cards(ids: Iterable[int], reader: Reader) -> dict[int, QuestionCard]:
    """The published ones of these questions, by the question's id. One query."""
    rows = question_rows().filter(question_id__in=list(ids))
    return {row.question_id: question_card(row, reader) for row in rows}


def published_card(slug: str, reader: Reader) -> QuestionCard:
    """The card of one published question. Raises PublishedQuestion.DoesNotExist. One query."""
    return question_card(question_rows().get(question__slug=slug), reader)


def question_slugs() -> list[str]:
    """The slug of every published question. One query."""
    return list(
        PublishedQuestion.objects.order_by("question__slug").values_list(
            "question__slug", flat=True
        )
    )


def _answer(published_id: int) -> Text:
    row = PublishedQuestion.objects.only(
        "html", "has_maths", "has_sheet", "editor_note_html", "sources"
    ).get(pk=published_id)
    return Text(
        html=row.html,
        has_maths=row.has_maths,
        has_sheet=row.has_sheet,
        editor_note_html=tuple(row.editor_note_html),
        sources=sources_shown(row.sources),
    )


def _ranked(published_id: int, reader: Reader) -> tuple[RankedCard, ...]:
    rows = (
        RankedConcept.objects.filter(question_id=published_id)
        .select_related("concept__concept", "concept__topic")
        .defer("concept__html", "concept__plain_text", "concept__document", "concept__breath_html")
        .defer("concept__concept__body", "concept__concept__document", "concept__topic__document")
        .order_by("rank")[:CONCEPTS_SHOWN]
    )
    return tuple(
        RankedCard(concept=concept_card(row.concept, reader), score=row.score, linked=row.linked)
        for row in rows
    )
