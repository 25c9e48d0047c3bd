"""A real WordPress on this machine, with editors, as a peer of the connector: PHP's own server, SQLite, no Docker.

WordPress comes from the Debian package, the SQLite driver from the npm package of WordPress Playground. Both are
installed once into a cache folder; a site is a copy of that (hard links where possible) and starts in about a second.
`wordpress_site/` holds its theme, its configuration, and the plugin that sends webhooks and breaks things on request.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import tarfile
import time
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import requests
from selectolax.lexbor import LexborHTMLParser

from include.connectors.credentials import Credentials
from include.connectors.wordpress import WordPressConnector
from include.connectors.wordpress_options import WordPressOptions
from include.ports import Clock

PARTS = Path(__file__).parent / "wordpress_site"
CACHE = Path.home() / ".cache" / "truecopy-tests"
DRIVER = "@wp-playground/cli@3.1.56"
TYPES = {"posts": "p", "pages": "page_id", "guides": "post_type=guide&p"}  # REST base: how HTML asks for an id
WORKERS = 4


class Unavailable(RuntimeError):
    """This machine cannot run the peer; the message says what to install."""


@dataclass
class WordPressSite:
    """A running WordPress. `documents` is every document ever created here: id to REST base.

    The verbs are an editor's, done through WordPress's own REST API with an application password.
    """

    folder: Path
    port: int
    version: str
    passwords: Mapping[str, str]
    process: subprocess.Popen[bytes]
    documents: dict[str, str] = field(default_factory=dict)
    editor: requests.Session = field(default_factory=requests.Session)

    @classmethod
    def start(cls, folder: Path, *, cache: Path = CACHE) -> WordPressSite:
        """A clean site below `folder`. Raises Unavailable."""
        installed = _installation(cache)
        shutil.copytree(installed / "www", folder / "www", copy_function=_link_or_copy)
        shutil.copytree(installed / "db", folder / "db")
        facts = json.loads((installed / "facts.json").read_text())
        for _ in range(3):  # another process may take the port in between
            port = _free_port()
            process = _serve(folder, port)
            site = cls(folder, port, facts["version"], facts["passwords"], process)
            if site._answers():
                site.editor.auth = ("admin", site.passwords["admin"])
                return site
            site.stop()
        raise Unavailable(f"WordPress did not answer: {(folder / 'server.log').read_text()[-500:]}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def open_connector(self, clock: Clock, **options: Any) -> WordPressConnector:
        """As the editor's organisation would configure it: anonymous, all three types. `user` reads as an account."""
        user = options.pop("user", None)
        chosen = WordPressOptions.model_validate(
            {
                "url": self.url,
                "types": list(TYPES),
                "http": {"retries": 1, "backoff": 0.05, "requests_per_second": 1000, "burst": 1000},
                **options,
            }
        )
        password = self.passwords.get(user, "wrong wrong wrong") if user else ""
        credentials = Credentials(basic=(user, password)) if user else None
        return WordPressConnector("wordpress", chosen, clock=clock, credentials=credentials)

    def stop(self) -> None:
        """The server and its workers: killing the parent alone would leave them listening."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.editor.close()

    # What editors do

    def create(self, rest_base: str = "posts", **fields: Any) -> str:
        doc_id = str(self.api("POST", rest_base, {"status": "publish", **fields})["id"])
        if rest_base in TYPES:
            self.documents[doc_id] = rest_base
        return doc_id

    def edit(self, doc_id: str, **fields: Any) -> dict[str, Any]:
        return self.api("POST", self._route(doc_id), fields)

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

    def api(self, method: str, route: str, fields: Mapping[str, Any] | None = None) -> Any:
        """A call of WordPress's REST API as the editor; routes below `wp/v2` unless they start with a slash."""
        path = route if route.startswith("/") else f"/wp/v2/{route}"
        answer = self.editor.request(method, f"{self.url}/wp-json{path}", json=fields, timeout=60)
        if answer.status_code >= 400:
            raise AssertionError(f"{method} {path} {fields}: {answer.status_code} {answer.text[:300]}")
        return answer.json()

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


def _installation(cache: Path) -> Path:
    """The installed site that every other is copied from. Made once for each state of `wordpress_site/`."""
    state = sha256(b"".join(path.read_bytes() for path in sorted(PARTS.iterdir()))).hexdigest()[:12]
    installed = cache / f"wordpress-{state}"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "wordpress.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # test processes start side by side
        if not installed.exists():
            _check_php()
            building = installed.with_suffix(".new")
            shutil.rmtree(building, ignore_errors=True)
            _unpack(building, _downloads(cache / "downloads"))
            _set_up(building)
            building.rename(installed)
    return installed


def _check_php() -> None:
    if shutil.which("php") is None:
        raise Unavailable("php is not installed: apt-get install php-cli php-sqlite3 php-xml php-mbstring")
    modules = set(_run("php", "-m").lower().split())
    for module in ("pdo_sqlite", "xml", "mbstring"):
        if module not in modules:
            package = "sqlite3" if module == "pdo_sqlite" else module
            raise Unavailable(f"php lacks {module}: apt-get install php-{package}")
    for program in ("apt-get", "dpkg-deb", "npm"):
        if shutil.which(program) is None:
            raise Unavailable(f"{program} is not installed; it fetches WordPress and its SQLite driver")


def _downloads(folder: Path) -> tuple[Path, Path]:
    """(Debian's package of WordPress, npm's of the SQLite driver), downloaded once."""
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("wordpress_*.deb")):
        _run("apt-get", "download", "-qq", "wordpress", cwd=folder)
    if not list(folder.glob("wp-playground-cli-*.tgz")):
        _run("npm", "pack", "--silent", DRIVER, cwd=folder)
    return next(folder.glob("wordpress_*.deb")), next(folder.glob("wp-playground-cli-*.tgz"))


def _unpack(folder: Path, downloads: tuple[Path, Path]) -> None:
    package, driver = downloads
    folder.mkdir()
    _run("dpkg-deb", "-x", str(package), str(folder / "deb"))
    www = (folder / "deb/usr/share/wordpress").rename(folder / "www")
    (www / "wp-config.php").unlink(missing_ok=True)
    for link in [path for path in www.rglob("*") if path.is_symlink() and not path.exists()]:
        link.unlink()  # parts that Debian keeps in packages of their own, and that no page here needs
    content = www / "wp-content"
    for name in ("languages", "uploads"):
        if (content / name).is_symlink():
            (content / name).unlink()
    plugin = content / "plugins" / "sqlite-database-integration"
    with tarfile.open(driver) as archive:
        archive.extract("package/sqlite-database-integration.zip", folder, filter="data")
    with zipfile.ZipFile(folder / "package/sqlite-database-integration.zip") as archive:
        archive.extractall(folder / "driver")
    (content / "plugins").mkdir(exist_ok=True)
    shutil.rmtree(plugin, ignore_errors=True)
    next((folder / "driver").iterdir()).rename(plugin)
    # WordPress before 6.2 reads this property of its own from outside
    wpdb = plugin / "wp-includes/sqlite/class-wp-sqlite-db.php"
    unsafe = "$allow_unsafe_unquoted_parameters"
    wpdb.write_text(wpdb.read_text().replace(f"private {unsafe}", f"protected {unsafe}"))
    shutil.copy(plugin / "db.copy", content / "db.php")
    for name, place in {
        "wp-config.php": www,
        "peer.php": content / "mu-plugins",
        "index.php": content / "themes/peer",
        "style.css": content / "themes/peer",
    }.items():
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(PARTS / name, place / name)
    for rest in ("deb", "driver", "package"):
        shutil.rmtree(folder / rest)


def _set_up(folder: Path) -> None:
    (folder / "db").mkdir()
    done = _run("php", str(PARTS / "setup.php"), str(folder / "www"), environment=_environment(folder, 80))
    facts = re.search(r"\{\"passwords.*\}", done)
    if facts is None:
        raise Unavailable(f"WordPress did not install: {done[-500:]}")
    (folder / "facts.json").write_text(facts[0])


def _serve(folder: Path, port: int) -> subprocess.Popen[bytes]:
    address = f"127.0.0.1:{port}"
    options = ["-d", "opcache.enable_cli=1", "-d", "display_errors=0"]
    with (folder / "server.log").open("wb") as log:
        return subprocess.Popen(
            ["php", *options, "-S", address, "-t", str(folder / "www"), str(PARTS / "router.php")],
            stdout=log,
            stderr=log,
            env=_environment(folder, port) | {"PHP_CLI_SERVER_WORKERS": str(WORKERS)},
            start_new_session=True,
        )


def _environment(folder: Path, port: int) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PEER_FOLDER": str(folder), "PEER_PORT": str(port)}


def _run(*command: str, cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise Unavailable(f"`{' '.join(command)}` failed: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
