from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from questionbank.accounts.forms import DeleteAccountForm
from questionbank.accounts.models import User
from questionbank.accounts.services import delete_account


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """What this account is, and the ways to change it."""
    return render(request, "account/home.html")


@require_http_methods(["GET", "POST"])
@login_required
def delete(request: HttpRequest) -> HttpResponse:
    """Asks for the password, then removes the account."""
    user = request.user
    if not isinstance(user, User):  # login_required has seen to it; this tells the type checker
        return redirect("account_login")
    form = DeleteAccountForm(request.POST or None, user=user)
    if request.method == "POST" and form.is_valid():
        logout(request)
        delete_account(user=user)
        messages.success(request, "Your account and everything in it are deleted.")
        return redirect("/")
    return render(request, "account/delete.html", {"form": form})
