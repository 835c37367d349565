"""Every page there is, for tests that look at all of them."""

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


def reading_pages() -> list[str]:
    """A page of every kind, and every question and concept."""
    questions = PublishedQuestion.objects.values_list("question__slug", flat=True)
    concepts = PublishedConcept.objects.values_list("concept__slug", flat=True)
    return [
        *FIXED,
        *(f"/questions/{slug}/" for slug in questions),
        *(f"/concepts/{slug}/" for slug in concepts),
        *(f"/topics/{slug}/" for slug in Topic.objects.values_list("slug", flat=True)[:2]),
        *(f"/tracks/{slug}/" for slug in Track.objects.values_list("slug", flat=True)[:2]),
    ]
