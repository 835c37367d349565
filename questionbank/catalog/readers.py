"""Who is reading, and what each kind of reader may open."""

import enum
from dataclasses import dataclass
from typing import Self

from django.contrib.auth.models import AnonymousUser

from questionbank.accounts.models import User
from questionbank.catalog.vocabulary import OpenedBy, Tier


class ReaderKind(enum.StrEnum):
    """The four kinds of reader; each opens all that the one before it opens."""

    VISITOR = "visitor"
    MEMBER = "member"
    PREMIUM = "premium"
    STAFF = "staff"


_OPENS: dict[ReaderKind, frozenset[Tier]] = {
    ReaderKind.VISITOR: frozenset({Tier.OPEN}),
    ReaderKind.MEMBER: frozenset({Tier.OPEN, Tier.SIGNED_IN}),
    ReaderKind.PREMIUM: frozenset(Tier),
    ReaderKind.STAFF: frozenset(Tier),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A reader as the catalogue sees one. Equal readers are shown equal pages."""

    kind: ReaderKind
    user_id: int | None = None

    @classmethod
    def of(cls, user: User | AnonymousUser) -> Self:
        """The reader behind a request's user."""
        if not isinstance(user, User) or not user.is_active:
            return cls(kind=ReaderKind.VISITOR)
        if user.is_staff:
            return cls(kind=ReaderKind.STAFF, user_id=user.pk)
        if user.has_unlocked:
            return cls(kind=ReaderKind.PREMIUM, user_id=user.pk)
        return cls(kind=ReaderKind.MEMBER, user_id=user.pk)

    @property
    def opens(self) -> frozenset[Tier]:
        """The tiers that this reader may open."""
        return _OPENS[self.kind]

    def may_open(self, tier: Tier) -> bool:
        """Whether this reader may open an item of that tier."""
        return tier in self.opens

    def opened_by(self, tier: Tier) -> OpenedBy | None:
        """What would open an item of that tier to this reader; None when it is open already."""
        if self.may_open(tier):
            return None
        return OpenedBy.ACCOUNT if tier is Tier.SIGNED_IN else OpenedBy.UNLOCK


VISITOR = Reader(kind=ReaderKind.VISITOR)
