"""What may not reach a message: messages become logs, manifests and alerts, and stay there. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_USER_INFO = re.compile(r"(?<=://)[^/\s]*@")
_QUERY = re.compile(r"(?<=://)([^\s?#]*)([?#]\S+)")
_PARAMETER = re.compile(r"([?&#])([^&#=]*=)?[^&#]*")
_PUNCTUATION_AFTER_URL = "])}>'\"`,.:;!"
_SECRET_KEY = re.compile(
    r"passw|passphrase|secret|credential|authori[sz]ation|token(?!s|izer)|(?:api|access|private|signing)[-_]?key",
    re.IGNORECASE,
)


def redact(text: str) -> str:
    """The text without the secrets of the URLs in it: `***@` for the user part (a password may hold an @ itself),
    `name=***` for every parameter of a query or fragment, whatever its name; `***` where it has none."""
    return _QUERY.sub(_without_values, _USER_INFO.sub("***@", text))


def _without_values(url: re.Match[str]) -> str:
    query = url[2].rstrip(_PUNCTUATION_AFTER_URL)
    after = url[2][len(query) :]
    return url[1] + _PARAMETER.sub(lambda found: f"{found[1]}{found[2] or ''}***", query) + after


def redact_address(address: str) -> str:
    """What was typed where one address belongs, however mistyped: nothing up to the last @, no query, no fragment."""
    before, at, after = address.rpartition("@")
    return re.split(r"[?#]", f"***{at}{after}" if before else address, maxsplit=1)[0]


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
