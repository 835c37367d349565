"""The addresses that readers see."""

from django.contrib.sitemaps.views import sitemap
from django.urls import path, re_path
from django.views.decorators.cache import cache_control

from questionbank.pages.feeds import NewAnswers
from questionbank.pages.robots import SITEMAPS, robots_txt
from questionbank.pages.views import about, finding, own, preview, reading

# The same for everyone: what they list is open to all.
for_all = cache_control(public=True, max_age=300)

urlpatterns = [
    path("", reading.front, name="front"),
    path("topics/", reading.topics, name="topics"),
    path("topics/<slug:slug>/", reading.topic, name="topic"),
    path("tracks/", reading.tracks, name="tracks"),
    path("tracks/<slug:slug>/", reading.track, name="track"),
    path("questions/<slug:slug>/", reading.question, name="question"),
    path("concepts/", reading.concepts, name="concepts"),
    path("concepts/<slug:slug>/", reading.concept, name="concept"),
    path("search/", finding.search, name="search"),
    path("progress/", own.progress, name="progress"),
    path("bookmarks/", own.bookmarks, name="bookmarks"),
    path("unlock/", about.unlock, name="unlock"),
    re_path(
        r"^preview/(?P<kind>question|concept)s/(?P<document_id>[0-9]+)/$",
        preview.preview,
        name="preview",
    ),
    path("styleguide/", about.styleguide, name="styleguide"),
    path("feed.xml", for_all(NewAnswers()), name="feed"),
    path("robots.txt", for_all(robots_txt), name="robots"),
    path("sitemap.xml", for_all(sitemap), {"sitemaps": SITEMAPS}, name="sitemap"),
]
