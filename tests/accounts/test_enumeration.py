"""Under the rule of production, that an address is proven by mail, sign-up tells nothing."""

import re

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client
from pytest_django import Settings

from questionbank.accounts.models import User

SECRET = "a long enough secret 7"


def sign_up(address: str) -> tuple[int, str, str]:
    """Status, where it leads, and the page at the end but for the address itself."""
    client = Client()
    answer = client.post("/account/signup/", {"email": address, "password1": SECRET})
    page = client.get(answer.headers["Location"]).content.decode()
    return answer.status_code, answer.headers["Location"], re.sub(re.escape(address), "", page)


@pytest.mark.django_db
def test_a_taken_address_and_a_new_one_are_answered_alike(settings: Settings) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    cache.clear()  # no limit is spent by the tests before
    User.objects.create_user("taken@example.org", SECRET)
    assert sign_up("taken@example.org") == sign_up("fresh@example.org")
    assert User.objects.filter(email="taken@example.org").count() == 1
    # Only the mail tells the two apart, and only their owners read it.
    subjects = {message.to[0]: message.subject for message in mail.outbox}
    assert subjects.keys() == {"taken@example.org", "fresh@example.org"}
    assert subjects["taken@example.org"] != subjects["fresh@example.org"]
