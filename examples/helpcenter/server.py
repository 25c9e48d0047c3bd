"""A small JSON CMS with the help center of an outdoor shop, for the demo and the tests. Standard library only.

    python examples/helpcenter/server.py --content examples/helpcenter/articles --port 8091

    GET  /api/v2/me                                       who the token is; 200 and "anonymous" for a wrong one
    GET  /api/v2/articles?page=1&per_page=30[&status=any] the list, with a total; drafts only for the token
    GET  /api/v2/articles/<id>                            one article with its Markdown body; ETag, 304
    GET  /en/articles/<slug>                              the page for people; 404 unless published, 301 once moved
    POST /__control                                       local only, JSON: {"action": ...}, see `HelpCenter.control`

Articles are read from files when it starts and changed in memory only: every start is the same help center.
"""

from __future__ import annotations

import argparse
import hashlib
import html
import json
import threading
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "helpcenter-demo-token"
MAX_PER_PAGE = 100
FAULTS = (
    "outage500",
    "html200",
    "empty200",
    "truncated",
    "timeout",
    "total_mismatch",
    "page_cap",
    "repeat_page",
    "anonymous",
)


@dataclass(frozen=True, slots=True)
class Article:
    id: int
    slug: str
    title: str
    section: str
    status: str
    audience: str
    created_at: str
    updated_at: str
    body: str


@dataclass(slots=True)
class HelpCenter:
    """The state: articles by id, slugs that were moved, and the fault that is switched on, if any.

    `outage500`, `html200`, `truncated`, `timeout` hit the whole API; `empty200`, `total_mismatch`, `page_cap`,
    `repeat_page` the list (and `empty200` single articles as well: a lost table says 404); `anonymous` takes every
    token for a wrong one.
    """

    articles: dict[int, Article]
    moved: dict[str, str] = field(default_factory=dict)
    fault: str = ""
    fault_pages: int = 1
    released: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def load(cls, content: Path) -> HelpCenter:
        articles = [read_article(path) for path in sorted(content.iterdir()) if path.suffix in (".md", ".json")]
        if not articles:
            raise SystemExit(f"{content} holds no article (*.md, *.json)")
        return cls({article.id: article for article in articles})

    def visible(self, *, authenticated: bool, status: str) -> list[Article]:
        wanted = [article for article in self.articles.values() if article.status == "published" or status == "any"]
        if not authenticated:
            wanted = [article for article in wanted if article.status == "published" and article.audience == "everyone"]
        return sorted(wanted, key=lambda article: article.id)

    def control(self, order: dict[str, Any]) -> dict[str, Any]:
        """Carry out one order: publish, unpublish, delete (id); edit (id and the fields to change); create (fields);
        fault (fault: one of FAULTS or ""); incident (everything in incident.json). `days_ago` dates a change back.
        Raises KeyError or ValueError for an order that makes no sense."""
        action = order["action"]
        with self.lock:
            if action == "incident":
                orders = json.loads((Path(__file__).parent / "incident.json").read_text(encoding="utf-8"))
                return {"done": [self._change(one) for one in orders]}
            if action == "fault":
                return self._switch(str(order.get("fault", "")))
            return self._change(order)

    def _switch(self, fault: str) -> dict[str, Any]:
        if fault and fault not in FAULTS:
            raise ValueError(f"unknown fault {fault!r}, known: {', '.join(FAULTS)}")
        self.fault = fault
        self.released.set()
        self.released = threading.Event()
        return {"fault": fault}

    def _change(self, order: dict[str, Any]) -> dict[str, Any]:
        action, days = order["action"], float(order.get("days_ago", 0))
        now = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="microseconds").replace("+00:00", "Z")
        if action == "create":
            number = int(order.get("id") or max(self.articles, default=1000) + 1)
            fields = {
                "slug": f"article-{number}",
                "title": "Untitled",
                "section": "News",
                "audience": "everyone",
                "body": "",
            }
            given = {name: str(order[name]) for name in fields if name in order}
            article = Article(id=number, status=order.get("status", "published"), created_at=now, updated_at=now,
                              **{**fields, **given})  # fmt: skip
        else:
            article = self.articles[int(order["id"])]
            number = article.id
        if action == "delete":
            del self.articles[number]
            return {"deleted": number}
        orders: dict[str, dict[str, Any]] = {
            "publish": {"status": "published"},
            "unpublish": {"status": "draft"},
            "edit": {name: order[name] for name in ("title", "slug", "section", "audience", "body") if name in order},
            "create": {},
        }
        changes = orders[action]
        if "slug" in changes and changes["slug"] != article.slug:
            self.moved[article.slug] = changes["slug"]
        self.articles[number] = replace(article, updated_at=now, **changes)
        return {action: number, "updated_at": now}


def read_article(path: Path) -> Article:
    """A JSON object, or Markdown below `name: value` lines between two `---`."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return Article(**json.loads(text))
    _, head, body = text.split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    return Article(id=int(fields.pop("id")), body=body.strip() + "\n", **fields)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet; two would wait 40 ms for each other
    server: Server

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        parts = [part for part in url.path.split("/") if part]
        if parts[:2] == ["en", "articles"] and len(parts) == 3:
            self._page(parts[2])
        elif parts[:2] == ["api", "v2"] and not self._broken():
            if parts[2:] == ["me"]:
                role = "reader" if self._authenticated() else "anonymous"
                self._json(200, {"user": {"role": role}})
            elif parts[2:] == ["articles"]:
                self._list(query)
            elif len(parts) == 4 and parts[2] == "articles":
                self._article(parts[3])
            else:
                self._json(404, {"error": "RecordNotFound"})
        elif parts[:2] != ["api", "v2"]:
            self._send(404, b"<h1>Not found</h1>", "text/html; charset=utf-8")

    def do_POST(self) -> None:
        if self.client_address[0] not in ("127.0.0.1", "::1") or self.path != "/__control":
            self._json(403, {"error": "Forbidden"})
            return
        try:
            order = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            self._json(200, self.center.control(order))
        except (KeyError, ValueError, TypeError) as error:
            self._json(400, {"error": f"{type(error).__name__}: {error}"})

    @property
    def center(self) -> HelpCenter:
        return self.server.center

    def _authenticated(self) -> bool:
        return self.center.fault != "anonymous" and self.headers.get("Authorization") == f"Bearer {TOKEN}"

    def _broken(self) -> bool:
        """Answers in place of the API while a fault of the whole API is on."""
        fault = self.center.fault
        if fault == "outage500":
            self._send(500, b"<h1>Internal Server Error</h1>", "text/html")
        elif fault == "html200":
            self._send(200, b"<!doctype html><title>Sign in</title><form>...</form>", "text/html; charset=utf-8")
        elif fault == "timeout":
            self.center.released.wait(60)  # until the fault is switched, or the client has long given up
            self.close_connection = True
        else:
            return False
        return True

    def _list(self, query: dict[str, str]) -> None:
        center, fault = self.center, self.center.fault
        page = max(1, int(query.get("page", 1)))
        per_page = max(1, min(MAX_PER_PAGE, int(query.get("per_page", 30))))
        with center.lock:
            found = center.visible(authenticated=self._authenticated(), status=query.get("status", "published"))
        total = len(found)
        if fault == "empty200":
            found, total = [], 0
        elif fault == "total_mismatch":
            total += 3
        elif fault == "page_cap":
            found = found[: per_page * center.fault_pages]
        served = center.fault_pages if fault == "repeat_page" else page
        rows = found[(served - 1) * per_page : served * per_page]
        is_last = page * per_page >= total
        following = None if is_last else f"/api/v2/articles?page={page + 1}&per_page={per_page}"
        self._json(200, {
            "articles": [self._row(article) for article in rows],
            "page": page, "per_page": per_page, "total": total, "next_page": following,
        })  # fmt: skip

    def _article(self, number: str) -> None:
        article = self.center.articles.get(int(number)) if number.isdigit() else None
        hidden = article is not None and article not in self.center.visible(
            authenticated=self._authenticated(), status="any"
        )
        if article is None or hidden or self.center.fault == "empty200":
            self._json(404, {"error": "RecordNotFound"})
        else:
            self._json(200, {"article": {**self._row(article), "body": article.body}})

    def _row(self, article: Article) -> dict[str, Any]:
        names = ("id", "title", "slug", "section", "status", "audience", "created_at", "updated_at")
        return {**{name: getattr(article, name) for name in names}, "locale": "en",
                "url": f"{self.server.url}/en/articles/{article.slug}"}  # fmt: skip

    def _page(self, slug: str) -> None:
        if slug in self.center.moved:
            self._send(301, b"", "text/html", {"Location": f"/en/articles/{self.center.moved[slug]}"})
            return
        everyone = self.center.visible(authenticated=False, status="published")
        article = next((one for one in everyone if one.slug == slug), None)
        if article is None:
            self._send(404, b"<h1>This article does not exist</h1>", "text/html; charset=utf-8")
            return
        title, text = html.escape(article.title), html.escape(article.body)
        page = (
            f"<!doctype html><meta charset=utf-8><title>{title}</title><main><h1>{title}</h1><pre>{text}</pre></main>"
        )
        self._send(200, page.encode(), "text/html; charset=utf-8")

    def _json(self, status: int, data: object) -> None:
        body = json.dumps(data, ensure_ascii=False).encode()
        headers: dict[str, str] = {}
        if status == 200 and self.command == "GET":
            headers["ETag"] = etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
            if self.headers.get("If-None-Match") == etag:
                self._send(304, b"", "application/json", headers)
                return
        cut = len(body) // 2 if self.center.fault == "truncated" and self.command == "GET" else len(body)
        self._send(status, body[:cut], "application/json; charset=utf-8", headers)

    def _send(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        if self.server.verbose:
            super().log_message(format, *args)


class Server(ThreadingHTTPServer):
    """`url` is where it listens. Port 0 takes a free one."""

    daemon_threads = True

    def __init__(self, center: HelpCenter, port: int, *, host: str = "127.0.0.1", verbose: bool = False) -> None:
        super().__init__((host, port), Handler)
        self.center = center
        self.verbose = verbose
        self.url = f"http://{host}:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hung up during a fault is the purpose of the fault."""


def main() -> None:
    parser = argparse.ArgumentParser(description="A small JSON CMS for the truecopy demo")
    parser.add_argument("--content", type=Path, default=Path(__file__).parent / "articles")
    parser.add_argument("--port", type=int, default=8091)
    parser.add_argument("--verbose", action="store_true", help="log every request")
    arguments = parser.parse_args()
    server = Server(HelpCenter.load(arguments.content), arguments.port, verbose=arguments.verbose)
    count = len(server.center.visible(authenticated=False, status="published"))
    print(f"help center: {server.url}/api/v2/articles, {count} articles for everyone, token {TOKEN}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
