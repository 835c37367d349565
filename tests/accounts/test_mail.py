"""The letters that accounts cause, which speak in the name of the site."""

import re

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

SECRET, OTHER = "a long enough secret", "another secret, longer"
ADDRESS = "reader@example.org"


@pytest.fixture(autouse=True)
def _no_limits_spent() -> None:
    cache.clear()


@pytest.fixture
def reader(client: Client, db: None, settings: Settings) -> Client:
    settings.SITE_NAME = "Bank of Questions"
    client.post("/account/signup/", {"email": ADDRESS, "password1": SECRET})
    return client


def last_letter() -> tuple[str, str]:
    """Subject and text of the letter sent last."""
    letter = mail.outbox[-1]
    return str(letter.subject), str(letter.body)


def link_in(text: str) -> str:
    found = re.search(r"http://testserver(/\S+)", text)
    assert found, text
    return found[1]


def test_signing_up_brings_a_link_that_confirms_the_address(reader: Client) -> None:
    subject, text = last_letter()
    assert subject == "Meshwork: Confirm your address"  # the prefix is set at start
    assert "Bank of Questions" in text
    assert "testserver" not in text.replace("http://testserver/", "")
    page = reader.get(link_in(text)).content.decode()
    assert ADDRESS in page


def test_a_forgotten_password_is_set_anew_by_a_link_that_works_once(reader: Client) -> None:
    visitor = Client()
    visitor.post("/account/password/reset/", {"email": ADDRESS})
    link = link_in(last_letter()[1])
    form = visitor.get(link, follow=True)
    address = form.request["PATH_INFO"]
    visitor.post(address, {"password1": OTHER, "password2": OTHER})
    subject, text = last_letter()
    assert subject == "Meshwork: Your password was changed"
    assert "If it was not you" in text
    signed_in = Client().post("/account/login/", {"login": ADDRESS, "password": OTHER})
    assert signed_in.status_code == 302
    again = Client().get(link, follow=True).content.decode()
    assert 'name="password1"' not in again


def test_asking_for_a_password_answers_the_same_whether_there_is_an_account(
    reader: Client,
) -> None:
    answers = [
        Client().post("/account/password/reset/", {"email": email}, follow=True)
        for email in (ADDRESS, "nobody@example.org")
    ]
    assert len({answer.content for answer in answers}) == 1
    assert last_letter()[0] == "Meshwork: There is no account with this address"


def test_a_form_sent_too_often_is_refused_in_words(reader: Client) -> None:
    answers = [
        Client().post("/account/password/reset/", {"email": ADDRESS}) for _ in range(6)
    ]  # five a minute for one address
    assert [answer.status_code for answer in answers] == [302] * 5 + [429]
    assert "That was tried too often" in answers[-1].content.decode()
    assert len(mail.outbox) == 1 + 5
