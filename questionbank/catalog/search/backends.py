"""Which database answers."""

from django.db import connection

from questionbank.catalog.search.entries import Backend
from questionbank.catalog.search.postgresql import PostgreSQL
from questionbank.catalog.search.sqlite import SQLite


def backend() -> Backend:
    """The search of the database that the site runs on."""
    return PostgreSQL() if connection.vendor == "postgresql" else SQLite()
