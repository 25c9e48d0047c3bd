"""Working sources for connector tests: a paged JSON CMS over real HTTP, real git repositories, a clock to turn."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

from examples.helpcenter.server import HelpCenter, Server
from include.connectors.credentials import Credentials
from include.connectors.http_json import HttpJsonConnector
from include.connectors.http_options import HttpJsonOptions

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
HELP_CENTER = Path(__file__).parents[1] / "examples" / "helpcenter"


@dataclass
class TurnableClock:
    """The wall clock and the pace of a connector in one: sleeping turns it, nothing else does."""

    moment: datetime = NOW
    elapsed: float = 0.0
    sleeps: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return self.moment + timedelta(seconds=self.elapsed)

    def monotonic(self) -> float:
        return self.elapsed

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.elapsed += seconds


@dataclass
class Reply:
    """What a scripted server sends. `cut`: the connection breaks after that many bytes of the body."""

    status: int = 200
    body: bytes = b""
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None

    @classmethod
    def of(cls, data: object, **headers: str) -> Reply:
        return cls(body=json.dumps(data).encode(), headers=dict(headers))


@dataclass
class Request:
    path: str
    query: dict[str, str]
    headers: dict[str, str]


@contextmanager
def http_server(answer: Callable[[Request], Reply]) -> Iterator[str]:
    """The URL of a server that answers every GET with `answer(request)`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet; two would wait 40 ms for each other

        def do_GET(self) -> None:
            url = urlsplit(self.path)
            query = {name: values[-1] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
            reply = answer(Request(url.path, query, {name.lower(): value for name, value in self.headers.items()}))
            self.send_response(reply.status)
            headers = {"Content-Type": reply.kind, "Content-Length": str(len(reply.body)), **reply.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body[: reply.cut])
            if reply.cut is not None:
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass

    server = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class ModelCms:
    """A CMS that pages in any style and misbehaves on request.

    `clamp` caps the page size; `echo` says so in the answer; `clamp_counts_asked_size`: the offset of a page is
    counted in the size that was asked for (holes between pages). `totals`, `total_of`: what it declares.
    `between` is called after every list page, `later` is sent for every page but the first. `hidden_after`: rows
    beyond are never served (a silent cap).
    """

    ids: list[str] = field(default_factory=list)
    style: str = "page"
    clamp: int = 1000
    echo: bool = True
    clamp_counts_asked_size: bool = False
    totals: bool = True
    total_of: Callable[[int], object] = lambda total: total
    hidden_after: int | None = None
    between: Callable[[ModelCms], None] = lambda cms: None
    later: Reply | None = None
    replies: dict[int, Reply] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    list_pages: int = 0

    def answer(self, request: Request) -> Reply:
        self.requests.append(request)
        if request.path == "/list":
            self.list_pages += 1
            is_later = request.query.get("page", "1") != "1"
            reply = self.replies.get(self.list_pages) or (is_later and self.later) or self._list(request.query)
            self.between(self)
            return reply
        doc_id = request.path.removeprefix("/page/")
        if doc_id not in self.ids:
            return Reply(404, b"{}")
        return Reply.of({"id": doc_id, "v": f"v-{doc_id}", "body": f"text of {doc_id}", "title": doc_id})

    def _list(self, query: dict[str, str]) -> Reply:
        asked = int(query.get("size", self.clamp))
        size = min(asked, self.clamp)
        rows = self.ids if self.hidden_after is None else self.ids[: self.hidden_after]
        if self.style == "none":
            start, size = 0, len(self.ids) if self.hidden_after is None else self.hidden_after
        elif self.style == "page":
            start = (int(query.get("page", 1)) - 1) * (asked if self.clamp_counts_asked_size else size)
        else:
            start = int(query.get("offset", query.get("cursor", 0)))
        served = rows[start : start + size]
        data: dict[str, Any] = {"items": [{"id": one, "v": f"v-{one}"} for one in served]}
        if self.totals:
            data["total"] = self.total_of(len(self.ids))
        if self.echo and self.style in ("page", "offset"):
            data |= {"size": size, "number": int(query.get("page", query.get("offset", 1)))}
        headers = {}
        if start + size < len(rows):
            link = f"/list?offset={start + size}&size={size}"
            data["next"] = str(start + size) if self.style == "cursor" else link
            headers["Link"] = f'<{link}>; rel="next"'
        if self.style not in ("cursor", "next_url"):
            data.pop("next", None)
        return Reply.of(data, **(headers if self.style == "link_header" else {}))


def model_options(url: str, cms: ModelCms, *, size: int = 10, **changes: Any) -> dict[str, Any]:
    """Options that read `cms` the way it pages."""
    paging: dict[str, Any] = {"style": cms.style, "size": size, "size_parameter": "size"}
    if cms.style in ("page", "offset", "cursor"):
        paging["parameter"] = cms.style
    if cms.style in ("cursor", "next_url"):
        paging["next"] = "next"
    if cms.totals:
        paging["total"] = "total"
    if cms.echo and cms.style in ("page", "offset"):
        paging |= {"echoed_size": "size", "echoed_page": "number"}
    if cms.style == "none":
        del paging["size_parameter"]
    return {
        "base_url": url,
        "list": {"path": "list", "items": "items", "version": "v", "paging": {**paging, **changes.pop("paging", {})}},
        "page": {"path": "page/{id}", "body_format": "text", "fields": {"body": "body", "title": "title"}},
        "http": {"retries": 1, "requests_per_second": 1000, "burst": 1000, "read_timeout": 5},
        **changes,
    }


def http_connector(
    options: dict[str, Any], *, clock: TurnableClock | None = None, credentials: Credentials | None = None
) -> HttpJsonConnector:
    clock = clock or TurnableClock()
    return HttpJsonConnector(
        "cms", HttpJsonOptions.model_validate(options), clock=clock, credentials=credentials, pace=clock
    )


@contextmanager
def help_center() -> Iterator[tuple[HelpCenter, str]]:
    """The example CMS, in this process: its state to change, and its URL."""
    server = Server(HelpCenter.load(HELP_CENTER / "articles"), 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server.center, server.url
    finally:
        server.center.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def help_center_options(url: str, **paging: Any) -> dict[str, Any]:
    """The shipped options of the example, pointed at this server, with short time-outs."""
    options: dict[str, Any] = yaml.safe_load((HELP_CENTER / "source.yaml").read_text(encoding="utf-8"))
    options["base_url"] = f"{url}/api/v2"
    options["list"]["paging"] |= paging
    options["http"] = {"retries": 1, "requests_per_second": 1000, "burst": 1000, "read_timeout": 1.5}
    return options


@dataclass
class GitRepository:
    """A real repository in a folder. Paths are text or raw bytes; every commit can have its own date."""

    folder: Path
    commits: int = 0

    @classmethod
    def create(cls, folder: Path, files: Mapping[str, str] | None = None) -> GitRepository:
        folder.mkdir(parents=True)
        repository = cls(folder)
        repository.git("init", "--quiet", "--initial-branch=main")
        if files:
            repository.commit(files)
        return repository

    def git(self, *arguments: str, day: str = "2024-01-01", stdin: bytes = b"") -> str:
        identity = [
            part for pair in (("user.name", "T"), ("user.email", "t@example.org")) for part in ("-c", "=".join(pair))
        ]
        environment = {
            "PATH": "/usr/bin:/bin:/usr/local/bin",
            "HOME": str(self.folder.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": f"{day}T12:00:00+0000",
            "GIT_COMMITTER_DATE": f"{day}T12:00:00+0000",
        }
        done = subprocess.run(
            ["git", *identity, "-C", str(self.folder), *arguments], input=stdin, capture_output=True, env=environment
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def commit(self, files: Mapping[str, str | bytes | None], *, day: str = "2024-01-01") -> str:
        """Write (or, for None, remove) these files and commit; returns the commit id."""
        for name, text in files.items():
            path = self.folder / name
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.commit_all(day=day)

    def commit_all(self, *, day: str = "2024-01-01") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "change", day=day)
        return self.git("rev-parse", "HEAD")
