"""The pages that are read: the front page, topics, tracks, questions, concepts."""

from collections.abc import Callable

from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from questionbank.catalog import selectors as catalog
from questionbank.catalog.readers import Reader
from questionbank.catalog.shown import QuestionCard, QuestionPage
from questionbank.learning.journey import continue_here, tally, up_next
from questionbank.learning.models import Rating
from questionbank.learning.selectors import marks_of, standing_on
from questionbank.pages.caching import cached_for_visitors
from questionbank.pages.progress import by_topic, by_track

# A rail that lists a whole topic would be longer than the page beside it.
SIBLINGS_BEFORE, SIBLINGS_AFTER = 3, 6


def _found[T](ask: Callable[[], T]) -> T:
    """What the selector returns; a page that does not exist where it finds nothing."""
    try:
        return ask()
    except ObjectDoesNotExist:
        raise Http404 from None


@require_safe
@cached_for_visitors
def front(request: HttpRequest) -> HttpResponse:
    """What this is, what it holds, and one answer in full."""
    reader = Reader.of(request.user)
    page = catalog.front_page(reader)
    tracks = by_track(page.tracks, marks_of(reader))
    context = {
        "page": page,
        "tracks": tracks,
        "topics": [topic for topic in page.topics if topic.counts.written],
        "started": [(track, tally) for track, tally in tracks if tally.marked],
        "canonical": request.build_absolute_uri(reverse("front")),
    }
    return render(request, "pages/front.html", context)


@require_safe
@cached_for_visitors
def topics(request: HttpRequest) -> HttpResponse:
    """Every topic, with how much of it is written and read."""
    reader = Reader.of(request.user)
    overview = catalog.topics_overview(reader)
    marks = marks_of(reader)
    marked = catalog.question_cards(marks, reader).values() if marks else ()
    context = {
        "section": "topics",
        "topics": by_topic(overview, marked, marks),
        "unwritten": [topic for topic in overview if not topic.counts.written],
        "written": sum(topic.counts.written for topic in overview),
        "planned": sum(topic.planned for topic in overview),
    }
    return render(request, "pages/topics.html", context)


@require_safe
@cached_for_visitors
def topic(request: HttpRequest, slug: str) -> HttpResponse:
    """One topic's questions in order."""
    reader = Reader.of(request.user)
    page = _found(lambda: catalog.topic_page(slug, reader))
    marks = marks_of(reader)
    context = {
        "section": "topics",
        "page": page,
        "marks": marks,
        "tally": tally(page.questions, marks) if reader.user_id else None,
        "here": continue_here(page.questions, marks) if marks else None,
    }
    return render(request, "pages/topic.html", context)


@require_safe
@cached_for_visitors
def tracks(request: HttpRequest) -> HttpResponse:
    """Every track that has something to read."""
    reader = Reader.of(request.user)
    context = {
        "section": "tracks",
        "tracks": by_track(catalog.tracks_overview(reader), marks_of(reader)),
    }
    return render(request, "pages/tracks.html", context)


@require_safe
@cached_for_visitors
def track(request: HttpRequest, slug: str) -> HttpResponse:
    """One track, stage by stage, and where to go on."""
    reader = Reader.of(request.user)
    page = _found(lambda: catalog.track_page(slug, reader))
    marks = marks_of(reader)
    here = continue_here(page.questions, marks)
    context = {
        "section": "tracks",
        "page": page,
        "marks": marks,
        "stages": [(stage, tally(stage.questions, marks)) for stage in page.stages],
        "tally": tally(page.questions, marks) if reader.user_id else None,
        "start": here,
        "here": here if marks else None,
    }
    return render(request, "pages/track.html", context)


@require_safe
@cached_for_visitors
def question(request: HttpRequest, slug: str) -> HttpResponse:
    """One question: the answer if it is open to this reader, else what would open it."""
    reader = Reader.of(request.user)
    asked_track = request.GET.get("track")
    page = _found(lambda: catalog.question_page(slug, reader, track_slug=asked_track))
    marks = marks_of(reader)
    siblings = () if page.journey else _topic_around(page, reader)
    context = {
        "section": "topics",
        "page": page,
        "question": page.question,
        "marks": marks,
        "siblings": siblings,
        "standing": standing_on(page.question.id, reader) if reader.user_id else None,
        "next": request.get_full_path(),
        "up_next": _up_next(page, siblings, marks),
        "canonical": request.build_absolute_uri(reverse("question", args=[slug])),
    }
    return render(request, "pages/question.html", context)


def _topic_around(page: QuestionPage, reader: Reader) -> tuple[QuestionCard, ...]:
    """The question's neighbours in its topic, itself among them."""
    listed = catalog.topic_page(page.question.topic.slug, reader).questions
    at = next(place for place, card in enumerate(listed) if card.id == page.question.id)
    return listed[max(0, at - SIBLINGS_BEFORE) : at + 1 + SIBLINGS_AFTER]


def _up_next(
    page: QuestionPage, siblings: tuple[QuestionCard, ...], marks: dict[int, Rating]
) -> list[QuestionCard]:
    """Three questions to go on with: next in the track, or in the topic where no track holds it."""
    journey = page.journey.questions if page.journey else siblings
    return up_next(journey, after=page.question.id, marks=marks)


@require_safe
@cached_for_visitors
def concepts(request: HttpRequest) -> HttpResponse:
    """Every concept card, topic by topic."""
    groups = catalog.concepts_overview(Reader.of(request.user))
    return render(request, "pages/concepts.html", {"section": "concepts", "groups": groups})


@require_safe
@cached_for_visitors
def concept(request: HttpRequest, slug: str) -> HttpResponse:
    """One concept card, and every question that leans on it."""
    reader = Reader.of(request.user)
    page = _found(lambda: catalog.concept_page(slug, reader))
    context = {
        "section": "concepts",
        "page": page,
        "marks": marks_of(reader),
        "canonical": request.build_absolute_uri(reverse("concept", args=[slug])),
    }
    return render(request, "pages/concept.html", context)
