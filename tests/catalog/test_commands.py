"""The two commands, on the content that is committed and on a folder of one's own."""

from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from questionbank.catalog import selectors
from questionbank.catalog.content.reading import read_bank
from questionbank.catalog.content.writing import write_bank
from questionbank.catalog.models import Question, Topic
from questionbank.catalog.readers import VISITOR
from questionbank.catalog.services import save_question, withdraw
from questionbank.catalog.synthetic import SyntheticBank
from tests.catalog.banks import BODY, a_bank, a_concept, a_question

pytestmark = pytest.mark.django_db


def run(command: str, *arguments: str) -> str:
    out = StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue()


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A content folder with one question and two concepts."""
    files = a_bank([a_question()], concepts=[a_concept(), a_concept("torus")])
    write_bank(files, tmp_path / "content")
    return tmp_path / "content"


def test_the_committed_content_comes_back_byte_for_byte(tmp_path: Path) -> None:
    run("publish_content")
    exported = tmp_path / "exported"
    run("export_content", str(exported))
    written = files_in(exported)
    committed = files_in(settings.CONTENT_ROOT)
    assert written == {path: committed[path] for path in written}
    questions = {path for path in committed if path.startswith("questions/")}
    assert questions <= written.keys()
    assert "unchanged" in run("publish_content", str(exported))
    again = tmp_path / "again"
    run("export_content", str(again))
    assert files_in(again) == written


def test_what_was_published_is_counted_in_a_table(folder: Path) -> None:
    report = run("publish_content", str(folder))
    created = next(line for line in report.splitlines() if "created" in line)
    assert [cell.strip() for cell in created.strip("│").split("│")] == [
        "created",
        "1",
        "1",
        "2",
        "1",
    ]


def test_an_edit_is_shown_as_a_difference_and_resolved_by_its_slug(folder: Path) -> None:
    run("publish_content", str(folder))
    save_question(a_question(title="Mine"), row=Question.objects.get(), reason="edited")
    report = run("publish_content", str(folder))
    assert "question ring-time: edited in the admin" in report
    assert "-title: Mine" in report
    assert "--take-files SLUG" in report
    assert "kept as edited" in run("publish_content", str(folder), "--keep-edits", "ring-time")
    assert "-title: Mine" not in run("publish_content", str(folder))
    run("publish_content", str(folder), "--take-files", "ring-time")
    assert Question.objects.get().title == a_question().title


def test_a_long_line_of_a_difference_is_shown_whole(folder: Path) -> None:
    run("publish_content", str(folder))
    summary = "How long, " + "very " * 40 + "long is it?"
    save_question(a_question(summary=summary), row=Question.objects.get(), reason="edited")
    report = run("publish_content", str(folder))
    removed = [line[1:].strip() for line in report.splitlines() if line.startswith("-")]
    assert summary in " ".join(removed)


def test_wrong_files_publish_nothing_and_every_mistake_is_told(folder: Path) -> None:
    file = folder / "questions/net/ring-time/question.md"
    text = file.read_text().replace(BODY, BODY.replace("It turns.", "{{ nowhere }}"))
    file.write_text(text.replace("level: Core", "level: Easy"))
    (folder / "concepts/ring.md").write_text("nothing")
    with pytest.raises(CommandError) as raised:
        run("publish_content", str(folder))
    told = str(raised.value)
    assert "nothing was published" in told
    assert f"{folder}/questions/net/ring-time/question.md:5: " in told
    assert f"{folder}/concepts/ring.md:1: " in told
    assert not Topic.objects.exists()


def test_an_unknown_slug_is_told(folder: Path) -> None:
    with pytest.raises(CommandError, match="has the slug 'nowhere'"):
        run("publish_content", str(folder), "--take-files", "nowhere")


def test_an_empty_database_overwrites_nothing(folder: Path) -> None:
    before = files_in(folder)
    with pytest.raises(CommandError, match="publish_content first"):
        run("export_content", str(folder))
    assert files_in(folder) == before


def test_what_editors_published_reaches_the_files_and_their_drafts_do_not(
    folder: Path, tmp_path: Path
) -> None:
    run("publish_content", str(folder))
    save_question(a_question(title="Half a draft"), row=Question.objects.get(), reason="edited")
    run("export_content", str(tmp_path / "exported"))
    bank, errors = read_bank(tmp_path / "exported")
    assert (errors, bank.questions[0].title) == ([], a_question().title)


def test_a_synthetic_bank_is_a_bank_like_any_other(thirty_questions: SyntheticBank) -> None:
    withdraw(Question.objects.get(slug="synthetic-question-000003"))
    assert selectors.unlock_counts(VISITOR).written == 29
    assert selectors.question_page("synthetic-question-000004", VISITOR).concepts
