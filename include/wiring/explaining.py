"""A question answered for a page: by the same service as everywhere, without waiting long and without creating an
index that is not there. It is not recorded: whoever looks into an answer is no reader."""

from __future__ import annotations

from collections.abc import Sequence

from include.ranking.intent import IntentKind
from include.services.retrieval import Retrieval, check_question, period_asked_for
from include.wiring.application import Application


def explain_question(
    application: Application,
    query: str,
    *,
    limit: int,
    sources: Sequence[str] = (),
    intent: IntentKind | None = None,
    as_of: str | None = None,
) -> Retrieval:
    """Raises Skippable for what cannot be asked, StoreBusy or StoreUnavailable while the index cannot be read,
    EmbedderMismatch when another embedder built it."""
    embedder = application.embedder
    check_question(embedder, query, longest=application.settings.api.longest_query)
    period = period_asked_for(as_of, intent, now=application.clock.now())
    store = application.impatient_store
    with store.reading():
        pass  # where there is no index this says so; `prepare` would create one
    store.prepare(embedder.id, embedder.dimension)
    return application.retrieve(query, limit=limit, sources=sources, intent=intent, period=period, store=store)
