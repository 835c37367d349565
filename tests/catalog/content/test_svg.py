"""The contract of drawings: each breach is told on its line, and what passes is safe to inline."""

import pytest

from questionbank.catalog.content.documents import Diagram
from questionbank.catalog.content.errors import Problems
from questionbank.catalog.content.svg import check_diagram, inline
from tests.catalog.content.texts import examples

DRAWING = examples()["drawing"]


def _told(svg: str, name: str = "shards", *others: str) -> list[str]:
    problems = Problems(f"{name}.svg")
    check_diagram(Diagram(name=name, svg=svg), {name, *others}, problems)
    return [f"{error.line}: {error.message}" for error in problems.found]


def test_the_example_is_sound() -> None:
    assert _told(DRAWING) == []


@pytest.mark.parametrize(
    ("change", "to", "message"),
    [
        ('class="cell"', 'class="cell" style="fill:red"', "8: <rect> must not have 'style'"),
        ('class="cell"', 'class="cell" fill="red"', "8: <rect> must not have 'fill'"),
        ('class="cell"', 'class="cell" onclick="x()"', "8: <rect> must not have 'onclick'"),
        ('class="cell"', 'class="sell"', "8: <rect> class 'sell'"),
        ('class="have ax-fsdp"', 'class="have"', "7: <rect> needs exactly one ax-NAME"),
        ('class="have ax-fsdp"', 'class="have ax-fsdp ax-data"', "7: <rect> needs exactly one"),
        ('class="have ax-fsdp"', "", "7: <rect> needs a class"),
        ('class="quiet" x="16"', 'class="small" x="16"', "4: <text> needs a class"),
        ('<g transform="translate(16,32)">', '<g class="quiet">', "6: <g> must not have 'class'"),
        ("translate(16,32)", "scale(2)", "6: <g> transform='scale(2)' is not allowed"),
        ('width="48"', 'width="50%"', "7: <rect> width='50%' is not allowed"),
        ("<title", "<script>alert(1)</script><title", "2: <script> is not allowed"),
        ("<title", "<style>a{}</style><title", "2: <style> is not allowed"),
        ("<title", '<image href="x.png"/><title', "2: <image> is not allowed"),
        ("<title", '<a href="https://x"><title', "mismatched tag"),
        ("<title", '<use href="#t"/><title', "2: <use> is not allowed"),
        ("<title", "<foreignObject/><title", "2: <foreignObject> is not allowed"),
        ('<title id="t">One gather on two chips</title>', "", "1: a drawing needs one <title>"),
        (' id="d"', "", "1: aria-labelledby must name the ids"),
        ('role="img" ', "", "1: the root needs 'role'"),
        ('class="diagram"', 'class="picture"', '1: the root must have class="diagram"'),
        ('viewBox="0 0 336 136"', 'viewBox="0 0 680 136"', "over 340 it needs a second drawing"),
        ('viewBox="0 0 336 136"', 'viewBox="0 0 900 136"', "is 900 wide; at most 680"),
        ('viewBox="0 0 336 136"', 'viewBox="-4 0 336 136"', "viewBox="),
        ("</svg>", "", "no element found"),
        ("<svg", "<!DOCTYPE svg><svg", "document types"),
        ("<svg", "<?xml-stylesheet href='x'?><svg", "processing instructions"),
        ('id="d"', 'id="t"', "an id stands twice"),
        ('<rect class="cell"', '<rect class="cell">5</rect><rect class="cell"', "text stands"),
    ],
)
def test_a_breach_is_told(change: str, to: str, message: str) -> None:
    assert change in DRAWING
    told = _told(DRAWING.replace(change, to, 1))
    assert any(message in line for line in told), told


def test_entities_that_unfold_without_bound_are_never_read() -> None:
    bomb = (
        '<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
        "<svg><title>&b;</title></svg>"
    )
    assert _told(bomb) == ["1: document types and processing instructions are refused"]


def test_a_wide_drawing_is_sound_beside_its_narrow_twin() -> None:
    wide = DRAWING.replace("0 0 336 136", "0 0 680 136")
    assert _told(wide, "shards", "shards-narrow") == []
    assert _told(wide, "shards-narrow", "shards") != []


def test_inlined_ids_are_prefixed_and_the_rest_is_the_same() -> None:
    html = inline(DRAWING, "gather-shards")
    assert 'aria-labelledby="gather-shards-t gather-shards-d"' in html
    assert '<title id="gather-shards-t">One gather on two chips</title>' in html
    assert "xmlns" not in html
    assert html.count("<rect") == DRAWING.count("<rect")


def test_text_is_escaped_when_inlined() -> None:
    html = inline(DRAWING.replace("at rest", "a &lt; b &amp; c"), "p")
    assert "a &lt; b &amp; c" in html


def test_a_draft_that_breaks_the_contract_is_inlined_without_what_breaks_it() -> None:
    hostile = (
        '<svg class="diagram" onload="x()" viewBox="0 0 9 9"><script>alert(1)</script>'
        '<a href="javascript:x()"><text class="label" x="1" onclick="x()">ok</text></a>'
        '<rect class="cell" style="fill:url(x)" width="8" fill="red"/></svg>'
    )
    assert inline(hostile, "p") == (
        '<svg class="diagram" viewBox="0 0 9 9"><rect class="cell" width="8"></rect></svg>'
    )


@pytest.mark.parametrize("text", ["", "no drawing", "<svg>", "<p>x</p>", "<!DOCTYPE svg><svg/>"])
def test_what_is_no_drawing_inlines_to_nothing(text: str) -> None:
    assert inline(text, "p") == ""


def test_a_root_that_is_not_svg_is_told() -> None:
    assert _told("<g/>") == ["1: the root must be <svg>, not <g>"]


def test_elements_too_deep_to_walk_are_refused() -> None:
    deep = "<svg>" + "<g>" * 5000 + "</g>" * 5000 + "</svg>"
    assert _told(deep) == ["1: elements stand more than 20 deep"]
