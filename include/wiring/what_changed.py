"""What a run changed in a document's text, where both texts are still at hand."""

from __future__ import annotations

from include.domain.errors import TruecopyError
from include.domain.manifest import DocumentOutcome
from include.ports import FormerBodies
from include.staleness.diff import differences
from include.text.encoding import decode
from include.wiring.application import Application

MOST_LINES = 400


def what_changed(application: Application, source: str, outcome: DocumentOutcome) -> tuple[str, str]:
    """The difference, as `staleness.diff` writes it, or why there is none to show: one of both is empty.

    Nothing of a former version is kept in the index or beside it, so that what is erased is gone. Only a source that
    keeps its own past, like git, can tell.
    """
    if not outcome.version_before:
        return "", "The record of this run does not say which version was there before."
    connector = application.connector(source)
    try:
        if not isinstance(connector, FormerBodies):
            return "", "The former text is gone: this source keeps no past versions, and neither does the index."
        old, new = (decode(connector.former_body(each)) for each in (outcome.version_before, outcome.version))
    except TruecopyError as error:
        return "", f"The texts are not at hand any more: {error}"
    finally:
        connector.close()
    if outcome.version_before == outcome.version:
        return "", "Its text is the same; it was written anew."
    names = (f"version {outcome.version_before[:12]}", f"version {outcome.version[:12]}")
    return differences(old, new, names=names, most_lines=MOST_LINES), ""
