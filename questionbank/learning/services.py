"""The only writers of marks and bookmarks. Every call may be made twice with the effect of once."""

from django.db import transaction
from django.utils import timezone

from questionbank.learning.models import Bookmark, Mark, Rating

NOTE_LIMIT = 2000


def mark_question(*, learner_id: int, question_id: int, rating: Rating) -> None:
    """Set how well the learner could say this answer."""
    Mark.objects.update_or_create(
        learner_id=learner_id,
        question_id=question_id,
        defaults={"rating": rating, "marked_at": timezone.now()},
    )


def clear_mark(*, learner_id: int, question_id: int) -> None:
    """Make the question unread again."""
    Mark.objects.filter(learner_id=learner_id, question_id=question_id).delete()


def keep_bookmark(*, learner_id: int, question_id: int) -> None:
    """Keep the question. One that was taken away comes back with its note."""
    bookmark, created = Bookmark.objects.get_or_create(
        learner_id=learner_id, question_id=question_id
    )
    if not created and bookmark.removed_at is not None:
        Bookmark.objects.filter(pk=bookmark.pk).update(removed_at=None)


@transaction.atomic
def write_note(*, learner_id: int, question_id: int, note: str) -> None:
    """Keep the question with this note. Raises ValueError over NOTE_LIMIT characters."""
    if len(note) > NOTE_LIMIT:
        raise ValueError(
            f"a note has at most {NOTE_LIMIT:,} characters; this one has {len(note):,}"
        )
    keep_bookmark(learner_id=learner_id, question_id=question_id)
    Bookmark.objects.filter(learner_id=learner_id, question_id=question_id).update(note=note)


def remove_bookmark(*, learner_id: int, question_id: int) -> None:
    """Take the bookmark away. Its note stays for undo."""
    kept = Bookmark.objects.kept().filter(learner_id=learner_id, question_id=question_id)
    kept.update(removed_at=timezone.now())
