"""Keeping the index in line with what is published. Called within the services' transactions."""

from collections.abc import Iterable

from questionbank.catalog.models import PublishedConcept, PublishedQuestion, SearchWord
from questionbank.catalog.search.backends import backend
from questionbank.catalog.search.entries import Entry, Kind, key_of
from questionbank.catalog.search.words import stem_of, words_in
from questionbank.catalog.vocabulary import Tier

_BATCH = 500
_LONGEST_WORD = 40


def refresh_questions(ids: Iterable[int]) -> None:
    """Index these questions as they are published now, or forget them."""
    ids = list(ids)
    for start in range(0, len(ids), _BATCH):
        some = ids[start : start + _BATCH]
        rows = PublishedQuestion.objects.filter(question_id__in=some)
        texts = rows.values_list("question_id", "title", "summary", "plain_text")
        _replace(Kind.QUESTION, some, texts)


def refresh_concepts(ids: Iterable[int]) -> None:
    """Index these concepts as they are published now, or forget them."""
    ids = list(ids)
    for start in range(0, len(ids), _BATCH):
        some = ids[start : start + _BATCH]
        rows = PublishedConcept.objects.filter(concept_id__in=some)
        texts = rows.values_list("concept_id", "title", "summary", "plain_text")
        _replace(Kind.CONCEPT, some, texts)


def refresh_words() -> None:
    """Bring the words that may be suggested in line: only such as everyone may read."""
    wanted = _words_everyone_may_read()
    known = set(SearchWord.objects.values_list("word", flat=True))
    gone, new = sorted(known - wanted), sorted(wanted - known)
    for start in range(0, len(gone), _BATCH):
        SearchWord.objects.filter(word__in=gone[start : start + _BATCH]).delete()
    SearchWord.objects.bulk_create(
        (SearchWord(word=word, stem=stem_of(word)) for word in new), batch_size=_BATCH
    )
    backend().replace_words(gone, new)


def _replace(kind: Kind, ids: list[int], texts: Iterable[tuple[int, str, str, str]]) -> None:
    entries = [
        Entry(
            key=key_of(kind, document_id),
            title=_stems(title),
            summary=_stems(summary),
            body=_stems(body),
        )
        for document_id, title, summary, body in texts
    ]
    backend().replace([key_of(kind, document_id) for document_id in ids], entries)


def _stems(text: str) -> tuple[str, ...]:
    return tuple(word.stem for word in words_in(text))


def _words_everyone_may_read() -> set[str]:
    words: set[str] = set()
    for rows in (PublishedQuestion.objects.all(), PublishedConcept.objects.all()):
        for title, summary in rows.values_list("title", "summary").iterator():
            words |= _plain_words(f"{title} {summary}")
        for text in rows.filter(tier=Tier.OPEN).values_list("plain_text", flat=True).iterator():
            words |= _plain_words(text)
    return words


def _plain_words(text: str) -> set[str]:
    """Words worth suggesting: no numbers, nothing of one or two letters."""
    return {
        word.plain
        for word in words_in(text)
        if 2 < len(word.plain) <= _LONGEST_WORD and word.plain.isalpha()
    }
