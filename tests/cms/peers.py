"""Where a test peer keeps what takes long to make: environments, unpacked packages, a migrated database.

The cache is `TRUECOPY_TEST_CACHE`, else `truecopy-tests` in the user's cache folder. It holds nothing that cannot be
made again, and nothing in it changes while tests run: a site runs on a copy.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path


class PeerUnavailable(Exception):
    """The peer cannot be had on this machine; the message is the reason of a skipped test."""


def cache_folder() -> Path:
    chosen = os.environ.get("TRUECOPY_TEST_CACHE")
    return (
        Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "truecopy-tests"
    )


def prepared(name: str, ingredients: Iterable[Path | str], make: Callable[[Path], None]) -> Path:
    """The folder that `make` filled, made anew only when an ingredient (a file's content, a word) has changed.

    Two test runs at once do not make it twice. Raises PeerUnavailable when a program that `make` calls fails.
    """
    digest = hashlib.sha256()
    for each in (sys.version.split()[0], sys.executable, *ingredients):
        digest.update(each.read_bytes() if isinstance(each, Path) else each.encode())
        digest.update(b"\0")
    folder = cache_folder() / f"{name}-{digest.hexdigest()[:12]}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    done = folder / ".complete"
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            try:
                make(folder)
            except subprocess.CalledProcessError as error:
                said = (error.stderr or error.stdout or b"").decode(errors="replace").strip()[-300:]
                command = " ".join(map(str, error.cmd))
                raise PeerUnavailable(f"{name} could not be prepared: `{command:.80}` said: {said}") from error
            done.touch()
    return folder


def environment(folder: Path, requirements: Path) -> Path:
    """A virtual environment in `folder` with these packages; its Python. Of uv or, without it, of pip."""
    python = folder / "bin" / "python"
    uv = [sys.executable, "-m", "uv"]
    if subprocess.run([*uv, "--version"], capture_output=True, check=False).returncode == 0:
        _call([*uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
        _call(
            [*uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", str(python), "-r", str(requirements)]
        )
    else:
        _call([sys.executable, "-m", "venv", str(folder)])
        _call([str(python), "-m", "pip", "install", "--quiet", "-r", str(requirements)])
    return python


def _call(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)
