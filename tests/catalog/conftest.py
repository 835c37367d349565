import pytest

from questionbank.catalog.readers import VISITOR, Reader, ReaderKind
from questionbank.catalog.synthetic import SyntheticBank, store_synthetic_bank

MEMBER = Reader(kind=ReaderKind.MEMBER, user_id=1)
PREMIUM = Reader(kind=ReaderKind.PREMIUM, user_id=2)
STAFF = Reader(kind=ReaderKind.STAFF, user_id=3)
READERS = (VISITOR, MEMBER, PREMIUM, STAFF)


@pytest.fixture
def thirty_questions(db: None) -> SyntheticBank:
    """One topic of thirty: ten open, ten for members, ten premium, a canary in each answer."""
    return store_synthetic_bank(30)
