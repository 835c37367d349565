"""The words that search may suggest."""

from typing import override

from django.db import models


class SearchWord(models.Model):
    """A word that stands in a text everyone may read. The rest of the index is SQL of its own."""

    word = models.CharField(max_length=40, primary_key=True)
    stem = models.CharField(max_length=40, db_index=True)

    @override
    def __str__(self) -> str:
        return self.word
