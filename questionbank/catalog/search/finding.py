"""The search itself: match, order, and show."""

from collections.abc import Mapping, Sequence

from questionbank.catalog.models import PublishedConcept, PublishedQuestion
from questionbank.catalog.readers import Reader
from questionbank.catalog.search.backends import backend
from questionbank.catalog.search.entries import Kind, Match, key_of, kind_and_id
from questionbank.catalog.search.snippets import holds, marked, snippet
from questionbank.catalog.search.suggestion import suggest
from questionbank.catalog.search.words import LONGEST_QUERY, Term, parse_query
from questionbank.catalog.selectors.cards import (
    concept_card,
    concept_rows,
    question_card,
    question_rows,
)
from questionbank.catalog.shown import ConceptCard, Hit, QuestionCard, SearchResult

type Card = QuestionCard | ConceptCard

_CONSIDERED = 100


def search(query: str, *, reader: Reader, limit: int = 20) -> SearchResult:
    """What holds every term of the query, best first, and a near miss if nothing does.

    Title counts before summary, summary before text. At most five queries; two more to suggest.
    """
    query = " ".join(query.replace("\0", " ")[:LONGEST_QUERY].split())
    terms = parse_query(query)
    if not terms:
        return SearchResult(query=query, hits=(), suggestion=None)
    matches = backend().matching(terms, reader.opens, max(limit, _CONSIDERED))
    cards = _cards([match.key for match in matches], reader)
    best = sorted(
        (match for match in matches if match.key in cards),
        key=lambda match: _order(match, cards[match.key], terms),
    )
    has_more = len(best) > limit
    best = best[:limit]
    bodies = _open_bodies([match.key for match in best if not cards[match.key].locked])
    hits = tuple(_hit(cards[match.key], bodies.get(match.key), terms) for match in best)
    suggestion = None if hits else suggest(query)
    return SearchResult(query=query, hits=hits, suggestion=suggestion, has_more=has_more)


def _order(match: Match, card: Card, terms: Sequence[Term]) -> tuple[int, int, float, int]:
    in_title = holds(card.title, terms)
    in_either = holds(f"{card.title} {card.summary}", terms)
    return -in_title, -in_either, -match.score, match.key


def _hit(card: Card, body: str | None, terms: Sequence[Term]) -> Hit:
    in_summary = body is None or holds(card.summary, terms) == len(terms)
    return Hit(
        kind="question" if isinstance(card, QuestionCard) else "concept",
        slug=card.slug,
        title_html=marked(card.title, terms),
        snippet_html=snippet(card.summary if in_summary or body is None else body, terms),
        topic=card.topic,
        level=card.level,
        tier=card.tier,
        opened_by=card.opened_by,
    )


def _cards(keys: Sequence[int], reader: Reader) -> Mapping[int, Card]:
    ids = _by_kind(keys)
    questions = question_rows().filter(question_id__in=ids[Kind.QUESTION])
    concepts = concept_rows().filter(concept_id__in=ids[Kind.CONCEPT])
    return {
        **{key_of(Kind.QUESTION, row.question_id): question_card(row, reader) for row in questions},
        **{key_of(Kind.CONCEPT, row.concept_id): concept_card(row, reader) for row in concepts},
    }


def _open_bodies(keys: Sequence[int]) -> dict[int, str]:
    """The text of documents that the reader may open."""
    ids = _by_kind(keys)
    questions = PublishedQuestion.objects.filter(question_id__in=ids[Kind.QUESTION])
    concepts = PublishedConcept.objects.filter(concept_id__in=ids[Kind.CONCEPT])
    return {
        **{
            key_of(Kind.QUESTION, pk): text
            for pk, text in questions.values_list("question_id", "plain_text")
        },
        **{
            key_of(Kind.CONCEPT, pk): text
            for pk, text in concepts.values_list("concept_id", "plain_text")
        },
    }


def _by_kind(keys: Sequence[int]) -> dict[Kind, list[int]]:
    ids: dict[Kind, list[int]] = {kind: [] for kind in Kind}
    for key in keys:
        kind, document_id = kind_and_id(key)
        ids[kind].append(document_id)
    return ids
