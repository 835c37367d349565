"""What readers are shown. A locked item's text is not in these values at all."""

import datetime as dt
from dataclasses import dataclass
from typing import Literal

from questionbank.catalog.vocabulary import Level, OpenedBy, Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRef:
    """A topic as it is named beside something else."""

    slug: str
    title: str
    emoji: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many answers there are, and how many of them this reader may open."""

    written: int
    open: int
    by_account: int
    by_unlock: int

    @property
    def locked(self) -> int:
        """How many are closed to this reader, whatever opens them."""
        return self.written - self.open


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionCard:
    """A question in a list. `opened_by` is None when the reader may open it."""

    id: int
    slug: str
    title: str
    summary: str
    topic: TopicRef
    level: Level
    tier: Tier
    minutes: int
    updated: dt.date
    opened_by: OpenedBy | None

    @property
    def locked(self) -> bool:
        """Whether the answer is closed to this reader."""
        return self.opened_by is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptCard:
    """A concept in a list. `opened_by` is None when the reader may open it."""

    id: int
    slug: str
    title: str
    summary: str
    topic: TopicRef
    level: Level
    tier: Tier
    minutes: int
    updated: dt.date
    opened_by: OpenedBy | None

    @property
    def locked(self) -> bool:
        """Whether the card is closed to this reader."""
        return self.opened_by is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCard:
    """A concept behind a question. `score` is the overlap, from 0; the first ranks highest."""

    concept: ConceptCard
    score: float
    linked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicCard:
    """A topic in a list. `planned` counts its questions, written or not."""

    slug: str
    title: str
    emoji: str
    description: str
    planned: int
    counts: Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPage:
    """One topic with its published questions in order."""

    topic: TopicCard
    questions: tuple[QuestionCard, ...]
    concepts: tuple[ConceptCard, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackCard:
    """A track in a list. `minutes` is the reading time of what is written."""

    slug: str
    title: str
    emoji: str
    description: str
    planned: int
    minutes: int
    counts: Counts
    question_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageShown:
    """A stage with those of its questions that are published: at least one."""

    title: str
    questions: tuple[QuestionCard, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackPage:
    """One track, stage by stage."""

    track: TrackCard
    stages: tuple[StageShown, ...]

    @property
    def questions(self) -> tuple[QuestionCard, ...]:
        """Every question of the track in order, across its stages."""
        return tuple(question for stage in self.stages for question in stage.questions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading of an answer; `level` is 2 for a section, 3 for a part of one."""

    level: int
    anchor: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceShown:
    """A work that was used, and what was taken from it. `url` may be empty."""

    title: str
    taken: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What only a reader who may open the item gets. All HTML is safe to mark so."""

    html: str
    has_maths: bool
    has_sheet: bool
    editor_note_html: tuple[str, ...]
    sources: tuple[SourceShown, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """Where a question stands in a track: its stage's list, and the track's questions in order."""

    track_slug: str
    track_title: str
    track_emoji: str
    stage_title: str
    stage_questions: tuple[QuestionCard, ...]
    questions: tuple[QuestionCard, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPage:
    """A question's page. `answer` is None when it is locked; `outline` is shown even then."""

    question: QuestionCard
    summary_html: str
    outline: tuple[Heading, ...]
    words: int
    answer: Text | None
    concepts: tuple[RankedCard, ...]
    exercises: tuple[str, ...]
    journey: Journey | None
    unlock: Counts
    is_preview: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptPage:
    """A concept's page, with every published question that leans on it.

    `text` and `breath_html` are None when it is locked.
    """

    concept: ConceptCard
    summary_html: str
    breath_html: str | None
    outline: tuple[Heading, ...]
    words: int
    text: Text | None
    questions: tuple[QuestionCard, ...]
    unlock: Counts
    is_preview: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptGroup:
    """The published concepts of one topic."""

    topic: TopicRef
    concepts: tuple[ConceptCard, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPage:
    """What the front page shows; `featured` is an open question in full, None in an empty bank."""

    topics: tuple[TopicCard, ...]
    tracks: tuple[TrackCard, ...]
    featured: QuestionPage | None
    counts: Counts
    planned: int
    concepts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A page to list in the sitemap or feed: only such as open to everyone."""

    kind: Literal["question", "concept"]
    slug: str
    title: str
    summary: str
    published_at: dt.datetime
    first_published_at: dt.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One search result. In both HTML fields everything is escaped but the `<mark>` of a hit."""

    kind: Literal["question", "concept"]
    slug: str
    title_html: str
    snippet_html: str
    topic: TopicRef
    level: Level
    tier: Tier
    opened_by: OpenedBy | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """What a search found, best first; `suggestion` is a near miss worth trying, or None.

    `has_more` says that more was found than is shown.
    """

    query: str
    hits: tuple[Hit, ...]
    suggestion: str | None
    has_more: bool = False
