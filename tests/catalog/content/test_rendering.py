"""What readers get, and what can never reach them."""

import re
from html.parser import HTMLParser
from typing import override

import pytest

from questionbank.catalog.content.documents import (
    Bank,
    Concept,
    Diagram,
    Fact,
    Level,
    Question,
)
from questionbank.catalog.content.errors import ContentError, ContentErrors
from questionbank.catalog.content.reading import parse_question
from questionbank.catalog.content.rendering import (
    Heading,
    Rendered,
    render_concept,
    render_question,
)
from tests.catalog.content.texts import examples

HBM = Fact(
    name="v5p.hbm_bandwidth", value=2765, unit="GB/s", label="HBM bandwidth", source="docs",
    source_name="The documentation", date="2026-12-01",
)  # fmt: skip


def _rendered(body: str, **fields: object) -> Rendered:
    concept = Concept(
        slug="c", title="T", summary="S", topic="dist", level=Level.CORE, updated="2026-12",
        breath="B", body=body, **fields,  # type: ignore[arg-type]
    )  # fmt: skip
    return render_concept(concept, [HBM])


def _example() -> Question:
    drawing = Diagram(name="shards", svg=examples()["drawing"])
    question, errors = parse_question(
        examples()["question"], "q.md", slug="gather-time", diagrams=[drawing]
    )
    assert errors == []
    assert question is not None
    return question


def _facts() -> list[Fact]:
    names = {"v5p.ici_link_one_way": 90.0, "v5p.hbm_bandwidth": 2765.0, "v5p.dcn": 6.25}
    return [
        Fact(name=name, value=value, unit="GB/s", label=name, source="s", source_name="S", date="d")
        for name, value in names.items()
    ]


def test_an_answer_shows_its_worked_values_in_prose_summary_and_note() -> None:
    page = render_question(_example(), _facts())
    live = '<span class="live" data-name="gather">258.2&nbsp;ms</span>'
    assert f"a link that takes {live}." in page.html
    assert live in page.summary_html
    assert page.editor_note_html[1] == f"Gets {live} to within a tenth."
    assert "takes 258.2 ms" in page.plain_text
    assert page.has_maths
    assert page.has_sheet


def test_the_outline_is_that_of_the_headings_with_their_anchors() -> None:
    page = render_question(_example(), _facts())
    assert page.outline[:2] == (
        Heading(2, "the-answer-in-brief", "The answer in brief"),
        Heading(2, "what-moves", "What moves"),
    )
    assert [heading.level for heading in page.outline] == [2, 2, 2, 2, 3, 3, 3]
    for heading in page.outline:
        assert f'id="{heading.anchor}"' in page.html


def test_a_drawing_stands_inline_with_its_caption() -> None:
    page = render_question(_example(), _facts())
    assert '<figure class="figure">' in page.html
    assert '<div class="drawing"><svg class="diagram"' in page.html
    assert 'aria-labelledby="gather-time-shards-t gather-time-shards-d"' in page.html
    assert '<span class="ax ax-fsdp">fsdp</span> takes <span class="live"' in page.html


def test_a_pair_of_drawings_stands_wide_and_narrow() -> None:
    svg = examples()["drawing"]
    pair = (Diagram(name="d", svg=svg), Diagram(name="d-narrow", svg=svg))
    html = _rendered("## H\n\n![Two](d.svg)", diagrams=pair).html
    assert re.findall(r'<div class="(\w+)"><svg', html) == ["wide", "narrow"]
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        (":ax[fsdp]", '<span class="ax ax-fsdp">fsdp</span>'),
        ("`:ax[fsdp]`", "<code>:ax[fsdp]</code>"),
        ("`{{ x }}`", "<code>{{ x }}</code>"),
        ('{{ lit("5 GB") }}', '<span class="lit">5 GB</span>'),
        (
            "{{ fact.v5p.hbm_bandwidth }}",
            '<span class="fact" title="HBM bandwidth. The documentation, 2026-12-01">2,765',
        ),
        ("$a_b$", '<span class="arithmatex">\\(a_b\\)</span>'),
        ("$$a_b$$", '<div class="arithmatex">\\[a_b\\]</div>'),
        ("a | b\n--|--:\n1 | 2", '<th class="right" scope="col">b</th>'),
        ("```python\nx = 1\n```", '<div class="highlight"><pre tabindex="0">'),
        ("```python run\nx = 1\n```", '<div class="run highlight"><pre tabindex="0">'),
        ('!!! note "N"\n    text', '<p class="admonition-title">N</p>'),
        ('=== "A"\n\n    text', '<div class="tabbed-labels"><label for="__tabbed_1_1">A</label>'),
        ("x[^n]\n\n[^n]: y", '<a class="footnote-ref" href="#fn:n">1</a>'),
        ("{{ nope }}", '<span class="wrong">{{ nope }}: no sheet'),
    ],
)
def test_markdown_becomes(markdown: str, html: str) -> None:
    assert html in _rendered(f"## H\n\n{markdown}\n").html


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        '<b style="color:red">x</b>',
        "[x](javascript:alert(1))",
        "[x](data:text/html,<script>1</script>)",
        "![x](https://evil.example/x.png)",
        "<div data-slot='0'></div>",
        "```{.python onclick=alert(1)}\nx\n```",
        '[x](/a "t\' onmouseover=alert(1)")',
        "# H {: onclick=x }",
        '{{ lit("<img src=x onerror=y>") }}',
        ':ax[fsdp" onclick="x]',
        '=== "<script>x</script>"\n\n    text',
        '!!! note "<script>x</script>"\n    text',
        "| a |\n|:-:|\n| <svg onload=x> |",
        "[^1]\n\n[^1]: <script>x</script>",
        "<https://x.example>",
        "&lt;script&gt;",
    ],
)
def test_nothing_that_runs_or_styles_gets_through(hostile: str) -> None:
    _assert_inert(_rendered(f"## H\n\n{hostile}\n").html)
    _assert_inert(_rendered("## H\n\ntext", sources=()).html)


def test_committed_texts_hold_nothing_that_runs_or_styles(
    committed: tuple[Bank, list[ContentError]],
) -> None:
    bank, _ = committed
    for question in bank.questions:
        _assert_inert(render_question(question, bank.facts).html)
    for concept in bank.concepts:
        _assert_inert(render_concept(concept, bank.facts).html)


def test_the_data_of_a_sheet_cannot_end_its_script() -> None:
    body = (
        "## H\n\n```sheet\ntitle: T\ninputs:\n  a: {value: 1, label: '</script><b>'}\n"
        "results:\n  r: {formula: a * 2, label: '<i>'}\n```\n"
    )
    html = _rendered(body).html
    assert html.count("</script>") == 1
    assert "&lt;/script&gt;&lt;b&gt;" in html
    _assert_inert(html)


def test_a_sheet_names_axes_in_its_labels_and_writes_signs_in_its_formulas() -> None:
    body = (
        "## H\n\n```sheet\ntitle: T\ninputs:\n  a: {value: 1, label: 'Over :ax[fsdp]'}\n"
        "results:\n  r: {formula: a * 2 - 1, label: R}\n```\n"
    )
    html = _rendered(body).html
    assert 'Over <span class="ax ax-fsdp">fsdp</span></span>' in html
    assert "<code>a × 2 − 1</code>" in html


def test_reading_time_is_at_220_words_a_minute() -> None:
    words = " ".join(["word"] * 659)
    page = _rendered(f"## H\n\n{words}")
    assert page.words == 660  # and the heading
    assert page.minutes == 3
    assert _rendered("## H\n\nshort").minutes == 1


def test_plain_text_leaves_sheets_and_drawings_out() -> None:
    page = render_question(_example(), _facts())
    assert "Held by one chip" not in page.plain_text
    assert "at rest" not in page.plain_text


def test_a_wrong_sheet_raises_with_every_mistake() -> None:
    with pytest.raises(ContentErrors) as raised:
        _rendered("## H\n\n```sheet\ntitle: T\n```\n")
    assert len(raised.value.errors) == 2


class _Inert(HTMLParser):
    """Asserts that no element or attribute could run or style anything."""

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "script":
            assert attributes.get("type") == "application/json"
        assert tag not in {
            "style",
            "iframe",
            "object",
            "embed",
            "img",
            "link",
            "meta",
            "base",
            "form",
        }
        for name, value in attributes.items():
            assert name != "style"
            assert not name.startswith("on")
            if name in {"href", "src", "action"}:
                assert re.match(r"(https?:|mailto:|[/#])", value or ""), value


def _assert_inert(html: str) -> None:
    _Inert().feed(html)
