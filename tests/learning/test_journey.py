import dataclasses

from questionbank.learning.journey import Tally, continue_here, tally, up_next
from questionbank.learning.models import Rating


@dataclasses.dataclass(frozen=True)
class Question:
    id: int
    locked: bool = False


TRACK = [Question(n) for n in range(1, 7)]


def ids(questions: list[Question]) -> list[int]:
    return [question.id for question in questions]


def test_a_tally_counts_each_mark_once_and_only_on_the_questions_asked_about() -> None:
    marks = {1: Rating.READ, 2: Rating.SOLID, 3: Rating.SOLID, 4: Rating.SHAKY, 99: Rating.SOLID}
    assert tally(TRACK, marks) == Tally(written=6, read=1, shaky=1, solid=2)
    assert tally(TRACK, marks).marked == 4


def test_a_hundred_percent_means_all_and_an_empty_topic_is_at_nought() -> None:
    assert Tally(written=300, read=299, shaky=0, solid=0).percent == 99
    assert Tally(written=3, read=1, shaky=1, solid=1).percent == 100
    assert Tally(written=0, read=0, shaky=0, solid=0).percent == 0


def test_up_next_starts_after_this_question_and_skips_what_is_marked() -> None:
    assert ids(up_next(TRACK, after=2, marks={})) == [3, 4, 5]
    assert ids(up_next(TRACK, after=2, marks={3: Rating.READ, 5: Rating.SHAKY})) == [4, 6, 1]


def test_up_next_goes_round_to_what_was_skipped_but_never_to_this_question() -> None:
    assert ids(up_next(TRACK, after=6, marks={1: Rating.SOLID})) == [2, 3, 4]
    assert ids(up_next(TRACK[:2], after=1, marks={})) == [2]


def test_up_next_from_a_question_outside_the_track_starts_at_the_top() -> None:
    assert ids(up_next(TRACK, after=77, marks={})) == [1, 2, 3]


def test_a_locked_question_is_shown_as_next_but_never_continued_at() -> None:
    stops = [Question(1), Question(2, locked=True), Question(3)]
    assert ids(up_next(stops, after=1, marks={})) == [2, 3]
    at = continue_here(stops, {1: Rating.READ})
    assert at is not None
    assert at.id == 3


def test_when_all_is_read_one_continues_at_the_first_shaky_question() -> None:
    at = continue_here(TRACK[:3], {1: Rating.SOLID, 2: Rating.SHAKY, 3: Rating.SHAKY})
    assert at is not None
    assert at.id == 2
    assert continue_here(TRACK[:2], {1: Rating.SOLID, 2: Rating.READ}) is None
