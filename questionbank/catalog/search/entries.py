"""What the index holds for one document, and how its rows are numbered."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from questionbank.catalog.search.words import Term
from questionbank.catalog.vocabulary import Tier


class Kind(enum.IntEnum):
    """What a result is; part of its number in the index."""

    QUESTION = 0
    CONCEPT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The stems of a document, in order."""

    key: int
    title: tuple[str, ...]
    summary: tuple[str, ...]
    body: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A document that holds every term; a higher score is a better match."""

    key: int
    score: float


class Backend(Protocol):
    """What search asks of a database."""

    def replace(self, keys: Sequence[int], entries: Sequence[Entry]) -> None:
        """Forget what is known of the keys, then store the entries."""

    def matching(self, terms: Sequence[Term], opens: frozenset[Tier], limit: int) -> list[Match]:
        """The best matches. The body counts only where the tier is one of `opens`."""

    def replace_words(self, gone: Sequence[str], new: Sequence[str]) -> None:
        """Change which words may be suggested."""

    def similar_words(self, word: str, limit: int) -> list[str]:
        """Words of the vocabulary that share most of their trigrams with this one."""


def key_of(kind: Kind, document_id: int) -> int:
    """The number of a document in the index."""
    return document_id * 2 + kind


def kind_and_id(key: int) -> tuple[Kind, int]:
    """The document behind a number."""
    return Kind(key % 2), key // 2
