"""Every commit of a repository written anew, with other files and messages, and the old ones forgotten by git.

`git fast-export` and `git fast-import` carry authors, dates and order over. The old commits stay until the new ones are
whole; killed at any moment, the repository has the old history or the new one, and a second call finishes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress

from include.records.repository import Repository

File = Callable[[str, bytes], bytes | None]
"""From path and content to other content, or None for a file that is not to be there."""

_CHANGE = re.compile(rb"M (\d+) (:\d+) (.+)")


def rewritten(repository: Repository, *, file: File, message: Callable[[str], str]) -> int:
    """How many blobs and commits became others. To be called while the repository is locked."""
    exported = repository.run("fast-export", "--all", "--signed-tags=strip", "--tag-of-filtered-object=drop")
    blobs = {mark: part for kind, mark, part in _parts(exported) if kind == "blob"}
    stream, changed = bytearray(), 0
    cleaned: dict[tuple[bytes, str], bytes | None] = {}
    for kind, _, part in _parts(exported):
        if kind == "blob":
            continue  # written where a commit needs it: what becomes of it depends on its path
        if kind == "message":
            text = part.decode("utf-8", "surrogateescape")
            clean = message(text).encode("utf-8", "surrogateescape")
            changed += clean != part
            stream += b"data %d\n" % len(clean) + clean + b"\n"
            continue
        if change := _CHANGE.fullmatch(part):
            mode, blob, path = change[1], change[2], change[3]
            name = path.decode("utf-8", "surrogateescape").strip('"')
            if (blob, name) not in cleaned:
                cleaned[blob, name] = file(name, blobs[blob])
                changed += cleaned[blob, name] != blobs[blob]
            content = cleaned[blob, name]
            if content is None:
                stream += b"D " + path + b"\n"
            else:
                stream += b"M %s inline %s\ndata %d\n" % (mode, path, len(content)) + content + b"\n"
            continue
        stream += part + b"\n"
    if changed:
        repository.run("fast-import", "--force", "--quiet", data=bytes(stream))
        repository.run("read-tree", "HEAD")
    for name in ("COMMIT_EDITMSG", "ORIG_HEAD", "FETCH_HEAD"):
        with suppress(FileNotFoundError):
            (repository.folder / ".git" / name).unlink()
    repository.run("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    repository.run("repack", "-a", "-d", "-q")
    repository.run("prune", "--expire=now")
    return changed


def _parts(exported: bytes) -> Iterator[tuple[str, bytes, bytes]]:
    """Lines as they are, and data by what they are of: a blob, with its mark, or the message of a commit or a tag."""
    position, within, mark = 0, "", b""
    while position < len(exported):
        end = exported.index(b"\n", position)
        line = exported[position:end]
        position = end + 1
        if line == b"blob":
            within = "blob"
        elif line.startswith((b"commit ", b"tag ", b"reset ")):
            within = "commit"
            yield "line", b"", line
        elif line.startswith(b"mark "):
            mark = line[5:]
            if within == "commit":
                yield "line", b"", line
        elif line.startswith(b"data "):
            size = int(line[5:])
            data = exported[position : position + size]
            position += size
            yield ("blob" if within == "blob" else "message"), mark, data
        elif within != "blob":
            yield "line", b"", line
