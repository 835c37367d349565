"""The site as on one machine, with its cache in its own memory: nothing else need run."""

from questionbank.settings import env
from questionbank.settings.dev import *  # noqa: F403  # settings modules extend one another this way

CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
STATIC_ROOT = env.VAR / "static"
