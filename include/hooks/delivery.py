"""One request as it arrived, and what a signature vouches for in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from include.domain.events import Reason


@dataclass(frozen=True, slots=True)
class Delivery:
    """`headers` by lower-case name; `path` with its query, as it was asked for; `body` the bytes as they came.
    None of it is ever printed."""

    path: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    method: str = "POST"


@dataclass(frozen=True, slots=True)
class Vouched:
    """What the signature covers besides the body. Anything else in the request can be changed by anybody."""

    signed_at: datetime | None = None
    delivery_id: str = ""


class RefusedError(Exception):
    """A delivery that is not acted upon. Carries the reason only: its text must not help whoever guesses."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Signature(Protocol):
    """One way of signing."""

    @property
    def has_timestamp(self) -> bool:
        """Whether every signed delivery says when it was signed."""
        ...

    def verify(self, delivery: Delivery, secrets: Sequence[str]) -> Vouched:
        """Whether one of these secrets signed it. Compares in constant time; raises RefusedError, never anything else,
        whatever the request holds. The instant is not judged here."""
        ...
