"""Dates in front matter: which names mean which date, for all generators whose blocks are read. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from include.domain.date_candidates import DateCandidate, DateField, Rank, stated
from include.domain.written_dates import PLAIN, Conventions
from include.text.front_matter import FALSE, TRUE, flatten

_NAMES: Mapping[DateField, tuple[str, ...]] = {
    DateField.CREATED: (
        *("created", "createdat", "createdon", "creationdate", "createddate", "datecreated", "date.created"),
        *("date", "publishdate", "pubdate", "publisheddate", "published", "publishedat", "publishedon"),
        *("datepublished", "publicationdate"),
    ),
    DateField.UPDATED: (
        *("updated", "updatedat", "updatedon", "updateddate", "dateupdated", "lastmod", "modified", "modifiedat"),
        *("modifieddate", "datemodified", "lastmodified", "lastmodifiedat", "lastupdate", "lastupdate.date"),
        *("lastupdated", "lastupdatedat", "date.updated"),
    ),
    DateField.EFFECTIVE: (*("effectivedate", "effective", "effectivefrom", "validfrom", "inforce", "inforcefrom"),),
    DateField.EXPIRES: (
        *(
            "expirydate",
            "unpublishdate",
            "expires",
            "expiresat",
            "expireson",
            "expirationdate",
            "validuntil",
            "validto",
        ),
    ),
}
"""In the order in which they are believed. Case, and whether words are joined by `-`, `_` or a capital letter, make no
difference: the names stand here without."""
_JOINTS = str.maketrans("", "", "-_ ")


def date_candidates(fields: Mapping[str, object], conventions: Conventions = PLAIN) -> tuple[DateCandidate, ...]:
    """What the fields say of the four dates; a field that is a switch (`published: true`) says nothing."""
    by_name: dict[str, tuple[str, str]] = {}
    for name, text in flatten(fields):
        by_name.setdefault(name.translate(_JOINTS), (name, text))
    found = []
    for field, names in _NAMES.items():
        for name, text in (by_name[name] for name in names if name in by_name):
            if text.strip().lower() in TRUE | FALSE:
                continue
            candidate = stated(field, Rank.FRONT_MATTER, f"front matter {name}", text, conventions=conventions)
            if candidate is not None:
                found.append(candidate)
    return tuple(found)
