"""Marking and bookmarking: one small form each, which work with and without scripts."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.http import require_POST

from questionbank.accounts.models import User
from questionbank.catalog.models import PublishedQuestion
from questionbank.catalog.readers import Reader
from questionbank.catalog.selectors import published_card
from questionbank.catalog.shown import QuestionCard
from questionbank.learning.forms import MarkForm, NoteForm
from questionbank.learning.models import Rating
from questionbank.learning.selectors import standing_on
from questionbank.learning.services import (
    clear_mark,
    keep_bookmark,
    mark_question,
    remove_bookmark,
    write_note,
)

type View = Callable[[HttpRequest, str], HttpResponse]
type LearnerView = Callable[Concatenate[HttpRequest, User, QuestionCard, ...], HttpResponse]


def for_learners(view: LearnerView) -> View:
    """Give the view the signed-in learner and the question; send everyone else to sign in."""

    @require_POST
    @wraps(view)
    def wrapped(request: HttpRequest, slug: str) -> HttpResponse:
        user = request.user
        if not isinstance(user, User):
            return _to_sign_in(request, slug)
        try:
            card = published_card(slug, Reader.of(user))
        except PublishedQuestion.DoesNotExist:
            raise Http404(f"no question {slug!r}") from None
        return view(request, user, card)

    return wrapped


@for_learners
def mark(request: HttpRequest, learner: User, question: QuestionCard) -> HttpResponse:
    """Set or clear the learner's mark. A locked answer cannot be marked: it cannot be read."""
    if question.locked:
        raise PermissionDenied("This answer is locked, so it cannot be marked as read.")
    form = MarkForm(request.POST)
    if not form.is_valid():
        return HttpResponse("Unknown mark; choose read, shaky or solid.", status=400)
    if rating := form.cleaned_data["rating"]:
        mark_question(learner_id=learner.pk, question_id=question.id, rating=Rating(rating))
    else:
        clear_mark(learner_id=learner.pk, question_id=question.id)
    said = f"Marked as {rating}." if rating else "Marked as not read."
    return _answer(request, learner, question, partial="partials/mark.html", said=said)


@for_learners
def keep(request: HttpRequest, learner: User, question: QuestionCard) -> HttpResponse:
    """Bookmark the question; after a removal this is undo, and the note comes back."""
    keep_bookmark(learner_id=learner.pk, question_id=question.id)
    return _answer(request, learner, question, partial="partials/bookmark.html", said="Bookmarked.")


@for_learners
def remove(request: HttpRequest, learner: User, question: QuestionCard) -> HttpResponse:
    """Take the bookmark away, with a way back."""
    remove_bookmark(learner_id=learner.pk, question_id=question.id)
    return _answer(
        request,
        learner,
        question,
        partial="partials/bookmark.html",
        said="Bookmark removed.",
        undo=reverse("learning:keep", args=[question.slug]),
    )


@for_learners
def note(request: HttpRequest, learner: User, question: QuestionCard) -> HttpResponse:
    """Write the note of a bookmark. One that is too long comes back as it was, with the reason."""
    form = NoteForm(request.POST)
    if not form.is_valid():
        context = {
            "question": question,
            "standing": standing_on(question.id, Reader.of(learner)),
            "note": request.POST.get("note", ""),
            "problems": form.errors["note"],
            "next": _next(request, question),
        }
        template = "partials/bookmark.html" if _wants_part(request) else "pages/note.html"
        return render(request, template, context, status=422)
    write_note(learner_id=learner.pk, question_id=question.id, note=form.cleaned_data["note"])
    return _answer(request, learner, question, partial="partials/bookmark.html", said="Note saved.")


def _answer(
    request: HttpRequest,
    learner: User,
    question: QuestionCard,
    *,
    partial: str,
    said: str,
    undo: str | None = None,
) -> HttpResponse:
    """The changed part for a script; for a plain form the page itself and a message."""
    if _wants_part(request):
        standing = standing_on(question.id, Reader.of(learner))
        context = {
            "question": question,
            "standing": standing,
            "said": said,
            "undo": undo,
            "next": _next(request, question),
        }
        return render(request, partial, context)
    messages.success(request, said, extra_tags=f"undo {undo}" if undo else "")
    return redirect(_next(request, question))


def _next(request: HttpRequest, question: QuestionCard) -> str:
    """Where the plain form came from, if that is a page of this site; else the question."""
    wanted = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if safe else resolve_url("question", question.slug)


def _wants_part(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def _to_sign_in(request: HttpRequest, slug: str) -> HttpResponse:
    """Sign in, then back to the question: the session may have ended while the page was open."""
    back = urlencode({"next": resolve_url("question", slug)})
    address = f"{reverse('account_login')}?{back}"
    if _wants_part(request):
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    messages.info(request, "Sign in to keep marks and bookmarks.")
    return redirect(address)
