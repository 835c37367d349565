"""A reader's own pages."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from questionbank.catalog import selectors as catalog
from questionbank.catalog.readers import Reader
from questionbank.learning.journey import continue_here, tally_of
from questionbank.learning.models import Rating
from questionbank.learning.selectors import bookmarks_of, marked_lately, marks_of
from questionbank.pages.caching import own_page
from questionbank.pages.progress import by_topic, by_track


@require_safe
@login_required
def progress(request: HttpRequest) -> HttpResponse:
    """How far the reader has come, and where to go on."""
    reader = Reader.of(request.user)
    marks = marks_of(reader)
    marked = catalog.question_cards(marks, reader)
    overview = catalog.topics_overview(reader)
    tracks = by_track(catalog.tracks_overview(reader), marks)
    # The track with the most done and something left is the one the reader is on.
    started = [pair for pair in tracks if 0 < pair[1].marked < pair[1].written]
    on_track = max(started, key=lambda pair: pair[1].marked)[0] if started else None
    stops = catalog.track_page(on_track.slug, reader).questions if on_track else ()
    context = {
        "section": "progress",
        "marks": marks,
        "whole": tally_of(marked, marks, written=sum(t.counts.written for t in overview)),
        "topics": by_topic(overview, marked.values(), marks),
        "tracks": tracks,
        "on_track": on_track,
        "here": continue_here(stops, marks),
        "lately": marked_lately(reader),
        "shaky": [card for card in marked.values() if marks[card.id] is Rating.SHAKY],
    }
    return own_page(render(request, "pages/progress.html", context))


@require_safe
@login_required
def bookmarks(request: HttpRequest) -> HttpResponse:
    """What the reader keeps, each with its note."""
    reader = Reader.of(request.user)
    context = {
        "section": "bookmarks",
        "kept": bookmarks_of(reader),
        "marks": marks_of(reader),
        "next": request.path,
    }
    return own_page(render(request, "pages/bookmarks.html", context))
