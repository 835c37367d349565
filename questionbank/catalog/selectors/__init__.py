"""Everything that pages read of the catalogue. Each takes the reader and returns frozen values."""

from questionbank.catalog.selectors.concepts import concept_page, concepts_overview
from questionbank.catalog.selectors.counts import unlock_counts
from questionbank.catalog.selectors.entries import feed_entries, sitemap_entries
from questionbank.catalog.selectors.front import front_page
from questionbank.catalog.selectors.previews import concept_preview, question_preview
from questionbank.catalog.selectors.questions import (
    published_card,
    question_cards,
    question_page,
    question_slugs,
)
from questionbank.catalog.selectors.topics import topic_page, topics_overview
from questionbank.catalog.selectors.tracks import track_page, tracks_overview

__all__ = [
    "concept_page",
    "concept_preview",
    "concepts_overview",
    "feed_entries",
    "front_page",
    "published_card",
    "question_cards",
    "question_page",
    "question_preview",
    "question_slugs",
    "sitemap_entries",
    "topic_page",
    "topics_overview",
    "track_page",
    "tracks_overview",
    "unlock_counts",
]
