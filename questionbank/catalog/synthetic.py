"""A bank of any size whose locked answers each carry a canary: for crawls and measurements."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction

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
from questionbank.catalog.vocabulary import Level, Tier

PER_TOPIC = 30
CONCEPTS_PER_TOPIC = 3
OPEN_PER_TOPIC = 10
SIGNED_IN_PER_TOPIC = 10
BATCH = 500
WHEN = dt.datetime(2026, 9, 1, tzinfo=dt.UTC)
_LEVELS = tuple(Level)


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
    return Topic.objects.bulk_create(
        Topic(
            slug=f"synthetic-topic-{index}",
            title=f"Synthetic topic {index}",
            emoji="🧪",
            description="Made by a program.",
            position=1000 + index,
            question_order=[_slug(index * PER_TOPIC + i) for i in range(PER_TOPIC)],
        )
        for index in range(number)
    )


def _store_concepts(topics: list[Topic]) -> list[PublishedConcept]:
    drafts = Concept.objects.bulk_create(
        Concept(
            slug=f"synthetic-concept-{topic_number}-{index}",
            title=f"Synthetic concept {topic_number}.{index}",
            summary="One idea, made by a program.",
            topic=topic,
            level=_LEVELS[index % len(_LEVELS)],
            updated=WHEN.date(),
            body="It is what it is.",
            breath="It is.",
        )
        for topic_number, topic in enumerate(topics)
        for index in range(CONCEPTS_PER_TOPIC)
    )
    return PublishedConcept.objects.bulk_create(
        PublishedConcept(
            concept=draft,
            topic=draft.topic,
            title=draft.title,
            summary=draft.summary,
            summary_html=draft.summary,
            level=draft.level,
            tier=Tier.OPEN,
            updated=draft.updated,
            html="<p>It is what it is.</p>",
            outline=[],
            words=5,
            minutes=1,
            has_maths=False,
            has_sheet=False,
            plain_text="It is what it is.",
            breath_html="It is.",
            sources=[],
            document={},
            rendered_with="",
            first_published_at=WHEN,
            published_at=WHEN,
        )
        for draft in drafts
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
    return Question(
        slug=_slug(number),
        title=f"Synthetic question {number}: what does a ring of {number + 2} chips move?",
        summary=f"An all-gather over {number + 2} chips, made by a program.",
        topic=topics[number // PER_TOPIC],
        level=_LEVELS[number % len(_LEVELS)],
        dealt_tier=_tier(number),
        updated=WHEN.date(),
        body=_plain(number),
        editor_note=["Scored on the number."],
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
        document={},
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
    shown = min(6, len(concepts))
    for rank in range(1, shown + 1):
        yield RankedConcept(
            question=row,
            concept=concepts[(number + rank) % len(concepts)],
            rank=rank,
            score=1 / (rank + 1),
            linked=rank <= 2,
        )


def _store_track(questions: int) -> None:
    track = Track.objects.create(
        slug="synthetic-track",
        title="Synthetic track",
        emoji="🧪",
        description="Made by a program.",
        position=1000,
    )
    for start in range(0, questions, 10):
        stage = Stage.objects.create(
            track=track, title=f"Synthetic stage {start // 10 + 1}", position=start // 10
        )
        StageQuestion.objects.bulk_create(
            StageQuestion(stage=stage, question_slug=_slug(number), position=number)
            for number in range(start, min(start + 10, questions))
        )
