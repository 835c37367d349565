from django import forms

from questionbank.accounts.models import User


class DeleteAccountForm(forms.Form):
    """Asks for the password again, so that a borrowed screen cannot end an account."""

    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: object, user: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # passed through unread
        self._user = user

    def clean_password(self) -> str:
        """The password, if it is this user's."""
        password: str = self.cleaned_data["password"]
        if not self._user.check_password(password):
            raise forms.ValidationError(
                "That is not the password of this account. Nothing was deleted."
            )
        return password
