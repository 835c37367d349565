"""Rendering a document into the snapshot that readers see."""

import datetime as dt
import functools
import hashlib
from pathlib import Path

import msgspec
from django.utils import timezone

from questionbank.catalog import content
from questionbank.catalog.content import documents
from questionbank.catalog.content.rendering import Rendered, render_concept, render_question
from questionbank.catalog.models import (
    Concept,
    PublishedConcept,
    PublishedQuestion,
    Question,
    Topic,
)
from questionbank.catalog.selectors import bank
from questionbank.catalog.services.bookkeeping import note
from questionbank.catalog.vocabulary import Tier

type Facts = tuple[documents.Fact, ...]


def write_question(row: Question, document: documents.Question, *, facts: Facts) -> bool:
    """Render a question for readers, unless that is done already. Returns whether it wrote.

    A new snapshot is premium until its tier is dealt. Raises ContentErrors.
    """
    rendered_with = _fingerprint(document, facts)
    snapshot = PublishedQuestion.objects.filter(question=row).first()
    if snapshot is not None and snapshot.rendered_with == rendered_with:
        return False
    if snapshot is None:
        snapshot = PublishedQuestion(question=row, tier=row.tier or row.dealt_tier or Tier.PREMIUM)
    rendered = render_question(document, facts)
    snapshot.editor_note_html = list(rendered.editor_note_html)
    snapshot.exercises = list(document.exercises)
    _fill(snapshot, row, document, rendered)
    snapshot.rendered_with = rendered_with
    snapshot.save()
    return True


def write_concept(row: Concept, document: documents.Concept, *, facts: Facts) -> bool:
    """Render a concept for readers, unless that is done already. Returns whether it wrote.

    A concept is open unless its author says otherwise. Raises ContentErrors.
    """
    rendered_with = _fingerprint(document, facts)
    snapshot = PublishedConcept.objects.filter(concept=row).first() or PublishedConcept(concept=row)
    if snapshot.rendered_with == rendered_with:
        return False
    rendered = render_concept(document, facts)
    snapshot.breath_html = rendered.breath_html
    snapshot.tier = document.tier or Tier.OPEN
    _fill(snapshot, row, document, rendered)
    snapshot.rendered_with = rendered_with
    snapshot.save()
    return True


def _fill(
    snapshot: PublishedQuestion | PublishedConcept,
    row: Question | Concept,
    document: documents.Question | documents.Concept,
    rendered: Rendered,
) -> None:
    now = timezone.now()
    if row.first_published_at is None:
        note(row, first_published_at=now)
    snapshot.first_published_at = row.first_published_at or now
    snapshot.published_at = now
    snapshot.topic = Topic.objects.get(slug=document.topic)
    snapshot.title = document.title
    snapshot.summary = rendered.summary_text
    snapshot.summary_html = rendered.summary_html
    snapshot.level = document.level
    snapshot.updated = dt.date.fromisoformat(f"{document.updated}-01")
    snapshot.html = rendered.html
    snapshot.outline = [[h.level, h.anchor, h.text] for h in rendered.outline]
    snapshot.words = rendered.words
    snapshot.minutes = rendered.minutes
    snapshot.has_maths = rendered.has_maths
    snapshot.has_sheet = rendered.has_sheet
    snapshot.plain_text = rendered.plain_text
    snapshot.sources = msgspec.to_builtins(document.sources)
    snapshot.document = bank.to_stored(document)


def _fingerprint(document: documents.Question | documents.Concept, facts: Facts) -> str:
    """Digest of all that the rendering depends on: when it is the same, so is the page."""
    parts = (bank.digest(document).encode(), msgspec.json.encode(facts), _renderer_digest())
    return hashlib.sha256(b"".join(parts)).hexdigest()


@functools.cache
def _renderer_digest() -> bytes:
    """Digest of the renderer's own source, so that a new release renders everything again."""
    sources = sorted(Path(content.__path__[0]).rglob("*.py"))
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).digest()
