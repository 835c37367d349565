"""One suite for both databases: which one runs it, DATABASE_URL decides."""

from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from questionbank.catalog.models import Question, SearchWord, Topic
from questionbank.catalog.readers import VISITOR, Reader
from questionbank.catalog.search import search
from questionbank.catalog.services import publish_files, redeal_topic, withdraw
from questionbank.catalog.synthetic import SyntheticBank
from questionbank.catalog.vocabulary import OpenedBy, Tier
from tests.catalog.banks import a_bank, a_concept, a_question
from tests.catalog.conftest import MEMBER, PREMIUM, STAFF

pytestmark = pytest.mark.django_db


def brief(text: str) -> str:
    """A body that says this."""
    return f"## In brief\n\n{text}\n\n## Why\n\nBecause."


QUESTIONS = (
    a_question("in-title", title="What does an all-gather cost?"),
    a_question("in-summary", summary="The price of one all-gather on a torus."),
    a_question("in-body", body=brief("First comes an all-gather, then " + "nothing much " * 40)),
    a_question("cpp", title="When is C++ the right tool?"),
    a_question("c", title="When is C the right tool?"),
    a_question("sharding", title="Sharding annotations over named meshes"),
    a_question("apart", body=brief("The gather of all things.")),
    a_question("paid", tier=Tier.PREMIUM, body=brief("The zyzzyva is a weevil in an all-gather.")),
    a_question("member", tier=Tier.SIGNED_IN, body=brief("The quokka smiles.")),
    a_question("markup", title="Is <b>1 < 2</b> & so on?", body=brief("Tags such as `<script>`.")),
)


@pytest.fixture(scope="module")
def published(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The questions above and two concepts, published once for the module."""
    torus = a_concept("torus", title="Torus topology", body="Wrap-around links of an ibex.")
    with django_db_blocker.unblock(), transaction.atomic():
        publish_files(a_bank(QUESTIONS, concepts=[a_concept(), torus]))
        yield
        transaction.set_rollback(True)


def slugs(query: str, reader: Reader = VISITOR, limit: int = 20) -> list[str]:
    return [hit.slug for hit in search(query, reader=reader, limit=limit).hits]


def test_title_counts_before_summary_before_text(published: None) -> None:
    assert slugs('"all-gather"') == ["in-title", "in-summary", "in-body"]


def test_all_words_must_be_there_in_any_order(published: None) -> None:
    assert slugs("torus price") == ["in-summary"]
    assert slugs("torus weevil") == []


def test_a_quoted_phrase_stands_side_by_side(published: None) -> None:
    assert "apart" in slugs("all gather")
    assert "apart" not in slugs('"all gather"')


def test_a_phrase_does_not_span_title_and_summary(published: None) -> None:
    # "… an all-gather cost?" is followed by the summary "About in-title."
    assert slugs('"cost about"') == []


@pytest.mark.parametrize("query", ["shard", "shards", "sharded", "annotation mesh", "Sharding"])
def test_other_forms_of_a_word_are_found(published: None, query: str) -> None:
    assert slugs(query)[0] == "sharding"


def test_the_last_word_may_be_half_typed(published: None) -> None:
    assert "sharding" in slugs("named annot")
    assert slugs("annot named") == []


def test_concepts_are_found_too(published: None) -> None:
    hits = search("topology", reader=VISITOR).hits
    assert [(hit.kind, hit.slug) for hit in hits] == [("concept", "torus")]


def test_c_plus_plus_is_not_c(published: None) -> None:
    assert slugs("C++ (") == ["cpp"]
    assert slugs("right tool C") == ["c"]


@pytest.mark.parametrize(
    "query",
    [
        "", " ", '"', '""', "*", "(", ")", "()", "- -", "a:b", "title:x", "NEAR(a b)", "AND", "_",
        "OR NOT", "all NOT gather", "{title} : x", "^x", "x*", "'", "'; DROP TABLE x; --", "\\",
        "%", "\0", "gather\0", "&", "|", "!", "<->", "x:*", "🧩", "ﬁ ² ½ ß İ", "\ud7ff", "日本語",
        "a" * 10_000, '"' * 10_000, "gather " * 1_500, "\u202e", "é\u0301\u0301",
    ],
)  # fmt: skip
@pytest.mark.parametrize("reader", [VISITOR, STAFF])
def test_no_query_does_harm(published: None, query: str, reader: Reader) -> None:
    result = search(query, reader=reader)
    assert len(result.query) <= 200


def test_a_snippet_marks_the_hits_and_escapes_the_rest(published: None) -> None:
    hit = search("so tags", reader=VISITOR).hits[0]
    assert hit.title_html == "Is &lt;b&gt;1 &lt; 2&lt;/b&gt; &amp; so on?"
    assert "<mark>Tags</mark> such as &lt;script&gt;" in hit.snippet_html


def test_a_snippet_of_a_long_text_shows_where_the_hit_is(published: None) -> None:
    snippet = next(h for h in search("gather", reader=VISITOR).hits if h.slug == "in-body")
    assert "<mark>gather</mark>" in snippet.snippet_html
    assert snippet.snippet_html.endswith(" …")
    assert len(snippet.snippet_html) < 400


@pytest.mark.parametrize(
    ("word", "slug", "finders"),
    [("quokka", "member", (MEMBER, PREMIUM, STAFF)), ("zyzzyva", "paid", (PREMIUM, STAFF))],
)
def test_a_locked_text_is_found_only_by_those_who_may_open_it(
    published: None, word: str, slug: str, finders: tuple[Reader, ...]
) -> None:
    for reader in (VISITOR, MEMBER, PREMIUM, STAFF):
        result = search(word, reader=reader)
        assert [hit.slug for hit in result.hits] == ([slug] if reader in finders else [])
        assert (word in repr(result.hits)) == (reader in finders)


def test_a_locked_question_is_found_by_its_title_and_says_what_opens_it(published: None) -> None:
    hit = search("How long does paid take", reader=MEMBER).hits[0]
    assert (hit.slug, hit.opened_by) == ("paid", OpenedBy.UNLOCK)
    assert hit.snippet_html == "About <mark>paid</mark>."


@pytest.mark.parametrize(
    ("query", "suggestion"),
    [
        ("shardnig", "sharding"),
        ("anotations", "annotations"),
        ("named mehses", "named meshes"),
        ("topolgy", "topology"),
        ("xqzvw", None),
    ],
)
def test_a_near_miss_is_suggested(published: None, query: str, suggestion: str | None) -> None:
    result = search(query, reader=VISITOR)
    assert (result.hits, result.suggestion) == ((), suggestion)


@pytest.mark.parametrize("near", ["zyzyva", "quoka", "wevil"])
@pytest.mark.parametrize("reader", [VISITOR, STAFF])
def test_a_suggestion_never_tells_what_a_locked_text_says(
    published: None, near: str, reader: Reader
) -> None:
    assert search(near, reader=reader).suggestion is None


def test_no_canary_of_a_locked_answer_is_a_word_to_suggest(
    thirty_questions: SyntheticBank,
) -> None:
    words = set(SearchWord.objects.values_list("word", flat=True))
    assert "chips" in words
    for tier in (Tier.SIGNED_IN, Tier.PREMIUM):
        for canary in thirty_questions.canaries[tier]:
            assert canary not in words
            assert slugs(canary) == []
            assert slugs(canary, STAFF) != []


def test_what_was_withdrawn_is_not_found(published: None) -> None:
    withdraw(Question.objects.get(slug="sharding"))
    assert slugs("annotations") == []
    assert search("anotations", reader=VISITOR).suggestion is None


def test_what_was_open_and_is_locked_now_is_forgotten(db: None) -> None:
    filler = [a_question(f"f{number:02d}") for number in range(10)]
    last = a_question("late", body=brief("An ocelot."))
    publish_files(a_bank([last]))
    assert slugs("ocelot") == ["late"]
    publish_files(a_bank([*filler, last]))
    assert slugs("ocelot") == ["late"]
    redeal_topic(Topic.objects.get())
    assert slugs("ocelot") == []
    assert search("ocelto", reader=VISITOR).suggestion is None
    assert slugs("ocelot", MEMBER) == ["late"]


def test_a_search_asks_few_queries(published: None) -> None:
    for query, most in (("gather", 5), ("topolgy", 6)):
        with CaptureQueriesContext(connection) as captured:
            search(query, reader=VISITOR)
        assert len(captured) <= most


def test_a_search_says_when_it_found_more_than_it_shows(thirty_questions: SyntheticBank) -> None:
    assert search("synthetic question", reader=VISITOR, limit=20).has_more
    assert not search("synthetic question", reader=VISITOR, limit=30).has_more
