import pytest

from questionbank.accounts.models import User
from questionbank.catalog.models import Question
from questionbank.catalog.synthetic import store_synthetic_bank


@pytest.fixture
def learner(db: None) -> User:
    return User.objects.create_user("learner@example.org", "a long enough secret")


@pytest.fixture
def questions(db: None) -> list[Question]:
    """Thirty published questions: ten open, ten for members, ten premium."""
    store_synthetic_bank(30)
    return list(Question.objects.order_by("slug"))
