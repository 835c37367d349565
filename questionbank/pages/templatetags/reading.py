"""Small words that templates need."""

from collections.abc import Mapping

from django import template
from django.contrib.messages.storage.base import Message

from questionbank.learning.models import Rating

register = template.Library()


@register.filter
def of(marks: Mapping[int, Rating] | str | None, question_id: int) -> Rating | None:
    """The reader's mark on a question; none for a visitor, whose pages have no marks."""
    return marks.get(question_id) if isinstance(marks, Mapping) else None


@register.filter
def undo_address(message: Message) -> str:
    """Where a form would take back what the message reports; empty when nothing does."""
    kind, _, address = (message.extra_tags or "").partition(" ")
    return address if kind == "undo" else ""


@register.filter
def reading_time(minutes: int) -> str:
    """`45` as "45 min", `135` as "2 h 15 min"."""
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{rest} min"
    return f"{hours} h {rest} min" if rest else f"{hours} h"


@register.simple_tag
def ratings() -> list[Rating]:
    """The marks that a reader may give, from least to best."""
    return list(Rating)
