"""What a connector needs to prove who it is. Made by the wiring; nothing here reads a configuration or Airflow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit


@dataclass(frozen=True, slots=True)
class Credentials:
    """Headers, HTTP basic authentication and query parameters of one source. None of it is ever printed."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    basic: tuple[str, str] | None = field(default=None, repr=False)
    params: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __bool__(self) -> bool:
        return bool(self.headers or self.basic or self.params)


def without_query(url: str) -> str:
    """A URL that can be shown: no user, no password, no query (API keys travel there), no fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
