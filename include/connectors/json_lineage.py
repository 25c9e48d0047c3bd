"""What a CMS says of a document's place among its versions, from the fields of its JSON. Pure."""

from __future__ import annotations

from include.connectors.http_options import LineageFields
from include.connectors.json_fields import search
from include.domain.lineage import Lineage


def lineage_of(fields: LineageFields, data: object) -> Lineage:
    """The statements at these expressions. Numbers count as texts (an id, a version); anything else says nothing."""
    return Lineage(
        family=_text(fields.family, data),
        version=_text(fields.version, data),
        status=_text(fields.status, data),
        supersedes=_texts(fields.supersedes, data),
        superseded_by=_texts(fields.superseded_by, data),
        aliases=_texts(fields.aliases, data),
    )


def _text(expression: str | None, data: object) -> str | None:
    return next(iter(_texts(expression, data)), None)


def _texts(expression: str | None, data: object) -> tuple[str, ...]:
    found = search(expression, data) if expression else None
    values = found if isinstance(found, list) else [found]
    texts = (str(value).strip() for value in values if isinstance(value, str | int) and not isinstance(value, bool))
    return tuple(dict.fromkeys(text for text in texts if text))
