"""What every template may use."""

from django.conf import settings
from django.http import HttpRequest

UNLOCK_PRICE = "₹2,000\u00a0/\u00a0$25"


def site(_request: HttpRequest) -> dict[str, str]:
    """The site's name and what the unlock costs."""
    return {"site_name": settings.SITE_NAME, "price": UNLOCK_PRICE}
