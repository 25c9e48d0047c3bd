"""From a decision to the marks of each document. Pure.

| document                                    | status     | is_current | is_canonical | links                      |
|---------------------------------------------|------------|------------|--------------|----------------------------|
| current                                     | published  | yes        | if canonical | supersedes                 |
| canonical, another one                      | by links   | no         | yes          | as stated                  |
| replaced by one or more                     | superseded | no         | no           | superseded_by, supersedes  |
| neither (a draft, a copy, one put off)      | published  | no         | no           | none                       |
| `beside` them: may answer something else    | published  | yes        | no           | as stated; no `doc_family` |
| earlier period (annual report, minutes)     | published  | no         | no           | only what somebody states  |

`superseded_by` names the direct successors; readers follow them to the head, so that the newest that may be seen
answers where the head may not. Members of periods get no `doc_family`: it would make search show one of them for all,
and each still tells of its own time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from include.domain.documents import Status
from include.domain.metadata import Patch
from include.families.members import FamilyDecision, Outcome, Relation


def patches(decision: FamilyDecision) -> Mapping[str, Patch]:
    """The resolver's complete marks of each document that it marks, by doc id: the fields that differ from the default
    ones. Nothing for an ambiguous family, nor for what a person decided or wants left alone."""
    if decision.outcome is Outcome.AMBIGUOUS:
        return {}
    newer: dict[str, list[str]] = defaultdict(list)
    older: dict[str, list[str]] = defaultdict(list)
    for link in decision.links:
        newer[link.older].append(link.newer)
        older[link.newer].append(link.older)
    found: dict[str, Patch] = {}
    beside = set(decision.beside)
    for doc_id in decision.members:
        marks: dict[str, object] = {}
        if doc_id not in beside:
            marks |= _place(doc_id, decision)
        if older[doc_id]:
            marks["supersedes"] = sorted(older[doc_id])
        if newer[doc_id]:
            marks["superseded_by"] = sorted(newer[doc_id])
            marks["status"] = Status.SUPERSEDED.value
        by_hand = decision.by_hand.get(doc_id, ())
        if marks := {name: value for name, value in marks.items() if name not in by_hand}:
            found[doc_id] = marks
    return found


def _place(doc_id: str, decision: FamilyDecision) -> dict[str, object]:
    marks: dict[str, object] = {}
    if decision.relation is Relation.REVISIONS:
        marks["doc_family"] = decision.family
    if version := decision.versions.get(doc_id):
        marks["family_version"] = version
    if doc_id == decision.canonical:
        marks["is_canonical"] = True
    if doc_id != decision.current:
        marks["is_current"] = False
    return marks
