"""The stored documents as the content package's values."""

import hashlib

import msgspec

from questionbank.catalog.content import documents
from questionbank.catalog.content.writing import bank_files
from questionbank.catalog.models import (
    Concept,
    Fact,
    PlannedItem,
    PublishedConcept,
    PublishedQuestion,
    Question,
    Topic,
    Track,
)
from questionbank.catalog.selectors.cards import place_in

type Document = documents.Question | documents.Concept | documents.Topic | documents.Track

_CURRICULUM_FILES = ("topics.yaml", "tracks.yaml", "facts.yaml", "planned.yaml")


def to_stored(document: Document) -> dict[str, object]:
    """The document as plain data for a `document` column, without where it was read."""
    stored: dict[str, object] = msgspec.to_builtins(document)
    return {key: value for key, value in stored.items() if key != "origin" and value is not None}


def digest(document: Document) -> str:
    """SHA-256 of what the document says, wherever it was read."""
    # Converting makes a weight of 1 and one of 1.0 the same.
    bare = msgspec.convert(to_stored(document), type(document))
    return hashlib.sha256(msgspec.json.encode(bare)).hexdigest()


def document_of(row: Topic | Track | Concept | Question) -> Document:
    """The whole document as drafted."""
    match row:
        case Topic():
            return topic_document(row)
        case Track():
            return track_document(row)
        case Concept():
            return concept_document(row)
        case Question():
            return question_document(row)


def question_document(row: Question | PublishedQuestion) -> documents.Question:
    """The whole question, with its diagrams, as drafted or as published."""
    return msgspec.convert(row.document, documents.Question)


def concept_document(row: Concept | PublishedConcept) -> documents.Concept:
    """The whole concept, with its diagrams, as drafted or as published."""
    return msgspec.convert(row.document, documents.Concept)


def published_document(row: Concept | Question) -> Document | None:
    """The whole document as readers see it; None while it is not published."""
    if isinstance(row, Question):
        question = PublishedQuestion.objects.filter(question=row).first()
        return None if question is None else question_document(question)
    concept = PublishedConcept.objects.filter(concept=row).first()
    return None if concept is None else concept_document(concept)


def topic_document(row: Topic) -> documents.Topic:
    """The topic with its orders."""
    return msgspec.convert(row.document, documents.Topic)


def track_document(row: Track) -> documents.Track:
    """The track with its stages."""
    return msgspec.convert(row.document, documents.Track)


def facts() -> tuple[documents.Fact, ...]:
    """Every stored fact, in the order of the file. One query."""
    return tuple(
        documents.Fact(
            name=row.name,
            value=row.value,
            unit=row.unit,
            label=row.label,
            source=row.source,
            source_name=row.source_name,
            source_url=row.source_url,
            date=row.date,
            note=row.note,
        )
        for row in Fact.objects.all()
    )


def planned() -> documents.Planned:
    """What the curriculum names, written or not. One query."""
    items: dict[str, list[documents.PlannedItem]] = {}
    for row in PlannedItem.objects.all():
        item = documents.PlannedItem(slug=row.slug, title=row.title, topic=row.topic_slug)
        items.setdefault(row.kind, []).append(item)
    return documents.Planned(
        questions=tuple(items.get("question", ())),
        concepts=tuple(items.get("concept", ())),
        exercises=tuple(items.get("exercise", ())),
    )


def published_bank() -> documents.Bank:
    """The bank as readers see it, in the order in which the files are read. Six queries."""
    topics = tuple(topic_document(row) for row in Topic.objects.all())
    questions = [
        question_document(row)
        for row in PublishedQuestion.objects.select_related("question").only(
            "document", "question__slug"
        )
    ]
    concepts = [
        concept_document(row)
        for row in PublishedConcept.objects.select_related("concept").only(
            "document", "concept__slug"
        )
    ]
    question_place = place_in([slug for topic in topics for slug in topic.questions])
    concept_place = place_in([slug for topic in topics for slug in topic.concepts])
    return documents.Bank(
        topics=topics,
        tracks=tuple(track_document(row) for row in Track.objects.all()),
        questions=tuple(sorted(questions, key=lambda document: question_place(document.slug))),
        concepts=tuple(sorted(concepts, key=lambda document: concept_place(document.slug))),
        facts=facts(),
        planned=planned(),
    )


def files_of(document: Document) -> dict[str, str]:
    """The files that hold this document, by their path in the content folder."""
    match document:
        case documents.Question():
            files = bank_files(documents.Bank(questions=(document,)))
        case documents.Concept():
            files = bank_files(documents.Bank(concepts=(document,)))
        case documents.Topic():
            return {"topics.yaml": bank_files(documents.Bank(topics=(document,)))["topics.yaml"]}
        case documents.Track():
            return {"tracks.yaml": bank_files(documents.Bank(tracks=(document,)))["tracks.yaml"]}
    return {path: text for path, text in files.items() if path not in _CURRICULUM_FILES}
