"""Counted versions: 1.10, 2.0-rc1, 8u202, 3rd edition, Rev C, draft-07. Pure.

`packaging` reads what Python calls a version and `semver` what npm does. Names hold both side by side, and neither
reads 0.1.x, 8u202 and 2.0-SNAPSHOT; so the numbers are read here, and ordered as both order what they do read.
Texts are in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from include.families.calendars import LEFT, RIGHT
from include.families.kinds import Kind, Place, Stage, Version
from include.families.vocabulary import ROMAN_AFTER

_STAGES_OF_RELEASES = {
    "alpha": Stage.ALPHA,
    "a": Stage.ALPHA,
    "beta": Stage.BETA,
    "b": Stage.BETA,
    "milestone": Stage.BETA,
    "m": Stage.BETA,
    "preview": Stage.CANDIDATE,
    "pre": Stage.CANDIDATE,
    "ea": Stage.CANDIDATE,
    "rc": Stage.CANDIDATE,
    "cr": Stage.CANDIDATE,
    "c": Stage.CANDIDATE,
}
_SPELLED = {"a": "alpha", "b": "beta", "m": "milestone", "pre": "preview", "cr": "rc", "c": "rc"}
_ON_THE_WAY = frozenset({"dev", "snapshot", "nightly", "canary"})
_AFTERWARDS = frozenset({"post", "p", "sp", "patch", "hotfix", "update"})
_FINISHED = frozenset({"final", "ga", "release", "lts"})

_PRE, _RELEASE, _POST = 0, 1, 2
_ENDLESS = 10**9


def number(text: str, release: str, word: str = "", count: str = "", *, is_line: bool = False) -> Version:
    """The version of these digits. `word` and `count`: what follows them (rc, 1). `is_line`: 4.2.x, all of 4.2."""
    parts = [int(part) for part in re.split(r"[._-]", release)]
    if is_line:
        return Version(Kind.NUMBER, text, (_without_zeros(parts), (-1,)), ((*parts, _ENDLESS), (9,)))
    place = _without_zeros(parts)
    counts = tuple(int(part) for part in count.split(".")) if count else ()
    if word in _ON_THE_WAY:
        return Version(
            Kind.NUMBER,
            text,
            (place, (_PRE, -1, "", *counts)),
            (place, (_PRE, 1, "\U0010ffff", *counts)),
            stage=Stage.DEVELOPMENT,
        )
    if word in _STAGES_OF_RELEASES:
        return _point(text, (place, _identifiers(_SPELLED.get(word, word), count)), stage=_STAGES_OF_RELEASES[word])
    if word in _AFTERWARDS:
        return _point(text, (place, (_POST, *counts)))
    return _point(text, (place, (_RELEASE,)), line="" if word in _FINISHED else word)


def semantic(text: str, release: str, suffix: str) -> Version:
    """A version whose suffix is written as SemVer has it: 1.0.0-alpha.beta. An unknown first word names a line of its
    own: whether 5.4.0-ee comes before 5.4.0 nobody knows."""
    first = re.match(r"([a-z]+)[.-]?(\d+(?:\.\d+)*)?$", suffix)
    if first and (first[1] in _ON_THE_WAY | _AFTERWARDS | _FINISHED or first[1] in _STAGES_OF_RELEASES):
        return number(text, release, first[1], first[2] or "")
    word = re.split(r"[.-]|(?<=[a-z])(?=\d)", suffix)[0]
    if word not in _STAGES_OF_RELEASES:
        return number(text, release, suffix)
    place = (_without_zeros([int(part) for part in release.split(".")]), _identifiers(*suffix.split(".")))
    return _point(text, place, stage=_STAGES_OF_RELEASES[word])


def _without_zeros(parts: list[int]) -> tuple[int, ...]:
    """1.30 is 1.30.0."""
    end = len(parts)
    while end > 1 and parts[end - 1] == 0:
        end -= 1
    return tuple(parts[:end])


def _identifiers(*words: str) -> tuple[int | str, ...]:
    """SemVer, section 11: numbers by value and before words, words by the alphabet, fewer before more."""
    found: list[int | str] = [_PRE]
    for word in words:
        for part in word.split("."):
            if part:
                found += [0, "", int(part)] if part.isdigit() and len(part) < 19 else [1, part, 0]
    return tuple(found)


def _point(text: str, place: Place, *, line: str = "", stage: Stage | None = None) -> Version:
    return Version(Kind.NUMBER, text, place, place, line, stage)


def ordinal(text: str, count: str, line: str, stage: Stage | None = None) -> Version:
    place: Place = (tuple(int(part) for part in count.split(".")),)
    return Version(Kind.ORDINAL, text, place, place, line, stage)


_ORDINALS = {
    word: place
    for place, words in enumerate(
        (
            "first erste premier première primera",
            "second zweite deuxième segunda",
            "third dritte troisième tercera",
            "fourth vierte quatrième cuarta",
            "fifth fünfte cinquième quinta",
            "sixth sechste sixième sexta",
            "seventh siebte septième séptima",
            "eighth achte huitième octava",
            "ninth neunte neuvième novena",
            "tenth zehnte dixième décima",
        ),
        start=1,
    )
    for word in words.split()
}
_LINES = {
    word: line
    for line, words in {
        "edition": "edition ed auflage ausgabe édition edición edição edizione",
        "revision": "revision rev révision rév revisión revisão überarbeitung fassung",
        "draft": "draft entwurf brouillon borrador",
        "version": "version versión versão versione",
    }.items()
    for word in words.split()
}
_ROMAN = re.compile(r"(x{0,3})(ix|iv|v?i{0,3})")
_ROMAN_DIGITS = {"": 0, "i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9}


def roman(digits: str) -> int:
    """1 to 39; 0 for what is no numeral."""
    match = _ROMAN.fullmatch(digits)
    return 10 * len(match[1]) + _ROMAN_DIGITS[match[2]] if match and digits else 0


def number_of(match: re.Match[str]) -> Version:
    found = match.groupdict()
    return number(
        match[0],
        match["release"],
        found["word"] or found["glued"] or found["short"] or "",
        found["count"] or found["short_count"] or "",
        is_line=bool(found["line"]),
    )


def _line(match: re.Match[str]) -> Version:
    return number(match[0], match["release"], is_line=True)


def _update(match: re.Match[str]) -> Version:
    return number(match[0], f"{match[1]}.{match[2]}")


def _lettered(match: re.Match[str]) -> Version:
    """v2b, 1.0.2k: what came after v2 and 1.0.2."""
    release = match["whole"] or match["dotted"]
    return number(match[0], release, "p", str(ord(match["letter"]) - ord("a") + 1))


def _ordinal(match: re.Match[str]) -> Version:
    found = match.groupdict()
    count = found["digits"] or str(_ORDINALS[found["word"]])
    return _counted(match[0], count, _LINES[found["line"]])


def _ordinal_after(match: re.Match[str]) -> Version:
    return _counted(match[0], match["digits"], _LINES[match["line"]])


def _counted(text: str, count: str, line: str) -> Version:
    if line == "version":
        return number(text, count)
    return ordinal(text, count, line, Stage.DRAFT if line == "draft" else None)


def _letter(match: re.Match[str]) -> Version:
    return ordinal(match[0], str(ord(match[1]) - ord("a") + 1), "revision letter")


def _roman(match: re.Match[str]) -> Version | None:
    value = roman(match["only"])
    return ordinal(match["only"], str(value), "roman") if value > 1 else None


def _internet_draft(match: re.Match[str]) -> Version:
    return ordinal(match["only"], match["only"], "draft", Stage.DRAFT)


_WORDS = "alpha|beta|rc|cr|preview|milestone|snapshot|nightly|canary"
_GLUED = "pre|dev|ea|post|sp|patch|hotfix|final|ga|release"
_SUFFIX = (
    rf"(?:(?:[\s._-]?(?P<word>{_WORDS})|[._-](?P<glued>{_GLUED}))[\s._-]?(?P<count>\d{{1,9}}(?:\.\d{{1,9}})*)?"
    r"|[._-]?(?P<short>[abcmp])(?P<short_count>\d{1,9}))?"
)
_MARKER = r"(?:(?:ver|vers|version|versión|versão|versione|verze|release|rel)[\s._:-]{0,2}v?|v)[\s._-]{0,2}"
_COUNTED = "|".join(sorted(_LINES, key=len, reverse=True))
_NOT_VERSIONS = "|".join(word for word in sorted(_LINES, key=len, reverse=True) if _LINES[word] != "version")

_Readers = tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Version | None]], ...]
NUMBERS: _Readers = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (r"^draft-(?!\d)[a-z0-9]+(?:-[a-z0-9]+)+-(?P<only>\d\d)$", _internet_draft),
        (
            rf"{LEFT}(?P<digits>\d{{1,2}})(?:st|nd|rd|th|e|er|ère|ème|\.|ª|\.ª)[\s_-]?(?P<word>)(?P<line>{_COUNTED}){RIGHT}",
            _ordinal,
        ),
        (
            rf"{LEFT}(?P<line>{_NOT_VERSIONS})[\s._#-]{{0,2}}(?P<digits>\d{{1,3}}(?:\.\d{{1,3}})*){RIGHT}",
            _ordinal_after,
        ),
        (
            rf"{LEFT}{_MARKER}(?P<release>\d{{1,5}}(?:[._-]\d{{1,4}})*)(?P<line>\.x)?{_SUFFIX}{RIGHT}",
            number_of,
        ),
        (rf"{LEFT}(?P<release>\d{{1,4}}(?:\.\d{{1,5}})*)\.x(?:\.x)?(?:[.-]snapshot)?{RIGHT}", _line),
        (rf"{LEFT}(?P<release>\d{{1,4}}(?:\.\d{{1,5}})+)(?P<line>\.x)?{_SUFFIX}{RIGHT}", number_of),
        (rf"{LEFT}(\d{{1,2}})u(\d{{1,3}}){RIGHT}", _update),
        (
            rf"{LEFT}(?:{_MARKER}(?P<whole>\d{{1,3}})|(?P<dotted>\d{{1,3}}\.\d{{1,3}}\.\d{{1,3}}))(?P<letter>[a-z]){RIGHT}",
            _lettered,
        ),
    )
)

WITHOUT_DIGITS: _Readers = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (rf"{LEFT}(?P<digits>)(?P<word>{'|'.join(_ORDINALS)})[\s_-](?P<line>{_COUNTED}){RIGHT}", _ordinal),
        (rf"{LEFT}(?:revision[\s._-]|rev[\s._-]{{0,2}})([a-h]){RIGHT}", _letter),
        (rf"(?<![a-z])(?:{ROMAN_AFTER})[\s_-](?P<only>[ivx]{{1,6}})(?=[\s_)\]\x00-]*$)", _roman),
    )
)

WHOLE_NUMBER = re.compile(rf"(?P<release>\d{{1,18}}(?:\.\d{{1,18}})*)(?P<line>\.x)?{_SUFFIX}")
"""What is nothing but a number, whatever it may look like elsewhere."""
