"""What people, the resolver and the detector have decided about documents, and every change of it.

    marks/<source>.yaml            a person's word by document; may be edited by hand
    resolved/<source>.yaml         the resolver's
    staged/<source>.yaml           the detector's
    changes/<source>/<run>.yaml    what one run changed in one of them: who, why, and the values before

A document's entry names only the fields that were decided. The whole of a change is one commit, however many documents
it has. Its file in `changes` is written first: what a writer that is killed before its commit leaves is then understood
by the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from include.domain.documents import Marks
from include.domain.errors import ChangeRefused, ChangeUnderway, ConfigError
from include.domain.metadata import DocumentPatch, Hand, MetadataChange, Patch, marks_of, merged, value_of
from include.records.entry_lines import EntryError, read_entries, read_list, write_entries, write_list
from include.records.names import file_name
from include.records.repository import person
from include.records.yaml_records import YamlRecords

_FOLDERS = {Hand.PERSON: "marks", Hand.RESOLVER: "resolved", Hand.DETECTOR: "staged"}
_NOTHING: Mapping[str, Patch] = MappingProxyType({})
_MOST_PROBLEMS = 10
_HEADING = ("run_id", "source", "hand", "by", "reason", "at", "selector", "reverts")


@dataclass(frozen=True, slots=True)
class _Known:
    """Marks with what they were made of, and when its file was last written."""

    hands: tuple[Mapping[str, Patch], ...]
    marks: Mapping[str, Marks]


class Decisions(YamlRecords):
    """The part of ports.Ledger that is about metadata. Files are read again only when they changed: every batch of
    every run asks."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._repository.finish = self._finish
        self._files: dict[Path, tuple[tuple[int, int, int], Mapping[str, Patch]]] = {}
        self._known: dict[str, _Known] = {}

    def marks(self, source: str) -> Mapping[str, Marks]:
        hands = tuple(self.decided(source, hand) for hand in Hand)
        known = self._known.get(source)
        if known is None or any(now is not then for now, then in zip(hands, known.hands, strict=True)):
            marks = {
                doc_id: marks_of(merged(*(hand.get(doc_id, {}) for hand in hands)))
                for doc_id in sorted(set().union(*hands))
            }
            known = self._known[source] = _Known(hands, MappingProxyType(marks))
        return known.marks

    def decided(self, source: str, hand: Hand) -> Mapping[str, Patch]:
        path = self._folder / _path(source, hand)
        try:
            seen = path.stat()
        except FileNotFoundError:
            return _NOTHING
        stamp = (seen.st_mtime_ns, seen.st_size, seen.st_ino)
        if path not in self._files or self._files[path][0] != stamp:
            self._files[path] = (stamp, MappingProxyType(_read(path)))
        return self._files[path][1]

    def record(self, change: MetadataChange) -> None:
        with self._repository.locked():
            if self._write_change(change):
                self._commit_change(change)

    def recorded(self, source: str, run_id: str) -> MetadataChange | None:
        path = self._folder / _change_path(source, run_id)
        return _read_change(path) if path.exists() else None

    @contextmanager
    def changing(self, source: str, run_id: str) -> Iterator[None]:
        with ExitStack() as stack:
            try:
                stack.enter_context(self._repository.alone(f"changing-{source}", run_id))
            except BlockingIOError as error:
                raise ChangeUnderway(
                    f"{source}: run {error} is changing metadata of this source; nothing was changed. Try again when "
                    "it has ended",
                    source=source,
                    run_id=str(error),
                ) from None
            yield

    def _write_change(self, change: MetadataChange) -> list[str]:
        """The files that were written; none where its run has recorded it already. Raises what `record` raises."""
        decided = self.decided(change.source, change.hand)
        fields = _with(decided, change)
        if self.recorded(change.source, change.run_id) is not None:
            if fields != decided:
                raise ChangeRefused(
                    f"{change.source}: run {change.run_id} has changed metadata already, and the ledger says something "
                    "else by now. Nothing was changed; a new run needs an id of its own",
                    source=change.source,
                )
            return []
        self._repository.write(_change_path(change.source, change.run_id), _written(change))
        self._repository.write(_path(change.source, change.hand), write_entries(fields))
        return _paths(change)

    def _commit_change(self, change: MetadataChange) -> None:
        self._repository.commit(_paths(change), _message(change), author=person(change.by))

    def _finish(self, left: Sequence[str]) -> None:
        """What a killed writer had written. Readers go by the hand's file: once it is there the change has been made,
        and what is missing is its commit; before that it never was."""
        for path in left:
            if path.startswith("changes/") and (self._folder / path).exists():
                change = _read_change(self._folder / path)
                if _is_made(change, self.decided(change.source, change.hand)):
                    self._commit_change(change)
                else:
                    (self._folder / path).unlink()


def _path(source: str, hand: Hand) -> str:
    return f"{_FOLDERS[hand]}/{source}.yaml"


def _paths(change: MetadataChange) -> list[str]:
    return [_change_path(change.source, change.run_id), _path(change.source, change.hand)]


def _change_path(source: str, run_id: str) -> str:
    return f"changes/{source}/{file_name(run_id)}.yaml"


def _with(decided: Mapping[str, Patch], change: MetadataChange) -> Mapping[str, Patch]:
    """What the hand's file says after the change. Raises ChangeRefused where it says something else by now than the
    change begins with."""
    fields = dict(decided)
    overlaps = []
    for patch in change.patches:
        entry = dict(fields.pop(patch.doc_id, {}))
        for name, value in patch.after.items():
            now = entry.get(name)
            if now not in (patch.before[name], value):
                overlaps.append(f"{patch.doc_id}: {name} is {now!r} by now, not {patch.before[name]!r}")
            entry[name] = None if value is None else value_of(name, value)
        if kept := {name: value for name, value in entry.items() if value is not None}:
            fields[patch.doc_id] = kept
    if overlaps:
        raise ChangeRefused(
            f"{change.source}: {len(overlaps)} values were changed since this was planned: "
            f"{'; '.join(overlaps[:_MOST_PROBLEMS])}. Nothing was changed; plan it again",
            source=change.source,
            overlaps=overlaps,
        )
    return fields


def _is_made(change: MetadataChange, decided: Mapping[str, Patch]) -> bool:
    """The hand's file was replaced whole, but people may have edited it since: one new value is proof enough."""
    return any(
        decided.get(patch.doc_id, {}).get(name) == value
        for patch in change.patches
        for name, value in patch.after.items()
        if value != patch.before[name]
    )


def _message(change: MetadataChange) -> str:
    names = ", ".join(sorted({name for patch in change.patches for name in patch.after}))
    what = f"Take back run {change.reverts}: {names}" if change.reverts else f"Set {names}"
    return (
        f"{what} of {len(change.patches)} documents in {change.source}\n\n{change.reason}\n\n"
        f"Run: {change.run_id}\nChosen: {change.selector}\nChecksum: {change.checksum}"
    )


def _read(path: Path) -> dict[str, Patch]:
    problems = []
    decided: dict[str, Patch] = {}
    for doc_id, fields in _entries(path).items():
        if not isinstance(fields, dict):
            problems.append(f"{doc_id}: fields are due, got {fields!r}")
            continue
        entry: dict[str, object] = {}
        for name, said in fields.items():
            try:
                if said is not None:
                    entry[name] = value_of(name, said)
            except ValueError as error:
                problems.append(f"{doc_id}: {error}")
        if entry:
            decided[doc_id] = MappingProxyType(entry)
    if problems:
        more = f"; and {len(problems) - _MOST_PROBLEMS} more" if len(problems) > _MOST_PROBLEMS else ""
        raise _spoilt(path, "; ".join(problems[:_MOST_PROBLEMS]) + more)
    return decided


def _entries(path: Path) -> dict[str, Any]:
    try:
        return read_entries(path.read_text(encoding="utf-8"))
    except (EntryError, UnicodeDecodeError) as error:
        raise _spoilt(path, str(error)) from error


def _spoilt(path: Path, problem: str) -> ConfigError:
    return ConfigError(
        f"ledger file {path} cannot be read: {problem}. It was edited by hand; mend it or `git revert` the change",
        path=str(path),
    )


def _written(change: MetadataChange) -> str:
    rows = ({"doc_id": each.doc_id, "before": dict(each.before), "after": dict(each.after)} for each in change.patches)
    return write_list({name: getattr(change, name) for name in _HEADING}, "patches", rows)


def _read_change(path: Path) -> MetadataChange:
    try:
        heading, rows = read_list(path.read_text(encoding="utf-8"), "patches")
        patches = tuple(DocumentPatch(row["doc_id"], _values(row["before"]), _values(row["after"])) for row in rows)
        return MetadataChange(**{**heading, "hand": Hand(heading["hand"])}, patches=patches)
    except (EntryError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise _spoilt(path, str(error)) from error


def _values(fields: Mapping[str, object]) -> Patch:
    return {name: None if said is None else value_of(name, said) for name, said in fields.items()}
