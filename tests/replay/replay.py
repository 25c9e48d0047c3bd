"""Replays a recorded history against the real thing and compares the index with the folder after every sync.

The installation is the one of `wiring`: git connector, static embedder, embedded index, gate, manifests and ledger on
disk. Only the clock is turned by hand, a night per step, so that the sliding window of the gate works as in life.
"""

from __future__ import annotations

import re
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property, partial
from pathlib import Path

from include.domain.documents import Status, StoredChunk
from include.domain.errors import TruecopyError
from include.domain.manifest import DocumentState, Manifest, RunState
from include.domain.plan import Action
from include.embedding.static import StaticEmbedder
from include.settings import Settings, SourceSettings, StoreSettings
from include.text.chunk import chunk
from include.wiring.application import Application
from include.wiring.held_plans import release_held
from include.wiring.runs import APPLY_HELD, RECONCILE, Run, reconcile_source
from tests.replay.history import Folder, Probe, Repository, Step, notable_steps, number_of_steps
from tests.replay.oracle import MEDIA_TYPES, Expected, Oracle, Page

# After the newest date in any history, or dates of commits would lie in the future.
FIRST_NIGHT = datetime(2026, 9, 1, 2, tzinfo=UTC)
# A minute more than a day, so that no removal ever lies on the very edge of the window.
NIGHT = timedelta(days=1, minutes=1)

Stored = Mapping[str, Sequence[StoredChunk]]


class TurnedClock:
    """Stands at a night until it is turned to another; each look takes a millisecond."""

    def __init__(self) -> None:
        self._now = FIRST_NIGHT

    def turn(self, moment: datetime) -> None:
        self._now = max(self._now, moment)

    def now(self) -> datetime:
        self._now += timedelta(milliseconds=1)
        return self._now


@cache
def _embedder() -> StaticEmbedder:
    return StaticEmbedder.bundled()


class Installation(Application):
    """As it is put together in production, but for the clock."""

    @cached_property
    def clock(self) -> TurnedClock:  # type: ignore[override]
        return TurnedClock()

    @cached_property
    def embedder(self) -> StaticEmbedder:
        return _embedder()


@dataclass
class Report:
    """What came of one history. `different` says in words where the index and the folder disagreed."""

    history: str
    steps: int = 0
    syncs: int = 0
    documents: int = 0
    chunks: int = 0
    held: int = 0
    approved: int = 0
    embedded: int = 0
    minimum: int = 0
    written: int = 0
    moved: int = 0
    moved_embedded: int = 0
    hidden: int = 0
    symlinks: int = 0
    unreadable: int = 0
    phrases: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    not_applicable: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)
    cpu_seconds: float = 0.0

    @property
    def exact(self) -> bool:
        return not self.different


def replay(history: str, every: int, work: Path | None) -> Report:
    """A whole history, with a sync after its notable steps and every so many; progress goes to stderr."""
    last = number_of_steps(history)
    syncs = {0, *range(0, last + 1, every), *notable_steps(history), last}
    with tempfile.TemporaryDirectory(prefix=f"replay-{history}-", dir=work) as folder:
        return Replayer(history, Path(folder)).run(syncs, _tell)


def _tell(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)


class Replayer:
    """One history in a work folder of its own."""

    def __init__(self, history: str, work: Path) -> None:
        self.report = Report(history)
        self._history = history
        self._folder = Folder()
        self._repository = Repository(work / "repository")
        source = SourceSettings(
            kind="git_markdown",
            options={
                "location": str(work / "repository"),
                "include": [f"*{suffix}" for suffix in MEDIA_TYPES],
                "exclude": [],
            },
        )
        self._installation = Installation(
            Settings(
                sources={history: source},
                store=StoreSettings(url=f"edge:{work / 'index'}"),
                state=str(work / "state"),
                ledger=work / "ledger",
            )
        )
        cut = partial(chunk, max_tokens=self._installation.chunk_tokens, count_tokens=_embedder().count_tokens)
        self._oracle = Oracle(cut)
        self._pages: Mapping[str, Page] = {}
        self._stored: Stored = {}
        self._removals: list[tuple[datetime, int]] = []

    def run(self, syncs: set[int], tell: Callable[[str], None] = lambda _: None) -> Report:
        """Apply steps up to the last of `syncs` and compare after each of these."""
        pending: list[Step] = []
        for step in self._folder.steps(self._history, upto=max(syncs)):
            pending.append(step)
            self.report.steps += 1
            if step.number in syncs:
                self._repository.commit(pending)
                try:
                    # Sessions inside reuse this one: the index is opened from the disk once a night, not six times.
                    with self._installation.store.reading():
                        self._sync(pending)
                except TruecopyError as error:
                    self._check(step.number, False, f"{type(error).__name__}: {error}")
                    return self.report
                pending = []
                if self.report.syncs % 20 == 0:
                    tell(f"{self._history}: {self.report.syncs} of {len(syncs)} syncs, at step {step.number}")
        return self.report

    def _sync(self, steps: Sequence[Step]) -> None:
        report, number = self.report, steps[-1].number
        expected = self._oracle.expect(self._folder.files, self._pages)
        self._installation.clock.turn(FIRST_NIGHT + number * NIGHT)
        limits = self._limits_met(expected)
        report.syncs += 1

        manifest, before = self._reconcile(f"step-{number}"), self._stored
        if not self._folder.files:
            self._check(number, manifest.state is RunState.UNPROVEN, "an empty folder counts as proof of absence")
            return
        held = manifest.state is RunState.HELD
        self._check(number, held == bool(limits), f"limits met: {limits or 'none'}, the run ended {manifest.state}")
        if held:
            report.held += 1
            self._check_untouched(number, manifest, before)
            release_held(self._installation, self._history, manifest.held_checksum, by="owner", why="it is meant so")
            self._installation.clock.turn(FIRST_NIGHT + number * NIGHT + timedelta(hours=8))
            manifest = self._reconcile(f"step-{number}-approved", released=True)
            report.approved += 1
        settled = RunState.DEGRADED if expected.unreadable else RunState.TRUE
        self._check(number, manifest.state is settled, f"the run ended {manifest.state}: {manifest.reason}")

        for difference in differences(expected.pages, self._stored, pipeline=self._installation.pipeline):
            self._check(number, False, difference)
        self._check_phrases(steps, expected)
        self._pages = expected.pages
        report.documents, report.chunks = len(expected.pages), sum(len(page.chunks) for page in expected.pages.values())
        report.hidden = max(report.hidden, len(expected.hidden))
        report.symlinks = max(report.symlinks, len(expected.symlinks))
        report.unreadable = max(report.unreadable, len(expected.unreadable))

    def again(self) -> Manifest:
        """One more run over the same folder, which has nothing to do."""
        return self._reconcile(f"again-{self.report.syncs}")

    def _reconcile(self, run_id: str, *, released: bool = False) -> Manifest:
        """One real run, and what the index holds afterwards. Embedding is compared with the chunks that are new."""
        report, installation = self.report, self._installation
        started = _cpu_seconds()
        run = Run(APPLY_HELD if released else RECONCILE, run_id)
        manifest = reconcile_source(
            installation, self._history, run, progress=lambda what, done, total: None, released=released
        )
        report.cpu_seconds += _cpu_seconds() - started
        had = {each.chunk_hash for chunks in self._stored.values() for each in chunks}
        with installation.store.reading() as index:
            self._stored = by_document(index.scan(self._history))
            total = index.count_points()
        stored = sum(len(chunks) for chunks in self._stored.values())
        self._check(-1, total == stored, f"{run_id}: {total} points in all, {stored} belong to documents")
        new = {each.chunk_hash for chunks in self._stored.values() for each in chunks} - had
        embedded = sum(outcome.embedded for outcome in manifest.outcomes)
        self._check(-1, embedded == len(new), f"{run_id}: {embedded} chunks embedded, {len(new)} are new")
        report.embedded += embedded
        report.minimum += len(new)
        report.written += sum(outcome.chunks for outcome in manifest.outcomes)
        moves = [o.detail.split(";")[0] for o in manifest.outcomes if o.detail.startswith("moved to ")]
        moved_to = {move.removeprefix("moved to ") for move in moves}
        report.moved += len(moves)
        report.moved_embedded += sum(o.embedded for o in manifest.outcomes if o.doc_id in moved_to)
        removed = manifest.count(DocumentState.DELETED)
        if removed and not released and manifest.finished_at:
            self._removals.append((manifest.finished_at, removed))
        return manifest

    def _limits_met(self, expected: Expected) -> list[str]:
        """The gate's arithmetic once more, from the documents before and after."""
        now, before, after = self._installation.clock.now(), self._pages, expected.pages
        indexed, met = len(before), []
        removals = len(before.keys() - after.keys())
        earlier = sum(count for at, count in self._removals if at >= now - timedelta(days=7))
        if removals * 100 > 10 * indexed:
            met.append(f"{removals} of {indexed} removed")
        if removals and earlier and (removals + earlier) * 100 > 25 * (indexed + earlier):
            met.append(f"{removals} now and {earlier} earlier of {indexed + earlier} removed")
        changed = [path for path in before.keys() & after.keys() if before[path].text != after[path].text]
        if len(changed) > 10 and len(changed) * 100 > 25 * indexed:
            met.append(f"{len(changed)} of {indexed} rewritten")
        same: dict[str, int] = defaultdict(int)
        for path in changed:
            same[after[path].text] += 1
        if indexed and (most := max(same.values(), default=0)) >= 3 and most * 100 > 10 * indexed:
            met.append(f"{most} of {indexed} turned into one text")
        return met

    def _check_untouched(self, number: int, manifest: Manifest, before: Stored) -> None:
        held = {change.doc_id: change for change in manifest.held}
        touched = [doc_id for doc_id in held if self._stored.get(doc_id, ()) != before.get(doc_id, ())]
        self._check(number, bool(held) and not touched, f"held, and changed all the same: {touched[:3]} of {len(held)}")
        if any(change.action is Action.DELETE for change in held.values()):
            lost = before.keys() - self._stored.keys()
            self._check(number, not lost, f"removals are held, and lost are {sorted(lost)[:3]}")

    def _check_phrases(self, steps: Sequence[Step], expected: Expected) -> None:
        """Probes of every step since the last sync; a phrase that a skipped step undid is judged by the folder."""
        stored = [text for chunks in self._stored.values() for each in chunks if (text := plain(each.text or ""))]
        everything = "\n".join(stored)
        last, counted = steps[-1].number, self.report.phrases
        folder: str | None = None
        for step in steps:
            for probe in step.gone:
                if step.number != last:
                    if folder is None:
                        folder = "\n".join(plain(page.text) for page in expected.pages.values())
                    if plain(probe.phrase) in folder:
                        counted["came back"] += 1
                        continue
                counted["gone"] += 1
                self._check(step.number, plain(probe.phrase) not in everything, f"still found: {probe}")
            for probe in step.new:
                file = self._folder.files.get(probe.path)
                if step.number != last and (file is None or step.written.get(probe.path) != file):
                    counted["overtaken"] += 1
                else:
                    counted[self._look_for(step.number, probe, expected)] += 1

    def _look_for(self, number: int, probe: Probe, expected: Expected) -> str:
        page = expected.pages.get(probe.path)
        if page is None:
            return "not a page"
        phrase = plain(probe.phrase)
        texts = [each.text or "" for each in sorted(self._stored[probe.path], key=lambda each: each.chunk_index or 0)]
        if any(phrase in plain(text) for text in texts) or phrase in plain("\n".join(texts)):
            return "new"
        if letters(probe.phrase) in letters("".join(texts)):
            return "new, but for markup"
        self._check(number, phrase not in plain(page.text), f"not found: {probe}")
        self.report.not_applicable.append(f"{number}: {probe}")
        return "not in the extracted text"

    def _check(self, number: int, holds: bool, otherwise: str) -> None:
        if not holds:
            self.report.different.append(f"step {number}: {otherwise}" if number >= 0 else otherwise)


def by_document(chunks: Iterator[StoredChunk]) -> Stored:
    """Every stored point by document, in one order; points without a document under an id of no document."""
    stored: dict[str, list[StoredChunk]] = defaultdict(list)
    for each in sorted(chunks, key=lambda each: each.point_id):
        stored[each.doc_id or f"\0{each.point_id}"].append(each)
    return stored


def differences(pages: Mapping[str, Page], stored: Stored, *, pipeline: str) -> Iterator[str]:
    """Where the stored points are not exactly the pages: documents, versions, texts, counts, states."""
    for doc_id in sorted(pages.keys() - stored.keys()):
        yield f"{doc_id} is missing from the index"
    for doc_id in sorted(stored.keys() - pages.keys()):
        yield f"{doc_id} is in the index and in no file ({len(stored[doc_id])} points)"
    for doc_id in sorted(pages.keys() & stored.keys()):
        page, chunks = pages[doc_id], sorted(stored[doc_id], key=lambda each: (each.chunk_index or 0, each.point_id))
        texts = tuple(each.text for each in chunks)
        if texts != page.chunks:
            yield f"{doc_id}: {len(texts)} chunks stored, {len(page.chunks)} expected, or another text"
        whole = len(page.chunks)
        for index, each in enumerate(chunks):
            found = (each.doc_version, each.chunk_index, each.chunk_count, each.status, each.pipeline)
            if found != (page.version, index, whole, Status.PUBLISHED, pipeline):
                yield f"{doc_id}: chunk {index} of {whole} says {found}, version is {page.version}"


def plain(text: str) -> str:
    """Lower case, white space collapsed."""
    return " ".join(text.lower().split())


def letters(text: str) -> str:
    """Letters and digits only: what is left of a phrase when its markup was converted."""
    return re.sub(r"[\W_]+", "", text.lower())


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
