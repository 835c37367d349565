"""The world: every secret and address comes from the environment, or the start fails."""

from questionbank.settings import env
from questionbank.settings.base import *  # noqa: F403  # settings modules extend one another this way
from questionbank.settings.databases import with_sensible_options
from questionbank.settings.logs import logging_config

DEBUG = False
# A new address is proven by a mail before it counts, so signing up tells nobody which addresses
# have an account. The local run has no mail server, and lets new readers in at once.
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
SECRET_KEY = env.required("SECRET_KEY")
SECRET_KEY_FALLBACKS = env.names("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = env.required_names("ALLOWED_HOSTS")
CSRF_TRUSTED_ORIGINS = env.names("CSRF_TRUSTED_ORIGINS")
DATABASES = {
    "default": with_sensible_options(env.database("DATABASE_URL", env.required("DATABASE_URL")))
}
REDIS_URL = env.required("REDIS_URL")
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": env.text("CACHE_URL", REDIS_URL),
    }
}
MAILERS = {"default": env.mailer("EMAIL_URL")}
DEFAULT_FROM_EMAIL = env.required("DEFAULT_FROM_EMAIL")

SECURE_SSL_REDIRECT = True
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]  # a balancer asks from inside, without TLS
SECURE_HSTS_SECONDS = 63_072_000  # two years, which the browsers' preload list asks for
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
if env.switch("BEHIND_TLS_PROXY", default=False):
    # Only for a proxy that always sets this header itself: whoever else sets it chooses the scheme.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
ALLAUTH_TRUSTED_PROXY_COUNT = env.number("TRUSTED_PROXY_COUNT", 0)

# The prefix makes the browser refuse a cookie that a sister domain or plain HTTP tries to set.
SESSION_COOKIE_NAME = "__Host-session"
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_NAME = "__Host-csrf"
CSRF_COOKIE_SECURE = True

METRICS_TOKEN = env.text("METRICS_TOKEN")
METRICS_OPEN_TO_LOOPBACK = False
LOGGING = logging_config(as_json=True, level=env.text("LOG_LEVEL", "INFO"))
