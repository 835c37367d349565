"""Locked text is sent to nobody: every address, in every role, is read for what it may not hold.

Each locked answer of the bank carries a word of its own. A crawl starts at the doors that anyone
knows (front page, sitemap, feed, robots, every question's own address, searches for the words
themselves) and follows every link it meets. The roles share one cache, and crawl in both orders.
"""

import pickle
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any, override
from urllib.parse import parse_qs, urldefrag, urljoin, urlsplit

import pytest
from django.core.cache import cache
from django.test import Client

from questionbank.accounts.models import User
from questionbank.catalog.selectors import question_slugs
from questionbank.catalog.synthetic import SyntheticBank
from questionbank.catalog.vocabulary import Tier

OPENS = {
    "visitor": {Tier.OPEN},
    "member": {Tier.OPEN, Tier.SIGNED_IN},
    "premium": set(Tier),
    "staff": set(Tier),
}
# Another crawl's session must not end here, and the admin is another test's.
NOT_FOLLOWED = ("/account/logout/", "/admin/", "/static/")
ASKED_AS: tuple[dict[str, str], ...] = ({}, {"Accept": "application/json", "HX-Request": "true"})


class _Links(HTMLParser):
    """Every address that a page names, in whatever attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found |= {
            value for name, value in attrs if name in {"href", "src", "action"} and value
        }


def links_of(path: str, body: str) -> Iterator[str]:
    """The addresses of this site that a page, a feed or a sitemap names."""
    parser = _Links()
    parser.feed(body)
    named = parser.found | set(re.findall(r"<(?:loc|link)>([^<]+)<", body))
    for link in named:
        address = urlsplit(urldefrag(urljoin(f"http://testserver{path}", link)).url)
        if address.hostname == "testserver" and not address.path.startswith(NOT_FOLLOWED):
            yield address.path + (f"?{address.query}" if address.query else "")


class VisitorClient(Client):
    """Comes anew each time: a visitor whose session a form has begun gets no kept page."""

    @override
    def get(self, *args: Any, **kwargs: Any) -> Any:
        self.cookies.clear()
        return super().get(*args, **kwargs)


def crawl(client: Client, start: list[str]) -> dict[str, str]:
    """Every address reached, with all that was sent for it, however it was asked."""
    sent: dict[str, str] = {}
    waiting = list(start)
    while waiting:
        path = waiting.pop()
        if path in sent:
            continue
        answers = [client.get(path, headers=headers) for headers in ASKED_AS]
        bodies = ["" if a.streaming else a.content.decode() for a in answers]
        heads = [str(dict(answer.headers)) for answer in answers]
        sent[path] = "\n".join([*heads, *bodies])
        assert all(answer.status_code < 500 for answer in answers), path
        waiting += links_of(path, bodies[0])
        waiting += [a["Location"] for a in answers if a.get("Location", "").startswith("/")]
    return sent


@pytest.fixture
def clients(member: User, premium: User, staff: User) -> dict[str, Client]:
    """One client a role, signed in."""
    made = {role: VisitorClient() if role == "visitor" else Client() for role in OPENS}
    for role, user in (("member", member), ("premium", premium), ("staff", staff)):
        made[role].force_login(user)
    return made


def doors(bank: SyntheticBank) -> list[str]:
    words = [word for tier in Tier for word in bank.canaries[tier]]
    sought = [*words[::7], '"canarypremium000021"', "canarypremium000021 ring", "canary", "ring"]
    return [
        "/", "/sitemap.xml", "/feed.xml", "/robots.txt", "/unlock/", "/progress/", "/bookmarks/",
        "/styleguide/", "/account/", "/nowhere/", "/questions/nothing-of-that-name/",
        *(f"/questions/{slug}/" for slug in question_slugs()),
        *(f"/search/?q={word}" for word in sought),
    ]  # fmt: skip


def locked_words(bank: SyntheticBank, role: str) -> list[str]:
    return [word for tier in set(Tier) - OPENS[role] for word in bank.canaries[tier]]


@pytest.mark.slow
@pytest.mark.parametrize("order", [list(OPENS), list(reversed(OPENS))], ids=["up", "down"])
def test_each_role_is_sent_what_is_open_to_it_and_nothing_else(
    order: list[str], bank: SyntheticBank, clients: dict[str, Client]
) -> None:
    start = doors(bank)
    for role in order:
        sent = crawl(clients[role], start)
        assert len(sent) > len(start), "the crawl followed no link"
        answers = "\n".join(without_what_was_asked(path, text) for path, text in sent.items())
        assert not [word for word in locked_words(bank, role) if word in answers], role
        opened = [word for tier in OPENS[role] for word in bank.canaries[tier]]
        assert not [word for word in opened if word not in answers], role
        held = kept_in_cache()
        assert not [word for word in locked_words(bank, "visitor") if word.encode() in held]
        if role == "visitor":
            assert any(word.encode() in held for word in opened), "nothing was kept to look into"


def without_what_was_asked(path: str, text: str) -> str:
    """What was sent, less the words of the search itself, which its page repeats."""
    asked = parse_qs(urlsplit(path).query).get("q", [""])[0].strip('"')
    return text.replace(asked, "") if asked else text


def kept_in_cache() -> bytes:
    """All that the cache holds: the local-memory one has no other way to list it."""
    kept: dict[str, bytes] = getattr(cache, "_cache")  # noqa: B009
    pages = [pickle.loads(value) for value in kept.values()]  # noqa: S301  # our own
    return b"".join(part for page in pages if isinstance(page, tuple) for part in page[:1])


def test_a_locked_answers_words_find_nothing(
    bank: SyntheticBank, clients: dict[str, Client]
) -> None:
    for role in ("visitor", "member"):
        for word in locked_words(bank, role)[::5]:
            page = clients[role].get("/search/", {"q": word}).content.decode()
            assert "Nothing matches" in page
            assert "Did you mean" not in page
