"""`truecopy`: one module for each group of commands."""

from include.cli import (
    dates,
    dispositions,
    erasure,
    families,
    metadata,
    plans,
    protection,
    review,
    runs,
    search,
    serving,
    staleness,
    state,
)
from include.cli.command import EXIT, app

__all__ = [
    "EXIT",
    "app",
    "dates",
    "dispositions",
    "erasure",
    "families",
    "metadata",
    "plans",
    "protection",
    "review",
    "runs",
    "search",
    "serving",
    "staleness",
    "state",
]
