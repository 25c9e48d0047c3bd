"""`make eval-staleness`: what the detector proposes on real documents, against what became of them.

    python -m tests.evaluation.staleness [--markdown]

Exit code 1 when fewer than 99 of 100 staged documents are stale, or one that is alive and referred to is staged.
"""

from __future__ import annotations

import argparse
import gzip
import json
import posixpath
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from include.domain.documents import Status
from include.staleness.ageing import Ageing, aged
from include.staleness.detection import Sight, detect
from include.staleness.evidence import Evidence, Proposal, Signal
from include.staleness.links import live_referrers, orphaned
from include.staleness.usage import ENOUGH
from tests.evaluation.stale_histories import HISTORIES, history
from tests.evaluation.stale_material import ABSENT, DATA, Material
from tests.evaluation.stale_registers import REGISTERS, YEARS_OF_PEPS, peps_of, register

LEAST_PRECISION = 0.99
LOOKED_AT_AFTER = 365
NEVER_LIMITED = Ageing()

console = Console(width=130)


@dataclass
class Counted:
    """`found` documents were pointed at, `right` of them are stale. A document counts once for each day it is seen."""

    found: int = 0
    right: int = 0

    def add(self, is_stale: bool) -> None:
        self.found += 1
        self.right += is_stale

    @property
    def precision(self) -> str:
        return f"{self.right / self.found:.3f}" if self.found else "-"

    def recall(self, stale: int) -> str:
        return f"{self.right / stale:.3f}" if stale else "-"


@dataclass
class Measured:
    """One group of materials. `distinct` are the documents that were staged, whatever the day; `mistaken` those that
    are alive, and `missed_by_readers` those of them that other documents refer to."""

    name: str
    days: int = 0
    judged: int = 0
    stale: int = 0
    staged: Counted = field(default_factory=Counted)
    proposed: Counted = field(default_factory=Counted)
    signals: dict[str, Counted] = field(default_factory=dict)
    distinct: set[str] = field(default_factory=set)
    mistaken: list[str] = field(default_factory=list)
    missed_by_readers: list[str] = field(default_factory=list)
    not_judged: Counter[str] = field(default_factory=Counter)

    def signal(self, name: str) -> Counted:
        return self.signals.setdefault(name, Counted())


GROUPS = {"register": "registers in 2026", "PEPs of": "PEPs in earlier years", "peps-2017": "PEPs, their texts"}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", action="store_true", help="the tables of docs/STALENESS.md")
    options = parser.parse_args(arguments)
    if not (DATA / "replays").is_dir():
        console.print(f"left out: {ABSENT}")
        return 0
    groups = measure(materials())
    for title, columns, rows in (fused_table(groups), signal_table(groups), usage_table()):
        (_as_markdown if options.markdown else _as_table)(title, columns, rows)
    console.print(wrongly_staged(groups))
    return int(is_red(groups))


def wrongly_staged(groups: Sequence[Measured]) -> str:
    """What must not happen, counted, and each case by name."""
    staged = sum(group.staged.found for group in groups)
    mistaken = sum(len(group.mistaken) for group in groups)
    referred = [doc_id for group in groups for doc_id in group.missed_by_readers]
    lines = [f"{staged} staged: {mistaken} of them alive, {len(referred)} of those referred to by others"]
    lines += [f"alive and staged: {each}" for group in groups for each in group.mistaken]
    return "\n".join(lines)


def materials() -> Iterator[Material]:
    yield from map(register, REGISTERS)
    yield from map(peps_of, YEARS_OF_PEPS)
    for name in HISTORIES:
        yield from history(name)


def is_red(groups: Iterable[Measured]) -> bool:
    staged = Counted()
    for group in groups:
        staged.found += group.staged.found
        staged.right += group.staged.right
        if group.missed_by_readers:
            return True
    return staged.right < LEAST_PRECISION * staged.found


def measure(found: Iterable[Material]) -> list[Measured]:
    groups: dict[str, Measured] = {}
    for material in found:
        name = next((group for start, group in GROUPS.items() if material.name.startswith(start)), "")
        name = name or material.name.partition(",")[0]
        _add(groups.setdefault(name, Measured(name)), material)
    return list(groups.values())


def _add(group: Measured, material: Material) -> None:
    """Documents of which nobody knows what became of them are seen by the detector, and counted nowhere."""
    source = material.subjects[0].key.source
    verdicts = material.stale
    group.days += 1
    group.judged += len(verdicts)
    group.stale += sum(verdicts.values())
    detection = detect(source, material.subjects, material.observed, NEVER_LIMITED, now=material.now)
    group.not_judged.update(f"{signal}: {why}" for signal, why in detection.not_judged.items())
    live = frozenset(each.key.doc_id for each in material.subjects if each.status is Status.PUBLISHED)
    by_id = {each.key.doc_id: each for each in material.subjects}
    for candidate in detection.candidates:
        doc_id = candidate.key.doc_id
        if doc_id not in verdicts:
            continue
        group.proposed.add(verdicts[doc_id])
        if candidate.proposal is Proposal.STAGE:
            group.staged.add(verdicts[doc_id])
            group.distinct.add(posixpath.splitext(doc_id)[0].casefold())  # PEP-0215 is pep-0215.txt
            if not verdicts[doc_id]:
                group.mistaken.append(f"{material.name}: {doc_id}: {candidate.arithmetic}")
                links = material.observed.links
                if links is not None and live_referrers(by_id[doc_id], links, live):
                    group.missed_by_readers.append(doc_id)
    for doc_id, evidence in _every_signal(material, live):
        if doc_id in verdicts:
            group.signal(_named(evidence)).add(verdicts[doc_id])


def _every_signal(material: Material, live: frozenset[str]) -> Iterator[tuple[str, Evidence]]:
    """What each signal says by itself. Age and links without what limits them: every page grows old after a year, and
    links count though they are not proven."""
    sight = Sight(
        material.subjects[0].key.source, material.subjects, material.observed, NEVER_LIMITED, now=material.now
    )
    links = material.observed.links
    for subject in material.subjects:
        evidence = [each for each in sight.evidence(subject) if each.signal is not Signal.ORPHANED]
        evidence.append(aged(subject, Ageing(default=LOOKED_AT_AFTER), now=material.now))
        evidence.append(orphaned(subject, links, live) if links is not None else None)
        yield from ((subject.key.doc_id, each) for each in evidence if each is not None)


def _named(evidence: Evidence) -> str:
    if evidence.signal in (Signal.SUPERSEDED, Signal.SOURCE_SAYS, Signal.EXPIRED):
        return f"{evidence.signal} {evidence.strength:.2f}{' (anchor)' if evidence.anchor else ''}"
    return str(evidence.signal)


Rows = list[list[str]]


def fused_table(groups: Sequence[Measured]) -> tuple[str, Sequence[str], Rows]:
    columns = (
        "documents",
        "days",
        "judged",
        "stale",
        "staged",
        "precision",
        "recall",
        "proposed",
        "precision",
        "recall",
    )
    total = Measured("all")
    for group in groups:
        total.days += group.days
        total.judged += group.judged
        total.stale += group.stale
        for mine, theirs in ((total.staged, group.staged), (total.proposed, group.proposed)):
            mine.found += theirs.found
            mine.right += theirs.right
        total.distinct |= group.distinct
    rows = [
        [
            group.name,
            str(group.days),
            str(group.judged),
            str(group.stale),
            f"{group.staged.found} ({len(group.distinct)})" if group.staged.found else "0",
            group.staged.precision,
            group.staged.recall(group.stale),
            str(group.proposed.found),
            group.proposed.precision,
            group.proposed.recall(group.stale),
        ]
        for group in (*groups, total)
    ]
    return "What is proposed (in brackets: different documents; proposed: staged or for review)", columns, rows


def signal_table(groups: Sequence[Measured]) -> tuple[str, Sequence[str], Rows]:
    names = [name for name in _order(groups) if any(name in group.signals for group in groups)]
    rows = []
    for group in groups:
        for name in names:
            counted = group.signals.get(name)
            if counted:
                share = f"{group.stale / group.judged:.3f}"
                rows.append(
                    [group.name, name, str(counted.found), counted.precision, share, counted.recall(group.stale)]
                )
    columns = ("documents", "signal", "found", "precision", "of all are stale", "recall")
    return "Each signal alone", columns, rows


def _order(groups: Sequence[Measured]) -> list[str]:
    found = {name for group in groups for name in group.signals}
    return sorted(found, key=lambda name: ([str(signal) for signal in Signal].index(name.partition(" ")[0]), name))


def usage_table() -> tuple[str, Sequence[str], Rows]:
    """How much silence says in a real trace: of the passages that were shown before, how many of those that were silent
    through a window are shown in as long a window after it."""
    with gzip.open(DATA / "questions/ragpulse-trace.jsonl.gz", "rt") as lines:
        asked = [set(json.loads(line)["hash_ids"]["passages_ids"]) for line in lines]
    rows = []
    for window in (250, 500, 1000, 2000):
        silent = again = others = others_again = 0
        shown_on_average = []
        for start in range(window, len(asked) - 2 * window + 1, window):
            before = set().union(*asked[:start])
            inside = Counter(passage for each in asked[start : start + window] for passage in each)
            after = set().union(*asked[start + window : start + 2 * window])
            quiet = before - set(inside)
            silent += len(quiet)
            again += len(quiet & after)
            others += len(before & set(inside))
            others_again += len(before & set(inside) & after)
            shown_on_average.append(sum(inside.values()) / len(before | set(inside)))
        mean = sum(shown_on_average) / len(shown_on_average)
        rows.append([str(window), f"{mean:.1f}", str(silent), f"{again / silent:.1%}", f"{others_again / others:.1%}"])
    title = (
        f"Silence in a real trace of {len(asked)} questions; a log counts from {ENOUGH.shown_per_document:.1f} showings"
        f" a document and {ENOUGH.days} days"
    )
    return title, ("questions", "showings", "silent", "shown in the next window", "of those not silent"), rows


def _as_table(title: str, columns: Sequence[str], rows: Rows) -> None:
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _as_markdown(title: str, columns: Sequence[str], rows: Rows) -> None:
    print(f"\n**{title}**\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    sys.exit(main())
