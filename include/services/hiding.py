"""Hiding documents is a loss like deleting them, and has the same limits, whoever decided it and by which way."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from include.domain.documents import SEARCHABLE
from include.domain.inventory import IndexInventory
from include.planning.metadata_rules import why_too_many_hidden
from include.services.context import SourceContext


def why_not_to_hide(context: SourceContext, doc_ids: Collection[str], inventory: IndexInventory, *, run_id: str) -> str:
    """Why these documents must not be hidden now, with the numbers; empty when the limits allow it. `run_id` is the
    run that asks: it is not a past one."""
    now = context.clock.now()
    history = (
        context.manifests.removals(context.source, now - timedelta(days=context.limits.window_days)) if doc_ids else ()
    )
    return why_too_many_hidden(
        context.source,
        doc_ids,
        sum(document.status in SEARCHABLE for document in inventory.documents.values()),
        context.limits,
        [removal for removal in history if removal.run_id != run_id],
        now=now,
    )
