"""Deciding what a file may change: everything but an editor's work."""

import difflib
import enum
from dataclasses import dataclass

from questionbank.catalog.selectors.bank import Document, files_of


class Outcome(enum.StrEnum):
    """What publishing the files did with one item, in the words that its report uses."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    RENDERED = "rendered anew"
    LEFT = "left as edited in the admin"
    KEPT = "kept as edited in the admin"
    WITHDRAWN = "left unpublished by an editor"
    REMOVED = "removed: its file is gone"
    REFERRED_TO = "left: its file is gone, but something is in it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filing:
    """One item's outcome; for one that was left, how the file differs from what is stored."""

    kind: str
    slug: str
    outcome: Outcome
    diff: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What an editor decided for items that differ: slugs whose file, or whose edits, win."""

    take: frozenset[str] = frozenset()
    keep: frozenset[str] = frozenset()


class UnknownSlugError(ValueError):
    """A slug to resolve is not one of an item, or is to be both taken and kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    """What an item said in each place. Empty where it is not there; `file` empty: file gone."""

    stored: str
    taken: str
    kept: str
    file: str


def decide(slug: str, digests: Digests, choices: Choices) -> Outcome:
    """What to do with one item that is in the files, in the database, or in both."""
    if not digests.stored:
        return Outcome.CREATED
    if digests.stored == digests.file:
        return Outcome.UNCHANGED
    if slug in choices.keep:
        return Outcome.KEPT
    if digests.stored == digests.taken or slug in choices.take:
        return Outcome.UPDATED if digests.file else Outcome.REMOVED
    return Outcome.KEPT if digests.file and digests.kept == digests.file else Outcome.LEFT


def difference(stored: Document, filed: Document | None) -> str:
    """A unified diff from what is stored to the file, over every file of the document."""
    before = files_of(stored)
    after = {} if filed is None else files_of(filed)
    lines: list[str] = []
    for path in sorted(before.keys() | after.keys()):
        lines += difflib.unified_diff(
            before.get(path, "").splitlines(),
            after.get(path, "").splitlines(),
            f"stored/{path}",
            f"files/{path}",
            lineterm="",
        )
    return "\n".join(lines)
