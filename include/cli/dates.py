"""Where the dates of a source come from, how far they are trusted, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from include.cli.command import Json, Source, app, application, explained
from include.domain.date_candidates import DateField
from include.domain.dates import EvidencedDate, rfc3339, shown
from include.domain.errors import ConfigError
from include.domain.inventory import IndexInventory
from include.domain.provenance import DateReport
from include.planning.provenance import of_stored, provenance_of, report_of, said_over
from include.services.judging import inventory_of
from include.terminal import out
from include.wiring.runs import chosen_sources

_COLOUR = {"high": "green", "low": "yellow"}


@app.command()
@explained
def dates(
    source: Source = "all",
    doc_id: Annotated[str, typer.Option(help="the dates of this one document, and the notes about them")] = "",
    json_: Json = False,
) -> None:
    """Where dates come from: share of documents by origin and trust, counted over the index. Changes nothing."""
    application_ = application()
    reports: dict[str, DateReport] = {}
    for name in chosen_sources(application_, source):
        with application_.context(name) as context:
            inventory, clusters = inventory_of(context), context.date_clusters.of(name)
        if doc_id:
            if doc_id in inventory.documents:
                _print_document(name, doc_id, inventory, json_=json_)
                return
            continue
        reports[name] = report_of(provenance_of(inventory), clusters)
    if doc_id:
        raise ConfigError(f"no document {doc_id!r} in the index of {source}; `truecopy search` shows ids")
    if json_:
        out.print_json(data={name: report_as_data(report) for name, report in reports.items()})
        return
    for name, report in reports.items():
        _print_report(name, report)


def report_as_data(report: DateReport) -> dict[str, Any]:
    return {
        "documents": report.documents,
        "trusted_created": report.trusted(DateField.CREATED),
        "shares": [
            {"date": one.field.value, "origin": one.origin, "trust": one.trust, "documents": one.documents}
            for one in report.shares
        ],
        "anomalies": [
            {"date": one.field.value, "doubt": one.doubt.value, "documents": one.documents, "example": one.example}
            for one in report.anomalies
        ],
        "clusters": [
            {
                "date": one.field.value,
                "origin": one.origin,
                "first": rfc3339(one.first),
                "last": rfc3339(one.last),
                "documents": one.documents,
                "of": one.of,
            }
            for one in report.clusters
        ],
    }


def _print_report(source: str, report: DateReport) -> None:
    trusted = report.trusted(DateField.CREATED)
    out.print(f"{source}: {trusted} of {report.documents} documents have a trusted creation date", soft_wrap=True)
    table = Table("date", "from", "trust", "documents", "share")
    for share in report.shares:
        percent = share.documents * 100 / report.documents if report.documents else 0.0
        colour = _COLOUR.get(share.trust, "red")
        origin, trust = share.origin or "nowhere: unknown", share.trust or "none"
        table.add_row(
            share.field.word, escape(origin), f"[{colour}]{trust}[/]", str(share.documents), f"{percent:.0f} %"
        )
    out.print(table)
    for anomaly in report.anomalies:
        about = f"{anomaly.field.word}, {anomaly.doubt}: {anomaly.documents}, for example {anomaly.example}"
        out.print(f"  {escape(about)}", highlight=False, soft_wrap=True)
    for cluster in report.clusters:
        about = f"{cluster.field.word} from {cluster.origin}: {cluster.why}; they are not trusted"
        out.print(f"  [yellow]{escape(about)}[/]", highlight=False, soft_wrap=True)


def _print_document(source: str, doc_id: str, inventory: IndexInventory, *, json_: bool) -> None:
    metadata = inventory.documents[doc_id].metadata
    provenance, over = of_stored(metadata), said_over(metadata)
    if json_:
        out.print_json(
            data={
                "source": source,
                "doc_id": doc_id,
                "dates": _as_data(provenance.dates),
                "set_over": _as_data(over),
                "notes": list(provenance.notes),
            }
        )
        return
    table = Table("date", "value", "from", "trust", title=f"{source}: {doc_id}", title_justify="left")
    for name, date in [*over.items(), *provenance.dates.items()]:
        colour = _COLOUR.get(date.trust.value, "red")
        value = shown(date.value, date.precision)
        is_replaced = name in over and date is not over[name]
        trust = f"{date.trust.value}, replaced" if is_replaced else date.trust.value
        table.add_row(name.word, value, escape(date.origin), f"[{colour}]{trust}[/]")
    out.print(table)
    for note in provenance.notes:
        out.print(f"  {escape(note)}", highlight=False, soft_wrap=True)


def _as_data(dates_: Mapping[DateField, EvidencedDate]) -> dict[str, dict[str, str]]:
    return {
        name.value: {
            "value": rfc3339(date.value),
            "precision": date.precision.value,
            "origin": date.origin,
            "trust": date.trust.value,
        }
        for name, date in dates_.items()
    }
