"""A WordPress in memory behind real HTTP, as far as the connector can tell: same answers, same refusals, same faults.

tests/cms/test_real_wordpress.py runs the same states against it and against the real one.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from include.connectors.credentials import Credentials
from include.connectors.http_session import Pace
from include.connectors.wordpress import WordPressConnector
from include.connectors.wordpress_options import WordPressOptions
from include.ports import Clock
from tests.connector_sources import Reply, Request, http_server

TYPES = {"posts": "post", "pages": "page", "guides": "guide"}
FAST = {"retries": 1, "backoff": 0.05, "retry_after_max": 0, "requests_per_second": 1000, "burst": 1000}


@dataclass
class Post:
    id: int
    type: str
    status: str
    slug: str
    title: str
    content: str
    modified: datetime
    date: datetime
    parent: int = 0
    password: str = ""
    status_before_trash: str = ""


@dataclass
class FakeWordPress:
    """Its verbs are those of `tests.cms.wordpress.WordPressSite`. `overrides` are fields that a plugin changes
    (by id), `requests` what was asked for, `counted` what the lists declare as their total. `between` is called after
    every answer to a list."""

    url: str = ""
    posts: dict[int, Post] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)
    passwords: dict[str, str] = field(default_factory=lambda: {"admin": "abcd efgh", "viewer": "ijkl mnop"})
    category_name: str = "Uncategorized"
    pattern_text: str = "<p>A shared notice.</p>"
    has_plain_permalinks: bool = False
    faults: set[str] = field(default_factory=set)
    capabilities: dict[str, bool] = field(default_factory=lambda: {"read": True})
    overrides: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    counted: int | None = None
    between: Any = None

    @classmethod
    @contextmanager
    def serving(cls) -> Iterator[FakeWordPress]:
        """One page exists, as on the real peer."""
        site = cls()
        with http_server(site.answer) as site.url:
            site.create("pages", title="Welcome", content="<p>Nobody ever edits this page.</p>")
            yield site

    def open_connector(
        self, clock: Clock, *, user: str = "", pace: Pace | None = None, **options: Any
    ) -> WordPressConnector:
        chosen = {"url": self.url, "types": list(TYPES), **options, "http": {**FAST, **options.get("http", {})}}
        credentials = Credentials(basic=(user, self.passwords.get(user, "wrong"))) if user else None
        return WordPressConnector(
            "wordpress", WordPressOptions.model_validate(chosen), clock=clock, credentials=credentials, pace=pace
        )

    # What editors do

    def create(self, rest_base: str = "posts", **fields: Any) -> str:
        number = max(self.posts, default=3) + 1
        now = datetime.now(UTC).replace(microsecond=0)
        self.posts[number] = Post(number, TYPES[rest_base], "publish", "", "", "", now, now)
        self.documents[str(number)] = rest_base
        self.edit(str(number), **{"slug": str(fields.get("title", number)), **fields})
        return str(number)

    def edit(self, doc_id: str, **fields: Any) -> None:
        post = self.posts[int(doc_id)]
        if post.status == "trash" and fields.get("status") not in (None, "trash"):
            post.slug = post.slug.removesuffix("__trashed")
        if "slug" in fields:
            fields["slug"] = self._free_slug(post, fields["slug"])
        if "date_gmt" in fields:
            post.date = datetime.fromisoformat(fields.pop("date_gmt")).replace(tzinfo=UTC)
        for name, value in fields.items():
            setattr(post, name, value)
        post.modified = datetime.now(UTC).replace(microsecond=0)

    def trash(self, doc_id: str) -> None:
        self.edit(doc_id, status="trash")
        self.posts[int(doc_id)].slug += "__trashed"

    def delete(self, doc_id: str) -> None:
        gone = self.posts.pop(int(doc_id))
        for post in self.posts.values():
            if post.parent == gone.id:
                post.parent = gone.parent

    def schedule(self, rest_base: str = "posts", *, days: float = 1, **fields: Any) -> str:
        doc_id = self.create(rest_base, **fields)
        self.reschedule(doc_id, days=days)
        return doc_id

    def reschedule(self, doc_id: str, *, days: float = 1) -> None:
        self.edit(doc_id, status="future", date_gmt=f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%dT%H:%M:%S}")

    def let_it_become_due(self, doc_id: str) -> None:
        post = self.posts[int(doc_id)]
        post.date, post.status = datetime.now(UTC).replace(microsecond=0) - timedelta(seconds=1), "publish"

    def rename_category(self, name: str) -> None:
        self.category_name = name

    def edit_pattern(self, content: str) -> None:
        self.pattern_text = content

    @property
    def pattern(self) -> str:
        """The content by which a document uses the synced pattern."""
        return '<!-- wp:block {"ref":3} /-->'

    def change_type(self, doc_id: str, rest_base: str) -> None:
        self.posts[int(doc_id)].type = TYPES[rest_base]
        self.documents[doc_id] = rest_base

    def age(self, doc_id: str) -> None:
        """It was saved long ago."""
        self.posts[int(doc_id)].modified = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    def use_plain_permalinks(self) -> None:
        self.has_plain_permalinks = True

    def read(self, doc_id: str) -> str | None:
        """What an anonymous reader gets from the HTML page."""
        post = self.posts.get(int(doc_id))
        if post is None or post.status != "publish" or post.password:
            return None
        return html.unescape(re.sub("<[^>]*>", "", self._rendered(post))).strip()

    # Faults

    def fault(self, name: str) -> AbstractContextManager[None]:
        return self._with(name)

    def lose_the_posts(self) -> None:
        self.faults.add("table_lost")

    def find_the_posts(self) -> None:
        self.faults.discard("table_lost")

    @contextmanager
    def _with(self, name: str) -> Iterator[None]:
        self.faults.add(name)
        try:
            yield
        finally:
            self.faults.discard(name)

    # What it answers

    def answer(self, request: Request) -> Reply:
        self.requests.append(request)
        pretty = request.path.removeprefix("/wp-json/") if request.path.startswith("/wp-json/") else None
        route = request.query.get("rest_route", "").lstrip("/") or (None if self.has_plain_permalinks else pretty)
        if "maintenance" in self.faults:
            return Reply(503, b"<html>Briefly unavailable</html>", "text/html", {"Retry-After": "600"})
        if "installer" in self.faults:
            return Reply(302, b"", "text/html", {"Location": f"{self.url}/wp-admin/install.php"})
        if "page" in self.faults or route is None:
            return Reply(200, b"<!DOCTYPE html><title>We will be back</title>", "text/html")
        user = self._user(request)
        if "closed" in self.faults and user is None:
            return _refusal(401, "rest_not_logged_in")
        reply = self._route(route, request.query, user)
        if "notice" in self.faults:
            reply.body = b"<br />\n<b>Notice</b>: Undefined index in plugin.php on line 7<br />\n" + reply.body
        return reply

    def _route(self, route: str, query: dict[str, str], user: str | None) -> Reply:
        if route == "wp/v2/users/me":
            if user is None:
                return _refusal(401, "rest_not_logged_in")
            roles = ["administrator" if user == "admin" else "subscriber"]
            return Reply.of({"id": 1 + (user != "admin"), "roles": roles, "capabilities": self.capabilities})
        rest_base, _, doc_id = route.removeprefix("wp/v2/").partition("/")
        is_dropped = rest_base == "guides" and "type_dropped" in self.faults
        if (
            not route.startswith("wp/v2/")
            or rest_base not in TYPES
            or is_dropped
            or (doc_id and not doc_id.isdecimal())
        ):
            return _refusal(404, "rest_no_route")
        if doc_id:
            return self._one(TYPES[rest_base], int(doc_id), query, user)
        reply = self._list(TYPES[rest_base], query)
        if self.between:
            self.between(self)
        return reply

    def _list(self, type_name: str, query: dict[str, str]) -> Reply:
        if not 1 <= int(query["per_page"]) <= 100:
            return _refusal(400, "rest_invalid_param")
        start, size = int(query.get("offset", 0)), int(query["per_page"])
        rows = [post for _, post in sorted(self.posts.items()) if (post.type, post.status) == (type_name, "publish")]
        if self.faults & {"table_lost", "filtered", f"{type_name}_filtered"}:
            rows = []
        if (query.get("orderby"), query.get("order")) != ("id", "asc"):
            rows.reverse()  # the newest first, and everything moves with each new one
        served = rows[start : start + size]
        total = len(rows) if served or not start else 0  # past the end the total is 0
        total = total if self.counted is None else self.counted
        headers = {} if "no_total" in self.faults else {"X-WP-Total": str(total)}
        return Reply.of([self._shown(post, query) for post in served], **headers)

    def _one(self, type_name: str, number: int, query: dict[str, str], user: str | None) -> Reply:
        post = self.posts.get(number)
        if post is None or post.type != type_name or "table_lost" in self.faults:
            return _refusal(404, "rest_post_invalid_id")
        if post.status != "publish" and user != "admin":
            return _refusal(403 if user else 401, "rest_forbidden")
        return Reply.of(self._shown(post, query))

    def _shown(self, post: Post, query: dict[str, str]) -> dict[str, Any]:
        whole = {
            "id": post.id,
            "type": post.type,
            "status": post.status,
            "slug": post.slug,
            "link": self._link(post),
            "modified_gmt": f"{post.modified:%Y-%m-%dT%H:%M:%S}",
            "date_gmt": f"{post.date:%Y-%m-%dT%H:%M:%S}",
            "title": {"rendered": ("Protected: " if post.password else "") + html.escape(post.title, quote=False)},
            "content": {"rendered": "" if post.password else self._rendered(post), "protected": bool(post.password)},
            **self.overrides.get(str(post.id), {}),
        }
        if "_fields" not in query:
            return whole
        shown: dict[str, Any] = {}
        for name in query["_fields"].split(","):
            top, _, inner = name.partition(".")
            if inner and isinstance(whole.get(top), dict) and inner in whole[top]:
                shown.setdefault(top, {})[inner] = whole[top][inner]
            elif not inner and top in whole:
                shown[top] = whole[top]
        return shown

    def _rendered(self, post: Post) -> str:
        text = post.content.replace(self.pattern, self.pattern_text)
        text = text.replace("[categories]", f"Filed under {self.category_name}.")
        return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)

    def _link(self, post: Post) -> str:
        if self.has_plain_permalinks:
            return f"{self.url}/?{'page_id' if post.type == 'page' else 'p'}={post.id}"
        parts, above = [post.slug], self.posts.get(post.parent)
        while above is not None:
            parts.insert(0, above.slug)
            above = self.posts.get(above.parent)
        return f"{self.url}/{'guides/' if post.type == 'guide' else ''}{'/'.join(parts)}/"

    def _free_slug(self, post: Post, wanted: str) -> str:
        slug = re.sub(r"[^a-z0-9]+", "-", wanted.lower()).strip("-") or str(post.id)
        taken = {other.slug for other in self.posts.values() if other is not post}
        return next(one for one in (slug, *(f"{slug}-{n}" for n in range(2, 1000))) if one not in taken)

    def _user(self, request: Request) -> str | None:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind != "Basic":
            return None
        login, _, password = base64.b64decode(token).decode().partition(":")
        return login if self.passwords.get(login) == password else None  # wrong: as if nobody had logged in


def _refusal(status: int, code: str) -> Reply:
    reply = Reply.of({"code": code, "message": code, "data": {"status": status}})
    reply.status = status
    return reply
