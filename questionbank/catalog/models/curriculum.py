"""The order in which things are read: topics, and tracks with their stages."""

from typing import override

from django.db import models
from simple_history.models import HistoricalRecords

from questionbank.catalog.models.filed import Filed


class Topic(Filed):
    """One field of the curriculum. Changes show at once; a topic has no draft."""

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=120)
    emoji = models.CharField(max_length=16)
    description = models.TextField()
    position = models.PositiveIntegerField(help_text="Its place among the topics, from 1.")
    question_order = models.JSONField(
        default=list,
        blank=True,
        help_text="The slugs of its questions in reading order, planned ones among them.",
    )
    concept_order = models.JSONField(
        default=list,
        blank=True,
        help_text="The slugs of its concepts in reading order, planned ones among them.",
    )

    history = HistoricalRecords()

    class Meta:
        ordering = ("position", "slug")

    @override
    def __str__(self) -> str:
        return f"{self.emoji} {self.title}"


class Track(Filed):
    """An ordered journey through questions of several topics, in stages."""

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=120)
    emoji = models.CharField(max_length=16)
    description = models.TextField()
    position = models.PositiveIntegerField(help_text="Its place among the tracks, from 1.")

    history = HistoricalRecords()

    class Meta:
        ordering = ("position", "slug")

    @override
    def __str__(self) -> str:
        return f"{self.emoji} {self.title}"


class Stage(models.Model):
    """A leg of a track. Readers see it once one of its questions is published."""

    track = models.ForeignKey(Track, on_delete=models.CASCADE, related_name="stages")
    title = models.CharField(max_length=120)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ("track", "position")
        constraints = [
            models.UniqueConstraint(
                fields=["track", "title"], name="stage_title_is_unique_in_its_track"
            )
        ]

    @override
    def __str__(self) -> str:
        return self.title


class StageQuestion(models.Model):
    """A question's place in a stage, by slug: it may be planned and not written yet."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="entries")
    question_slug = models.SlugField(max_length=80)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ("stage", "position")
        indexes = [models.Index(fields=["question_slug"], name="stagequestion_by_slug")]
        constraints = [
            models.UniqueConstraint(
                fields=["stage", "question_slug"], name="stage_holds_a_question_once"
            )
        ]

    @override
    def __str__(self) -> str:
        return self.question_slug
