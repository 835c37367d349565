from django.urls import path

from questionbank.accounts import views

urlpatterns = [
    path("", views.home, name="account_home"),
    path("delete/", views.delete, name="account_delete"),
]
