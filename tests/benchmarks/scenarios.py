"""Fourteen nights of an index: what the source does, and what the index must hold afterwards.

Each begins with an exact index. `wanted` are the versions that a careful operator accepts: where the source merely
failed (an empty listing, a loader that raises), nothing may be lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tests.benchmarks.corpus import Corpus, deleted, edited, renamed, retitled, shrunk


class Kind(StrEnum):
    RUN = "run"
    BROKEN = "the loader raises"
    INTERLEAVED = "two runs at once"
    DAMAGED = "damaged before the run"
    EMPTIED = "emptied before the run"
    KILLED = "killed and run again"


@dataclass(frozen=True, slots=True)
class Scenario:
    """`before` is indexed, `after` is what the run is given, `wanted` what is right at the end.

    `earlier` is what the older of two interleaved runs has read.
    """

    number: str
    title: str
    before: Corpus
    after: Corpus
    wanted: tuple[Corpus, ...]
    kind: Kind = Kind.RUN
    earlier: Corpus | None = None


LOST, GHOSTS = 10, 3
KILL_DOCUMENTS = 300


def scenarios(corpus: Corpus) -> Iterator[Scenario]:
    """In an order in which each goes on from the state that the one before should have left."""
    yield Scenario("1", "initial ingest", {}, corpus, (corpus,))
    yield Scenario("2", "nothing changed", corpus, corpus, (corpus,))
    now = edited(corpus, share=0.01)
    yield Scenario("3", "1 % edited", corpus, now, (now,))
    before, now = now, deleted(now, share=0.05)
    yield Scenario("4", "5 % deleted", before, now, (now,))
    before, now = now, shrunk(now, share=0.01)
    yield Scenario("5", "1 % shrunk", before, now, (now,))
    before, now = now, renamed(now, share=0.01)
    yield Scenario("6", "1 % renamed", before, now, (now,))
    yield Scenario("7", "empty listing", now, {}, (now,))
    before, after = now, edited(now, share=0.01, seed=1)
    yield Scenario("8", "loader raises halfway", before, after, (before, after), Kind.BROKEN)
    older = edited(now, share=0.01, seed=2)
    newer = edited(older, share=0.01, seed=2, place=0.6)
    yield Scenario("9", "older read finishes last", now, newer, (newer,), Kind.INTERLEAVED, older)
    before, now = newer, edited(newer, share=0.01, seed=3)
    yield Scenario("10", "same version twice at once", before, now, (now,), Kind.INTERLEAVED, now)
    before, now = now, retitled(now, share=0.01)
    yield Scenario("11", "metadata of 1 % changed", before, now, (now,))
    yield Scenario("12", f"{LOST} points lost, {GHOSTS} ghosts added", now, now, (now,), Kind.DAMAGED)
    yield Scenario("13", "collection emptied", now, now, (now,), Kind.EMPTIED)
    names = list(corpus)
    some = {name: corpus[name] for name in names[:: max(1, len(names) // KILL_DOCUMENTS)][:KILL_DOCUMENTS]}
    updated = edited(some, share=0.2, seed=4)
    yield Scenario("14", "kill -9 while writing, rerun", some, updated, (updated,), Kind.KILLED)
