"""What a learner has marked and kept, as pages need it."""

import dataclasses
import datetime as dt

from questionbank.catalog.readers import Reader
from questionbank.catalog.selectors import question_cards
from questionbank.catalog.shown import QuestionCard
from questionbank.learning.models import Bookmark, Mark, Rating


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One bookmark: the question, the learner's note and when it was first kept."""

    question: QuestionCard
    note: str
    kept_at: dt.datetime


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """One mark with its question, for lists of what was done."""

    question: QuestionCard
    rating: Rating
    marked_at: dt.datetime


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one learner stands to one question."""

    rating: Rating | None
    bookmarked: bool
    note: str


UNREAD = Standing(rating=None, bookmarked=False, note="")


def marks_of(reader: Reader) -> dict[int, Rating]:
    """Every mark of this reader by question id; none for a visitor. One query at most."""
    if reader.user_id is None:
        return {}
    rows = Mark.objects.filter(learner_id=reader.user_id).values_list("question_id", "rating")
    return {question_id: Rating(rating) for question_id, rating in rows}


def kept_ids(reader: Reader) -> frozenset[int]:
    """The ids of the questions that this reader has bookmarked. One query at most."""
    if reader.user_id is None:
        return frozenset()
    kept = Bookmark.objects.kept().filter(learner_id=reader.user_id)
    return frozenset(kept.values_list("question_id", flat=True))


def standing_on(question_id: int, reader: Reader) -> Standing:
    """This reader's mark and bookmark on one question. Two queries at most."""
    if reader.user_id is None:
        return UNREAD
    mark = Mark.objects.filter(learner_id=reader.user_id, question_id=question_id).first()
    bookmark = Bookmark.objects.kept().filter(learner_id=reader.user_id, question_id=question_id)
    kept = bookmark.first()
    return Standing(
        rating=Rating(mark.rating) if mark else None,
        bookmarked=kept is not None,
        note=kept.note if kept else "",
    )


def bookmarks_of(reader: Reader) -> tuple[Kept, ...]:
    """This reader's bookmarks, the newest first. Questions no longer published are left out."""
    if reader.user_id is None:
        return ()
    rows = list(
        Bookmark.objects.kept().filter(learner_id=reader.user_id).order_by("-kept_at", "-pk")
    )
    cards = question_cards((row.question_id for row in rows), reader)
    return tuple(
        Kept(question=cards[row.question_id], note=row.note, kept_at=row.kept_at)
        for row in rows
        if row.question_id in cards
    )


def marked_lately(reader: Reader, *, limit: int = 10) -> tuple[Marked, ...]:
    """What this reader marked last, the newest first. Two queries at most."""
    if reader.user_id is None:
        return ()
    rows = list(
        Mark.objects.filter(learner_id=reader.user_id).order_by("-marked_at", "-pk")[:limit]
    )
    cards = question_cards((row.question_id for row in rows), reader)
    return tuple(
        Marked(question=cards[row.question_id], rating=Rating(row.rating), marked_at=row.marked_at)
        for row in rows
        if row.question_id in cards
    )
