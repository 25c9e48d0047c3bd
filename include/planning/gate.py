"""The gate: judges a plan against the limits, and is the only maker of an `ApprovedPlan`.

Per source, with n = documents indexed before the run:

    deletion limit    deletions * 100 > deletion_percent * n                    holds the deletions
    window            (deletions + removed in the last days) * 100
                          > window_percent * (n + removed in the last days)     holds the deletions
    mass re-key       the deletions over the limit whose text reappears under
                          a new id are themselves over the limit                holds everything
    mass update       replaced texts * 100 > update_percent * n,
                          and more than update_allowance of them; or more than
                          half of the source, at least same_text_minimum        holds those replacements
    same text         documents that turn into a text, or are most of what is
                          new, with those that have it already; so are
                          documents that lose their whole text:
                          at least same_text_minimum, and * 100 > same_text_percent * n
                                                                                holds those documents
    scope changed     the listing was read as somebody else, or covers something
                          else, than the last one                               holds the deletions

Exactly at a limit passes. There is no exemption for small sources on deletions: 1 of 1 and 1 of 9 are held. The
window's base is what the source held before the removals in it, so that nine nights of 9 % do not pass as 9 % each.
Removals that a person released do not fill the window: they were looked at. Documents that the resolver retired fill it
too (see planning.retirement); they are in n already.

A held plan deletes nothing; creations and replacements that no limit names go through.

What was held waits for a person, for as long as the source asks for the same change. A source that grows meanwhile, or
a window that moves on, makes the percentages smaller; they do not answer in the person's place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from include.domain.manifest import Removal
from include.domain.plan import Action, Change, HeldPlan, Hold, HoldReason, Plan, Release, Verdict
from include.planning.limits import Limits, Loss, Past, over
from include.planning.release import check_release

MOST_PERCENT = 50.0
"""More than this share is most: of a source that is rewritten, of new documents that share a text."""


_SEAL = object()


class ApprovedPlan:
    """Changes that may be applied. Only this module can make one: from a verdict, or from a person's release."""

    __slots__ = ("changes", "release", "source")

    def __init__(self, seal: object, source: str, changes: tuple[Change, ...], release: Release | None) -> None:
        if seal is not _SEAL:
            raise TypeError("an ApprovedPlan is made by the gate only: call approve() or approve_release()")
        self.source = source
        self.changes = changes
        self.release = release


def approve(verdict: Verdict) -> ApprovedPlan:
    """The part of a judged plan that no limit holds."""
    return ApprovedPlan(_SEAL, verdict.source, verdict.allowed, None)


def approve_release(verdict: Verdict, release: Release | None, *, run_id: str, now: datetime) -> ApprovedPlan:
    """The held part of a plan computed *now*, if a person released exactly it.

    Raises ApprovalRefused when there is no release, it names another source or checksum, has expired, or was used
    by another run. The run that used it may come back with the same plan: a retry after a crash is no second use.
    """
    release = check_release(verdict.source, verdict.checksum, len(verdict.held), release, run_id=run_id, now=now)
    return ApprovedPlan(_SEAL, verdict.source, verdict.held, release)


def judge(
    plan: Plan,
    limits: Limits,
    history: Sequence[Removal],
    *,
    now: datetime,
    standing: HeldPlan | None = None,
    sharing: Mapping[str, int] | None = None,
    scope_before: str = "",
) -> Verdict:
    """Split a plan into what may go ahead and what waits for a person, with the arithmetic in words.

    `standing` is the source's open held plan, if there is one. `sharing` is how many indexed documents that the plan
    leaves alone have a text, by content hash. `scope_before` is the scope of the last comparison, if there was one.
    """
    removals = plan.removals
    removal_holds = [*_removal_holds(plan, limits, history, now), *_scope_holds(plan, scope_before)]
    moves = [change for change in removals if change.moved_to]
    if removal_holds and over(len(moves), limits.deletion_percent, plan.indexed_documents):
        rekey = Hold(
            HoldReason.MASS_REKEY,
            f"{plan.source}: {len(moves)} of {plan.indexed_documents} documents reappear with the same text under "
            "another id. This is a changed id scheme or a mass move, not a deletion; everything is held. "
            "Approve it if the move is intended, else check the connector's id settings",
        )
        return Verdict(plan.source, (), plan.changes, (rekey, *removal_holds))

    held: set[Change] = set(removals) if removal_holds else set()
    holds = list(removal_holds)
    for found, changes in (_mass_update(plan, limits), _same_text(plan, limits, sharing or {})):
        holds.extend(found)
        held.update(changes)
    if standing:
        waiting = [change for change in waiting_changes(plan.changes, standing) if change not in held]
        holds.extend(_waiting_holds(waiting, standing))
        held.update(waiting)
    return Verdict(
        plan.source,
        allowed=tuple(change for change in plan.changes if change not in held),
        held=tuple(change for change in plan.changes if change in held),
        holds=tuple(holds),
    )


_NO_TEXT = "no text"  # in place of a hash
_REWRITES = (HoldReason.MASS_UPDATE, HoldReason.SAME_TEXT)


def waiting_changes(changes: Iterable[Change], standing: HeldPlan) -> list[Change]:
    """Those of `changes` that are held already: the same removal, the new id that a removed document's text moved to
    (let in alone, it would stand beside the old one), the same rewrite of a text that looked wrong.

    What else a mass re-key held does not wait by itself: it was never doubtful on its own.
    """
    removals = {change.doc_id for change in standing.changes if change.action is Action.DELETE}
    doubtful = any(hold.reason in _REWRITES for hold in standing.holds)
    writes = {(change.doc_id, change.version_after) for change in standing.changes if doubtful or change.moved_from}
    return [
        change
        for change in changes
        if (change.action is Action.DELETE and change.doc_id in removals)
        or (change.action is not Action.DELETE and (change.doc_id, change.version_after) in writes)
    ]


def _waiting_holds(waiting: Sequence[Change], standing: HeldPlan) -> list[Hold]:
    """Why changes that are below the limits now still wait; under the reason that they were held for."""
    moved = {change.doc_id for change in standing.changes if change.moved_from}
    kinds = {"removals and moves": 0, "rewritten texts": 0}
    for change in waiting:
        moves = change.action is Action.DELETE or change.doc_id in moved
        kinds["removals and moves" if moves else "rewritten texts"] += 1
    holds = []
    for what, count in kinds.items():
        is_rewrite = what == "rewritten texts"
        reasons = [hold.reason for hold in standing.holds if (hold.reason in _REWRITES) is is_rewrite]
        if count:
            message = (
                f"{standing.source}: {count} {what} have waited for a person since {standing.first_held_at}. They are "
                "below the limits now, but only an answer releases them, or a source that no longer asks for them"
            )
            holds.append(Hold(reasons[0] if reasons else standing.holds[0].reason, message))
    return holds


def _removal_holds(plan: Plan, limits: Limits, history: Sequence[Removal], now: datetime) -> list[Hold]:
    leaving = [change.doc_id for change in plan.removals]
    loss = Loss(len(plan.removals), plan.indexed_documents, Past.within(history, limits, now, leaving), limits)
    holds = []
    if loss.is_over:
        holds.append(
            Hold(
                HoldReason.DELETION_LIMIT,
                f"{plan.source}: {loss.count} of {loss.base} documents would be deleted, {loss.share}, the limit is "
                f"{limits.deletion_percent:g} %. Nothing was deleted. "
                "Look at the list; approve it if the source really lost them, else repair the source",
            )
        )
    if loss.is_over_in_window:
        holds.append(
            Hold(
                HoldReason.DELETION_WINDOW,
                f"{plan.source}: {loss.count} deletions now and {loss.past} in the last {limits.window_days} days are "
                f"{loss.window_share} of {loss.window_base} documents, the limit is {limits.window_percent:g} %. "
                "Nothing was deleted now. A slow loss looks like this; approve it if the clean-up is intended",
            )
        )
    return holds


def _scope_holds(plan: Plan, before: str) -> list[Hold]:
    """A credential that sees less than yesterday proves its shorter listing in every other way."""
    scope = plan.proof.scope
    if not plan.removals or not before or scope == before:
        return []
    message = (
        f"{plan.source}: {len(plan.removals)} of {plan.indexed_documents} documents are no longer listed, but the "
        f"listing was read as [{scope or 'unknown'}], the last one as [{before}]: it may only see less. Nothing was "
        "deleted. Restore the account's rights or the options; approve the list if the change is meant"
    )
    return [Hold(HoldReason.SCOPE_CHANGED, message)]


def _mass_update(plan: Plan, limits: Limits) -> tuple[list[Hold], list[Change]]:
    rewritten = [change for change in plan.of(Action.REPLACE, Action.REFRESH) if change.changes_text]
    count, indexed = len(rewritten), plan.indexed_documents
    many = count > limits.update_allowance and over(count, limits.update_percent, indexed)
    most = count >= limits.same_text_minimum and over(count, MOST_PERCENT, indexed)
    if not (many or most):
        return [], []
    message = (
        f"{plan.source}: {count} of {indexed} documents would get another text at once, {count * 100 / indexed:.1f} %, "
        f"the limit is {limits.update_percent:g} %. They keep their last good version. "
        "Approve it if the source was really rewritten, else look for a login or maintenance page"
    )
    return [Hold(HoldReason.MASS_UPDATE, message)], rewritten


def _same_text(plan: Plan, limits: Limits, sharing: Mapping[str, int]) -> tuple[list[Hold], list[Change]]:
    turning: dict[str, list[Change]] = defaultdict(list)
    new: dict[str, list[Change]] = defaultdict(list)
    for change in plan.changes:
        if not change.content_after:
            continue
        if change.action is Action.CREATE:
            new[change.content_after].append(change)
        elif change.changes_text:
            turning[_NO_TEXT if change.empties else change.content_after].append(change)
    indexed, percent = plan.indexed_documents, limits.same_text_percent
    creations = len(plan.of(Action.CREATE))
    holds, held = [], []
    for content_hash in sorted({*turning, *new}):
        # Twins among new documents are normal; one text for most of what is new, and much of the source, is not.
        crowd = new[content_hash] if over(len(new[content_hash]), MOST_PERCENT, creations) else []
        changes = [*turning[content_hash], *crowd]
        # Documents that have the text already count too, or a login page could come in one by one.
        total, base = len(changes) + sharing.get(content_hash, 0), indexed or creations
        if not changes or total < limits.same_text_minimum or not over(total, percent, base):
            continue
        held.extend(changes)
        what = "no text" if content_hash == _NO_TEXT else f"one and the same text ({content_hash[:12]})"
        holds.append(
            Hold(
                HoldReason.SAME_TEXT,
                f"{plan.source}: {total} of {base} documents would have {what}, the limit is {percent:g} %. They keep "
                "their last good version. This is how a login, consent or maintenance page looks, or a plugin that "
                f"fails; open {changes[0].doc_id} at the source",
            )
        )
    return holds, held
