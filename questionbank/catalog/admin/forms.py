"""The forms of documents. A form that is valid holds a document that could be published."""

from collections.abc import Iterable
from typing import Any, override

import msgspec
from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import BaseInlineFormSet

from questionbank.catalog.admin.fields import LinesField, LinksField, MonthField, SourcesField
from questionbank.catalog.content import documents
from questionbank.catalog.models import Concept, Diagram, Question
from questionbank.catalog.selectors.checks import Fault, faults_in
from questionbank.catalog.vocabulary import Level, Tier

_LONG = forms.Textarea(
    attrs={"rows": 40, "cols": 100, "class": "document-body", "spellcheck": "true"}
)
_SHORT = forms.Textarea(attrs={"rows": 4, "cols": 90})


class DocumentForm[Row: (Question, Concept)](forms.ModelForm[Row]):
    """What the forms of questions and concepts share."""

    document: documents.Question | documents.Concept | None = None

    updated = MonthField(help_text="The month of the last revision, as YYYY-MM.")
    sources = SourcesField(
        required=False, help_text="One a line: title | what was taken | address (or none)."
    )

    def document_with(
        self, diagrams: Iterable[documents.Diagram]
    ) -> documents.Question | documents.Concept:
        """The document that the form's values make. The form must have no errors."""
        raise NotImplementedError

    def shared_fields(self) -> dict[str, Any]:
        """The fields that every document has."""
        values = self.cleaned_data
        return {
            "slug": values.get("slug") or self.instance.slug,
            "title": values["title"],
            "summary": " ".join(values["summary"].split()),
            "topic": values["topic"].slug,
            "level": Level(values["level"]),
            "tier": Tier(values["tier"]) if values["tier"] else None,
            "updated": f"{values['updated']:%Y-%m}",
            "sources": msgspec.convert(values["sources"], tuple[documents.Source, ...]),
            "body": values["body"].replace("\r\n", "\n").strip("\n").rstrip(),
        }


class QuestionForm(DocumentForm[Question]):
    """A question as an editor writes it."""

    concepts = LinksField(
        rows=5, help_text="Two to five concepts, one a line, with a weight from 0 to 1: ring: 0.8"
    )
    exercises = LinesField(required=False, rows=3, help_text="Slugs of exercises, one a line.")
    editor_note = LinesField(
        rows=7, help_text="What an answer is scored on: four to seven points, one a line."
    )

    class Meta:
        model = Question
        fields = (
            "title", "slug", "topic", "level", "tier", "updated", "summary", "body", "editor_note",
            "concepts", "exercises", "sources",
        )  # fmt: skip
        widgets = {"summary": _SHORT, "body": _LONG, "title": forms.TextInput(attrs={"size": 100})}

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # passed on unread
        super().__init__(*args, **options)
        if self.instance.pk:
            links = self.instance.concept_links.values_list("concept_slug", "weight")
            self.initial["concepts"] = list(links)

    @override
    def document_with(self, diagrams: Iterable[documents.Diagram]) -> documents.Question:
        return documents.Question(
            **self.shared_fields(),
            concepts=self.cleaned_data["concepts"],
            exercises=self.cleaned_data["exercises"],
            editor_note=self.cleaned_data["editor_note"],
            diagrams=tuple(diagrams),
        )


class ConceptForm(DocumentForm[Concept]):
    """A concept as an editor writes it."""

    class Meta:
        model = Concept
        fields = (
            "title", "slug", "topic", "level", "tier", "updated", "summary", "breath", "body",
            "sources",
        )  # fmt: skip
        widgets = {
            "summary": _SHORT,
            "breath": _SHORT,
            "body": _LONG,
            "title": forms.TextInput(attrs={"size": 100}),
        }

    @override
    def document_with(self, diagrams: Iterable[documents.Diagram]) -> documents.Concept:
        return documents.Concept(
            **self.shared_fields(),
            breath=" ".join(self.cleaned_data["breath"].split()),
            diagrams=tuple(diagrams),
        )


class DiagramFormSet(BaseInlineFormSet[Diagram, Any, Any]):
    """The drawings of a document. Last to be cleaned, so it checks the document as a whole."""

    @override
    def clean(self) -> None:
        super().clean()
        form: DocumentForm[Any] | None = getattr(self.instance, "edited_in", None)
        if form is None or form.errors or any(self.errors):
            return
        form.document = form.document_with(self._drawings())
        faults = faults_in(form.document)
        for fault in faults:
            self._tell(fault, form)
        if faults:
            count = "a mistake" if len(faults) == 1 else f"{len(faults)} mistakes"
            raise ValidationError(f"Nothing was saved: the text has {count}, shown by its field.")

    def _drawings(self) -> list[documents.Diagram]:
        return sorted(
            (
                documents.Diagram(name=values["name"], svg=_plain_lines(values["svg"]))
                for values in (drawing.cleaned_data for drawing in self.forms)
                if values and not values.get("DELETE")
            ),
            key=lambda diagram: diagram.name,
        )

    def _tell(self, fault: Fault, form: DocumentForm[Any]) -> None:
        message = f"Line {fault.line}: {fault.message}"
        for drawing in self.forms:
            if fault.drawing and drawing.cleaned_data.get("name") == fault.drawing:
                drawing.add_error("svg", message)
                return
        form.add_error(fault.field if fault.field in form.fields else None, message)


def _plain_lines(text: str) -> str:
    return text.replace("\r\n", "\n").strip("\n") + "\n"
