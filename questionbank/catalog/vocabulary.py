"""The closed vocabularies. Values are stored and written in files: they never change."""

import enum

from questionbank.catalog.content.documents import Level, Tier

__all__ = ["Level", "OpenedBy", "Tier"]


class OpenedBy(enum.StrEnum):
    """What a reader who meets a locked item would have to do."""

    ACCOUNT = "account"
    UNLOCK = "unlock"
