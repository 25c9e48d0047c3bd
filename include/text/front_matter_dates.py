"""Dates in front matter: which names mean which date, for all generators whose blocks are read. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from include.domain.date_candidates import DateCandidate, DateField, Rank, stated
from include.domain.written_dates import PLAIN, Conventions
from include.text.front_matter import FALSE, TRUE, flatten

_NAMES: Mapping[DateField, tuple[str, ...]] = {
    DateField.CREATED: (
        *("created", "created_at", "created_on", "creation_date", "date_created", "date.created"),
        *("date", "publishdate", "pubdate", "publish_date", "published", "published_at", "date_published"),
    ),
    DateField.UPDATED: (
        *("updated", "updated_at", "updated_on", "lastmod", "modified", "modified_at", "date_modified"),
        *("last_modified", "last_modified_at", "last_update.date", "last_updated", "lastupdated", "date.updated"),
    ),
    DateField.EFFECTIVE: (
        *("effective_date", "effectivedate", "effective", "effective_from", "valid_from", "validfrom"),
        *("in_force", "in_force_from"),
    ),
    DateField.EXPIRES: (
        *("expirydate", "unpublishdate", "expiry_date", "expires", "expires_at", "expires_on"),
        *("valid_until", "valid_to", "validuntil"),
    ),
}
"""In the order in which they are believed. Case, and whether words are joined by `-` or `_`, make no difference."""


def date_candidates(fields: Mapping[str, object], conventions: Conventions = PLAIN) -> tuple[DateCandidate, ...]:
    """What the fields say of the four dates; a field that is a switch (`published: true`) says nothing."""
    by_name: dict[str, tuple[str, str]] = {}
    for name, text in flatten(fields):
        by_name.setdefault(name.replace("-", "_").replace(" ", "_"), (name, text))
    found = []
    for field, names in _NAMES.items():
        for name, text in (by_name[name] for name in names if name in by_name):
            if text.strip().lower() in TRUE | FALSE:
                continue
            candidate = stated(field, Rank.FRONT_MATTER, f"front matter {name}", text, conventions=conventions)
            if candidate is not None:
                found.append(candidate)
    return tuple(found)
