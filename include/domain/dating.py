"""Which date of a document counts, of all that speak for one, and why the others do not. Pure.

Candidates come from many places; those of `Rank` are believed in its order. A candidate is doubted for what it is
(`Doubt`), and two kinds of evidence correct each other:

- A text was there when it was last changed, so no creation is later than that. Of two dates that say so the less
  trusted is doubted; of two of equal rank nobody knows which is wrong.
- The first commit of a file is the latest day that its text can be from. Where the name of the file or the text itself
  states a day that lies more than `IMPORT_LAG` before, the file was brought in from elsewhere.

A doubted date keeps its value where it is one, with trust unknown: people see it, no ranking counts it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta

from include.domain.date_candidates import DateCandidate, DateField, Doubt, Rank, place_of
from include.domain.dates import AHEAD, FIRST_YEAR, EvidencedDate, Precision, last_instant

IMPORT_LAG = timedelta(days=31)
"""A text that states a date so long before its first commit was not written for that commit."""

STAMP = timedelta(minutes=5)
"""A moment from the beginning of a fetch until so much later was written down by the fetch itself."""

_SLACK = timedelta(days=1)  # between two dates of which each may be a calendar day of another time zone


@dataclass(frozen=True, slots=True)
class Chosen:
    """The date that counts for one field, None where none is known, and the others with the reason for each."""

    date: EvidencedDate | None
    passed_over: tuple[tuple[DateCandidate, str], ...] = ()
    notes: tuple[str, ...] = ()


Distrust = Callable[[DateCandidate], str]
"""What is known of the source: why dates like this one are not believed there, empty if they are."""


def no_distrust(_candidate: DateCandidate) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class DocumentDates:
    """What is known of one document's four dates. `notes` are sentences about dates that would have counted."""

    chosen: Mapping[DateField, Chosen] = field(default_factory=dict)

    def of(self, field: DateField) -> EvidencedDate | None:
        chosen = self.chosen.get(field)
        return chosen.date if chosen else None

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(note for name in DateField if name in self.chosen for note in self.chosen[name].notes)


def date_document(
    candidates: Iterable[DateCandidate], *, fetched_at: datetime, distrust: Distrust = no_distrust
) -> DocumentDates:
    """Choose each of the four dates. `fetched_at` is the clock before the source was asked."""
    by_field: dict[DateField, list[DateCandidate]] = {name: [] for name in DateField}
    for candidate in candidates:
        by_field[candidate.field].append(_judged(candidate, fetched_at, distrust))
    for judged in by_field.values():
        judged.sort(key=lambda candidate: candidate.rank)
    created, updated = _consistent(by_field[DateField.CREATED], by_field[DateField.UPDATED])
    by_field |= {DateField.CREATED: _not_imported(created), DateField.UPDATED: updated}
    return DocumentDates({name: choose(judged) for name, judged in by_field.items() if judged})


def choose(candidates: Sequence[DateCandidate]) -> Chosen:
    """Of candidates for one field that were judged, the first without a doubt in the order of trust; else the first
    doubted one that has a value, its trust unknown. The notes name what was doubted and stands before the chosen."""
    ordered = sorted(candidates, key=lambda candidate: candidate.rank)
    best = next((one for one in ordered if one.doubt is None and one.date is not None), None)
    shown_only = next((one for one in ordered if one.date is not None), None) if best is None else None
    passed_over = [(one, _reason(one, best)) for one in ordered if one is not best]
    before = ordered.index(best) if best else len(ordered)
    notes: dict[tuple[object, ...], str] = {}
    for one in ordered[:before]:  # author and committer of one commit are doubted for one reason
        key = (place_of(one.origin), one.doubt, one.detail)
        notes.setdefault(key, note_of(one, is_shown=one is shown_only))
    winner = best or shown_only
    return Chosen(winner.date if winner else None, tuple(passed_over), tuple(notes.values()))


def note_of(candidate: DateCandidate, *, is_shown: bool) -> str:
    """A sentence about a doubted date. `is_shown`: it is stored all the same, its trust unknown."""
    said = "not trusted" if is_shown else "passed over"
    return f"{candidate.field.word}: {candidate.origin} {candidate.shown} {said}: {_reason(candidate, None)}"


def _reason(candidate: DateCandidate, best: DateCandidate | None) -> str:
    if candidate.doubt is None:
        return f"{best.origin if best else 'another'} counts before it"
    return f"{candidate.doubt.value} ({candidate.detail})" if candidate.detail else candidate.doubt.value


def told_by(note: str) -> tuple[DateField, Doubt] | None:
    """Which date a note of `choose` is about, and the doubt that it tells of; None for any other text."""
    word, _, rest = note.partition(": ")
    _, passed_over, reason = rest.rpartition(" passed over: ")
    if not passed_over:
        _, _, reason = rest.rpartition(" not trusted: ")
    field = next((one for one in DateField if one.word == word), None)
    doubt = next((one for one in Doubt if reason == one or reason.startswith(f"{one} (")), None)
    return (field, doubt) if field and doubt else None


_SHOWN_DAY = re.compile(r"(?P<origin>.+) (?P<day>\d{4}-\d\d-\d\d)(?: (?P<minute>\d\d:\d\d) UTC)?")


def imported(note: str) -> tuple[DateField, str, datetime] | None:
    """(field, place, the day or minute) of a date that a note of `choose` passes over as that of an import; None for
    any other text. Where another date counts, the note is all that is left of it."""
    told = told_by(note)
    if told is None or told[1] is not Doubt.BULK:
        return None
    said, passed_over, _ = note.partition(": ")[2].rpartition(" passed over: ")
    if not passed_over or not (of := _SHOWN_DAY.fullmatch(said)):
        return None
    try:
        moment = datetime.fromisoformat(f"{of['day']}T{of['minute'] or '00:00'}+00:00")
    except ValueError:
        return None
    return told[0], place_of(of["origin"]), moment


# Days that programs and templates put where nobody has put a date: epochs of file systems and databases, round years.
_PLACEHOLDERS = frozenset({"1980-01-01", "2000-01-01", "2001-01-01", "9999-12-31"})
_WRITTEN_MIDNIGHT = re.compile(
    r"\d{4}-\d\d-\d\d[T ]00:00(?::00(?:\.0+)?)? ?(?:Z|UTC|GMT|[-+]\d\d(?::?\d\d)?)?", re.IGNORECASE
)


def _is_placeholder(written: str, date: EvidencedDate) -> bool:
    """At midnight, as the source wrote it or in UTC: the zero of a database is one wherever the database stands."""
    if date.precision not in (Precision.DAY, Precision.INSTANT):
        return False
    if _WRITTEN_MIDNIGHT.fullmatch(written):
        return written[:10] in _PLACEHOLDERS
    return date.value.time() == time.min and f"{date.value:%Y-%m-%d}" in _PLACEHOLDERS


def _judged(candidate: DateCandidate, fetched_at: datetime, distrust: Distrust) -> DateCandidate:
    """Under the doubts that one candidate earns by itself."""
    date = candidate.date
    if date is None:
        return candidate
    if candidate.doubt is not None:  # its value is kept to be shown, and 1970 or 2038 is not worth it
        by_itself = _judged(replace(candidate, doubt=None, detail=""), fetched_at, no_distrust)
        return candidate if by_itself.doubt is None else by_itself
    value = date.value
    if value.year < FIRST_YEAR:
        return candidate.doubted(Doubt.UNSET)
    if _is_placeholder(candidate.written, date):
        return candidate.doubted(Doubt.PLACEHOLDER, "programs and templates put it where nobody has put a date")
    if candidate.field in (DateField.EFFECTIVE, DateField.EXPIRES):  # both may lie ahead, and be shared by many
        is_exact = date.precision is Precision.INSTANT and candidate.is_zoned
        is_stamp = is_exact and fetched_at <= value <= fetched_at + STAMP
        return candidate.doubted(Doubt.FETCH) if is_stamp else candidate
    if value > fetched_at + AHEAD:
        return candidate.doubted(Doubt.FUTURE)
    if date.precision is Precision.INSTANT and not candidate.is_zoned and value >= fetched_at:
        # An hour of an unknown time zone: what is certain is the day that was written.
        day_only = value.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        candidate = replace(candidate, date=replace(date, value=day_only, precision=Precision.DAY))
    elif date.precision is Precision.INSTANT and value >= fetched_at:
        is_stamp = value <= fetched_at + STAMP
        return candidate.doubted(Doubt.FETCH if is_stamp else Doubt.FUTURE)
    why = distrust(candidate)
    return candidate.doubted(Doubt.BULK, why) if why else candidate


def _consistent(
    created: Sequence[DateCandidate], updated: Sequence[DateCandidate]
) -> tuple[list[DateCandidate], list[DateCandidate]]:
    """No creation later than the last change. Each doubt takes one candidate away, so this comes to an end."""
    created, updated = list(created), list(updated)
    while (born := _first(created)) and (changed := _first(updated)):
        assert born.date is not None
        assert changed.date is not None
        if born.date.value <= changed.date.end + _SLACK:
            break
        if born.rank >= changed.rank:
            created[created.index(born)] = born.doubted(Doubt.TOO_LATE, f"{changed.origin} {changed.shown}")
        if born.rank <= changed.rank:
            updated[updated.index(changed)] = changed.doubted(Doubt.TOO_EARLY, f"{born.origin} {born.shown}")
    return created, updated


def _not_imported(created: Sequence[DateCandidate]) -> list[DateCandidate]:
    """A first commit is doubted where the file's name or text states a date well before it."""
    older = [one for one in created if one.rank > Rank.GIT and one.doubt is None and one.date is not None]

    def judged(one: DateCandidate) -> DateCandidate:
        if one.rank is not Rank.GIT or one.doubt is not None or one.date is None:
            return one
        for other in older:
            assert other.date is not None
            if last_instant(other.date.value, other.date.precision) + IMPORT_LAG < one.date.value:
                detail = f"{other.origin} {other.shown}, and a first commit is the latest day a text can be from"
                return one.doubted(Doubt.OLDER_STATED, detail)
        return one

    return [judged(one) for one in created]


def _first(candidates: Sequence[DateCandidate]) -> DateCandidate | None:
    return next((one for one in candidates if one.doubt is None and one.date is not None), None)
