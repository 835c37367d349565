"""Editing questions and concepts: a draft is checked whole, stored as a version, then published."""

from typing import Any, override

from django.contrib import admin, messages
from django.contrib.admin import ActionLocation
from django.db.models import QuerySet
from django.http import HttpRequest

from questionbank.catalog import services
from questionbank.catalog.admin.forms import ConceptForm, DiagramFormSet, QuestionForm
from questionbank.catalog.admin.versions import VersionedAdmin
from questionbank.catalog.content import documents
from questionbank.catalog.content.errors import ContentErrors
from questionbank.catalog.models import Concept, Diagram, Question
from questionbank.catalog.vocabulary import Tier

# The value of a save button: a button of another name would be taken for an action's.
_SAVE_AND_PUBLISH = "publish"
_HEAD = ("title", "slug", ("topic", "level", "tier", "updated"), "summary")
_EVERYWHERE = [ActionLocation.CHANGE_LIST, ActionLocation.CHANGE_FORM]


class StateFilter(admin.SimpleListFilter):
    """Whether readers see the document."""

    title = "state"
    parameter_name = "state"

    @override
    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("published", "published"), ("draft", "draft only"), ("withdrawn", "withdrawn")]

    @override
    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "published":
                return queryset.filter(published__isnull=False)
            case "draft":
                return queryset.filter(published__isnull=True, withdrawn=False)
            case "withdrawn":
                return queryset.filter(withdrawn=True)
            case _:
                return queryset


class ShownTierFilter(admin.SimpleListFilter):
    """The tier that readers meet."""

    title = "tier shown"
    parameter_name = "shown"

    @override
    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(tier.value, tier.value) for tier in Tier]

    @override
    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(published__tier=self.value()) if self.value() else queryset


class DiagramInline(admin.StackedInline[Diagram, Any]):
    """The drawings of a document: whoever may change the document may change them."""

    model = Diagram
    formset = DiagramFormSet
    fields = ("name", "svg")
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
        return True  # whoever sees the inline sees the document

    def _may_change(self, request: HttpRequest) -> bool:
        name = self.parent_model.__name__.lower()
        allowed = (f"catalog.change_{name}", f"catalog.add_{name}")
        return any(request.user.has_perms([permission]) for permission in allowed)


class DocumentAdmin[Row: (Question, Concept)](VersionedAdmin[Row]):
    """What the admins of questions and concepts share."""

    change_form_template = "admin/catalog/document.html"
    inlines = (DiagramInline,)
    parts = "diagrams"
    actions = ("publish", "withdraw")
    list_display = ("title", "topic", "level", "state", "tier_shown", "updated")
    list_filter = (
        "topic",
        "level",
        StateFilter,
        ShownTierFilter,
        ("tier", admin.EmptyFieldListFilter),
    )
    search_fields = ("title", "slug", "summary", "body")
    list_per_page = 50
    save_on_top = True

    @override
    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request).select_related("topic", "published")
        return rows.defer("published__html", "published__plain_text", "topic__document")

    @override
    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("slug",) if obj else ()

    @override
    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """One by one, and only what readers do not see: withdraw it first."""
        if obj is None or hasattr(obj, "published"):
            return False
        return super().has_delete_permission(request, obj)

    @override
    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        row = super().save_form(request, form, change)
        row.edited_in = form  # the drawings are checked together with the text
        return row

    @override
    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        stored = self._save(form.document, obj if change else None)
        obj.pk = stored.pk
        if request.POST.get("_save") == _SAVE_AND_PUBLISH and self._publish(request, stored):
            messages.success(request, "Published: readers see it now.")

    @admin.display(description="state")
    def state(self, row: Row) -> str:
        """Where the document stands between draft and readers."""
        if hasattr(row, "published"):
            return "published" if row.document == row.published.document else "draft is ahead"
        return "withdrawn" if row.withdrawn else "draft"

    @admin.display(description="tier shown")
    def tier_shown(self, row: Row) -> str:
        """The tier that readers meet; a star when an editor set it."""
        tier: str = row.published.tier if hasattr(row, "published") else "–"
        return f"{tier} *" if row.tier else tier

    @admin.action(description="Publish the draft", permissions=["change"], location=_EVERYWHERE)
    def publish(self, request: HttpRequest, queryset: QuerySet[Row]) -> None:
        """Show readers the drafts as they are now."""
        published = sum(self._publish(request, row) for row in queryset)
        if published:
            messages.success(request, f"Published: {published}.")

    @admin.action(
        description="Withdraw from readers (unpublish)",
        permissions=["change"],
        location=_EVERYWHERE,
    )
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Row]) -> None:
        """Take the documents away from readers."""
        for row in queryset:
            services.withdraw(row)
            self.log_change(request, row, "withdrawn")
        messages.success(request, f"Withdrawn: {len(queryset)}. The drafts are kept.")

    def _save(self, document: Any, row: Row | None) -> Row:  # noqa: ANN401  # Row's own document
        raise NotImplementedError

    def _publish(self, request: HttpRequest, row: Row) -> bool:
        try:
            services.publish(row)
        except ContentErrors as error:
            for fault in error.errors:
                messages.error(request, f"{row.slug} was not published: {fault}")
            return False
        self.log_change(request, row, "published")
        return True


@admin.register(Question)
class QuestionAdmin(DocumentAdmin[Question]):
    """Questions with their answers."""

    form = QuestionForm
    fields = (*_HEAD, "body", "editor_note", "concepts", "exercises", "sources")

    @override
    def _save(self, document: documents.Question, row: Question | None) -> Question:
        return services.save_question(document, row=row, reason="edited")


@admin.register(Concept)
class ConceptAdmin(DocumentAdmin[Concept]):
    """Concept cards."""

    form = ConceptForm
    fields = (*_HEAD, "breath", "body", "sources")

    @override
    def _save(self, document: documents.Concept, row: Concept | None) -> Concept:
        return services.save_concept(document, row=row, reason="edited")
