"""What readers see: the last published state of each document, rendered."""

from collections.abc import Iterable
from typing import Self, override

from django.db import models
from django.db.models import Q

from questionbank.catalog.models.curriculum import Topic
from questionbank.catalog.models.documents import LEVELS, TIERS, Concept, Question
from questionbank.catalog.vocabulary import Tier


class PublishedQuerySet[Row: models.Model](models.QuerySet[Row]):
    """The words for asking about published documents."""

    def in_tiers(self, tiers: Iterable[Tier]) -> Self:
        """Those of any of the tiers."""
        return self.filter(tier__in=[tier.value for tier in tiers])


class Snapshot(models.Model):
    """One published state, whole: nothing of it is looked up in the draft."""

    title = models.CharField(max_length=300)
    summary = models.TextField(help_text="Plain text, figures filled in.")
    summary_html = models.TextField()
    level = models.CharField(max_length=12, choices=LEVELS)
    tier = models.CharField(max_length=9, choices=TIERS)
    updated = models.DateField()
    html = models.TextField()
    outline = models.JSONField(help_text="Headings: a list of [level, anchor, text].")
    words = models.PositiveIntegerField()
    minutes = models.PositiveIntegerField()
    has_maths = models.BooleanField()
    has_sheet = models.BooleanField()
    plain_text = models.TextField()
    sources = models.JSONField(help_text="A list of {title, taken, url}.")
    document = models.JSONField(help_text="The document as published.")
    rendered_with = models.CharField(
        max_length=64, help_text="Digest of the document, the facts and the renderer."
    )
    first_published_at = models.DateTimeField()
    published_at = models.DateTimeField()

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                name="%(class)s_level_is_known", condition=Q(level__in=[v for v, _ in LEVELS])
            ),
            models.CheckConstraint(
                name="%(class)s_tier_is_known", condition=Q(tier__in=[v for v, _ in TIERS])
            ),
        ]

    @override
    def __str__(self) -> str:
        return self.title


class PublishedQuestion(Snapshot):
    """A question as readers see it. It exists exactly while the question is published."""

    question = models.OneToOneField(Question, on_delete=models.CASCADE, related_name="published")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="published_questions")
    editor_note_html = models.JSONField()
    exercises = models.JSONField()

    objects = PublishedQuerySet["PublishedQuestion"].as_manager()

    class Meta(Snapshot.Meta):
        indexes = [
            models.Index(fields=["topic", "tier"], name="publishedquestion_topic_tier"),
            models.Index(fields=["question", "tier"], name="publishedquestion_tier_of"),
            # Counts by tier, and the question that the front page shows, without reading a text.
            models.Index(
                "tier",
                models.F("updated").desc(),
                models.F("has_sheet").desc(),
                models.F("words").desc(),
                "question",
                name="publishedquestion_featured",
            ),
        ]


class PublishedConcept(Snapshot):
    """A concept as readers see it. It exists exactly while the concept is published."""

    concept = models.OneToOneField(Concept, on_delete=models.CASCADE, related_name="published")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="published_concepts")
    breath_html = models.TextField()

    objects = PublishedQuerySet["PublishedConcept"].as_manager()

    class Meta(Snapshot.Meta):
        pass


class RankedConcept(models.Model):
    """How closely a published concept overlaps a published question, computed at publish."""

    question = models.ForeignKey(
        PublishedQuestion, on_delete=models.CASCADE, related_name="ranked_concepts"
    )
    concept = models.ForeignKey(
        PublishedConcept, on_delete=models.CASCADE, related_name="ranked_questions"
    )
    rank = models.PositiveSmallIntegerField()
    score = models.FloatField()
    linked = models.BooleanField(help_text="The author linked it; the question leans on it.")

    class Meta:
        ordering = ("question", "rank")
        constraints = [
            models.UniqueConstraint(
                fields=["question", "concept"], name="concept_is_ranked_once_for_a_question"
            ),
        ]

    @override
    def __str__(self) -> str:
        return f"{self.rank}: {self.score:.2f}"
