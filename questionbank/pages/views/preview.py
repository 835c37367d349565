"""Drafts as readers would see them: the pages' own templates, for editors only."""

from django.contrib.admin.views.decorators import staff_member_required
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from questionbank.catalog import selectors as catalog
from questionbank.catalog.content.errors import ContentErrors
from questionbank.catalog.readers import Reader


@require_safe
@never_cache
@staff_member_required
def preview(request: HttpRequest, kind: str, document_id: int) -> HttpResponse:
    """A draft with the page's own template and style; its mistakes, if it cannot be shown."""
    may_see = (f"catalog.view_{kind}", f"catalog.change_{kind}")
    if not any(request.user.has_perms([permission]) for permission in may_see):
        raise PermissionDenied
    reader = Reader.of(request.user)
    show = catalog.question_preview if kind == "question" else catalog.concept_preview
    try:
        page = show(document_id, reader)
    except ObjectDoesNotExist:
        raise Http404 from None
    except ContentErrors as faults:
        text = "The draft cannot be shown yet.\n\n" + str(faults)
        return HttpResponse(text, status=422, content_type="text/plain; charset=utf-8")
    context: dict[str, object] = {
        "section": "topics",
        "page": page,
        "marks": {},
        "canonical": request.build_absolute_uri(),
    }
    return render(request, f"pages/{kind}.html", context)
