"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("questions/", include("questionbank.learning.urls")),
    path("account/", include("questionbank.accounts.urls")),
    path("account/", include("allauth.account.urls")),
    path("admin/", admin.site.urls),
    path("", include("questionbank.health.urls")),
    path("", include("questionbank.pages.urls")),
]

handler400 = "questionbank.pages.views.errors.bad_request"
handler403 = "questionbank.pages.views.errors.forbidden"
handler404 = "questionbank.pages.views.errors.not_found"
handler500 = "questionbank.pages.views.errors.server_error"
