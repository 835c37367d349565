"""Drawings: a small, closed part of SVG, so that what is let through is safe by construction."""

import re
from collections.abc import Iterator, Mapping
from html import escape
from xml.parsers import expat

import msgspec

from questionbank.catalog.content.documents import Diagram
from questionbank.catalog.content.errors import Problems
from questionbank.catalog.content.prose import AXES

NARROW = "-narrow"
WIDEST, WIDEST_NARROW = 680, 340
# What the frame of a figure leaves for its drawing on a page of 360 px.
PHONE_DRAWING_PX = 320
SMALLEST_TEXT_PX = 11
DEEPEST = 20
TEXT_PX = {"small": 12}
LABEL_PX = 13

_NAMESPACE = "http://www.w3.org/2000/svg"
_AXIS_CLASSES = frozenset(f"ax-{axis}" for axis in AXES)
_TEXT_CLASSES = frozenset({"label", "small", "strong", "quiet", "num", "start", "middle", "end"})
_COLOURED = frozenset({"have", "want", "hop", "head"})
_SHAPE_CLASSES = _COLOURED | {
    "cell", "dashed", "lane", "box", "compute", "idle", "good", "bad", "warn", "rule",
}  # fmt: skip
# A label is what a text is without any class: the style sheet has no rule for the word.
CLASSES = sorted((_TEXT_CLASSES | _SHAPE_CLASSES | _AXIS_CLASSES) - {"label"})
_SHAPES = frozenset({"rect", "line", "path", "circle", "ellipse", "polyline", "polygon"})
_TEXTS = frozenset({"text", "tspan"})

_NUMBER = re.compile(r"-?[0-9]*\.?[0-9]+")
_PATH = re.compile(r"[MmLlHhVvCcSsQqTtAaZz0-9eE.,\s+-]+")
_POINTS = re.compile(r"[0-9.,\s-]+")
_TRANSFORM = re.compile(r"\s*((translate|rotate)\([-0-9., ]+\)\s*)+")
_ID = re.compile(r"[a-z][a-z0-9-]*")
_IDS = re.compile(r"[a-z][a-z0-9-]* [a-z][a-z0-9-]*")
_BOX = re.compile(r"0 0 ([0-9]+) ([0-9]+)")
_ANY = re.compile(r".+")


def _numbers(*names: str) -> dict[str, re.Pattern[str]]:
    return dict.fromkeys(names, _NUMBER)


_COMMON = {"class": _ANY, "id": _ID, "transform": _TRANSFORM}
_ATTRIBUTES: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    "svg": {
        "xmlns": re.compile(re.escape(_NAMESPACE)), "viewBox": _BOX, "class": _ANY,
        "role": re.compile("img"), "aria-labelledby": _IDS,
    },
    "title": {"id": _ID},
    "desc": {"id": _ID},
    "g": {"id": _ID, "transform": _TRANSFORM},
    "rect": _COMMON | _numbers("x", "y", "width", "height", "rx", "ry"),
    "line": _COMMON | _numbers("x1", "y1", "x2", "y2"),
    "path": _COMMON | {"d": _PATH},
    "circle": _COMMON | _numbers("cx", "cy", "r"),
    "ellipse": _COMMON | _numbers("cx", "cy", "rx", "ry"),
    "polyline": _COMMON | {"points": _POINTS},
    "polygon": _COMMON | {"points": _POINTS},
    "text": _COMMON | _numbers("x", "y", "dx", "dy"),
    "tspan": {"class": _ANY} | _numbers("x", "y", "dx", "dy"),
}  # fmt: skip


class Element(msgspec.Struct):
    """An element with its line; `content` holds texts and elements in order."""

    name: str
    attributes: dict[str, str]
    line: int
    content: list["str | Element"]

    def walk(self) -> Iterator["Element"]:
        """Give this element and all within it."""
        yield self
        for child in self.content:
            if isinstance(child, Element):
                yield from child.walk()

    @property
    def text(self) -> str:
        """All text within."""
        return "".join(c if isinstance(c, str) else c.text for c in self.content)

    @property
    def classes(self) -> list[str]:
        """The classes, in order."""
        return self.attributes.get("class", "").split()


class _Refused(Exception):  # noqa: N818 - stops the parser, never leaves this module
    pass


def parse_svg(svg: str, problems: Problems) -> Element | None:
    """Read a drawing as XML; None where it is not well-formed, or has a document type."""
    parser = expat.ParserCreate()
    root = Element("", {}, 0, [])
    open_elements = [root]

    def start(name: str, attributes: dict[str, str]) -> None:
        element = Element(name, attributes, parser.CurrentLineNumber, [])
        open_elements[-1].content.append(element)
        open_elements.append(element)
        if len(open_elements) > DEEPEST:
            raise _Refused(f"elements stand more than {DEEPEST} deep")

    def text(data: str) -> None:
        open_elements[-1].content.append(data)

    def end(_name: str) -> None:
        open_elements.pop()

    def refuse(*_: object) -> None:
        raise _Refused("document types and processing instructions are refused")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.ProcessingInstructionHandler = refuse
    try:
        parser.Parse(svg, True)  # noqa: FBT003 - expat takes no keywords
    except expat.ExpatError as error:
        problems.add(error.lineno, f"not well-formed XML: {expat.ErrorString(error.code)}")
        return None
    except _Refused as refused:
        problems.add(parser.CurrentLineNumber, str(refused))
        return None
    return next(child for child in root.content if isinstance(child, Element))


def check_diagram(diagram: Diagram, names: set[str], problems: Problems) -> None:
    """Hold one drawing to the contract; `names` are those of all drawings of the text."""
    root = parse_svg(diagram.svg, problems)
    if root is None:
        return
    if root.name != "svg":
        problems.add(root.line, f"the root must be <svg>, not <{root.name}>")
        return
    for element in root.walk():
        _check_element(element, problems)
    _check_root(root, problems)
    _check_size(root, diagram.name, names, problems)


def inline(svg: str, prefix: str) -> str:
    """Write a drawing for a page, its ids prefixed so that none stands twice there.

    What the contract does not allow is left out, so that a draft that was not checked yet can be
    shown; a text that is no drawing gives nothing.
    """
    root = parse_svg(svg, Problems(""))
    return _serialised(root, prefix) if root is not None and root.name == "svg" else ""


def _check_element(element: Element, problems: Problems) -> None:
    allowed = _ATTRIBUTES.get(element.name)
    if allowed is None:
        known = ", ".join(sorted(_ATTRIBUTES))
        problems.add(element.line, f"<{element.name}> is not allowed; allowed: {known}")
        return
    for name, value in element.attributes.items():
        if name not in allowed:
            problems.add(element.line, f"<{element.name}> must not have {name!r}")
        elif not allowed[name].fullmatch(value.strip()):
            problems.add(element.line, f"<{element.name}> {name}={value!r} is not allowed")
    _check_classes(element, problems)
    holds_text = element.name in _TEXTS | {"title", "desc"}
    if not holds_text and "".join(c for c in element.content if isinstance(c, str)).strip():
        problems.add(element.line, f"text stands directly in <{element.name}>")


def _check_classes(element: Element, problems: Problems) -> None:
    classes = set(element.classes)
    if element.name == "svg":
        if classes != {"diagram"}:
            problems.add(element.line, 'the root must have class="diagram"')
        return
    if element.name in _SHAPES:
        known, needs = _SHAPE_CLASSES | _AXIS_CLASSES, _SHAPE_CLASSES - {"dashed"}
    elif element.name in _TEXTS:
        known, needs = _TEXT_CLASSES | _AXIS_CLASSES, frozenset({"label", "quiet", "num"})
    else:
        return
    for name in sorted(classes - known):
        known_text = ", ".join(sorted(known))
        problems.add(element.line, f"<{element.name}> class {name!r}: known are {known_text}")
    if element.name != "tspan" and not classes & needs:
        problems.add(
            element.line, f"<{element.name}> needs a class: one of {', '.join(sorted(needs))}"
        )
    axes = classes & _AXIS_CLASSES
    if len(axes) > 1 or (classes & _COLOURED and not axes):
        problems.add(element.line, f"<{element.name}> needs exactly one ax-NAME beside its class")


def _check_root(root: Element, problems: Problems) -> None:
    for name in ("xmlns", "viewBox", "role", "aria-labelledby"):
        if name not in root.attributes:
            problems.add(root.line, f"the root needs {name!r}")
    labels = []
    for name in ("title", "desc"):
        found = [e for e in root.content if isinstance(e, Element) and e.name == name]
        if len(found) != 1 or not found[0].text.strip():
            problems.add(root.line, f"a drawing needs one <{name}> with a text, in its root")
            continue
        labels.append(found[0].attributes.get("id", ""))
    if root.attributes.get("aria-labelledby", "").split() != labels:
        problems.add(root.line, "aria-labelledby must name the ids of <title> and <desc>")
    ids = [e.attributes["id"] for e in root.walk() if "id" in e.attributes]
    if len(ids) != len(set(ids)):
        problems.add(root.line, "an id stands twice")


def _check_size(root: Element, name: str, names: set[str], problems: Problems) -> None:
    box = _BOX.fullmatch(root.attributes.get("viewBox", ""))
    if box is None:
        problems.add(root.line, 'viewBox must be "0 0 WIDTH HEIGHT" in whole numbers')
        return
    width = int(box[1])
    on_phone = name.endswith(NARROW) or f"{name}{NARROW}" not in names
    if width > WIDEST:
        problems.add(root.line, f"is {width} wide; at most {WIDEST}")
    elif on_phone and width > WIDEST_NARROW:
        problems.add(
            root.line,
            f"is {width} wide: over {WIDEST_NARROW} it needs a second drawing {name}{NARROW}.svg",
        )
    if not on_phone:
        return
    scale = min(1.0, PHONE_DRAWING_PX / width)
    for element in root.walk():
        size = min([TEXT_PX[c] for c in element.classes if c in TEXT_PX], default=LABEL_PX)
        if element.name in _TEXTS and size * scale < SMALLEST_TEXT_PX:
            problems.add(
                element.line,
                f"text is {size * scale:.1f} px on a page of 360 px; at least {SMALLEST_TEXT_PX}",
            )


def _serialised(element: Element, prefix: str) -> str:
    allowed = _ATTRIBUTES.get(element.name)
    if allowed is None:
        return ""
    attributes = {
        name: value
        for name, value in element.attributes.items()
        if name in allowed and allowed[name].fullmatch(value.strip())
    }
    if "id" in attributes:
        attributes["id"] = f"{prefix}-{attributes['id']}"
    if "aria-labelledby" in attributes:
        labels = attributes["aria-labelledby"].split()
        attributes["aria-labelledby"] = " ".join(f"{prefix}-{label}" for label in labels)
    attributes.pop("xmlns", None)  # needless within HTML
    written = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    parts = [escape(c) if isinstance(c, str) else _serialised(c, prefix) for c in element.content]
    content = "".join(part for part in parts if part.strip() or element.name in _TEXTS)
    return f"<{element.name}{written}>{content}</{element.name}>"
