from allauth.account.decorators import secure_admin_login
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import BaseUserCreationForm

from questionbank.accounts.models import User

# The admin signs in by the site's own form, so that its rate limits hold there too.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # allauth's documented way


class UserCreation(BaseUserCreationForm[User]):
    """A new account, by its address."""

    class Meta:
        model = User
        fields = ("email",)
        field_classes = {"email": forms.EmailField}


@admin.register(User)
class AccountAdmin(UserAdmin[User]):
    """Accounts: who may use the admin, and who has unlocked everything."""

    add_form = UserCreation
    list_display = ("email", "date_joined", "unlocked_at", "is_staff", "is_active")
    list_filter = ("is_staff", "is_active", ("unlocked_at", admin.EmptyFieldListFilter))
    search_fields = ("email",)
    ordering = ("email",)
    readonly_fields = ("date_joined", "last_login")
    fieldsets = (
        (None, {"fields": ("email", "password", "unlocked_at")}),
        (
            "Permissions",
            {"fields": ("is_active", "is_staff", "is_superuser", "groups", "user_permissions")},
        ),
        ("Dates", {"fields": ("date_joined", "last_login")}),
    )
    add_fieldsets = ((None, {"classes": ("wide",), "fields": ("email", "password1", "password2")}),)
