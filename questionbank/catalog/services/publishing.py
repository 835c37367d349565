"""Bringing drafts before readers, and taking them away again."""

from django.db import transaction

from questionbank.catalog.models import (
    Concept,
    PublishedConcept,
    PublishedQuestion,
    Question,
)
from questionbank.catalog.search import index
from questionbank.catalog.selectors import bank
from questionbank.catalog.services.bookkeeping import note
from questionbank.catalog.services.ranking import refresh_ranking
from questionbank.catalog.services.snapshots import write_concept, write_question
from questionbank.catalog.services.tiers import deal_new


@transaction.atomic
def publish_question(row: Question) -> None:
    """Show readers the question as drafted now. Its tier is dealt if this is the first time."""
    _end_withdrawal(row)
    write_question(row, bank.question_document(row), facts=bank.facts())
    deal_new(row.topic)
    refresh_ranking()
    index.refresh_questions([row.pk])
    index.refresh_words()


@transaction.atomic
def publish_concept(row: Concept) -> None:
    """Show readers the concept as drafted now."""
    _end_withdrawal(row)
    write_concept(row, bank.concept_document(row), facts=bank.facts())
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


def _end_withdrawal(row: Question | Concept) -> None:
    if row.withdrawn:
        note(row, withdrawn=False)
