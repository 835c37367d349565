"""What the catalogue stores: what editors write, and the snapshot of it that readers see."""

from questionbank.catalog.models.curriculum import Stage, StageQuestion, Topic, Track
from questionbank.catalog.models.documents import (
    Concept,
    Diagram,
    Fact,
    PlannedItem,
    Question,
    QuestionConcept,
)
from questionbank.catalog.models.published import (
    PublishedConcept,
    PublishedQuestion,
    RankedConcept,
)
from questionbank.catalog.models.search import SearchWord

__all__ = [
    "Concept",
    "Diagram",
    "Fact",
    "PlannedItem",
    "PublishedConcept",
    "PublishedQuestion",
    "Question",
    "QuestionConcept",
    "RankedConcept",
    "SearchWord",
    "Stage",
    "StageQuestion",
    "Topic",
    "Track",
]
