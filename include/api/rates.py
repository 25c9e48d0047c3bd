"""How often one key may ask: a bucket of tokens for each, in this process."""

from __future__ import annotations

import time
from collections.abc import Callable


class Buckets:
    """Each name has `burst` tokens and gets `per_minute` new ones, evenly. The names are those of our keys: few."""

    def __init__(self, per_minute: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_minute / 60.0
        self._burst = float(burst)
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, name: str) -> float:
        """0.0 when a token was there and is taken; otherwise the seconds until there is one."""
        now = self._clock()
        tokens, at = self._buckets.get(name, (self._burst, now))
        tokens = min(self._burst, tokens + (now - at) * self._per_second)
        if tokens < 1.0:
            self._buckets[name] = (tokens, now)
            return (1.0 - tokens) / self._per_second
        self._buckets[name] = (tokens - 1.0, now)
        return 0.0
