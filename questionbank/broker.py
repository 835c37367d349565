"""The one connection to Redis or Valkey that the site's own code uses."""

import functools

import redis
from django.conf import settings


def connect() -> redis.Redis:
    """A client that gives up after a second and answers text. Cheap: it shares one pool."""
    return _client(settings.REDIS_URL)


@functools.cache
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        url, decode_responses=True, socket_timeout=1, socket_connect_timeout=1
    )
