"""One candidate as a file that a person reads and edits by hand: YAML, with the one field that is theirs at the end.

    document: decks/january.md
    …
    decision:
      disposition: keep
      by: ada
      why: the board still quotes it

Scalars are the text that stands there, as in `entry_lines`. Comments are not kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import yaml

from include.domain.metadata import Shape, value_of
from include.domain.review import PROPOSALS, Applied, Decision, Disposition, Finding, ReviewItem
from include.records.entry_lines import EntryError, read_entries

_HEADING = """\
# A candidate for the trash can. Yours is the field `decision`, at the end; all else is written anew by each run.
#   disposition: approve-purge | keep | archive | supersede-link | extend
#   superseded_by: a document, for supersede-link; until: a day, for extend
#   by: your name
#   why: one line
# `truecopy review SOURCE DOCUMENT --decide …` records the same, and prints the command that carries it out.
"""
_TEXTS = {
    "source": "source",
    "document": "doc_id",
    "title": "title",
    "url": "url",
    "proposal": "proposal",
    "arithmetic": "arithmetic",
    "replacement": "replacement",
    "replacement_hash": "replacement_hash",
    "since": "since",
    "doc_version": "doc_version",
    "content_hash": "content_hash",
    "fingerprint": "fingerprint",
    "diff": "diff",
}
"""Fields of the file that are one text, and what they are called in an item."""

_MAY_BE_EMPTY = frozenset({"title", "url", "replacement", "replacement_hash", "doc_version", "content_hash", "diff"})
_FIELDS = (*_TEXTS, "score", "evidence", "links", "linked_from", "notes", "decision", "applied")
_FINDING = ("signal", "strength", "sentence", "anchor", "facts", "replacement", "fingerprint")
_DECISION = ("disposition", "by", "why", "at", "until", "superseded_by")
_APPLIED = ("at", "run_id", "detail", "branch", "commit", "pushed_at")
_PROPOSED = _APPLIED[3:]


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Texts of several lines as they are read, not in quotes."""


def _block(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _block)


def write_item(item: ReviewItem) -> str:
    record: dict[str, object] = {name: getattr(item, field) for name, field in _TEXTS.items() if name != "diff"}
    record |= {
        "score": f"{item.score:.3f}",
        "evidence": [_finding_record(each) for each in item.evidence],
        **({"links": str(item.links), "linked_from": list(item.linked_from)} if item.links else {}),
        "diff": item.diff,
        "notes": list(item.notes),
        "decision": _said(item.decision, _DECISION) if item.decision else None,
    }
    if item.applied:
        record["applied"] = _said(item.applied, _APPLIED)
    body = yaml.dump(record, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return body if item.applied else _HEADING + body


def _finding_record(finding: Finding) -> dict[str, object]:
    return {
        "signal": finding.signal,
        "strength": f"{finding.strength:.2f}",
        "sentence": finding.sentence,
        **({"anchor": "true"} if finding.anchor else {}),
        **({"facts": dict(finding.facts)} if finding.facts else {}),
        **({"replacement": finding.replacement} if finding.replacement else {}),
        "fingerprint": finding.fingerprint,
    }


def _said(record: object, names: tuple[str, ...]) -> dict[str, str]:
    return {name: str(value) for name in names if (value := getattr(record, name))}


def read_item(text: str, *, written_at: str) -> ReviewItem:
    """Raises ValueError with every field that is wrong and what is allowed there. A decision that does not say when it
    was made was made when the file was written."""
    try:
        fields = read_entries(text)
    except EntryError as error:
        raise ValueError(f"this is no YAML that can be read: {error}") from error
    problems: list[str] = []
    _known(fields, _FIELDS, "", problems)
    texts = {field: _text(fields, name, "", problems, empty=name in _MAY_BE_EMPTY) for name, field in _TEXTS.items()}
    if texts["proposal"] and texts["proposal"] not in PROPOSALS:
        problems.append(f"proposal is {texts['proposal']!r}; allowed are {', '.join(PROPOSALS)}")
    texts["since"] = _instant(texts["since"], "since", problems)
    score = _number(fields.get("score"), "score", problems)
    evidence = [
        _finding(each, f"evidence {number}: ", problems)
        for number, each in enumerate(_list(fields, "evidence", problems), start=1)
    ]
    links = fields.get("links") or "0"
    if not (isinstance(links, str) and links.isascii() and links.isdigit()):
        problems.append(f"links is {links!r}; allowed is how many there are, in digits")
    texts_of = {name: _text_list(fields, name, problems) for name in ("linked_from", "notes")}
    decision = _decision(fields.get("decision"), written_at, problems)
    applied = _applied(fields.get("applied"), problems)
    if problems:
        raise ValueError("; ".join(problems))
    return ReviewItem(
        **texts,
        score=score,
        evidence=tuple(each for each in evidence if each is not None),
        links=int(links),
        linked_from=texts_of["linked_from"],
        notes=texts_of["notes"],
        decision=decision,
        applied=applied,
    )


def _known(fields: Mapping[str, Any], names: tuple[str, ...], where: str, problems: list[str]) -> None:
    problems.extend(
        f"{where}{name} is not a field; allowed are {', '.join(names)}" for name in fields if name not in names
    )


def _text(fields: Mapping[str, Any], name: str, where: str, problems: list[str], *, empty: bool = False) -> str:
    value = fields.get(name)
    if isinstance(value, str) and (value or empty):
        return value
    if value is None and empty:
        return ""
    problems.append(f"{where}{name} is {value!r}; allowed is a text")
    return ""


def _number(value: object, name: str, problems: list[str]) -> float:
    try:
        number = float(value) if isinstance(value, str) else -1.0
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        problems.append(f"{name} is {value!r}; allowed is a number from 0 to 1")
    return number


def _list(fields: Mapping[str, Any], name: str, problems: list[str]) -> list[Any]:
    value = fields.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        problems.append(f"{name} is {value!r}; allowed is a list")
        return []
    return value


def _text_list(fields: Mapping[str, Any], name: str, problems: list[str]) -> tuple[str, ...]:
    found = _list(fields, name, problems)
    if not all(isinstance(each, str) for each in found):
        problems.append(f"{name}: a list of texts is due")
    return tuple(found)


def _finding(value: object, where: str, problems: list[str]) -> Finding | None:
    if not isinstance(value, dict):
        problems.append(f"{where}{value!r}; due are {', '.join(_FINDING)}")
        return None
    _known(value, _FINDING, where, problems)
    facts = value.get("facts") or {}
    if not isinstance(facts, dict) or not all(isinstance(each, str) for each in facts.values()):
        problems.append(f"{where}facts: names and texts are due")
        facts = {}
    return Finding(
        signal=_text(value, "signal", where, problems),
        strength=_number(value.get("strength"), f"{where}strength", problems),
        sentence=_text(value, "sentence", where, problems),
        fingerprint=_text(value, "fingerprint", where, problems),
        anchor=value.get("anchor") == "true",
        facts=facts,
        replacement=_text(value, "replacement", where, problems, empty=True),
    )


def _decision(value: object, written_at: str, problems: list[str]) -> Decision | None:
    if value is None or value == {}:
        return None
    if not isinstance(value, dict):
        problems.append(f"decision is {value!r}; due are {', '.join(_DECISION)}, each on a line of its own")
        return None
    _known(value, _DECISION, "decision.", problems)
    texts = {name: _text(value, name, "decision.", problems, empty=True) for name in _DECISION}
    if texts["disposition"] not in set(Disposition):
        allowed = ", ".join(Disposition)
        problems.append(f"decision.disposition is {texts['disposition'] or None!r}; allowed are {allowed}")
        return None
    try:
        made = Decision(Disposition(texts.pop("disposition")), **texts)
    except ValueError as error:
        problems.append(f"decision.{error}")
        return None
    return replace(made, at=_instant(made.at, "decision.at", problems) or written_at)


def _instant(text: str, name: str, problems: list[str]) -> str:
    """RFC 3339, however somebody wrote it; empty for nothing."""
    try:
        return str(value_of("created_at", text)) if text else ""
    except ValueError:
        problems.append(f"{name} is {text!r}; allowed is {Shape.DATE.allowed}")
        return ""


def _applied(value: object, problems: list[str]) -> Applied | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        problems.append(f"applied is {value!r}; due are {', '.join(_APPLIED)}")
        return None
    return Applied(**{name: _text(value, name, "applied.", problems, empty=name in _PROPOSED) for name in _APPLIED})
