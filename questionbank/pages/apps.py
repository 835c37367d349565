from django.apps import AppConfig


class PagesConfig(AppConfig):
    name = "questionbank.pages"
