"""How far a reader has come, topic by topic and track by track. Pure."""

from collections.abc import Iterable, Mapping

from questionbank.catalog.shown import QuestionCard, TopicCard, TrackCard
from questionbank.learning.journey import Tally, tally_of
from questionbank.learning.models import Rating


def by_topic(
    topics: Iterable[TopicCard], marked: Iterable[QuestionCard], marks: Mapping[int, Rating]
) -> list[tuple[TopicCard, Tally]]:
    """Every topic that has answers, with the reader's tally. `marked`: the marked questions."""
    ids: dict[str, list[int]] = {}
    for card in marked:
        ids.setdefault(card.topic.slug, []).append(card.id)
    return [
        (topic, tally_of(ids.get(topic.slug, []), marks, written=topic.counts.written))
        for topic in topics
        if topic.counts.written
    ]


def by_track(
    tracks: Iterable[TrackCard], marks: Mapping[int, Rating]
) -> list[tuple[TrackCard, Tally]]:
    """Every track with the reader's tally."""
    return [
        (track, tally_of(track.question_ids, marks, written=track.counts.written))
        for track in tracks
    ]
