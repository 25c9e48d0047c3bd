"""`make eval-dates`: dates that documents declare, held against those that git, file names and texts give.

    python -m tests.evaluation.dates [--markdown]

2,906 declared dates of twelve public repositories, with the first and last commit of each file and the size of these
commits. `--markdown` prints the tables of docs/DATES.md.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import lzma
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from rich.console import Console
from rich.table import Table

from include.connectors.git_dates import Noted, birth, last_change
from include.domain.date_candidates import DateCandidate, DateField
from include.domain.dates import EvidencedDate, Precision
from include.domain.dating import Distrust, date_document, no_distrust
from include.domain.documents import DocumentKey, FetchedDocument
from include.domain.written_dates import AmbiguousDate, Conventions, DateOrder, UnreadDate, read_date
from include.planning.provenance import DocumentProvenance, clusters_in, distrust_of
from include.text.normalise import extract
from include.text.stated_dates import named_date
from tests.evaluation.shared import DATA

DATES = DATA / "dates" / "dates.csv.gz"
ABSENT = f"the declared dates are not in {DATES}"
CREATED = frozenset({"created", "first revision", "assigned", "file name", "date", "start date"})
WITHIN = (0, 1, 7, 30, 90, 365)
NOW = datetime(2026, 12, 1, tzinfo=UTC)
_ORDERS = {"ministryofjustice/cloud-platform": DateOrder.DAY_FIRST}
_CORPORA = {"peps": "python/peps", "adr-moj": "ministryofjustice/cloud-platform"}


@dataclass(frozen=True, slots=True)
class Row:
    """One declared date of one file, or the file without any. `born` and `changed` are git's, renames followed."""

    repo: str
    path: str
    field: str
    written: str
    form: str
    declared: date | None
    first_of_path: date
    born: date
    born_among: int
    changed: date
    changed_among: int

    @property
    def is_creation(self) -> bool:
        return self.field in CREATED


@dataclass(frozen=True, slots=True)
class Agreement:
    """How one rule does: `off` are the days between what is trusted and what is declared, the rest is unknown."""

    rule: str
    documents: int
    off: Sequence[int]

    @property
    def unknown(self) -> int:
        return self.documents - len(self.off)

    def within(self, days: int) -> float:
        return sum(abs(each) <= days for each in self.off) / len(self.off) if self.off else 0.0


def rows() -> list[Row]:
    with gzip.open(DATES, "rt", encoding="utf-8", newline="") as file:
        return [_row(each) for each in csv.DictReader(file)]


def git_rules(every: Sequence[Row]) -> list[Agreement]:
    """Creation dates, from the naive reading of git to what is trusted in the end. The declared date is hidden from
    all of them; files that declare it by their name are left out, for the name is read."""
    judged = [row for row in every if row.declared and row.is_creation and row.field != "file name"]
    clusters = {repo: distrust_of(found) for repo, found in _clusters(every).items()}
    rules: list[tuple[str, list[int | None]]] = [
        ("first commit of the path", [_off(row.first_of_path, row) for row in judged]),
        ("first commit, renames followed", [_off(row.born, row) for row in judged]),
        ("unless born in a large commit", [_chosen(row, _git(row)) for row in judged]),
        ("unless the source has too many alike", [_chosen(row, _git(row), clusters[row.repo]) for row in judged]),
        (
            "or the file name has a date",
            [_chosen(row, [*_git(row), *_named(row)], clusters[row.repo]) for row in judged],
        ),
    ]
    return [Agreement(rule, len(judged), [each for each in off if each is not None]) for rule, off in rules]


def name_rules(every: Sequence[Row]) -> list[Agreement]:
    """Files that declare their date by their name: git alone, and git with the name."""
    judged = [row for row in every if row.declared and row.field == "file name"]
    clusters = {repo: distrust_of(found) for repo, found in _clusters(every).items()}
    alone = [_chosen(row, _git(row), clusters[row.repo]) for row in judged]
    both = [_chosen(row, [*_git(row), *_named(row)], clusters[row.repo]) for row in judged]
    return [
        Agreement(rule, len(judged), [each for each in off if each is not None])
        for rule, off in (("git alone", alone), ("git and the file name", both))
    ]


def change_rules(every: Sequence[Row]) -> list[Agreement]:
    """Dates of the last change: what the file declares against its last commit."""
    judged = [row for row in every if row.declared and not row.is_creation]
    small = [_off(row.changed, row) for row in judged if _high(row)]
    return [
        Agreement("last commit", len(judged), [_off(row.changed, row) for row in judged]),
        Agreement("last commit, of high trust", len(judged), small),
    ]


def readings(every: Sequence[Row]) -> dict[str, Counter[str]]:
    """What becomes of each declared spelling, by its form; with the order that the repository declares in
    `(order declared)`. `wrong` is another day than the person who read it by hand put down."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for row in every:
        if not row.written:
            continue
        found[row.form][_reading(row, Conventions())] += 1
        if row.repo in _ORDERS and row.form.startswith("D/M/Y"):
            found[f"{row.form} (order declared)"][_reading(row, Conventions(_ORDERS[row.repo]))] += 1
    return dict(sorted(found.items()))


def texts(every: Sequence[Row]) -> dict[str, Counter[str]]:
    """Whole documents, as a connector without a history would deliver them: what is made of their creation date."""
    declared = {(row.repo, row.path): row.declared for row in every if row.is_creation}
    found: dict[str, Counter[str]] = {}
    for name, repo in _CORPORA.items():
        found[name] = Counter()
        for document, path in _corpus(name):
            created, expected = document.created_at, declared.get((repo, path))
            if expected is None:
                found[name]["none declared, none read" if created is None else "none declared, one read"] += 1
            elif created is None:
                found[name]["unknown"] += 1
            else:
                found[name]["as declared" if created.value.date() == expected else "wrong"] += 1
    return found


def _corpus(name: str) -> Iterator[tuple[object, str]]:
    with lzma.open(DATA / "supersession" / f"{name}.corpus.jsonl.xz", "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            media_type = "text/x-rst" if row["path"].endswith(".rst") else "text/markdown"
            fetched = FetchedDocument(
                DocumentKey(name, row["path"]),
                "v1",
                row["text"].encode(),
                media_type,
                row["path"],
                NOW,
                conventions=Conventions(_ORDERS.get(_CORPORA[name])),
            )
            yield extract(fetched), row["path"]


def _row(row: dict[str, str]) -> Row:
    return Row(
        repo=row["repo"],
        path=row["path"],
        field=row["field"],
        written=row["value"],
        form=row["format"],
        declared=date.fromisoformat(row["declared"]) if row["declared"] else None,
        first_of_path=date.fromisoformat(row["first_commit_exact"]),
        born=date.fromisoformat(row["first_commit_followed"]),
        born_among=int(row["files_in_it_followed"]),
        changed=date.fromisoformat(row["last_commit"]),
        changed_among=int(row["files_in_last"]),
    )


def _noted(day: date, files: int) -> Noted:
    moment = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    return Noted(moment, moment, files)


def _git(row: Row) -> list[DateCandidate]:
    return birth(_noted(row.born, row.born_among), False)


def _named(row: Row) -> list[DateCandidate]:
    named = named_date(row.path)
    return [named] if named else []


def _high(row: Row) -> bool:
    changes = last_change(_noted(row.changed, row.changed_among), False)
    return any(one.date is not None and one.date.trust == "high" for one in changes)


def _chosen(row: Row, candidates: Sequence[DateCandidate], distrust: Distrust = no_distrust) -> int | None:
    chosen = date_document(candidates, fetched_at=NOW, distrust=distrust).of(DateField.CREATED)
    return _off(chosen.value.date(), row) if chosen and chosen.is_trusted else None


def _off(found: date, row: Row) -> int:
    assert row.declared is not None
    return (found - row.declared).days


def _clusters(every: Sequence[Row]) -> dict[str, Sequence[object]]:
    by_repo: dict[str, dict[str, DocumentProvenance]] = defaultdict(dict)
    for row in every:
        date_ = date_document(_git(row), fetched_at=NOW).of(DateField.CREATED)
        assert isinstance(date_, EvidencedDate)
        by_repo[row.repo][row.path] = DocumentProvenance({DateField.CREATED: date_})
    return {repo: clusters_in(documents.values()) for repo, documents in by_repo.items()}


def _reading(row: Row, conventions: Conventions) -> str:
    try:
        read = read_date(row.written, conventions)
    except AmbiguousDate:
        return "ambiguous: unknown"
    except UnreadDate:
        return "not read: unknown"
    if row.declared is None:
        return "read where the table has none"
    is_day = read.precision in (Precision.DAY, Precision.INSTANT)
    return "as declared" if is_day and read.value.date() == row.declared else "wrong"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", action="store_true", help="tables as Markdown")
    chosen = parser.parse_args()
    if not DATES.exists():
        print(f"left out, {ABSENT}")
        return 0
    every = rows()
    show = _markdown if chosen.markdown else _table
    heads = ("rule", "documents", "trusted", "unknown", *(f"≤ {days} d" for days in WITHIN), "off by over a year")
    for title, rules in (
        ("created: git against declared", git_rules(every)),
        ("created: declared by the file name", name_rules(every)),
        ("updated: git against declared", change_rules(every)),
    ):
        show(title, heads, [_cells(rule) for rule in rules])
    for title, counted in (("declared spellings", readings(every)), ("whole texts", texts(every))):
        kinds = sorted({kind for each in counted.values() for kind in each})
        show(title, ("", *kinds), [[name, *(str(each[kind]) for kind in kinds)] for name, each in counted.items()])
    return 0


def _cells(rule: Agreement) -> list[str]:
    shares = [f"{rule.within(days):.3f}" for days in WITHIN]
    far = str(sum(abs(each) > 365 for each in rule.off))
    return [rule.rule, str(rule.documents), str(len(rule.off)), str(rule.unknown), *shares, far]


def _table(title: str, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    table = Table(*heads, title=title, title_justify="left")
    for line in lines:
        table.add_row(*line)
    Console(width=150).print(table)


def _markdown(title: str, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    print(f"\n**{title}**\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for line in lines:
        print(f"| {' | '.join(line)} |")


if __name__ == "__main__":
    sys.exit(main())
