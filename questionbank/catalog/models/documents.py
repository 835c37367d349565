"""What editors write: concepts and questions with their diagrams. Readers never see these rows."""

from typing import override

from django.db import models
from django.db.models import Q
from simple_history.models import HistoricalRecords

from questionbank.catalog.models.curriculum import Topic
from questionbank.catalog.models.filed import Filed
from questionbank.catalog.vocabulary import Level, Tier

LEVELS = [(level.value, level.value) for level in Level]
TIERS = [(tier.value, tier.value) for tier in Tier]


class Document(Filed):
    """What a question and a concept have in common."""

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=300)
    summary = models.TextField(help_text="One paragraph, shown to everyone.")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="%(class)ss")
    level = models.CharField(max_length=12, choices=LEVELS)
    tier = models.CharField(
        "explicit tier",
        max_length=9,
        choices=TIERS,
        blank=True,
        default="",
        help_text="Leave empty to let the place in the topic decide.",
    )
    updated = models.DateField(help_text="The month it was last revised: its first day.")
    body = models.TextField()
    sources = models.JSONField(default=list, blank=True)
    first_published_at = models.DateTimeField(null=True, blank=True, editable=False)
    withdrawn = models.BooleanField(
        default=False,
        editable=False,
        help_text="Unpublished by an editor: publishing the files leaves it so.",
    )

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                name="%(class)s_level_is_known", condition=Q(level__in=[v for v, _ in LEVELS])
            ),
            models.CheckConstraint(
                name="%(class)s_tier_is_known", condition=Q(tier__in=["", *(v for v, _ in TIERS)])
            ),
        ]

    @override
    def __str__(self) -> str:
        return self.title


class Concept(Document):
    """A card that explains one idea that questions lean on."""

    breath = models.TextField(
        "in one breath", help_text="The idea in a sentence or two, as one would say it aloud."
    )

    history = HistoricalRecords()

    class Meta(Document.Meta):
        ordering = ("topic", "slug")


class Question(Document):
    """An interview question with its worked answer."""

    dealt_tier = models.CharField(
        max_length=9,
        choices=TIERS,
        blank=True,
        default="",
        editable=False,
        help_text="Set when first published, by its place in the topic; then it stays.",
    )
    editor_note = models.JSONField(
        default=list, blank=True, help_text="What an answer is scored on, one point a line."
    )
    exercises = models.JSONField(default=list, blank=True)

    history = HistoricalRecords()

    class Meta(Document.Meta):
        ordering = ("topic", "slug")
        constraints = [
            *Document.Meta.constraints,
            models.CheckConstraint(
                name="question_dealt_tier_is_known",
                condition=Q(dealt_tier__in=["", *(v for v, _ in TIERS)]),
            ),
        ]


class QuestionConcept(models.Model):
    """The author's word that a question leans on a concept, which may not be written yet."""

    question = models.ForeignKey(Question, on_delete=models.CASCADE, related_name="concept_links")
    concept_slug = models.SlugField(max_length=80)
    weight = models.FloatField(help_text="From 0 to 1: how much the answer needs it.")
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("question", "position")
        constraints = [
            models.UniqueConstraint(
                fields=["question", "concept_slug"], name="question_links_a_concept_once"
            ),
            models.CheckConstraint(
                name="concept_weight_is_between_0_and_1",
                condition=Q(weight__gte=0, weight__lte=1),
            ),
        ]

    @override
    def __str__(self) -> str:
        return f"{self.concept_slug} ({self.weight:g})"


class Diagram(models.Model):
    """A hand-written drawing, named by the Markdown of the one document it belongs to."""

    question = models.ForeignKey(
        Question, on_delete=models.CASCADE, related_name="diagrams", null=True, blank=True
    )
    concept = models.ForeignKey(
        Concept, on_delete=models.CASCADE, related_name="diagrams", null=True, blank=True
    )
    name = models.CharField(max_length=80, help_text="Without .svg, such as fsdp-step.")
    svg = models.TextField("SVG")

    class Meta:
        ordering = ("name",)
        constraints = [
            models.CheckConstraint(
                name="diagram_belongs_to_one_document",
                condition=Q(question__isnull=False, concept__isnull=True)
                | Q(question__isnull=True, concept__isnull=False),
            ),
            models.UniqueConstraint(
                fields=["question", "name"], name="diagram_name_is_unique_in_its_question"
            ),
            models.UniqueConstraint(
                fields=["concept", "name"], name="diagram_name_is_unique_in_its_concept"
            ),
        ]

    @override
    def __str__(self) -> str:
        return self.name


class Fact(models.Model):
    """A hardware figure that more than one document uses, as its entry in the facts file."""

    name = models.CharField(max_length=120, unique=True, help_text="Such as v5p.hbm_bytes.")
    value = models.FloatField(help_text="In the unit beside it.")
    unit = models.CharField(max_length=40, blank=True)
    label = models.CharField(max_length=200)
    source = models.CharField(max_length=80, help_text="The short name of where it was read.")
    source_name = models.CharField(max_length=300)
    source_url = models.URLField(max_length=500, blank=True)
    date = models.CharField(max_length=20, help_text="When it was read or published.")
    note = models.TextField(blank=True)
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("position", "name")

    @override
    def __str__(self) -> str:
        return self.name


class PlannedItem(models.Model):
    """A text that the curriculum names: legal to refer to, hidden from readers until written."""

    KINDS = (("question", "question"), ("concept", "concept"), ("exercise", "exercise"))

    kind = models.CharField(max_length=8, choices=KINDS)
    slug = models.SlugField(max_length=80)
    title = models.CharField(max_length=300)
    topic_slug = models.SlugField(max_length=80, blank=True)
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("kind", "position")
        constraints = [
            models.UniqueConstraint(fields=["kind", "slug"], name="item_is_planned_once"),
        ]

    @override
    def __str__(self) -> str:
        return self.title
