"""Every version of a document: who wrote it and when, what it changed, and the way back to it."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, override

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from questionbank.catalog import services
from questionbank.catalog.models import Concept, Question, Topic, Track
from questionbank.catalog.selectors import bank

VERSIONS_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """A line of a comparison; `kind` is added, removed, place or same."""

    kind: str
    text: str


def compared(before: dict[str, str], after: dict[str, str]) -> Iterator[DiffLine]:
    """What changed between two versions, over every file of the document."""
    kinds = {"+": "added", "-": "removed", "@": "place"}
    for file in sorted(before.keys() | after.keys()):
        old, new = before.get(file, "").splitlines(), after.get(file, "").splitlines()
        lines = list(difflib.unified_diff(old, new, lineterm=""))[2:]
        if lines:
            yield DiffLine(kind="place", text=file)
        for line in lines:
            yield DiffLine(kind=kinds.get(line[:1], "same"), text=line)


class VersionedAdmin[Row: (Topic, Track, Concept, Question)](admin.ModelAdmin[Row]):
    """An admin whose history shows differences and restores.

    A row is one version together with its parts, which are edited below it.
    """

    parts = ""  # what the inlines hold, in the words of the log

    @override
    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Do nothing: the service stored the parts with the row, as one version."""

    @override
    def construct_change_message(
        self,
        request: HttpRequest,
        form: Any,
        formsets: Any,
        add: bool = False,
    ) -> Any:
        if add:
            return [{"added": {}}]
        changed_parts: list[str] = [self.parts] if any(f.has_changed() for f in formsets) else []
        return [{"changed": {"fields": [*form.changed_data, *changed_parts]}}]

    @override
    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.version_view)
        name = f"{self.opts.app_label}_{self.opts.model_name}_version"
        own = path("<path:object_id>/history/<int:version_id>/", view, name=name)
        return [own, *super().get_urls()]

    @override
    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self._row(request, object_id)
        versions = row.history.select_related("history_user").defer("document")[:VERSIONS_SHOWN]
        context = self._context(request, row) | {"versions": versions, "title": f"Versions: {row}"}
        return TemplateResponse(request, "admin/catalog/versions.html", context)

    def version_view(self, request: HttpRequest, object_id: str, version_id: int) -> HttpResponse:
        """What one version changed, and how it differs from now. POST restores it."""
        row = self._row(request, object_id)
        version = row.history.filter(history_id=version_id).first()
        if version is None:
            raise Http404
        if request.method == "POST":
            return self._restore(request, row, version)
        previous = version.prev_record
        files = bank.files_of(bank.document_of(version.instance))
        before = bank.files_of(bank.document_of(previous.instance)) if previous else {}
        context = self._context(request, row) | {
            "title": f"Version of {version.history_date:%d %B %Y, %H:%M}: {row}",
            "version": version,
            "changes": list(compared(before, files)),
            "from_now": list(compared(bank.files_of(bank.document_of(row)), files)),
            "may_restore": self.has_change_permission(request, row),
        }
        return TemplateResponse(request, "admin/catalog/version.html", context)

    def _restore(self, request: HttpRequest, row: Row, version: Any) -> HttpResponse:  # noqa: ANN401  # a generated model
        if not self.has_change_permission(request, row):
            raise PermissionDenied
        reason = f"restored the version of {version.history_date:%Y-%m-%d %H:%M}"
        services.save(bank.document_of(version.instance), row=row, reason=reason)
        self.log_change(request, row, reason)
        messages.success(request, f"{reason[0].upper()}{reason[1:]} as the draft.")
        change = reverse(
            f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[row.pk]
        )
        return HttpResponseRedirect(change)

    def _row(self, request: HttpRequest, object_id: str) -> Row:
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404
        if not self.has_view_or_change_permission(request, row):
            raise PermissionDenied
        return row

    def _context(self, request: HttpRequest, row: Row) -> dict[str, Any]:
        request.current_app = self.admin_site.name
        return {**self.admin_site.each_context(request), "opts": self.opts, "object": row}
