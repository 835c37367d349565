"""Bringing the files into the database: idempotent, in one transaction."""

from dataclasses import dataclass, field

import msgspec
from django.db import transaction

from questionbank.catalog.content import documents
from questionbank.catalog.models import Concept, Question, Topic, Track
from questionbank.catalog.search import index
from questionbank.catalog.selectors import bank
from questionbank.catalog.services import drafts
from questionbank.catalog.services.bookkeeping import note
from questionbank.catalog.services.filing import (
    Choices,
    Digests,
    Filing,
    Outcome,
    UnknownSlugError,
    decide,
    difference,
)
from questionbank.catalog.services.publishing import remove_snapshot
from questionbank.catalog.services.ranking import refresh_ranking
from questionbank.catalog.services.snapshots import Facts, write_concept, write_question
from questionbank.catalog.services.tiers import deal_new

type Row = Topic | Track | Concept | Question

_REASON = "taken from the files"
_EDITED = frozenset({Outcome.LEFT, Outcome.KEPT})


@transaction.atomic
def publish_files(files: documents.Bank, *, choices: Choices | None = None) -> tuple[Filing, ...]:
    """Bring a checked bank before readers. Raises UnknownSlugError and, on bad text, ContentErrors.

    An item that was edited here since its file was last taken stays as it is until `choices`
    resolves it. An item whose file is gone is taken away from readers; its draft stays.
    """
    list(Topic.objects.select_for_update().order_by("pk"))  # two runs at once take turns
    publishing = _Publishing(files, choices or Choices())
    publishing.refuse_unknown_choices()
    publishing.bring_in_curriculum()
    publishing.bring_in_texts()
    publishing.take_away_what_is_gone()
    publishing.bring_in_line()
    return tuple(publishing.filings)


@dataclass(slots=True)
class _Publishing:
    """One run over the files, and what it did so far."""

    files: documents.Bank
    choices: Choices
    filings: list[Filing] = field(default_factory=list)
    questions_written: list[int] = field(default_factory=list)
    concepts_written: list[int] = field(default_factory=list)
    something_removed: bool = False

    def refuse_unknown_choices(self) -> None:
        """Raise UnknownSlugError on a slug that names nothing, or that is to go both ways."""
        known = {document.slug for document in _documents(self.files)}
        known |= {row.slug for row in _all_rows()}
        for slug in sorted((self.choices.take | self.choices.keep) - known):
            raise UnknownSlugError(f"no topic, track, concept or question has the slug {slug!r}")
        for slug in sorted(self.choices.take & self.choices.keep):
            raise UnknownSlugError(f"{slug!r} cannot be both taken and kept: choose one")

    def bring_in_curriculum(self) -> None:
        """Facts, the plan, topics and tracks."""
        if bank.facts() != tuple(_bare(fact) for fact in self.files.facts):
            drafts.replace_facts(self.files.facts)
        if bank.planned() != self.files.planned:
            drafts.replace_planned(self.files.planned)
        topics, tracks = _rows(Topic), _rows(Track)
        for position, topic in enumerate(self.files.topics, start=1):
            row, outcome = self._take(topics.get(topic.slug), topic)
            self._report(row, outcome, topic)
            Topic.objects.filter(pk=row.pk).update(position=position)
        for position, track in enumerate(self.files.tracks, start=1):
            row, outcome = self._take(tracks.get(track.slug), track)
            self._report(row, outcome, track)
            Track.objects.filter(pk=row.pk).update(position=position)

    def bring_in_texts(self) -> None:
        """Concepts and questions: the draft, then what readers see of it."""
        facts = bank.facts()
        concepts, questions = _rows(Concept), _rows(Question)
        for concept in self.files.concepts:
            self._bring_in_text(concepts.get(concept.slug), concept, facts)
        for question in self.files.questions:
            self._bring_in_text(questions.get(question.slug), question, facts)

    def take_away_what_is_gone(self) -> None:
        """Take from readers what was once taken from a file that is gone."""
        filed = {(_kind(document), document.slug) for document in _documents(self.files)}
        for row in _all_rows():
            if row.taken_digest and (_kind(row), row.slug) not in filed:
                self._take_away(row)

    def bring_in_line(self) -> None:
        """Make tiers, ranking and search follow what changed."""
        if not (self.questions_written or self.concepts_written or self.something_removed):
            return
        written = Topic.objects.filter(published_questions__question__in=self.questions_written)
        for topic in written.distinct():
            deal_new(topic)
        refresh_ranking()
        index.refresh_questions(self.questions_written)
        index.refresh_concepts(self.concepts_written)
        index.refresh_words()

    def _take(self, row: Row | None, document: bank.Document) -> tuple[Row, Outcome]:
        """Make the stored draft what the file says, unless an editor's work stands there."""
        digest = bank.digest(document)
        outcome = decide(document.slug, _digests(row, digest), self.choices)
        if row is None or outcome is Outcome.UPDATED:
            row = drafts.save(document, row=row, reason=_REASON)
        match outcome:
            case Outcome.KEPT:
                _note_digests(row, kept=digest)
            case Outcome.CREATED | Outcome.UPDATED | Outcome.UNCHANGED:
                _note_digests(row, taken=digest)
        return row, outcome

    def _bring_in_text(
        self,
        row: Question | Concept | None,
        document: documents.Question | documents.Concept,
        facts: Facts,
    ) -> None:
        stored, outcome = self._take(row, document)
        if isinstance(stored, Question | Concept):
            if stored.withdrawn:
                outcome = outcome if outcome in _EDITED else Outcome.WITHDRAWN
            elif self._show(stored, outcome, facts) and outcome is Outcome.UNCHANGED:
                outcome = Outcome.RENDERED
        self._report(stored, outcome, document)

    def _show(self, row: Question | Concept, outcome: Outcome, facts: Facts) -> bool:
        """Show a text that was taken; one that was not is rendered anew as readers know it."""
        shown = bank.published_document(row) if outcome in _EDITED else bank.document_of(row)
        match row, shown:
            case Question(), documents.Question():
                wrote, ids = write_question(row, shown, facts=facts), self.questions_written
            case Concept(), documents.Concept():
                wrote, ids = write_concept(row, shown, facts=facts), self.concepts_written
            case _:
                return False
        if wrote:
            ids.append(row.pk)
        return wrote

    def _take_away(self, row: Row) -> None:
        outcome = decide(row.slug, _digests(row, ""), self.choices)
        match outcome, row:
            case Outcome.KEPT, _:
                _note_digests(row, taken="")  # from now on it is the database's own
            case Outcome.LEFT, _:
                pass
            case _, Topic() if row.questions.exists() or row.concepts.exists():
                outcome = Outcome.REFERRED_TO
            case _, Topic() | Track():
                row.delete()
            case _, Question() | Concept():
                if not remove_snapshot(row):
                    return
                self.something_removed = True
        self._report(row, outcome, None)

    def _report(self, row: Row, outcome: Outcome, filed: bank.Document | None) -> None:
        left = outcome is Outcome.LEFT
        diff = difference(bank.document_of(row), filed) if left else ""
        self.filings.append(Filing(kind=_kind(row), slug=row.slug, outcome=outcome, diff=diff))


def _rows[R: (Topic, Track, Concept, Question)](model: type[R]) -> dict[str, R]:
    return {row.slug: row for row in model.objects.all()}


def _all_rows() -> list[Row]:
    return [
        *Question.objects.all(),
        *Concept.objects.all(),
        *Track.objects.all(),
        *Topic.objects.all(),
    ]


def _documents(files: documents.Bank) -> list[bank.Document]:
    return [*files.topics, *files.tracks, *files.concepts, *files.questions]


def _kind(item: Row | bank.Document) -> str:
    return type(item).__name__.lower()


def _bare(fact: documents.Fact) -> documents.Fact:
    return msgspec.structs.replace(fact, origin=documents.Origin())


def _digests(row: Row | None, file: str) -> Digests:
    if row is None:
        return Digests(stored="", taken="", kept="", file=file)
    stored = bank.digest(bank.document_of(row))
    return Digests(stored=stored, taken=row.taken_digest, kept=row.kept_digest, file=file)


def _note_digests(row: Row, *, taken: str | None = None, kept: str = "") -> None:
    taken = row.taken_digest if taken is None else taken
    if (taken, kept) != (row.taken_digest, row.kept_digest):
        note(row, taken_digest=taken, kept_digest=kept)
