"""A visitor's page may be kept, nobody else's: two readers never get each other's."""

import gzip

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from questionbank.accounts.models import User
from questionbank.catalog.models import PublishedQuestion
from questionbank.catalog.synthetic import SyntheticBank

PRIVATE = "private, no-store"


def test_a_visitors_page_is_kept_and_says_what_it_varies_on(
    client: Client, bank: SyntheticBank
) -> None:
    first = client.get("/topics/")
    assert first["Cache-Control"].startswith("public")
    assert {"Cookie", "HX-Request"} <= {part.strip() for part in first["Vary"].split(",")}
    PublishedQuestion.objects.all().delete()
    assert client.get("/topics/").content == first.content


def test_a_visitor_who_has_the_page_already_gets_no_body(
    client: Client, bank: SyntheticBank
) -> None:
    etag = client.get("/topics/")["ETag"]
    again = client.get("/topics/", headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")


def test_a_kept_page_is_sent_compressed_to_those_who_take_it(
    client: Client, bank: SyntheticBank
) -> None:
    plain = client.get("/topics/")
    packed = client.get("/topics/", headers={"Accept-Encoding": "br, gzip"})
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    refused = client.get("/topics/", headers={"Accept-Encoding": "gzip;q=0, br"})
    assert "Content-Encoding" not in refused
    assert refused.content == plain.content


def test_a_member_is_never_given_the_kept_page_and_leaves_none(
    client: Client, as_member: Client, bank: SyntheticBank, member: User
) -> None:
    address = reverse("question", args=["synthetic-question-000012"])
    for_visitor = client.get(address)
    for_member = as_member.get(address)
    assert b"canary" not in for_visitor.content
    assert b"canarysignedin000012" in for_member.content
    assert for_member["Cache-Control"] == PRIVATE
    assert client.get(address).content == for_visitor.content


def test_a_member_who_comes_first_leaves_nothing_for_the_visitor(
    client: Client, as_member: Client, bank: SyntheticBank
) -> None:
    address = reverse("question", args=["synthetic-question-000012"])
    assert b"canary" in as_member.get(address).content
    assert b"canary" not in client.get(address).content


def test_two_members_see_their_own_marks_only(
    as_member: Client, bank: SyntheticBank, premium: User
) -> None:
    other = Client()
    other.force_login(premium)
    slug = "synthetic-question-000001"
    as_member.post(reverse("learning:mark", args=[slug]), {"rating": "solid"})
    mine, theirs = as_member.get("/progress/"), other.get("/progress/")
    assert b"1 solid" in mine.content
    assert b"1 solid" not in theirs.content
    assert mine["Cache-Control"] == theirs["Cache-Control"] == PRIVATE


def test_signing_out_gives_the_visitors_page_again(
    client: Client, as_member: Client, bank: SyntheticBank
) -> None:
    for_visitor = client.get("/").content
    assert as_member.get("/").content != for_visitor
    as_member.post(reverse("account_logout"))
    as_member.get("/topics/")  # shows the farewell, which is this reader's own
    assert as_member.get("/").content == for_visitor


def test_an_address_with_a_query_is_not_kept(client: Client, bank: SyntheticBank) -> None:
    for number in range(3):
        client.get(f"/topics/?n={number}")
    assert cache.get_many(list(getattr(cache, "_cache", {}))) == {}
    assert client.get("/topics/?n=1")["Cache-Control"] == PRIVATE


def test_a_page_with_a_form_of_the_visitors_own_is_not_kept(client: Client, db: None) -> None:
    assert "no-store" in client.get("/account/login/")["Cache-Control"]


@pytest.mark.parametrize("path", ["/progress/", "/bookmarks/", "/search/?q=ring", "/nowhere/"])
def test_a_page_of_ones_own_is_never_kept(
    path: str, as_member: Client, bank: SyntheticBank
) -> None:
    assert as_member.get(path)["Cache-Control"] == PRIVATE


@pytest.mark.parametrize(
    "path",
    [
        "/account/",
        "/account/email/",
        "/account/password/change/",
        "/account/delete/",
        "/account/confirm-email/",
        "/topics",  # sent on to the address with a slash
    ],
)
def test_what_says_nothing_of_caches_is_kept_by_none(
    path: str, client: Client, member: User
) -> None:
    client.force_login(member)
    assert "no-store" in client.get(path)["Cache-Control"]


@pytest.mark.parametrize("path", ["/feed.xml", "/sitemap.xml", "/robots.txt"])
def test_what_is_the_same_for_everyone_may_be_kept_by_all(
    path: str, client: Client, bank: SyntheticBank, member: User
) -> None:
    visitors = client.get(path)
    client.force_login(member)
    assert client.get(path).content == visitors.content
    assert "public" in visitors["Cache-Control"]
