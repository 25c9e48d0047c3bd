"""From scores to answers: heads before those they replace, copies collapsed, the rest trimmed; every candidate is
accounted for. Pure.

Order of the steps, and who they are for:

    series         latest, as_of  documents of one title but for its dates change places until the newest (of that
                                  time) is first; its other editions are left out
                   plain          the order stands; an earlier edition that is shown says that a newer one is there
                   not history    what says of itself that it is over is shown with a notice
    head           plain, latest  a superseded document gives its place to the head of its family; what no head stands
                                  in for is shown with a notice
                   as_of          of a chain of superseded documents the one that held then stands for the others
    copies         not history    of true copies one is kept: the canonical, else the current, else the newest
                                  (latest: the current one first; as_of: the newest of that time)
    threshold      all            what scores too low is left out, after the blend and never before
    limit          all            the first so many are shown
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from include.domain.documents import DocumentKey
from include.ranking.blend import Scored, order
from include.ranking.intent import Intent, IntentKind
from include.ranking.kept import Kept
from include.ranking.series import (
    Held,
    at_the_score_of,
    has_date,
    newest_first,
    newest_of_each,
    notice,
    why_left_out,
)


@dataclass(slots=True)
class Placed:
    """A candidate at its place. `suppressed` says why it is not shown, empty for those that are; `notice` is what a
    reader must be told about a document that is shown."""

    scored: Scored
    place: int
    suppressed: str = ""
    notice: str = ""

    @property
    def is_shown(self) -> bool:
        return not self.suppressed


def arrange(ranking: Sequence[Scored], intent: Intent, *, limit: int, threshold: float = 0.0) -> list[Placed]:
    """Every candidate once, in order of the final score; `limit` of them shown at most."""
    if limit < 1:
        raise ValueError(f"limit is at least 1, got {limit}")
    suppressed: dict[DocumentKey, str] = {}
    notices: dict[DocumentKey, str] = {}
    held: Held = {}
    shown_all = intent.kind is IntentKind.HISTORY
    if intent.kind in (IntentKind.LATEST, IntentKind.AS_OF):
        ranking, held = newest_first(ranking, intent)
    elif intent.kind is IntentKind.PLAIN:
        held = newest_of_each(ranking, intent)
    if intent.kind in (IntentKind.PLAIN, IntentKind.LATEST):
        ranking = _heads_in_place_of_members(ranking, suppressed, notices)
    elif intent.kind is IntentKind.AS_OF:
        ranking = _what_held_in_place_of_others(ranking, intent, suppressed)
    elif shown_all:
        ranking = _heads_above_members(ranking)
    kept = Kept(intent)
    undated: dict[DocumentKey, list[str]] = defaultdict(list)
    is_plain = intent.kind is IntentKind.PLAIN
    for scored in ranking:
        key = scored.candidate.key
        if suppressed and key in suppressed:
            continue
        if scored.score < threshold:
            suppressed[key] = f"score {scored.score:.3f} is below the threshold {threshold:g}"
        elif len(kept.shown) >= limit and (shown_all or not kept.have_a_worse_copy_of(scored)):
            continue  # as most of them: below the limit, and nothing more to say
        elif not is_plain and (holds := held.get(key)) and (why := why_left_out(scored, holds, intent)):
            suppressed[key] = why
            if not has_date(scored):
                undated[holds.candidate.key].append(str(key))
        elif not shown_all and (copy := kept.copy_of(scored)) is not None:
            at, why = copy
            left_out = kept.keep_better(at, scored)
            suppressed[left_out.candidate.key] = (
                f"{why} as {kept.shown[at].candidate.key}, which is {kept.why_better(at)}"
            )
        elif len(kept.shown) < limit:
            kept.append(scored)
    for scored in kept.shown:
        key = scored.candidate.key
        if key in undated:
            notices[key] = f"left out, because its date is unknown: {', '.join(undated[key])}"
        elif not shown_all:
            told = notice(scored, held[key], intent) if key in held else ""
            if told := told or _by_its_own_words(scored):
                notices.setdefault(key, told)
    placed = [Placed(each, place, "", notices.get(each.candidate.key, "")) for place, each in enumerate(kept.shown, 1)]
    shown = {scored.candidate.key for scored in kept.shown}
    below = below_first(limit)
    for scored in ranking:
        key = scored.candidate.key
        if key not in shown:
            told = notices.get(key, "") if notices else ""
            placed.append(Placed(scored, len(placed) + 1, suppressed.get(key, below), told))
    return placed


def below_first(limit: int) -> str:
    """Why nothing else keeps a candidate from being shown."""
    return f"below the first {limit}"


def _heads_in_place_of_members(
    ranking: Sequence[Scored], suppressed: dict[DocumentKey, str], notices: dict[DocumentKey, str]
) -> list[Scored]:
    members = [scored for scored in ranking if scored.candidate.is_superseded]
    if not members:
        return list(ranking)
    by_key = {scored.candidate.key: scored for scored in ranking}
    lifted: dict[DocumentKey, Scored] = {}
    for scored in members:
        candidate = scored.candidate
        head = _head_of(scored, by_key)
        if head is None or head is scored:
            named = ", ".join(candidate.superseded_by) or "a later one that nobody named"
            missing = "which was not found" if head else "whose links run in a circle"
            notices[candidate.key] = f"superseded by {named}, {missing}"
            continue
        suppressed[candidate.key] = f"superseded by {head.candidate.key}, which stands in its place"
        best = lifted.get(head.candidate.key, head)
        if scored.score > best.score:
            lifted[head.candidate.key] = at_the_score_of(head, scored, f"stands in for {candidate.key}")
    if not lifted:
        return list(ranking)
    return sorted((lifted.get(scored.candidate.key, scored) for scored in ranking), key=order)


def _head_of(scored: Scored, by_key: dict[DocumentKey, Scored]) -> Scored | None:
    """The document that its links lead to among the candidates: one that nothing superseded, the best of several; else
    the last of those whose own successor is not among them, maybe itself. None where all links run in a circle."""
    seen, waiting, ends = {scored.candidate.key}, [scored], []
    while waiting:
        at = waiting.pop()
        source = at.candidate.key.source
        linked = [by_key.get(DocumentKey(source, doc_id)) for doc_id in at.candidate.superseded_by if doc_id]
        following = [each for each in linked if each is not None]
        if not at.candidate.is_superseded or not following:
            ends.append(at)
        for each in following:
            if each.candidate.key not in seen:
                seen.add(each.candidate.key)
                waiting.append(each)
    return min(ends, key=lambda end: (end.candidate.is_superseded, order(end)), default=None)


def _what_held_in_place_of_others(
    ranking: Sequence[Scored], intent: Intent, suppressed: dict[DocumentKey, str]
) -> list[Scored]:
    """Of documents that superseded one another only the last one from before the end of the period is shown, at the
    best score of them all. A chain of which none has a date from before it is left as it is."""
    if intent.period is None or intent.names_edition or not any(each.candidate.is_superseded for each in ranking):
        return list(ranking)
    by_key = {scored.candidate.key: scored for scored in ranking}
    chains: dict[DocumentKey, list[Scored]] = defaultdict(list)
    for scored in ranking:
        head = _head_of(scored, by_key)
        if head is not None:
            chains[head.candidate.key].append(scored)
    lifted: dict[DocumentKey, Scored] = {}
    for chain in chains.values():
        dated = [(date, scored) for scored in chain if (date := scored.recency_found.date.value)]
        of_the_time = [each for each in dated if each[0] < intent.period.end]
        if len(chain) < 2 or not of_the_time:
            continue
        held = max(of_the_time, key=lambda each: (each[0], -each[1].score, str(each[1].candidate.key)))[1]
        best = min(chain, key=order)
        lifted[held.candidate.key] = at_the_score_of(held, best, f"held in place of {best.candidate.key}")
        for _, scored in dated:
            if scored is not held:
                suppressed[scored.candidate.key] = f"{held.candidate.key} held then"
        suppressed.pop(held.candidate.key, None)
    return sorted((lifted.get(scored.candidate.key, scored) for scored in ranking), key=order)


def _heads_above_members(ranking: Sequence[Scored]) -> list[Scored]:
    """Where all versions are shown, none stands above the one that replaced it."""
    members = [scored for scored in ranking if scored.candidate.is_superseded]
    if not members:
        return sorted(ranking, key=order)
    by_key = {scored.candidate.key: scored for scored in ranking}
    best: dict[DocumentKey, Scored] = {}
    for scored in members:
        head = _head_of(scored, by_key)
        if head is not None and head is not scored and scored.score >= best.get(head.candidate.key, head).score:
            best[head.candidate.key] = at_the_score_of(head, scored, f"stands above {scored.candidate.key}")
    lifted = [best.get(scored.candidate.key, scored) for scored in ranking]
    return sorted(lifted, key=lambda scored: (-scored.score, scored.candidate.is_superseded, order(scored)))


def _by_its_own_words(scored: Scored) -> str:
    """What a document says of itself, as long as neither the resolver nor a person has decided about it."""
    candidate = scored.candidate
    if not candidate.standing.is_over or candidate.is_superseded or candidate.family or candidate.is_canonical:
        return ""
    by = f" by {', '.join(candidate.stated_superseded_by)}" if candidate.stated_superseded_by else ""
    return f"{candidate.standing.value}{by}, by its own words"
