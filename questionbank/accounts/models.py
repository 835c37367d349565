"""Who reads: a person known by an e-mail address, and whether they have unlocked everything."""

from typing import ClassVar, override

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone


class UserManager(BaseUserManager["User"]):
    """Makes users; the address is stored with its domain in lower case."""

    def create_user(self, email: str, password: str | None = None, **fields: object) -> "User":
        """Store a reader. Raises ValueError when the address is empty."""
        if not email:
            raise ValueError("a user needs an e-mail address")
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: object) -> "User":
        """Store an editor who may do everything in the admin."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractBaseUser, PermissionsMixin):
    """A person with an account."""

    email = models.EmailField("e-mail address", unique=True)
    is_staff = models.BooleanField("may use the admin", default=False)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(default=timezone.now)
    unlocked_at = models.DateTimeField(
        "premium since",
        null=True,
        blank=True,
        help_text="Set when the unlock was paid for; it never expires.",
    )

    objects = UserManager()

    EMAIL_FIELD = "email"
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("email"), name="user_email_is_unique_whatever_its_case"),
        ]

    @override
    def __str__(self) -> str:
        return self.email

    @property
    def has_unlocked(self) -> bool:
        """Whether this reader has premium."""
        return self.unlocked_at is not None
