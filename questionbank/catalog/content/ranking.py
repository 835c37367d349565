"""Which concepts lie closest to a question: TF-IDF and cosine, plus what its author linked."""

import math
import re
from collections import Counter
from collections.abc import Mapping

import msgspec

from questionbank.catalog.content.blocks import outline
from questionbank.catalog.content.documents import Bank, Concept, Question

TITLE_WEIGHT, SUMMARY_WEIGHT, BODY_WEIGHT = 3, 2, 1
LINK_SHARE = 0.5
SHOWN = 6

_WORD = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_PLACEHOLDER = re.compile(r"\{\{[^{}]*\}\}")
_STOP = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "each", "for",
    "from", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "no", "not", "of",
    "on", "one", "or", "so", "than", "that", "the", "their", "then", "there", "they", "this",
    "to", "was", "what", "when", "where", "which", "who", "why", "will", "with", "you", "your",
})  # fmt: skip


class Ranked(msgspec.Struct, frozen=True):
    """A concept and how close it is: the cosine plus half the author's weight."""

    slug: str
    score: float


def rank_concepts(bank: Bank) -> dict[str, list[Ranked]]:
    """Give, for each question, its closest concepts, best first.

    The corpus is every question and concept. A term's weight is its count (titles three times,
    summaries twice) times ln((1 + n) / (1 + documents with it)) + 1. A linked concept is never
    absent; the rest are the best, six in all (more only where more are linked). Equal scores
    stand in the order of slugs.
    """
    counts = {id(d): _counts(d) for d in bank.documents}
    spread = Counter(term for count in counts.values() for term in count)
    size = len(counts)
    rarity = {term: math.log((1 + size) / (1 + n)) + 1 for term, n in spread.items()}
    concepts = {c.slug: _unit_vector(counts[id(c)], rarity) for c in bank.concepts}
    return {
        question.slug: _closest(question, _unit_vector(counts[id(question)], rarity), concepts)
        for question in bank.questions
    }


def _closest(
    question: Question, vector: Mapping[str, float], concepts: Mapping[str, Mapping[str, float]]
) -> list[Ranked]:
    links = {slug: weight for slug, weight in question.concepts if slug in concepts}
    scored = [
        Ranked(slug, _dot(vector, other) + LINK_SHARE * links.get(slug, 0.0))
        for slug, other in concepts.items()
    ]
    scored.sort(key=lambda ranked: (-ranked.score, ranked.slug))
    room = max(0, SHOWN - len(links))
    others = [ranked.slug for ranked in scored if ranked.slug not in links][:room]
    kept = links.keys() | set(others)
    return [ranked for ranked in scored if ranked.slug in kept]


def _counts(document: Question | Concept) -> Counter[str]:
    counts: Counter[str] = Counter()
    parts = (
        (document.title, TITLE_WEIGHT),
        (document.summary, SUMMARY_WEIGHT),
        (_prose(document.body), BODY_WEIGHT),
    )
    for text, weight in parts:
        for term in terms(text):
            counts[term] += weight
    return counts


def _prose(body: str) -> str:
    """Leave sheets out: `formula`, `label` and `show` are words of the format, not of a text."""
    parts = outline(body)
    code = [fence.text for fence in parts.fences if fence.words[:1] != ["sheet"]]
    return "\n".join([*(h.text for h in parts.headings), *(line for _, line in parts.prose), *code])


def terms(text: str) -> list[str]:
    """Give the terms of a text: lower-case words, plural `s` dropped, common words left out."""
    words = _WORD.findall(_PLACEHOLDER.sub(" ", text).lower())
    return [_singular(word) for word in words if word not in _STOP and len(word) > 1]


def _singular(word: str) -> str:
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _unit_vector(counts: Mapping[str, int], rarity: Mapping[str, float]) -> dict[str, float]:
    vector = {term: count * rarity[term] for term, count in sorted(counts.items())}
    length = math.sqrt(math.fsum(value * value for value in vector.values()))
    return {term: value / length for term, value in vector.items()} if length else {}


def _dot(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    # fsum: the result must not depend on the order of the terms.
    return math.fsum(value * other[term] for term, value in one.items() if term in other)
