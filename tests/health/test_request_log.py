"""Each request has an id that its response and its log lines share."""

import re

import pytest
from django.test import Client
from structlog.testing import capture_logs


def test_a_request_without_an_id_gets_one_of_its_own(client: Client) -> None:
    first = client.get("/healthz").headers["X-Request-ID"]
    second = client.get("/healthz").headers["X-Request-ID"]
    assert re.fullmatch(r"[0-9a-f]{32}", first)
    assert first != second


def test_an_id_that_a_proxy_gave_is_kept(client: Client) -> None:
    response = client.get("/healthz", headers={"X-Request-ID": "edge-7.f00d_42"})
    assert response.headers["X-Request-ID"] == "edge-7.f00d_42"


@pytest.mark.parametrize(
    "given",
    ["short", "x" * 65, "two words!", "<script>alert</script>", "línea-extra", "a\tb-c-d-e"],
)
def test_an_id_that_could_break_a_log_line_is_replaced(client: Client, given: str) -> None:
    response = client.get("/healthz", headers={"X-Request-ID": given})
    assert re.fullmatch(r"[0-9a-f]{32}", response.headers["X-Request-ID"])


def test_one_line_says_what_was_asked_and_answered(client: Client) -> None:
    with capture_logs() as lines:
        client.get("/there-is-no-such-page", query_params={"token": "secret"})
    line = next(line for line in lines if line["event"] == "GET /there-is-no-such-page")
    assert line["status"] == 404
    assert line["ms"] > 0
    assert "secret" not in str(line)


def test_a_path_cannot_write_a_line_of_its_own(client: Client) -> None:
    with capture_logs() as lines:
        client.get("/a%0A2026-01-01 [info] forged%1B[31m")
    line = next(line for line in lines if line["event"].startswith("GET /a"))
    assert line["event"] == "GET /a%0A2026-01-01%20%5Binfo%5D%20forged%1B%5B31m"
