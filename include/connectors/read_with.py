"""By which settings a source's metadata is read: what its options and this code make of a document besides the text.

A listing shows none of it. When a base URL, a language or the code itself changes, versions stay what they are, and
only this name tells that what is stored was read otherwise.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from include.domain.redaction import redact_address

METADATA_VERSION = "2"
"""Raise it with every change in what is read as title, address, language, date or lineage, here or in `include.text`:
every source is then read once more, and nothing is embedded. tests/unit/test_read_with.py fails when what is read
changes and this does not."""

_EVERYWHERE = ("lang", "date_order", "time_zone")

SHAPING: Mapping[str, Mapping[str, Any]] = {
    "git_markdown": dict.fromkeys(
        (*_EVERYWHERE, "content_type", "root", "roots", "dialect", "site_config", "languages", "base_url"), True
    ),
    "http_json": {
        **dict.fromkeys((*_EVERYWHERE, "content_type", "base_url", "site_url"), True),
        "page": dict.fromkeys(("path", "item", "fields", "title_is_html"), True),
    },
    "sitemap": dict.fromkeys((*_EVERYWHERE, "content_type", "content", "drop"), True),
    "wordpress": dict.fromkeys((*_EVERYWHERE, "content_types"), True),
}
"""Which options of each kind of connector decide over metadata. Others would have a whole source read for nothing. None
that may hold a key: not the parameters of a request, not where a repository is cloned from."""


_REQUESTED = {"http_json": ("base_url", "site_url", "path")}
"""Addresses that we ask; a user part or a query may hold a key."""


def read_with(kind: str, options: BaseModel) -> str:
    """16 hex digits over the code's version and the options that shape metadata."""
    chosen = options.model_dump(mode="json", include=dict(SHAPING[kind]))
    parts = [METADATA_VERSION, kind, _without_keys(chosen, _REQUESTED.get(kind, ()))]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def _without_keys(chosen: Mapping[str, object], addresses: Sequence[str]) -> dict[str, object]:
    def shown(name: str, value: object) -> object:
        if isinstance(value, Mapping):
            return _without_keys(value, addresses)
        return redact_address(value) if name in addresses and isinstance(value, str) else value

    return {name: shown(name, value) for name, value in chosen.items()}
