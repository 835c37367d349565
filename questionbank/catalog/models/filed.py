"""What everything that also lives in a file has in common."""

from django.db import models


class Filed(models.Model):
    """A row with a file behind it, and what is known of both.

    `document` is the whole of it as the content package's value, written with every change: so a
    version in the history is the whole document, and any two can be compared or restored.
    """

    document = models.JSONField(editable=False, default=dict)
    taken_digest = models.CharField(
        max_length=64,
        editable=False,
        default="",
        help_text="SHA-256 of the file last brought in; empty when it never had one.",
    )
    kept_digest = models.CharField(
        max_length=64,
        editable=False,
        default="",
        help_text="SHA-256 of the file that an editor decided not to take.",
    )

    class Meta:
        abstract = True
