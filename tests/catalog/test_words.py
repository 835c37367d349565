"""The words that search works with: expected values are from the English language."""

import pytest

from questionbank.catalog.search.snippets import SNIPPET_WORDS, marked, snippet
from questionbank.catalog.search.suggestion import distance
from questionbank.catalog.search.words import Term, parse_query, stem_of, words_in


@pytest.mark.parametrize(
    "family",
    [
        ("shard", "shards", "sharded", "sharding"),
        ("cache", "caches", "cached", "caching"),
        ("copy", "copies", "copied"),
        ("quantize", "quantise", "quantized", "quantising", "quantization", "quantisation"),
        ("batch", "batching", "batched"),
        ("overlap", "overlaps", "overlapping", "overlapped"),
        ("collective", "collectives"),
        ("loss", "losses"),
    ],
)
def test_the_forms_of_a_word_have_one_stem(family: tuple[str, ...]) -> None:
    assert len({stem_of(word) for word in family}) == 1


@pytest.mark.parametrize(
    "pair", [("ring", "rings_"), ("bus", "bu"), ("mass", "mas"), ("v5p", "v5")]
)
def test_other_words_keep_apart(pair: tuple[str, str]) -> None:
    assert stem_of(pair[0]) != stem_of(pair[1])


def test_words_know_where_they_stand() -> None:
    text = "C++ beats “naïve” C#, v5p at 2×"
    assert [(text[word.start : word.end], word.plain) for word in words_in(text)] == [
        ("C++", "cplusplus"),
        ("beats", "beats"),
        ("naïve", "naive"),
        ("C#", "csharp"),
        ("v5p", "v5p"),
        ("at", "at"),
        ("2", "2"),
    ]


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("how do rings work", (Term(("ring",)), Term(("work",), is_prefix=True))),
        ('"ring all" x', (Term(("ring", "all")), Term(("x",)))),
        ("how is it", (Term(("how",)), Term(("is",)), Term(("it",)))),
        ('unclosed "ring', (Term(("unclos",)), Term(("ring",), is_prefix=True))),
        ("ring ring", (Term(("ring",)), Term(("ring",), is_prefix=True))),
        ('""', ()),
    ],
)
def test_a_query_becomes_terms(query: str, terms: tuple[Term, ...]) -> None:
    assert parse_query(query) == terms


def test_a_mark_stands_around_each_form_and_around_nothing_else() -> None:
    terms = parse_query("shard x")
    assert marked("Sharded & <x>", terms) == "<mark>Sharded</mark> &amp; &lt;<mark>x</mark>&gt;"


def test_a_snippet_holds_the_stretch_with_most_terms() -> None:
    text = "red " + "filler " * 100 + "red blue " + "filler " * 100
    shown = snippet(text, parse_query("red blue"))
    assert "<mark>red</mark> <mark>blue</mark>" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown.replace("… ", "").replace(" …", "").split()) == SNIPPET_WORDS


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [("mesh", "mesh", 0), ("mehs", "mesh", 1), ("mes", "mesh", 1), ("kitten", "sitting", 3)],
)
def test_distance_counts_slips(one: str, other: str, apart: int) -> None:
    assert distance(one, other) == apart
