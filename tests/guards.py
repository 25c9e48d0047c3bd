"""Guards and what happens without them.

A guard whose test would pass anyway guards nothing. So every guard is switched off, for ever and in every run, and its
scenario must then end in the damage that it describes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

Off = Callable[[pytest.MonkeyPatch], object]
"""Takes a guard away for the rest of a test."""


@dataclass(frozen=True)
class Guard:
    """`scenario` raises AssertionError when the damage is done; `off` takes the guard away."""

    name: str
    scenario: Callable[[], None]
    off: Off

    def __str__(self) -> str:
        return self.name

    def holds(self) -> None:
        """Raises AssertionError when the damage is done though the guard is there."""
        self.scenario()

    def bites(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Raises pytest's Failed when nothing is damaged though the guard is not there."""
        self.off(monkeypatch)
        with pytest.raises(AssertionError):
            self.scenario()


def switch(place: object, name: str, instead: object) -> Off:
    """The guard is what stands under this name."""
    return lambda monkeypatch: monkeypatch.setattr(place, name, instead)
