"""What each reader is shown of a topic of thirty: ten open, ten for members, ten premium."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from questionbank.catalog import selectors
from questionbank.catalog.models import PublishedQuestion, Stage, StageQuestion, Topic, Track
from questionbank.catalog.readers import VISITOR, Reader
from questionbank.catalog.shown import Counts
from questionbank.catalog.synthetic import SyntheticBank, store_synthetic_bank
from questionbank.catalog.vocabulary import OpenedBy, Tier
from tests.catalog.conftest import MEMBER, PREMIUM, READERS, STAFF

pytestmark = pytest.mark.django_db

OPEN, FOR_MEMBERS, PREMIUM_ONLY = (
    f"synthetic-question-0000{place}" for place in ("09", "10", "20")
)


@pytest.mark.parametrize(
    ("reader", "expected"),
    [
        (VISITOR, Counts(written=30, open=10, by_account=10, by_unlock=10)),
        (MEMBER, Counts(written=30, open=20, by_account=0, by_unlock=10)),
        (PREMIUM, Counts(written=30, open=30, by_account=0, by_unlock=0)),
        (STAFF, Counts(written=30, open=30, by_account=0, by_unlock=0)),
    ],
)
def test_counts_say_what_is_open_and_what_would_open_the_rest(
    thirty_questions: SyntheticBank, reader: Reader, expected: Counts
) -> None:
    assert selectors.unlock_counts(reader) == expected
    assert selectors.topics_overview(reader)[0].counts == expected
    assert selectors.topic_page("synthetic-topic-0", reader).topic.counts == expected


@pytest.mark.parametrize(
    ("slug", "readers", "opened_by"),
    [
        (OPEN, READERS, None),
        (FOR_MEMBERS, (VISITOR,), OpenedBy.ACCOUNT),
        (FOR_MEMBERS, (MEMBER, PREMIUM, STAFF), None),
        (PREMIUM_ONLY, (VISITOR, MEMBER), OpenedBy.UNLOCK),
        (PREMIUM_ONLY, (PREMIUM, STAFF), None),
    ],
)
def test_an_answer_is_shown_exactly_to_those_who_may_open_it(
    thirty_questions: SyntheticBank,
    slug: str,
    readers: tuple[Reader, ...],
    opened_by: OpenedBy | None,
) -> None:
    for reader in readers:
        page = selectors.question_page(slug, reader)
        assert page.question.opened_by is opened_by
        assert (page.answer is None) == (opened_by is not None)
        assert [heading.text for heading in page.outline][:2] == ["Part 0", "Part 1"]


def test_a_locked_answer_never_leaves_the_database(thirty_questions: SyntheticBank) -> None:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        page = selectors.question_page(PREMIUM_ONLY, VISITOR)
    asked = " ".join(query["sql"] for query in captured)
    for column in ("html", "plain_text", "body", "document", "editor_note_html"):
        assert f'."{column}"' not in asked
    assert not any(word in repr(page) for word in thirty_questions.canaries[Tier.PREMIUM])


def test_a_topic_lists_its_questions_in_order(thirty_questions: SyntheticBank) -> None:
    page = selectors.topic_page("synthetic-topic-0", VISITOR)
    assert [question.slug for question in page.questions] == [
        f"synthetic-question-{number:06d}" for number in range(30)
    ]
    assert page.topic.planned == 30


def test_a_journey_holds_the_whole_track_in_order_across_stages(
    thirty_questions: SyntheticBank,
) -> None:
    journey = selectors.question_page("synthetic-question-000008", VISITOR).journey
    assert journey is not None
    assert journey.stage_title == "Synthetic stage 1"
    assert [question.slug[-2:] for question in journey.questions] == [f"{n:02}" for n in range(30)]


def test_what_is_planned_but_not_written_is_hidden_from_a_track(
    thirty_questions: SyntheticBank,
) -> None:
    track = Track.objects.get()
    hollow = Stage.objects.create(track=track, title="Nothing written", position=9)
    StageQuestion.objects.create(stage=hollow, question_slug="planned", position=0)
    first = Stage.objects.get(title="Synthetic stage 1")
    StageQuestion.objects.create(stage=first, question_slug="planned-too", position=99)
    page = selectors.track_page("synthetic-track", VISITOR)
    assert [stage.title for stage in page.stages] == [f"Synthetic stage {i}" for i in (1, 2, 3)]
    assert [len(stage.questions) for stage in page.stages] == [10, 10, 10]
    assert (page.track.planned, page.track.counts.written) == (32, 30)


def test_a_track_with_nothing_written_is_not_listed(thirty_questions: SyntheticBank) -> None:
    Track.objects.create(slug="hollow", title="Hollow", emoji="🕳️", description="-", position=1)
    assert [track.slug for track in selectors.tracks_overview(VISITOR)] == ["synthetic-track"]


def test_a_topic_says_how_many_are_planned_and_written(db: None) -> None:
    Topic.objects.create(
        slug="later",
        title="Later",
        emoji="⏳",
        description="-",
        position=1,
        question_order=["a", "b"],
    )
    card = selectors.topics_overview(VISITOR)[0]
    assert (card.planned, card.counts.written) == (2, 0)


def test_a_concept_page_lists_every_question_that_leans_on_it(
    thirty_questions: SyntheticBank,
) -> None:
    page = selectors.concept_page("synthetic-concept-0-0", VISITOR)
    assert len(page.questions) == 30
    assert selectors.concept_page("synthetic-concept-0-2", VISITOR).questions == ()
    assert page.text is not None


def test_robots_and_feeds_are_told_only_what_is_open_to_everyone(
    thirty_questions: SyntheticBank,
) -> None:
    open_slugs = {f"synthetic-question-{number:06d}" for number in range(10)}
    listed = {entry.slug for entry in selectors.sitemap_entries() if entry.kind == "question"}
    assert listed == open_slugs
    assert {entry.slug for entry in selectors.feed_entries()} == open_slugs


def test_the_front_page_shows_an_open_question_in_full(thirty_questions: SyntheticBank) -> None:
    page = selectors.front_page(VISITOR)
    assert page.featured is not None
    assert page.featured.answer is not None
    assert page.featured.question.tier is Tier.OPEN
    assert (page.planned, page.concepts) == (30, 3)


def test_an_empty_bank_has_a_front_page_too(db: None) -> None:
    page = selectors.front_page(VISITOR)
    assert (page.topics, page.tracks, page.featured, page.counts.written) == ((), (), None, 0)


def test_an_unpublished_question_has_no_page(thirty_questions: SyntheticBank) -> None:
    PublishedQuestion.objects.filter(question__slug=OPEN).delete()
    with pytest.raises(PublishedQuestion.DoesNotExist):
        selectors.question_page(OPEN, STAFF)


PAGES: dict[str, tuple[int, Callable[[Reader], object]]] = {
    "front": (15, selectors.front_page),
    "topics": (2, selectors.topics_overview),
    "topic": (3, lambda reader: selectors.topic_page("synthetic-topic-0", reader)),
    "tracks": (3, selectors.tracks_overview),
    "track": (3, lambda reader: selectors.track_page("synthetic-track", reader)),
    "open question": (7, lambda reader: selectors.question_page(OPEN, reader)),
    "locked question": (6, lambda reader: selectors.question_page(PREMIUM_ONLY, reader)),
    "concepts": (1, selectors.concepts_overview),
    "concept": (4, lambda reader: selectors.concept_page("synthetic-concept-0-0", reader)),
    "sitemap": (2, lambda _: selectors.sitemap_entries()),
    "feed": (1, lambda _: selectors.feed_entries()),
}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("questions", [30, 90])
def test_a_page_asks_the_same_few_queries_however_large_the_bank(
    db: None, name: str, questions: int
) -> None:
    store_synthetic_bank(questions)
    expected, page = PAGES[name]
    with CaptureQueriesContext(connection) as captured:
        page(VISITOR)
    assert len(captured) == expected
