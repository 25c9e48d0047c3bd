"""Requests to a Qdrant server: repeated where that helps, and what went wrong in our own errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import httpx
from qdrant_client import models
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from include.domain.errors import ConfigError, StoreUnavailable

PAUSES = (0.5, 1.0, 2.0, 4.0)
"""Seconds between attempts. Every write can be repeated, also one that timed out and was applied after all."""

Answer = TypeVar("Answer")


class ServerCalls:
    """`location` is for messages; `pause` is what waits between attempts."""

    def __init__(self, location: str, pause: Callable[[float], None]) -> None:
        self._location = location
        self._pause = pause

    def make(self, operation: str, function: Callable[..., Answer], *args: Any, **kwargs: Any) -> Answer:
        """One request, repeated after a transient failure. Raises StoreUnavailable when that does not help, ConfigError
        when the server refuses it."""
        problem: Exception | None = None
        for pause in (0.0, *PAUSES):
            if pause:
                self._pause(pause)
            try:
                return function(*args, **kwargs)
            except (ResponseHandlingException, ResourceExhaustedResponse, httpx.HTTPError) as error:
                problem = error
            except UnexpectedResponse as error:
                if not _is_transient(error.status_code):
                    raise self._refused(operation, error) from error
                problem = error
            except ValueError as error:
                # Local mode says "not found" and "invalid" this way; a server would have answered 4xx.
                raise ConfigError(f"{self._location}: {operation} was refused: {error}") from error
        raise StoreUnavailable(
            f"{self._location}: {operation} failed {1 + len(PAUSES)} times, the last time with: "
            f"{str(problem) or type(problem).__name__}. Check that the server runs and is reachable; every write "
            "can be repeated.",
            operation=operation,
        ) from problem

    def completed(self, operation: str, result: models.UpdateResult) -> None:
        """Raises StoreUnavailable unless the server says that a write is done."""
        if result.status != models.UpdateStatus.COMPLETED:
            raise StoreUnavailable(
                f"{self._location}: {operation} was answered with {result.status.value!r}, not 'completed'; it may be "
                "applied later. Repeat the run: every write can be repeated.",
                operation=operation,
            )

    def _refused(self, operation: str, error: UnexpectedResponse) -> ConfigError | StoreUnavailable:
        said = error.content.decode(errors="replace")[:500] if error.content else error.reason_phrase
        if error.status_code in (401, 403):
            return ConfigError(f"{self._location}: the credential was refused ({error.status_code}); check the api key")
        if error.status_code == 404:
            return StoreUnavailable(f"{self._location}: {operation}: not found: {said}; an ingest run creates it")
        return ConfigError(f"{self._location}: {operation} was refused with {error.status_code}: {said}")


def _is_transient(status: int | None) -> bool:
    return status is None or status in (408, 425, 429) or status >= 500
