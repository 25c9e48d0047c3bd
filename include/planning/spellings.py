"""How a phrase may stand in a file: encoded, escaped, packed into other formats. Pure."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

from include.domain.erasure import Trace


def spellings(phrase: str) -> dict[bytes, str]:
    """The bytes of each spelling, with its name. A phrase with a space may be broken over lines as well: whoever looks
    for these bytes looks in texts whose white space is one space each too."""
    plain = phrase.encode("utf-8", "surrogatepass")
    escaped = json.dumps(phrase)[1:-1]
    found = {
        "utf-8": plain,
        "json": escaped.encode(),
        "json in json": json.dumps(escaped)[1:-1].encode(),
        "html": html.escape(phrase).encode("utf-8", "surrogatepass"),
        "url": quote(phrase, safe="", errors="surrogatepass").encode(),
        "url path": quote(phrase, errors="surrogatepass").encode(),
        "form": quote_plus(phrase, errors="surrogatepass").encode(),
        "utf-16-le": phrase.encode("utf-16-le", "surrogatepass"),
        "utf-16-be": phrase.encode("utf-16-be", "surrogatepass"),
        **{f"base64+{offset}": core for offset in range(3) if (core := _in_base64(plain, offset))},
    }
    named: dict[bytes, str] = {}
    for name, data in found.items():
        named.setdefault(data, name)
    for name, data in list(found.items()):
        if name.startswith("base64") and data.translate(bytes.maketrans(b"+/", b"-_")) != data:
            named.setdefault(data.translate(bytes.maketrans(b"+/", b"-_")), f"{name} for urls")
    return named


def slug(name: str) -> str:
    """How an id stands in the name of a file."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def all_spellings(traces: Iterable[Trace]) -> dict[bytes, str]:
    """Of everything that these documents are known by."""
    found: dict[bytes, str] = {}
    for trace in traces:
        for phrase in (*trace.names, *trace.samples):
            for data, name in spellings(phrase).items():
                found.setdefault(data, name)
    return found


def _in_base64(plain: bytes, offset: int) -> bytes:
    """The part of the base64 text that is the same whatever stands before and after, where the phrase begins so many
    bytes after a multiple of three."""
    encoded = base64.b64encode(b"\0" * offset + plain)
    first = (offset * 8 + 5) // 6  # characters that depend on what stands before
    last = ((offset + len(plain)) * 8) // 6  # those after it depend on what follows
    core = encoded[first:last]
    return core if len(core) >= 8 else b""
