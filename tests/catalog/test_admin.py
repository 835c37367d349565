"""The editors' side, driven as editors drive it: by its forms."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from questionbank.accounts.models import User
from questionbank.catalog import selectors, services
from questionbank.catalog.content import documents
from questionbank.catalog.models import Concept, Question, Topic, Track
from questionbank.catalog.readers import VISITOR
from questionbank.catalog.selectors import bank as stored
from questionbank.catalog.services import publish_files
from questionbank.catalog.vocabulary import Tier
from tests.catalog.banks import BODY, a_bank, a_question, numbered

pytestmark = pytest.mark.django_db

SVG = """<svg xmlns="http://www.w3.org/2000/svg" class="diagram" viewBox="0 0 100 40" role="img" \
aria-labelledby="t d">
  <title id="t">A ring</title>
  <desc id="d">One box.</desc>
  <rect class="cell" x="4" y="4" width="40" height="20"/>
</svg>
"""


@pytest.fixture
def published(db: None) -> None:
    publish_files(a_bank([a_question(), a_question("other")]))


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def chief(db: None) -> Client:
    """A superuser."""
    return signed_in(User.objects.create_superuser("chief@example.org"))


@pytest.fixture
def editor(db: None) -> Client:
    """Staff who may view, add and change questions, and nothing else."""
    user = User.objects.create_user("editor@example.org", is_staff=True)
    names = [f"{verb}_question" for verb in ("view", "add", "change")]
    user.user_permissions.set(
        Permission.objects.filter(codename__in=names, content_type__app_label="catalog")
    )
    return signed_in(user)


def form_of(client: Client, url: str) -> dict[str, str]:
    """The values that a browser would post back from a page's form, untouched."""
    page = client.get(url)
    assert page.status_code == 200, page.status_code
    adminform = page.context["adminform"]
    values: dict[str, str] = {}
    for form in (
        adminform.form,
        *(
            f
            for s in page.context["inline_admin_formsets"]
            for f in [s.formset.management_form, *s.formset.forms]
        ),
    ):
        for field in form:
            value = field.value()
            values[field.html_name] = "" if value is None else str(value)
    return values


def change_url(row: Question | Concept | Topic | Track) -> str:
    return reverse(f"admin:catalog_{type(row).__name__.lower()}_change", args=[row.pk])


def post(client: Client, url: str, *, button: str = "Save", **changes: str) -> str:
    """Change some fields of a page's form, press a button; the text of the page that comes back."""
    response = client.post(url, {**form_of(client, url), **changes, "_save": button}, follow=True)
    assert response.status_code == 200
    return unescape(re.sub(r"<[^>]+>", " ", response.content.decode()))


def question() -> Question:
    return Question.objects.get(slug="ring-time")


def title_shown() -> str:
    return selectors.question_page("ring-time", VISITOR).question.title


@pytest.mark.parametrize("role", ["chief", "editor"])
def test_saving_keeps_a_draft_and_publishing_shows_it(
    published: None, role: str, request: pytest.FixtureRequest
) -> None:
    client: Client = request.getfixturevalue(role)
    post(client, change_url(question()), title="How long, really?")
    assert title_shown() == "How long does ring-time take?"
    assert question().title == "How long, really?"
    page = post(client, change_url(question()), button="publish")
    assert "Published: readers see it now." in page
    assert title_shown() == "How long, really?"


def test_saving_without_a_change_changes_nothing_that_the_files_say(
    published: None, chief: Client
) -> None:
    before = stored.question_document(question())
    post(chief, change_url(question()), button="publish")
    assert stored.question_document(question()) == before


def test_an_editor_is_told_what_readers_see(published: None, editor: Client) -> None:
    address, as_readers = change_url(question()), 'href="/questions/ring-time/"'
    page = editor.get(address).content.decode()
    assert "The draft is the same." in page
    assert as_readers in page
    post(editor, address, title="How long, really?")
    page = editor.get(address).content.decode()
    assert "The draft has changes that they do not see yet." in page
    services.withdraw(question())
    page = editor.get(address).content.decode()
    assert "publishing the files leaves it so" in page
    assert as_readers not in page


def test_one_save_is_one_version_and_says_who(published: None, editor: Client) -> None:
    post(editor, change_url(question()), title="Mine")
    versions = list(question().history.all())
    assert [version.title for version in versions] == ["Mine", "How long does ring-time take?"]
    assert str(versions[0].history_user) == "editor@example.org"
    assert versions[0].history_change_reason == "edited"


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("body", BODY + "\n\n![A ring](nowhere.svg)", "Line 27: drawing 'nowhere.svg' is not in"),
        ("body", BODY.replace("## Follow-ups", "## More"), "section '## Follow-ups' is missing"),
        (
            "body",
            BODY.replace("It turns.", "```sheet\ntitle: T\nresults:\n  a: {formula: b + }\n```"),
            "Line ",
        ),
        ("body", BODY.replace("It turns.", "{{ nowhere }}"), "Line 7: {{ nowhere }}"),
        ("summary", "It takes {{ nowhere }}.", "{{ nowhere }}"),
        ("concepts", "ring: 0.5\nnowhere: 0.5", "'nowhere' is neither written nor planned"),
        ("concepts", "ring 0.5", "is not of the form slug: 0.8"),
        ("concepts", "ring: 3\ntorus: 0.1", "weight must be from 0 to 1"),
        ("exercises", "nowhere", "exercise 'nowhere' is not planned"),
        ("editor_note", "Only one.", "give 4 to 7 points, not 1"),
        ("sources", "A book", "is not of the form title | what was taken | address"),
        ("sources", "A book | a page | javascript:alert(1)", "must start with https://"),
        ("updated", "2026-13", "Give a month as YYYY-MM."),
        ("title", "", "This field is required."),
        ("title", "nul\0", "Null characters are not allowed."),
    ],
)
def test_a_mistake_is_shown_and_nothing_is_saved(
    published: None, chief: Client, field: str, value: str, said: str
) -> None:
    page = post(chief, change_url(question()), **{field: value})
    assert said in page
    assert question().history.count() == 1


@pytest.mark.parametrize(
    ("svg", "said"),
    [
        (SVG.replace("<rect", "<script>alert(1)</script><rect"), "script"),
        (SVG.replace("<rect", '<rect onclick="x()"'), "onclick"),
        (SVG.replace('class="cell"', 'class="cell" fill="#ff0000"'), "fill"),
        ("<svg", "svg"),
    ],
)
def test_a_bad_drawing_is_refused(published: None, chief: Client, svg: str, said: str) -> None:
    url = change_url(question())
    drawing = {
        "diagrams-TOTAL_FORMS": "1", "diagrams-0-name": "ring", "diagrams-0-svg": svg,
        "diagrams-0-id": "", "diagrams-0-question": str(question().pk),
    }  # fmt: skip
    page = post(chief, url, body=BODY + "\n\n![A ring](ring.svg)", **drawing)
    assert "Nothing was saved" in page
    assert said in page
    assert not question().diagrams.exists()


@pytest.mark.parametrize("role", ["chief", "editor"])
def test_a_drawing_comes_with_its_text_and_goes_again(
    published: None, role: str, request: pytest.FixtureRequest
) -> None:
    client: Client = request.getfixturevalue(role)
    url = change_url(question())
    drawing = {
        "diagrams-TOTAL_FORMS": "1", "diagrams-0-name": "ring", "diagrams-0-svg": SVG,
        "diagrams-0-id": "", "diagrams-0-question": str(question().pk),
    }  # fmt: skip
    text = BODY.replace("It turns.", "It turns.\n\n![A ring](ring.svg)")
    post(client, url, button="publish", body=text, **drawing)
    answer = selectors.question_page("ring-time", VISITOR).answer
    assert answer is not None
    assert "A ring</title>" in answer.html
    post(client, url, button="publish", body=BODY, **{"diagrams-0-DELETE": "on"})
    assert not question().diagrams.exists()


def test_a_new_question_is_added_listed_in_its_topic_and_published(
    published: None, editor: Client
) -> None:
    url = reverse("admin:catalog_question_add")
    values = {
        "title": "New?", "slug": "new", "topic": str(Topic.objects.get().pk), "level": "Core",
        "updated": "2026-10", "summary": "New.", "body": BODY, "concepts": "ring: 1\ntorus: 0.5",
        "editor_note": "a\nb\nc\nd", "sources": "A book | a page | https://example.org/",
    }  # fmt: skip
    post(editor, url, button="publish", **values)
    listed = selectors.topic_page("net", VISITOR).questions
    assert [card.slug for card in listed] == ["ring-time", "other", "new"]
    document = stored.question_document(Question.objects.get(slug="new"))
    assert document.concepts == (("ring", 1.0), ("torus", 0.5))
    assert document.sources[0].url == "https://example.org/"


def test_the_slug_of_a_question_stays(published: None, chief: Client) -> None:
    post(chief, change_url(question()), slug="else")
    assert Question.objects.filter(slug="ring-time").exists()


def test_an_explicit_tier_locks_on_publishing(published: None, chief: Client) -> None:
    post(chief, change_url(question()), button="publish", tier="premium")
    assert selectors.question_page("ring-time", VISITOR).answer is None


def test_a_version_shows_what_it_changed_and_is_restored(published: None, chief: Client) -> None:
    post(chief, change_url(question()), title="Second", body=BODY.replace("It turns", "It spins"))
    history = reverse("admin:catalog_question_history", args=[question().pk])
    listing = chief.get(history).content.decode()
    assert "chief@example.org" in listing
    second, first = question().history.all()
    url = reverse("admin:catalog_question_version", args=[question().pk, second.history_id])
    page = unescape(chief.get(url).content.decode())
    assert '<span class="removed">-It turns.' in page
    assert '<span class="added">+It spins.' in page
    url = reverse("admin:catalog_question_version", args=[question().pk, first.history_id])
    chief.post(url)
    assert "It turns." in question().body
    assert question().history.count() == 3
    assert question().history.first().history_change_reason.startswith("restored the version of")


def test_a_restored_version_brings_its_drawings_back(chief: Client) -> None:
    text = BODY.replace("It turns.", "It turns.\n\n![A ring](ring.svg)")
    drawn = a_question(body=text, diagrams=(documents.Diagram(name="ring", svg=SVG),))
    publish_files(a_bank([drawn]))
    url = change_url(question())
    post(chief, url, body=BODY, **{"diagrams-0-DELETE": "on"})
    assert not question().diagrams.exists()
    first = question().history.last()
    chief.post(reverse("admin:catalog_question_version", args=[question().pk, first.history_id]))
    assert stored.question_document(question()) == drawn


@pytest.mark.parametrize("role", ["chief", "editor"])
def test_actions_withdraw_and_publish(
    published: None, role: str, request: pytest.FixtureRequest
) -> None:
    client: Client = request.getfixturevalue(role)
    listing = reverse("admin:catalog_question_changelist")
    chosen = {"_selected_action": [str(question().pk)]}
    client.post(listing, {"action": "withdraw", **chosen})
    assert selectors.question_slugs() == ["other"]
    client.post(listing, {"action": "publish", **chosen})
    assert selectors.question_slugs() == ["other", "ring-time"]


def test_what_readers_see_cannot_be_deleted(published: None, chief: Client) -> None:
    url = reverse("admin:catalog_question_delete", args=[question().pk])
    assert chief.post(url, {"post": "yes"}).status_code == 403
    listing = reverse("admin:catalog_question_changelist")
    chief.post(
        listing,
        {"action": "delete_selected", "_selected_action": [str(question().pk)], "post": "yes"},
    )
    assert Question.objects.filter(slug="ring-time").exists()


def test_the_preview_is_the_page_with_the_draft_in_it(published: None, editor: Client) -> None:
    post(editor, change_url(question()), title="Drafted", body=BODY.replace("It turns", "It spins"))
    url = reverse("preview", kwargs={"kind": "question", "document_id": question().pk})
    page = editor.get(url).content.decode()
    assert "Drafted" in page
    assert "It spins." in page
    public = Client().get("/questions/ring-time/").content.decode()
    assert "It spins." not in public
    assert re.findall(r'<link rel="stylesheet"[^>]*>', page) == re.findall(
        r'<link rel="stylesheet"[^>]*>', public
    )


def test_drafts_are_for_editors_only(published: None, editor: Client) -> None:
    url = reverse("preview", kwargs={"kind": "question", "document_id": question().pk})
    member = signed_in(User.objects.create_user("member@example.org"))
    other = signed_in(User.objects.create_user("other@example.org", is_staff=True))
    assert Client().get(url).status_code == 302
    assert member.get(url).status_code == 302
    assert other.get(url).status_code == 403
    concept = reverse("preview", kwargs={"kind": "concept", "document_id": 1})
    assert editor.get(concept).status_code == 403


def test_staff_without_permissions_change_nothing(published: None, editor: Client) -> None:
    for row in (Concept.objects.get(), Topic.objects.get(), Track.objects.get()):
        assert editor.get(change_url(row)).status_code == 403
    viewer = User.objects.create_user("viewer@example.org", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_question"))
    client = signed_in(viewer)
    assert client.get(change_url(question())).status_code == 200
    assert client.post(change_url(question()), {"title": "x"}).status_code == 403
    version = question().history.first().history_id
    url = reverse("admin:catalog_question_version", args=[question().pk, version])
    assert client.get(url).status_code == 200
    assert client.post(url).status_code == 403
    listing = reverse("admin:catalog_question_changelist")
    client.post(listing, {"action": "withdraw", "_selected_action": [str(question().pk)]})
    assert "ring-time" in selectors.question_slugs()


def test_a_concept_is_edited_and_published(published: None, chief: Client) -> None:
    post(chief, change_url(Concept.objects.get()), button="publish", breath="Round it goes.")
    assert selectors.concept_page("ring", VISITOR).breath_html == "Round it goes."


def test_a_topic_is_reordered_at_once_and_unknown_slugs_are_refused(
    published: None, chief: Client
) -> None:
    url = change_url(Topic.objects.get())
    page = post(chief, url, question_order="other\nnowhere\nring-time")
    assert "'nowhere' is neither written nor planned." in page
    post(chief, url, question_order="other\nring-time")
    listed = selectors.topic_page("net", VISITOR).questions
    assert [card.slug for card in listed] == ["other", "ring-time"]


def test_a_topic_is_dealt_again_on_purpose(chief: Client) -> None:
    publish_files(a_bank(numbered(20, start=1)))
    publish_files(a_bank(numbered(21)))
    listing = reverse("admin:catalog_topic_changelist")
    chosen = {"_selected_action": [str(Topic.objects.get().pk)]}
    chief.post(listing, {"action": "deal_tiers_again", **chosen})
    tiers = [card.tier for card in selectors.topic_page("net", VISITOR).questions]
    assert tiers == [Tier.OPEN] * 10 + [Tier.SIGNED_IN] * 10 + [Tier.PREMIUM]


def test_a_track_is_edited_stage_by_stage(published: None, chief: Client) -> None:
    url = change_url(Track.objects.get())
    stages = {
        "stages-TOTAL_FORMS": "2", "stages-0-questions": "other", "stages-0-position": "2",
        "stages-1-title": "Before", "stages-1-position": "1", "stages-1-questions": "ring-time",
        "stages-1-id": "", "stages-1-track": str(Track.objects.get().pk),
    }  # fmt: skip
    page = post(chief, url, **{**stages, "stages-1-questions": "other"})
    assert "'other' stands in two stages." in page
    post(chief, url, **stages)
    shown = selectors.track_page("all", VISITOR).stages
    assert [(stage.title, [q.slug for q in stage.questions]) for stage in shown] == [
        ("Before", ["ring-time"]),
        ("First", ["other"]),
    ]


@pytest.mark.parametrize("name", ["question", "concept", "topic", "track"])
def test_lists_are_searched_and_filtered(published: None, chief: Client, name: str) -> None:
    url = reverse(f"admin:catalog_{name}_changelist")
    for query in ("", "?q=ring", "?state=published", "?state=draft", "?shown=open", "?level=Core"):
        wanted = 302 if query.startswith(("?s", "?l")) and name in ("topic", "track") else 200
        assert chief.get(url + query).status_code == wanted


def test_no_admin_page_needs_inline_script_or_style(published: None, chief: Client) -> None:
    version = question().history.first().history_id
    pages = [
        change_url(question()),
        reverse("admin:catalog_question_changelist"),
        reverse("admin:catalog_question_history", args=[question().pk]),
        reverse("admin:catalog_question_version", args=[question().pk, version]),
        change_url(Track.objects.get()),
    ]
    for url in pages:
        page = chief.get(url).content.decode()
        scripts = re.findall(r"<script([^>]*)>", page)
        assert all("src=" in s or "application/json" in s for s in scripts)
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=", page)
