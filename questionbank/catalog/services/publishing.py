"""Bringing drafts before readers, and taking them away again."""

from django.db import transaction

from questionbank.catalog.content import documents
from questionbank.catalog.content.errors import ContentError, ContentErrors
from questionbank.catalog.models import (
    Concept,
    PublishedConcept,
    PublishedQuestion,
    Question,
)
from questionbank.catalog.search import index
from questionbank.catalog.selectors import bank
from questionbank.catalog.selectors.checks import faults_in
from questionbank.catalog.services.bookkeeping import note
from questionbank.catalog.services.ranking import refresh_ranking
from questionbank.catalog.services.snapshots import write_concept, write_question
from questionbank.catalog.services.tiers import deal_new


def publish(row: Question | Concept) -> None:
    """Show readers a document as drafted now. Raises ContentErrors."""
    if isinstance(row, Question):
        publish_question(row)
    else:
        publish_concept(row)


@transaction.atomic
def publish_question(row: Question) -> None:
    """Show readers the question as drafted now. Its tier is dealt if this is the first time.

    Raises ContentErrors when the draft has faults.
    """
    document = bank.question_document(row)
    _refuse_faults(document)
    _end_withdrawal(row)
    write_question(row, document, facts=bank.facts())
    deal_new(row.topic)
    refresh_ranking()
    index.refresh_questions([row.pk])
    index.refresh_words()


@transaction.atomic
def publish_concept(row: Concept) -> None:
    """Show readers the concept as drafted now. Raises ContentErrors when it has faults."""
    document = bank.concept_document(row)
    _refuse_faults(document)
    _end_withdrawal(row)
    write_concept(row, document, facts=bank.facts())
    refresh_ranking()
    index.refresh_concepts([row.pk])
    index.refresh_words()


@transaction.atomic
def withdraw(row: Question | Concept) -> None:
    """Take a document away from readers; publishing the files leaves it so. Its draft stays."""
    note(row, withdrawn=True)
    remove_snapshot(row)
    refresh_ranking()
    index.refresh_words()


def remove_snapshot(row: Question | Concept) -> bool:
    """Delete what readers see of a document, and what search knows of it. Returns whether it was.

    The caller refreshes the ranking and the words.
    """
    if isinstance(row, Question):
        deleted, _ = PublishedQuestion.objects.filter(question=row).delete()
        index.refresh_questions([row.pk])
    else:
        deleted, _ = PublishedConcept.objects.filter(concept=row).delete()
        index.refresh_concepts([row.pk])
    return deleted > 0


def _refuse_faults(document: documents.Question | documents.Concept) -> None:
    faults = faults_in(document)
    if faults:
        raise ContentErrors(
            ContentError(fault.field or f"{fault.drawing}.svg", fault.line, fault.message)
            for fault in faults
        )


def _end_withdrawal(row: Question | Concept) -> None:
    if row.withdrawn:
        note(row, withdrawn=False)
