"""Documents that are text files in a git repository, read from the objects of one commit.

One snapshot: a listing pins the commit, and what is fetched or probed afterwards is read from it. Every document
therefore carries the clock of the moment *before* that commit was looked up as its `fetched_at`, however much later
its bytes are read: a webhook that saw a newer commit in between must win.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urljoin

from include.connectors.credentials import Credentials
from include.connectors.git_history import FileDates, History, read_history
from include.connectors.git_mirror import MIRROR_HEAD, may_be_damaged, open_mirror
from include.connectors.git_options import GitMarkdownOptions
from include.connectors.git_paths import Globs, document_id
from include.connectors.git_repository import Repository, TreeEntry
from include.connectors.git_visibility import BlobFields, inherited, may_pass_on, passed_on, read_fields
from include.domain.documents import DocumentKey, FetchedDocument, Presence
from include.domain.errors import DocumentGone, DocumentNotPublic, DocumentUnreadable, SourceUnavailable
from include.domain.inventory import ListedDocument, Listing, Proof
from include.domain.redaction import redact
from include.ports import Clock
from include.text import front_matter

_URL = re.compile(r"[a-z][a-z0-9+.-]*://|[^/@:]+@[^/:]+:", re.IGNORECASE)
_INDEX_NAMES = ("index", "_index", "readme")
_MEDIA_TYPES = {
    ".md": "text/markdown",
    ".mdx": "text/markdown",
    ".markdown": "text/markdown",
    ".rst": "text/x-rst",
    ".html": "text/html",
    ".htm": "text/html",
}


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """One commit as this source sees it. `documents` are the files in scope, public or not, by id; `folder_files`
    are those that pass fields on to a whole folder."""

    repository: Repository
    commit: str
    pinned_at: datetime
    documents: Mapping[str, TreeEntry]
    folder_files: Mapping[str, TreeEntry]
    out_of_scope: frozenset[str]
    skipped: str
    problem: str


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
        self._include = Globs(options.include)
        self._exclude = Globs(options.exclude)
        self._pinned: _Snapshot | None = None
        self._is_mirror_new = False
        self._fields: dict[str, BlobFields] = {}
        self._by_folder: dict[str, Mapping[str, object]] = {}
        self._history: tuple[str, History] | None = None

    @property
    def source(self) -> str:
        return self._source

    def list_documents(self) -> Listing:
        """See `ports.Connector`. Pins the commit that later fetches and probes read."""
        listed_at = self._clock.now()
        snapshot = self._pin(is_all_read=True)
        documents: dict[str, ListedDocument] = {}
        hidden = 0
        for doc_id, entry in snapshot.documents.items():
            public, why = self._is_public(snapshot, doc_id)
            if public is None:
                documents[doc_id] = ListedDocument(doc_id, entry.oid, unreadable=why)
            elif public:
                documents[doc_id] = ListedDocument(doc_id, entry.oid)
            else:
                hidden += 1
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
            end_reached=not snapshot.problem, scope_verified=True, seen=len(documents), detail=detail, problem=problem
        )
        return Listing(self._source, documents, proof, listed_at)

    def fetch(self, doc_id: str) -> FetchedDocument:
        """See `ports.Connector`. Reads the pinned commit; without a listing, the commit that `ref` names now."""
        snapshot = self._snapshot()
        entry = self._entry(snapshot, doc_id)
        body = next(content for _, content in snapshot.repository.blobs([entry.oid]))
        self._read_front_matter(snapshot, [doc_id])
        public, why = self._is_public(snapshot, doc_id)
        if public is None:
            raise DocumentUnreadable(f"{self._source}: {doc_id}: {why}", source=self._source, doc_id=doc_id)
        if not public:
            raise DocumentNotPublic(
                f"{self._source}: {doc_id} is not public ({why})", source=self._source, doc_id=doc_id
            )
        fields, now = self._fields[entry.oid].values, snapshot.pinned_at
        created, updated = front_matter.created_at(fields, now), front_matter.updated_at(fields, now)
        if created is None or updated is None:
            dates = self._file_history(snapshot).dates.get(entry.path, FileDates())
            created, updated = created or dates.created_at, updated or dates.updated_at
        title, lang = fields.get("title"), fields.get("lang", fields.get("language"))
        return FetchedDocument(
            key=DocumentKey(self._source, doc_id),
            version=entry.oid,
            body=body,
            media_type=_MEDIA_TYPES.get(PurePosixPath(doc_id).suffix.lower(), "text/plain"),
            url=self._url(entry, fields, snapshot.commit),
            fetched_at=snapshot.pinned_at,
            title=title if isinstance(title, str) and title.strip() else None,
            lang=lang if isinstance(lang, str) and lang else self._options.lang,
            content_type=self._options.content_type,
            created_at=created,
            updated_at=updated,
            effective_date=front_matter.effective_date(fields),
            expires_at=front_matter.expires_at(fields),
            empty_is_legitimate=self._options.empty_pages,
        )

    def probe(self, doc_id: str) -> Presence:
        """See `ports.Connector`. A path outside root and patterns, or a symlink, is there but not for everybody."""
        try:
            snapshot = self._snapshot()
            self._entry(snapshot, doc_id)
            self._read_front_matter(snapshot, [doc_id])
            public, _ = self._is_public(snapshot, doc_id)
        except DocumentGone:
            return Presence.GONE
        except DocumentNotPublic:
            return Presence.NOT_PUBLIC
        except Exception:  # noqa: BLE001 - a probe promises never to raise; whatever went wrong is doubt
            return Presence.UNKNOWN
        return {None: Presence.UNKNOWN, True: Presence.PRESENT, False: Presence.NOT_PUBLIC}[public]

    def close(self) -> None:
        self._pinned = None
        self._fields.clear()
        self._history = None

    def _pin(self, *, is_all_read: bool) -> _Snapshot:
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

    def _look(self, *, is_all_read: bool, anew: bool = False) -> _Snapshot:
        options = self._options
        pinned_at = self._clock.now()
        if _URL.match(options.location):
            repository = open_mirror(
                options.location,
                self._cache_dir,
                timeout=options.fetch_timeout_seconds,
                credentials=self._credentials,
                anew=anew,
            )
            head = MIRROR_HEAD
        else:
            repository = Repository.local(Path(options.location), timeout=options.timeout_seconds)
            head = "HEAD"
        commit = repository.resolve_name(options.ref) if options.ref else repository.resolve(head)
        snapshot = self._scope(repository, commit, pinned_at)
        if is_all_read:
            self._read_front_matter(snapshot, snapshot.documents)
        return snapshot

    def _scope(self, repository: Repository, commit: str, pinned_at: datetime) -> _Snapshot:
        entries = repository.tree(commit)
        prefix = f"{self._options.root}/" if self._options.root else ""
        documents: dict[str, TreeEntry] = {}
        folder_files: dict[str, TreeEntry] = {}
        out_of_scope: set[str] = set()
        symlinks = submodules = 0
        below_root = False
        for entry in entries:
            doc_id = document_id(entry.path)
            inner = doc_id[len(prefix) :] if doc_id.startswith(prefix) else None
            below_root = below_root or inner is not None
            if entry.is_file and may_pass_on(doc_id):
                folder_files[doc_id] = entry
            wanted = inner is not None and self._include.match(inner) and not self._exclude.match(inner)
            if wanted and entry.is_file:
                documents[doc_id] = entry
            else:
                out_of_scope.add(doc_id)
                symlinks += wanted and entry.mode == "120000"
                submodules += entry.mode == "160000"
        problem = ""
        sentinel = self._options.sentinel
        if not entries:
            problem = f"{repository.shown}: commit {commit[:12]} holds no file at all"
        elif not below_root:
            problem = f"{repository.shown}: commit {commit[:12]} has no folder `{self._options.root}` (option root)"
        elif sentinel and not any(document_id(entry.path) == sentinel for entry in entries):
            problem = (
                f"{repository.shown}: commit {commit[:12]} lacks the sentinel `{sentinel}`: is it the right repository?"
            )
        skipped = "".join(
            f", {count} {what} skipped" for count, what in ((symlinks, "symlinks"), (submodules, "submodules")) if count
        )
        return _Snapshot(
            repository, commit, pinned_at, documents, folder_files, frozenset(out_of_scope), skipped, problem
        )

    def _snapshot(self) -> _Snapshot:
        return self._pinned or self._pin(is_all_read=False)

    def _entry(self, snapshot: _Snapshot, doc_id: str) -> TreeEntry:
        if doc_id in snapshot.documents:
            return snapshot.documents[doc_id]
        facts = {"source": self._source, "doc_id": doc_id, "commit": snapshot.commit}
        if snapshot.problem:  # a tree that proves nothing proves no absence either
            raise SourceUnavailable(f"{self._source}: {doc_id} cannot be looked up: {snapshot.problem}", **facts)
        if doc_id in snapshot.out_of_scope:
            raise DocumentNotPublic(
                f"{self._source}: {doc_id} is in the repository, outside root and patterns", **facts
            )
        raise DocumentGone(f"{self._source}: {doc_id} is not in {self._place(snapshot)}", **facts)

    def _read_front_matter(self, snapshot: _Snapshot, doc_ids: Iterable[str]) -> None:
        """One pass over the blobs that were not looked at before, those that pass fields on included."""
        wanted = {snapshot.documents[doc_id].oid: doc_id for doc_id in doc_ids}
        wanted |= {entry.oid: path for path, entry in snapshot.folder_files.items()}
        unknown = [oid for oid in wanted if oid not in self._fields]
        for oid, content in snapshot.repository.blobs(unknown):
            self._fields[oid] = read_fields(wanted[oid], content)
        self._by_folder = {
            str(PurePosixPath(path).parent): passed_on(path, self._fields[entry.oid])
            for path, entry in snapshot.folder_files.items()
        }

    def _is_public(self, snapshot: _Snapshot, doc_id: str) -> tuple[bool | None, str]:
        """(None, why) when it cannot be told."""
        own = self._fields[snapshot.documents[doc_id].oid]
        if own.unreadable:
            return None, own.unreadable
        fields = {**inherited(doc_id, self._by_folder), **own.values} if self._by_folder else own.values
        try:
            return front_matter.is_public(fields, self._clock.now(), date_schedules=self._options.future_date_hides)
        except DocumentUnreadable as error:
            return None, str(error)

    def _file_history(self, snapshot: _Snapshot) -> History:
        """Lazily, once per commit: a listing never pays for the history. A history that cannot be read (objects
        missing) leaves the dates unknown; the text itself is not in doubt."""
        if self._history is None or self._history[0] != snapshot.commit:
            repository, history = snapshot.repository, History()
            try:
                history = read_history(
                    repository,
                    snapshot.commit,
                    [entry.path for entry in snapshot.documents.values()],
                    now=snapshot.pinned_at,
                    shallow=repository.is_shallow(),
                    timeout=self._options.fetch_timeout_seconds,
                )
            except SourceUnavailable as error:
                if "exit_code" not in error.facts:
                    raise
            self._history = (snapshot.commit, history)
        return self._history[1]

    def _url(self, entry: TreeEntry, fields: Mapping[str, object], commit: str) -> str:
        """The page's own `url` or `permalink` wins; Jekyll placeholders (`/:title/`) are not resolved here."""
        path = PurePosixPath(document_id(entry.path))
        page = path.relative_to(self._options.root) if self._options.root else path
        page = page.parent if page.stem.lower() in _INDEX_NAMES else page.with_suffix("")
        shown = "" if str(page) == "." else str(page)
        url = (
            self._options.base_url.replace("{path}", quote(str(path)))
            .replace("{page}", quote(shown))
            .replace("{commit}", commit)
        )
        for name in ("url", "permalink"):
            own = fields.get(name)
            if isinstance(own, str) and re.match(r"https?://|/", own) and "/:" not in own.replace("://", "", 1):
                return urljoin(url, own)
        return url

    def _place(self, snapshot: _Snapshot) -> str:
        where = f" below `{self._options.root}`" if self._options.root else ""
        return f"commit {snapshot.commit[:12]} of {redact(snapshot.repository.shown)}{where}"
