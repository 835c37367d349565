from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "questionbank.accounts"
    verbose_name = "Readers"
