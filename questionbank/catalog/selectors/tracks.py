"""Tracks: stages of questions in order, of which readers see those that are published."""

from collections import Counter
from collections.abc import Iterable

from questionbank.catalog.models import StageQuestion, Track
from questionbank.catalog.readers import Reader
from questionbank.catalog.selectors.cards import question_card, question_rows
from questionbank.catalog.selectors.counts import counts_of
from questionbank.catalog.shown import (
    Journey,
    QuestionCard,
    StageShown,
    TrackCard,
    TrackPage,
)


def tracks_overview(reader: Reader) -> tuple[TrackCard, ...]:
    """Every track with something to read, in order. Three queries."""
    entries: dict[int, list[str]] = {}
    for track_id, slug in StageQuestion.objects.order_by("stage__position", "position").values_list(
        "stage__track_id", "question_slug"
    ):
        entries.setdefault(track_id, []).append(slug)
    cards = _cards_by_slug({slug for slugs in entries.values() for slug in slugs}, reader)
    tracks = Track.objects.defer("document")
    shown = [_track_card(track, entries.get(track.pk, []), cards, reader) for track in tracks]
    return tuple(card for card in shown if card.counts.written)


def track_page(slug: str, reader: Reader) -> TrackPage:
    """One track. Stages with nothing written are left out. Raises Track.DoesNotExist."""
    track = Track.objects.defer("document").get(slug=slug)
    entries = _entries_of(track)
    cards = _cards_by_slug({slug for _, slug in entries}, reader)
    return TrackPage(
        track=_track_card(track, [slug for _, slug in entries], cards, reader),
        stages=_stages(entries, cards),
    )


def journey_through(slug: str, reader: Reader, *, track_slug: str | None = None) -> Journey | None:
    """Where a question stands in the named track, or else in the first that holds it."""
    places = (
        StageQuestion.objects.filter(question_slug=slug)
        .select_related("stage__track")
        .defer("stage__track__document")
        .order_by("stage__track__position", "stage__track__slug")
    )
    tracks = {place.stage.track.slug: place.stage.track for place in places}
    if not tracks:
        return None
    track = tracks.get(track_slug or "") or next(iter(tracks.values()))
    entries = _entries_of(track)
    stages = _stages(entries, _cards_by_slug({entry for _, entry in entries}, reader))
    return _journey(track, stages, slug)


def _journey(track: Track, stages: tuple[StageShown, ...], slug: str) -> Journey | None:
    ordered = [(stage, question) for stage in stages for question in stage.questions]
    stage = next((stage for stage, question in ordered if question.slug == slug), None)
    if stage is None:
        return None
    return Journey(
        track_slug=track.slug,
        track_title=track.title,
        track_emoji=track.emoji,
        stage_title=stage.title,
        stage_questions=stage.questions,
        questions=tuple(question for _, question in ordered),
    )


def _entries_of(track: Track) -> list[tuple[str, str]]:
    """The track's (stage title, question slug) in order, written or not."""
    rows = StageQuestion.objects.filter(stage__track=track).order_by("stage__position", "position")
    return list(rows.values_list("stage__title", "question_slug"))


def _cards_by_slug(slugs: Iterable[str], reader: Reader) -> dict[str, QuestionCard]:
    rows = question_rows().filter(question__slug__in=sorted(slugs))
    return {row.question.slug: question_card(row, reader) for row in rows}


def _stages(
    entries: Iterable[tuple[str, str]], cards: dict[str, QuestionCard]
) -> tuple[StageShown, ...]:
    stages: dict[str, list[QuestionCard]] = {}
    for title, slug in entries:
        if slug in cards:
            stages.setdefault(title, []).append(cards[slug])
    return tuple(StageShown(title=title, questions=tuple(qs)) for title, qs in stages.items())


def _track_card(
    track: Track, slugs: list[str], cards: dict[str, QuestionCard], reader: Reader
) -> TrackCard:
    written = [cards[slug] for slug in slugs if slug in cards]
    return TrackCard(
        slug=track.slug,
        title=track.title,
        emoji=track.emoji,
        description=track.description,
        planned=len(slugs),
        minutes=sum(question.minutes for question in written),
        counts=counts_of(Counter(question.tier for question in written), reader),
        question_ids=tuple(question.id for question in written),
    )
