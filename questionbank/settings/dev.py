"""One machine: SQLite, the embedded Valkey, mail into files."""

from questionbank.settings import env
from questionbank.settings.base import *  # noqa: F403  # settings modules extend one another this way
from questionbank.settings.base import REDIS_URL
from questionbank.settings.databases import with_sensible_options
from questionbank.settings.logs import logging_config

DEBUG = env.switch("DEBUG", default=False)
SECRET_KEY = env.kept_secret("SECRET_KEY", env.VAR / "secret_key")
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *env.names("ALLOWED_HOSTS")]
DATABASES = {
    "default": with_sensible_options(
        env.database("DATABASE_URL", f"sqlite:///{env.VAR / 'db.sqlite3'}")
    )
}
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
}
MAILERS = {
    "default": {
        "BACKEND": "django.core.mail.backends.filebased.EmailBackend",
        "OPTIONS": {"file_path": env.VAR / "mail"},
    }
}
METRICS_TOKEN = env.text("METRICS_TOKEN")
METRICS_OPEN_TO_LOOPBACK = True
LOGGING = logging_config(as_json=False, level=env.text("LOG_LEVEL", "INFO"))
