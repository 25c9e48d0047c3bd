"""Long lists, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from include.ops_view.view import path_of


@dataclass(frozen=True, slots=True)
class Pager:
    """Where in a list a page stands. `path` are the parts of the page's path, `query` what was asked for besides;
    `total` is None where nobody has counted, `more` says that something follows."""

    path: tuple[str, ...]
    query: Mapping[str, Any]
    page: int
    size: int
    shown: int
    more: bool
    total: int | None = None

    @property
    def first(self) -> int:
        return (self.page - 1) * self.size + 1 if self.shown else 0

    @property
    def last(self) -> int:
        return (self.page - 1) * self.size + self.shown

    @property
    def newer(self) -> str | None:
        return self._at(self.page - 1) if self.page > 1 else None

    @property
    def older(self) -> str | None:
        return self._at(self.page + 1) if self.more else None

    def _at(self, page: int) -> str:
        return path_of(*self.path, **{**self.query, "page": page})
