"""The only writers of the catalogue."""

from questionbank.catalog.services.drafts import (
    place,
    save,
    save_concept,
    save_question,
    save_topic,
    save_track,
)
from questionbank.catalog.services.files import publish_files
from questionbank.catalog.services.filing import Choices, Filing, Outcome, UnknownSlugError
from questionbank.catalog.services.publishing import (
    publish,
    publish_concept,
    publish_question,
    withdraw,
)
from questionbank.catalog.services.tiers import redeal_topic

__all__ = [
    "Choices",
    "Filing",
    "Outcome",
    "UnknownSlugError",
    "place",
    "publish",
    "publish_concept",
    "publish_files",
    "publish_question",
    "redeal_topic",
    "save",
    "save_concept",
    "save_question",
    "save_topic",
    "save_track",
    "withdraw",
]
