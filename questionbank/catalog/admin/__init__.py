"""The editors' side of the catalogue."""

from questionbank.catalog.admin.curriculum import TopicAdmin, TrackAdmin
from questionbank.catalog.admin.documents import ConceptAdmin, QuestionAdmin

__all__ = ["ConceptAdmin", "QuestionAdmin", "TopicAdmin", "TrackAdmin"]
