"""What the files say, as frozen values. Everything else in this package reads or makes these."""

import enum
from typing import NamedTuple

import msgspec


class Level(enum.StrEnum):
    """How far into the field a text goes. Stored: the values never change."""

    FOUNDATIONAL = "Foundational"
    CORE = "Core"
    ADVANCED = "Advanced"


class Tier(enum.StrEnum):
    """Who may read the text. Stored: the values never change."""

    OPEN = "open"
    SIGNED_IN = "signed-in"
    PREMIUM = "premium"


class Origin(msgspec.Struct, frozen=True):
    """Where a document was read, for error messages only.

    `lines` maps a field ("title", "concepts.spmd-mesh") to its line in the file.
    """

    path: str = ""
    body_line: int = 1
    lines: dict[str, int] = {}

    def line_of(self, field: str) -> int:
        """Line of a field; the first line of the file where it is not known."""
        return self.lines.get(field, 1)


class Source(msgspec.Struct, frozen=True):
    """A work that was used, and what was taken from it."""

    title: str
    taken: str
    url: str = ""


class Diagram(msgspec.Struct, frozen=True):
    """One drawing. `name` is the file's name without `.svg`."""

    name: str
    svg: str


class ConceptLink(NamedTuple):
    """A concept that the author says the question leans on; `weight` from 0 to 1."""

    slug: str
    weight: float


class Concept(msgspec.Struct, frozen=True, kw_only=True):
    """One concept card. `breath` says it in one breath, `updated` is YYYY-MM, `body` Markdown."""

    slug: str
    title: str
    summary: str
    topic: str
    level: Level
    tier: Tier | None = None
    updated: str
    breath: str
    sources: tuple[Source, ...] = ()
    body: str
    diagrams: tuple[Diagram, ...] = ()
    origin: Origin = Origin()


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One question with its worked answer. `updated` is YYYY-MM; `body` is Markdown."""

    slug: str
    title: str
    summary: str
    topic: str
    level: Level
    tier: Tier | None = None
    updated: str
    concepts: tuple[ConceptLink, ...]
    exercises: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    editor_note: tuple[str, ...]
    body: str
    diagrams: tuple[Diagram, ...] = ()
    origin: Origin = Origin()


class Topic(msgspec.Struct, frozen=True, kw_only=True):
    """A shelf of the bank. `questions` and `concepts`: slugs in reading order, planned ones too."""

    slug: str
    title: str
    emoji: str
    description: str
    questions: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    origin: Origin = Origin()


class Stage(msgspec.Struct, frozen=True):
    """A leg of a track: slugs of questions in order, planned ones too."""

    title: str
    questions: tuple[str, ...]


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """An ordered journey through the questions."""

    slug: str
    title: str
    emoji: str
    description: str
    stages: tuple[Stage, ...]
    origin: Origin = Origin()


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """A hardware figure used in more than one place: `value` in `unit`, whose it is and of when."""

    name: str
    value: float
    unit: str
    label: str
    source: str
    source_name: str
    source_url: str = ""
    date: str
    note: str = ""
    origin: Origin = Origin()


class PlannedItem(msgspec.Struct, frozen=True):
    """A text that the curriculum names; `topic` is empty for an exercise."""

    slug: str
    title: str
    topic: str = ""


class Planned(msgspec.Struct, frozen=True):
    """What the curriculum names, written or not: legal to refer to, hidden until written."""

    questions: tuple[PlannedItem, ...] = ()
    concepts: tuple[PlannedItem, ...] = ()
    exercises: tuple[PlannedItem, ...] = ()


class Bank(msgspec.Struct, frozen=True, kw_only=True):
    """The whole content. Questions and concepts stand in the order that their topics give."""

    topics: tuple[Topic, ...] = ()
    tracks: tuple[Track, ...] = ()
    concepts: tuple[Concept, ...] = ()
    questions: tuple[Question, ...] = ()
    facts: tuple[Fact, ...] = ()
    planned: Planned = Planned()

    @property
    def documents(self) -> tuple[Question | Concept, ...]:
        """All questions, then all concepts."""
        return (*self.questions, *self.concepts)
