"""The shape that the body of an answer must have."""

from questionbank.catalog.content.blocks import HeadingLine, Outline
from questionbank.catalog.content.errors import Problems

BRIEF = "The answer in brief"
BREAKS = "Where it breaks"
FOLLOW_UPS = "Follow-ups"
FEWEST_FOLLOW_UPS = 3


def check_headings(parts: Outline, problems: Problems) -> None:
    """Headings start at level 2, skip no level and are not repeated within their section."""
    previous = 1
    for heading in parts.headings:
        if heading.level == 1:
            problems.add(heading.line, "a heading of level 1 is the page's title: start at ##")
        elif heading.level > previous + 1:
            problems.add(
                heading.line, f"heading skips a level: {'#' * (previous + 1)} comes before this"
            )
        previous = heading.level
    for fence in parts.fences:
        if not fence.is_closed:
            problems.add(fence.line, "this fenced block is never closed")


def check_answer_sections(body: str, parts: Outline, problems: Problems) -> None:
    """Hold an answer to its order: in brief, worked answer, where it breaks, follow-ups."""
    sections = [heading for heading in parts.headings if heading.level == 2]
    titles = [heading.text for heading in sections]
    for required in (BRIEF, BREAKS, FOLLOW_UPS):
        if titles.count(required) != 1:
            how = "is missing" if required not in titles else "stands more than once"
            problems.add(1, f"section '## {required}' {how}")
            return
    if titles[0] != BRIEF:
        problems.add(sections[0].line, f"the first section must be '## {BRIEF}'")
    if titles[-2:] != [BREAKS, FOLLOW_UPS]:
        line = sections[titles.index(BREAKS)].line
        problems.add(line, f"the last two sections must be '## {BREAKS}' and '## {FOLLOW_UPS}'")
        return
    if len(sections) < 4:
        problems.add(
            sections[0].line, f"the worked answer needs headings of its own after '## {BRIEF}'"
        )
    lines = body.split("\n")
    opening = "\n".join(lines[: sections[0].line - 1]).strip()
    if opening:
        problems.add(1, f"text stands before '## {BRIEF}'")
    _check_not_empty(lines, parts.headings, problems)
    _check_follow_ups(sections[-1], parts.headings, problems)


def _check_not_empty(
    lines: list[str], headings: tuple[HeadingLine, ...], problems: Problems
) -> None:
    ends = [*headings[1:], HeadingLine(1, "", len(lines) + 1)]
    for heading, following in zip(headings, ends, strict=True):
        text = "\n".join(lines[heading.line : following.line - 1]).strip()
        if not text and following.level <= heading.level:
            problems.add(heading.line, f"section {heading.text!r} is empty")


def _check_follow_ups(
    section: HeadingLine, headings: tuple[HeadingLine, ...], problems: Problems
) -> None:
    asked = [h for h in headings if h.line > section.line and h.level == 3]
    if len(asked) < FEWEST_FOLLOW_UPS:
        problems.add(
            section.line,
            f"'## {FOLLOW_UPS}' needs at least {FEWEST_FOLLOW_UPS} questions, each a ### heading "
            f"with its answer below; it has {len(asked)}",
        )
