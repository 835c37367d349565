"""Keeping what is shown of how closely concepts overlap questions."""

from django.db import transaction

from questionbank.catalog.content import documents
from questionbank.catalog.content.ranking import rank_concepts
from questionbank.catalog.models import PublishedConcept, PublishedQuestion, RankedConcept
from questionbank.catalog.selectors.bank import published_bank

type Place = tuple[int, int, int, float, bool]


@transaction.atomic
def refresh_ranking() -> None:
    """Rank every published concept for every published question anew; write what changed.

    The whole bank is the corpus, so one new document can move the others' ranks.
    """
    current = {
        (row.question_id, row.concept_id, row.rank, row.score, row.linked): row.pk
        for row in RankedConcept.objects.all()
    }
    wanted = _places(published_bank())
    gone = [pk for place, pk in current.items() if place not in wanted]
    RankedConcept.objects.filter(pk__in=gone).delete()
    RankedConcept.objects.bulk_create(
        RankedConcept(
            question_id=question, concept_id=concept, rank=rank, score=score, linked=linked
        )
        for question, concept, rank, score, linked in sorted(wanted - current.keys())
    )


def _places(bank: documents.Bank) -> set[Place]:
    questions = dict(PublishedQuestion.objects.values_list("question__slug", "pk"))
    concepts = dict(PublishedConcept.objects.values_list("concept__slug", "pk"))
    links = {q.slug: {link.slug for link in q.concepts} for q in bank.questions}
    return {
        (questions[slug], concepts[ranked.slug], rank, ranked.score, ranked.slug in links[slug])
        for slug, ranking in rank_concepts(bank).items()
        for rank, ranked in enumerate(ranking, start=1)
    }
