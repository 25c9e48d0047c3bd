"""The register of PEPs as it was, day by day: what the resolver would have marked then, against what is said now.

The states, claims and titles of every PEP at every date on which a claim changed, by `peps.timeline.jsonl`. A link that
was made on some date and that no claim of today supports was too early, or the authors thought better of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from include.domain.documents import DocumentKey
from include.families.members import Member, Outcome
from include.families.resolve import resolve
from include.text.lineage import read_lineage
from tests.evaluation.families.registers import DATA, Shown, register


@dataclass(frozen=True)
class Past:
    """`dates` were looked at, `links` are how many were made over all of them, `taken_back` those that nobody claims
    now, each with the first date on which it was made."""

    dates: int
    links: int
    ambiguous: int
    taken_back: tuple[str, ...]


def look_back() -> Past:
    truth = register("peps", Shown.ALL).truth
    first_made: dict[tuple[str, str], str] = {}
    dates = ambiguous = 0
    for date, states in _states():
        dates += 1
        for decision in resolve([_member(doc_id, state) for doc_id, state in states.items()], lambda _one, _other: 1.0):
            ambiguous += decision.outcome is Outcome.AMBIGUOUS
            for link in decision.links:
                first_made.setdefault((_id(link.newer), _id(link.older)), date)
    taken_back = tuple(
        f"{newer} over {older}, {date}"
        for (newer, older), date in sorted(first_made.items(), key=lambda each: each[1])
        if not truth.leads_to(older, newer)
    )
    return Past(dates, len(first_made), ambiguous, taken_back)


def _states() -> Iterator[tuple[str, dict[str, dict[str, str]]]]:
    """(date, every document as it was at its end) for each date on which a claim changed."""
    states: dict[str, dict[str, str]] = {}
    last, has_changed = "", False
    for line in (DATA / "supersession" / "peps.timeline.jsonl").read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        date = event["date"][:10]
        if date != last and has_changed:
            yield last, states
            has_changed = False
        last = date
        if event["event"] == "first seen":
            states[event["doc"]] = {name: event[name] for name in ("status", "superseded_by", "replaces", "title")}
            has_changed |= bool(event["superseded_by"] or event["replaces"])
        else:
            states[event["doc"]][event["field"]] = event["new"]
            has_changed |= event["field"] in ("superseded_by", "replaces", "status")
    if has_changed:
        yield last, states


def _member(doc_id: str, state: dict[str, str]) -> Member:
    fields = {name: state[name] for name in ("status", "replaces")} | {"superseded_by": state["superseded_by"]}
    return Member(
        DocumentKey("peps", f"peps/{doc_id.lower()}.rst"),
        state["title"],
        f"https://peps.example/{doc_id.lower()}/",
        lineage=read_lineage(fields, ""),
    )


def _id(path: str) -> str:
    return path.removeprefix("peps/").removesuffix(".rst").upper()
