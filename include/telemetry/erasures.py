"""Erasures that are not complete yet, from their receipts. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from include.domain.dates import from_rfc3339
from include.domain.erasure import Receipt, ReceiptState
from include.telemetry.alerts import Alert

ERASURE_ALERTS: dict[str, str] = {
    "erasure_open": "an erasure is partial, or was killed; repeated every night with its age",
}

_SHOWN = 3


def open_erasures(receipts: Iterable[Receipt]) -> list[Receipt]:
    """Of receipts, newest first, the newest of each erasure that is not complete. What was completed since is not open:
    the same documents have the same checksum."""
    newest: dict[str, Receipt] = {}
    for receipt in receipts:
        newest.setdefault(receipt.checksum, receipt)
    return [receipt for receipt in newest.values() if receipt.state is not ReceiptState.COMPLETE]


def how_open(receipt: Receipt, now: datetime) -> str:
    days = (now - from_rfc3339(receipt.began_at)).days
    said = "; ".join(receipt.open[:_SHOWN]) or "it did not end"
    return f"erasure {receipt.erasure_id} is {receipt.state.value}, {days} days after it began: {said}"


def erasure_alerts(receipts: Iterable[Receipt], *, source: str, now: datetime) -> list[Alert]:
    return [
        Alert("erasure_open", source, f"{source}: {how_open(receipt, now)}. The same erasure again finishes it")
        for receipt in open_erasures(receipts)
        if source in receipt.sources or not receipt.sources  # one that cannot be read may be of any
    ]
