"""Changing what is known about a document without making a new version of it."""

from questionbank.catalog.models import Concept, Question, Topic, Track


def note(row: Topic | Track | Concept | Question, **fields: object) -> None:
    """Set fields that are no part of the document: the history takes no notice."""
    type(row).objects.filter(pk=row.pk).update(**fields)
    for name, value in fields.items():
        setattr(row, name, value)
