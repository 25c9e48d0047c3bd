"""Superseded: somebody said what takes the place of this document, and that is there for readers. Pure.

| the links lead to                                                       | evidence                          |
|-------------------------------------------------------------------------|-----------------------------------|
| one head that is published and holds                                    | an anchor, strong enough alone    |
| the same, read out of folders (v1.9/, 2020/): an edition has its readers | a weak sign                       |
| the same, for others by their names, or of something else by titles     | a doubt                           |
| a head that is hidden, not in force yet, expired or given up             | a doubt                           |
| two heads, a circle, a document that is not here                        | a doubt                           |
| another language                                                        | nothing: a translation is no heir |

A doubt is for a person: whoever stages a document whose heir cannot be read takes the answer away. What a person has
linked, or the documents say of themselves, is not read out of folders.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from include.domain.documents import Status
from include.families.names import Where, read_name
from include.families.standing import standing_of
from include.staleness.evidence import Evidence, Signal
from include.staleness.subject import Subject

BY_A_PERSON = 0.98
BY_THE_RESOLVER = 0.95
DOUBTFUL = 0.6
UNKNOWN_HEAD = 0.5
ANOTHER_EDITION = 0.4


def superseded(subject: Subject, shelf: Mapping[str, Subject], *, now: datetime) -> Evidence | None:
    """What the links of `subject` amount to. `shelf` is every indexed document of its source, by doc id."""
    ends, missing, is_circle = _ends(subject, shelf)
    if is_circle:
        return _doubt(UNKNOWN_HEAD, f"it is superseded in a circle ({' → '.join(is_circle)}), so nobody knows by what")
    if missing:
        return _doubt(UNKNOWN_HEAD, f"it is superseded by {', '.join(missing)}, which is not in the index")
    if not ends:
        if subject.status is Status.SUPERSEDED and not subject.superseded_by:
            return _doubt(UNKNOWN_HEAD, "it is marked as superseded, and nothing says by what")
        return None
    if len(ends) > 1:
        return _doubt(DOUBTFUL, f"{' and '.join(ends)} both take its place, and one reader cannot be sent to both")
    return _by(subject, shelf[ends[0]], is_stated=is_stated(subject, shelf), now=now)


def _by(subject: Subject, head: Subject, *, is_stated: bool, now: datetime) -> Evidence:
    """The evidence that one head makes."""
    who = "a person" if subject.linked_by_person else "the resolver"
    called = f" ({head.title})" if head.title else ""
    sentence = f"{who} says that it is superseded by {head.key.doc_id}{called}"
    state, against = _state_of(head, now)
    # What becomes of the head is another finding; what names say of the two was there from the start.
    facts = {"superseded_by": head.key.doc_id} | ({"heir": state} if state else {})
    edition = "" if is_stated else edition_of(subject)
    if edition and not against:
        sentence = f"{sentence}; but it belongs to the edition {edition}, which may still have its readers"
        facts |= {"edition": edition}
        return Evidence(Signal.SUPERSEDED, ANOTHER_EDITION, sentence, facts=facts, replacement=head.key)
    if against := against or ("" if is_stated else _other_readers(subject, head)):
        return Evidence(Signal.SUPERSEDED, DOUBTFUL, f"{sentence}; but {against}", facts=facts, replacement=head.key)
    strength = BY_A_PERSON if subject.linked_by_person else BY_THE_RESOLVER
    return Evidence(Signal.SUPERSEDED, strength, sentence, anchor=True, facts=facts, replacement=head.key)


def _ends(subject: Subject, shelf: Mapping[str, Subject]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """(heads, documents that are not here, a circle), each sorted but the circle. Every link is followed once."""
    ends: set[str] = set()
    missing: set[str] = set()
    done: set[str] = set()
    path: dict[str, None] = {}  # in order
    stack = [(subject.key.doc_id, False)]
    while stack:
        doc_id, is_left = stack.pop()
        if is_left:
            del path[doc_id]
            done.add(doc_id)
            continue
        if doc_id in path:
            way = list(path)
            return (), (), (*way[way.index(doc_id) :], doc_id)
        if doc_id in done:
            continue
        path[doc_id] = None
        stack.append((doc_id, True))
        here = subject if doc_id == subject.key.doc_id else shelf[doc_id]
        onward = [each for each in here.superseded_by if each != doc_id and not _translated(subject, shelf.get(each))]
        if not onward and doc_id != subject.key.doc_id:
            ends.add(doc_id)
        missing.update(each for each in onward if each not in shelf)
        stack.extend((each, False) for each in sorted(onward, reverse=True) if each in shelf)
    return tuple(sorted(ends)), tuple(sorted(missing)), ()


def _translated(subject: Subject, other: Subject | None) -> bool:
    if other is None or not subject.lang or not other.lang:
        return False
    one, two = (lang.casefold().replace("_", "-") for lang in (subject.lang, other.lang))
    return one != two


def _state_of(head: Subject, now: datetime) -> tuple[str, str]:
    """(in a word, in a sentence) why nobody should be sent to this head, or not yet; empty when nothing forbids it."""
    if head.status is not Status.PUBLISHED:
        return head.status.value, f"that is {head.status.value} itself"
    if standing_of(head.stated_status).is_over:
        return "given up", f"that calls itself {head.stated_status!r}"
    if head.effective_date and head.effective_date.is_trusted and head.effective_date.value > now:
        return "not in force", f"that comes into force on {head.effective_date.value:%Y-%m-%d}"
    if head.expires_at and head.expires_at.is_trusted and head.expires_at.end < now:
        return "expired", f"that expired on {head.expires_at.value:%Y-%m-%d}"
    return "", ""


def is_stated(subject: Subject, shelf: Mapping[str, Subject]) -> bool:
    """Whether its links are somebody's words: a person's, its own or its successor's. Otherwise names and dates made
    them."""
    successors = (shelf.get(doc_id) for doc_id in subject.superseded_by)
    return (
        subject.linked_by_person
        or subject.states_heirs
        or any(each is not None and each.states_forebears for each in successors)
    )


def edition_of(subject: Subject) -> str:
    """The folder that makes it one of several editions of a whole shelf (v1.9, 2020, latest); empty without one."""
    name = read_name(subject.key.doc_id, subject.title)
    in_folder = (str(found.version) for found in name.versions if found.where is Where.FOLDER)
    return next(in_folder, name.channel_name or "")


def _other_readers(subject: Subject, head: Subject) -> str:
    name, other = read_name(subject.key.doc_id, subject.title), read_name(head.key.doc_id, head.title)
    if name.audience != other.audience:
        return f"by their names they are for others ({_words(name.audience)}, {_words(other.audience)})"
    words, others = set(name.title_stem.split("-")), set(other.title_stem.split("-"))
    if words & others and words - others and others - words:  # Offer for Acme, Offer for Globex
        return f"their titles name different things ({name.title_stem}, {other.title_stem})"
    return ""


def _words(audience: tuple[str, ...]) -> str:
    return " and ".join(audience) or "everybody"


def _doubt(strength: float, sentence: str) -> Evidence:
    return Evidence(Signal.SUPERSEDED, strength, sentence, facts={"doubt": sentence})
