import hmac

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_prometheus.exports import ExportToDjangoView

from questionbank.health import readiness


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """This process is alive: it asks nothing of any other part."""
    return JsonResponse({"status": "alive"})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Whether each part answers; 503 when one does not."""
    parts = readiness.parts()
    ready = all(part.ready for part in parts)
    return JsonResponse(
        {
            "status": "ready" if ready else "not ready",
            "parts": {part.name: {"ready": part.ready, "says": part.says} for part in parts},
        },
        status=200 if ready else 503,
    )


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """This process's counters in Prometheus's text format, to who holds METRICS_TOKEN."""
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        wanted = f"Bearer {settings.METRICS_TOKEN}"
        if hmac.compare_digest(given.encode(), wanted.encode()):
            return _counters(request)
    if settings.METRICS_OPEN_TO_LOOPBACK and _from_this_machine(request):
        return _counters(request)
    response = HttpResponse("set METRICS_TOKEN and send it as a bearer token\n", status=401)
    response.headers["WWW-Authenticate"] = "Bearer"
    response.headers["Content-Type"] = "text/plain"
    return response


def _counters(request: HttpRequest) -> HttpResponse:
    counters: HttpResponse = ExportToDjangoView(request)
    return counters


def _from_this_machine(request: HttpRequest) -> bool:
    return request.META.get("REMOTE_ADDR") in {"127.0.0.1", "::1"}
