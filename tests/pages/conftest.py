import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from questionbank.accounts.models import User
from questionbank.catalog.synthetic import SyntheticBank
from tests.pages.banks import searchable_bank


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


@pytest.fixture
def bank(db: None) -> SyntheticBank:
    """A topic of thirty: ten open, ten for members, ten premium."""
    return searchable_bank(30)


@pytest.fixture
def member(db: None) -> User:
    return User.objects.create_user("member@example.org", "a long enough secret")


@pytest.fixture
def premium(db: None) -> User:
    return User.objects.create_user(
        "premium@example.org", "a long enough secret", unlocked_at=timezone.now()
    )


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_user("staff@example.org", "a long enough secret", is_staff=True)


@pytest.fixture
def as_member(member: User) -> Client:
    client = Client()
    client.force_login(member)
    return client
