"""A real WordPress on this machine, with editors, as a peer of the connector: PHP's own server, SQLite, no Docker.

A site is a copy of what `wordpress_install` has installed (hard links where possible) and starts in about a second.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import requests
from selectolax.lexbor import LexborHTMLParser

from include.connectors.credentials import Credentials
from include.connectors.http_session import Pace
from include.connectors.wordpress import WordPressConnector
from include.connectors.wordpress_options import WordPressOptions
from include.ports import Clock
from tests.cms.peers import PeerUnavailable
from tests.cms.wordpress_editors import Editors
from tests.cms.wordpress_install import PARTS, environment, installation

TYPES = {"posts": "p", "pages": "page_id", "guides": "post_type=guide&p"}  # REST base: how HTML asks for an id
WORKERS = 4
FAST = {"retries": 1, "backoff": 0.05, "retry_after_max": 0, "requests_per_second": 1000, "burst": 1000}


@dataclass
class WordPressSite:
    """A running WordPress. `documents` is every document ever created here: id to REST base.

    The verbs are an editor's, done through WordPress's own REST API with an application password.
    """

    source: ClassVar[str] = "wordpress"
    connector_kind: ClassVar[str] = "wordpress"

    folder: Path
    port: int
    version: str
    passwords: Mapping[str, str]
    process: subprocess.Popen[bytes]
    documents: dict[str, str] = field(default_factory=dict)
    editor: requests.Session = field(default_factory=requests.Session)
    editors: Editors = field(default_factory=Editors)

    @classmethod
    def start(cls, folder: Path) -> WordPressSite:
        """A site below `folder` with a page and nothing else. Raises PeerUnavailable."""
        installed = installation()
        shutil.copytree(installed / "www", folder / "www", copy_function=_link_or_copy)
        shutil.copytree(installed / "db", folder / "db")
        facts = json.loads((installed / "facts.json").read_text())
        for _ in range(3):  # another process may take the port in between
            port = _free_port()
            process = _serve(folder, port)
            site = cls(folder, port, facts["version"], facts["passwords"], process)
            if site._answers():
                site.editor.auth = ("admin", site.passwords["admin"])
                site.create("pages", title="Welcome", content=paragraphs("Nobody ever edits this page."))
                return site
            site.stop()
        raise PeerUnavailable(f"WordPress did not answer: {(folder / 'server.log').read_text()[-500:]}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def connector_options(self) -> Mapping[str, object]:
        """Of a reader without an account, all three types. A site of our own need not be spared."""
        return {
            "url": self.url,
            "types": list(TYPES),
            "http": {
                "retries": 1,
                "backoff": 0.05,
                "retry_after_max": 0,
                "requests_per_second": 1000,
                "burst": 1000,
            },
        }

    def open_connector(
        self, clock: Clock, *, user: str = "", pace: Pace | None = None, **options: Any
    ) -> WordPressConnector:
        """Anonymous, all three types, unless told otherwise. `user` is an account; one that is unknown is rejected."""
        chosen = WordPressOptions.model_validate({**self.connector_options, **options})
        password = self.passwords.get(user, "wrong wrong wrong") if user else ""
        credentials = Credentials(basic=(user, password)) if user else None
        return WordPressConnector(self.source, chosen, clock=clock, credentials=credentials, pace=pace)

    def stop(self) -> None:
        """The server and its workers: killing the parent alone would leave them listening."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.editor.close()

    # What editors do

    def act(self, random: Random) -> str:
        """See `life.EditorsSite`."""
        return self.editors.act(self, random)

    def create(self, rest_base: str = "posts", **fields: Any) -> str:
        if rest_base == "posts":
            fields.setdefault("categories", self.category)
        doc_id = str(self.api("POST", rest_base, {"status": "publish", **fields})["id"])
        self.documents[doc_id] = rest_base
        return doc_id

    def edit(self, doc_id: str, **fields: Any) -> dict[str, Any]:
        """What WordPress shows of the document afterwards."""
        shown: dict[str, Any] = self.api("POST", self._route(doc_id), fields)
        return shown

    def trash(self, doc_id: str) -> None:
        self.api("DELETE", self._route(doc_id))

    def delete(self, doc_id: str) -> None:
        self.api("DELETE", f"{self._route(doc_id)}?force=true")

    def schedule(self, rest_base: str = "posts", *, days: float = 1, **fields: Any) -> str:
        return self.create(rest_base, status="future", date_gmt=_in_days(days), **fields)

    def reschedule(self, doc_id: str, *, days: float = 1) -> None:
        self.edit(doc_id, status="future", date_gmt=_in_days(days))

    def let_it_become_due(self, doc_id: str) -> None:
        """The scheduled moment comes, and WordPress's own cron publishes."""
        self.api("POST", f"/peer/v1/due/{doc_id}")
        requests.get(f"{self.url}/wp-cron.php?doing_wp_cron", timeout=30).raise_for_status()

    @cached_property
    def category(self) -> int:
        """The category of every post, created with the first of them."""
        return int(self.api("POST", "categories", {"name": "Manuals"})["id"])

    def rename_category(self, name: str) -> None:
        self.api("POST", f"categories/{self.category}", {"name": name})

    @cached_property
    def _pattern(self) -> int:
        fields = {"title": "Shared notice", "status": "publish", "content": paragraphs("A shared notice.")}
        return int(self.api("POST", "blocks", fields)["id"])

    @property
    def pattern(self) -> str:
        """The content by which a document uses the synced pattern."""
        return f'<!-- wp:block {{"ref":{self._pattern}}} /-->'

    def edit_pattern(self, content: str) -> None:
        self.api("POST", f"blocks/{self._pattern}", {"content": content})

    def change_type(self, doc_id: str, rest_base: str) -> None:
        """As the plugins do that turn posts into pages."""
        name = {"posts": "post", "pages": "page", "guides": "guide"}[rest_base]
        self._sql(f"UPDATE wp_posts SET post_type = '{name}' WHERE ID = {int(doc_id)}")
        self.documents[doc_id] = rest_base

    def age(self, doc_id: str) -> None:
        """It was saved long ago."""
        then = "2026-01-02 03:04:05"
        self._sql(
            f"UPDATE wp_posts SET post_modified = '{then}', post_modified_gmt = '{then}' WHERE ID = {int(doc_id)}"
        )

    def api(self, method: str, route: str, fields: Mapping[str, Any] | None = None) -> Any:
        """A call of WordPress's REST API as the editor; routes below `wp/v2` unless they start with a slash."""
        path = route if route.startswith("/") else f"/wp/v2/{route}"
        answer = self.editor.request(method, f"{self.url}/wp-json{path}", json=fields, timeout=60)
        if answer.status_code >= 400:
            raise AssertionError(f"{method} {path} {fields}: {answer.status_code} {answer.text[:300]}")
        return answer.json()

    def clear(self) -> None:
        """Nothing is left but the first page."""
        first, *others = self.documents
        for doc_id in others:
            self.editor.delete(f"{self.url}/wp-json/wp/v2/{self._route(doc_id)}?force=true", timeout=60)
        self.documents = {first: self.documents[first]}

    # What a reader sees

    def visible(self) -> dict[str, str]:
        """See `life.EditorsSite`."""
        with ThreadPoolExecutor(WORKERS) as readers:
            shown = readers.map(self.read, list(self.documents))
            return {doc_id: text for doc_id, text in zip(self.documents, shown, strict=True) if text is not None}

    def read(self, doc_id: str) -> str | None:
        """The text of the document's HTML page for an anonymous reader; None for a 404 or a password form."""
        asked = f"{self.url}/?{TYPES[self.documents[doc_id]]}={doc_id}"
        answer = requests.get(asked, timeout=60)
        if answer.status_code != 200:
            return None
        article = LexborHTMLParser(answer.text).css_first(f"article#post-{doc_id} .entry")
        if article is None or article.css_first("form.post-password-form"):
            return None
        return article.text().strip()

    # What the peer is told

    def send_events_to(self, url: str, secret: str) -> None:
        """See `life.EditorsSite`. One event for each document that an edit touches, Standard Webhooks signature."""
        self._switch(webhook_url=url, webhook_secret=secret)

    @contextmanager
    def fault(self, name: str) -> Iterator[None]:
        """One of: maintenance, installer, table_lost, and the faults of `peer.php`."""
        if name == "maintenance":
            switch = self._maintenance()
        elif name == "installer":
            switch = self._without_database()
        elif name == "table_lost":
            switch = self._without_posts()
        else:
            switch = self._with_plugin(name)
        with switch:
            yield

    def lose_the_posts(self) -> None:
        self._sql("ALTER TABLE wp_posts RENAME TO wp_posts_lost")

    def find_the_posts(self) -> None:
        self._sql("ALTER TABLE wp_posts_lost RENAME TO wp_posts")

    def use_plain_permalinks(self) -> None:
        self._sql("UPDATE wp_options SET option_value = '' WHERE option_name = 'permalink_structure'")

    @contextmanager
    def _without_posts(self) -> Iterator[None]:
        self.lose_the_posts()
        try:
            yield
        finally:
            self.find_the_posts()

    @contextmanager
    def _maintenance(self) -> Iterator[None]:
        """As WordPress itself does it while it updates a plugin."""
        mark = self.folder / "www" / ".maintenance"
        mark.write_text("<?php $upgrading = time();")
        try:
            yield
        finally:
            mark.unlink()

    @contextmanager
    def _without_database(self) -> Iterator[None]:
        database = self.folder / "db" / "wp.sqlite"
        kept = database.rename(database.with_name("away.sqlite"))
        try:
            yield
        finally:
            kept.replace(database)

    @contextmanager
    def _with_plugin(self, name: str) -> Iterator[None]:
        self._switch(fault=name)
        try:
            yield
        finally:
            self._switch(fault="")

    def _switch(self, **changes: str) -> None:
        file = self.folder / "switches.json"
        switches = json.loads(file.read_text()) if file.exists() else {}
        new = file.with_suffix(".new")
        new.write_text(json.dumps(switches | changes))
        new.replace(file)  # a request reads the old or the new one

    def _sql(self, statement: str) -> None:
        with closing(sqlite3.connect(self.folder / "db" / "wp.sqlite", timeout=30)) as database, database:
            database.execute(statement)

    def _route(self, doc_id: str) -> str:
        return f"{self.documents[doc_id]}/{doc_id}"

    def _answers(self) -> bool:
        for _ in range(300):
            if self.process.poll() is not None:
                return False
            with suppress(requests.RequestException):
                return requests.get(f"{self.url}/wp-json/wp/v2/posts", timeout=30).status_code == 200
            time.sleep(0.1)
        return False


def paragraphs(*texts: str) -> str:
    """Content as the block editor writes it."""
    return "\n\n".join(f"<!-- wp:paragraph -->\n<p>{text}</p>\n<!-- /wp:paragraph -->" for text in texts)


def _in_days(days: float) -> str:
    return f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%dT%H:%M:%S}"


def _serve(folder: Path, port: int) -> subprocess.Popen[bytes]:
    address = f"127.0.0.1:{port}"
    options = ["-d", "opcache.enable_cli=1", "-d", "display_errors=0"]
    with (folder / "server.log").open("wb") as log:
        return subprocess.Popen(
            ["php", *options, "-S", address, "-t", str(folder / "www"), str(PARTS / "router.php")],
            stdout=log,
            stderr=log,
            env=environment(folder, port) | {"PHP_CLI_SERVER_WORKERS": str(WORKERS)},
            start_new_session=True,
        )


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
