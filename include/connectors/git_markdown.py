"""Documents that are text files in a git repository, read from the objects of one commit.

One snapshot: a listing pins the commit, and what is fetched or probed afterwards is read from it. Every document
therefore carries the clock of the moment *before* that commit was looked up as its `fetched_at`, however much later
its bytes are read: a webhook that saw a newer commit in between must win.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from include.connectors.credentials import Credentials
from include.connectors.git_history import History, read_history
from include.connectors.git_mirror import MIRROR_HEAD, may_be_damaged, mirror_folder, open_mirror
from include.connectors.git_options import GitMarkdownOptions
from include.connectors.git_pages import Pages
from include.connectors.git_paths import document_id, raw_path
from include.connectors.git_repository import Repository
from include.connectors.git_snapshot import Document, Snapshot, scope, take
from include.domain.documents import DocumentKey, FetchedDocument, Presence
from include.domain.errors import DocumentGone, DocumentNotPublic, DocumentUnreadable, SourceUnavailable
from include.domain.inventory import ListedDocument, Listing, Proof
from include.domain.lineage import Lineage
from include.domain.redaction import redact
from include.ports import Clock
from include.text import front_matter

_URL = re.compile(r"[a-z][a-z0-9+.-]*://|[^/@:]+@[^/:]+:", re.IGNORECASE)
_BLOB = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_MEDIA_TYPES = {
    ".md": "text/markdown",
    ".mdx": "text/markdown",
    ".markdown": "text/markdown",
    ".rst": "text/x-rst",
    ".html": "text/html",
    ".htm": "text/html",
}


class GitMarkdownConnector:
    """`ports.Connector` over a git repository. Not thread-safe; one instance serves one run."""

    def __init__(
        self,
        source: str,
        options: GitMarkdownOptions,
        *,
        clock: Clock,
        cache_dir: Path,
        credentials: Credentials | None = None,
    ) -> None:
        self._source = source
        self._options = options
        self._clock = clock
        self._cache_dir = cache_dir
        self._credentials = credentials
        self._pinned: Snapshot | None = None
        self._is_mirror_new = False
        self._pages = Pages(clock)
        self._history: tuple[str, History] | None = None
        self._former: tuple[str, frozenset[str]] | None = None

    @property
    def source(self) -> str:
        return self._source

    def list_documents(self) -> Listing:
        """See `ports.Connector`. Pins the commit that later fetches and probes read."""
        listed_at = self._clock.now()
        snapshot = self._pin(is_all_read=True)
        documents: dict[str, ListedDocument] = {}
        former: set[str] = set()
        hidden = 0
        for doc_id in snapshot.documents:
            public, why = self._pages.is_public(snapshot, doc_id)
            version = self._pages.version(snapshot, doc_id)
            if public is None:
                documents[doc_id] = ListedDocument(doc_id, version, unreadable=why)
            elif public:
                documents[doc_id] = ListedDocument(doc_id, version)
                former |= self._former_paths(snapshot, doc_id)
            else:
                hidden += 1
        self._former = (snapshot.commit, frozenset(former))
        problem = snapshot.problem
        if not problem and not documents:
            problem = (
                f"{self._place(snapshot)} holds no public document ({len(snapshot.documents)} files match, "
                f"{hidden} not public); an empty source proves nothing: check root, include and ref"
            )
        unreadable = sum(bool(document.unreadable) for document in documents.values())
        detail = (
            f"{self._place(snapshot)}: {len(documents)} documents, {hidden} not public, {unreadable} unreadable"
            f"{snapshot.skipped}"
        )
        proof = Proof(
            end_reached=not snapshot.problem,
            scope_verified=True,
            seen=len(documents),
            detail=detail,
            problem=problem,
            scope=scope(snapshot.repository.shown, self._options),
        )
        return Listing(self._source, documents, proof, listed_at)

    def fetch(self, doc_id: str) -> FetchedDocument:
        """See `ports.Connector`. Reads the pinned commit; without a listing, the commit that `ref` names now."""
        snapshot = self._snapshot()
        document = self._document(snapshot, doc_id)
        body = next(content for _, content in snapshot.repository.blobs([document.entry.oid]))
        self._pages.read(snapshot, [doc_id])
        public, why = self._pages.is_public(snapshot, doc_id)
        site, page = document.site, document.page
        if public is None or site is None or page is None:
            raise DocumentUnreadable(f"{self._source}: {doc_id}: {why}", source=self._source, doc_id=doc_id)
        if not public:
            raise DocumentNotPublic(
                f"{self._source}: {doc_id} is not public ({why})", source=self._source, doc_id=doc_id
            )
        fields = self._pages.fields(snapshot, doc_id)
        title, lang = fields.get("title"), front_matter.text_of(fields, "lang", "language")
        return FetchedDocument(
            key=DocumentKey(self._source, doc_id),
            version=self._pages.version(snapshot, doc_id),
            body=body,
            media_type=_MEDIA_TYPES.get(PurePosixPath(doc_id).suffix.lower(), "text/plain"),
            url=site.address(page, fields, site.options.base_url, commit=snapshot.commit),
            fetched_at=snapshot.pinned_at,
            title=title if isinstance(title, str) and title.strip() else None,
            lang=site.options.languages.get(lang, lang) or page.lang or site.options.lang,
            content_type=site.options.content_type,
            dates=(*site.dates(page, fields), *self._file_history(snapshot).dates.get(document.entry.path, ())),
            conventions=site.conventions,
            empty_is_legitimate=self._options.empty_pages,
            lineage=Lineage(aliases=site.former_paths(page, fields)),
        )

    def probe(self, doc_id: str) -> Presence:
        """See `ports.Connector`. A path outside roots and patterns, or a symlink, is there but not for everybody. A
        document is MOVED when a public one names its address as a former one, or when the history renamed it."""
        try:
            snapshot = self._snapshot()
            self._document(snapshot, doc_id)
            self._pages.read(snapshot, [doc_id])
            public, _ = self._pages.is_public(snapshot, doc_id)
        except DocumentGone:
            return Presence.MOVED if self._has_moved(snapshot, doc_id) else Presence.GONE
        except DocumentNotPublic:
            return Presence.NOT_PUBLIC
        except Exception:  # noqa: BLE001 - a probe promises never to raise; whatever went wrong is doubt
            return Presence.UNKNOWN
        return {None: Presence.UNKNOWN, True: Presence.PRESENT, False: Presence.NOT_PUBLIC}[public]

    def close(self) -> None:
        self._pinned = None
        self._pages.forget()
        self._history = self._former = None

    def _pin(self, *, is_all_read: bool) -> Snapshot:
        """Look now, and again with a new mirror, once in a connector's life, when the old one may be damaged."""
        try:
            snapshot = self._look(is_all_read=is_all_read)
        except SourceUnavailable as error:
            if self._is_mirror_new or not _URL.match(self._options.location) or not may_be_damaged(error):
                raise
            self._is_mirror_new = True
            snapshot = self._look(is_all_read=is_all_read, anew=True)
        self._pinned = snapshot
        return snapshot

    def _look(self, *, is_all_read: bool, anew: bool = False) -> Snapshot:
        options = self._options
        pinned_at = self._clock.now()
        if _URL.match(options.location):
            repository = open_mirror(
                options.location,
                self._cache_dir,
                timeout=options.fetch_timeout_seconds,
                credentials=self._credentials,
                with_head=options.ref is None,
                anew=anew,
            )
            head = MIRROR_HEAD
        else:
            repository = Repository.local(Path(options.location), timeout=options.timeout_seconds)
            head = "HEAD"
        commit = repository.resolve_name(options.ref) if options.ref else repository.resolve(head)
        snapshot = take(repository, commit, pinned_at, options)
        if is_all_read:
            self._pages.read(snapshot, snapshot.documents)
        return snapshot

    def former_body(self, version: str) -> bytes:
        """See `ports.FormerBodies`. From the mirror as it is; nobody is asked over the network."""
        options = self._options
        if _URL.match(options.location):
            folder = mirror_folder(options.location, self._cache_dir)
            repository = Repository(folder, shown=redact(options.location), timeout=options.timeout_seconds)
        else:
            repository = Repository.local(Path(options.location), timeout=options.timeout_seconds)
        blob = version.partition(".")[0]
        if not _BLOB.fullmatch(blob):
            raise DocumentGone(f"{self._source}: {version} names no file in git", source=self._source)
        try:
            return next(content for _, content in repository.blobs([blob]))
        except (SourceUnavailable, OSError) as error:
            raise DocumentGone(
                f"{self._source}: {repository.shown} has no file {blob[:12]} any more", source=self._source
            ) from error

    def _snapshot(self) -> Snapshot:
        return self._pinned or self._pin(is_all_read=False)

    def _document(self, snapshot: Snapshot, doc_id: str) -> Document:
        if doc_id in snapshot.documents:
            return snapshot.documents[doc_id]
        facts = {"source": self._source, "doc_id": doc_id, "commit": snapshot.commit}
        if snapshot.problem:  # a tree that proves nothing proves no absence either
            raise SourceUnavailable(f"{self._source}: {doc_id} cannot be looked up: {snapshot.problem}", **facts)
        if doc_id in snapshot.out_of_scope:
            raise DocumentNotPublic(
                f"{self._source}: {doc_id} is in the repository, outside roots and patterns", **facts
            )
        raise DocumentGone(f"{self._source}: {doc_id} is not in {self._place(snapshot)}", **facts)

    def _file_history(self, snapshot: Snapshot) -> History:
        """Lazily, once per commit: a listing never pays for the history. A history that cannot be read (objects
        missing) leaves the dates unknown; the text itself is not in doubt."""
        if self._history is None or self._history[0] != snapshot.commit:
            repository, history = snapshot.repository, History()
            try:
                history = read_history(
                    repository,
                    snapshot.commit,
                    [document.entry.path for document in snapshot.documents.values()],
                    shallow=repository.is_shallow(),
                    timeout=self._options.fetch_timeout_seconds,
                )
            except SourceUnavailable as error:
                if "exit_code" not in error.facts:
                    raise
            self._history = (snapshot.commit, history)
        return self._history[1]

    def _has_moved(self, snapshot: Snapshot, doc_id: str) -> bool:
        """Only who knows where it went says so; whatever goes wrong here, the document is gone."""
        try:
            site = next(one.site for one in snapshot.documents.values() if one.site is not None)
            if self._former is not None and self._former[0] == snapshot.commit:
                page = site.page(doc_id)
                if _same_address(f"{page.prefix}{site.site_path(page, {})}") in self._former[1]:
                    return True
            renamed = self._file_history(snapshot).moved.get(raw_path(doc_id))
            if renamed is None:
                return False
            target = document_id(renamed)
            self._pages.read(snapshot, [target])
            return self._pages.is_public(snapshot, target)[0] is True
        except Exception:  # noqa: BLE001 - see above; the id may be any text that somebody sent
            return False

    def _former_paths(self, snapshot: Snapshot, doc_id: str) -> set[str]:
        site, page = snapshot.documents[doc_id].site, snapshot.documents[doc_id].page
        fields = self._pages.fields(snapshot, doc_id)
        if site is None or page is None or not fields:
            return set()
        addresses = (_same_address(path) for path in site.former_paths(page, fields))
        return {address for address in addresses if address is not None}

    def _place(self, snapshot: Snapshot) -> str:
        roots = ", ".join(f"`{root.path}`" for root in self._options.all_roots if root.path)
        return f"{snapshot.place}{f' below {roots}' if roots else ''}"


def _same_address(address: str) -> str | None:
    """One spelling for the ways in which a page is addressed: host, slashes, `.html`, escapes, case. None for what is
    no address."""
    try:
        path = unquote(urlsplit(address).path).strip("/").casefold()
    except ValueError:
        return None
    return path.removesuffix("index.html").removesuffix(".html").strip("/")
