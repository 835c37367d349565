"""The only writers of accounts, beside sign-up and the changes that allauth's own forms make."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from questionbank.accounts.models import User


@transaction.atomic
def grant_unlock(*, user: User, at: datetime | None = None) -> None:
    """Open every answer to this reader for ever. Granting twice keeps the first date."""
    locked = User.objects.filter(pk=user.pk, unlocked_at__isnull=True)
    locked.update(unlocked_at=at or timezone.now())
    user.refresh_from_db(fields=["unlocked_at"])


@transaction.atomic
def delete_account(*, user: User) -> None:
    """Remove the account and all that belongs to it.

    Sessions need no hunt: one whose user is gone is nobody's, and keys are never used again.
    """
    user.delete()
