"""Search on PostgreSQL: tsvector over stems, and pg_trgm over whole words."""

from collections.abc import Sequence

from django.db import connection

from questionbank.catalog.search.entries import Entry, Match
from questionbank.catalog.search.words import Term
from questionbank.catalog.vocabulary import Tier

CREATE = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    "CREATE TABLE catalog_search (key bigint PRIMARY KEY, head tsvector, whole tsvector)",
    "CREATE INDEX catalog_search_head ON catalog_search USING gin (head)",
    "CREATE INDEX catalog_search_whole ON catalog_search USING gin (whole)",
    "CREATE INDEX catalog_searchword_trigrams ON catalog_searchword USING gin (word gin_trgm_ops)",
)
DROP = ("DROP INDEX catalog_searchword_trigrams", "DROP TABLE catalog_search")

# A tsvector knows no position beyond this one.
_LAST_POSITION = 16383
_MATCHING = """
    SELECT key, ts_rank('{{0.05, 0.1, 0.4, 1.0}}', {vector}, %s::tsquery) AS score
    FROM catalog_search JOIN catalog_published{kind} AS shown
        ON shown.{kind}_id = key / 2 AND key %% 2 = {parity}
    WHERE {vector} @@ %s::tsquery AND {unless} shown.tier = ANY(%s)
"""


class PostgreSQL:
    """See `Backend`."""

    def replace(self, keys: Sequence[int], entries: Sequence[Entry]) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM catalog_search WHERE key = ANY(%s)", [list(keys)])
            cursor.executemany(
                "INSERT INTO catalog_search (key, head, whole)"
                " VALUES (%s, %s::tsvector, %s::tsvector)",
                [
                    (
                        entry.key,
                        _vector((entry.title, "A"), (entry.summary, "B")),
                        _vector((entry.title, "A"), (entry.summary, "B"), (entry.body, "C")),
                    )
                    for entry in entries
                ],
            )

    def matching(self, terms: Sequence[Term], opens: frozenset[Tier], limit: int) -> list[Match]:
        query = " & ".join(_quoted(term) for term in terms)
        parts: list[str] = []
        values: list[str | list[Tier]] = []
        for kind, parity in (("question", 0), ("concept", 1)):
            for vector, unless in (("whole", ""), ("head", "NOT")):
                parts.append(
                    _MATCHING.format(kind=kind, parity=parity, vector=vector, unless=unless)
                )
                values += [query, query, sorted(opens)]
        with connection.cursor() as cursor:
            cursor.execute(
                " UNION ALL ".join(parts) + " ORDER BY score DESC, key LIMIT %s", [*values, limit]
            )
            return [Match(key, score) for key, score in cursor.fetchall()]

    def replace_words(self, gone: Sequence[str], new: Sequence[str]) -> None:
        """Do nothing: the index follows the table of words by itself."""

    def similar_words(self, word: str, limit: int) -> list[str]:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT word FROM catalog_searchword WHERE word %% %s"
                " ORDER BY similarity(word, %s) DESC, word LIMIT %s",
                [word, word, limit],
            )
            return [found for (found,) in cursor.fetchall()]


def _vector(*fields: tuple[Sequence[str], str]) -> str:
    """A tsvector's own notation. A position is left out between fields, so no phrase spans them."""
    places: dict[str, list[str]] = {}
    at = 0
    for stems, weight in fields:
        for stem in stems:
            at += 1
            places.setdefault(stem, []).append(f"{min(at, _LAST_POSITION)}{weight}")
        at += 1
    return " ".join(f"'{stem}':{','.join(some[:255])}" for stem, some in places.items())


def _quoted(term: Term) -> str:
    """The term in tsquery's notation. Stems are letters and digits: nothing in it can operate."""
    if term.is_prefix:
        return f"'{term.stems[0]}':*"
    return "(" + " <-> ".join(f"'{stem}'" for stem in term.stems) + ")"
