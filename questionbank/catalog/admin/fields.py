"""Form fields for what the files write as lists."""

import datetime as dt
from typing import Any, override

from django import forms
from django.core.exceptions import ValidationError

from questionbank.catalog.content.documents import ConceptLink


class LinesField(forms.CharField):
    """A list of texts, one a line."""

    def __init__(self, *, rows: int = 5, **options: Any) -> None:  # noqa: ANN401  # passed on unread
        super().__init__(widget=forms.Textarea(attrs={"rows": rows, "cols": 90}), **options)

    @override
    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list | tuple) else value

    @override
    def clean(self, value: Any) -> Any:
        return tuple(
            " ".join(line.split()) for line in super().clean(value).splitlines() if line.strip()
        )


class LinksField(LinesField):
    """Slugs of concepts with their weights, `slug: 0.8`, one a line."""

    @override
    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return "\n".join(f"{slug}: {weight:g}" for slug, weight in value)
        return value

    @override
    def clean(self, value: Any) -> Any:
        return tuple(_link(line) for line in super().clean(value))


class SourcesField(LinesField):
    """Works that were used, `title | what was taken | address`, one a line."""

    @override
    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return "\n".join(_source_line(source) for source in value)
        return value

    @override
    def clean(self, value: Any) -> Any:
        return [_source(line) for line in super().clean(value)]


class MonthField(forms.CharField):
    """A month as YYYY-MM."""

    @override
    def prepare_value(self, value: Any) -> Any:
        return f"{value:%Y-%m}" if isinstance(value, dt.date) else value

    @override
    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        try:
            return dt.date.fromisoformat(f"{text}-01")
        except ValueError:
            raise ValidationError("Give a month as YYYY-MM.") from None


def _link(line: str) -> ConceptLink:
    slug, _, weight = line.partition(":")
    try:
        return ConceptLink(slug.strip(), float(weight))
    except ValueError:
        raise ValidationError(f"{line!r} is not of the form slug: 0.8") from None


def _source(line: str) -> dict[str, str]:
    parts = [part.strip() for part in line.split(" | ")]
    if len(parts) not in (2, 3) or not all(parts):
        raise ValidationError(f"{line!r} is not of the form title | what was taken | address")
    return {"title": parts[0], "taken": parts[1], "url": parts[2] if len(parts) == 3 else ""}


def _source_line(source: dict[str, str]) -> str:
    parts = (source["title"], source["taken"], source["url"])
    return " | ".join(part for part in parts if part)
