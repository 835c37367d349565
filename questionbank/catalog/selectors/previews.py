"""What a draft would look like to readers: the same values as the page itself, for editors only."""

from questionbank.catalog.content.rendering import Rendered, render_concept, render_question
from questionbank.catalog.models import Concept, PublishedConcept, Question, RankedConcept
from questionbank.catalog.readers import Reader
from questionbank.catalog.selectors import bank
from questionbank.catalog.selectors.cards import (
    concept_card,
    concept_rows,
    question_card,
    question_rows,
    sources_shown,
    topic_ref,
)
from questionbank.catalog.selectors.counts import unlock_counts
from questionbank.catalog.selectors.questions import CONCEPTS_SHOWN
from questionbank.catalog.selectors.tracks import journey_through
from questionbank.catalog.shown import (
    ConceptCard,
    ConceptPage,
    Heading,
    QuestionCard,
    QuestionPage,
    RankedCard,
    Text,
)
from questionbank.catalog.vocabulary import Level, Tier


def question_preview(question_id: int, reader: Reader) -> QuestionPage:
    """A question's draft as its page. Raises Question.DoesNotExist, and ContentErrors on bad text.

    The ranking is that of the published state; a question never published shows what it links.
    """
    row = Question.objects.select_related("topic").get(pk=question_id)
    document = bank.question_document(row)
    rendered = render_question(document, bank.facts())
    return QuestionPage(
        question=QuestionCard(
            id=row.pk,
            slug=row.slug,
            title=row.title,
            summary=rendered.summary_text,
            topic=topic_ref(row.topic),
            level=Level(row.level),
            tier=Tier(row.tier or row.dealt_tier or Tier.OPEN),
            minutes=rendered.minutes,
            updated=row.updated,
            opened_by=None,
        ),
        summary_html=rendered.summary_html,
        outline=_outline(rendered),
        words=rendered.words,
        answer=_text(rendered, row),
        concepts=_ranked(row, reader) or _linked(row, reader),
        exercises=tuple(row.exercises),
        journey=journey_through(row.slug, reader),
        unlock=unlock_counts(reader),
        is_preview=True,
    )


def concept_preview(concept_id: int, reader: Reader) -> ConceptPage:
    """A concept's draft as its page. Raises Concept.DoesNotExist, and ContentErrors on bad text."""
    row = Concept.objects.select_related("topic").get(pk=concept_id)
    rendered = render_concept(bank.concept_document(row), bank.facts())
    leaning = question_rows().filter(ranked_concepts__concept__concept=row).distinct()
    return ConceptPage(
        concept=ConceptCard(
            id=row.pk,
            slug=row.slug,
            title=row.title,
            summary=rendered.summary_text,
            topic=topic_ref(row.topic),
            level=Level(row.level),
            tier=Tier(row.tier or Tier.OPEN),
            minutes=rendered.minutes,
            updated=row.updated,
            opened_by=None,
        ),
        summary_html=rendered.summary_html,
        breath_html=rendered.breath_html,
        outline=_outline(rendered),
        words=rendered.words,
        text=_text(rendered, row),
        questions=tuple(question_card(question, reader) for question in leaning),
        unlock=unlock_counts(reader),
        is_preview=True,
    )


def _outline(rendered: Rendered) -> tuple[Heading, ...]:
    return tuple(Heading(level=h.level, anchor=h.anchor, text=h.text) for h in rendered.outline)


def _text(rendered: Rendered, row: Question | Concept) -> Text:
    return Text(
        html=rendered.html,
        has_maths=rendered.has_maths,
        has_sheet=rendered.has_sheet,
        editor_note_html=rendered.editor_note_html,
        sources=sources_shown(row.sources),
    )


def _ranked(row: Question, reader: Reader) -> tuple[RankedCard, ...]:
    rows = (
        RankedConcept.objects.filter(question__question=row)
        .select_related("concept__concept", "concept__topic")
        .order_by("rank")[:CONCEPTS_SHOWN]
    )
    return tuple(
        RankedCard(concept=concept_card(r.concept, reader), score=r.score, linked=r.linked)
        for r in rows
    )


def _linked(row: Question, reader: Reader) -> tuple[RankedCard, ...]:
    weights = dict(row.concept_links.values_list("concept_slug", "weight"))
    linked: list[PublishedConcept] = list(concept_rows().filter(concept__slug__in=weights))
    cards = [
        RankedCard(concept=concept_card(c, reader), score=weights[c.concept.slug], linked=True)
        for c in linked
    ]
    return tuple(sorted(cards, key=lambda card: -card.score))
