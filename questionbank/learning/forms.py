from typing import override

from django import forms

from questionbank.learning.models import Rating
from questionbank.learning.services import NOTE_LIMIT


class MarkForm(forms.Form):
    """How well one could say an answer; empty clears the mark."""

    rating = forms.ChoiceField(
        choices=[("", "Not read"), *((r, r) for r in Rating)], required=False
    )


class NoteField(forms.CharField):
    """A note, with its line ends as the limit counts them: browsers send two characters for one."""

    @override
    def to_python(self, value: str | None) -> str:
        return super().to_python((value or "").replace("\r\n", "\n")) or ""

    @override
    def clean(self, value: str | None) -> str:
        if value is None:
            raise forms.ValidationError("No note came with the form, so nothing was changed.")
        note: str = super().clean(value)
        return note


class NoteForm(forms.Form):
    """A note on a bookmark. It may be empty; it may not be left out."""

    note = NoteField(
        max_length=NOTE_LIMIT,
        required=False,
        error_messages={
            "max_length": "At most %(limit_value)d characters; this note has %(show_value)d."
        },
    )
