"""A synthetic bank as publishing would leave it: in the search index too."""

from questionbank.catalog.models import PublishedConcept, PublishedQuestion
from questionbank.catalog.search.index import refresh_concepts, refresh_questions, refresh_words
from questionbank.catalog.synthetic import SyntheticBank, store_synthetic_bank


def searchable_bank(questions: int) -> SyntheticBank:
    """Store the bank and index it."""
    bank = store_synthetic_bank(questions)
    refresh_questions(PublishedQuestion.objects.values_list("question_id", flat=True))
    refresh_concepts(PublishedConcept.objects.values_list("concept_id", flat=True))
    refresh_words()
    return bank
