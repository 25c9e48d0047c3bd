"""From open events to a look at the documents that they name."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta

from include.domain.errors import ConfigError
from include.domain.manifest import Manifest, RunState
from include.planning.looks import Look, settled_by
from include.services.reading import Progress
from include.wiring.application import Application
from include.wiring.hooks import due_look, pause_after_failure
from include.wiring.runs import Run, log_progress, look_again_at, manifests_of, verdict

log = logging.getLogger(__name__)

_LOOKED = (RunState.INGESTED, RunState.DEGRADED, RunState.TRUE, RunState.HELD)


def follow_events(
    application: Application, source: str, run: Run, *, progress: Progress = log_progress
) -> Manifest | None:
    """One look for all events of a source that are due; None when none is.

    Events are settled only after the look. A run that dies before that is repeated by the next one; a look that could
    not be taken leaves them open, and the source alone for a while. Raises what `look_again` raises.
    """
    webhook = application.settings.sources[source].webhook if source in application.settings.sources else None
    if webhook is None:
        raise ConfigError(f"source {source!r} has no webhook in {application.file}; events come from there only")
    looked_at = application.clock.now()
    look = due_look(application.inbox, source, webhook, looked_at)
    if look is None:
        return None
    what = "the whole source" if look.doc_ids is None else f"{len(look.doc_ids)} documents"
    log.info("%s: %d events name %s", source, len(look.events), what)
    try:
        manifest = look_again_at(application, source, run, look.doc_ids, progress=progress)
    except BaseException:
        _postpone(application, source, look)
        raise
    if manifest.state not in _LOOKED:
        _postpone(application, source, look)
        return manifest
    settle = timedelta(seconds=webhook.settle_seconds)
    settled, once_more = settled_by(look, manifest.outcomes, looked_at=looked_at, settle=settle)
    application.inbox.settle(settled)
    application.inbox.keep_for_second_look(once_more)
    log.info("%s: %d events are settled, %d are looked at once more", source, len(settled), len(once_more))
    return manifest


def _postpone(application: Application, source: str, look: Look) -> None:
    until = pause_after_failure(look, application.clock.now())
    application.inbox.postpone(source, until)
    log.warning("%s: its events stay open; the next look is not before %s UTC", source, f"{until:%H:%M:%S}")


def not_followed(application: Application, sources: Sequence[str], run: Run) -> list[str]:
    """Why a run over these sources is not green. One that left no manifest is, if nothing waits for it any more:
    another run was faster."""
    now = application.clock.now()
    found = manifests_of(application, sources, run)
    for source in sources:
        webhook = application.settings.sources[source].webhook
        if found[source] is None and (webhook is None or not due_look(application.inbox, source, webhook, now)):
            del found[source]
    return verdict(found)
