"""Our Markdown: the extensions used, and our own axes, live values, figures and sheets."""

import re
from collections.abc import Sequence
from typing import override
from xml.etree import ElementTree as ET

import markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.treeprocessors import Treeprocessor

from questionbank.catalog.content.documents import Diagram
from questionbank.catalog.content.prose import AXIS, FIGURE, PLACEHOLDER, Known
from questionbank.catalog.content.sheet_html import sheet_html
from questionbank.catalog.content.sheets import Sheet
from questionbank.catalog.content.svg import NARROW, inline

_SLOT = re.compile(r'<div data-slot="([0-9]+)"></div>')
_NOT_MARKDOWN = ("image_link", "image_reference", "short_image_ref", "html", "autolink", "automail")


class Slots:
    """Holds HTML of our own making while the prose around it goes through the sanitiser."""

    def __init__(self) -> None:
        self._held: list[str] = []

    def hold(self, html: str) -> str:
        """Keep HTML, and give the number of its place."""
        self._held.append(html)
        return str(len(self._held) - 1)

    def filled(self, html: str) -> str:
        """Put every held piece into its place."""
        return _SLOT.sub(lambda match: self._held[int(match[1])], html)


class ContentExtension(Extension):
    """Everything that makes Markdown ours, for one document."""

    def __init__(
        self,
        *,
        known: Known,
        sheets: Sequence[Sheet],
        diagrams: Sequence[Diagram],
        slots: Slots,
        slug: str,
    ) -> None:
        super().__init__()
        self.known = known
        self.slots = slots
        self.slug = slug
        self.drawings = {diagram.name: diagram.svg for diagram in diagrams}
        self._sheets = iter(enumerate(sheets, start=1))

    def converter(self) -> markdown.Markdown:
        """Give a fresh Markdown converter with this and every other extension."""
        return markdown.Markdown(
            extensions=[
                "admonition",
                "footnotes",
                "tables",
                "toc",
                "pymdownx.superfences",
                "pymdownx.highlight",
                "pymdownx.tabbed",
                "pymdownx.arithmatex",
                self,
            ],
            extension_configs={
                "footnotes": {"BACKLINK_TITLE": "Back to the text (note {})"},
                "tables": {"use_align_attribute": True},
                "toc": {"anchorlink": True, "anchorlink_class": "heading-link", "marker": ""},
                "pymdownx.highlight": {"guess_lang": False, "use_pygments": True},
                "pymdownx.tabbed": {"alternate_style": True},
                "pymdownx.arithmatex": {"generic": True},
                "pymdownx.superfences": {
                    "disable_indented_code_blocks": True,
                    "custom_fences": [{"name": "sheet", "class": "sheet", "format": self.sheet}],
                },
            },
        )

    @override
    def extendMarkdown(self, md: markdown.Markdown) -> None:
        md.preprocessors.deregister("html_block")
        for name in _NOT_MARKDOWN:
            md.inlinePatterns.deregister(name)
        md.parser.blockprocessors.deregister("setextheader")
        # Code (190) and maths (189.9) come first, so that nothing is replaced inside them.
        md.inlinePatterns.register(_Axis(AXIS, md), "axis", 180)
        md.inlinePatterns.register(_Live(PLACEHOLDER, md, self.known), "live", 181)
        md.parser.blockprocessors.register(_Figure(md.parser, self), "figure", 76)
        md.treeprocessors.register(_Tables(md), "tables_for_phones", 4)

    def sheet(self, *_args: object, **_options: object) -> str:
        """Give the place of the next sheet; the fence's text was read before."""
        number, sheet = next(self._sheets)
        return f'<div data-slot="{self.slots.hold(sheet_html(sheet, number))}"></div>'


class _Axis(InlineProcessor):
    @override
    def handleMatch(  # type: ignore[override]
        self, m: re.Match[str], data: str
    ) -> tuple[ET.Element, int, int]:
        element = ET.Element("span", {"class": f"ax ax-{m[1]}"})
        element.text = m[1]
        return element, m.start(0), m.end(0)


class _Live(InlineProcessor):
    def __init__(self, pattern: str, md: markdown.Markdown, known: Known) -> None:
        super().__init__(pattern, md)
        self._known = known

    @override
    def handleMatch(  # type: ignore[override]
        self, m: re.Match[str], data: str
    ) -> tuple[ET.Element, int, int]:
        element = ET.Element("span")
        try:
            value = self._known.resolve(m[1])
        except ValueError as error:
            # Shown where it stands: the preview in the admin renders drafts that are not right yet.
            element.set("class", "wrong")
            element.text = markdown.util.AtomicString(str(error))
            return element, m.start(0), m.end(0)
        element.text = markdown.util.AtomicString(value.text)
        if value.name:
            element.set("class", "live")
            element.set("data-name", value.name)
        elif value.fact:
            fact = value.fact
            element.set("class", "fact")
            element.set("title", f"{fact.label}. {fact.source_name}, {fact.date}")
        else:
            element.set("class", "lit")
        return element, m.start(0), m.end(0)


class _Figure(BlockProcessor):
    """A paragraph that is one image of ours becomes a figure with its drawing inline."""

    def __init__(self, parser: BlockParser, content: ContentExtension) -> None:
        super().__init__(parser)
        self._content = content

    @override
    def test(self, parent: ET.Element, block: str) -> bool:
        match = FIGURE.fullmatch(block.strip())
        return match is not None and match["file"].endswith(".svg")

    @override
    def run(self, parent: ET.Element, blocks: list[str]) -> None:
        match = FIGURE.fullmatch(blocks.pop(0).strip())
        if match is None:
            return
        name = match["file"].removesuffix(".svg")
        drawings = self._content.drawings
        figure = ET.SubElement(parent, "figure", {"class": "figure"})
        twin = f"{name}{NARROW}"
        kinds = [(name, "wide"), (twin, "narrow")] if twin in drawings else [(name, "drawing")]
        for drawing, kind in kinds:
            if drawing in drawings:
                prefix = f"{self._content.slug}-{drawing}"
                svg = inline(drawings[drawing], prefix)
                slot = self._content.slots.hold(f'<div class="{kind}">{svg}</div>')
                ET.SubElement(figure, "div", {"data-slot": slot})
        caption = ET.SubElement(figure, "figcaption")
        caption.text = match["caption"]


class _Tables(Treeprocessor):
    """Alignment as a class, and a frame that scrolls on a phone and takes the keyboard's focus."""

    @override
    def run(self, root: ET.Element) -> None:
        for parent in list(root.iter()):
            for at, child in enumerate(list(parent)):
                if child.tag in {"td", "th"} and (side := child.attrib.pop("align", "")):
                    child.set("class", side)
                if child.tag == "th":
                    # A corner without words heads nothing.
                    is_empty = not (child.text or "").strip() and not len(child)
                    child.tag = "td" if is_empty else "th"
                if child.tag == "th":
                    child.set("scope", "col")
                if child.tag == "table":
                    frame = ET.Element(
                        "div",
                        {"class": "table", "role": "group", "aria-label": "Table", "tabindex": "0"},
                    )
                    frame.tail, child.tail = child.tail, ""
                    parent[at] = frame
                    frame.append(child)
