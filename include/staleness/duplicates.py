"""Near duplicate: another document says nearly the same, and is the one to keep. Pure. It confirms; alone it is never
a reason.

| two documents whose chunks overlap                             | are duplicates |
|----------------------------------------------------------------|----------------|
| one name, in one place, for the same readers, the same text    | yes            |
| of two sources, languages, content types, audiences            | never          |
| under other names: customers/acme/offer, customers/globex/offer | never          |
| members of a series (annual reports), of editions (v1.9/, v2/)  | never          |
| whose numbers differ, or names in the text (Acme, Globex)      | never          |

Which of them should go must be said by something: a state, a mark in the name, a date that can be trusted. Where
nothing says it, or two things say the opposite, neither is suspected.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from include.domain.dates import EvidencedDate, shown
from include.domain.documents import SEARCHABLE, DocumentKey
from include.families.names import Name, read_name
from include.families.standing import standing_of
from include.staleness.evidence import Evidence, Signal
from include.staleness.overlaps import Overlap
from include.staleness.subject import Subject
from include.staleness.supersession import edition_of

NEAR_DUPLICATE = 0.4
ALIKE = 0.9
"""Share of the words that both texts have, with their order."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_RUN = 3

Texts = Callable[[DocumentKey], str]
"""The whole indexed text of a document."""


def near_duplicate(
    subject: Subject, overlaps: Iterable[Overlap], shelf: Mapping[str, Subject], texts: Texts
) -> Evidence | None:
    """Of the documents that cover `subject` the first that is a duplicate and the one to keep. `shelf` is every indexed
    document of its source, by doc id. Texts are asked for where everything else says yes."""
    for overlap in sorted(overlaps, key=lambda each: (-each.share, each.other)):
        other = shelf.get(overlap.other.doc_id) if overlap.other.source == subject.key.source else None
        if other is None or other.key == subject.key or other.status not in SEARCHABLE:
            continue
        if why_not_one(subject, other) or not (why := why_the_other(subject, other)):
            continue
        is_same = bool(subject.content_hash) and subject.content_hash == other.content_hash
        if not is_same and why_texts_differ(texts(subject.key), texts(other.key)):
            continue
        says = "the same" if is_same else f"nearly the same ({overlap.share:.0%} of its chunks)"
        sentence = f"{other.key.doc_id} says {says}, and {why}"
        facts = {"duplicate_of": other.key.doc_id}
        return Evidence(Signal.NEAR_DUPLICATE, NEAR_DUPLICATE, sentence, facts=facts, replacement=other.key)
    return None


def why_not_one(one: Subject, other: Subject) -> str:
    """Why these two are not one thing for the same readers, by everything but their texts; empty where they are."""
    if one.key.source != other.key.source:
        return "they are of two sources"
    if one.content_type.casefold() != other.content_type.casefold():
        return f"they are a {one.content_type} and a {other.content_type}"
    name, another = name_of(one), name_of(other)
    langs = {_lang(one, name), _lang(other, another)} - {""}
    if len(langs) > 1:
        return f"they are in two languages ({', '.join(sorted(langs))})"
    if name.audience != another.audience:
        return "they are for others by their names"
    if name.is_period or another.is_period:
        return "each member of a series tells of its own time"
    if edition_of(one) != edition_of(other):
        return "each edition has its own readers"
    if name.title_stem and another.title_stem and name.title_stem != another.title_stem:
        return f"their titles name different things ({name.title_stem}, {another.title_stem})"
    place, elsewhere = name.stem, another.stem
    if name.is_opaque and another.is_opaque:
        if not name.title_stem:
            return "neither name nor title says what they are"
        place, elsewhere = place.rpartition("/")[0], elsewhere.rpartition("/")[0]
    if place.replace("-", "") != elsewhere.replace("-", ""):
        return f"their names are different ({place}, {elsewhere})"
    return ""


def why_the_other(one: Subject, other: Subject) -> str:
    """What says that the other is the one to keep; empty where nothing does, or something says the opposite."""
    return _speaks_for(other, one) if not _speaks_for(one, other) else ""


def why_texts_differ(one: str, other: str) -> str:
    """What keeps two texts apart; empty where they are the same but for words that name nothing."""
    words, others = _WORD.findall(one), _WORD.findall(other)
    if different := sorted((_numbers(words) - _numbers(others)) + (_numbers(others) - _numbers(words))):
        return f"their numbers differ: {', '.join(different[:4])}"
    if different := sorted(_only_in(words, others) | _only_in(others, words)):
        return f"they name different things: {', '.join(different[:4])}"
    runs, other_runs = _runs(words), _runs(others)
    shared = len(runs & other_runs) / max(1, min(len(runs), len(other_runs)))
    return "" if shared >= ALIKE else f"they have {shared:.0%} of their words in common"


def name_of(subject: Subject) -> Name:
    """What its name says; of a document that its system only numbers, the address is asked."""
    name = read_name(subject.key.doc_id, subject.title)
    return read_name(subject.url, subject.title) if name.is_opaque and subject.url else name


def _speaks_for(one: Subject, other: Subject) -> str:
    """What says that of the two `one` is to be kept."""
    if other.superseded_by and one.key.doc_id in other.superseded_by:
        return "takes its place"
    if one.is_canonical and not other.is_canonical:
        return "is canonical"
    if standing_of(other.stated_status).is_over and not standing_of(one.stated_status).is_over:
        return "does not call itself out of date"
    name, another = name_of(one), name_of(other)
    if marker := (another.copy and not name.copy and another.copy) or (
        another.retired and not name.retired and another.retired
    ):
        return f"bears no {marker!r} in its name"
    written, earlier = _written(one), _written(other)
    if written and earlier and written.value > earlier.end:
        return (
            f"is newer ({shown(written.value, written.precision)}, this one {shown(earlier.value, earlier.precision)})"
        )
    return ""


def _written(subject: Subject) -> EvidencedDate | None:
    """When it came into force or was written; an edit makes nothing newer."""
    dates = (subject.effective_date, subject.created_at)
    return next((date for date in dates if date is not None and date.is_trusted), None)


def _lang(subject: Subject, name: Name) -> str:
    return (name.lang or subject.lang or "").casefold().replace("_", "-")


def _numbers(words: list[str]) -> Counter[str]:
    """Words with a digit in them, with how often they occur."""
    return Counter(word for word in words if any(char.isdigit() for char in word))


def _only_in(words: list[str], others: list[str]) -> set[str]:
    """Words that begin with a capital and occur nowhere in the other text, in whatever case."""
    known = {word.casefold() for word in others}
    return {word for word in words if word[0].isupper() and word.casefold() not in known}


def _runs(words: list[str]) -> frozenset[tuple[str, ...]]:
    folded = [word.casefold() for word in words]
    return frozenset(zip(*(folded[start:] for start in range(_RUN)), strict=False)) or frozenset({tuple(folded)})
