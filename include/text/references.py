"""References as documents write them, taken apart: `245, 246`, `[036. Multi-cluster](036-multi-cluster.md)`,
`` :pep:`387` ``, `XEP-0022 (in part)`. What they mean is found out later, by `families.references`.

A partial or conditional reference is none: what is replaced in part still holds.
"""

from __future__ import annotations

import re

REGISTERS = frozenset(
    {"pep", "bip", "xep", "jep", "oep", "kep", "eip", "erc", "rfc", "adr", "tep", "rep", "aip", "cip", "dep", "nip"}
    | {"fep", "slip", "zip", "sep", "hip", "lip", "mep", "nep", "pip", "gep", "cep", "bep"}
)
"""Registers of proposals and decisions by the word that stands before their numbers."""

LONGEST = 200
"""Characters of a reference; what is longer is prose."""

_MOST = 20_000
"""Characters of a value that are read: a document that names a thousand others is not one of them."""

_PARTIAL = re.compile(
    r"\b(?:in part|partly|partial(?:ly)?|parts? of|portions? of|sections?|chapters?|some of|half of|if approved"
    r"|proposed to)\b"
    r"|(?<!favor )(?<!favour )(?<!version )(?<!edition )\bof (?:the )?(?:[\ue000-\uf8ff]|[a-z]{2,9}[ -]?\d)",
    re.IGNORECASE,
)
"""Of a text with marks in place of its links: "the recording scheme of ADR 13" is not all of it."""
_MARKUP = re.compile(
    r"""
      !?\[(?P<label>[^\[\]]*)\]\(\s*<?(?P<link>[^()\s<>]+(?:\([^()\s]*\))?)>?(?:\s+["'(][^)]*)?\s*\)   # [text](target)
    | \[\[(?P<wiki>[^\[\]|]+)(?:\|[^\[\]]*)?\]\]                                                       # [[target|text]]
    | :(?P<role>[\w:+.-]+):`(?:(?P<shown>[^`<>]+?)\s*<(?P<target>[^`<>]+)>|(?P<bare>[^`<>]+))`           # :pep:`387`
    | `[^`<>]+<(?P<hyperlink>[^`<>]+)>`_{1,2}                                                          # `text <url>`_
    | <a\s[^>]*?href\s*=\s*["'](?P<href>[^"']+)["'][^>]*>.*?</a>
    | <?(?P<url>https?://[^\s<>()"'`\]]+(?:\([^\s<>()]*\)[^\s<>()"'`\]]*)*)>?
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_NUMBER = r"#?\d{1,6}"
_STARTS_WITH_NUMBER = re.compile(
    rf"(?:[A-Z]{{2,9}}(?:/[A-Z]{{2,9}})*[ -]?{_NUMBER}(?:-\d+)*(?::\d{{4}})?|[a-z]{{2,9}}-\d{{1,6}})(?![\w-])"
)
# In a sentence UTF-8 and SHA-256 stand beside PEP 8: only the second kind is a document.
_IN_A_SENTENCE = re.compile(
    rf"[\ue000-\uf8ff]|(?<![\w-])(?:{'|'.join(sorted(REGISTERS))})[ -]?{_NUMBER}(?![\w-])", re.IGNORECASE
)
_BARE_NUMBER = re.compile(rf"{_NUMBER}\.?")
_PATH = re.compile(
    r"(?:\.{0,2}/)?[^\s,;]*(?:/|\.(?:md|mdx|markdown|rst|txt|html?|xml|mediawiki|adoc|pdf|docx?)\b)[^\s,;]*"
)
_SEPARATORS = re.compile(r"\s*(?:[,;\n]|\s&\s|\band\b)\s*(?:and\b)?\s*")
_REMARK = re.compile(r"\s*\([^()]*\)\s*")
_NOTHING = frozenset(
    {"", "-", "--", "–", "—", "~", "none", "n/a", "na", "no", "yes", "null", "nil", "tbd", "todo", "false", "true"}
    | {"unknown", "nothing", "not applicable", "0"}
)
_NO_SUCH = re.compile(
    r"(?:no|not|none|nothing)(?:\s+(?:yet|applicable|superseded|replaced|obsoleted|successor|predecessor|previous|prior"
    r"|earlier|known|available|version|document|policy|so|far|at|this|time|currently))+|.*[{}].*|<[^<>]*>|\W*|[A-Z]{2,9}-(?:[NX]{2,6}|XYZ)",
    re.IGNORECASE | re.DOTALL,
)
"""None in words, and the places of a template that nobody filled in."""
_QUOTES = " \t\n\"'`*_“”‘’«»"


def references(text: str) -> tuple[str, ...]:
    """Every reference of a field's value, in order, each once; empty where there is none.

    Links and roles become their targets (a numbered role becomes `PEP 387`), numbers and paths stay as written, and
    anything else is one title, commas included.
    """
    masked, targets = _without_markup(_spaced(text))
    found: list[str] = []
    titles: list[str] = []
    for part in _SEPARATORS.split(masked):
        if _PARTIAL.search(part):
            continue
        if links := [targets[mark] for mark in part if mark in targets]:
            found += links
            continue
        bare = _bare(part)
        if bare.casefold() in _NOTHING or _NO_SUCH.fullmatch(bare):
            continue
        if _BARE_NUMBER.fullmatch(bare) or _PATH.fullmatch(bare):
            found.append(bare.rstrip("."))
        elif named := _STARTS_WITH_NUMBER.match(bare):
            found.append(named[0])
        else:
            titles.append(part)
    if titles and not found:
        whole = (_bare(title) for title in masked.split(";") if not _PARTIAL.search(title))
        found = [title for title in whole if not _NO_SUCH.fullmatch(title)]
    return tuple(dict.fromkeys(each for each in found if each.casefold() not in _NOTHING and len(each) <= LONGEST))


def pointers(text: str) -> tuple[str, ...]:
    """The links, addresses and named numbers (`PEP 387`) within a sentence; titles and bare numbers are not seen."""
    masked, targets = _without_markup(text)
    if _PARTIAL.search(masked):
        return ()
    found = [targets[match[0]] if match[0] in targets else match[0] for match in _IN_A_SENTENCE.finditer(masked)]
    return tuple(dict.fromkeys(each for each in found if len(each) <= LONGEST))


def _spaced(text: str) -> str:
    """As much as is read, with single spaces, so that no pattern tries its luck on thousands of them."""
    return "\n".join(" ".join(line.split()) for line in text[:_MOST].split("\n"))


def _without_markup(text: str) -> tuple[str, dict[str, str]]:
    """The text with one private character in place of each link, and what each stands for."""
    targets: dict[str, str] = {}

    def masked(match: re.Match[str]) -> str:
        mark = chr(0xE000 + len(targets))
        if len(targets) > 6000:
            return match[0]
        targets[mark] = _target(match)
        return mark

    return _MARKUP.sub(masked, text), targets


def _target(match: re.Match[str]) -> str:
    if (role := match["role"]) is None:
        target = next(match[name] for name in ("link", "wiki", "hyperlink", "href", "url") if match[name] is not None)
        return target.strip().rstrip(".,;") if match["url"] is not None else target.strip()
    name = role.rpartition(":")[2]
    written = (match["bare"] or match["target"]).strip()
    if _BARE_NUMBER.fullmatch(written.partition("#")[0]):
        return f"{name.upper()} {written.partition('#')[0]}"
    shown = (match["shown"] or "").strip()
    named = _STARTS_WITH_NUMBER.match(shown) if name == "ref" else None  # the label of a section is no document
    return named[0] if named else written


def _bare(part: str) -> str:
    return _REMARK.sub(" ", part).strip(_QUOTES).rstrip(".").strip(_QUOTES)
