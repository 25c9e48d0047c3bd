"""What the resolver would mark now, and what the gate says of it. Nothing here writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from include.domain.errors import ConfigError
from include.domain.metadata import Hand, MetadataChange
from include.domain.plan import HeldPlan, PlanKind
from include.planning.retirement import FamilyPlan, FamilyVerdict, judge_families
from include.services.context import SourceContext
from include.services.family_plan import ALL_FAMILIES, Scope, plan_families
from include.services.resolving import IndexedMember, Resolved, resolve_families

OVERLAP = timedelta(days=1)
"""A document carries the moment at which its source was asked. What an ingest run of some hours has asked for may be
written only after a run of the resolver has looked."""

_NAMED = 5
"""So many families are named to a person who asked for one that is not there."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan computed now, the change of metadata that it is about, and the gate's answer."""

    resolved: Resolved
    scope: Scope
    plan: FamilyPlan
    change: MetadataChange
    verdict: FamilyVerdict


def plan_marks(
    context: SourceContext, scope: Scope = ALL_FAMILIES, *, run_id: str, resolved: Resolved | None = None
) -> Planned:
    """Everything before the first write. `resolved` spares the reading where it was done already.

    Raises StoreBusy or StoreUnavailable when the index cannot be read, ConfigError when no family has the scope's name.
    """
    resolved = resolved or resolve_families(context)
    plan, change = plan_families(context, resolved, scope, run_id=run_id)
    if scope.family and not plan.families:
        _check_name(scope.family, resolved)
    now = context.clock.now()
    since = now - timedelta(days=context.limits.window_days)
    history = context.manifests.removals(context.source, since) if plan.retirements else ()
    verdict = judge_families(plan, context.limits, history, now=now, standing=standing_plan(context))
    return Planned(resolved, scope, plan, change, verdict)


def changed_since(context: SourceContext, resolved: Resolved, since: datetime | None) -> Scope:
    """The families of documents that were read or came into force since then, or up to a day before, that a person has
    marked, or that wait for a person; and whatever the resolver has marked before, so that no mark outlives what it
    follows from. None: all."""
    if since is None:
        return ALL_FAMILIES
    standing = standing_plan(context)
    speaking = {
        *(change.doc_id for change in (standing.changes if standing else ())),
        *context.ledger.decided(context.source, Hand.PERSON),
        *context.ledger.decided(context.source, Hand.RESOLVER),
    }
    since -= OVERLAP
    changed = {doc_id for doc_id, indexed in resolved.documents.items() if _is_changed(indexed, since)}
    words = f"families of {len(changed)} documents that changed since {since:%Y-%m-%d %H:%M} UTC, and of marked ones"
    return Scope(words, doc_ids=frozenset(changed | speaking))


def _is_changed(indexed: IndexedMember, since: datetime) -> bool:
    in_force = indexed.member.effective_date
    is_new = indexed.fetched_at is None or indexed.fetched_at >= since
    return is_new or (in_force is not None and in_force.value >= since)


def waiting_families(context: SourceContext) -> Scope:
    """The families of the open held plan; none when nothing is held."""
    standing = standing_plan(context)
    return Scope("the held plan", doc_ids=frozenset(change.doc_id for change in (standing.changes if standing else ())))


def standing_plan(context: SourceContext) -> HeldPlan | None:
    return context.ledger.held(context.source, PlanKind.FAMILIES)


def _check_name(family: str, resolved: Resolved) -> None:
    names = sorted(decision.family for decision in resolved.decisions)
    if family not in names:
        close = [name for name in names if family.lower() in name.lower()] or names
        named = ", ".join(repr(name) for name in close[:_NAMED]) or "none"
        raise ConfigError(
            f"{resolved.source}: there is no family {family!r} among {len(names)}; there are {named}. "
            f"`truecopy families {resolved.source}` lists them",
            source=resolved.source,
            family=family,
        )
