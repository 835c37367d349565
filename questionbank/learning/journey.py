"""Where a learner stands on an ordered list of questions, and what comes next. Pure."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from questionbank.learning.models import Rating


class Stop(Protocol):
    """One question on a track, as the catalog lists it."""

    @property
    def id(self) -> int:
        """The question's key, which marks are kept by."""
        ...

    @property
    def locked(self) -> bool:
        """Whether this reader may not open it."""
        ...


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many of some questions carry which mark; a question carries one or none."""

    written: int
    read: int
    shaky: int
    solid: int

    @property
    def marked(self) -> int:
        """Questions with any mark."""
        return self.read + self.shaky + self.solid

    @property
    def percent(self) -> int:
        """Share of the questions that are marked, 0 to 100, rounded down so that 100 means all."""
        return 100 * self.marked // self.written if self.written else 0


def tally(stops: Sequence[Stop], marks: Mapping[int, Rating]) -> Tally:
    """Count the marks on these questions."""
    return tally_of((stop.id for stop in stops), marks, written=len(stops))


def tally_of(ids: Iterable[int], marks: Mapping[int, Rating], *, written: int) -> Tally:
    """Count the marks on the questions with these ids, out of `written`."""
    ratings = [marks[question_id] for question_id in ids if question_id in marks]
    return Tally(
        written=written,
        read=ratings.count(Rating.READ),
        shaky=ratings.count(Rating.SHAKY),
        solid=ratings.count(Rating.SOLID),
    )


def continue_here[S: Stop](stops: Sequence[S], marks: Mapping[int, Rating]) -> S | None:
    """The first question unmarked and open to the learner; else the first shaky one; else none."""
    open_stops = [stop for stop in stops if not stop.locked]
    unread = (stop for stop in open_stops if stop.id not in marks)
    shaky = (stop for stop in open_stops if marks.get(stop.id) is Rating.SHAKY)
    return next(unread, None) or next(shaky, None)


def up_next[S: Stop](
    stops: Sequence[S], *, after: int, marks: Mapping[int, Rating], count: int = 3
) -> list[S]:
    """The next `count` questions after the one with key `after` that are not marked, in order.

    The list goes round: past the end it goes on at the start, so that what was skipped comes up
    again. A question that is not in the list starts from the top.
    """
    at = next((place for place, stop in enumerate(stops) if stop.id == after), -1)
    round_trip = [*stops[at + 1 :], *stops[: max(at, 0)]]
    return [stop for stop in round_trip if stop.id not in marks][:count]
