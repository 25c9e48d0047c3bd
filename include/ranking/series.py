"""Documents of one title but for its dates: three decks of three months, that nobody has linked. Pure.

Asked for the latest, or for what held at a time, such documents change places among themselves until the one that
holds comes first. Those that are its editions by their text or by name are then not shown. A question that says
nothing of time changes no place: an edition that is shown says that a newer one is there. What a person has marked
(pinned, canonical, superseded, a family) is not touched here: the marks decide.

| of one title, and older than what holds          | latest              | as of a time        | plain    |
|--------------------------------------------------|---------------------|---------------------|----------|
| is an edition: by its text, or both name a date  | left out            | left out            | a notice |
| is one of unknown date, more than half the same  | left out, said so   | shown               | a notice |
| is on another matter, as far as the texts tell   | a notice            | a notice            | shown    |
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import attrgetter

from include.domain.documents import DocumentKey
from include.families.standing import Standing
from include.ranking.blend import Scored, fit
from include.ranking.candidates import Candidate
from include.ranking.copies import bears_a_date, title_without_dates
from include.ranking.intent import Intent, IntentKind
from include.ranking.wording import folded_words, is_brief, share_of_runs, share_of_words

REACH = 0.5
"""A member fits the question at least half as well as the best of its series, or has its text. Others keep their
places: pages that are all called "Installation" are no series for a question about one of them, and the newest
newsletter says nothing of what only an older one was about."""

EDITION = 0.3
"""Share of three-word runs that the closest chunks of two documents have in common to be editions of one."""

SAME = 0.5
"""Share of it from which an edition of unknown date is another state of the document and no more than that."""

_CHUNKS_COMPARED = 3

_COMPARED = 10
"""So many members that fit less and are newer are compared by their texts in one ranking: the best series first, of
each the newest first. To compare all would cost more than to rank them, and what stands that far down is not shown."""

_HOLDING = frozenset(standing for standing in Standing if standing.holds)

Held = Mapping[DocumentKey, Scored]
"""Of documents of one title: which one holds in place of each other."""


def newest_first(ranking: Sequence[Scored], intent: Intent) -> tuple[list[Scored], Held]:
    """The ranking with the members of each series in the order in which they hold, and what holds in place of the
    others. What is said of these (`why_left_out`, `notice`) takes a look at their texts."""
    result = list(ranking)
    held: dict[DocumentKey, Scored] = {}
    left = _COMPARED
    for series in _series(ranking, intent):
        turns = {turn[-1]: turn for turn in _turns(ranking, series, intent)}
        best, near, newer = _by_nearness(ranking, turns, intent)
        compared = newer[:left]
        left -= len(compared)
        newest = next((place for place in compared if _are_editions(best, ranking[place], intent)), None)
        within = near if newest is None else sorted((*near, newest))
        in_order = sorted(within, key=turns.__getitem__)
        for place, other in zip(within, in_order, strict=True):
            result[place] = at_the_score_of(ranking[other], ranking[place], "first of its series to hold")
        first = in_order[0]
        if has_date(ranking[first]) and (intent.period is None or turns[first][0] == 0):
            turn, holds = turns[first], ranking[first]
            held |= {ranking[place].candidate.key: holds for place in series if turns[place] > turn}
    return result, held


def newest_of_each(ranking: Sequence[Scored], intent: Intent) -> Held:
    """For a question that says nothing of time: the newest of each series, by the other members."""
    held: dict[DocumentKey, Scored] = {}
    for series in _series(ranking, intent):
        _, _, newest = min(_turns(ranking, series, intent))
        if has_date(ranking[newest]):
            holds = ranking[newest]
            held |= {ranking[place].candidate.key: holds for place in series if place != newest}
    return held


def why_left_out(scored: Scored, holds: Scored, intent: Intent) -> str:
    """Why a member is not shown beside the one that holds; empty for one that is.

    One of the same day, or of the same year if no more is known, is left alone: nobody knows that it is older. So is
    one of unknown date, unless the latest is asked for and most of its text is that of the one that holds.
    """
    if scored.recency_found.date.may_be_of_the_time_of(holds.recency_found.date):
        return ""
    if _date(scored) > _date(holds) and intent.period is None:
        is_over = scored.candidate.standing.is_over and _are_editions(holds, scored, intent)
        return f"another edition, {scored.candidate.standing.value}: {_named(holds)} holds" if is_over else ""
    if not _date(scored):
        is_state = intent.kind is IntentKind.LATEST and _are_editions(holds, scored, intent, SAME)
        return f"another edition, of unknown date: {_held_by(holds, intent)}" if is_state else ""
    is_edition = _bear_dates(holds, scored) or _are_editions(holds, scored, intent)
    return f"another edition: {_held_by(holds, intent)}" if is_edition else ""


def notice(scored: Scored, holds: Scored, intent: Intent) -> str:
    """What a reader is told with a member that is shown though another holds."""
    if scored.recency_found.date.may_be_of_the_time_of(holds.recency_found.date):
        return ""
    if _date(scored) > _date(holds) and intent.period is None:
        return f"{scored.candidate.standing.value}, by its own words: {_named(holds)} holds"
    if intent.kind is not IntentKind.PLAIN:
        return f"same title: {_held_by(holds, intent)}" if _date(scored) else ""
    share = EDITION if _date(scored) else SAME
    if not (_bear_dates(holds, scored) or _are_editions(holds, scored, intent, share)):
        return ""
    what = "an earlier edition" if _date(scored) else "an edition of unknown date"
    return f"{what}: {_held_by(holds, intent)}"


def has_date(scored: Scored) -> bool:
    return scored.recency_found.date.value is not None


def _series(ranking: Sequence[Scored], intent: Intent) -> list[list[int]]:
    """The places of documents of one title but for its dates, two or more of them."""
    places: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for place, scored in enumerate(ranking):
        candidate = scored.candidate
        if candidate.title and not _is_marked(scored, intent):
            places[candidate.key.source, candidate.lang or "", title_without_dates(candidate.title)].append(place)
    found = [series for series in places.values() if len(series) > 1]
    if not intent.quoted:
        return found
    return [series for series in found if not any(_is_named(ranking[place], intent) for place in series)]


def at_the_score_of(scored: Scored, other: Scored, why: str) -> Scored:
    """The same candidate at another's score; the note says so, because the parts no longer add up to it."""
    if scored is other:
        return scored
    return Scored(
        scored.candidate,
        other.score,
        scored.similarity,
        scored.recency,
        scored.canonical,
        scored.pinned,
        scored.period,
        scored.recency_found,
        (*scored.notes, f"{why}: score {scored.score:.3f} becomes {other.score:.3f}"),
    )


def _is_marked(scored: Scored, intent: Intent) -> bool:
    """Whether a person's mark decides about it. That it is superseded or canonical says nothing of an earlier time."""
    candidate = scored.candidate
    if candidate.pinned or candidate.family:
        return True
    return intent.kind is not IntentKind.AS_OF and (candidate.is_canonical or candidate.is_superseded)


def _is_named(scored: Scored, intent: Intent) -> bool:
    """Whether the question quotes the title with its date: "2023 Annual Report" is wanted as it is."""
    title = scored.candidate.title
    return any(title.casefold() == each.casefold() for each in intent.quoted) and bears_a_date(title)


_Turn = tuple[int, float, int]
"""(group, date or its negative, place): the smallest one holds."""


def _turns(ranking: Sequence[Scored], series: Sequence[int], intent: Intent) -> list[_Turn]:
    """What holds first: of the time that is asked about, newest first; then unknown dates; then other times. Now, what
    says of itself that it is a draft, put off or over comes behind what does not; of an earlier time that says nothing.
    """
    turns: list[_Turn] = []
    end = intent.period.end.timestamp() if intent.period else 0.0
    for place in series:
        scored = ranking[place]
        date = _date(scored)
        if intent.period is None:
            group = (0 if date else 1) + (0 if scored.candidate.standing in _HOLDING else 2)
        elif intent.names_edition:
            group = 0 if fit(scored.candidate, scored.recency_found, intent) == 1 else 1 if not date else 2
        else:
            group = 1 if not date else 0 if date < end else 2
        turns.append((group, date if group == 2 and intent.period else -date, place))
    return turns


def _date(scored: Scored) -> float:
    """Seconds since the epoch; 0 for an unknown date."""
    date = scored.recency_found.date.value
    return date.timestamp() if date else 0.0


def _by_nearness(
    ranking: Sequence[Scored], turns: Mapping[int, _Turn], intent: Intent
) -> tuple[Scored, list[int], list[int]]:
    """(the best of a series, the places of those that fit about as well, those of newer ones that do not)."""
    best = max((ranking[place] for place in turns), key=attrgetter("similarity"))
    asked = _asked_of(best.candidate, intent) if _is_record(best.candidate) else None
    near: list[int] = []
    far: list[int] = []
    for place in turns:
        other = ranking[place]
        if asked is None or not _is_record(other.candidate) or _asked_of(other.candidate, intent) == asked:
            (near if other.similarity >= best.similarity * REACH else far).append(place)
    first = min(turns[place] for place in near)
    return best, near, sorted((place for place in far if turns[place] < first), key=turns.__getitem__)


def _are_editions(one: Scored, other: Scored, intent: Intent, share: float = EDITION) -> bool:
    """By the closest of their best chunks; of two records by their words."""
    pairs = [
        (chunk.text, its.text)
        for chunk in one.candidate.chunks[:_CHUNKS_COMPARED]
        for its in other.candidate.chunks[:_CHUNKS_COMPARED]
    ]
    # Two states of one text are about as long as one another: nearly always the first pair says it.
    pairs.sort(key=lambda pair: abs(len(pair[0]) - len(pair[1])))
    for text, its in pairs:
        if share_of_runs(text, its) >= share:
            return True
    return (
        _is_record(one.candidate)
        and _is_record(other.candidate)
        and any(share_of_words(text, its) >= share for text, its in pairs)
        and not _are_records_on_two_matters(one.candidate, other.candidate, intent)
    )


def _are_records_on_two_matters(one: Candidate, other: Candidate, intent: Intent) -> bool:
    """Whether a word of the question stands in one of them only: the gym in one, the pool in the other."""
    return _is_record(one) and _is_record(other) and _asked_of(one, intent) != _asked_of(other, intent)


def _is_record(candidate: Candidate) -> bool:
    """Whether a line is all that is known of it: "Opening hours of the pool: 8 to 20"."""
    return len(candidate.chunks) == 1 and is_brief(candidate.chunks[0].text)


def _asked_of(candidate: Candidate, intent: Intent) -> frozenset[str]:
    """The words of the question that stand in it."""
    found = intent.topic & folded_words(candidate.title)
    return found.union(*(intent.topic & folded_words(chunk.text) for chunk in candidate.chunks))


def _bear_dates(one: Scored, other: Scored) -> bool:
    """Whether two documents of a series say by their titles that they are editions of it."""
    return bears_a_date(one.candidate.title) and bears_a_date(other.candidate.title)


def _held_by(holds: Scored, intent: Intent) -> str:
    asked = "the newest" if intent.period is None else f"the one for \u201c{intent.period.words}\u201d"
    return f"{_named(holds)} is {asked}"


def _named(scored: Scored) -> str:
    date = scored.recency_found.date
    return f"{scored.candidate.key} of {date.shown}" if date.value else str(scored.candidate.key)
