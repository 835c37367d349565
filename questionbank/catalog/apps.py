from django.apps import AppConfig


class CatalogConfig(AppConfig):
    name = "questionbank.catalog"
    verbose_name = "The bank"
