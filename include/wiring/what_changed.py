"""What a run changed in a document's text, where both texts are still at hand."""

from __future__ import annotations

from collections.abc import Callable

from include.domain.documents import DocumentKey
from include.domain.errors import TruecopyError
from include.domain.manifest import DocumentOutcome
from include.staleness.diff import differences
from include.text.encoding import decode
from include.wiring.application import Application

MOST_LINES = 400


def what_changed(application: Application, source: str, outcome: DocumentOutcome) -> tuple[str, str]:
    """The difference, as `staleness.diff` writes it, or why there is none to show: one of both is empty.

    Nothing of a former version is kept in the index or beside it, so that what is erased is gone. Only a source that
    keeps its own past, like git, can tell.
    """
    if application.ledger.tombstone_of(DocumentKey(source, outcome.doc_id)):
        return "", "This document was erased; its texts are not shown, wherever they may still be."
    if not outcome.version_before:
        return "", "The record of this run does not say which version was there before."
    connector = application.connector(source)
    try:
        # Asked for by name: the connector may stand behind another that passes on what it can do.
        former_body: Callable[[str], bytes] | None = getattr(connector, "former_body", None)
        if former_body is None:
            return "", "The former text is gone: this source keeps no past versions, and neither does the index."
        old, new = (decode(former_body(each)) for each in (outcome.version_before, outcome.version))
    except TruecopyError as error:
        return "", f"The texts are not at hand any more: {error}"
    finally:
        connector.close()
    if outcome.version_before == outcome.version:
        return "", "Its text is the same; it was written anew."
    names = (f"version {outcome.version_before[:12]}", f"version {outcome.version[:12]}")
    return differences(old, new, names=names, most_lines=MOST_LINES), ""
