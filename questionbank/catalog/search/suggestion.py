"""A near miss for a query that found nothing."""

from django.db.models.functions import Length

from questionbank.catalog.models import SearchWord
from questionbank.catalog.search.backends import backend
from questionbank.catalog.search.words import LONGEST_QUERY, Word, words_in

_CANDIDATES = 40
_SHORTEST = 3


def suggest(query: str) -> str | None:
    """The query with each word that nothing open holds put right; None if that cannot be done."""
    query = query[:LONGEST_QUERY]
    words = list(words_in(query))
    stems = {word.stem for word in words}
    known = set(SearchWord.objects.filter(stem__in=stems).values_list("stem", flat=True))
    parts, at = [], 0
    for word in words:
        if word.stem not in known:
            better = _nearest(word)
            if better is not None:
                parts += [query[at : word.start], better]
                at = word.end
    if not parts:
        return None
    return "".join([*parts, query[at:]]).strip()


def _nearest(word: Word) -> str | None:
    if len(word.plain) < _SHORTEST:
        return None
    allowed = 1 if len(word.plain) <= 5 else 2
    # Trigrams find a slip in a long word; two letters swapped in a short one leave none the same.
    alike = SearchWord.objects.filter(word__startswith=word.plain[0]).annotate(
        length=Length("word")
    )
    near = alike.filter(
        length__gte=len(word.plain) - allowed, length__lte=len(word.plain) + allowed
    ).values_list("word", flat=True)
    candidates = {*backend().similar_words(word.plain, _CANDIDATES), *near}
    distances = [(distance(word.plain, candidate), candidate) for candidate in candidates]
    best = min(distances, default=(allowed + 1, ""))
    return best[1] if best[0] <= allowed else None


def distance(one: str, other: str) -> int:
    """How many letters to insert, drop, change, or swap with a neighbour, between two words.

    The restricted edit distance of Damerau and Levenshtein.
    """
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        row = [i]
        for j, b in enumerate(other, start=1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
