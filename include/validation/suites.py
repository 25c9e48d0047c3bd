"""What a listing and the index must look like, as Great Expectations suites.

Each function returns what is wrong, one sentence per failed expectation; an empty list means the suite passed. The
package is imported on first use: it costs seconds, and a task that validates nothing should not pay them.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pandas as pd

from include.domain.documents import Status
from include.domain.inventory import IndexInventory, Listing


def listing_problems(listing: Listing) -> list[str]:
    """A listing has documents, each with an id that is unique and not blank, and a version."""
    documents = listing.documents.values()
    frame = pd.DataFrame(
        {
            "doc_id": pd.Series([document.doc_id for document in documents], dtype="str"),
            "version": pd.Series(
                # A document that cannot be read may lack a version; it fails alone, under its own name.
                [document.version or ("unreadable" if document.unreadable else None) for document in documents],
                dtype="object",
            ),
        }
    )

    def expectations(expect: Any) -> Sequence[Any]:
        return (
            expect.ExpectTableRowCountToBeBetween(min_value=1),
            expect.ExpectColumnValuesToBeUnique(column="doc_id"),
            expect.ExpectColumnValuesToMatchRegex(column="doc_id", regex=r"\S"),
            expect.ExpectColumnValuesToNotBeNull(column="version"),
        )

    problems = _validate("listing", frame, expectations)
    if not listing.documents:
        # The proof knows better than a row count why there is nothing.
        return [listing.proof.problem] if listing.proof.problem else problems
    return problems


def index_problems(inventory: IndexInventory) -> list[str]:
    """After a run every document has a version, a known status and as many readable points as it has chunks."""
    documents = inventory.documents.values()
    frame = pd.DataFrame(
        {
            "doc_id": pd.Series([document.doc_id for document in documents], dtype="str"),
            "status": pd.Series([document.status or None for document in documents], dtype="object"),
            "points": pd.Series([document.points for document in documents], dtype="int64"),
        }
    )
    if frame.empty:
        return []

    def expectations(expect: Any) -> Sequence[Any]:
        return (
            expect.ExpectColumnValuesToBeUnique(column="doc_id"),
            expect.ExpectColumnValuesToBeInSet(column="status", value_set=[status.value for status in Status]),
            expect.ExpectColumnValuesToBeBetween(column="points", min_value=1),
        )

    return _validate("index", frame, expectations)


_Expectations = Callable[[Any], Sequence[Any]]


@cache
def _batch_definition(name: str) -> Any:
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")  # no call home from a data pipeline
    logging.getLogger("great_expectations").setLevel(logging.WARNING)
    import great_expectations as gx
    from great_expectations.data_context.types.base import ProgressBarsConfig

    logging.getLogger(ProgressBarsConfig.__module__).setLevel(logging.WARNING)  # it sets itself to INFO when imported
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)  # each would be a log line in Airflow
    return context.data_sources.add_pandas(name).add_dataframe_asset(name).add_batch_definition_whole_dataframe(name)


def _validate(name: str, frame: pd.DataFrame, expectations: _Expectations) -> list[str]:
    batch = _batch_definition(name).get_batch({"dataframe": frame})
    import great_expectations as gx

    result = batch.validate(gx.ExpectationSuite(name=name, expectations=list(expectations(gx.expectations))))
    return [_sentence(name, each.to_json_dict()) for each in result.results if not each.success]


def _sentence(name: str, result: Mapping[str, Any]) -> str:
    config = result["expectation_config"]
    arguments = {key: value for key, value in config["kwargs"].items() if key != "batch_id"}
    observed = result.get("result") or {}
    error = (result.get("exception_info") or {}).get("exception_message")
    seen = observed.get("partial_unexpected_list") or observed.get("observed_value") or error or "see the frame"
    if isinstance(seen, list):
        seen = f"{observed.get('unexpected_count', len(seen))} values, such as {', '.join(map(repr, seen[:5]))}"
    return f"{name}: {config['type']} {arguments} failed: {seen}"
