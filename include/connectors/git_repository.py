"""Reads one commit of a git repository through the git command line. Knows nothing of documents.

Only git objects are read, never a working tree: a half-finished checkout or an empty mount cannot look like a
repository without files. Every command has a time-out and a checked exit code; any failure is SourceUnavailable.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from include.connectors.git_log import LOG_FORMAT
from include.domain.errors import SourceUnavailable
from include.domain.redaction import redact

# What git may inherit. GIT_DIR, GIT_INDEX_FILE and the like (set inside hooks) would point it somewhere else.
_INHERITED = (
    "PATH",
    "HOME",
    "TMPDIR",
    "SSH_AUTH_SOCK",
    "SSL_CERT_FILE",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
)
_FIXED = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    # Overrides what a repository's own settings allow. Nothing: a partial clone would ask its remote for what it
    # lacks, and the address of that remote may be a command to run.
    "GIT_ALLOW_PROTOCOL": "",
}
_SETTINGS = (
    "safe.directory=*",
    "core.quotePath=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "log.showSignature=false",
    "log.showRoot=true",
    "diff.orderFile=/dev/null",
    "diff.ignoreSubmodules=none",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
)
# A repository's own settings must not change what a comparison says.
_RAW = (
    *("--raw", "-z", "--no-abbrev", "--find-renames", "--no-rename-empty", "-l1000"),
    *("--no-relative", "--no-ext-diff", "--no-textconv"),
)
_SUFFIX = re.compile(r"[~^:]|@\{")  # cannot be in the name of a branch or tag


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One path of a commit. `path` is raw bytes as git stores them; `mode` as in `ls-tree`; `oid` is the blob id."""

    path: bytes
    mode: str
    oid: str

    @property
    def is_file(self) -> bool:
        return self.mode in ("100644", "100755", "100664")


class Repository:
    """A git directory on this machine. `shown` is its name in messages, without credentials."""

    def __init__(self, git_dir: Path, *, shown: str, timeout: float) -> None:
        self.git_dir = git_dir
        self.shown = shown
        self.timeout = timeout

    @classmethod
    def local(cls, location: Path, *, timeout: float) -> Repository:
        """Open exactly this folder; a repository further up is another repository. Raises SourceUnavailable."""
        shown = str(location)
        if not location.is_dir():
            raise SourceUnavailable(f"{shown}: there is no such folder; is it mounted?", location=shown)
        for candidate in (location / ".git", location):
            if candidate.is_file() or (candidate / "HEAD").is_file():
                return cls(candidate, shown=shown, timeout=timeout)
        state = "is empty" if not any(location.iterdir()) else "holds no git repository"
        raise SourceUnavailable(
            f"{shown}: the folder {state}; is it mounted, is it the repository's top?", location=shown
        )

    def resolve_name(self, name: str) -> str:
        """The commit id of what a user calls `name`, perhaps with a suffix like `~1`: the branch of that name, else
        the tag, else whatever git knows by it. Left to git, a tag would win and hide every later commit of the
        branch. Raises as `resolve` does, with the fact `ref` where there is no such name."""
        base = _SUFFIX.split(name, maxsplit=1)[0]
        candidates = (f"refs/heads/{base}", f"refs/tags/{base}")
        known = self.run("for-each-ref", "--format=%(refname)", *candidates).decode("utf-8", "replace").splitlines()
        full = next((candidate for candidate in candidates if candidate in known), base)
        try:
            return self.resolve(full + name[len(base) :], shown=name)
        except SourceUnavailable as error:
            if full == base:
                error.facts["ref"] = name
            raise

    def resolve(self, ref: str, *, shown: str = "") -> str:
        """The commit id `ref` names now, `shown` in messages. Raises SourceUnavailable for a missing ref or a
        repository without commits."""
        return (
            self.run(
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                f"{ref}^{{commit}}",
                failure=f"there is no commit at `{shown or ref}`",
            )
            .decode()
            .strip()
        )

    def is_shallow(self) -> bool:
        return self.run("rev-parse", "--is-shallow-repository").strip() == b"true"

    def tree(self, commit: str) -> tuple[TreeEntry, ...]:
        """Every path of a commit, submodules and symlinks included."""
        entries = []
        for row in self.run("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
            if row:
                meta, _, path = row.partition(b"\t")
                mode, _, oid = meta.decode("ascii").split(" ")
                entries.append(TreeEntry(path, mode, oid))
        return tuple(entries)

    def blobs(self, oids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """(oid, content) in the order asked, in one pass. Raises SourceUnavailable for an object that is missing
        (partial clone, damaged repository) or cut short."""
        if not oids:
            return
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as complaints:
            asked.write("".join(f"{oid}\n" for oid in oids).encode())
            asked.seek(0)
            with self._process(("cat-file", "--batch", "--buffer"), asked, complaints) as process:
                assert process.stdout is not None
                for oid in oids:
                    header = process.stdout.readline().decode("ascii", "replace").split()
                    if len(header) != 3 or header[1] != "blob":
                        what = " ".join(header[1:]) or "no answer"
                        raise SourceUnavailable(
                            f"{self.shown}: object {oid[:12]} cannot be read ({what}); is the clone partial or broken? "
                            "`git fsck` tells",
                            location=self.shown,
                            oid=oid,
                        )
                    size = int(header[2])
                    content = process.stdout.read(size)
                    if len(content) != size or process.stdout.read(1) != b"\n":
                        raise SourceUnavailable(
                            f"{self.shown}: object {oid[:12]} broke off at {len(content)} of {size} bytes",
                            location=self.shown,
                            oid=oid,
                        )
                    yield oid, content

    def log(self, commit: str, *, timeout: float) -> bytes:
        """The whole history of a commit, no parent before its child, as `git_log.commits` reads it."""
        shown = ("--topo-order", "--root", "--diff-merges=first-parent", *_RAW, f"--format={LOG_FORMAT}")
        return self.run("log", *shown, commit, "--", timeout=timeout)

    def compare(self, before: str, after: str, *, timeout: float) -> bytes:
        """What differs between two trees, as `git_log.changes` reads it."""
        return self.run("diff-tree", "-r", *_RAW, before, after, timeout=timeout)

    @contextmanager
    def lookup(self, *, timeout: float) -> Iterator[Callable[[str, bytes], str]]:
        """A question that is asked many times: the id of the file at a path of a tree, empty if there is none."""
        with tempfile.TemporaryFile() as complaints:
            command = ("cat-file", "--batch-check=%(objectname) %(objecttype)")
            with self._process(command, subprocess.PIPE, complaints, timeout=timeout) as process:

                def oid_at(tree: str, path: bytes) -> str:
                    if b"\n" in path:  # would be two questions
                        return self._oid_of_odd_name(tree, path)
                    assert process.stdin is not None
                    assert process.stdout is not None
                    try:
                        process.stdin.write(b"%s:%s\n" % (tree.encode(), path))
                        process.stdin.flush()
                        answer = process.stdout.readline()
                    except OSError:
                        answer = b""
                    if not answer.endswith(b"\n"):
                        raise SourceUnavailable(f"{self.shown}: git cat-file broke off", location=self.shown)
                    oid, _, kind = answer.decode("utf-8", "replace").strip().partition(" ")
                    return oid if kind == "blob" else ""

                yield oid_at

    def _oid_of_odd_name(self, tree: str, path: bytes) -> str:
        row = self.run("ls-tree", "-z", "--full-tree", tree, "--", os.fsdecode(path)).partition(b"\t")[0].split()
        return row[2].decode("ascii") if row and row[1] == b"blob" else ""

    def run(
        self,
        *arguments: str,
        inside: bool = True,
        failure: str = "",
        timeout: float | None = None,
        extra: Mapping[str, str] | None = None,
        given: bytes = b"",
    ) -> bytes:
        """What a git command prints that is `given` this to read. `extra` is added to its environment. Raises
        SourceUnavailable, with the fact `exit_code` where git ran to its end and failed; `failure` says so in other
        words."""
        try:
            done = subprocess.run(
                self._command(arguments, inside=inside),
                capture_output=True,
                input=given,
                timeout=timeout or self.timeout,
                env=_environment(extra),
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise SourceUnavailable(
                f"{self.shown}: git {arguments[0]} did not finish in {timeout or self.timeout:g} s", location=self.shown
            ) from None
        except OSError as error:
            raise SourceUnavailable(f"{self.shown}: git cannot be started ({error.strerror})") from error
        if done.returncode != 0:
            said = redact(done.stderr.decode("utf-8", "replace").strip())[-400:]
            why = failure or f"git {arguments[0]} failed"
            raise SourceUnavailable(
                f"{self.shown}: {why} (exit code {done.returncode}) {said}".rstrip(),
                location=self.shown,
                exit_code=done.returncode,
            )
        return done.stdout

    def _command(self, arguments: Iterable[str], *, inside: bool = True) -> list[str]:
        command = ["git", "--no-pager"]
        for setting in _SETTINGS:
            command += ["-c", setting]
        if inside:
            command += ["--git-dir", os.fspath(self.git_dir)]
        return [*command, *arguments]

    @contextmanager
    def _process(
        self, arguments: Sequence[str], stdin: IO[bytes] | int, stderr: IO[bytes], *, timeout: float | None = None
    ) -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen(
            self._command(arguments), stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, env=_environment(None)
        )
        watchdog = threading.Timer(timeout or self.timeout, process.kill)  # a killed process shows as a missing answer
        watchdog.start()
        try:
            yield process
        finally:
            watchdog.cancel()
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):  # a pipe to a killed process cannot be flushed
                        pipe.close()


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return {**inherited, **_FIXED, **(extra or {})}
