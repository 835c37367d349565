"""Strict reading: each mistake is told with its file and its true line, all of them at once."""

from pathlib import Path

import pytest

from questionbank.catalog.content.documents import ConceptLink, Level, Tier
from questionbank.catalog.content.reading import parse_concept, parse_question, read_bank
from questionbank.catalog.content.report import check_folder
from tests.catalog.content.texts import (
    CONCEPT,
    DRAWING,
    QUESTION,
    example_files,
    examples,
    lay,
    line_of,
)

TEXT = examples()["question"]


def _told(text: str) -> list[str]:
    _, errors = parse_question(text, "q.md", slug="gather-time")
    return [str(error) for error in sorted(errors)]


def test_a_question_is_read_whole() -> None:
    question, errors = parse_question(TEXT, "q.md", slug="gather-time")
    assert errors == []
    assert question is not None
    assert question.title == "How long does one all-gather of a 70B take on 256 v5p chips?"
    assert question.level is Level.CORE
    assert question.tier is None
    assert question.concepts == (ConceptLink("zero-fsdp", 0.9), ConceptLink("comm-overlap", 0.5))
    assert len(question.editor_note) == 4
    assert question.sources[0].taken == "the cost of an all-gather on several torus axes"
    assert question.body.startswith("## The answer in brief\n")
    assert question.origin.body_line == line_of(TEXT, "## The answer in brief")


def test_a_tier_may_be_set() -> None:
    question, _ = parse_question(
        TEXT.replace("level: Core\n", "level: Core\ntier: signed-in\n"), "q.md", slug="q"
    )
    assert question is not None
    assert question.tier is Tier.SIGNED_IN


def test_all_mistakes_are_told_at_once_each_on_its_line() -> None:
    text = (
        TEXT.replace("level: Core", "level: Hard")
        .replace("updated: 2026-12", "updated: 2026-13\nauthor: me")
        .replace("zero-fsdp: 0.9", "zero-fsdp: 9")
        .replace("    taken: the cost", "    took: the cost")
        .replace("## Where it breaks", "## Limits")
    )
    level, updated = line_of(text, "level:"), line_of(text, "updated:")
    source = line_of(text, "  - title: How to")
    told = _told(text)
    assert told[:2] == [
        f"q.md:{level}: question: level: 'Hard' is unknown; one of Foundational, Core, Advanced",
        f"q.md:{updated}: question: updated: '2026-13' must be a month as YYYY-MM",
    ]
    assert f"q.md:{updated + 1}: question: unknown field 'author'" in told[2]
    assert told[3] == (
        f"q.md:{line_of(text, '  zero-fsdp: 9')}: concepts.zero-fsdp: weight must be from 0 to 1"
    )
    assert told[4] == f"q.md:{source}: source: field 'taken' is missing"
    assert told[5].startswith(f"q.md:{source + 2}: source: unknown field 'took'")
    assert told[6].endswith("section '## Where it breaks' is missing")
    assert len(told) == 7


@pytest.mark.parametrize(
    ("change", "to", "message"),
    [
        ("title: How", "title:\ntitle: How", "field 'title' is given twice"),
        ("title: How long does one all-gather of a 70B take on 256 v5p chips?\n", "",
         "field 'title' is missing"),
        ("topic: dist", "topic: &a dist", None),
        ("topic: dist", "topic: Distributed Training", "must be lower-case words"),
        ("level: Core\n", "", "field 'level' is missing"),
        ("level: Core", "level: Core\ntier: free", "'free' is unknown; one of open"),
        ("  comm-overlap: 0.5\n", "", "give 2 to 5, not 1"),
        ("zero-fsdp: 0.9", "zero-fsdp: much", "must be a number"),
        ("  - Says when the gather stops hiding behind compute.\n", "",
         "give 4 to 7 points, not 3"),
        ("url: https:", "url: ftp:", "must start with https:// or http://"),
        ("summary: A", "summary: [A", "not valid YAML"),
        ("## What moves", "# What moves", "a heading of level 1 is the page's title"),
        ("## What moves", "#### What moves", "heading skips a level"),
        ("## The answer in brief\n", "Hello.\n\n## The answer in brief\n", "text stands before"),
        ("### What if", "Text: what if", "needs at least 3 questions"),
        ("Half the bytes, half the time.\n", "",
         "section 'What if the weights were int8?' is empty"),
        ("```\n\n$$t", "\n\n$$t", "this fenced block is never closed"),
    ],
)  # fmt: skip
def test_a_mistake_is_told(change: str, to: str, message: str | None) -> None:
    assert change in TEXT
    told = _told(TEXT.replace(change, to, 1))
    if message is None:
        assert told == []
    else:
        assert any(message in line for line in told), told


def test_sections_out_of_order_are_told() -> None:
    head, _, rest = TEXT.partition("## Where it breaks")
    breaks, _, asked = rest.partition("## Follow-ups")
    told = _told(f"{head}## Follow-ups{asked}\n## Where it breaks{breaks}")
    assert any("the last two sections must be" in line for line in told)


def test_aliases_are_refused_so_that_nothing_unfolds_without_bound() -> None:
    bomb = "---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\n\nbody\n"
    assert _told(bomb) == ["q.md:3: not valid YAML: aliases (*name) are refused"]


@pytest.mark.parametrize("text", ["", "no front matter", "---\ntitle: x\n", "---\n---\nbody"])
def test_a_text_without_front_matter_is_told_not_raised(text: str) -> None:
    document, errors = parse_concept(text, "c.md", slug="c")
    assert document is None
    assert errors


def test_an_example_folder_reads_without_mistakes(tmp_path: Path) -> None:
    bank, errors = read_bank(lay(tmp_path, example_files()))
    assert errors == []
    assert [question.slug for question in bank.questions] == ["gather-time"]
    assert [concept.slug for concept in bank.concepts] == ["zero-fsdp"]
    assert [diagram.name for diagram in bank.questions[0].diagrams] == ["shards"]


@pytest.mark.parametrize(
    ("path", "change", "to", "at", "message"),
    [
        (QUESTION, "topic: dist", "topic: net", "topic: net", "but the folder is 'dist'"),
        (QUESTION, "zero-fsdp: 0.9", "zero-fspd: 0.9", "  zero-fspd",
         "concept 'zero-fspd' is unknown"),
        (QUESTION, "concepts:\n", "exercises:\n  - no-such\nconcepts:\n", "  - no-such",
         "exercise 'no-such' is unknown"),
        (QUESTION, "](shards.svg)", "](shard.svg)", "![Each",
         "drawing 'shard.svg' is not in diagrams/"),
        (QUESTION, "[^links]:", "[^lnks]:", "[^lnks]:", "footnote [^lnks] is never referred to"),
        (QUESTION, "```python run", "```pyhton", "```pyhton", "language 'pyhton' is unknown"),
        (QUESTION, "{{ shard }}", "{{ shart }}", "Each chip holds {{",
         "no sheet of this text has the name"),
        (QUESTION, "summary: A gather of {{ weights }}", "summary: A gather of 140 GB", "summary:",
         "'140 GB' is a bare number"),
        (QUESTION, "weights / chips,", "weights + chips,", "  shard:",
         "+ mixes byte and a plain number"),
        (QUESTION, "show: MB", "show: ms", "  shard:", "is byte, but `show` says s"),
        (QUESTION, "v5p.ici_link_one_way", "v5p.ici", "  ici:", "'v5p.ici' is not in facts.yaml"),
        (CONCEPT, "## What it costs", "See [this](/questions/none/).\n\n## What it costs",
         "See [this]",
         "link to /questions/none/, which is not written"),
        ("topics.yaml", "    - gather-time", "    - gather-tim", "    - gather-tim",
         "'gather-tim' is neither written nor planned"),
        ("tracks.yaml", "        - gather-time", "        - gather-tim", "        - gather-tim",
         "'gather-tim' is neither written nor planned"),
        ("facts.yaml", "unit: GB/s", "unit: GBps", "    unit: GBps", "unit 'GBps' is unknown"),
        ("facts.yaml", "source: scaling-book", "source: book", "    source: book",
         "'book' is not among the sources"),
        ("planned.yaml", "topic: dist", "topik: dist", "    topik", "unknown field 'topik'"),
        (DRAWING, 'class="cell"', 'class="sell"', "    <rect class=\"sell\"", "class 'sell'"),
    ],
)  # fmt: skip
def test_a_mistake_between_files_is_told_at_its_place(
    tmp_path: Path, path: str, change: str, to: str, at: str, message: str
) -> None:
    files = example_files()
    assert change in files[path]
    files[path] = files[path].replace(change, to, 1)
    _, errors = check_folder(lay(tmp_path, files))
    found = [error for error in errors if message in error.message]
    assert found, errors
    assert (found[0].path, found[0].line) == (path, line_of(files[path], at))


def test_a_file_that_does_not_belong_is_told(tmp_path: Path) -> None:
    files = example_files() | {"questions/dist/gather-time/notes.txt": "x", "concepts/old.txt": "x"}
    _, errors = read_bank(lay(tmp_path, files))
    assert [error.path for error in errors] == [
        "concepts/old.txt",
        "questions/dist/gather-time/notes.txt",
    ]


def test_a_missing_list_is_told(tmp_path: Path) -> None:
    files = example_files()
    del files["tracks.yaml"]
    _, errors = read_bank(lay(tmp_path, files))
    assert [str(error) for error in errors] == ["tracks.yaml:1: the file is missing"]


def test_a_written_text_that_no_topic_lists_is_told(tmp_path: Path) -> None:
    files = example_files()
    files["topics.yaml"] = files["topics.yaml"].replace("    - zero-fsdp", "    - comm-overlap")
    _, errors = check_folder(lay(tmp_path, files))
    assert [error.message for error in errors if error.path == CONCEPT] == [
        "add 'zero-fsdp' to the concepts of 'dist' in topics.yaml"
    ]


def test_a_concept_that_no_question_leans_on_is_a_warning(tmp_path: Path) -> None:
    files = example_files()
    files[QUESTION] = files[QUESTION].replace("  zero-fsdp: 0.9\n", "  fsdp-two: 0.9\n")
    files["planned.yaml"] = files["planned.yaml"].replace(
        "concepts:\n",
        "concepts:\n  - slug: fsdp-two\n    title: Another\n    topic: dist\n",
    )
    _, errors = check_folder(lay(tmp_path, files))
    told = [error for error in errors if error.path == CONCEPT]
    assert [(error.message, error.is_warning) for error in told] == [
        ("no question leans on this concept", True)
    ]


def _changed(tmp_path: Path, changes: dict[str, str | bytes]) -> list[str]:
    lay(tmp_path, example_files())
    for path, text in changes.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(text if isinstance(text, bytes) else text.encode())
    _, errors = read_bank(tmp_path)
    return [str(error) for error in errors]


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("topics.yaml", "slug: dist\n", "topics.yaml:1: must be a list, one entry for each topic"),
        ("topics.yaml", "- dist\n", "topics.yaml:1: topic must be a mapping of fields"),
        ("topics.yaml", "- [a\n", "topics.yaml:2: not valid YAML"),
        ("topics.yaml", "# nothing\n", "topics.yaml:1: is empty"),
        ("topics.yaml", "[" * 100, "topics.yaml:1: not valid YAML: nested more than 20 deep"),
        ("topics.yaml", "- ? [a]\n  : b\n", "topics.yaml:1: topic: a field's name must be a plain"),
        ("topics.yaml", examples()["topics.yaml"] * 2,
         "topics.yaml:9: topic 'dist' is given twice"),
        ("topics.yaml", examples()["topics.yaml"].replace("🕸️", "''"),
         "topics.yaml:3: topic: emoji: is"),
        ("topics.yaml", examples()["topics.yaml"].replace("🕸️", "[x]"), "emoji: must be a text"),
        ("topics.yaml", examples()["topics.yaml"].replace("- gather-time", "- Gather"),
         "topics.yaml:6: topic: questions: 'Gather' is not a slug"),
        ("topics.yaml", examples()["topics.yaml"].replace("- gather-time", "- g\n    - g"),
         "topics.yaml:7: topic: questions: 'g' is listed twice"),
        ("topics.yaml", examples()["topics.yaml"].replace("questions:\n    - gather-time",
         "questions: x"),
         "topics.yaml:5: topic: questions: must be a list"),
        ("tracks.yaml", "- slug: t\n  title: T\n  emoji: e\n  description: d\n  stages: []\n",
         "tracks.yaml:5: track: stages: a track needs at least one stage"),
        ("planned.yaml", examples()["planned.yaml"].replace(
            "exercises:\n", "exercises:\n  - slug: fsdp-step\n    title: Once more\n"),
         "planned.yaml:12: planned exercises: slug: 'fsdp-step' is planned twice"),
        ("facts.yaml", examples()["facts.yaml"].replace("v5p.dcn", "dcn"), "fact 'dcn': a name is"),
        ("facts.yaml", examples()["facts.yaml"].replace("'2026-12-01'", "2026-99-01"),
         "must be a day as YYYY-MM-DD"),
        ("facts.yaml", "sources: []\nfacts: {}\n",
         "facts.yaml:1: facts: sources: must be a mapping"),
        (QUESTION, b"---\n\xff\n", f"{QUESTION}:1: is not UTF-8"),
        ("questions/dist/Bad_Name/question.md", TEXT, "'Bad_Name' is not a slug"),
        ("questions/net/gather-time/question.md", TEXT, "slug 'gather-time' is taken by"),
        ("questions/dist/gather-time/diagrams/Shards.svg", "x",
         "only drawings named like-this.svg"),
        ("questions/dist/empty/diagrams/a.svg", "x",
         "questions/dist/empty/question.md:1: the file is"),
        ("concepts/zero-fsdp/notes.md", "x", "concepts/zero-fsdp/notes.md:1: does not belong here"),
        ("concepts/zero-fsdp.md", examples()["concept"].partition("## What is")[0],
         "the body is empty"),
    ],
)  # fmt: skip
def test_a_broken_file_is_told(tmp_path: Path, path: str, text: str | bytes, message: str) -> None:
    told = _changed(tmp_path, {path: text})
    assert any(message in line for line in told), told


@pytest.mark.parametrize(
    ("change", "to", "message"),
    [
        ("![Each", "Text ![Each", "a drawing stands alone in its paragraph"),
        ("![Each chip holds one shard; the gather over :ax[fsdp] takes {{ gather }}]", "![]",
         "a drawing needs a caption"),
        ("](shards.svg)", "](other.svg)", "drawing shards.svg is never shown"),
        ("```python run", "```", "a fenced block needs its language"),
        ("```python run", "```python walk", "only `python run` may follow a language"),
        (".[^links]", ".[^other]", "footnote [^other] is not defined"),
        ("  ici:  ", "  gather: {value: 1, label: x}\n  ici:  ", "is an input and a result"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_body_is_told(tmp_path: Path, change: str, to: str, message: str) -> None:
    files = example_files()
    assert change in files[QUESTION]
    files[QUESTION] = files[QUESTION].replace(change, to, 1)
    _, errors = check_folder(lay(tmp_path, files))
    assert any(message in error.message for error in errors), errors


def test_names_are_unique_over_all_sheets_of_a_text(tmp_path: Path) -> None:
    files = example_files()
    again = (
        "```sheet\ntitle: Again\ninputs:\n  chips: {value: 2, label: Chips}\n"
        "results:\n  half: {formula: chips / 2}\n```\n\n## Where"
    )
    files[QUESTION] = files[QUESTION].replace("## Where", again, 1)
    _, errors = check_folder(lay(tmp_path, files))
    found = [error for error in errors if "'chips' is already a name in this text" in error.message]
    assert [error.line for error in found] == [line_of(files[QUESTION], "  chips: {value: 2")]


def test_a_track_that_lists_a_question_twice_is_told(tmp_path: Path) -> None:
    files = example_files()
    files["tracks.yaml"] += "    - title: Again\n      questions:\n        - gather-time\n"
    _, errors = check_folder(lay(tmp_path, files))
    assert [error.message for error in errors if error.path == "tracks.yaml"] == [
        "track training-infra: 'gather-time' stands in two stages"
    ]


def test_a_topic_that_is_unknown_or_listed_elsewhere_is_told(tmp_path: Path) -> None:
    files = example_files()
    files[CONCEPT] = files[CONCEPT].replace("topic: dist", "topic: net")
    _, errors = check_folder(lay(tmp_path, files))
    told = [str(error) for error in errors if not error.is_warning]
    assert told == [
        f"{CONCEPT}:5: topic 'net' is unknown; known: dist",
        "topics.yaml:8: concepts: 'zero-fsdp' belongs to topic 'net'",
    ]


def test_a_broken_sheet_is_told_once_not_at_every_name_it_would_have_given(tmp_path: Path) -> None:
    files = example_files()
    files[QUESTION] = files[QUESTION].replace("formula: weights / chips", "formula: weights /")
    _, errors = check_folder(lay(tmp_path, files))
    assert [str(error) for error in errors if not error.is_warning] == [
        (
            f"{QUESTION}:{line_of(files[QUESTION], '  shard:')}: result shard: formula: "
            "a number, a name or '(' is expected before 'the end'"
        )
    ]
