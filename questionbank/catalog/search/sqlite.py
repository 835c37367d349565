"""Search on SQLite: FTS5 over stems, and FTS5's trigrams over whole words."""

from collections.abc import Sequence

from django.db import connection

from questionbank.catalog.search.entries import Entry, Match
from questionbank.catalog.search.words import Term
from questionbank.catalog.vocabulary import Tier

CREATE = (
    "CREATE VIRTUAL TABLE catalog_search USING fts5(title, summary, body, tokenize = 'unicode61')",
    "CREATE VIRTUAL TABLE catalog_searchword_trigrams USING fts5(word, tokenize = 'trigram')",
)
DROP = ("DROP TABLE catalog_searchword_trigrams", "DROP TABLE catalog_search")

# Questions have even numbers, concepts odd ones. bm25 is lower for a better match.
_MATCHING = """
    SELECT catalog_search.rowid AS key, -bm25(catalog_search, 8.0, 3.0, 1.0) AS score
    FROM catalog_search JOIN catalog_published{kind} AS shown
        ON shown.{kind}_id = catalog_search.rowid / 2 AND catalog_search.rowid %% 2 = {parity}
    WHERE catalog_search MATCH %s AND shown.tier {within} ({tiers})
"""


class SQLite:
    """See `Backend`."""

    def replace(self, keys: Sequence[int], entries: Sequence[Entry]) -> None:
        with connection.cursor() as cursor:
            cursor.executemany(
                "DELETE FROM catalog_search WHERE rowid = %s", [(key,) for key in keys]
            )
            cursor.executemany(
                "INSERT INTO catalog_search (rowid, title, summary, body) VALUES (%s, %s, %s, %s)",
                [
                    (e.key, " ".join(e.title), " ".join(e.summary), " ".join(e.body))
                    for e in entries
                ],
            )

    def matching(self, terms: Sequence[Term], opens: frozenset[Tier], limit: int) -> list[Match]:
        everywhere = " AND ".join(_quoted(term) for term in terms)
        parts: list[str] = []
        values: list[str | list[Tier]] = []
        for kind, parity in (("question", 0), ("concept", 1)):
            for within, query in (
                ("IN", everywhere),
                ("NOT IN", f"{{title summary}} : ({everywhere})"),
            ):
                tiers = ", ".join(["%s"] * len(opens))
                parts.append(_MATCHING.format(kind=kind, parity=parity, within=within, tiers=tiers))
                values += [query, *sorted(opens)]
        with connection.cursor() as cursor:
            cursor.execute(
                " UNION ALL ".join(parts) + " ORDER BY score DESC, key LIMIT %s", [*values, limit]
            )
            return [Match(key, score) for key, score in cursor.fetchall()]

    def replace_words(self, gone: Sequence[str], new: Sequence[str]) -> None:
        with connection.cursor() as cursor:
            for start in range(0, len(gone), 500):
                some = gone[start : start + 500]
                marks = ", ".join(["%s"] * len(some))
                cursor.execute(
                    f"DELETE FROM catalog_searchword_trigrams WHERE word IN ({marks})",  # noqa: S608  # marks only
                    some,
                )
            cursor.executemany(
                "INSERT INTO catalog_searchword_trigrams (word) VALUES (%s)",
                [(word,) for word in new],
            )

    def similar_words(self, word: str, limit: int) -> list[str]:
        trigrams = [word[start : start + 3] for start in range(len(word) - 2)]
        if not trigrams:
            return []
        query = " OR ".join(f'"{trigram}"' for trigram in dict.fromkeys(trigrams))
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT word FROM catalog_searchword_trigrams"
                " WHERE catalog_searchword_trigrams MATCH %s ORDER BY rank LIMIT %s",
                [query, limit],
            )
            return [found for (found,) in cursor.fetchall()]


def _quoted(term: Term) -> str:
    """The term in FTS5's language. Stems are letters and digits, so nothing in it can operate."""
    return f'"{" ".join(term.stems)}"' + ("*" if term.is_prefix else "")
