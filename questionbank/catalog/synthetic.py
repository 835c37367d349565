"""A bank of any size whose locked answers each carry a canary: for crawls and measurements."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction

from questionbank.catalog.content import documents
from questionbank.catalog.models import (
    Concept,
    PublishedConcept,
    PublishedQuestion,
    Question,
    RankedConcept,
    Stage,
    StageQuestion,
    Topic,
    Track,
)
from questionbank.catalog.search import index
from questionbank.catalog.selectors.bank import to_stored
from questionbank.catalog.vocabulary import Level, Tier

PER_TOPIC = 30
CONCEPTS_PER_TOPIC = 3
CONCEPTS_SHOWN = 6
PER_STAGE = 10
OPEN_PER_TOPIC = 10
SIGNED_IN_PER_TOPIC = 10
BATCH = 500
WHEN = dt.datetime(2026, 9, 1, tzinfo=dt.UTC)
_LEVELS = tuple(Level)
_MOVES = (
    "an all-gather",
    "a reduce-scatter",
    "an all-reduce",
    "an all-to-all",
    "a broadcast",
    "a permutation",
    "a halo exchange",
)
_NETS = (
    "a ring",
    "a torus",
    "a fat tree",
    "a dragonfly",
    "a switch",
    "a mesh",
    "one host",
    "a bus",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticBank:
    """What was stored. `canaries` names, by tier, a word that only that answer holds."""

    topics: int
    questions: int
    canaries: dict[Tier, tuple[str, ...]]


def canary(tier: Tier, number: int) -> str:
    """The word that only question `number` holds, in its answer: nowhere in title or summary."""
    return f"canary{tier.value.replace('-', '')}{number:06d}"


@transaction.atomic
def store_synthetic_bank(questions: int) -> SyntheticBank:
    """Add `questions` published questions, thirty to a topic, with concepts and a track.

    The rows have the shape that publishing gives them, in the tiers that it would deal.
    """
    topics = _store_topics(-(-questions // PER_TOPIC))
    concepts = _store_concepts(topics)
    canaries: dict[Tier, list[str]] = {tier: [] for tier in Tier}
    numbers = list(range(questions))
    for start in range(0, questions, BATCH):
        _store_questions(numbers[start : start + BATCH], topics, concepts, canaries)
    _store_track(min(questions, PER_TOPIC))
    index.refresh_questions(PublishedQuestion.objects.values_list("question_id", flat=True))
    index.refresh_concepts(row.concept_id for row in concepts)
    index.refresh_words()
    return SyntheticBank(
        topics=len(topics),
        questions=questions,
        canaries={tier: tuple(words) for tier, words in canaries.items()},
    )


def _store_topics(number: int) -> list[Topic]:
    return Topic.objects.bulk_create(_topic(index) for index in range(number))


def _topic(number: int) -> Topic:
    document = documents.Topic(
        slug=f"synthetic-topic-{number}",
        title=f"Synthetic topic {number}",
        emoji="🧪",
        description="Made by a program.",
        questions=tuple(_slug(number * PER_TOPIC + place) for place in range(PER_TOPIC)),
        concepts=tuple(f"synthetic-concept-{number}-{i}" for i in range(CONCEPTS_PER_TOPIC)),
    )
    return Topic(
        slug=document.slug,
        title=document.title,
        emoji=document.emoji,
        description=document.description,
        position=1000 + number,
        question_order=list(document.questions),
        concept_order=list(document.concepts),
        document=to_stored(document),
    )


def _store_concepts(topics: list[Topic]) -> list[PublishedConcept]:
    drafts = Concept.objects.bulk_create(
        _concept(slug, place, topic)
        for topic in topics
        for place, slug in enumerate(topic.concept_order)
    )
    return PublishedConcept.objects.bulk_create(_published_concept(draft) for draft in drafts)


def _concept(slug: str, place: int, topic: Topic) -> Concept:
    document = documents.Concept(
        slug=slug,
        title=f"{topic.title}, concept {place}",
        summary="An idea about rings, made by a program.",
        topic=topic.slug,
        level=_LEVELS[place % len(_LEVELS)],
        updated=f"{WHEN:%Y-%m}",
        breath="It is.",
        body="It is what it is.",
    )
    return Concept(
        slug=slug,
        title=document.title,
        summary=document.summary,
        topic=topic,
        level=document.level,
        updated=WHEN.date(),
        body=document.body,
        breath=document.breath,
        document=to_stored(document),
    )


def _published_concept(draft: Concept) -> PublishedConcept:
    return PublishedConcept(
        concept=draft,
        topic=draft.topic,
        title=draft.title,
        summary=draft.summary,
        summary_html=draft.summary,
        level=draft.level,
        tier=Tier.OPEN,
        updated=draft.updated,
        html=f"<p>{draft.body}</p>",
        outline=[],
        words=5,
        minutes=1,
        has_maths=False,
        has_sheet=False,
        plain_text=draft.body,
        breath_html=draft.breath,
        sources=[],
        document=draft.document,
        rendered_with="",
        first_published_at=WHEN,
        published_at=WHEN,
    )


def _store_questions(
    numbers: list[int],
    topics: list[Topic],
    concepts: list[PublishedConcept],
    canaries: dict[Tier, list[str]],
) -> None:
    drafts = Question.objects.bulk_create(_draft(number, topics) for number in numbers)
    published = PublishedQuestion.objects.bulk_create(
        _published(number, draft) for number, draft in zip(numbers, drafts, strict=True)
    )
    RankedConcept.objects.bulk_create(
        ranked
        for number, row in zip(numbers, published, strict=True)
        for ranked in _ranked(number, row, concepts)
    )
    for number in numbers:
        canaries[_tier(number)].append(canary(_tier(number), number))


def _slug(number: int) -> str:
    return f"synthetic-question-{number:06d}"


def _tier(number: int) -> Tier:
    place = number % PER_TOPIC
    if place < OPEN_PER_TOPIC:
        return Tier.OPEN
    return Tier.SIGNED_IN if place < OPEN_PER_TOPIC + SIGNED_IN_PER_TOPIC else Tier.PREMIUM


def _draft(number: int, topics: list[Topic]) -> Question:
    topic = topics[number // PER_TOPIC]
    first, second = (f"synthetic-concept-{number // PER_TOPIC}-{place}" for place in (0, 1))
    move, net = _MOVES[number % len(_MOVES)], _NETS[number // 7 % len(_NETS)]
    document = documents.Question(
        slug=_slug(number),
        title=f"What does {move} over {number + 2} chips cost on {net}?",
        summary=f"Synthetic question {number}: bytes and seconds, made by a program.",
        topic=topic.slug,
        level=_LEVELS[number % len(_LEVELS)],
        updated=f"{WHEN:%Y-%m}",
        concepts=(documents.ConceptLink(first, 0.5), documents.ConceptLink(second, 0.25)),
        editor_note=("Scored on the number.",),
        body=_plain(number),
    )
    return Question(
        slug=document.slug,
        title=document.title,
        summary=document.summary,
        topic=topic,
        level=document.level,
        dealt_tier=_tier(number),
        updated=WHEN.date(),
        body=document.body,
        editor_note=list(document.editor_note),
        document=to_stored(document),
    )


def _published(number: int, draft: Question) -> PublishedQuestion:
    return PublishedQuestion(
        question=draft,
        topic=draft.topic,
        title=draft.title,
        summary=draft.summary,
        summary_html=draft.summary,
        level=draft.level,
        tier=_tier(number),
        updated=draft.updated,
        html="".join(f'<h2 id="part-{i}">Part {i}</h2><p>{_plain(number)}</p>' for i in range(6)),
        outline=[[2, f"part-{i}", f"Part {i}"] for i in range(6)],
        words=900,
        minutes=4,
        has_maths=False,
        has_sheet=False,
        plain_text=_plain(number),
        editor_note_html=["Scored on the number."],
        exercises=[],
        sources=[],
        document=draft.document,
        rendered_with="",
        first_published_at=WHEN,
        published_at=WHEN,
    )


def _plain(number: int) -> str:
    sentence = f"Each of {number + 2} chips sends every shard but its own, one hop at a time. "
    return f"{canary(_tier(number), number)} " + sentence * 12


def _ranked(
    number: int, row: PublishedQuestion, concepts: list[PublishedConcept]
) -> Iterator[RankedConcept]:
    """Those of its own topic come first; it leans on the first two of them."""
    own = number // PER_TOPIC * CONCEPTS_PER_TOPIC
    for rank in range(1, min(CONCEPTS_SHOWN, len(concepts)) + 1):
        yield RankedConcept(
            question=row,
            concept=concepts[(own + rank - 1) % len(concepts)],
            rank=rank,
            score=1 / (rank + 1),
            linked=rank <= 2,
        )


def _store_track(questions: int) -> None:
    slugs = [_slug(number) for number in range(questions)]
    document = documents.Track(
        slug="synthetic-track",
        title="Synthetic track",
        emoji="🧪",
        description="Made by a program.",
        stages=tuple(
            documents.Stage(
                title=f"Synthetic stage {start // PER_STAGE + 1}",
                questions=tuple(slugs[start : start + PER_STAGE]),
            )
            for start in range(0, questions, PER_STAGE)
        ),
    )
    track = Track.objects.create(
        slug=document.slug,
        title=document.title,
        emoji=document.emoji,
        description=document.description,
        position=1000,
        document=to_stored(document),
    )
    for place, leg in enumerate(document.stages):
        stage = Stage.objects.create(track=track, title=leg.title, position=place)
        StageQuestion.objects.bulk_create(
            StageQuestion(stage=stage, question_slug=slug, position=at)
            for at, slug in enumerate(leg.questions)
        )
