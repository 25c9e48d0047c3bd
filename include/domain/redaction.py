"""What may not reach a message: messages become logs, manifests and alerts, and stay there. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_USER_INFO = re.compile(r"(?<=://)[^/\s]*@")
_SECRET_KEY = re.compile(
    r"passw|passphrase|secret|credential|authori[sz]ation|token(?!s|izer)|(?:api|access|private|signing)[-_]?key",
    re.IGNORECASE,
)


def redact(text: str) -> str:
    """The text with `user:password@` of every URL in it replaced by `***@`. A password may hold an @ itself."""
    return _USER_INFO.sub("***@", text)


def redact_address(address: str) -> str:
    """What was typed where one address belongs, however mistyped: nothing up to the last @, no query."""
    before, at, after = address.rpartition("@")
    return (f"***{at}{after}" if before else address).split("?")[0]


def shown_value(key: str, value: object, *, longest: int = 80) -> str | None:
    """A rejected value of the (dotted) key for a message, None if it may be a secret.

    A mapping or a list is shown by its type only: nobody knows what is in it.
    """
    if _SECRET_KEY.search(key):
        return None
    if isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str)):
        return f"a {type(value).__name__}"
    text = redact(repr(value))
    return text if len(text) <= longest else f"{text[: longest - 3]}..."
