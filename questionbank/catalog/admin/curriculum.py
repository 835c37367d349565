"""Editing topics and tracks. What is saved shows at once."""

from typing import Any, override

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import ActionLocation
from django.core.exceptions import ValidationError
from django.db.models import Count, QuerySet
from django.forms.models import BaseInlineFormSet
from django.http import HttpRequest

from questionbank.catalog import services
from questionbank.catalog.admin.fields import LinesField
from questionbank.catalog.admin.versions import VersionedAdmin
from questionbank.catalog.content import documents
from questionbank.catalog.models import Concept, PlannedItem, Question, Stage, Topic, Track


def _refuse_unknown(kind: str, slugs: tuple[str, ...]) -> None:
    """Raise ValidationError naming each slug that is neither written nor planned, or is twice."""
    planned = PlannedItem.objects.filter(kind=kind).values_list("slug", flat=True)
    written = (Question if kind == "question" else Concept).objects.values_list("slug", flat=True)
    known = {*planned, *written}
    faults = [f"{slug!r} is neither written nor planned." for slug in slugs if slug not in known]
    faults += [f"{slug!r} is listed twice." for slug in sorted(set(slugs)) if slugs.count(slug) > 1]
    if faults:
        raise ValidationError(faults)


class TopicForm(forms.ModelForm[Topic]):
    """A topic, with the slugs of its questions and concepts in reading order."""

    question_order = LinesField(rows=20, required=False, help_text="Slugs in order, one a line.")
    concept_order = LinesField(rows=8, required=False, help_text="Slugs in order, one a line.")

    class Meta:
        model = Topic
        fields = (
            "title",
            "slug",
            "emoji",
            "description",
            "position",
            "question_order",
            "concept_order",
        )

    def clean_question_order(self) -> tuple[str, ...]:
        slugs: tuple[str, ...] = self.cleaned_data["question_order"]
        _refuse_unknown("question", slugs)
        return slugs

    def clean_concept_order(self) -> tuple[str, ...]:
        slugs: tuple[str, ...] = self.cleaned_data["concept_order"]
        _refuse_unknown("concept", slugs)
        return slugs

    def document(self) -> documents.Topic:
        """The topic that the form's values make."""
        values = self.cleaned_data
        return documents.Topic(
            slug=values.get("slug") or self.instance.slug,
            title=values["title"],
            emoji=values["emoji"],
            description=" ".join(values["description"].split()),
            questions=values["question_order"],
            concepts=values["concept_order"],
        )


@admin.register(Topic)
class TopicAdmin(VersionedAdmin[Topic]):
    """Topics."""

    form = TopicForm
    list_display = ("title", "slug", "position", "published_answers")
    search_fields = ("title", "slug", "description")
    actions = ("deal_tiers_again",)

    @override
    def get_queryset(self, request: HttpRequest) -> QuerySet[Topic]:
        return super().get_queryset(request).annotate(answers=Count("published_questions"))

    @override
    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("slug",) if obj else ()

    @override
    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        position = form.cleaned_data["position"]
        stored = services.save_topic(form.document(), row=obj if change else None, reason="edited")
        services.place(stored, position)
        obj.pk = stored.pk

    @admin.display(description="answers published")
    def published_answers(self, topic: Topic) -> str:
        """How many of the planned answers readers have."""
        return f"{vars(topic)['answers']} of {len(topic.question_order)}"

    @admin.action(
        description="Deal the tiers again, by the order as it is now",
        permissions=["change"],
        location=[ActionLocation.CHANGE_LIST, ActionLocation.CHANGE_FORM],
    )
    def deal_tiers_again(self, request: HttpRequest, queryset: QuerySet[Topic]) -> None:
        """Give the first ten to everyone, the next ten to members, the rest to premium."""
        for topic in queryset:
            changed = services.redeal_topic(topic)
            self.log_change(request, topic, f"tiers dealt again: {changed} changed")
            messages.success(request, f"{topic}: {changed} answers have another tier now.")


class StageForm(forms.ModelForm[Stage]):
    """A stage, with the slugs of its questions."""

    questions = LinesField(rows=8, help_text="Slugs in order, one a line.")

    class Meta:
        model = Stage
        fields = ("title", "position", "questions")

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # passed on unread
        super().__init__(*args, **options)
        if self.instance.pk:
            self.initial["questions"] = list(
                self.instance.entries.values_list("question_slug", flat=True)
            )

    def clean_questions(self) -> tuple[str, ...]:
        slugs: tuple[str, ...] = self.cleaned_data["questions"]
        _refuse_unknown("question", slugs)
        return slugs


class StageFormSet(BaseInlineFormSet[Stage, Any, Any]):
    """The stages of a track. No question stands in two of them."""

    @override
    def clean(self) -> None:
        super().clean()
        if any(self.errors):
            return
        slugs = [slug for stage in self.stages() for slug in stage.questions]
        twice = sorted({slug for slug in slugs if slugs.count(slug) > 1})
        if twice:
            raise ValidationError([f"{slug!r} stands in two stages." for slug in twice])
        self.instance.edited_stages = self.stages()

    def stages(self) -> tuple[documents.Stage, ...]:
        """The stages that the forms' values make, in order."""
        values = [form.cleaned_data for form in self.forms]
        kept = [value for value in values if value and not value.get("DELETE")]
        kept.sort(key=lambda value: value["position"])
        return tuple(documents.Stage(title=v["title"], questions=v["questions"]) for v in kept)


class StageInline(admin.StackedInline[Stage, Track]):
    """Stages: whoever may change the track may change them."""

    model = Stage
    form = StageForm
    formset = StageFormSet
    extra = 0

    @override
    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may_change(request)

    @override
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may_change(request)

    @override
    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._may_change(request)

    @override
    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return True

    def _may_change(self, request: HttpRequest) -> bool:
        names = ("catalog.change_track", "catalog.add_track")
        return any(request.user.has_perms([name]) for name in names)


@admin.register(Track)
class TrackAdmin(VersionedAdmin[Track]):
    """Tracks with their stages."""

    inlines = (StageInline,)
    parts = "stages"
    fields = ("title", "slug", "emoji", "description", "position")
    list_display = ("title", "slug", "position", "stage_count")
    search_fields = ("title", "slug", "description")

    @override
    def get_queryset(self, request: HttpRequest) -> QuerySet[Track]:
        return super().get_queryset(request).annotate(legs=Count("stages"))

    @override
    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("slug",) if obj else ()

    @override
    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        document = documents.Track(
            slug=obj.slug,
            title=obj.title,
            emoji=obj.emoji,
            description=" ".join(obj.description.split()),
            stages=vars(obj)["edited_stages"],
        )
        position = obj.position
        stored = services.save_track(document, row=obj if change else None, reason="edited")
        services.place(stored, position)
        obj.pk = stored.pk

    @admin.display(description="stages")
    def stage_count(self, track: Track) -> int:
        """How many stages it has."""
        count: int = vars(track)["legs"]
        return count
