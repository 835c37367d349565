"""What a learner has marked and kept."""

import enum
from typing import Self, override

from django.conf import settings
from django.db import models
from django.utils import timezone


class Rating(enum.StrEnum):
    """How well a learner could say an answer. Each value is stored, so values never change."""

    READ = "read"
    SHAKY = "shaky"
    SOLID = "solid"


class Mark(models.Model):
    """One learner's rating of one question; none means not read."""

    learner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="marks"
    )
    question = models.ForeignKey("catalog.Question", on_delete=models.CASCADE, related_name="marks")
    rating = models.CharField(
        max_length=8, choices=[(r.value, r.value.capitalize()) for r in Rating]
    )
    marked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["learner", "question"], name="one_mark_per_learner_and_question"
            ),
            models.CheckConstraint(
                condition=models.Q(rating__in=[r.value for r in Rating]),
                name="mark_rating_is_known",
            ),
        ]

    @override
    def __str__(self) -> str:
        return f"{self.learner_id} marked {self.question_id} {self.rating}"


class BookmarkQuerySet(models.QuerySet["Bookmark"]):
    """Words for asking about bookmarks."""

    def kept(self) -> Self:
        """Those that were not taken away."""
        return self.filter(removed_at__isnull=True)


class Bookmark(models.Model):
    """A question that a learner keeps, with a note.

    Taking it away keeps the row, so that undo can restore the note.
    """

    learner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="bookmarks"
    )
    question = models.ForeignKey(
        "catalog.Question", on_delete=models.CASCADE, related_name="bookmarks"
    )
    note = models.TextField(blank=True, max_length=2000)
    kept_at = models.DateTimeField(default=timezone.now)
    removed_at = models.DateTimeField(null=True, blank=True)

    objects = BookmarkQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["learner", "question"], name="one_bookmark_per_learner_and_question"
            ),
        ]

    @override
    def __str__(self) -> str:
        return f"{self.learner_id} keeps {self.question_id}"
