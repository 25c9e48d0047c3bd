"""One commit as a source sees it: the files in scope, the site that each belongs to, what is missing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from include.connectors.git_dialects import open_site
from include.connectors.git_options import GitMarkdownOptions, RootOptions
from include.connectors.git_paths import Globs, document_id
from include.connectors.git_repository import Repository, TreeEntry
from include.connectors.git_site import Page, Site, Tree, below
from include.connectors.git_visibility import may_pass_on
from include.domain.errors import DocumentUnreadable
from include.domain.redaction import redact, redact_address
from include.text import encoding

_KINDS = {"120000": "a symlink", "160000": "a submodule"}


@dataclass(frozen=True, slots=True)
class Document:
    """A file in scope, public or not. `page` is None where its site cannot be read; `why_no_page` is set where the
    site says by the path alone that it is no public page."""

    entry: TreeEntry
    site: Site | None = None
    page: Page | None = None
    why_no_page: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`documents` by id; `folder_files` pass fields on to a whole folder; `out_of_scope` is all the rest. `problem`
    says why the commit proves no absence, `unjudged` why it is not known who may see its pages."""

    repository: Repository
    commit: str
    pinned_at: datetime
    documents: Mapping[str, Document] = field(default_factory=dict)
    folder_files: Mapping[str, TreeEntry] = field(default_factory=dict)
    out_of_scope: frozenset[str] = frozenset()
    skipped: str = ""
    problem: str = ""
    unjudged: str = ""

    @property
    def place(self) -> str:
        return f"commit {self.commit[:12]} of {redact(self.repository.shown)}"


def take(repository: Repository, commit: str, pinned_at: datetime, options: GitMarkdownOptions) -> Snapshot:
    """Look at the tree of a commit. Raises SourceUnavailable for a tree or a site's configuration that is not there."""
    entries = {document_id(entry.path): entry for entry in repository.tree(commit)}
    files = {doc_id: entry for doc_id, entry in entries.items() if entry.is_file}
    tree = Tree(frozenset(files), frozenset(entries.keys() - files.keys()), _reader(repository, files))
    roots = sorted(options.all_roots, key=lambda root: len(root.path), reverse=True)
    problem = _problem(repository.shown, commit, entries, options)
    sites: dict[str, Site] = {}
    unjudged = ""
    for root in roots:
        if unjudged or not any(below(root.path, doc_id) is not None for doc_id in entries):
            continue
        try:
            sites[root.path] = open_site(root.path, _of_root(options, root), tree)
        except DocumentUnreadable as error:
            unjudged = f"{repository.shown}: commit {commit[:12]}: {error}; until then no page is known to be public"
    include, exclude = Globs(options.include), Globs(options.exclude)
    documents: dict[str, Document] = {}
    skipped = {"120000": 0, "160000": 0}
    for doc_id, entry in entries.items():
        root_path = next((root.path for root in roots if below(root.path, doc_id) is not None), None)
        inner = None if root_path is None else below(root_path, doc_id)
        wanted = inner is not None and include.match(inner) and not exclude.match(inner)
        if wanted and entry.is_file:
            documents[doc_id] = _document(doc_id, entry, None if unjudged else sites.get(root_path or ""))
        elif entry.mode in skipped and (wanted or entry.mode == "160000"):
            skipped[entry.mode] += 1
    return Snapshot(
        repository,
        commit,
        pinned_at,
        documents,
        {doc_id: entry for doc_id, entry in files.items() if may_pass_on(doc_id)},
        frozenset(entries.keys() - documents.keys()),
        "".join(f", {skipped[mode]} {_KINDS[mode][2:]}s skipped" for mode in skipped if skipped[mode]),
        problem or unjudged,
        unjudged,
    )


def scope(shown: str, options: GitMarkdownOptions) -> str:
    """What a listing covers, for comparing two nights; the address without a secret, never the commit."""
    covered = {
        "repository": redact_address(shown) if "://" in shown else shown,
        "ref": options.ref or "HEAD",
        "roots": sorted(root.path or "/" for root in options.all_roots),
        "include": sorted(options.include),
        "exclude": sorted(options.exclude),
        "dialect": options.dialect,
    }
    return json.dumps(covered, sort_keys=True, ensure_ascii=False)


def _document(doc_id: str, entry: TreeEntry, site: Site | None) -> Document:
    if site is None:
        return Document(entry)
    page = site.page(doc_id)
    return Document(entry, site, page, site.why_no_page(page))


def _of_root(options: GitMarkdownOptions, root: RootOptions) -> GitMarkdownOptions:
    own = root.model_dump(exclude={"path"}, exclude_none=True)
    return options.model_copy(update=own) if own else options


def _reader(repository: Repository, files: Mapping[str, TreeEntry]) -> Callable[[str], str]:
    def read(path: str) -> str:
        (content,) = (content for _, content in repository.blobs([files[path].oid]))
        try:
            return encoding.normalise(encoding.decode(content))
        except ValueError as error:
            raise DocumentUnreadable(f"{path} is no text: {error}") from error

    return read


def _problem(shown: str, commit: str, entries: Mapping[str, TreeEntry], options: GitMarkdownOptions) -> str:
    """Why this tree is not the source that was meant, empty if it may be."""
    if not entries:
        return f"{shown}: commit {commit[:12]} holds no file at all"
    for root in options.all_roots:
        if any(below(root.path, doc_id) is not None for doc_id in entries):
            continue
        here = entries.get(root.path)
        instead = f", but {_KINDS.get(here.mode, 'a file')} of that name" if here else ""
        return f"{shown}: commit {commit[:12]} has no folder `{root.path}` (option root or roots){instead}"
    if options.sentinel and options.sentinel not in entries:
        return f"{shown}: commit {commit[:12]} lacks the sentinel `{options.sentinel}`: is it the right repository?"
    return ""
