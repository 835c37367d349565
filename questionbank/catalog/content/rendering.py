"""From documents to the HTML that is stored and served. Nothing here runs per request."""

import re
from collections.abc import Iterable, Sequence
from html.parser import HTMLParser
from typing import Any, override

import markdown
import msgspec

from questionbank.catalog.content.documents import Concept, Diagram, Fact, Question
from questionbank.catalog.content.errors import ContentErrors, Problems
from questionbank.catalog.content.markup import ContentExtension, Slots
from questionbank.catalog.content.prose import Known
from questionbank.catalog.content.sanitising import sanitised
from questionbank.catalog.content.sheets import Sheet, sheets_in
from questionbank.catalog.content.writing import path_of

WORDS_A_MINUTE = 220
_RUN_FENCE = re.compile(r"^( *)(`{3,}|~{3,})[ \t]*python[ \t]+run[ \t]*$", re.M)


class Heading(msgspec.Struct, frozen=True):
    """A heading of the body: level from 2, the id to link to, its text without marks."""

    level: int
    anchor: str
    text: str


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """A document as pages show it.

    `html` is the body; `plain_text` is its prose without sheets and drawings, for search.
    `minutes` is the reading time at 220 words a minute, at least 1.
    """

    html: str
    outline: tuple[Heading, ...]
    words: int
    minutes: int
    has_maths: bool
    has_sheet: bool
    plain_text: str
    summary_html: str
    summary_text: str
    editor_note_html: tuple[str, ...] = ()
    breath_html: str = ""


def render_question(question: Question, facts: Iterable[Fact]) -> Rendered:
    """Render an answer. Raises ContentErrors where a sheet or a placeholder is wrong."""
    writer = _Writer(question, facts)
    notes = tuple(writer.line(point) for point in question.editor_note)
    return writer.rendered(editor_note_html=notes)


def render_concept(concept: Concept, facts: Iterable[Fact]) -> Rendered:
    """Render a concept card. Raises ContentErrors where a sheet or a placeholder is wrong."""
    writer = _Writer(concept, facts)
    return writer.rendered(breath_html=writer.line(concept.breath))


class _Writer:
    """Renders the parts of one document, which share their sheets' values."""

    def __init__(self, document: Question | Concept, facts: Iterable[Fact]) -> None:
        self.document = document
        by_name = {fact.name: fact for fact in facts}
        problems = Problems(document.origin.path or path_of(document), document.origin.body_line)
        self.sheets: Sequence[Sheet] = sheets_in(document.body, by_name, problems)
        if problems.found:
            raise ContentErrors(problems.found)
        values = {name: text for sheet in self.sheets for name, text in sheet.written().items()}
        self.known = Known(values=values, facts=by_name)

    def rendered(
        self, *, editor_note_html: tuple[str, ...] = (), breath_html: str = ""
    ) -> Rendered:
        slots = Slots()
        converter = self._converter(slots, self.sheets, self.document.diagrams)
        body = _RUN_FENCE.sub(r"\1\2 {.python .run}", self.document.body)
        prose = _focusable(sanitised(converter.convert(body)))
        plain = text_of(prose)
        words = len(plain.split())
        summary = self.line(self.document.summary)
        return Rendered(
            html=slots.filled(prose),
            outline=tuple(_headings(getattr(converter, "toc_tokens", []))),
            words=words,
            minutes=max(1, int(words / WORDS_A_MINUTE + 0.5)),
            has_maths='class="arithmatex"' in prose,
            has_sheet=bool(self.sheets),
            plain_text=plain,
            summary_html=summary,
            summary_text=text_of(summary),
            editor_note_html=editor_note_html,
            breath_html=breath_html,
        )

    def line(self, text: str) -> str:
        """Render one running text, without a paragraph around it."""
        html = sanitised(self._converter(Slots(), (), ()).convert(text))
        return html.removeprefix("<p>").removesuffix("</p>")

    def _converter(
        self, slots: Slots, sheets: Sequence[Sheet], diagrams: Sequence[Diagram]
    ) -> markdown.Markdown:
        extension = ContentExtension(
            known=self.known, sheets=sheets, diagrams=diagrams, slots=slots, slug=self.document.slug
        )
        return extension.converter()


def _focusable(html: str) -> str:
    """Let the keyboard reach code that scrolls sideways."""
    return html.replace('highlight"><pre>', 'highlight"><pre tabindex="0">')


def _headings(tokens: Iterable[dict[str, Any]]) -> Iterable[Heading]:
    for token in tokens:
        yield Heading(level=token["level"], anchor=token["id"], text=text_of(token["name"]))
        yield from _headings(token["children"])


class _TextOnly(HTMLParser):
    _BLOCKS = frozenset(
        {"p", "li", "h2", "h3", "h4", "h5", "h6", "tr", "td", "th", "pre", "div", "figcaption"}
    )

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    @override
    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    @override
    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in self._BLOCKS:
            self.parts.append(" ")

    @override
    def handle_endtag(self, tag: str) -> None:
        if tag in self._BLOCKS:
            self.parts.append(" ")


def text_of(html: str) -> str:
    """Give the text of HTML, its white space as single spaces."""
    reader = _TextOnly()
    reader.feed(html)
    reader.close()
    return " ".join("".join(reader.parts).split())
