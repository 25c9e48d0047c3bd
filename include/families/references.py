"""From references as documents write them to documents of the same source. Pure.

| written as                                | means                                                              |
|-------------------------------------------|--------------------------------------------------------------------|
| `036-multi-cluster.md`, `../a/b.md#x`     | the document at that path, from the folder of the one that says so |
| `/docs/old/`, `https://example.com/a.html`| the document at that address, or with that alias                   |
| `PEP 387`, `pep-0387`, `XEP-0060`         | the one that bears this number, by alias, file name or title       |
| `387`, `ADR 12`                           | the one of this number in the series of the one that says so       |
| anything else                             | the one with exactly this alias or title                           |

Two documents that fit are as good as none: a target is found or it is missing, never guessed.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit

from include.families.members import Member

_SUFFIXES = (".md", ".mdx", ".markdown", ".rst", ".txt", ".html", ".htm", ".xml", ".mediawiki", ".adoc")
_INDEX_NAMES = ("index", "readme", "_index")
_NAMED_NUMBER = re.compile(r"(?P<register>[A-Za-z]{2,9})[ _-]?#?0*(?P<number>\d{1,6})")
_IN_A_FILE_NAME = re.compile(r"(?:(?P<register>[A-Za-z]{2,9})[-_ ]?)?0*(?P<number>\d{1,6})(?=[-_. ]|$)")
_IN_A_TITLE = re.compile(r"(?:(?P<register>[A-Z][A-Za-z]{1,8})[ -]?)?0*(?P<number>\d{1,6})(?=\s*[:.)–—-]\s*\S)")
_BARE_NUMBER = re.compile(r"#?0*(\d{1,6})")
_NONE: frozenset[str] = frozenset()
_ONE_SERIES = {"erc": "eip"}
"""Registers that share their numbers: ERC-20 is EIP-20."""
_DECISIONS = frozenset({"adr", "adrs", "decision", "decisions", "record"})


@dataclass(frozen=True, slots=True)
class Target:
    """What a reference means: the `doc_id`, or None and why none was found."""

    doc_id: str | None
    why: str = ""


class References:
    """The documents of one source, by everything that they can be referred to by."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._paths: dict[str, set[str]] = defaultdict(set)
        self._addresses: dict[str, set[str]] = defaultdict(set)
        self._aliases: dict[str, set[str]] = defaultdict(set)
        self._titles: dict[str, set[str]] = defaultdict(set)
        self._numbers: dict[tuple[str, int], set[str]] = defaultdict(set)
        self._in_folder: dict[tuple[str, int], set[str]] = defaultdict(set)
        self._registers: dict[str, str] = {}
        self._ids = {member.key.doc_id for member in members}
        for member in members:
            self._add(member)

    def find(self, reference: str, member: Member) -> Target:
        """What `reference`, written in `member`, means."""
        found: set[str] = set()
        for ids in self._ways(reference.strip(), member):
            found |= ids
            if found:
                break
        if len(found) == 1:
            return Target(next(iter(found)))
        if found:
            return Target(None, f"{reference!r} fits {len(found)} documents: {', '.join(sorted(found)[:3])}")
        return Target(None, f"{reference!r} is no document of this source")

    def _ways(self, reference: str, member: Member) -> Iterator[AbstractSet[str]]:
        """Documents by one reading after the other, the surest first; a reading counts where it finds something."""
        doc_id = member.key.doc_id
        if not _title(reference) or (reference.startswith("#") and not _BARE_NUMBER.fullmatch(reference)):
            return  # nothing, or a place within the document itself
        if re.match(r"https?://", reference, re.IGNORECASE):
            yield self._addresses.get(_address(reference), _NONE)
            yield self._aliases.get(_alias(reference), _NONE)
            return
        yield self._paths.get(_path(posixpath.join(posixpath.dirname(doc_id), _without_anchor(reference))), _NONE)
        if reference in self._ids:
            yield {reference}
        yield self._paths.get(_path(_without_anchor(reference)), _NONE) if reference.startswith("/") else _NONE
        if "/" in reference and re.match(r"https?://", member.url, re.IGNORECASE):
            yield self._addresses.get(_address(_joined(member.url, reference)), _NONE)
        yield self._aliases.get(_alias(reference), _NONE)
        yield self._numbered(reference, doc_id)
        yield self._titles.get(_title(reference), _NONE)
        if "/" in reference or reference.endswith(_SUFFIXES):  # from the top of the source
            yield self._paths.get(_path(_without_anchor(reference)), _NONE)

    def _numbered(self, reference: str, doc_id: str) -> AbstractSet[str]:
        folder = posixpath.dirname(doc_id)
        own = self._registers.get(doc_id)
        if bare := _BARE_NUMBER.fullmatch(reference):
            number = int(bare[1])
            return self._in_register(own, number, folder) if own else self._in_folder.get((folder, number), _NONE)
        named = _NAMED_NUMBER.fullmatch(reference)
        if named is None:
            return _NONE
        register, number = _register(named["register"]), int(named["number"])
        if found := self._in_register(register, number, folder):
            return found
        parts = set(re.split(r"[/_ -]", folder.casefold()))
        if own is None and (register in _DECISIONS or not parts.isdisjoint({register, f"{register}s"})):
            return self._in_folder.get((folder, number), _NONE)
        return _NONE

    def _in_register(self, register: str, number: int, folder: str) -> AbstractSet[str]:
        """Two teams may number their decisions alike: then the one in the same folder is meant."""
        found = self._numbers.get((register, number), _NONE)
        return {doc_id for doc_id in found if posixpath.dirname(doc_id) == folder} or found

    def _add(self, member: Member) -> None:
        doc_id = member.key.doc_id
        self._paths[_path(doc_id)].add(doc_id)
        if member.url:
            self._addresses[_address(member.url)].add(doc_id)
        self._titles[_title(member.title)].add(doc_id)
        for alias in member.lineage.aliases:
            self._aliases[_alias(alias)].add(doc_id)
            if re.match(r"https?://", alias, re.IGNORECASE):
                self._addresses[_address(alias)].add(doc_id)
            elif alias.startswith("/") and member.url:
                self._addresses[_address(_joined(member.url, alias))].add(doc_id)
        self._add_number(member)

    def _add_number(self, member: Member) -> None:
        """Its number in a register: by alias, else by file name, else by title. One name for one series."""
        doc_id = member.key.doc_id
        folder, name = posixpath.split(_without_index(doc_id))
        stated = [found for alias in member.lineage.aliases if (found := _NAMED_NUMBER.fullmatch(alias.strip()))]
        by_name = _IN_A_FILE_NAME.match(name)
        by_title = _IN_A_TITLE.match(member.title)
        for found in (*stated, by_name, by_title):
            if found is None:
                continue
            register, number = _register(found["register"] or ""), int(found["number"])
            if register:
                self._numbers[register, number].add(doc_id)
                self._registers.setdefault(doc_id, register)
            elif found is by_name:
                self._in_folder[folder, number].add(doc_id)


def _register(name: str) -> str:
    return _ONE_SERIES.get(name.casefold(), name.casefold())


def _without_anchor(reference: str) -> str:
    return unquote(reference.split("#")[0].split("?")[0])


def _path(path: str) -> str:
    """A path as it is compared: without suffix, index file, slash at the end; Unicode and case as they are."""
    return _without_index(posixpath.normpath(path.strip()).strip("/"))


def _without_index(path: str) -> str:
    stem, suffix = posixpath.splitext(path)
    bare = stem if suffix.lower() in _SUFFIXES else path
    folder, name = posixpath.split(bare)
    return folder if folder and name.lower() in _INDEX_NAMES else bare


def _joined(url: str, reference: str) -> str:
    try:
        return urljoin(url, reference)
    except ValueError:
        return reference


def _address(url: str) -> str:
    """An address as it is compared: host and path, in one spelling. What is none is only like itself."""
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return url
    query = f"?{parts.query}" if parts.query else ""
    return f"{host}/{_path(unquote(parts.path) or '/').removeprefix('.')}{query}"


def _alias(alias: str) -> str:
    return (_path(_without_anchor(alias)) if "/" in alias else " ".join(alias.split())).casefold()


def _title(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.casefold()))
