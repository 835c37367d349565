"""What the site says of itself to a balancer and to Prometheus."""

import pytest
from django.test import Client
from pytest_django import Settings

from questionbank import broker
from questionbank.health import heartbeat


def test_alive_asks_no_other_part(client: Client) -> None:
    # No database and no broker in this test: pytest-django would refuse the former.
    response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json() == {"status": "alive"}


@pytest.mark.django_db
def test_ready_needs_database_broker_and_a_worker(client: Client, on_the_broker: str) -> None:
    response = client.get("/readyz")
    assert response.status_code == 503
    parts = response.json()["parts"]
    assert {name for name, part in parts.items() if not part["ready"]} == {"worker"}

    heartbeat.beat(broker.connect(), "worker@here")
    response = client.get("/readyz")
    assert response.status_code == 200
    assert response.json() == {
        "status": "ready",
        "parts": {
            "database": {"ready": True, "says": "answers"},
            "broker": {"ready": True, "says": "answers"},
            "worker": {"ready": True, "says": "1 at work"},
        },
    }
    assert "no-store" in response.headers["Cache-Control"]


@pytest.mark.django_db
def test_a_broker_that_is_away_is_named_without_its_address(
    client: Client, settings: Settings
) -> None:
    settings.REDIS_URL = "unix:///nowhere/secret-name.sock"
    response = client.get("/readyz")
    assert response.status_code == 503
    parts = response.json()["parts"]
    assert parts["database"]["ready"]
    assert parts["broker"] == {"ready": False, "says": "does not answer"}
    assert "secret-name" not in response.text


def test_a_worker_not_heard_from_for_five_beats_is_not_counted(on_the_broker: str) -> None:
    client = broker.connect()
    heartbeat.beat(client, "worker@fresh")
    seconds, _ = client.time()
    client.zadd("questionbank:workers", {"worker@late": seconds - 14, "worker@dead": seconds - 17})
    assert set(heartbeat.workers_at_work(client)) == {"worker@fresh", "worker@late"}
    heartbeat.end(client, "worker@fresh")
    assert heartbeat.workers_at_work(client) == ["worker@late"]


@pytest.mark.parametrize("given", [None, "Bearer wrong", "Bearer ", "the-token"])
def test_counters_are_shut_to_whoever_lacks_the_token(
    client: Client, settings: Settings, given: str | None
) -> None:
    settings.METRICS_TOKEN = "the-token"
    headers = {"Authorization": given} if given else {}
    response = client.get("/metrics", headers=headers)
    assert response.status_code == 401
    assert "django_http" not in response.text


def test_counters_without_a_token_are_shut_to_all(client: Client) -> None:
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 401


def test_counters_open_to_the_token(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = "the-token"
    client.get("/healthz")
    response = client.get("/metrics", headers={"Authorization": "Bearer the-token"})
    assert response.status_code == 200
    assert 'django_http_requests_total_by_view_transport_method_total{method="GET"' in response.text


def test_counters_open_to_the_same_machine_only_where_settings_say_so(
    client: Client, settings: Settings
) -> None:
    settings.METRICS_OPEN_TO_LOOPBACK = True
    assert client.get("/metrics", REMOTE_ADDR="127.0.0.1").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="192.0.2.7").status_code == 401
