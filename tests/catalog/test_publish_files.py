"""Files reach readers, as often as one likes, and never over an editor's work."""

import msgspec
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from questionbank.catalog import selectors, services
from questionbank.catalog.content import documents
from questionbank.catalog.content.errors import ContentErrors
from questionbank.catalog.models import Concept, Question, RankedConcept, Topic, Track
from questionbank.catalog.readers import VISITOR
from questionbank.catalog.selectors import bank as stored
from questionbank.catalog.services import Choices, Outcome, UnknownSlugError, publish_files
from questionbank.catalog.vocabulary import Tier
from tests.catalog.banks import BODY, a_bank, a_concept, a_question, numbered

pytestmark = pytest.mark.django_db


def outcomes(files: documents.Bank, **choices: set[str]) -> dict[str, Outcome]:
    """What publishing these files does, by slug."""
    chosen = Choices(
        take=frozenset(choices.get("take", ())), keep=frozenset(choices.get("keep", ()))
    )
    return {filing.slug: filing.outcome for filing in publish_files(files, choices=chosen)}


def edit(slug: str, **changes: object) -> None:
    """Do what an editor does who saves a draft and publishes it."""
    row = Question.objects.get(slug=slug)
    document = msgspec.structs.replace(stored.question_document(row), **changes)
    services.publish_question(services.save_question(document, row=row, reason="edited"))


def shown(slug: str) -> str:
    page = selectors.question_page(slug, VISITOR)
    assert page.answer is not None
    return page.answer.html


def test_what_is_published_is_read_back_as_it_was_written() -> None:
    files = a_bank([a_question(diagrams=(documents.Diagram(name="ring", svg="<svg/>\n"),))])
    publish_files(files)
    assert stored.published_bank() == files


def test_publishing_twice_writes_nothing_the_second_time() -> None:
    files = a_bank(numbered(3))
    assert set(outcomes(files).values()) == {Outcome.CREATED}
    with CaptureQueriesContext(connection) as captured:
        assert set(outcomes(files).values()) == {Outcome.UNCHANGED}
    writes = [q["sql"] for q in captured if q["sql"].startswith(("INSERT", "DELETE"))]
    assert writes == []
    assert Question.objects.get(slug="q000").history.count() == 1


def test_a_changed_file_changes_the_page() -> None:
    publish_files(a_bank([a_question()]))
    changed = a_bank([a_question(body=BODY.replace("It turns", "It spins"))])
    assert outcomes(changed)["ring-time"] is Outcome.UPDATED
    assert "It spins" in shown("ring-time")


def test_what_an_editor_changed_is_left_and_shown_as_a_difference() -> None:
    publish_files(a_bank([a_question()]))
    edit("ring-time", title="Mine")
    changed = a_bank([a_question(title="Theirs")])
    left = {filing.slug: filing for filing in publish_files(changed)}["ring-time"]
    assert left.outcome is Outcome.LEFT
    assert "-title: Mine" in left.diff.splitlines()
    assert "+title: Theirs" in left.diff.splitlines()
    assert selectors.question_page("ring-time", VISITOR).question.title == "Mine"


def test_taking_the_file_overwrites_the_edit_and_keeps_its_version() -> None:
    publish_files(a_bank([a_question()]))
    edit("ring-time", title="Mine")
    changed = a_bank([a_question(title="Theirs")])
    assert outcomes(changed, take={"ring-time"})["ring-time"] is Outcome.UPDATED
    assert selectors.question_page("ring-time", VISITOR).question.title == "Theirs"
    titles = Question.objects.get().history.values_list("title", flat=True)
    assert list(titles) == ["Theirs", "Mine", "How long does ring-time take?"]


def test_keeping_the_edit_settles_it_until_the_file_changes_again() -> None:
    publish_files(a_bank([a_question()]))
    edit("ring-time", title="Mine")
    changed = a_bank([a_question(title="Theirs")])
    assert outcomes(changed, keep={"ring-time"})["ring-time"] is Outcome.KEPT
    assert outcomes(changed)["ring-time"] is Outcome.KEPT
    again = a_bank([a_question(title="Theirs, again")])
    assert outcomes(again)["ring-time"] is Outcome.LEFT
    assert selectors.question_page("ring-time", VISITOR).question.title == "Mine"


def test_an_edit_that_reached_the_files_is_no_longer_a_difference() -> None:
    publish_files(a_bank([a_question()]))
    edit("ring-time", title="Mine")
    exported = a_bank([a_question(title="Mine")])
    assert outcomes(exported)["ring-time"] is Outcome.UNCHANGED
    assert outcomes(a_bank([a_question(title="Next")]))["ring-time"] is Outcome.UPDATED


def test_a_draft_in_progress_is_left_and_readers_see_the_last_published() -> None:
    publish_files(a_bank([a_question()]))
    row = Question.objects.get()
    draft = msgspec.structs.replace(stored.question_document(row), title="Half")
    services.save_question(draft, row=row, reason="edited")
    assert outcomes(a_bank([a_question()]))["ring-time"] is Outcome.LEFT
    assert selectors.question_page("ring-time", VISITOR).question.title.startswith("How long")


def test_an_item_whose_file_is_gone_is_taken_from_readers_and_comes_back() -> None:
    publish_files(a_bank(numbered(2)))
    gone = a_bank(numbered(1), order=["q000", "q001"])
    assert outcomes(gone)["q001"] is Outcome.REMOVED
    assert "q001" not in outcomes(gone)
    assert selectors.question_slugs() == ["q000"]
    assert outcomes(a_bank(numbered(2)))["q001"] is Outcome.RENDERED
    assert selectors.question_slugs() == ["q000", "q001"]


def test_an_edited_item_whose_file_is_gone_stays_until_resolved() -> None:
    publish_files(a_bank(numbered(2)))
    edit("q001", title="Mine")
    gone = a_bank(numbered(1), order=["q000", "q001"])
    assert outcomes(gone)["q001"] is Outcome.LEFT
    assert outcomes(gone, keep={"q001"})["q001"] is Outcome.KEPT
    assert "q001" not in outcomes(gone)
    assert selectors.question_slugs() == ["q000", "q001"]


def test_what_an_editor_unpublished_stays_unpublished() -> None:
    files = a_bank([a_question()])
    publish_files(files)
    services.withdraw(Question.objects.get())
    assert outcomes(files)["ring-time"] is Outcome.WITHDRAWN
    assert selectors.question_slugs() == []
    services.publish_question(Question.objects.get())
    assert outcomes(files)["ring-time"] is Outcome.UNCHANGED


def test_what_an_editor_made_in_the_admin_is_not_touched() -> None:
    publish_files(a_bank([a_question()]))
    services.publish_question(services.save_question(a_question("own"), reason="written"))
    assert "own" not in outcomes(a_bank([a_question()]))
    assert "own" in selectors.question_slugs()


def test_a_track_without_a_file_goes_and_a_topic_in_use_stays() -> None:
    files = a_bank([a_question()])
    publish_files(files)
    bare = msgspec.structs.replace(files, topics=(), tracks=())
    done = outcomes(bare)
    assert (done["all"], done["net"]) == (Outcome.REMOVED, Outcome.REFERRED_TO)
    assert not Track.objects.exists()
    assert Topic.objects.exists()


def test_nothing_at_all_is_published_when_one_text_is_wrong() -> None:
    bad = "```sheet\ntitle: T\ninputs: {a: {value: 1, label: A}}\nresults: {b: {formula: a +}}\n```"
    with pytest.raises(ContentErrors):
        publish_files(a_bank([a_question("good"), a_question("wrong", body=bad)]))
    assert not Question.objects.exists()
    assert not Concept.objects.exists()


@pytest.mark.parametrize(
    ("take", "keep", "said"),
    [({"nowhere"}, set(), "nowhere"), ({"ring-time"}, {"ring-time"}, "both")],
)
def test_a_choice_that_makes_no_sense_is_refused(take: set[str], keep: set[str], said: str) -> None:
    files = a_bank([a_question()])
    publish_files(files)
    with pytest.raises(UnknownSlugError, match=said):
        outcomes(files, take=take, keep=keep)


def test_a_new_figure_reaches_the_texts_that_use_it() -> None:
    def files(value: float) -> documents.Bank:
        fact = documents.Fact(
            name="v9.ici", value=value, unit="GB/s", label="ICI", source="s", source_name="S",
            date="2026-09",
        )  # fmt: skip
        question = a_question(body=BODY + "\n\nIt has {{ fact.v9.ici }}.")
        return msgspec.structs.replace(a_bank([question]), facts=(fact,))

    publish_files(files(90.0))
    assert "90" in shown("ring-time")
    assert outcomes(files(45.0))["ring-time"] is Outcome.RENDERED
    assert "45" in shown("ring-time")


class TestTiers:
    def tiers(self) -> dict[str, Tier]:
        return {q.slug: q.tier for q in selectors.topic_page("net", VISITOR).questions}

    def test_ten_are_open_ten_for_members_and_the_rest_premium(self) -> None:
        publish_files(a_bank(numbered(23)))
        assert list(self.tiers().values()) == (
            [Tier.OPEN] * 10 + [Tier.SIGNED_IN] * 10 + [Tier.PREMIUM] * 3
        )

    def test_inserting_one_never_locks_one_that_was_open(self) -> None:
        publish_files(a_bank(numbered(20, start=1)))
        before = self.tiers()
        publish_files(a_bank(numbered(21)))
        after = self.tiers()
        assert {slug: after[slug] for slug in before} == before
        assert after["q000"] is Tier.OPEN

    def test_one_added_at_the_end_gets_the_tier_of_its_place(self) -> None:
        publish_files(a_bank(numbered(20)))
        publish_files(a_bank(numbered(21)))
        assert self.tiers()["q020"] is Tier.PREMIUM

    def test_an_explicit_tier_wins_and_can_be_taken_back(self) -> None:
        publish_files(a_bank([a_question(tier=Tier.PREMIUM)]))
        assert self.tiers() == {"ring-time": Tier.PREMIUM}
        publish_files(a_bank([a_question()]))
        assert self.tiers() == {"ring-time": Tier.OPEN}

    def test_dealing_a_topic_again_is_done_on_purpose(self) -> None:
        publish_files(a_bank(numbered(20, start=1)))
        publish_files(a_bank(numbered(21)))
        assert services.redeal_topic(Topic.objects.get()) == 2
        tiers = self.tiers()
        assert (tiers["q009"], tiers["q010"]) == (Tier.OPEN, Tier.SIGNED_IN)
        assert (tiers["q019"], tiers["q020"]) == (Tier.SIGNED_IN, Tier.PREMIUM)

    def test_a_concept_is_open_unless_its_author_says_otherwise(self) -> None:
        publish_files(
            a_bank([a_question()], concepts=[a_concept(), a_concept("torus", tier=Tier.PREMIUM)])
        )
        assert selectors.concept_page("ring", VISITOR).text is not None
        assert selectors.concept_page("torus", VISITOR).text is None


def test_the_concepts_behind_a_question_are_stored_best_first() -> None:
    concepts = [a_concept(), a_concept("torus", body="A torus of ring time. " * 5)]
    publish_files(a_bank([a_question()], concepts=concepts))
    ranked = selectors.question_page("ring-time", VISITOR).concepts
    # The link alone gives the ring half of 0.5; the torus has only its words.
    assert (ranked[0].concept.slug, ranked[0].linked) == ("ring", True)
    assert [card.score for card in ranked] == sorted((c.score for c in ranked), reverse=True)


def test_a_concept_that_goes_leaves_the_ranking() -> None:
    publish_files(a_bank([a_question()]))
    services.withdraw(Concept.objects.get())
    assert not RankedConcept.objects.exists()
