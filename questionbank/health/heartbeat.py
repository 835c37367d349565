"""Workers say that they are at work; whoever asks learns which were heard from lately.

One sorted set holds each worker's name with the time of its last beat, by the broker's own clock,
so that clocks of different machines never matter.
"""

import redis

PERIOD_SECONDS = 3.0
SILENCE_SECONDS = 15.0  # five beats missed: this worker is not counted on any more

_KEY = "questionbank:workers"


def beat(client: redis.Redis, worker: str) -> None:
    """Note that `worker` takes tasks at this moment. Raises redis.RedisError."""
    now = _seconds(client)
    client.zadd(_KEY, {worker: now})
    client.zremrangebyscore(_KEY, "-inf", now - 20 * SILENCE_SECONDS)


def end(client: redis.Redis, worker: str) -> None:
    """Note that `worker` takes no more tasks. Raises redis.RedisError."""
    client.zrem(_KEY, worker)


def workers_at_work(client: redis.Redis) -> list[str]:
    """The names of the workers heard from within SILENCE_SECONDS. Raises redis.RedisError."""
    found = client.zrangebyscore(_KEY, _seconds(client) - SILENCE_SECONDS, "+inf")
    return [str(name) for name in found]


def _seconds(client: redis.Redis) -> float:
    seconds, microseconds = client.time()
    return float(seconds) + microseconds / 1e6
