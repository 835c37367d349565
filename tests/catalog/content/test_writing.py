"""Export: the same bytes each time, and what is written reads back the same."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from questionbank.catalog.content.documents import (
    Bank,
    Concept,
    ConceptLink,
    Level,
    Question,
    Source,
    Tier,
)
from questionbank.catalog.content.reading import parse_concept, parse_question, read_bank
from questionbank.catalog.content.report import main
from questionbank.catalog.content.writing import (
    bank_files,
    concept_text,
    question_text,
    write_bank,
)
from tests.catalog.content.conftest import CONTENT
from tests.catalog.content.texts import CONCEPT, QUESTION, example_files, examples, lay

BODY = examples()["question"].partition("---\n\n")[2].rstrip()

_lines = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1
).map(lambda text: " ".join(text.split())).filter(bool)  # fmt: skip
_slugs = st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)?", fullmatch=True)


def test_every_committed_file_is_written_back_byte_for_byte(tmp_path: Path) -> None:
    bank, errors = read_bank(CONTENT)
    assert errors == []
    write_bank(bank, tmp_path)
    written = {file.relative_to(tmp_path) for file in tmp_path.rglob("*") if file.is_file()}
    committed = {
        file.relative_to(CONTENT)
        for kind in ("questions", "concepts")
        for file in (CONTENT / kind).rglob("*")
        if file.is_file()
    } | {Path(name) for name in ("topics.yaml", "tracks.yaml", "facts.yaml", "planned.yaml")}
    assert written == committed
    for path in committed:
        assert (tmp_path / path).read_bytes() == (CONTENT / path).read_bytes(), path


def test_an_export_reads_back_to_the_same_files(tmp_path: Path) -> None:
    bank, _ = read_bank(lay(tmp_path / "one", example_files()))
    write_bank(bank, tmp_path / "two")
    again, errors = read_bank(tmp_path / "two")
    assert errors == []
    assert bank_files(again) == bank_files(bank) == example_files()


@given(
    title=_lines,
    points=st.lists(_lines, min_size=4, max_size=7),
    links=st.dictionaries(
        _slugs, st.floats(0, 1).map(lambda w: round(w, 3)), min_size=2, max_size=5
    ),
    source=st.builds(Source, title=_lines, taken=_lines),
    tier=st.sampled_from([None, *Tier]),
)
def test_any_question_reads_back_as_it_was(
    title: str, points: list[str], links: dict[str, float], source: Source, tier: Tier | None
) -> None:
    question = Question(
        slug="q", title=title, summary=title, topic="dist", level=Level.ADVANCED, tier=tier,
        updated="2026-12", concepts=tuple(ConceptLink(*pair) for pair in links.items()),
        exercises=("fsdp-step",), sources=(source,), editor_note=tuple(points), body=BODY,
    )  # fmt: skip
    text = question_text(question)
    read, errors = parse_question(text, "q.md", slug="q")
    assert errors == []
    assert read is not None
    assert (read.title, read.concepts, read.editor_note) == (
        title,
        question.concepts,
        tuple(points),
    )
    assert (read.tier, read.sources, read.body) == (tier, (source,), BODY)
    assert question_text(read) == text


@given(breath=_lines)
def test_any_concept_reads_back_as_it_was(breath: str) -> None:
    concept = Concept(
        slug="c", title=breath, summary=breath, topic="dist", level=Level.CORE, updated="2026-12",
        breath=breath, body="## One\n\ntext",
    )  # fmt: skip
    read, errors = parse_concept(concept_text(concept), "c.md", slug="c")
    assert errors == []
    assert read is not None
    assert (read.title, read.breath, read.body) == (breath, breath, "## One\n\ntext")


def test_write_brings_files_into_form_and_spares_what_it_could_not_read(tmp_path: Path) -> None:
    files = example_files()
    files[QUESTION] = files[QUESTION].replace("level: Core\n", "").replace(
        "topic: dist\n", "topic: dist\nlevel: 'Core'\n"
    )  # fmt: skip
    files[CONCEPT] = files[CONCEPT].replace("level: Core", "level: None")
    files["tracks.yaml"] = files["tracks.yaml"].replace("title: Sharding", "titel: Sharding")
    lay(tmp_path, files)
    assert main([str(tmp_path), "--write"]) == 1
    assert (tmp_path / QUESTION).read_text() == example_files()[QUESTION]
    assert (tmp_path / CONCEPT).read_text() == files[CONCEPT]
    assert (tmp_path / "tracks.yaml").read_text() == files["tracks.yaml"]


def test_an_empty_bank_is_written_and_read(tmp_path: Path) -> None:
    write_bank(Bank(), tmp_path)
    bank, errors = read_bank(tmp_path)
    assert bank == Bank()
    assert errors == []
