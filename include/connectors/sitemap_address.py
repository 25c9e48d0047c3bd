"""The one spelling of a page's address, which is the document's id. Pure.

Two addresses are one document when they differ only in: the case of scheme and host, the name of the host (among the
names of the site) and the scheme, a default port, user and password, the fragment, parameters that only track the
visitor, session ids, how characters are percent-encoded, dot segments, an international host name written either way.
They are two when they differ in the case of the path, a slash at the end, or any other parameter: whether such
addresses show one page is for the site to say, with a redirect or a canonical link.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from urllib.parse import urljoin, urlsplit, urlunsplit

import idna

_TRACKING = re.compile(
    r"utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid|mc_cid|mc_eid|_ga|_gl|"
    r"_hsenc|_hsmi|mkt_tok|vero_id|oly_anon_id|oly_enc_id|phpsessid|jsessionid|sid_session",
    re.IGNORECASE,
)
_SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid)=[^/?#;]*", re.IGNORECASE)
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_KEPT_IN_PATH = frozenset(b"!$&'()*+,;=:@/")
_KEPT = _KEPT_IN_PATH | frozenset(b"?")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})|([\x00-\xff])", re.DOTALL)
_BLANKS = re.compile(r"[\t\r\n]")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def normal_form(address: str, *, base: str = "", is_asked: bool = False) -> str:
    """The address in its one spelling, resolved against `base`. Raises ValueError, saying why, for what is no
    http(s) address. `is_asked`: it is only to be asked for, so tracking parameters and session ids stay; a site that
    redirects to them would redirect for ever otherwise."""
    text = _BLANKS.sub("", address).strip()
    if not text:
        raise ValueError("is empty")
    parts = urlsplit(urljoin(base, text))
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS:
        raise ValueError(f"{text[:80]!r} is no http or https address")
    port = parts.port  # raises ValueError itself
    host = _host(parts.hostname or "")
    authority = host if port in (None, _DEFAULT_PORTS[scheme]) else f"{host}:{port}"
    path = escaped(parts.path if is_asked else _SESSION_IN_PATH.sub("", parts.path), _KEPT_IN_PATH)
    query = escaped(parts.query) if is_asked else _query(parts.query)
    return urlunsplit((scheme, authority, _without_dots(path) or "/", query, ""))


def _host(name: str) -> str:
    if not name:
        raise ValueError("has no host")
    if ":" in name:
        return f"[{name.lower()}]"
    name = name.rstrip(".")
    if name.isascii():
        return name.lower()
    try:
        return idna.encode(name, uts46=True).decode()
    except idna.IDNAError as error:
        raise ValueError(f"has a host name that is none ({error})") from None


def escaped(text: str, kept: frozenset[int] = _KEPT) -> str:
    """Each character one way: unreserved ones plain, what has a meaning as it was written, all else as %XX."""

    def one(found: re.Match[bytes]) -> bytes:
        if found[1] is not None:
            value = int(found[1], 16)
            return bytes([value]) if value in _UNRESERVED else b"%%%02X" % value
        value = found[2][0]
        return found[2] if value in _UNRESERVED or value in kept else b"%%%02X" % value

    return _ESCAPE.sub(one, text.encode("utf-8", "surrogatepass")).decode("ascii")


def _query(query: str) -> str:
    pairs = [pair for pair in query.split("&") if pair and not _TRACKING.fullmatch(pair.partition("=")[0])]
    return escaped("&".join(pairs))


def _without_dots(path: str) -> str:
    """RFC 3986, section 5.2.4, for an absolute path."""
    kept: list[str] = []
    segments = path.split("/")
    for number, segment in enumerate(segments):
        is_last = number == len(segments) - 1
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
            continue
        if is_last:
            kept.append("")
    return "/".join(kept)


@dataclass(frozen=True, slots=True)
class Site:
    """Which addresses are pages of the source. `hosts` are the names of the one site, the first is its own.

    Globs are matched against path and query, or against the whole id if they start with http; `*` matches slashes.
    """

    scheme: str
    hosts: tuple[str, ...]
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    @classmethod
    def of(cls, url: str, hosts: Sequence[str], include: Sequence[str] = (), exclude: Sequence[str] = ()) -> Site:
        """Without `hosts` the site's own host with and without `www.`."""
        parts = urlsplit(normal_form(url))
        own = parts.netloc
        other = own.removeprefix("www.") if own.startswith("www.") else f"www.{own}"
        named = [urlsplit(normal_form(f"{parts.scheme}://{host}")).netloc for host in hosts]
        return cls(parts.scheme, tuple(dict.fromkeys([own, *(named or [other])])), tuple(include), tuple(exclude))

    @property
    def root(self) -> str:
        return f"{self.scheme}://{self.hosts[0]}/"

    def doc_id(self, address: str, *, base: str = "") -> str | None:
        """The id of the page at this address; None for another site's. Raises ValueError for what is no address."""
        parts = urlsplit(normal_form(address, base=base or self.root))
        if parts.netloc not in self.hosts:
            return None
        return urlunsplit((self.scheme, self.hosts[0], parts.path, parts.query, ""))

    def covers(self, doc_id: str) -> bool:
        """Whether a page of the site is one of the source's, by the globs."""
        if self.include and not any(_matches(doc_id, glob) for glob in self.include):
            return False
        return not any(_matches(doc_id, glob) for glob in self.exclude)

    def page(self, address: str, *, base: str = "") -> str | None:
        """The id of a page of the source; None where the address is another site's, excluded, or no address."""
        try:
            doc_id = self.doc_id(address, base=base)
        except ValueError:
            return None
        return doc_id if doc_id is not None and self.covers(doc_id) else None


def _matches(doc_id: str, glob: str) -> bool:
    parts = urlsplit(doc_id)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    return fnmatchcase(doc_id if glob.startswith("http") else path, glob)
