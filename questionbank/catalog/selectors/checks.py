"""What is wrong with a draft, field by field: the checks of the files, for one document."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from questionbank.catalog.content import documents
from questionbank.catalog.content.checking import check_concept, check_question
from questionbank.catalog.content.errors import ContentError, fatal
from questionbank.catalog.content.reading import parse_concept, parse_question
from questionbank.catalog.content.writing import concept_text, question_text
from questionbank.catalog.models import Concept, PlannedItem
from questionbank.catalog.selectors.bank import facts

_FIELD = re.compile(r"([a-z_]+):")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A mistake: in a field, or in the drawing that is named. `line` counts within its text."""

    field: str
    drawing: str
    line: int
    message: str


def faults_in(document: documents.Question | documents.Concept) -> tuple[Fault, ...]:
    """Everything that keeps a draft from being published, in the order of its fields."""
    known = {fact.name: fact for fact in facts()}
    if isinstance(document, documents.Question):
        text = question_text(document)
        question, errors = parse_question(
            text, document.slug, slug=document.slug, diagrams=document.diagrams
        )
        errors += check_question(question, known) if question else []
    else:
        text = concept_text(document)
        concept, errors = parse_concept(
            text, document.slug, slug=document.slug, diagrams=document.diagrams
        )
        errors += check_concept(concept, known) if concept else []
    return (*(_placed(error, text) for error in fatal(errors)), *_unknown_slugs(document))


def _placed(error: ContentError, text: str) -> Fault:
    """Tell the field, and the line within it, from the line in the file."""
    if error.path.endswith(".svg"):
        drawing = error.path.rsplit("/", 1)[-1].removesuffix(".svg")
        return Fault(field="", drawing=drawing, line=error.line, message=error.message)
    lines = text.split("\n")
    body = lines.index("---", 1) + 2  # a blank line stands before the body
    if error.line > body:
        line = error.line - body
        return Fault(field="body", drawing="", line=line, message=error.message)
    starts = ((at, found[1]) for at, line in enumerate(lines, 1) if (found := _FIELD.match(line)))
    field = next((name for at, name in reversed(list(starts)) if at <= error.line), "body")
    return Fault(field=field, drawing="", line=1, message=error.message)


def _unknown_slugs(document: documents.Question | documents.Concept) -> Iterator[Fault]:
    if isinstance(document, documents.Concept):
        return
    planned = set(PlannedItem.objects.values_list("kind", "slug"))
    concepts = set(Concept.objects.values_list("slug", flat=True))
    for link in document.concepts:
        if link.slug not in concepts and ("concept", link.slug) not in planned:
            message = f"concept {link.slug!r} is neither written nor planned"
            yield Fault(field="concepts", drawing="", line=1, message=message)
    for slug in document.exercises:
        if ("exercise", slug) not in planned:
            message = f"exercise {slug!r} is not planned"
            yield Fault(field="exercises", drawing="", line=1, message=message)
