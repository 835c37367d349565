"""One machine: SQLite, an embedded Valkey, mail on the console."""

from questionbank.settings import env
from questionbank.settings.base import *  # noqa: F403  # settings modules extend one another this way

DEBUG = env.switch("DEBUG", default=False)
SECRET_KEY = env.required("SECRET_KEY")
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *env.names("ALLOWED_HOSTS")]
DATABASES = {"default": env.database("DATABASE_URL", f"sqlite:///{env.VAR / 'db.sqlite3'}")}
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}  # noqa: F405  # from base
}
MAILERS = {"default": {"BACKEND": "django.core.mail.backends.console.EmailBackend"}}
