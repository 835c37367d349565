"""From documents back to files: one canonical form, the same bytes each time."""

from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any, override

import yaml

from questionbank.catalog.content.documents import (
    Bank,
    Concept,
    Fact,
    Planned,
    PlannedItem,
    Question,
    Source,
    Topic,
    Track,
)


class _Dumper(yaml.SafeDumper):
    """Indents lists under their key, as authors do by hand."""

    @override
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)  # noqa: FBT003


def to_yaml(value: object) -> str:
    """Write plain data as YAML in the canonical form."""
    return yaml.dump(
        value,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=96,
        default_flow_style=False,
    )


def question_text(question: Question) -> str:
    """Give the text of `question.md`."""
    front: dict[str, Any] = _head(question)
    front["concepts"] = {slug: _plain(weight) for slug, weight in question.concepts}
    if question.exercises:
        front["exercises"] = list(question.exercises)
    front["editor_note"] = list(question.editor_note)
    front["sources"] = [_source(source) for source in question.sources]
    return _document(front, question.body)


def concept_text(concept: Concept) -> str:
    """Give the text of `<slug>.md`."""
    front: dict[str, Any] = _head(concept)
    front["breath"] = concept.breath
    if concept.sources:
        front["sources"] = [_source(source) for source in concept.sources]
    return _document(front, concept.body)


def document_text(document: Question | Concept) -> str:
    """Give the text of a question's or a concept's file."""
    if isinstance(document, Question):
        return question_text(document)
    return concept_text(document)


def topics_text(topics: Iterable[Topic]) -> str:
    """Give the text of `topics.yaml`."""
    return to_yaml(
        [
            {
                "slug": topic.slug,
                "title": topic.title,
                "emoji": topic.emoji,
                "description": topic.description,
                "questions": list(topic.questions),
                "concepts": list(topic.concepts),
            }
            for topic in topics
        ]
    )


def tracks_text(tracks: Iterable[Track]) -> str:
    """Give the text of `tracks.yaml`."""
    return to_yaml(
        [
            {
                "slug": track.slug,
                "title": track.title,
                "emoji": track.emoji,
                "description": track.description,
                "stages": [
                    {"title": stage.title, "questions": list(stage.questions)}
                    for stage in track.stages
                ],
            }
            for track in tracks
        ]
    )


def facts_text(facts: Iterable[Fact]) -> str:
    """Give the text of `facts.yaml`; the sources are those that the facts name."""
    sources: dict[str, dict[str, str]] = {}
    entries: dict[str, dict[str, object]] = {}
    for fact in facts:
        url = {"url": fact.source_url} if fact.source_url else {}
        sources[fact.source] = {"name": fact.source_name, **url}
        entry: dict[str, object] = {"value": _plain(fact.value)}
        if fact.unit:
            entry["unit"] = fact.unit
        entry |= {"label": fact.label, "source": fact.source, "date": fact.date}
        if fact.note:
            entry["note"] = fact.note
        entries[fact.name] = entry
    return to_yaml({"sources": dict(sorted(sources.items())), "facts": entries})


def planned_text(planned: Planned) -> str:
    """Give the text of `planned.yaml`."""
    return to_yaml(
        {
            "questions": [_planned(item) for item in planned.questions],
            "concepts": [_planned(item) for item in planned.concepts],
            "exercises": [_planned(item) for item in planned.exercises],
        }
    )


def bank_files(bank: Bank) -> dict[str, str]:
    """Give every file of a bank, by its path in the content folder."""
    files = {
        "topics.yaml": topics_text(bank.topics),
        "tracks.yaml": tracks_text(bank.tracks),
        "facts.yaml": facts_text(bank.facts),
        "planned.yaml": planned_text(bank.planned),
    }
    for document in bank.documents:
        files[path_of(document)] = document_text(document)
        for diagram in document.diagrams:
            files[f"{diagrams_of(document)}/{diagram.name}.svg"] = diagram.svg
    return files


def write_bank(bank: Bank, folder: Path, *, leaving: Container[str] = ()) -> None:
    """Write every file of a bank but those in `leaving`. Other files in the folder stay."""
    for path, text in bank_files(bank).items():
        if path in leaving:
            continue
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")


def path_of(document: Question | Concept) -> str:
    """Path of a document's file, within the content folder."""
    if isinstance(document, Question):
        return f"questions/{document.topic}/{document.slug}/question.md"
    return f"concepts/{document.slug}.md"


def diagrams_of(document: Question | Concept) -> str:
    """Folder of a document's drawings, within the content folder."""
    if isinstance(document, Question):
        return f"questions/{document.topic}/{document.slug}/diagrams"
    return f"concepts/{document.slug}/diagrams"


def _head(document: Question | Concept) -> dict[str, Any]:
    tier = {"tier": str(document.tier)} if document.tier else {}
    return {
        "title": document.title,
        "summary": document.summary,
        "topic": document.topic,
        "level": str(document.level),
        **tier,
        "updated": document.updated,
    }


def _document(front: Mapping[str, object], body: str) -> str:
    return f"---\n{to_yaml(dict(front))}---\n\n{body}\n"


def _source(source: Source) -> dict[str, str]:
    url = {"url": source.url} if source.url else {}
    return {"title": source.title, **url, "taken": source.taken}


def _planned(item: PlannedItem) -> dict[str, str]:
    topic = {"topic": item.topic} if item.topic else {}
    return {"slug": item.slug, "title": item.title, **topic}


def _plain(value: float) -> int | float:
    """Write a whole number without `.0`."""
    return int(value) if value == int(value) else value
