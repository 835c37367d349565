"""Every drawing of the bank, for editors."""

from dataclasses import dataclass

from questionbank.catalog.models import Diagram


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A drawing as it is kept, and the document that it belongs to."""

    kind: str
    slug: str
    name: str
    svg: str


def drawings() -> tuple[Drawing, ...]:
    """All of them, by document. One query."""
    rows = Diagram.objects.select_related("question", "concept").only(
        "name", "svg", "question__slug", "concept__slug"
    )
    return tuple(
        sorted((_drawing(row) for row in rows), key=lambda drawing: (drawing.slug, drawing.name))
    )


def _drawing(row: Diagram) -> Drawing:
    kind, document = ("question", row.question) if row.question else ("concept", row.concept)
    slug = document.slug if document else ""
    return Drawing(kind=kind, slug=slug, name=row.name, svg=row.svg)
