"""The test suite: SQLite unless DATABASE_URL names a PostgreSQL."""

from questionbank.settings import env
from questionbank.settings.base import *  # noqa: F403  # settings modules extend one another this way
from questionbank.settings.databases import with_sensible_options
from questionbank.settings.logs import logging_config

SECRET_KEY = "only for tests"  # noqa: S105  # guards nothing
ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
DATABASES = {"default": with_sensible_options(env.database("DATABASE_URL", "sqlite://:memory:"))}
MAILERS = {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}}
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
METRICS_TOKEN = ""
METRICS_OPEN_TO_LOOPBACK = False
LOGGING = logging_config(as_json=False, level="WARNING")
