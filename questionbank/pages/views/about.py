"""What the unlock opens, and for editors every diagram on one page."""

from typing import NamedTuple

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from questionbank.catalog import selectors as catalog
from questionbank.catalog.content.prose import AXES
from questionbank.catalog.content.svg import NARROW, inline
from questionbank.catalog.readers import Reader, ReaderKind
from questionbank.catalog.selectors.drawings import Drawing, drawings
from questionbank.pages.caching import cached_for_visitors, own_page

THEMES = ("light", "dark")


class View(NamedTuple):
    """One drawing in one theme at one width, with ids of its own."""

    theme: str
    width: str
    kind: str
    svg: str


@require_safe
@cached_for_visitors
def unlock(request: HttpRequest) -> HttpResponse:
    """What each tier opens, and what the unlock costs."""
    reader = Reader.of(request.user)
    context = {"counts": catalog.unlock_counts(reader), "reader": reader}
    return render(request, "pages/unlock.html", context)


@require_safe
@login_required
def styleguide(request: HttpRequest) -> HttpResponse:
    """Every diagram in both themes at two widths, and the parts that pages are made of."""
    if Reader.of(request.user).kind is not ReaderKind.STAFF:
        raise PermissionDenied("This page is for editors.")
    return own_page(
        render(
            request,
            "pages/styleguide.html",
            {"shown": _shown(drawings()), "themes": THEMES, "axes": AXES},
        )
    )


def _shown(kept: tuple[Drawing, ...]) -> list[tuple[Drawing, list[View]]]:
    """Each drawing as its pages show it: one in two sizes has each at its own width."""
    names = {(drawing.slug, drawing.name) for drawing in kept}
    return [(drawing, _views(drawing, names)) for drawing in kept]


def _views(drawing: Drawing, names: set[tuple[str, str]]) -> list[View]:
    has_twin = (drawing.slug, drawing.name + NARROW) in names
    widths = [("desk", "wide" if has_twin else "drawing"), ("phone", "drawing")]
    if drawing.name.endswith(NARROW):
        del widths[0]
    elif has_twin:
        del widths[1]
    return [
        View(
            theme,
            width,
            kind,
            inline(drawing.svg, f"{drawing.slug}-{drawing.name}-{theme}-{width}"),
        )
        for theme in THEMES
        for width, kind in widths
    ]
