"""What everything that also lives in a file has in common."""

from django.db import models


class Filed(models.Model):
    """A row with a file behind it, and what is known of both.

    `source` is the whole document as its file would be written: the services set it with every
    change, so a version in the history is the whole document and two versions can be compared.
    """

    source = models.TextField(editable=False, default="")
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
