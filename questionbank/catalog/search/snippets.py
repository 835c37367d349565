"""The part of a text that a result shows, with its hits marked. Everything else is escaped."""

import itertools
from collections.abc import Sequence

from django.utils.html import escape

from questionbank.catalog.search.words import Term, Word, words_in

SNIPPET_WORDS = 32
_BEFORE_HIT = 8


def marked(text: str, terms: Sequence[Term]) -> str:
    """The whole text as HTML, each hit in `<mark>`."""
    return _marked(text, list(words_in(text)), terms, 0, len(text))


def snippet(text: str, terms: Sequence[Term]) -> str:
    """The stretch of about thirty words that holds most of the terms, as HTML."""
    words = _words_to_choose_from(text, terms)
    if len(words) <= SNIPPET_WORDS:
        return _marked(text, words, terms, 0, len(text))
    first = _best_start(words, terms)
    last = min(first + SNIPPET_WORDS, len(words)) - 1
    start = 0 if first == 0 else words[first].start
    end = len(text) if last == len(words) - 1 else words[last].end
    before, after = ("" if first == 0 else "… "), ("" if end == len(text) else " …")
    return before + _marked(text, words[first : last + 1], terms, start, end) + after


def holds(text: str, terms: Sequence[Term]) -> int:
    """How many of the terms have a hit in the text."""
    stems = {word.stem for word in words_in(text)}
    return sum(any(term.matches(stem) for stem in stems) for term in terms)


def _words_to_choose_from(text: str, terms: Sequence[Term]) -> list[Word]:
    """The text's words until a window holds every term, and a window more; most texts are long."""
    words: list[Word] = []
    last_hit: dict[int, int] = {}
    reading = words_in(text)
    for place, word in enumerate(reading):
        words.append(word)
        hits = [number for number, term in enumerate(terms) if term.matches(word.stem)]
        if not hits:
            continue
        last_hit.update(dict.fromkeys(hits, place))
        oldest = min(last_hit.values())
        if len(last_hit) == len(terms) and place - oldest < SNIPPET_WORDS - _BEFORE_HIT:
            words += itertools.islice(reading, SNIPPET_WORDS)
            break
    return words


def _best_start(words: Sequence[Word], terms: Sequence[Term]) -> int:
    """Where a window that starts a little before a hit holds the most different terms."""
    hits = [
        (place, number)
        for place, word in enumerate(words)
        for number, term in enumerate(terms)
        if term.matches(word.stem)
    ]
    best, most = 0, 0
    for place, _ in hits:
        start = max(0, min(place - _BEFORE_HIT, len(words) - SNIPPET_WORDS))
        end = start + SNIPPET_WORDS
        held = len({number for at, number in hits if start <= at < end})
        if held > most:
            best, most = start, held
            if held == len(terms):
                break
    return best


def _marked(text: str, words: Sequence[Word], terms: Sequence[Term], start: int, end: int) -> str:
    parts: list[str] = []
    at = start
    for word in words:
        if any(term.matches(word.stem) for term in terms):
            parts += [
                escape(text[at : word.start]),
                f"<mark>{escape(text[word.start : word.end])}</mark>",
            ]
            at = word.end
    parts.append(escape(text[at:end]))
    return "".join(parts)
