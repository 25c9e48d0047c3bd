"""A client of the HTTP API. Needs `requests`, and nothing else of truecopy's own dependencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import requests

from include.domain.errors import ConfigError, Retriable, Skippable


@dataclass(frozen=True, slots=True)
class Client:
    """`url` is where `truecopy serve` listens; `timeout` is in seconds. The key is never printed."""

    url: str
    key: str = field(default="", repr=False)
    timeout: float = 20.0

    def retrieve(
        self,
        query: str,
        *,
        limit: int = 5,
        sources: Sequence[str] = (),
        intent: str | None = None,
        as_of: str | None = None,
        explain: bool = False,
    ) -> dict[str, Any]:
        """The answer as docs/API.md describes it.

        Raises Skippable for a question that cannot be asked like this, Retriable when it can be asked later
        (`facts["retry_after"]` says when, in seconds), ConfigError for a missing or wrong key or address.
        """
        question: dict[str, Any] = {"query": query, "limit": limit, "sources": list(sources), "explain": explain}
        optional = {"intent": intent, "as_of": as_of}
        question |= {name: value for name, value in optional.items() if value is not None}
        return self._asked("POST", "/retrieve", json=question)

    def document(self, source: str, doc_id: str) -> dict[str, Any] | None:
        """The version that readers see now; None where there is none, or it is hidden. Raises as `retrieve` does."""
        try:
            return self._asked("GET", f"/documents/{quote(source, safe='')}/{quote(doc_id, safe='')}")
        except _NotFound:
            return None

    def _asked(self, method: str, path: str, **body: Any) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            answer = requests.request(
                method,
                self.url.rstrip("/") + path,
                headers=headers,
                timeout=self.timeout,
                allow_redirects=False,
                **body,
            )
            record = answer.json()
        except requests.JSONDecodeError as error:
            raise ConfigError(
                f"{self.url} answered {answer.status_code} and no JSON; is it `truecopy serve`?"
            ) from error
        except requests.RequestException as error:
            raise Retriable(f"{self.url} did not answer: {type(error).__name__}", retry_after=1.0) from error
        if answer.ok and isinstance(record, dict):
            return record
        raise _error(self.url, answer.status_code, record, answer.headers)


class _NotFound(Skippable):
    """No such document can be read."""


def _error(url: str, status: int, record: object, headers: Mapping[str, str]) -> Exception:
    detail = record.get("detail", "") if isinstance(record, dict) else ""
    said = f"{url} answered {status}: {detail}"
    if status in (429, 500, 502, 503, 504):
        wait = headers.get("Retry-After", "")
        return Retriable(said, status=status, retry_after=float(wait) if wait.isdecimal() else 1.0)
    if status in (401, 403):
        return ConfigError(said, status=status)
    return (_NotFound if status == 404 else Skippable)(said, status=status)


_DATES = ("created_at", "updated_at", "effective_date", "expires_at")


def passage_id(result: Mapping[str, Any], chunk: Mapping[str, Any]) -> str:
    """The same passage of the same version of a document, whatever was asked."""
    return f"{result['source']}:{result['doc_id']}:{result['doc_version']}:{chunk['chunk_index']}"


def citation(result: Mapping[str, Any], chunk: Mapping[str, Any], retrieval_id: str) -> dict[str, Any]:
    """What must travel with a passage: where it stands, in which version, as of when, and what to tell the reader."""
    names = (
        *("source", "doc_id", "doc_version", "title", "url", "status", "notice", "score"),
        *(f"{date}{part}" for date in _DATES for part in ("", "_origin", "_trust", "_precision")),
    )
    place = {name: chunk[name] for name in ("chunk_index", "heading_path")}
    return {**{name: result[name] for name in names}, **place, "retrieval_id": retrieval_id}
