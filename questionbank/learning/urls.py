from django.urls import path

from questionbank.learning import views

app_name = "learning"
urlpatterns = [
    path("<slug:slug>/mark/", views.mark, name="mark"),
    path("<slug:slug>/bookmark/", views.keep, name="keep"),
    path("<slug:slug>/bookmark/remove/", views.remove, name="remove"),
    path("<slug:slug>/bookmark/note/", views.note, name="note"),
]
