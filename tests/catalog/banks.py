"""Small banks of documents, made by hand."""

from collections.abc import Iterable

from questionbank.catalog.content import documents
from questionbank.catalog.vocabulary import Level, Tier

BODY = """## The answer in brief

A ring moves every shard but one.

## Why

It turns.

## Where it breaks

On a torus it need not.

## Follow-ups

### Which way?

Either.

### How far?

Once round.

### How often?

Once a step."""


def a_concept(slug: str = "ring", **changes: object) -> documents.Concept:
    """A concept of topic `net`."""
    fields: dict[str, object] = {
        "slug": slug,
        "title": f"The {slug}",
        "summary": f"What a {slug} is.",
        "topic": "net",
        "level": Level.CORE,
        "updated": "2026-09",
        "breath": "Each passes on what it got.",
        "body": "It goes round.",
    }
    return documents.Concept(**{**fields, **changes})  # type: ignore[arg-type]  # checked by the tests that use it


def a_question(slug: str = "ring-time", **changes: object) -> documents.Question:
    """A question of topic `net` that leans on the concept `ring`."""
    fields: dict[str, object] = {
        "slug": slug,
        "title": f"How long does {slug} take?",
        "summary": f"About {slug}.",
        "topic": "net",
        "level": Level.CORE,
        "updated": "2026-09",
        "concepts": (documents.ConceptLink("ring", 0.5), documents.ConceptLink("torus", 0.25)),
        "editor_note": ("The number.", "The reason.", "The limit.", "The threshold."),
        "sources": (documents.Source(title="A book", taken="The ring."),),
        "body": BODY,
    }
    return documents.Question(**{**fields, **changes})  # type: ignore[arg-type]  # checked by the tests that use it


def a_bank(
    questions: Iterable[documents.Question] = (),
    *,
    order: Iterable[str] | None = None,
    concepts: Iterable[documents.Concept] | None = None,
) -> documents.Bank:
    """One topic `net` with these questions in order, one concept, and a track through them."""
    questions = tuple(questions)
    slugs = tuple(order if order is not None else (question.slug for question in questions))
    concepts = (a_concept(),) if concepts is None else tuple(concepts)
    return documents.Bank(
        topics=(
            documents.Topic(
                slug="net",
                title="Networking",
                emoji="🔌",
                description="Wires.",
                questions=slugs,
                concepts=tuple(concept.slug for concept in concepts),
            ),
        ),
        tracks=(
            documents.Track(
                slug="all",
                title="All of it",
                emoji="🏔️",
                description="In order.",
                stages=(documents.Stage(title="First", questions=slugs),),
            ),
        ),
        concepts=concepts,
        questions=questions,
        planned=documents.Planned(
            questions=tuple(
                documents.PlannedItem(slug=slug, title=slug, topic="net") for slug in slugs
            ),
            concepts=(documents.PlannedItem(slug="torus", title="The torus", topic="net"),),
        ),
    )


def numbered(count: int, *, start: int = 0, tier: Tier | None = None) -> list[documents.Question]:
    """Questions q000, q001, ... in order."""
    return [a_question(f"q{number:03d}", tier=tier) for number in range(start, start + count)]
