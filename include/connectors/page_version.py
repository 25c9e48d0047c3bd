"""The version of a page that was just read, held against what the list said of it. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from include.domain.dates import EvidencedDate
from include.domain.documents import DocumentKey
from include.domain.errors import SourceUnavailable


def version_as_read(
    version: str,
    key: DocumentKey,
    *,
    shown: EvidencedDate | None,
    listed: EvidencedDate | None,
    fetched_at: datetime,
    settle_seconds: float,
) -> str:
    """The version to record. `shown` is when the page says that it was changed, `listed` what the list had said.

    Marked `~unsettled` for a change to the full second that is younger than `settle_seconds`: a second edit in this
    second would look the same, so the next run reads the page again. Raises SourceUnavailable when the page is older
    than the list: a cache lags behind, and the old text must not be recorded as the new version.
    """
    if shown and listed and shown.value < listed.value:
        raise SourceUnavailable(
            f"{key.source}: {key.doc_id} is shown as of {shown.value:%Y-%m-%d %H:%M:%S}, the list has seen "
            f"{listed.value:%Y-%m-%d %H:%M:%S}: a cache lags behind; try again later",
            source=key.source,
            doc_id=key.doc_id,
        )
    is_coarse = shown is not None and shown.value.microsecond == 0
    if shown and is_coarse and abs(fetched_at - shown.value) < timedelta(seconds=settle_seconds):
        return f"{version}~unsettled"
    return version
