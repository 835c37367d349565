"""From files to documents, strictly: every mistake found is returned, with file and line."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from questionbank.catalog.content.blocks import outline
from questionbank.catalog.content.documents import (
    Bank,
    Concept,
    ConceptLink,
    Diagram,
    Level,
    Origin,
    Question,
    Source,
    Tier,
    Topic,
)
from questionbank.catalog.content.errors import ContentError, Problems
from questionbank.catalog.content.reading_lists import (
    parse_facts,
    parse_planned,
    parse_topics,
    parse_tracks,
)
from questionbank.catalog.content.sections import check_answer_sections, check_headings
from questionbank.catalog.content.yaml_fields import SLUG, Fields, compose, line_of

_FEWEST_POINTS, _MOST_POINTS = 4, 7
_FEWEST_CONCEPTS, _MOST_CONCEPTS = 2, 5


def parse_question(
    text: str, path: str, *, slug: str, diagrams: Iterable[Diagram] = ()
) -> tuple[Question | None, list[ContentError]]:
    """Read one question. Returns None for the question where its form is wrong."""
    problems = Problems(path)
    parts = split_front_matter(text, problems)
    if parts is None:
        return None, problems.found
    front, body, body_line = parts
    fields = Fields(front, problems.within(2), "question")
    read = Question(
        slug=slug,
        title=fields.text("title"),
        summary=fields.text("summary"),
        topic=fields.slug("topic"),
        level=level_of(fields),
        tier=fields.choice("tier", Tier),
        updated=fields.month("updated"),
        concepts=_concept_links(fields),
        exercises=fields.slugs("exercises", required=False),
        sources=_sources(fields, required=True),
        editor_note=_editor_note(fields),
        body=body,
        diagrams=_sorted(diagrams),
        origin=Origin(path=path, body_line=body_line, lines=fields.lines()),
    )
    fields.finish()
    within = problems.within(body_line)
    shape = outline(body)
    check_headings(shape, within)
    check_answer_sections(body, shape, within)
    return (None if problems.found else read), problems.found


def parse_concept(
    text: str, path: str, *, slug: str, diagrams: Iterable[Diagram] = ()
) -> tuple[Concept | None, list[ContentError]]:
    """Read one concept card. Returns None for the concept where its form is wrong."""
    problems = Problems(path)
    parts = split_front_matter(text, problems)
    if parts is None:
        return None, problems.found
    front, body, body_line = parts
    fields = Fields(front, problems.within(2), "concept")
    read = Concept(
        slug=slug,
        title=fields.text("title"),
        summary=fields.text("summary"),
        topic=fields.slug("topic"),
        level=level_of(fields),
        tier=fields.choice("tier", Tier),
        updated=fields.month("updated"),
        breath=fields.text("breath"),
        sources=_sources(fields, required=False),
        body=body,
        diagrams=_sorted(diagrams),
        origin=Origin(path=path, body_line=body_line, lines=fields.lines()),
    )
    fields.finish()
    check_headings(outline(body), problems.within(body_line))
    if not body:
        problems.add(1, "concept: the body is empty")
    return (None if problems.found else read), problems.found


def read_bank(root: Path) -> tuple[Bank, list[ContentError]]:
    """Read a content folder. What could be read is in the bank, everything wrong in the list.

    `content/exercises/` is read by its own package and left alone here.
    """
    errors: list[ContentError] = []
    topics = parse_topics(*_file(root, "topics.yaml", errors), errors)
    tracks = parse_tracks(*_file(root, "tracks.yaml", errors), errors)
    facts = parse_facts(*_file(root, "facts.yaml", errors), errors)
    planned = parse_planned(*_file(root, "planned.yaml", errors), errors)
    questions = _read_questions(root, errors)
    concepts = _read_concepts(root, errors)
    bank = Bank(
        topics=topics,
        tracks=tracks,
        concepts=_in_order(concepts, topics, "concepts"),
        questions=_in_order(questions, topics, "questions"),
        facts=facts,
        planned=planned,
    )
    return bank, sorted(errors)


def _read_questions(root: Path, errors: list[ContentError]) -> dict[str, Question]:
    found: dict[str, Question] = {}
    for folder in sorted(_entries(root / "questions")):
        for home in sorted(_entries(folder)):
            path = f"questions/{folder.name}/{home.name}/question.md"
            text, _ = _file(root, path, errors)
            _check_names(path, home.name, errors)
            diagrams = _read_diagrams(root, home / "diagrams", errors)
            question, wrong = parse_question(text, path, slug=home.name, diagrams=diagrams)
            errors.extend(wrong if text else [])
            if question is None:
                continue
            if question.topic != folder.name:
                line = question.origin.line_of("topic")
                message = f"topic is {question.topic!r} but the folder is {folder.name!r}"
                errors.append(ContentError(path, line, message))
            if home.name in found:
                other = found[home.name].origin.path
                errors.append(ContentError(path, 1, f"slug {home.name!r} is taken by {other}"))
            found[home.name] = question
            _refuse_strangers(root, home, {"question.md", "diagrams"}, errors)
    return found


def _read_concepts(root: Path, errors: list[ContentError]) -> dict[str, Concept]:
    found: dict[str, Concept] = {}
    folder = root / "concepts"
    names = {entry.stem for entry in folder.glob("*.md")}
    for slug in sorted(names):
        path = f"concepts/{slug}.md"
        text, _ = _file(root, path, errors)
        _check_names(path, slug, errors)
        diagrams = _read_diagrams(root, folder / slug / "diagrams", errors)
        concept, wrong = parse_concept(text, path, slug=slug, diagrams=diagrams)
        errors.extend(wrong)
        if concept is not None:
            found[slug] = concept
        if (folder / slug).is_dir():
            _refuse_strangers(root, folder / slug, {"diagrams"}, errors)
    if folder.is_dir():
        _refuse_strangers(root, folder, {f"{name}.md" for name in names} | names, errors)
    return found


def _read_diagrams(root: Path, folder: Path, errors: list[ContentError]) -> list[Diagram]:
    found = []
    for file in sorted(folder.iterdir()) if folder.is_dir() else []:
        path = file.relative_to(root).as_posix()
        if file.suffix != ".svg" or not SLUG.fullmatch(file.stem):
            message = "only drawings named like-this.svg belong here"
            errors.append(ContentError(path, 1, message))
            continue
        text, _ = _file(root, path, errors)
        found.append(Diagram(name=file.stem, svg=text.strip("\n") + "\n"))
    return found


def _entries(folder: Path) -> list[Path]:
    """Folders in a folder, hidden ones left out."""
    if not folder.is_dir():
        return []
    return [entry for entry in folder.iterdir() if entry.is_dir() and entry.name[0] != "."]


def _refuse_strangers(
    root: Path, folder: Path, known: set[str], errors: list[ContentError]
) -> None:
    for entry in sorted(folder.iterdir()):
        if entry.name not in known and not entry.name.startswith("."):
            path = entry.relative_to(root).as_posix()
            errors.append(
                ContentError(path, 1, f"does not belong here; known: {', '.join(sorted(known))}")
            )


def _check_names(path: str, slug: str, errors: list[ContentError]) -> None:
    if not SLUG.fullmatch(slug):
        errors.append(ContentError(path, 1, f"{slug!r} is not a slug (lower-case, hyphens)"))


def _file(root: Path, path: str, errors: list[ContentError]) -> tuple[str, str]:
    """Text of a file with plain line ends, and its path; blank, with an error, if unreadable."""
    try:
        return (root / path).read_text(encoding="utf-8").replace("\r\n", "\n"), path
    except FileNotFoundError:
        errors.append(ContentError(path, 1, "the file is missing"))
    except UnicodeDecodeError as error:
        errors.append(ContentError(path, 1, f"is not UTF-8: {error.reason}"))
    except OSError as error:
        errors.append(ContentError(path, 1, f"cannot be read: {error.strerror}"))
    return "", path


def split_front_matter(text: str, problems: Problems) -> tuple[yaml.Node, str, int] | None:
    """Front matter, body without blank lines around it, and the line on which the body starts."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != "---":
        problems.add(1, "must start with front matter between two lines of ---")
        return None
    try:
        end = next(at for at in range(1, len(lines)) if lines[at].rstrip() == "---")
    except StopIteration:
        problems.add(1, "the front matter is not closed by a line of ---")
        return None
    node = compose("\n".join(lines[1:end]), problems.within(2))
    if node is None:
        return None
    first = end + 1
    while first < len(lines) and not lines[first].strip():
        first += 1
    return node, "\n".join(lines[first:]).rstrip(), first + 1


def level_of(fields: Fields) -> Level:
    level = fields.choice("level", Level)
    if "level" not in fields:
        fields.node("level")
    return level or Level.CORE


def _concept_links(fields: Fields) -> tuple[ConceptLink, ...]:
    links = []
    for slug, _line, node in fields.mapping("concepts"):
        weight = fields.as_number(node, f"concepts.{slug}")
        if weight is None:
            continue
        if not 0 <= weight <= 1:
            fields.problems.add(line_of(node), f"concepts.{slug}: weight must be from 0 to 1")
        links.append(ConceptLink(slug, weight))
    if not _FEWEST_CONCEPTS <= len(links) <= _MOST_CONCEPTS and "concepts" in fields:
        fields.fail("concepts", f"give {_FEWEST_CONCEPTS} to {_MOST_CONCEPTS}, not {len(links)}")
    return tuple(links)


def _sources(fields: Fields, *, required: bool) -> tuple[Source, ...]:
    read = []
    for node in fields.items("sources", required=required):
        source = Fields(node, fields.problems, "source")
        url = source.text("url", required=False)
        if url and not url.startswith(("https://", "http://")):
            source.fail("url", "must start with https:// or http://")
        read.append(Source(title=source.text("title"), taken=source.text("taken"), url=url))
        source.finish()
    return tuple(read)


def _editor_note(fields: Fields) -> tuple[str, ...]:
    points = fields.texts("editor_note")
    if "editor_note" in fields and not _FEWEST_POINTS <= len(points) <= _MOST_POINTS:
        fields.fail(
            "editor_note", f"give {_FEWEST_POINTS} to {_MOST_POINTS} points, not {len(points)}"
        )
    return points


def _sorted(diagrams: Iterable[Diagram]) -> tuple[Diagram, ...]:
    return tuple(sorted(diagrams, key=lambda diagram: diagram.name))


def _in_order[D: (Question, Concept)](
    found: Mapping[str, D], topics: Iterable[Topic], kind: str
) -> tuple[D, ...]:
    """Order by the topics' lists; what no topic lists comes last, by slug."""
    listed: list[str] = [slug for topic in topics for slug in getattr(topic, kind)]
    ordered: list[str] = [slug for slug in dict.fromkeys(listed) if slug in found]
    return tuple(found[slug] for slug in [*ordered, *sorted(found.keys() - set(ordered))])
