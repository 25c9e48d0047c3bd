"""From bytes to characters, and characters to their one normal form. Nothing readable is ever dropped."""

from __future__ import annotations

import codecs
import re
import unicodedata

# Signatures of formats that are no text. A document of these is delivered by mistake, not to be guessed at.
_SIGNATURES = {
    b"%PDF-": "PDF",
    b"PK\x03\x04": "ZIP (or an office document)",
    b"\x89PNG": "PNG",
    b"GIF8": "GIF",
    b"\xff\xd8\xff": "JPEG",
    b"\x1f\x8b": "gzip",
    b"\x7fELF": "ELF",
    b"\xd0\xcf\x11\xe0": "OLE (old office document)",
    b"SQLite format 3\0": "SQLite",
}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),  # before UTF-16: same first bytes
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)
# What servers call these they hardly ever are; browsers read both as cp1252, and so does everybody's eye.
_MEANT_AS_CP1252 = frozenset({"ascii", "iso8859-1", "cp1252"})
_UNTRUSTED = frozenset({"utf-7", "idna", "punycode", "undefined"})  # codecs that no page is written in
_BINARY_SHARE = 0.1

_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters (line feeds and tabs stay)
    "\u00ad\u061c\u200b\u200e\u200f\u2060\ufeff"  # soft hyphen, zero-width space, marks, BOM inside the text
    "\u202a-\u202e\u2066-\u2069"  # bidirectional overrides: they reorder what is shown
    "\ud800-\udfff]"  # lone surrogates: no encoding can store them
)
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_TRAILING = re.compile(r"(?<![ \t])[ \t]+$", re.MULTILINE)  # looks behind: a megabyte of blanks is read once
# A picture pasted as text is thousands of characters that nobody can search for. Its kind stays visible.
_EMBEDDED_MEDIA = re.compile(r"(data:(?:image|font|audio|video)/[\w.+-]+)(?:;[\w=.+-]+)*;base64,[A-Za-z0-9+/=%]{64,}")


def _byte_as_cp1252(error: UnicodeError) -> tuple[str, int]:
    """Error handler of `codecs`: the bytes that are not UTF-8 are read as cp1252, the valid ones stay UTF-8."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return _cp1252(error.object[error.start : error.end]), error.end


def _cp1252(body: bytes) -> str:
    """cp1252 with its five holes filled as browsers do (the C1 control of the same number): never fails."""
    try:
        return body.decode("cp1252")
    except UnicodeDecodeError:
        return "".join(bytes([b]).decode("cp1252", "ignore") or chr(b) for b in body)


codecs.register_error("truecopy.cp1252", _byte_as_cp1252)


def decode(body: bytes, *, declared: str | None = None, html: bool = False) -> str:
    """`body` as text: by its BOM, the declared charset, the HTML meta tag, as UTF-8, else as cp1252.

    A charset that is unknown, or that the bytes contradict, is passed over. Raises ValueError, saying what was
    found, for bytes that are not text.
    """
    for signature, kind in _SIGNATURES.items():
        if body.startswith(signature):
            raise ValueError(f"it is {kind} data, not text")
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return _refuse_binary(_after_bom(body[len(bom) :], encoding))
    labels = [declared]
    if html and (meta := _META.search(body[:4096])):
        labels.append(meta[1].decode("ascii"))
    for label in labels:
        text = _as_declared(body, label)
        if text is not None:
            return _refuse_binary(text)
    return _refuse_binary(_utf8(body))


def _utf8(body: bytes) -> str:
    return body.decode("utf-8", errors="truecopy.cp1252")


def _after_bom(body: bytes, encoding: str) -> str:
    if encoding == "utf-8":
        return _utf8(body)
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(f"it starts as {encoding} and breaks at byte {error.start} of {len(body)}") from error


def _as_declared(body: bytes, label: str | None) -> str | None:
    """The text, or None where the label names no text encoding or the bytes contradict it."""
    try:
        name = codecs.lookup((label or "").strip().lower()).name
        if name in _UNTRUSTED or "escape" in name:
            return None
        if name in _MEANT_AS_CP1252:
            # The default of many servers for everything. Bytes that are valid UTF-8 were not written as cp1252.
            return _utf8(body)
        return body.decode(name)
    except (LookupError, ValueError):
        return None


def _refuse_binary(text: str) -> str:
    controls = sum(map(text.count, map(chr, (*range(9), *range(14, 32)))))
    if controls > _BINARY_SHARE * len(text):
        raise ValueError(
            f"{controls} of its {len(text)} characters are control characters: binary data, or UTF-16 without a BOM"
        )
    return text


def normalise(text: str) -> str:
    """The one form in which a text is hashed, cut and stored; applying it twice changes nothing.

    LF line ends, NFC, ordinary spaces, no invisible characters, no trailing white space, no blank lines at either
    end, no base64 pictures. Indentation, blank lines between paragraphs and everything visible stay.
    """
    text = _LINE_ENDS.sub("\n", text)
    text = unicodedata.normalize("NFC", _UNSEEN.sub("", text))
    text = _EMBEDDED_MEDIA.sub(r"\1", _SPACES.sub(" ", text))
    return _TRAILING.sub("", text).strip("\n")
