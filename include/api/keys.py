"""Who may ask. Keys are compared by their digests, in constant time, and are never printed."""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import threading
import time
from collections.abc import Callable

from include.domain.errors import ConfigError

log = logging.getLogger(__name__)

SHORTEST = 24
"""Characters of a key."""

LOOKED_UP_AGAIN_SECONDS = 30.0
"""So long at most until a new key counts, and a withdrawn one does not any more."""

BELIEVED_SECONDS = 900.0
"""So long the keys of the last look count when they cannot be looked up: a secrets backend that is down must not
take every reader with it, and a key that was withdrawn must not live on."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_KEY = re.compile(r"[!-+\--~]+")


def read_keys(text: str) -> dict[bytes, str]:
    """From `name:key name:key …` (blanks, lines or commas between) to the name of whoever has the key with a digest.
    A name may come several times: while a key is replaced, both are good.

    Raises ConfigError for what is no such list; the message repeats nothing of it.
    """
    found: dict[bytes, str] = {}
    for number, entry in enumerate(re.split(r"[\s,]+", text.strip()) if text.strip() else (), start=1):
        name, _, key = entry.partition(":")
        if not _NAME.fullmatch(name) or not _KEY.fullmatch(key):
            raise ConfigError(
                f"API keys: entry {number} is not `name:key`; the name says who uses it, in a-z, 0-9, '-' and '_'"
            )
        if len(key) < SHORTEST:
            raise ConfigError(
                f"API keys: the key of {name!r} has {len(key)} characters, at least {SHORTEST} are needed; make one by "
                '`python3 -c "import secrets; print(secrets.token_urlsafe(32))"`'
            )
        if found.setdefault(_digest(key), name) != name:
            raise ConfigError(f"API keys: {found[_digest(key)]!r} and {name!r} have the same key; give each its own")
    return found


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


class Keyring:
    """The keys that count now. `look_up` gives the list as text; it is asked again after a while."""

    def __init__(self, look_up: Callable[[], str], clock: Callable[[], float] = time.monotonic) -> None:
        """Raises what `look_up` raises, and ConfigError for keys that are none."""
        self._look_up = look_up
        self._clock = clock
        self._lock = threading.Lock()
        self._keys = read_keys(look_up())
        self._looked_up_at = self._known_at = clock()

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def is_due(self) -> bool:
        """Whether the next look at the keys is due: `refresh` may take a while."""
        return self._clock() - self._looked_up_at > LOOKED_UP_AGAIN_SECONDS

    def refresh(self) -> None:
        """Look the keys up again if that is due. Never raises: what is wrong is logged."""
        with self._lock:  # one looks them up, the others wait for the answer
            if not self.is_due:
                return
            now = self._looked_up_at = self._clock()
            try:
                self._keys = read_keys(self._look_up())
                self._known_at = now
            except Exception as error:  # noqa: BLE001 (whatever a secrets backend raises)
                log.warning("API keys could not be looked up: %s", type(error).__name__)
                if now - self._known_at > BELIEVED_SECONDS:
                    self._keys = {}

    def holder(self, key: str) -> str | None:
        """The name of whoever has this key. Every known key is compared, whichever fits."""
        given = _digest(key)
        holder = None
        for digest, name in self._keys.items():
            if hmac.compare_digest(digest, given):
                holder = name
        return holder
