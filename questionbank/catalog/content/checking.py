"""What must hold of a document and of the whole bank; every breach is told, with file and line."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from questionbank.catalog.content.blocks import outline
from questionbank.catalog.content.dimensions import check_dimensions
from questionbank.catalog.content.documents import (
    Bank,
    Concept,
    Fact,
    PlannedItem,
    Question,
    Topic,
)
from questionbank.catalog.content.errors import ContentError, Problems
from questionbank.catalog.content.prose import FIGURE, Known, check_prose, masked
from questionbank.catalog.content.rendering import render_question
from questionbank.catalog.content.sheets import sheets_in
from questionbank.catalog.content.svg import NARROW, check_diagram
from questionbank.catalog.content.writing import bank_files, diagrams_of, path_of

FEWEST_WORDS, MOST_WORDS = 900, 1_800

_NOTE_USED = re.compile(r"\[\^([^\]\s]+)\](?!:)")
_NOTE_DEFINED = re.compile(r"^\[\^([^\]\s]+)\]:", re.M)
_PAGE = re.compile(r"\]\(/(?P<kind>questions|concepts|topics|tracks)/(?P<slug>[^/()\s]+)/?[^()]*\)")


def check_question(question: Question, facts: Mapping[str, Fact]) -> list[ContentError]:
    """Check what one question holds by itself: sheets, placeholders, numbers, drawings, code."""
    problems = Problems(_path(question))
    known = _check_body(question, facts, problems)
    _check_line(question, "summary", question.summary, known, problems)
    for point in question.editor_note:
        _check_line(question, "editor_note", point, known, problems)
    return problems.found


def check_concept(concept: Concept, facts: Mapping[str, Fact]) -> list[ContentError]:
    """Check what one concept holds by itself."""
    problems = Problems(_path(concept))
    known = _check_body(concept, facts, problems)
    _check_line(concept, "summary", concept.summary, known, problems)
    _check_line(concept, "breath", concept.breath, known, problems)
    return problems.found


def check_bank(bank: Bank) -> list[ContentError]:
    """Check every document, and that they agree with each other. Warnings are among the errors.

    Nothing is rendered, so that publishing what has not changed stays quick.
    """
    facts = {fact.name: fact for fact in bank.facts}
    errors: list[ContentError] = []
    for question in bank.questions:
        errors += check_question(question, facts)
        errors += _check_question_links(question, bank)
    for concept in bank.concepts:
        errors += check_concept(concept, facts)
    errors += _check_topics(bank)
    errors += _check_tracks(bank)
    errors += _check_pages(bank)
    errors += _orphans(bank)
    return sorted(errors)


def warn_of_lengths(bank: Bank) -> list[ContentError]:
    """Warn of each answer that is shorter or longer than is wanted. Renders all of a sound bank."""
    warnings = []
    for question in bank.questions:
        words = render_question(question, bank.facts).words
        if not FEWEST_WORDS <= words <= MOST_WORDS:
            message = f"the answer has {words} words; {FEWEST_WORDS} to {MOST_WORDS} are wanted"
            warnings.append(ContentError(_path(question), 1, message, is_warning=True))
    return warnings


def check_canonical(root: Path, bank: Bank) -> list[ContentError]:
    """Report every file that is not, byte for byte, what an export of the bank would write."""
    errors = []
    for path, text in bank_files(bank).items():
        file = root / path
        if not file.is_file() or file.read_text(encoding="utf-8") == text:
            continue
        have, want = file.read_text(encoding="utf-8").split("\n"), text.split("\n")
        pairs = enumerate(zip(have, want, strict=False), start=1)
        line = next((at for at, (a, b) in pairs if a != b), min(len(have), len(want)))
        message = "is not in its canonical form: run the checker with --write"
        errors.append(ContentError(path, line, message))
    return errors


def _path(document: Question | Concept) -> str:
    return document.origin.path or path_of(document)


def _check_body(
    document: Question | Concept, facts: Mapping[str, Fact], problems: Problems
) -> Known:
    within = problems.within(document.origin.body_line)
    sheets = sheets_in(document.body, facts, within)
    for sheet in sheets:
        check_dimensions(sheet, within.within(sheet.line + 1))
    values = {name: text for sheet in sheets for name, text in sheet.written().items()}
    fences = [f for f in outline(document.body).fences if f.words[:1] == ["sheet"]]
    known = Known(values=values, facts=facts, has_unread_sheets=len(sheets) < len(fences))
    check_prose(document.body, known, within)
    _check_fences(document.body, within)
    _check_notes(document.body, within)
    _check_figures(document, within)
    names = {diagram.name for diagram in document.diagrams}
    for diagram in document.diagrams:
        drawing = Problems(f"{diagrams_of(document)}/{diagram.name}.svg", found=problems.found)
        check_diagram(diagram, names, drawing)
    return known


def _check_line(
    document: Question | Concept, field: str, text: str, known: Known, problems: Problems
) -> None:
    check_prose(text, known, problems.within(document.origin.line_of(field)))


def _check_fences(body: str, problems: Problems) -> None:
    for fence in outline(body).fences:
        words = fence.words
        if not words:
            problems.add(fence.line, "a fenced block needs its language; `text` if it has none")
        elif words[0] != "sheet" and not _is_language(words[0]):
            problems.add(fence.line, f"language {words[0]!r} is unknown; `text` if it has none")
        elif words[1:] not in ([], ["run"]) or (words[1:] and words[0] != "python"):
            problems.add(fence.line, f"{fence.info!r}: only `python run` may follow a language")


def _is_language(name: str) -> bool:
    try:
        get_lexer_by_name(name)
    except ClassNotFound:
        return False
    return True


def _check_notes(body: str, problems: Problems) -> None:
    text = masked(body)
    used = {match[1]: text.count("\n", 0, match.start()) for match in _NOTE_USED.finditer(text)}
    defined = {m[1]: text.count("\n", 0, m.start()) for m in _NOTE_DEFINED.finditer(text)}
    for name in sorted(used.keys() - defined.keys()):
        problems.add(used[name] + 1, f"footnote [^{name}] is not defined")
    for name in sorted(defined.keys() - used.keys()):
        problems.add(defined[name] + 1, f"footnote [^{name}] is never referred to")


def _check_figures(document: Question | Concept, problems: Problems) -> None:
    names = {diagram.name for diagram in document.diagrams}
    used: set[str] = set()
    text = re.sub(r"^ *(`{3,}|~{3,}).*?^ *\1 *$", _keep_lines, document.body, flags=re.M | re.S)
    for match in FIGURE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        name = match["file"].removesuffix(".svg")
        before = text[: match.start()].rstrip(" ")
        after = text[match.end() :].lstrip(" ")
        alone = before[-2:] in {"", "\n\n"} and after[:2] in {"", "\n", "\n\n"}
        if not match["file"].endswith(".svg") or name not in names:
            problems.add(line, f"drawing {match['file']!r} is not in diagrams/")
        elif not alone:
            problems.add(line, "a drawing stands alone in its paragraph")
        elif not match["caption"].strip():
            problems.add(line, "a drawing needs a caption")
        used |= {name, f"{name}{NARROW}"}
    for name in sorted(names - used):
        problems.add(1, f"drawing {name}.svg is never shown")


def _keep_lines(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _check_question_links(question: Question, bank: Bank) -> list[ContentError]:
    concepts = {c.slug for c in bank.concepts} | _slugs(bank.planned.concepts)
    exercises = _slugs(bank.planned.exercises)
    origin = question.origin
    path = _path(question)
    errors = [
        ContentError(path, origin.line_of(f"concepts.{slug}"), f"concept {slug!r} is unknown")
        for slug, _ in question.concepts
        if slug not in concepts
    ]
    errors += [
        ContentError(path, origin.line_of(f"exercises.{slug}"), f"exercise {slug!r} is unknown")
        for slug in question.exercises
        if slug not in exercises
    ]
    return errors


def _check_topics(bank: Bank) -> list[ContentError]:
    errors: list[ContentError] = []
    topics = {topic.slug: topic for topic in bank.topics}
    kinds = (
        ("questions", {q.slug: q.topic for q in bank.questions}, bank.planned.questions),
        ("concepts", {c.slug: c.topic for c in bank.concepts}, bank.planned.concepts),
    )
    for kind, written, planned in kinds:
        homes = {item.slug: item.topic for item in planned} | written
        for topic in bank.topics:
            errors += _check_listed(topic, kind, homes)
        for document in getattr(bank, kind):
            origin = document.origin
            if document.topic not in topics:
                line = origin.line_of("topic")
                message = f"topic {document.topic!r} is unknown; known: {', '.join(topics)}"
                errors.append(ContentError(_path(document), line, message))
            elif document.slug not in getattr(topics[document.topic], kind):
                message = (
                    f"add {document.slug!r} to the {kind} of {document.topic!r} in topics.yaml"
                )
                errors.append(ContentError(origin.path, 1, message))
    return errors


def _check_listed(topic: Topic, kind: str, homes: Mapping[str, str]) -> list[ContentError]:
    errors = []
    for slug in getattr(topic, kind):
        line = topic.origin.line_of(f"{kind}.{slug}")
        if slug not in homes:
            message = f"{kind}: {slug!r} is neither written nor planned"
        elif homes[slug] != topic.slug:
            message = f"{kind}: {slug!r} belongs to topic {homes[slug]!r}"
        else:
            continue
        errors.append(ContentError(topic.origin.path or "topics.yaml", line, message))
    return errors


def _check_tracks(bank: Bank) -> list[ContentError]:
    known = {question.slug for question in bank.questions} | _slugs(bank.planned.questions)
    errors = []
    for track in bank.tracks:
        listed = Counter(slug for stage in track.stages for slug in stage.questions)
        for slug, times in listed.items():
            line = track.origin.line_of(f"questions.{slug}")
            if slug not in known:
                message = f"track {track.slug}: {slug!r} is neither written nor planned"
            elif times > 1:
                message = f"track {track.slug}: {slug!r} stands in two stages"
            else:
                continue
            errors.append(ContentError(track.origin.path or "tracks.yaml", line, message))
    return errors


def _check_pages(bank: Bank) -> list[ContentError]:
    """Hold links to pages of the site to what is written: a planned page does not exist yet."""
    written = {
        kind: {document.slug for document in getattr(bank, kind)}
        for kind in ("questions", "concepts", "topics", "tracks")
    }
    errors = []
    for document in bank.documents:
        for match in _PAGE.finditer(document.body):
            if match["slug"] not in written[match["kind"]]:
                origin = document.origin
                line = origin.body_line + document.body.count("\n", 0, match.start())
                message = f"link to /{match['kind']}/{match['slug']}/, which is not written"
                errors.append(ContentError(_path(document), line, message))
    return errors


def _orphans(bank: Bank) -> list[ContentError]:
    linked = {slug for question in bank.questions for slug, _ in question.concepts}
    return [
        ContentError(_path(c), 1, "no question leans on this concept", is_warning=True)
        for c in bank.concepts
        if c.slug not in linked
    ]


def _slugs(items: Iterable[PlannedItem]) -> set[str]:
    return {item.slug for item in items}
