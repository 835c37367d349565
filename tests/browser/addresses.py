"""Every page there is, for tests that look at all of them."""

from collections.abc import Iterable

from questionbank.catalog.models import PublishedConcept, PublishedQuestion, Topic, Track

FIXED = (
    "/", "/topics/", "/tracks/", "/concepts/", "/unlock/", "/search/", "/search/?q=all-gather",
    "/search/?q=fdsp", "/search/?q=zzzz", "/nowhere/",
)  # fmt: skip
FOR_VISITORS = ("/account/login/", "/account/signup/", "/account/password/reset/")
OWN = (
    "/progress/", "/bookmarks/", "/account/", "/account/email/", "/account/password/change/",
    "/account/logout/", "/account/delete/",
)  # fmt: skip


# Answers differ in their text alone, and a browser takes seconds for each: these many are seen.
QUESTIONS_SEEN, CONCEPTS_SEEN = 8, 5


def reading_pages() -> list[str]:
    """A page of every kind, and questions and concepts spread over the whole bank."""
    questions = _spread(
        PublishedQuestion.objects.order_by("question__slug").values_list(
            "question__slug", flat=True
        ),
        QUESTIONS_SEEN,
    )
    concepts = _spread(
        PublishedConcept.objects.order_by("concept__slug").values_list("concept__slug", flat=True),
        CONCEPTS_SEEN,
    )
    return [
        *FIXED,
        *(f"/questions/{slug}/" for slug in questions),
        *(f"/concepts/{slug}/" for slug in concepts),
        *(f"/topics/{slug}/" for slug in Topic.objects.values_list("slug", flat=True)[:2]),
        *(f"/tracks/{slug}/" for slug in Track.objects.values_list("slug", flat=True)[:2]),
    ]


def _spread(slugs: Iterable[str], number: int) -> list[str]:
    """At most `number` of them, the same distance apart."""
    every = list(slugs)
    return every[:: max(1, -(-len(every) // number))]
