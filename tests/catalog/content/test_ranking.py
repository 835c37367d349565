"""The ranking on a bank so small that it can be worked by hand."""

import math

import pytest

from questionbank.catalog.content.documents import Bank, Concept, ConceptLink, Level, Question
from questionbank.catalog.content.ranking import rank_concepts, terms


def _concept(slug: str, title: str, summary: str = "", body: str = "") -> Concept:
    return Concept(
        slug=slug, title=title, summary=summary, body=body, breath="b", topic="t",
        level=Level.CORE, updated="2026-12",
    )  # fmt: skip


def _question(links: dict[str, float], title: str, summary: str = "", body: str = "") -> Question:
    concepts = tuple(ConceptLink(*pair) for pair in links.items())
    return Question(
        slug="q", title=title, summary=summary, body=body, topic="t", level=Level.CORE,
        updated="2026-12", editor_note=(), concepts=concepts,
    )  # fmt: skip


def test_the_scores_are_those_worked_by_hand() -> None:
    """Three documents. Question: "gather" in the title, "ring" in the body: counts 3 and 1.

    Concept a: "gather" in the title: count 3. Concept b: "ring" in the summary: count 2.
    "gather" stands in 2 of 3 documents, and so does "ring": both weigh ln(4/3) + 1 = w.
    The vectors are w(3, 1), w(3, 0), w(0, 2); cosines 3/sqrt(10) and 1/sqrt(10).
    b is linked with weight 0.9: + 0.45. So a 0.949, b 0.316 + 0.45 = 0.766.
    """
    bank = Bank(
        questions=(_question({"b": 0.9}, "Gather", body="ring"),),
        concepts=(_concept("a", "Gather"), _concept("b", "of the", "Ring")),
    )
    ranked = rank_concepts(bank)["q"]
    assert [r.slug for r in ranked] == ["a", "b"]
    assert [r.score for r in ranked] == pytest.approx([3 / math.sqrt(10), 1 / math.sqrt(10) + 0.45])


def test_a_rare_word_says_more_than_a_common_one() -> None:
    """Question "gather shard"; concept a shares "gather", b shares "shard", c and d too.

    "shard" stands in four of five documents, "gather" in two: a is the closest.
    Of b, c, d, all with one shared word and one of their own, slugs decide.
    """
    bank = Bank(
        questions=(_question({}, "Gather shard"),),
        concepts=(
            _concept("d", "Shard delta"),
            _concept("c", "Shard gamma"),
            _concept("b", "Shard beta"),
            _concept("a", "Gather alpha"),
        ),
    )
    assert [r.slug for r in rank_concepts(bank)["q"]] == ["a", "b", "c", "d"]


def test_six_are_shown_and_a_linked_one_is_never_absent() -> None:
    """Eight concepts share the question's only word and outrank the ninth, which shares nothing.

    The ninth is linked, at weight 0: it takes the place of the weakest of the six.
    """
    closest = tuple(_concept(f"near-{n}", "Gather") for n in range(8))
    bank = Bank(
        questions=(_question({"far": 0.0}, "Gather"),), concepts=(*closest, _concept("far", "Disk"))
    )
    assert [r.slug for r in rank_concepts(bank)["q"]] == [
        "near-0", "near-1", "near-2", "near-3", "near-4", "far",
    ]  # fmt: skip


def test_a_link_to_a_concept_that_is_not_written_is_left_out() -> None:
    bank = Bank(
        questions=(_question({"planned": 1.0}, "Gather"),), concepts=(_concept("a", "Gather"),)
    )
    assert [r.slug for r in rank_concepts(bank)["q"]] == ["a"]


def test_the_order_of_documents_does_not_matter() -> None:
    concepts = [_concept(f"c{n}", "Gather ring", "mesh shard", "ring " * n) for n in range(7)]
    question = _question({"c3": 0.4}, "Gather a mesh", "ring", "shard shard")
    forward = rank_concepts(Bank(questions=(question,), concepts=tuple(concepts)))
    backward = rank_concepts(Bank(questions=(question,), concepts=tuple(reversed(concepts))))
    assert forward == backward


def test_the_words_of_a_sheet_do_not_count() -> None:
    sheet = "```sheet\ntitle: Gather\n```"
    bank = Bank(
        questions=(_question({}, "Ring", body=sheet),),
        concepts=(_concept("a", "Gather", body=sheet), _concept("b", "Ring")),
    )
    assert [r.score for r in rank_concepts(bank)["q"]] == pytest.approx([1.0, 0.0])


def test_terms_drop_placeholders_plurals_and_common_words() -> None:
    assert terms("The gathers of {{ weights }} across all_axes: 3 passes") == [
        "gather", "across", "all_axe", "passe",
    ]  # fmt: skip
