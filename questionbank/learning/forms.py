from django import forms

from questionbank.learning.models import Rating
from questionbank.learning.services import NOTE_LIMIT


class MarkForm(forms.Form):
    """How well one could say an answer; empty clears the mark."""

    rating = forms.ChoiceField(
        choices=[("", "Not read"), *((r, r) for r in Rating)], required=False
    )


class NoteForm(forms.Form):
    """A note on a bookmark."""

    note = forms.CharField(
        max_length=NOTE_LIMIT,
        required=False,
        error_messages={
            "max_length": "At most %(limit_value)d characters; this note has %(show_value)d."
        },
    )
