import pytest
from django.db import IntegrityError
from pytest_django import DjangoAssertNumQueries

from questionbank.accounts.models import User
from questionbank.accounts.services import delete_account, grant_unlock
from questionbank.catalog.models import PublishedQuestion, Question
from questionbank.catalog.readers import VISITOR, Reader
from questionbank.learning.models import Bookmark, Mark, Rating
from questionbank.learning.selectors import (
    UNREAD,
    bookmarks_of,
    kept_ids,
    marked_lately,
    marks_of,
    standing_on,
)
from questionbank.learning.services import (
    NOTE_LIMIT,
    clear_mark,
    keep_bookmark,
    mark_question,
    remove_bookmark,
    write_note,
)


def test_the_last_mark_counts_and_marking_twice_leaves_one_row(
    learner: User, questions: list[Question]
) -> None:
    for rating in (Rating.READ, Rating.SHAKY, Rating.SHAKY, Rating.SOLID):
        mark_question(learner_id=learner.pk, question_id=questions[0].pk, rating=rating)
    assert marks_of(Reader.of(learner)) == {questions[0].pk: Rating.SOLID}
    assert Mark.objects.count() == 1


def test_a_cleared_mark_is_unread_and_clearing_twice_is_no_error(
    learner: User, questions: list[Question]
) -> None:
    mark_question(learner_id=learner.pk, question_id=questions[0].pk, rating=Rating.READ)
    clear_mark(learner_id=learner.pk, question_id=questions[0].pk)
    clear_mark(learner_id=learner.pk, question_id=questions[0].pk)
    assert standing_on(questions[0].pk, Reader.of(learner)) == UNREAD


def test_the_database_refuses_a_rating_that_is_none(
    learner: User, questions: list[Question]
) -> None:
    with pytest.raises(IntegrityError):
        Mark.objects.create(learner=learner, question=questions[0], rating="great")


def test_a_removed_bookmark_comes_back_with_its_note(
    learner: User, questions: list[Question]
) -> None:
    reader = Reader.of(learner)
    write_note(learner_id=learner.pk, question_id=questions[3].pk, note="ask about DCN")
    remove_bookmark(learner_id=learner.pk, question_id=questions[3].pk)
    remove_bookmark(learner_id=learner.pk, question_id=questions[3].pk)
    assert bookmarks_of(reader) == ()
    assert kept_ids(reader) == frozenset()
    keep_bookmark(learner_id=learner.pk, question_id=questions[3].pk)
    (kept,) = bookmarks_of(reader)
    assert (kept.question.slug, kept.note) == (questions[3].slug, "ask about DCN")


def test_a_note_too_long_is_refused_whole(learner: User, questions: list[Question]) -> None:
    with pytest.raises(ValueError, match="at most 2,000 characters; this one has 2,001"):
        write_note(learner_id=learner.pk, question_id=questions[0].pk, note="x" * (NOTE_LIMIT + 1))
    assert Bookmark.objects.count() == 0


def test_bookmarks_are_listed_newest_first_in_two_queries(
    learner: User, questions: list[Question], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for question in questions[:12]:
        keep_bookmark(learner_id=learner.pk, question_id=question.pk)
    with django_assert_num_queries(2):
        kept = bookmarks_of(Reader.of(learner))
    assert [item.question.slug for item in kept] == [q.slug for q in reversed(questions[:12])]


def test_what_is_no_longer_published_is_left_out_of_lists(
    learner: User, questions: list[Question]
) -> None:
    for question in questions[:2]:
        keep_bookmark(learner_id=learner.pk, question_id=question.pk)
        mark_question(learner_id=learner.pk, question_id=question.pk, rating=Rating.READ)
    PublishedQuestion.objects.filter(question=questions[0]).delete()
    reader = Reader.of(learner)
    assert [kept.question.slug for kept in bookmarks_of(reader)] == [questions[1].slug]
    assert [marked.question.slug for marked in marked_lately(reader)] == [questions[1].slug]


def test_one_learner_sees_nothing_of_another(learner: User, questions: list[Question]) -> None:
    other = User.objects.create_user("other@example.org", "a long enough secret")
    write_note(learner_id=other.pk, question_id=questions[0].pk, note="mine")
    mark_question(learner_id=other.pk, question_id=questions[0].pk, rating=Rating.SOLID)
    for reader in (Reader.of(learner), VISITOR):
        assert bookmarks_of(reader) == ()
        assert marks_of(reader) == {}
        assert marked_lately(reader) == ()
        assert standing_on(questions[0].pk, reader) == UNREAD


def test_a_deleted_account_takes_its_marks_and_bookmarks_and_nobody_elses(
    learner: User, questions: list[Question]
) -> None:
    other = User.objects.create_user("other@example.org", "a long enough secret")
    for person in (learner, other):
        keep_bookmark(learner_id=person.pk, question_id=questions[0].pk)
        mark_question(learner_id=person.pk, question_id=questions[0].pk, rating=Rating.READ)
    delete_account(user=learner)
    assert list(User.objects.all()) == [other]
    assert Bookmark.objects.get().learner == other
    assert Mark.objects.get().learner == other


def test_an_unlock_granted_twice_keeps_its_first_date(learner: User) -> None:
    grant_unlock(user=learner)
    first = learner.unlocked_at
    grant_unlock(user=learner)
    assert first is not None
    assert learner.unlocked_at == first
    assert learner.has_unlocked
