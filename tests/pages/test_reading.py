"""What the pages say, and to whom."""

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse

from questionbank.accounts.models import User
from questionbank.catalog.models import PublishedQuestion, Topic, Track
from questionbank.catalog.synthetic import SyntheticBank
from questionbank.pages.views.errors import server_error

OPEN, FOR_MEMBERS, PREMIUM = (f"synthetic-question-{number:06d}" for number in (2, 12, 22))


def text_of(client: Client, path: str, status: int = 200) -> str:
    """The page with its white space evened out."""
    answer = client.get(path)
    assert answer.status_code == status, path
    return " ".join(answer.content.decode().split())


def question(slug: str) -> str:
    return reverse("question", args=[slug])


def mark(client: Client, slug: str, rating: str) -> None:
    client.post(reverse("learning:mark", args=[slug]), {"rating": rating})


def test_an_open_answer_is_there_in_full(client: Client, bank: SyntheticBank) -> None:
    page = text_of(client, question(OPEN))
    assert "canaryopen000002" in page
    assert "Scored on the number." in page
    assert "The concepts behind this question" in page


def test_a_locked_page_says_what_is_inside_and_what_opens_it(
    client: Client, bank: SyntheticBank
) -> None:
    page = text_of(client, question(FOR_MEMBERS))
    assert "A free account opens this answer" in page
    assert "<li>Part 0</li>" in page
    assert "20 answers in every topic instead of 10" in page
    # Thirty questions, ten open: twenty are closed to a visitor.
    assert "unlock all 20 remaining answers" in page
    assert "Scored on the number." not in page


def test_a_premium_page_names_the_price_and_how_much_it_opens(
    as_member: Client, bank: SyntheticBank
) -> None:
    page = text_of(as_member, question(PREMIUM))
    assert "This is a premium answer" in page
    assert "all 10 that are closed to you now" in page


def test_the_unlock_page_does_not_pretend_to_sell(client: Client, bank: SyntheticBank) -> None:
    page = text_of(client, "/unlock/")
    assert "The checkout is not open yet" in page
    assert "20 more than you can open now" in page


def test_the_topic_counts_what_is_open_and_what_opens_the_rest(
    client: Client, bank: SyntheticBank
) -> None:
    page = text_of(client, "/topics/synthetic-topic-0/")
    for said in ("10 open to you", "10 more with a free account", "10 more with the unlock"):
        assert said in page


def test_marks_and_the_place_to_go_on_are_shown(as_member: Client, bank: SyntheticBank) -> None:
    mark(as_member, "synthetic-question-000000", "solid")
    mark(as_member, "synthetic-question-000001", "shaky")
    page = text_of(as_member, "/topics/synthetic-topic-0/")
    assert "2 of 30 read" in page
    assert 'class="here"> <a class="title" href="/questions/synthetic-question-000002/"' in page
    track = text_of(as_member, "/tracks/synthetic-track/")
    assert 'href="/questions/synthetic-question-000002/?track=synthetic-track">Continue' in track


def test_up_next_skips_what_is_marked(as_member: Client, bank: SyntheticBank) -> None:
    mark(as_member, "synthetic-question-000003", "read")
    page = text_of(as_member, question(OPEN))
    coming = page.partition("Up next on your journey")[2].partition("</main>")[0]
    shown = [number for number in range(3, 8) if f"synthetic-question-00000{number}/" in coming]
    assert shown == [4, 5, 6]


def test_a_question_outside_every_track_still_leads_on(client: Client, bank: SyntheticBank) -> None:
    Track.objects.all().delete()
    page = text_of(client, question(OPEN))
    assert "synthetic-question-000003/" in page.partition("Up next on your journey")[2]


def test_progress_adds_up(as_member: Client, bank: SyntheticBank) -> None:
    for number, rating in enumerate(["solid", "solid", "shaky", "read"]):
        mark(as_member, f"synthetic-question-00000{number}", rating)
    page = text_of(as_member, "/progress/")
    for said in ("4 of 30 read", "2 solid", "1 shaky", "Continue here"):
        assert said in page


def test_signing_in_from_a_page_leads_back_to_it(client: Client, bank: SyntheticBank) -> None:
    link = f'href="{reverse("account_login")}?next='
    assert f"{link}{question(OPEN)}" in text_of(client, question(OPEN))
    assert link not in text_of(client, "/account/signup/")


def test_own_pages_ask_a_visitor_to_sign_in_and_come_back(client: Client, db: None) -> None:
    for path in ("/progress/", "/bookmarks/", "/styleguide/"):
        assert client.get(path)["Location"] == f"/account/login/?next={path}"


def test_the_style_guide_is_for_editors(as_member: Client, bank: SyntheticBank) -> None:
    assert "for editors" in text_of(as_member, "/styleguide/", status=403)


@pytest.mark.parametrize(
    "path",
    [
        "/topics/none/", "/tracks/none/", "/questions/none/", "/concepts/none/", "/none/",
        "/questions/none", "/questions/%00/", "/questions/../admin", "/topics/synthetic-topic-0/x",
    ],
)  # fmt: skip
def test_an_unknown_address_is_a_page_with_a_way_on(
    path: str, client: Client, bank: SyntheticBank
) -> None:
    answer = client.get(path, follow=True)
    assert answer.status_code == 404
    assert "Nothing is at this address" in answer.content.decode()


def test_an_unpublished_question_is_an_unknown_address(client: Client, bank: SyntheticBank) -> None:
    PublishedQuestion.objects.filter(question__slug=OPEN).delete()
    assert client.get(question(OPEN)).status_code == 404


@pytest.mark.parametrize("path", ["/", "/topics/", "/tracks/", "/concepts/", "/search/"])
def test_an_empty_bank_is_said_to_be_empty(path: str, client: Client, db: None) -> None:
    page = text_of(client, path)
    assert "None" not in page


def test_own_pages_say_how_to_begin(as_member: Client, db: None) -> None:
    assert "You have marked nothing yet" in text_of(as_member, "/progress/")
    assert "You keep nothing yet" in text_of(as_member, "/bookmarks/")


def test_a_topic_with_nothing_written_says_so(client: Client, db: None) -> None:
    Topic.objects.create(
        slug="bare", title="Bare", emoji="🧪", description="Nothing.", position=1,
        question_order=["one", "two"],
    )  # fmt: skip
    assert "No answer of this topic is published yet; 2 are planned" in text_of(
        client, "/topics/bare/"
    )


def test_bookmarks_show_the_note_as_text(
    as_member: Client, bank: SyntheticBank, member: User
) -> None:
    address = reverse("learning:note", args=[OPEN])
    as_member.post(address, {"note": "<script>x</script>\nsecond line"})
    page = text_of(as_member, "/bookmarks/")
    assert "&lt;script&gt;x&lt;/script&gt;<br>second line" in page


def test_a_note_that_is_too_long_comes_back_with_the_reason(
    as_member: Client, bank: SyntheticBank
) -> None:
    answer = as_member.post(reverse("learning:note", args=[OPEN]), {"note": "n" * 2001})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "n" * 2001 in page
    assert "Your note was not saved yet" in page


def test_a_line_end_counts_as_one_character_of_a_note(
    as_member: Client, bank: SyntheticBank, member: User
) -> None:
    # 1,999 characters in the browser, which sends each of the 999 line ends as two.
    lines = "\r\n".join(["n"] * 1000)
    answer = as_member.post(reverse("learning:note", args=[OPEN]), {"note": lines})
    assert answer.status_code == 302
    assert member.bookmarks.get().note == "\n".join(["n"] * 1000)


def test_a_form_that_brings_no_note_leaves_the_one_that_is_there(
    as_member: Client, bank: SyntheticBank, member: User
) -> None:
    address = reverse("learning:note", args=[OPEN])
    as_member.post(address, {"note": "kept"})
    answer = as_member.post(address, "{}", content_type="application/json")
    assert answer.status_code == 422
    assert member.bookmarks.get().note == "kept"


@pytest.mark.parametrize(
    "wanted", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_a_form_never_leads_to_another_site(
    wanted: str, as_member: Client, bank: SyntheticBank
) -> None:
    address = reverse("learning:keep", args=[OPEN])
    assert as_member.post(address, {"next": wanted})["Location"] == question(OPEN)
    secret = {"login": "member@example.org", "password": "a long enough secret"}
    signed_in = Client().post("/account/login/", {**secret, "next": wanted})
    assert (signed_in.status_code, signed_in["Location"]) == (302, "/")


def test_a_removed_bookmark_can_be_had_back_without_scripts(
    as_member: Client, bank: SyntheticBank
) -> None:
    as_member.post(reverse("learning:keep", args=[OPEN]))
    removed = as_member.post(
        reverse("learning:remove", args=[OPEN]), {"next": "/bookmarks/"}, follow=True
    )
    page = removed.content.decode()
    assert f'action="{reverse("learning:keep", args=[OPEN])}"' in page
    assert "Undo" in page


def test_a_form_without_its_token_is_refused_in_words(bank: SyntheticBank, member: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(member)
    answer = strict.post(reverse("learning:keep", args=[OPEN]))
    assert answer.status_code == 403
    assert "The form was too old to be taken" in answer.content.decode()


def test_feed_and_sitemap_list_what_is_open_and_nothing_else(
    client: Client, bank: SyntheticBank
) -> None:
    for path in ("/feed.xml", "/sitemap.xml"):
        listed = text_of(client, path)
        assert question(OPEN) in listed
        assert FOR_MEMBERS not in listed
        assert PREMIUM not in listed


def test_robots_are_told_where_the_sitemap_is(client: Client, db: None) -> None:
    rules = client.get("/robots.txt").content.decode().splitlines()
    assert "Disallow: /search/" in rules
    assert "Sitemap: http://testserver/sitemap.xml" in rules


def test_search_says_what_it_found_and_what_it_did_not(client: Client, bank: SyntheticBank) -> None:
    assert "<mark>ring</mark>" in text_of(client, "/search/?q=ring")
    assert "Did you mean" in text_of(client, "/search/?q=sinthetic")
    nothing = text_of(client, "/search/?q=%3Cscript%3E")
    assert "Nothing matches" in nothing
    assert "<script>" not in nothing.partition("<main")[2]
    assert client.get("/search/", {"q": 'C++ ( " \x00' + "x" * 5000}).status_code == 200


def test_a_server_error_asks_nothing_of_the_database(client: Client) -> None:
    answer = server_error(RequestFactory().get("/"))
    assert answer.status_code == 500
    assert b"Something of ours broke" in answer.content
