"""Small models of hosted content systems: what their APIs answer after what an editor did, over real HTTP.

Ghost's answers have the shape that Ghost 5.130.6 gave, Strapi's that of Strapi 5.54.0; Contentful's and Zendesk Guide's
are those of the vendors' references. Only what a reader of the API can see is modelled.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from include.connectors.credentials import Credentials
from tests.connector_sources import Reply, Request
from tests.fakes.cms_editors import CmsModel, Draft, Entry


class GhostModel(CmsModel):
    """The Content API. `sent` posts (mail only) and drafts are told apart by editors only."""

    preset = "ghost"
    path = "/ghost/api/content"

    @staticmethod
    def name(number: int) -> str:
        return f"6b0db20a807d882ce{number:07x}"

    @staticmethod
    def credentials(key: str) -> Credentials:
        return Credentials(params={"key": key})

    def refusal(self, request: Request) -> Reply | None:
        key = request.query.get("key")
        if key is None:
            return _errors(403, "Authorization failed", "NoPermissionError")
        return None if key == self.key else _errors(401, "Unknown Content API Key", "UnauthorizedError")

    def reply(self, path: str, request: Request) -> Reply:
        public = [entry for entry in self.entries.values() if entry.live]
        if path != "posts":
            found = [entry for entry in public if path == f"posts/{entry.id}"]
            if not found:
                return _errors(404, "Resource not found error, cannot read post.", "NotFoundError")
            return Reply.of({"posts": [self._post(found[0])]})
        page, size = int(request.query.get("page", 1)), min(int(request.query.get("limit", 15)), self.most)
        total, fields = len(public), request.query.get("fields", "").split(",")
        rows = [self._post(entry) for entry in self._page_of(public, (page - 1) * size, size)]
        pages = max(1, -(-total // size))
        following = None if page == pages else page + 1  # also far beyond the end
        pagination = {"page": page, "limit": size, "pages": pages, "total": total, "next": following, "prev": None}
        shown = [{name: value for name, value in row.items() if name in fields} for row in rows]
        return Reply.of({"posts": shown, "meta": {"pagination": pagination}})

    def _post(self, entry: Entry) -> dict[str, Any]:
        assert entry.live
        is_open = entry.audience is None
        return {
            "id": entry.id,
            "title": entry.live.title,
            "slug": entry.live.slug,
            "url": f"https://example.org/{entry.live.slug}/",
            "html": f"<p>{entry.live.text}</p>" if is_open else "",
            "visibility": entry.audience or "public",
            "access": is_open,
            "created_at": _iso(entry.created_at, "seconds"),
            "updated_at": _iso(entry.updated_at, "seconds"),
            "published_at": _iso(entry.published_at, "seconds"),
            **entry.odd,
        }


class StrapiModel(CmsModel):
    """The REST API of a type `articles`. `role_may_read` false: the role of the token has lost `find`."""

    preset = "strapi"
    path = "/api"
    role_may_read = True

    @staticmethod
    def name(number: int) -> str:
        return f"docu{number:020}"

    @staticmethod
    def credentials(key: str) -> Credentials:
        return Credentials(headers={"Authorization": f"Bearer {key}"})

    def refusal(self, request: Request) -> Reply | None:
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return self._error(401, "UnauthorizedError", "Missing or invalid credentials")
        return None if self.role_may_read else self._error(403, "ForbiddenError", "Forbidden")

    def reply(self, path: str, request: Request) -> Reply:
        wants_drafts = request.query.get("status") == "draft"
        shown = [entry for entry in self.entries.values() if wants_drafts or entry.live]
        if path != "articles":
            found = [entry for entry in shown if path == f"articles/{entry.id}"]
            if not found:
                return self._error(404, "NotFoundError", "Not Found")
            return Reply.of({"data": self._row(found[0], wants_drafts), "meta": {}})
        asked = int(request.query.get("pagination[pageSize]", 25))
        page, size, total = int(request.query.get("pagination[page]", 1)), min(asked, self.most), len(shown)
        rows = [self._row(one, wants_drafts) for one in self._page_of(shown, (page - 1) * asked, size)]  # holes
        pagination = {"page": page, "pageSize": size, "pageCount": -(-total // size), "total": total}
        return Reply.of({"data": rows, "meta": {"pagination": pagination}})

    def _row(self, entry: Entry, is_draft: bool) -> dict[str, Any]:
        shown = entry.draft if is_draft else entry.live
        assert shown
        return {
            "id": 1000 * entry.revision + len(entry.id),  # another one with every publish
            "documentId": entry.id,
            "title": shown.title,
            "slug": shown.slug,
            "body": shown.text,
            "locale": "en",
            "createdAt": _iso(entry.created_at),
            "updatedAt": _iso(entry.updated_at),
            "publishedAt": None if is_draft else _iso(entry.updated_at),
            **entry.odd,
        }

    def _error(self, status: int, name: str, message: str) -> Reply:
        error = {"status": status, "name": name, "message": message, "details": {}}
        return _reply(status, {"data": None, "error": error})


class ContentfulModel(CmsModel):
    """The Content Delivery API. Texts are Markdown, or with `is_rich` rich text that may embed other entries."""

    preset = "contentful"
    path = "/spaces/s/environments/master"
    is_rich = False
    most = 1000

    @property
    def overlay(self) -> dict[str, Any]:
        typed = {"params": {"content_type": "article"}}
        if not self.is_rich:
            return {"site_url": "https://example.org/help/", "list": typed, "page": typed}
        selected = {"params": {"content_type": "article", "select": "sys,fields.body"}}
        parts = {"body_format": "contentful_rich_text", "parts": {"callout": ["fields.body"]}}
        return {
            "site_url": "https://example.org/help/",
            "list": {**selected, "version_covers_text": True, "paging": {"size": 100}},
            "page": {**typed, **parts},
        }

    @staticmethod
    def name(number: int) -> str:
        return f"4xQ{number:04}"

    @staticmethod
    def credentials(key: str) -> Credentials:
        return Credentials(headers={"Authorization": f"Bearer {key}"})

    def refusal(self, request: Request) -> Reply | None:
        if request.headers.get("authorization") == f"Bearer {self.key}":
            return None
        return self._error(401, "AccessTokenInvalid", "The access token you sent could not be found or is invalid.")

    def reply(self, path: str, request: Request) -> Reply:
        query = request.query
        size, start = int(query.get("limit", 100)), int(query.get("skip", 0))
        if path != "entries" or size > self.most or "content_type" not in query:
            return self._error(400, "InvalidQuery", "The query you sent was invalid.")
        asked_for = query.get("sys.id")
        found = [
            entry
            for entry in self.entries.values()
            if entry.live and entry.kind == query["content_type"] and asked_for in (None, entry.id)
        ]
        rows = self._page_of(found, start, size)
        items = [self._item(entry, with_fields=query.get("select") != "sys") for entry in rows]
        answer = {"sys": {"type": "Array"}, "total": len(found), "skip": start, "limit": size, "items": items}
        if query.get("select") != "sys" and "include" in query:
            answer |= self._linked(rows)
        return Reply.of(answer)

    def _item(self, entry: Entry, *, with_fields: bool = True) -> dict[str, Any]:
        assert entry.live
        sys = {
            "type": "Entry",
            "id": entry.id,
            "createdAt": _iso(entry.created_at),
            "updatedAt": _iso(entry.updated_at),
            "publishedVersion": 3 * entry.revision,
            "revision": entry.revision,
            "contentType": {"sys": {"type": "Link", "linkType": "ContentType", "id": entry.kind}},
            "locale": "en-US",
            **entry.odd,
        }
        body = self._rich_text(entry.live) if self.is_rich else entry.live.text
        fields = {"title": entry.live.title, "slug": entry.live.slug, "body": body}
        shown = {name: value for name, value in sys.items() if value is not None}  # what is empty is left out
        return {"metadata": {"tags": []}, "sys": shown, **({"fields": fields} if with_fields else {})}

    def _rich_text(self, draft: Draft) -> dict[str, Any]:
        text = {"nodeType": "text", "value": draft.text, "marks": [], "data": {}}
        paragraph = {"nodeType": "paragraph", "data": {}, "content": [text]}
        embedded = [
            {"nodeType": "embedded-entry-block", "data": {"target": _link(one)}, "content": []} for one in draft.embeds
        ]
        return {"nodeType": "document", "data": {}, "content": [paragraph, *embedded]}

    def _linked(self, rows: Iterable[Entry]) -> dict[str, Any]:
        ids = {one for entry in rows if entry.live for one in entry.live.embeds}
        live = [self.entries[one] for one in ids if one in self.entries and self.entries[one].live]
        missing = [
            {"sys": {"id": "notResolvable", "type": "error"}, "details": _link(one)["sys"]}
            for one in ids - {entry.id for entry in live}
        ]
        answer: dict[str, Any] = {"includes": {"Entry": [self._item(entry) for entry in live]}}
        return {**answer, "errors": missing} if missing else answer

    def _error(self, status: int, name: str, message: str) -> Reply:
        return _reply(status, {"sys": {"type": "Error", "id": name}, "message": message, "requestId": "r"})


class ZendeskModel(CmsModel):
    """Help Center articles of one locale. Without a credential: what everybody may see. With one: what an agent sees,
    drafts and restricted articles included."""

    preset = "zendesk_guide"
    path = "/api/v2/help_center/en-us"
    is_closed = False

    @staticmethod
    def name(number: int) -> str:
        return str(360_000_000 + number)

    @staticmethod
    def credentials(key: str) -> Credentials:
        return Credentials(basic=("agent@example.org/token", key))

    def refusal(self, request: Request) -> Reply | None:
        given = request.headers.get("authorization")
        right = b64encode(f"agent@example.org/token:{self.key}".encode()).decode()
        if given is not None and given != f"Basic {right}":
            return _reply(401, {"error": "Couldn't authenticate you"})
        if given is None and self.is_closed:
            return Reply(302, b"", "text/html", {"Location": "https://example.zendesk.com/access/unauthenticated"})
        return None

    def reply(self, path: str, request: Request) -> Reply:
        is_agent = "authorization" in request.headers
        shown = [
            entry
            for entry in self.entries.values()
            if not entry.archived and (is_agent or (entry.live and entry.audience is None))
        ]
        if path != "articles":
            found = [entry for entry in shown if path == f"articles/{entry.id}"]
            if not found:
                return _reply(404, {"error": "RecordNotFound", "description": "Not found"})
            return Reply.of({"article": self._article(found[0])})
        size, start = min(int(request.query["page[size]"]), self.most), int(request.query.get("page[after]", 0))
        rows = [self._article(entry) for entry in self._page_of(shown, start, size)]
        has_more, host = start + size < len(shown), request.headers["host"]
        next_page = f"http://{host}{self.path}/articles.json?page%5Bafter%5D={start + size}&page%5Bsize%5D={size}"
        meta = {"has_more": has_more, "after_cursor": str(start + size), "before_cursor": str(start)}
        return Reply.of({"articles": rows, "meta": meta, "links": {"next": next_page if has_more else None}})

    def answer(self, request: Request) -> Reply:
        return super().answer(replace(request, path=request.path.removesuffix(".json")))

    def _article(self, entry: Entry) -> dict[str, Any]:
        shown = entry.live or entry.draft
        several = isinstance(entry.audience, list)
        article = {
            "id": int(entry.id),
            "html_url": f"https://example.zendesk.com/hc/en-us/articles/{entry.id}-{shown.slug}",
            "title": shown.title,
            "body": f"<p>{shown.text}</p>",
            "locale": "en-us",
            "draft": entry.live is None,
            "user_segment_id": None if several else entry.audience,
            "user_segment_ids": entry.audience if several else [],
            "created_at": _iso(entry.created_at, "Z"),
            "updated_at": _iso(entry.updated_at, "Z"),
            "edited_at": _iso(entry.updated_at, "Z"),
            **entry.odd,
        }
        return {name: value for name, value in article.items() if value is not ...}


MODELS: Mapping[str, type[CmsModel]] = {
    model.preset: model for model in (GhostModel, StrapiModel, ContentfulModel, ZendeskModel)
}


def _iso(moment: datetime | None, form: str = "milliseconds") -> str | None:
    if moment is None:
        return None
    if form == "milliseconds":
        return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
    return f"{moment:%Y-%m-%dT%H:%M:%S}" + ("Z" if form == "Z" else ".000+00:00")


def _link(entry_id: str) -> dict[str, Any]:
    return {"sys": {"type": "Link", "linkType": "Entry", "id": entry_id}}


def _errors(status: int, message: str, kind: str) -> Reply:
    return _reply(status, {"errors": [{"message": message, "type": kind, "context": None, "details": None}]})


def _reply(status: int, data: object) -> Reply:
    return Reply(status, json.dumps(data).encode())
