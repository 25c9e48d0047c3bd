"""Takes documents out of a git repository: one commit, on a branch of its own, in a bare clone of ours.

Nothing is ever written to the repository that is the source, its checkout and its branches least of all: whoever owns
it merges the commit, or does not. Only where a push is configured does our branch get there, under its own name. The
clone has no working tree either: the commit is made of the tree of the followed branch, without the files.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from include.connectors.credentials import Credentials
from include.connectors.git_mirror import PROTOCOLS, git_config, locked
from include.connectors.git_options import GitMarkdownOptions
from include.connectors.git_paths import raw_path
from include.connectors.git_repository import Repository
from include.domain.errors import ConfigError, SourceUnavailable
from include.domain.purge import PurgeCommit
from include.domain.redaction import redact

_BASE = "refs/truecopy/base"


class GitPurge:
    """Implements ports.Purging for sources of kind `git_markdown`. `cache_dir` is where the clone lives; `author` is
    who the commits are by, as git writes it."""

    def __init__(
        self,
        source: str,
        options: GitMarkdownOptions,
        *,
        cache_dir: Path,
        author: tuple[str, str],
        push: bool = False,
        credentials: Credentials | None = None,
    ) -> None:
        self._source = source
        self._location = options.location
        self._follows = options.ref
        self._author = author
        self._push = push
        self._secret = git_config(credentials) | {"GIT_ALLOW_PROTOCOL": PROTOCOLS}
        digest = hashlib.sha256(options.location.encode()).hexdigest()[:24]
        self._clone = Repository(
            cache_dir / "purges" / f"{digest}.git",
            shown=redact(options.location),
            timeout=options.fetch_timeout_seconds,
        )

    @property
    def pushes(self) -> bool:
        """See `ports.Purging`."""
        return self._push

    def propose(self, files: Mapping[str, bytes], *, message: str, at: datetime) -> PurgeCommit:
        """See `ports.Purging`."""
        self._prepare()
        with locked(self._clone.git_dir.with_suffix(".lock")):
            base = self._base()
            tip = self._fetched(base)
            found = self._files(tip, files)
            removed = tuple(doc_id for doc_id, state in found.items() if state not in ("missing", "changed"))
            made = PurgeCommit(
                str(self._clone.git_dir),
                base,
                removed=removed,
                missing=tuple(doc_id for doc_id, state in found.items() if state == "missing"),
                changed=tuple(doc_id for doc_id, state in found.items() if state == "changed"),
            )
            if not removed:
                return made
            branch, commit = self._branch({doc_id: found[doc_id] for doc_id in removed}, tip, message, at)
            problem = self.push(branch)
            pushed = self._push and not problem
            step = self._next_step(base, branch, pushed=pushed)
            return replace(made, branch=branch, commit=commit, pushed=pushed, problem=problem, next_step=step)

    def find(self, branch: str, commit: str) -> bool:
        """See `ports.Purging`."""
        if not self._clone.git_dir.is_dir():
            return False
        try:
            return self._clone.resolve(f"refs/heads/{branch}") == commit
        except SourceUnavailable:
            return False

    def push(self, branch: str) -> str:
        """See `ports.Purging`. Never by force: what is on a branch of that name already stays."""
        if not self._push:
            return ""
        name = f"refs/heads/{branch}"
        try:
            self._clone.run("push", "--quiet", "--", self._location, f"{name}:{name}", extra=self._secret)
        except SourceUnavailable as error:
            return str(error)
        return ""

    def _prepare(self) -> None:
        try:
            self._clone.git_dir.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"{self._source}: cache {self._clone.git_dir.parent} cannot be written ({error.strerror}), so no "
                "removal can be committed; set `cache` or TRUECOPY_CACHE to a local folder of this user"
            ) from error
        self._clone.run("init", "--bare", "--quiet", os.fspath(self._clone.git_dir), inside=False)

    def _base(self) -> str:
        """The branch that the source follows, by its short name. Raises ConfigError for a tag, a commit, a detached
        HEAD: nothing can be merged into them."""
        wanted = f"refs/heads/{self._follows}" if self._follows else "HEAD"
        rows = self._clone.run("ls-remote", "--symref", "--", self._location, wanted, extra=self._secret)
        for row in rows.decode("utf-8", "replace").splitlines():
            what, _, name = row.partition("\t")
            if self._follows and name == wanted:
                return self._follows
            if not self._follows and what.startswith("ref: refs/heads/"):
                return what.removeprefix("ref: refs/heads/")
        followed = f"`{self._follows}`, which is no branch there" if self._follows else "a HEAD that is on no branch"
        raise ConfigError(
            f"{self._source}: {self._clone.shown} is followed at {followed}, so a removal could never be merged into "
            "it. Set `ref` to a branch, or `purge.commit: false`, to keep such documents out of the index only",
            source=self._source,
        )

    def _fetched(self, base: str) -> str:
        self._clone.run(
            "fetch",
            "--quiet",
            "--force",
            "--update-shallow",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-gc",
            "--no-recurse-submodules",
            "--",
            self._location,
            f"+refs/heads/{base}:{_BASE}",
            extra=self._secret,
        )
        return self._clone.resolve(_BASE)

    def _files(self, tip: str, files: Mapping[str, bytes]) -> dict[str, str]:
        """The blob of each document's file where it is the one that was read; else `missing` or `changed`."""
        with self._clone.lookup(timeout=self._clone.timeout) as oid_at:
            oids = {doc_id: oid_at(tip, raw_path(doc_id)) for doc_id in sorted(files)}
        contents = dict(self._clone.blobs(sorted({oid for oid in oids.values() if oid})))
        return {
            doc_id: "missing" if not oid else oid if contents[oid] == files[doc_id] else "changed"
            for doc_id, oid in oids.items()
        }

    def _branch(self, oids: Mapping[str, str], tip: str, message: str, at: datetime) -> tuple[str, str]:
        """The branch with this removal, and its commit: the one that is there, unless the followed branch had it and
        took it back. The name says what is removed, so that a run that was killed finds what it had made."""
        rows = "".join(f"{oid} {doc_id}\n" for doc_id, oid in sorted(oids.items()))
        digest = hashlib.sha256(rows.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        name = first = f"truecopy/purge-{at.astimezone(UTC):%Y-%m-%d}-{digest}"
        number = 1
        while standing := self._commit_of(name):
            if not self._is_in(standing, tip):
                return name, standing
            number += 1
            name = f"{first}-{number}"
        commit = self._committed(oids, tip, message, at)
        self._clone.run("update-ref", f"refs/heads/{name}", commit, "")
        return name, commit

    def _commit_of(self, branch: str) -> str:
        return self._clone.run("for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}").decode().strip()

    def _is_in(self, commit: str, tip: str) -> bool:
        return not self._clone.run("rev-list", "-n", "1", commit, f"^{tip}").strip()

    def _committed(self, oids: Mapping[str, str], tip: str, message: str, at: datetime) -> str:
        name, email = self._author
        when = f"{int(at.timestamp())} +0000"
        identity = {
            f"GIT_{role}_{part}": value
            for role in ("AUTHOR", "COMMITTER")
            for part, value in (("NAME", name), ("EMAIL", email), ("DATE", when))
        }
        none = b"0" * len(tip)
        rows = b"".join(b"0 %s\t%s\0" % (none, raw_path(doc_id)) for doc_id in sorted(oids))
        with tempfile.TemporaryDirectory(prefix="truecopy-") as folder:
            index = {"GIT_INDEX_FILE": os.fspath(Path(folder) / "index")}
            self._clone.run("read-tree", tip, extra=index)
            self._clone.run("update-index", "-z", "--index-info", extra=index, given=rows)
            tree = self._clone.run("write-tree", extra=index).decode().strip()
        text = message.encode("utf-8", "replace")
        return self._clone.run("commit-tree", tree, "-p", tip, "-F", "-", extra=identity, given=text).decode().strip()

    def _next_step(self, base: str, branch: str, *, pushed: bool) -> str:
        """How the commit gets to where the source reads it, as commands to copy."""
        place = Path(self._location)
        checkout, clone = shlex.quote(self._clone.shown), shlex.quote(str(self._clone.git_dir))
        if pushed:
            return f"merge the branch {branch} into {base}"
        if (place / ".git").exists():
            return f"`git -C {checkout} pull --no-rebase --no-edit {clone} {branch}`, with {base} checked out"
        return f"`git -C {clone} push {checkout} {branch}`, then merge it into {base}"
