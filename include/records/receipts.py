"""Receipts of erasures on the state root, for machines and for people.

    erasures/<when>-<checksum>/receipt.json
    erasures/<when>-<checksum>/receipt.html    to be printed; one page without anything from outside

Neither names a document or says what it said.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from pydantic import TypeAdapter

from include.domain.dates import rfc3339
from include.domain.erasure import PlaceReport, Receipt, ReceiptState
from include.records.state import StateRoot

_RECEIPT = TypeAdapter(Receipt)
_FOLDER = "erasures"
_TITLES = {
    ReceiptState.COMPLETE: "Complete: nothing was found any more",
    ReceiptState.PARTIAL: "Partial: see what is still open",
    ReceiptState.RUNNING: "Not finished: the run is at work, or was killed",
}
_STYLE = """
body { font: 11pt/1.45 Georgia, serif; max-width: 46em; margin: 2em auto; padding: 0 1em;
color: #111; background: #fff }
h1 { font-size: 1.5em } h2 { font-size: 1.1em; margin-top: 1.6em }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .3em .6em; vertical-align: top;
border-bottom: 1px solid #bbb } td.number { text-align: right; font-variant-numeric: tabular-nums }
.state { border: 2px solid #111; padding: .5em 1em; font-weight: bold }
@media print { body { margin: 0; max-width: none } }
"""


class FileReceipts:
    """Implements ports.erasing.Receipts."""

    def __init__(self, state: StateRoot) -> None:
        self._state = state

    def save(self, receipt: Receipt) -> str:
        folder = f"{_FOLDER}/{receipt.erasure_id}"
        self._state.write(f"{folder}/receipt.html", page(receipt).encode())
        self._state.write(f"{folder}/receipt.json", _RECEIPT.dump_json(receipt, indent=1))
        return f"{self._state}/{folder}/receipt.html"

    def all(self) -> Sequence[Receipt]:
        found = []
        for name in reversed(self._state.names(_FOLDER)):
            try:
                found.append(_RECEIPT.validate_json(self._state.read(f"{_FOLDER}/{name}/receipt.json")))
            except FileNotFoundError:
                continue  # killed before its first receipt was whole
            except ValueError:
                found.append(_unreadable(name))
        return found


def _unreadable(name: str) -> Receipt:
    """What nobody can read any more proves nothing: it counts as open, and stops nobody who looks at the others."""
    digits, _, checksum = name.partition("-")
    try:
        began = datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        began = datetime(1970, 1, 1, tzinfo=UTC)
    why = f"its receipt {_FOLDER}/{name} cannot be read"
    return Receipt(name, ReceiptState.PARTIAL, checksum or name, "", "", rfc3339(began), open=(why,))


def page(receipt: Receipt) -> str:
    """The receipt as a page to print."""
    search = receipt.search
    looked = (
        f"{search.files} files and {search.bytes:,} bytes were searched for {search.phrases} phrases in up to a dozen "
        f"spellings each; {len(search.hits)} places still held one."
    )
    rows = "".join(_row(each) for each in receipt.places)
    facts = {
        "Asked for by": receipt.by,
        "Rule": receipt.rule,
        "Began": receipt.began_at,
        "Ended": receipt.ended_at or "not ended",
        "Sources": ", ".join(receipt.sources),
        "Documents": f"{len(receipt.marks)}: {', '.join(receipt.marks)}",
        "Checksum confirmed": receipt.checksum,
    }
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Receipt of an erasure</title>'
        f"<style>{_STYLE}</style></head><body><h1>Receipt of an erasure</h1>"
        f'<p class="state">{html.escape(_TITLES[receipt.state])}</p>'
        f"<table>{''.join(_fact(name, said) for name, said in facts.items())}</table>"
        "<h2>What was cleared</h2><table><tr><th>Place</th><th>Outcome</th><th>Before</th><th>After</th><th>Unit</th>"
        f"<th>Still open</th><th>Until</th></tr>{rows}</table>"
        f"<h2>The search afterwards</h2><p>{html.escape(looked)}</p>"
        f"<h2>Still open</h2>{_list(receipt.open)}"
        "<p>Documents are named by the marks of their tombstones, which keep them out of every later run and restore. "
        "The backups of this machine's operator, and the sources themselves, are not part of this receipt.</p>"
        "</body></html>"
    )


def _row(report: PlaceReport) -> str:
    cells = (report.place, report.ending.value, report.before, report.after, report.unit, report.open, report.until)
    return "<tr>" + "".join(_cell(each) for each in cells) + "</tr>"


def _cell(value: str | int) -> str:
    return f'<td class="number">{value}</td>' if isinstance(value, int) else f"<td>{html.escape(value)}</td>"


def _fact(name: str, said: str) -> str:
    return f"<tr><th>{html.escape(name)}</th><td>{html.escape(said)}</td></tr>"


def _list(said: Iterable[str]) -> str:
    rows = "".join(f"<li>{html.escape(each)}</li>" for each in said)
    return f"<ul>{rows}</ul>" if rows else "<p>Nothing.</p>"
