"""Every page asks the database a small number of questions, however much the bank holds."""

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from questionbank.accounts.models import User
from questionbank.catalog.models import PublishedQuestion
from questionbank.learning.models import Bookmark, Mark
from tests.pages.banks import searchable_bank

QUESTION = "/questions/synthetic-question-000001/"

# Counted by hand from the selectors that each view asks. A member's page adds the session, the
# user, and what the page shows of the reader's own.
VISITOR = {
    "/": 15,
    "/topics/": 2,
    "/topics/synthetic-topic-0/": 3,
    "/tracks/": 3,
    "/tracks/synthetic-track/": 3,
    QUESTION: 7,
    "/questions/synthetic-question-000025/": 6,
    "/concepts/": 1,
    "/concepts/synthetic-concept-0-0/": 4,
    "/search/?q=ring": 5,
    "/unlock/": 1,
    "/feed.xml": 1,
    "/sitemap.xml": 7,
    "/robots.txt": 0,
    "/nowhere/": 0,
}
MEMBER = {
    "/": 18,
    "/topics/": 6,
    "/topics/synthetic-topic-0/": 6,
    "/tracks/": 6,
    "/tracks/synthetic-track/": 6,
    QUESTION: 12,
    "/concepts/": 3,
    "/concepts/synthetic-concept-0-0/": 7,
    "/search/?q=ring": 7,
    "/unlock/": 3,
    "/progress/": 14,
    "/bookmarks/": 5,
}


@pytest.mark.parametrize("questions", [30, 90])
@pytest.mark.parametrize("path", VISITOR)
def test_a_visitors_page_asks_no_more_when_there_is_more(
    path: str,
    questions: int,
    client: Client,
    db: None,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    searchable_bank(questions)
    with django_assert_num_queries(VISITOR[path]):
        client.get(path)


@pytest.mark.parametrize("questions", [30, 90])
@pytest.mark.parametrize("path", MEMBER)
def test_a_members_page_asks_no_more_when_there_is_more(
    path: str,
    questions: int,
    as_member: Client,
    member: User,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    searchable_bank(questions)
    some = PublishedQuestion.objects.values_list("question_id", flat=True)[: questions // 5]
    Mark.objects.bulk_create(Mark(learner=member, question_id=q, rating="shaky") for q in some)
    Bookmark.objects.bulk_create(Bookmark(learner=member, question_id=q) for q in some)
    with django_assert_num_queries(MEMBER[path]):
        as_member.get(path)


def test_a_kept_page_asks_nothing(
    client: Client, db: None, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    searchable_bank(30)
    cache.clear()
    client.get(QUESTION)
    with django_assert_num_queries(0):
        client.get(QUESTION)
