"""Which documents were erased, in the ledger, so that they stay out of whatever is synced, rebuilt or restored.

    erased/salt                       the key of the digests, made with the first tombstone
    erased/<source>/<digest>.yaml     one document: who, when, by which rule; no text, no title, no id

The digest is an HMAC-SHA256 of source and doc id under the salt. Whoever has the ledger and guesses an id can test the
guess; the ledger alone tells no name.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter

from include.domain.documents import DocumentKey
from include.domain.erasure import Tombstone, mark_of
from include.domain.errors import ConfigError
from include.records.repository import person
from include.records.yaml_records import YamlRecords

_TOMBSTONE = TypeAdapter(Tombstone)
SALT = "erased/salt"


class Tombstones(YamlRecords):
    """The part of the ledger that is about erased documents; implements ports.erasing.Tombstones."""

    def tombstone_of(self, key: DocumentKey) -> Tombstone | None:
        salt = self._salt()
        if salt is None:
            return None
        found: Tombstone | None = self._read(_TOMBSTONE, _path(key.source, _digest(salt, key)))
        return found

    def tombstones(self) -> Sequence[Tombstone]:
        if self._salt() is None:
            return []
        paths = sorted((self._folder / "erased").glob("*/*.yaml"))
        read = (self._read(_TOMBSTONE, str(path.relative_to(self._folder))) for path in paths)
        return [each for each in read if each is not None]

    def marks_among(self, source: str, doc_ids: Iterable[str]) -> Mapping[str, str]:
        folder = self._folder / "erased" / Path(source).name
        standing = {path.stem for path in folder.glob("*.yaml")}
        if not standing or (salt := self._salt()) is None:
            return {}
        digests = ((doc_id, _digest(salt, DocumentKey(source, doc_id))) for doc_id in doc_ids if doc_id)
        return {doc_id: mark_of(digest) for doc_id, digest in digests if digest in standing}

    def bury(self, keys: Sequence[DocumentKey], *, by: str, rule: str, at: str) -> Sequence[Tombstone]:
        with self._repository.locked():
            paths = []
            salt = self._salt()
            if salt is None:
                salt = secrets.token_hex(32)
                self._repository.write(SALT, salt)
                paths.append(SALT)
            buried = []
            for key in keys:
                path = _path(key.source, _digest(salt, key))
                standing: Tombstone | None = self._read(_TOMBSTONE, path)
                if standing is None:
                    standing = Tombstone(key.source, _digest(salt, key), by, rule, at)
                    self._write(path, _TOMBSTONE.dump_python(standing, mode="json"))
                    paths.append(path)
                buried.append(standing)
            if paths:
                self._repository.commit(paths, f"Erase {len(buried)} documents\n\n{rule}", person(by))
            return buried

    def lift(self, key: DocumentKey, *, by: str, why: str) -> bool:
        with self._repository.locked():
            found = self.tombstone_of(key)
            if found is None:
                return False
            path = _path(found.source, found.digest)
            (self._folder / path).unlink()
            self._repository.commit([path], f"Let {found.mark} of {found.source} in again\n\n{why}", person(by))
            return True

    def _salt(self) -> str | None:
        """None where nothing was ever erased. Raises ConfigError where the salt of standing tombstones is gone: each
        would let its document in again, without a word."""
        file = self._folder / SALT
        try:
            salt = file.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            salt = ""
        if len(salt) == 64:
            return salt
        if salt or any((self._folder / "erased").glob("*/*.yaml")):
            raise ConfigError(
                f"ledger file {file} is {'damaged' if salt else 'gone'}, so that erased documents cannot be told from "
                "others; nothing is read from any source. Bring it back: `git log -- erased/salt` in the ledger",
                path=str(file),
            )
        return None


def _digest(salt: str, key: DocumentKey) -> str:
    said = f"{key.source}\x1f{key.doc_id}".encode("utf-8", "surrogatepass")
    return hmac.new(bytes.fromhex(salt), said, "sha256").hexdigest()[:32]


def _path(source: str, digest: str) -> str:
    return f"erased/{Path(source).name}/{digest}.yaml"
