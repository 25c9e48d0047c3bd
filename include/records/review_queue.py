"""The review queue of the detector: one file for each candidate, and one for each that was settled.

    review/<source>/candidates/<document>-<digest>.yaml            see records.review_files
    review/<source>/settled/<document>-<digest>-<when>.yaml        the same, with what was done

A run changes all files in one commit; every decision is a commit in the name of who made it, whether the command line
wrote it, or an editor, or a pull request.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from include.domain.dates import rfc3339
from include.domain.errors import ConfigError, DecisionConflict
from include.domain.review import Decision, Queue, Recorded, ReviewItem, Said, Unreadable
from include.planning.review_life import decided, overruled, taken_back
from include.records.repository import MACHINE, person
from include.records.review_files import read_item, write_item
from include.records.yaml_records import YamlRecords

_LONGEST_NAME = 60
_MOST_KEPT = 20_000  # items that are not read again; some ten megabytes for each thousand with long evidence
_DOCUMENT = re.compile(r"^document:[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)


class ReviewQueue(YamlRecords):
    """The part of ports.Ledger that is about candidates; implements ports.ReviewQueue. Files are read again only when
    they changed: a page that lists a thousand candidates is asked for often."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._items: dict[str, tuple[tuple[int, int, int], ReviewItem]] = {}

    def candidates(self, source: str) -> Queue:
        return self._queue(source, _candidates(source))

    def candidate(self, source: str, doc_id: str) -> ReviewItem:
        found = self._look(candidate_path(source, doc_id))
        if isinstance(found, ReviewItem):
            return found
        if found is None:
            raise ConfigError(
                f"{source}: {doc_id} is no candidate; `truecopy review {source}` lists them", source=source
            )
        raise ConfigError(
            f"{source}: {doc_id}: ledger file {self._folder / found.path} cannot be read: {found.problem}. It was "
            "edited by hand; mend it or `git revert` the change",
            source=source,
            path=found.path,
        )

    def settled(self, source: str) -> Queue:
        queue = self._queue(source, f"review/{source}/settled")
        items = sorted(queue.items, key=lambda item: (item.applied.at if item.applied else "", item.doc_id))
        return replace(queue, items=tuple(items))

    def renew(self, source: str, renewed: Callable[[Queue], Iterable[ReviewItem]], *, message: str) -> Queue:
        with self._repository.locked():
            queue = self.candidates(source)
            items = sorted(renewed(queue), key=lambda item: item.doc_id)
            return self._replace(queue, items, message)

    def decide(
        self, source: str, doc_id: str, decision: Decision, *, fingerprint: str, overrule: bool = False
    ) -> ReviewItem:
        with self._repository.locked():
            item = self.candidate(source, doc_id)
            changed = decided(item, decision, fingerprint=fingerprint, overrule=overrule)
            if changed != item:
                self._put(changed, f"Decide {decision} for {doc_id} of {source}\n\n{decision.why}", person(decision.by))
            return changed

    def decide_all(self, source: str, words: Sequence[Said], *, by: str, message: str) -> Recorded:
        with self._repository.locked():
            items, refused, changed = [], {}, []
            for said in words:
                try:
                    item = self.candidate(source, said.doc_id)
                    items.append(decided(item, said.decision, fingerprint=said.fingerprint, overrule=False))
                except (ConfigError, DecisionConflict) as error:
                    refused[said.doc_id] = str(error)
                    continue
                if items[-1] != item:
                    changed.append(candidate_path(source, said.doc_id))
                    self._repository.write(changed[-1], write_item(items[-1]))
            if changed:
                self._repository.commit(changed, message, person(by))
            return Recorded(tuple(items), refused)

    def reopen(self, source: str, notes: Mapping[str, str], *, message: str) -> Queue:
        with self._repository.locked():
            queue = self.candidates(source)
            items = [taken_back(each, notes[each.doc_id]) if each.doc_id in notes else each for each in queue.items]
            return self._replace(queue, items, message)

    def settle(self, source: str, items: Sequence[ReviewItem], *, by: str, message: str) -> None:
        for item in items:
            if item.applied is None or item.decision is None:
                raise ValueError(f"{source}: {item.doc_id} was not decided, or nothing was done; it is not settled")
        with self._repository.locked():
            due = [item for item in items if self._stands(item)]
            if paths := [path for item in due for path in self._write_settled(item)]:
                self._repository.commit(paths, message, person(by))

    def _stands(self, item: ReviewItem) -> bool:
        """Whether an item is in the queue with this decision; not, where it was settled with it already. Raises
        DecisionConflict where it is otherwise."""
        found = self._look(candidate_path(item.source, item.doc_id))
        standing = found.decision if isinstance(found, ReviewItem) else None
        if standing == item.decision:
            return True
        if found is None and self._settled_with(item) is not None:
            return False
        now = f"{standing.by}: {standing}" if standing else "none"
        assert item.decision is not None
        raise DecisionConflict(
            f"{item.source}: {item.doc_id}: the decision is another by now ({now}), not {item.decision} of "
            f"{item.decision.by}; nothing was settled. Apply the decisions again",
            source=item.source,
            doc_id=item.doc_id,
        )

    def _settled_with(self, item: ReviewItem) -> str | None:
        """The file in which an item was settled with this decision, if there is one."""
        folder = f"review/{item.source}/settled"
        for file in sorted((self._folder / folder).glob(f"{_name(item.doc_id)}-*.yaml")):
            found = self._look(f"{folder}/{file.name}")
            if isinstance(found, ReviewItem) and found.decision == item.decision:
                return f"{folder}/{file.name}"
        return None

    def _write_settled(self, item: ReviewItem) -> list[str]:
        """Out of the queue; the files that were written and removed. What a killed writer had settled keeps its
        file."""
        settled, path = self._settled_with(item), candidate_path(item.source, item.doc_id)
        if settled is None:
            settled = _settled_path(item)
            self._repository.write(settled, write_item(item))
        (self._folder / path).unlink()
        return [settled, path]

    def _write_candidate(self, item: ReviewItem) -> list[str]:
        path = candidate_path(item.source, item.doc_id)
        self._repository.write(path, write_item(item))
        return [path]

    def finish_reviews(self, left: Sequence[str]) -> None:
        """Files that were changed and not committed: a person's own editing. Each decision becomes a commit in the name
        that stands in it; one that took another's place says so."""
        for path in left:
            file = self._folder / path
            if not re.fullmatch(r"review/[^/]+/candidates/[^/]+\.yaml", path) or not file.exists():
                continue
            try:
                item = self._read_item(path)
            except ValueError:
                continue  # named by whoever reads the queue
            first = self._committed(path)
            made, earlier = item.decision, first.decision if first else None
            if made is None or made == earlier:
                continue
            if earlier is not None:
                item = replace(item, notes=(*item.notes, overruled(earlier, made)))
            self._put(item, f"Decide {made} for {item.doc_id} of {item.source}\n\n{made.why}", person(made.by))

    def _queue(self, source: str, folder: str) -> Queue:
        items, unreadable = [], []
        for file in sorted((self._folder / folder).glob("*.yaml")):
            found = self._look(f"{folder}/{file.name}")
            if isinstance(found, ReviewItem):
                items.append(found)
            elif found is not None:  # settled since the folder was listed
                unreadable.append(found)
        items.sort(key=lambda item: item.doc_id)
        return Queue(source, tuple(items), tuple(unreadable))

    def _look(self, path: str) -> ReviewItem | Unreadable | None:
        """None where there is no such file."""
        try:
            return self._read_item(path)
        except FileNotFoundError:
            self._items.pop(path, None)
            return None
        except ValueError as error:
            return Unreadable(path, str(error), _named_in(self._folder / path))

    def _read_item(self, path: str) -> ReviewItem:
        """Raises ValueError, UnicodeDecodeError among them, and FileNotFoundError."""
        file = self._folder / path
        seen = file.stat()
        stamp = (seen.st_mtime_ns, seen.st_size, seen.st_ino)
        kept = self._items.get(path)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        written_at = rfc3339(datetime.fromtimestamp(seen.st_mtime, UTC))
        item = read_item(file.read_text(encoding="utf-8"), written_at=written_at)
        if path not in (candidate_path(item.source, item.doc_id), _settled_path(item)):
            raise ValueError(
                f"document is {item.doc_id!r} of source {item.source!r}; allowed is the one that the file is named "
                "after"
            )
        if len(self._items) >= _MOST_KEPT:
            self._items.clear()
        self._items[path] = (stamp, item)
        return item

    def _committed(self, path: str) -> ReviewItem | None:
        """The item as it stands in the last commit; None where it does not, or cannot be read there."""
        text = self._repository.committed(path)
        try:
            return None if text is None else read_item(text, written_at="")
        except ValueError:
            return None

    def _replace(self, queue: Queue, items: Sequence[ReviewItem], message: str) -> Queue:
        """In place of the readable items of the queue; one commit where a file changes."""
        spoilt = {each.path for each in queue.unreadable}
        texts = {candidate_path(queue.source, item.doc_id): write_item(item) for item in items}
        kept = [item for item in items if candidate_path(queue.source, item.doc_id) not in spoilt]
        changed = []
        for path, text in texts.items():
            if path not in spoilt and self._text(path) != text:
                self._repository.write(path, text)
                changed.append(path)
        for item in queue.items:
            path = candidate_path(queue.source, item.doc_id)
            if path not in texts:
                (self._folder / path).unlink()
                changed.append(path)
        if changed:
            self._repository.commit([_candidates(queue.source)], message, MACHINE)
        return replace(queue, items=tuple(kept))

    def _put(self, item: ReviewItem, message: str, author: str) -> None:
        self._repository.commit(self._write_candidate(item), message, author)

    def _text(self, path: str) -> str | None:
        try:
            return (self._folder / path).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None


def candidate_path(source: str, doc_id: str) -> str:
    """A name that a person recognises and no other document has, below the ledger."""
    return f"{_candidates(source)}/{_name(doc_id)}.yaml"


def _candidates(source: str) -> str:
    return f"review/{source}/candidates"


def _settled_path(item: ReviewItem) -> str:
    when = "".join(char for char in (item.applied.at if item.applied else "") if char.isdigit())
    return f"review/{item.source}/settled/{_name(item.doc_id)}-{when}.yaml"


def _name(doc_id: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", doc_id.lower()).strip("-")[-_LONGEST_NAME:].strip("-")
    digest = hashlib.sha256(doc_id.encode()).hexdigest()[:8]
    return f"{plain}{'-' if plain else ''}{digest}"


def _named_in(file: Path) -> str:
    """The document that a spoilt file still names; empty when not even that can be read."""
    try:
        found = _DOCUMENT.search(file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ""
    if not found:
        return ""
    doc_id = found[1].strip("'\"")
    return doc_id if file.name == f"{_name(doc_id)}.yaml" else ""
