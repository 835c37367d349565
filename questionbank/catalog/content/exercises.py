"""The text of an exercise: `exercise.md`. Its code and its rubric are the grader's to read."""

from typing import Final

import msgspec

from questionbank.catalog.content.blocks import HeadingLine, outline
from questionbank.catalog.content.documents import Level, Origin, Tier
from questionbank.catalog.content.errors import ContentError, Problems
from questionbank.catalog.content.reading import level_of, split_front_matter
from questionbank.catalog.content.sections import check_headings
from questionbank.catalog.content.yaml_fields import Fields

SITUATION: Final = "The situation"
WRITE: Final = "What to write"
MESH: Final = "Mesh and shapes"
CHECKED: Final = "What is checked"
BUDGET: Final = "The budget"
HINTS: Final = "Hints"
SOLUTION: Final = "Worked solution"
ALTERNATIVES: Final = "Alternatives"

STATEMENT: Final = (SITUATION, WRITE, MESH, CHECKED, BUDGET)
SECTIONS: Final = (*STATEMENT, HINTS, SOLUTION, ALTERNATIVES)
HINT_COUNT: Final = 3
LAST_RUNG: Final = 7


class Exercise(msgspec.Struct, frozen=True, kw_only=True):
    """One exercise as readers see it; every part is Markdown.

    `statement` maps its headings to their text, in order. `hints` are the steps, the mildest first;
    they and what is below are shown when asked for, or after passing.
    """

    slug: str
    title: str
    summary: str
    rung: int
    level: Level
    tier: Tier | None = None
    updated: str
    concepts: tuple[str, ...]
    questions: tuple[str, ...] = ()
    statement: dict[str, str]
    hints: tuple[str, ...]
    solution: str
    alternatives: str
    origin: Origin = Origin()


def parse_exercise(
    text: str, path: str, *, slug: str
) -> tuple[Exercise | None, list[ContentError]]:
    """Read one exercise's text. Returns None for it where its form is wrong."""
    problems = Problems(path)
    parts = split_front_matter(text, problems)
    if parts is None:
        return None, problems.found
    front, body, body_line = parts
    fields = Fields(front, problems.within(2), "exercise")
    sections = _sections(body, problems.within(body_line))
    read = Exercise(
        slug=slug,
        title=fields.text("title"),
        summary=fields.text("summary"),
        rung=_rung(fields),
        level=level_of(fields),
        tier=fields.choice("tier", Tier),
        updated=fields.month("updated"),
        concepts=fields.slugs("concepts"),
        questions=fields.slugs("questions", required=False),
        statement={name: sections.get(name, "") for name in STATEMENT},
        hints=_hints(body, problems.within(body_line)),
        solution=sections.get(SOLUTION, ""),
        alternatives=sections.get(ALTERNATIVES, ""),
        origin=Origin(path=path, body_line=body_line, lines=fields.lines()),
    )
    if "concepts" in fields and not read.concepts:
        fields.fail("concepts", "give at least one")
    fields.finish()
    return (None if problems.found else read), problems.found


def _rung(fields: Fields) -> int:
    number = fields.number("rung")
    if number is None:
        return 0
    if number != int(number) or not 0 <= number <= LAST_RUNG:
        fields.fail("rung", f"must be a whole number from 0 to {LAST_RUNG}")
    return int(number)


def _sections(body: str, problems: Problems) -> dict[str, str]:
    """Return the text under each heading of level 2, which have to be just SECTIONS, in order."""
    parts = outline(body)
    check_headings(parts, problems)
    headings = [heading for heading in parts.headings if heading.level == 2]
    titles = tuple(heading.text for heading in headings)
    if titles != SECTIONS:
        listed = ", ".join(f"## {name}" for name in SECTIONS)
        problems.add(1, f"the sections have to be, in order: {listed}")
    lines = body.split("\n")
    if "\n".join(lines[: headings[0].line - 1] if headings else lines).strip():
        problems.add(1, f"text stands before '## {SITUATION}'")
    found = _texts_under(lines, headings)
    for heading, text in zip(headings, found, strict=True):
        if not text:
            problems.add(heading.line, f"section {heading.text!r} is empty")
    return dict(zip(titles, found, strict=True))


def _hints(body: str, problems: Problems) -> tuple[str, ...]:
    headings = list(outline(body).headings)
    names = [heading.text for heading in headings]
    if HINTS not in names:
        return ()  # told with the sections
    start = names.index(HINTS)
    inside = [heading for heading in headings[start + 1 :] if heading.level <= 3]
    end = next((at for at, heading in enumerate(inside) if heading.level == 2), len(inside))
    steps = inside[:end]
    texts = _texts_under(body.split("\n"), [*steps, *inside[end : end + 1]])[: len(steps)]
    if len(steps) != HINT_COUNT:
        problems.add(
            headings[start].line,
            f"'## {HINTS}' has {HINT_COUNT} steps, each under a ### heading, not {len(steps)}",
        )
    for heading, text in zip(steps, texts, strict=True):
        if not text:
            problems.add(heading.line, f"hint {heading.text!r} is empty")
    return tuple(texts)


def _texts_under(lines: list[str], headings: list[HeadingLine]) -> list[str]:
    ends = [heading.line for heading in headings[1:]] + [len(lines) + 1]
    return [
        "\n".join(lines[heading.line : end - 1]).strip()
        for heading, end in zip(headings, ends, strict=True)
    ]
