"""Strict reading of the files that list things: topics, tracks, facts, what is planned."""

import re

import yaml

from questionbank.catalog.content.documents import (
    Fact,
    Origin,
    Planned,
    PlannedItem,
    Stage,
    Topic,
    Track,
)
from questionbank.catalog.content.errors import ContentError, Problems
from questionbank.catalog.content.units import parse_unit
from questionbank.catalog.content.yaml_fields import Fields, compose, line_of

_FACT_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")


def parse_topics(text: str, path: str, errors: list[ContentError]) -> tuple[Topic, ...]:
    """Read `topics.yaml`: a list, in the order in which readers see the topics."""
    read = []
    for fields in _list(text, path, "topic", errors):
        topic = Topic(
            slug=fields.slug("slug"),
            title=fields.text("title"),
            emoji=fields.text("emoji"),
            description=fields.text("description"),
            questions=fields.slugs("questions", required=False),
            concepts=fields.slugs("concepts", required=False),
            origin=Origin(path=path, lines={"": fields.line, **fields.lines()}),
        )
        fields.finish()
        read.append(topic)
    _refuse_twice([(topic.slug, topic.origin) for topic in read], "topic", errors)
    return tuple(read)


def parse_tracks(text: str, path: str, errors: list[ContentError]) -> tuple[Track, ...]:
    """Read `tracks.yaml`: a list, in the order in which readers see the tracks."""
    read = []
    for fields in _list(text, path, "track", errors):
        stages, lines = _stages(fields)
        track = Track(
            slug=fields.slug("slug"),
            title=fields.text("title"),
            emoji=fields.text("emoji"),
            description=fields.text("description"),
            stages=stages,
            origin=Origin(path=path, lines={"": fields.line, **fields.lines(), **lines}),
        )
        fields.finish()
        read.append(track)
    _refuse_twice([(track.slug, track.origin) for track in read], "track", errors)
    return tuple(read)


def _stages(fields: Fields) -> tuple[tuple[Stage, ...], dict[str, int]]:
    stages: list[Stage] = []
    lines: dict[str, int] = {}
    for node in fields.items("stages"):
        stage = Fields(node, fields.problems, "stage")
        stages.append(Stage(title=stage.text("title"), questions=stage.slugs("questions")))
        stage.finish()
        lines.update({k: v for k, v in stage.lines().items() if k.startswith("questions.")})
    if not stages and "stages" in fields:
        fields.fail("stages", "a track needs at least one stage")
    return tuple(stages), lines


def parse_facts(text: str, path: str, errors: list[ContentError]) -> tuple[Fact, ...]:
    """Read `facts.yaml`: `sources` by key, then `facts` by name."""
    problems = Problems(path, found=errors)
    node = compose(text, problems) if text else None
    if node is None:
        return ()
    fields = Fields(node, problems, "facts")
    sources: dict[str, tuple[str, str]] = {}
    for key, _line, value in fields.mapping("sources"):
        source = Fields(value, problems, f"source {key}")
        sources[key] = (source.text("name"), source.text("url", required=False))
        source.finish()
    facts = [_fact(n, line, v, sources, problems) for n, line, v in fields.mapping("facts")]
    fields.finish()
    return tuple(fact for fact in facts if fact is not None)


def _fact(
    name: str, line: int, node: yaml.Node, sources: dict[str, tuple[str, str]], problems: Problems
) -> Fact | None:
    fields = Fields(node, problems, f"fact {name}")
    value = fields.number("value")
    source = fields.text("source")
    if not _FACT_NAME.fullmatch(name):
        problems.add(line, f"fact {name!r}: a name is lower-case words joined by dots")
    if source and source not in sources:
        fields.fail("source", f"{source!r} is not among the sources above")
    source_name, source_url = sources.get(source, ("", ""))
    unit = fields.text("unit", required=False)
    try:
        parse_unit(unit)
    except ValueError as error:
        fields.fail("unit", str(error))
        value = None
    fact = Fact(
        name=name,
        value=value or 0.0,
        unit=unit,
        label=fields.text("label"),
        source=source,
        source_name=source_name,
        source_url=source_url,
        date=fields.day("date"),
        note=fields.text("note", required=False),
        origin=Origin(path=problems.path, lines={"": line, **fields.lines()}),
    )
    fields.finish()
    return None if value is None else fact


def parse_planned(text: str, path: str, errors: list[ContentError]) -> Planned:
    """Read `planned.yaml`: the questions, concepts and exercises that the curriculum names."""
    problems = Problems(path, found=errors)
    node = compose(text, problems) if text else None
    if node is None:
        return Planned()
    fields = Fields(node, problems, "planned")
    planned = Planned(
        questions=_planned_items(fields, "questions", has_topic=True),
        concepts=_planned_items(fields, "concepts", has_topic=True),
        exercises=_planned_items(fields, "exercises", has_topic=False),
    )
    fields.finish()
    return planned


def _planned_items(fields: Fields, kind: str, *, has_topic: bool) -> tuple[PlannedItem, ...]:
    read: dict[str, PlannedItem] = {}
    for node in fields.items(kind):
        item = Fields(node, fields.problems, f"planned {kind}")
        slug = item.slug("slug")
        topic = item.slug("topic") if has_topic else ""
        if slug in read:
            item.fail("slug", f"{slug!r} is planned twice")
        read[slug] = PlannedItem(slug=slug, title=item.text("title"), topic=topic)
        item.finish()
    return tuple(read.values())


def _list(text: str, path: str, what: str, errors: list[ContentError]) -> list[Fields]:
    problems = Problems(path, found=errors)
    node = compose(text, problems) if text else None
    if node is None:
        return []
    if not isinstance(node, yaml.SequenceNode):
        problems.add(line_of(node), f"must be a list, one entry for each {what}")
        return []
    return [Fields(entry, problems, what) for entry in node.value]


def _refuse_twice(slugs: list[tuple[str, Origin]], what: str, errors: list[ContentError]) -> None:
    seen: set[str] = set()
    for slug, origin in slugs:
        if slug in seen:
            errors.append(
                ContentError(origin.path, origin.line_of("slug"), f"{what} {slug!r} is given twice")
            )
        seen.add(slug)
