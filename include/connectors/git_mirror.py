"""Keeps a bare mirror of a remote git repository in the cache, one for each URL.

A mirror is only a cache: one that git cannot work with any more (a lock left by a killed process, a damaged
configuration, lost objects) is made anew instead of being repaired. The old one goes only when the new one is there.
"""

from __future__ import annotations

import base64
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from include.connectors.credentials import Credentials
from include.connectors.git_repository import Repository
from include.domain.errors import ConfigError, SourceUnavailable
from include.domain.redaction import redact

MIRROR_HEAD = "refs/truecopy/HEAD"
PROTOCOLS = "https:http:ssh:git:file"  # `ext` runs a command, whoever wrote the address


def open_mirror(
    url: str,
    cache_dir: Path,
    *,
    timeout: float,
    credentials: Credentials | None,
    with_head: bool = True,
    anew: bool = False,
) -> Repository:
    """Bring a bare mirror of `url` up to date and open it; with `anew`, from nothing. `with_head`: what the remote's
    HEAD names is needed; a HEAD that names no branch (it was renamed or deleted) is an error only then.

    Raises SourceUnavailable when that fails: what an earlier fetch left in the cache is never handed out as if it
    were fresh. Raises ConfigError for a cache folder that cannot be written.
    """
    shown = redact(url)
    git_dir = mirror_folder(url, cache_dir)
    secret = git_config(credentials)
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache_dir):
            pass
        with locked(git_dir.with_suffix(".lock")):
            if anew:
                fresh = Repository(git_dir.with_suffix(".new"), shown=shown, timeout=timeout)
                _remove(fresh.git_dir)
                _fetch(fresh, url, secret, with_head=with_head)
                _remove(git_dir)
                fresh.git_dir.rename(git_dir)
                return Repository(git_dir, shown=shown, timeout=timeout)
            mirror = Repository(git_dir, shown=shown, timeout=timeout)
            _fetch(mirror, url, secret, with_head=with_head)
            return mirror
    except OSError as error:
        raise ConfigError(
            f"cache {cache_dir} cannot be written ({error.strerror}), so {shown} cannot be mirrored; set `cache` "
            "or TRUECOPY_CACHE to a local folder of this user",
            path=str(cache_dir),
        ) from error


def mirror_folder(url: str, cache_dir: Path) -> Path:
    """Where the mirror of `url` is, once it was made."""
    return cache_dir / f"{hashlib.sha256(url.encode()).hexdigest()[:24]}.git"


def may_be_damaged(error: SourceUnavailable) -> bool:
    """Whether a damaged mirror may be why reading it failed: git said no, or lacks an object. A source that is slow
    or a name that it does not have are no reasons to fetch everything again."""
    return bool({"exit_code", "oid"} & set(error.facts)) and "ref" not in error.facts


def _fetch(mirror: Repository, url: str, secret: dict[str, str], *, with_head: bool) -> None:
    mirror.run("init", "--bare", "--quiet", os.fspath(mirror.git_dir), inside=False)
    mirror.run(
        "fetch",
        "--quiet",
        "--prune",
        "--force",
        "--no-write-fetch-head",
        "--no-auto-gc",
        "--no-recurse-submodules",
        "--",
        url,
        "+refs/heads/*:refs/heads/*",
        "+refs/tags/*:refs/tags/*",
        *([f"+HEAD:{MIRROR_HEAD}"] if with_head else []),
        extra=secret | {"GIT_ALLOW_PROTOCOL": PROTOCOLS},
    )


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def git_config(credentials: Credentials | None) -> dict[str, str]:
    """Credentials as configuration in the environment: an argument would be visible in the process list."""
    if not credentials:
        return {}
    headers = [f"{name}: {value}" for name, value in credentials.headers.items()]
    if credentials.basic:
        token = base64.b64encode(":".join(credentials.basic).encode()).decode()
        headers.append(f"Authorization: Basic {token}")
    config = {"GIT_CONFIG_COUNT": str(len(headers))}
    for position, header in enumerate(headers):
        config |= {f"GIT_CONFIG_KEY_{position}": "http.extraHeader", f"GIT_CONFIG_VALUE_{position}": header}
    return config


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One fetch at a time into a mirror, whatever the number of workers."""
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
