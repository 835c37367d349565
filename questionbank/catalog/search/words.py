"""Words of a text, their stems, and what a query asks for. Both databases match on these stems."""

import functools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

LONGEST_QUERY = 200
MOST_TERMS = 12

# C++ and C# are words; every other sign only separates.
_WORD = re.compile(r"[^\W_]+(?:\+\+|#)?")
_QUOTED = re.compile(r'"([^"]*)"')
_VOWEL = re.compile(r"[aeiouy]")
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")
_SHORTEST_STEMMED = 4
_WORDS_REMEMBERED = 50_000
_STOP_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how",
    "i", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "so", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "to", "was", "we", "what",
    "when", "where", "which", "who", "why", "will", "with", "you", "your",
})  # fmt: skip


# A tuple, since a search makes one for each word of each text that it shows.
class Word(NamedTuple):
    """A word as it stands in a text: `start` and `end` are offsets in characters."""

    start: int
    end: int
    plain: str
    stem: str


@dataclass(frozen=True, slots=True)
class Term:
    """Stems that must stand side by side; a prefix may be the start of a longer stem."""

    stems: tuple[str, ...]
    is_prefix: bool = False

    def matches(self, stem: str) -> bool:
        """Whether a word of that stem is a hit."""
        return stem in self.stems or (self.is_prefix and stem.startswith(self.stems[0]))


def words_in(text: str) -> Iterator[Word]:
    """Every word of a text, in order."""
    for found in _WORD.finditer(text):
        plain = plain_form(found[0])
        if plain:
            yield Word(*found.span(), plain, stem_of(plain))


@functools.lru_cache(maxsize=_WORDS_REMEMBERED)
def plain_form(word: str) -> str:
    """The word in lower case, without accents, in letters and digits alone."""
    spelled = word.replace("+", "plus").replace("#", "sharp")
    decomposed = unicodedata.normalize("NFKD", spelled.casefold())
    return "".join(character for character in decomposed if character.isalnum())


@functools.lru_cache(maxsize=_WORDS_REMEMBERED)
def stem_of(word: str) -> str:
    """The part that a word shares with its other forms: shard for shards, sharded, sharding."""
    if len(word) < _SHORTEST_STEMMED or not (word.isascii() and word.isalpha()):
        return word
    for ending in ("ization", "isation"):
        if word.endswith(ending):
            return word.removesuffix(ending) + "iz"
    stem = _without_tense(_singular(word))
    if len(stem) >= _SHORTEST_STEMMED and stem.endswith("e"):
        stem = stem.removesuffix("e")
    if len(stem) > _SHORTEST_STEMMED + 1 and stem.endswith("is"):
        stem = stem.removesuffix("is") + "iz"  # quantise is quantize
    return stem


def parse_query(query: str) -> tuple[Term, ...]:
    """The terms of a query, all of which a result must hold. Empty where it names no word.

    Words between double quotes stand side by side. Of single words, those that every text holds
    are left out unless there is nothing else; the last may be the start of a word.
    """
    query = query[:LONGEST_QUERY]
    phrases = [tuple(word.stem for word in words_in(quoted)) for quoted in _QUOTED.findall(query)]
    loose = list(words_in(_QUOTED.sub(" ", query)))
    telling = [word for word in loose if word.plain not in _STOP_WORDS]
    singles = telling or ([] if any(phrases) else loose)
    terms = [Term(phrase) for phrase in phrases if phrase]
    terms += [Term((word.stem,)) for word in singles]
    ends_in_word = bool(singles) and query.rstrip()[-1:] != '"'
    if ends_in_word and len(singles[-1].stem) > 2:
        terms[-1] = Term(terms[-1].stems, is_prefix=True)
    return tuple(dict.fromkeys(terms))[:MOST_TERMS]


def _singular(word: str) -> str:
    if word.endswith("sses"):
        return word.removesuffix("es")
    if word.endswith("ies") and len(word) > _SHORTEST_STEMMED:
        return word.removesuffix("ies") + "y"
    if word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    return word.removesuffix("s")


def _without_tense(word: str) -> str:
    if word.endswith("ied") and len(word) > _SHORTEST_STEMMED:
        return word.removesuffix("ied") + "y"
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and _VOWEL.search(stem):
            return _DOUBLED.sub(r"\1", stem)
    return word
