"""One sitemap file: an index, a list of pages or plain text, packed or not. Pure.

A file that is not read to its end is not read at all: the parser's last word is an error, never a shorter list. An
entry that names no page is kept as `rejected`, so that what was listed is counted and not lost.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from io import BytesIO
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

_GZIP = b"\x1f\x8b"
_BOMS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
MOST_ENTRIES, MOST_BYTES = 50_000, 52_428_800
"""What the sitemap protocol allows in one file, unpacked. More is read, and noted."""
_REFUSED_BYTES = 4 * MOST_BYTES  # unpacked: no sitemap, a bomb


@dataclass(frozen=True, slots=True)
class Entry:
    """A page or, in an index, a sitemap, as written. `lastmod` is empty where there is none."""

    location: str
    lastmod: str = ""


@dataclass(frozen=True, slots=True)
class SitemapFile:
    """What one file says. `rejected` are entries without a location, by their number from 1; `notes` are oddities."""

    is_index: bool
    entries: tuple[Entry, ...]
    rejected: tuple[int, ...] = ()
    notes: tuple[str, ...] = field(default=())


def parse_sitemap(body: bytes) -> SitemapFile:
    """Raises ValueError, saying what was found instead, for anything but a whole sitemap."""
    body, was_packed = _unpacked(body)
    notes = []
    if len(body) > MOST_BYTES:
        notes.append(f"{len(body)} bytes, the protocol allows {MOST_BYTES}")
    start = _start(body)
    if not start:
        raise ValueError("is empty" + (" once unpacked" if was_packed else ""))
    found = _xml(body) if start.startswith("<") else _text(body)
    if not found.is_index and len(found.entries) > MOST_ENTRIES:
        notes.append(f"{len(found.entries)} entries, the protocol allows {MOST_ENTRIES}")
    if not found.entries and not found.rejected:
        raise ValueError("lists nothing; an empty list proves nothing")
    return SitemapFile(found.is_index, found.entries, found.rejected, tuple(notes))


def _unpacked(body: bytes) -> tuple[bytes, bool]:
    """By content: a `.gz` may be served unpacked, and a packed file under any name."""
    if not body.startswith(_GZIP):
        return body, False
    whole = bytearray()
    while body:  # several members after one another are one file
        unpacker = zlib.decompressobj(wbits=31)
        try:
            whole += unpacker.decompress(body, _REFUSED_BYTES + 1 - len(whole))
        except zlib.error as error:
            raise ValueError(f"is packed and cannot be unpacked ({error})") from None
        if len(whole) > _REFUSED_BYTES:
            raise ValueError(f"unpacks to more than {_REFUSED_BYTES} bytes")
        if not unpacker.eof:
            raise ValueError(f"is packed and breaks off after {len(whole)} unpacked bytes")
        body = unpacker.unused_data.lstrip(b"\0")
        if body and not body.startswith(_GZIP):
            raise ValueError(f"is packed and followed by {len(body)} bytes of something else")
    return bytes(whole), True


def _start(body: bytes) -> str:
    head = body[:400]
    for bom, encoding in _BOMS.items():
        if head.startswith(bom):
            return head[len(bom) :].decode(encoding, "replace").lstrip()
    return head.decode("utf-8", "replace").lstrip()


def _xml(body: bytes) -> SitemapFile:
    root: Element | None = None
    kind = ""
    entries: list[Entry] = []
    rejected: list[int] = []
    depth = 0
    # Blanks in front of the declaration are a common slip of templates, and no reason to lose a site.
    source = BytesIO(body.lstrip(b" \t\r\n"))
    try:
        for event, element in iterparse(source, events=("start", "end"), forbid_dtd=False):
            depth += 1 if event == "start" else -1
            if root is None:
                root = element
                kind = _name(element)[1]
                if kind not in ("urlset", "sitemapindex"):
                    raise ValueError(f"is no sitemap: its root is <{kind[:40]}>{_guess(kind)}")
            elif event == "end" and depth == 1:
                namespace, name = _name(element)
                if name == ("url" if kind == "urlset" else "sitemap"):
                    location = _child(element, namespace, "loc")
                    if location:
                        entries.append(Entry(location, _child(element, namespace, "lastmod")))
                    else:
                        rejected.append(len(entries) + len(rejected) + 1)
                root.clear()  # fifty megabytes of entries need not be a tree
    except ParseError as error:
        if re.match(rb"\s*<(?:!doctype\s+)?html\b", body, re.IGNORECASE):
            raise ValueError(f"is HTML{_guess('html')}") from None
        raise ValueError(f"is XML that breaks off or is broken ({error})") from None
    except DefusedXmlException as error:
        raise ValueError(f"is XML that declares entities ({type(error).__name__}); refused") from None
    except (LookupError, UnicodeError) as error:
        raise ValueError(f"is XML in an encoding that cannot be read ({error})") from None
    return SitemapFile(kind == "sitemapindex", tuple(entries), tuple(rejected))


def _name(element: Element) -> tuple[str, str]:
    namespace, brace, local = str(element.tag).rpartition("}")
    return namespace + brace, local


def _child(element: Element, namespace: str, name: str) -> str:
    """Of the entry itself: an image or a video inside it has a location too, in a namespace or a level of its own."""
    for child in element:
        if _name(child) == (namespace, name):
            return "".join(child.itertext()).strip()
    return ""


def _guess(kind: str) -> str:
    if kind.lower() == "html":
        return " (a login, maintenance or single-page application?)"
    return " (feeds are not read)" if kind.lower() in ("rss", "feed", "rdf") else ""


_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)


def _text(body: bytes) -> SitemapFile:
    bom = next((bom for bom in _BOMS if body.startswith(bom)), b"")
    encoding = _BOMS.get(bom, "utf-8")
    body = body[len(bom) :]
    try:
        lines = [line.strip() for line in body.decode(encoding).splitlines()]
    except UnicodeDecodeError as error:
        raise ValueError(f"is neither XML nor text ({error.reason} at byte {error.start})") from None
    entries = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        if not _ADDRESS.fullmatch(line):
            raise ValueError(f"is neither XML nor a list of addresses: line {number} is {line[:60]!r}")
        entries.append(Entry(line))
    return SitemapFile(False, tuple(entries))
