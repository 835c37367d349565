"""Writing what editors work on. Readers see nothing of it until it is published."""

import datetime as dt

import msgspec
from django.db import transaction

from questionbank.catalog.content import documents
from questionbank.catalog.models import (
    Concept,
    Diagram,
    Fact,
    PlannedItem,
    Question,
    QuestionConcept,
    Stage,
    StageQuestion,
    Topic,
    Track,
)
from questionbank.catalog.selectors import bank
from questionbank.catalog.selectors.bank import to_stored
from questionbank.catalog.services.bookkeeping import note

type Row = Topic | Track | Concept | Question


def save(document: bank.Document, *, row: Row | None, reason: str) -> Row:
    """Store any document, in a new row or over the row of its own kind: one new version."""
    match document, row:
        case documents.Topic(), Topic() | None:
            return save_topic(document, row=row, reason=reason)
        case documents.Track(), Track() | None:
            return save_track(document, row=row, reason=reason)
        case documents.Concept(), Concept() | None:
            return save_concept(document, row=row, reason=reason)
        case documents.Question(), Question() | None:
            return save_question(document, row=row, reason=reason)
        case _:
            raise TypeError(f"{document.slug!r} is not stored in a row of another kind")


@transaction.atomic
def save_question(
    document: documents.Question, *, row: Question | None = None, reason: str
) -> Question:
    """Store a question as a draft: one new version. Raises Topic.DoesNotExist."""
    row = row or Question(slug=document.slug)
    _fill(row, document)
    row.editor_note = list(document.editor_note)
    row.exercises = list(document.exercises)
    _save_version(row, reason)
    row.concept_links.all().delete()
    QuestionConcept.objects.bulk_create(
        QuestionConcept(question=row, concept_slug=link.slug, weight=link.weight, position=position)
        for position, link in enumerate(document.concepts)
    )
    _list_in_topic(row)
    row.diagrams.all().delete()
    Diagram.objects.bulk_create(
        Diagram(question=row, name=diagram.name, svg=diagram.svg) for diagram in document.diagrams
    )
    return row


@transaction.atomic
def save_concept(
    document: documents.Concept, *, row: Concept | None = None, reason: str
) -> Concept:
    """Store a concept as a draft: one new version. Raises Topic.DoesNotExist."""
    row = row or Concept(slug=document.slug)
    _fill(row, document)
    row.breath = document.breath
    _save_version(row, reason)
    _list_in_topic(row)
    row.diagrams.all().delete()
    Diagram.objects.bulk_create(
        Diagram(concept=row, name=diagram.name, svg=diagram.svg) for diagram in document.diagrams
    )
    return row


@transaction.atomic
def save_topic(document: documents.Topic, *, row: Topic | None = None, reason: str) -> Topic:
    """Store a topic. It shows at once; a new one comes last."""
    row = row or Topic(slug=document.slug, position=Topic.objects.count() + 1)
    row.title = document.title
    row.emoji = document.emoji
    row.description = document.description
    row.question_order = list(document.questions)
    row.concept_order = list(document.concepts)
    row.document = to_stored(document)
    _save_version(row, reason)
    return row


@transaction.atomic
def save_track(document: documents.Track, *, row: Track | None = None, reason: str) -> Track:
    """Store a track with its stages. It shows at once; a new one comes last."""
    row = row or Track(slug=document.slug, position=Track.objects.count() + 1)
    row.title = document.title
    row.emoji = document.emoji
    row.description = document.description
    row.document = to_stored(document)
    _save_version(row, reason)
    row.stages.all().delete()
    for place, stage in enumerate(document.stages):
        stored = Stage.objects.create(track=row, title=stage.title, position=place)
        StageQuestion.objects.bulk_create(
            StageQuestion(stage=stored, question_slug=slug, position=at)
            for at, slug in enumerate(stage.questions)
        )
    return row


def place(row: Topic | Track, position: int) -> None:
    """Put a topic among the topics, or a track among the tracks."""
    note(row, position=position)


@transaction.atomic
def replace_facts(facts: tuple[documents.Fact, ...]) -> None:
    """Make the stored facts those of the files."""
    Fact.objects.all().delete()
    Fact.objects.bulk_create(
        Fact(
            name=fact.name,
            value=fact.value,
            unit=fact.unit,
            label=fact.label,
            source=fact.source,
            source_name=fact.source_name,
            source_url=fact.source_url,
            date=fact.date,
            note=fact.note,
            position=position,
        )
        for position, fact in enumerate(facts)
    )


@transaction.atomic
def replace_planned(planned: documents.Planned) -> None:
    """Make the stored plan that of the files."""
    PlannedItem.objects.all().delete()
    kinds = {
        "question": planned.questions,
        "concept": planned.concepts,
        "exercise": planned.exercises,
    }
    PlannedItem.objects.bulk_create(
        PlannedItem(
            kind=kind, slug=item.slug, title=item.title, topic_slug=item.topic, position=position
        )
        for kind, items in kinds.items()
        for position, item in enumerate(items)
    )


def _fill(row: Question | Concept, document: documents.Question | documents.Concept) -> None:
    row.title = document.title
    row.summary = document.summary
    row.topic = Topic.objects.get(slug=document.topic)
    row.level = document.level
    row.tier = document.tier or ""
    row.updated = dt.date.fromisoformat(f"{document.updated}-01")
    row.body = document.body
    row.sources = msgspec.to_builtins(document.sources)
    row.document = to_stored(document)


def _list_in_topic(row: Question | Concept) -> None:
    """Keep the topics' orders true: the document is listed by its topic and by no other."""
    kind = "questions" if isinstance(row, Question) else "concepts"
    for topic in Topic.objects.all():
        document = bank.topic_document(topic)
        order: tuple[str, ...] = getattr(document, kind)
        if (row.slug in order) == (topic.pk == row.topic_id):
            continue
        kept = tuple(slug for slug in order if slug != row.slug)
        order = (*kept, row.slug) if topic.pk == row.topic_id else kept
        changed = msgspec.structs.replace(document, **{kind: order})
        save_topic(changed, row=topic, reason=f"{row.slug} was moved")


def _save_version(row: Question | Concept | Topic | Track, reason: str) -> None:
    """Save with a reason that the history shows; the history notes who is signed in."""
    vars(row)["_change_reason"] = reason  # where django-simple-history looks for it
    row.full_clean()
    row.save()
