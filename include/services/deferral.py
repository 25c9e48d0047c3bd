"""What a run between nights must leave to the night, which reads every text before it judges and can ask a person."""

from __future__ import annotations

from include.domain.inventory import IndexInventory, Listing
from include.domain.plan import Action, Plan
from include.services.context import SourceContext
from include.services.judging import judged_by_the_gate


def deferred_changes(context: SourceContext, plan: Plan, inventory: IndexInventory, listing: Listing) -> dict[str, str]:
    """{doc_id: why it waits}. The texts of `plan` are not read yet, so every replacement counts as another text. What
    is held already must not slip in one by one either."""
    verdict = judged_by_the_gate(context, plan, inventory)
    why = ". ".join(hold.message for hold in verdict.holds)
    deferred = dict.fromkeys((change.doc_id for change in verdict.held), why)
    new, why = _rekey(context, plan, inventory, listing)
    return {**deferred, **dict.fromkeys(new - deferred.keys(), why)}


def _rekey(context: SourceContext, plan: Plan, inventory: IndexInventory, listing: Listing) -> tuple[set[str], str]:
    """New documents that appear while as many others vanish from the listing: perhaps the same ones under new ids."""
    new = {change.doc_id for change in plan.of(Action.CREATE)}
    gone = len(inventory.documents.keys() - listing.documents.keys())
    limit = context.limits.deletion_percent * len(inventory.documents)
    if gone * 100 <= limit or len(new) * 100 <= limit:
        return set(), ""
    return new, f"{len(new)} new documents while {gone} vanish from the listing may be a changed id scheme"
