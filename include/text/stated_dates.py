"""Dates that a text states about itself: in a header block, above and below its body, in its name. Pure.

    Created: 13-Jun-2000                       a header of `Name: value` lines, as proposals have it
    Date: 2019-05-01                           a line of its own in the head of the text
    | Effective date | 1 March 2026 |          a row of a table
    Effective 1 March 2026, refunds are …      the beginning of a sentence
    This policy is valid from 1 March 2026.    a sentence about the document itself
    *Last updated: 3 May 2025*                 also at the very end

What a text says elsewhere is about its topic. A date that is stated twice and differently is not believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from include.domain.date_candidates import DateCandidate, DateField, Doubt, Rank, found, stated
from include.domain.dates import Trust
from include.domain.written_dates import PLAIN, Conventions, UnreadDate, find_date

_HEAD, _TAIL = 30, 10  # lines that hold something
_LONGEST_LINE = 400

_LABELS: Mapping[DateField, tuple[str, ...]] = {
    DateField.CREATED: (
        *("date", "created", "created on", "date created", "creation date", "published", "published on"),
        *("publication date", "first published", "posted", "posted on", "issued", "issued on", "issue date"),
        *(
            "assigned",
            "start date",
            "document date",
            "datum",
            "erstellt",
            "erstellt am",
            "veröffentlicht",
            "veröffentlicht am",
        ),
        *("créé le", "publié le", "fecha", "publicado", "publicado el"),
    ),
    DateField.UPDATED: (
        *("updated", "updated on", "last updated", "last updated on", "last update", "last modified"),
        *("last modified on", "modified", "last revised", "revised", "last edited", "last changed", "stand"),
        *(
            "zuletzt aktualisiert",
            "zuletzt aktualisiert am",
            "letzte aktualisierung",
            "zuletzt geändert",
            "zuletzt geändert am",
            "letzte änderung",
            "aktualisiert am",
        ),
        *("mis à jour le", "dernière mise à jour", "dernière mise à jour le", "última actualización", "actualizado el"),
    ),
    DateField.EFFECTIVE: (
        *("effective", "effective date", "effective from", "effective as of", "effective on", "effective since"),
        *("date effective", "valid from", "valid as of", "in force from", "in force since", "in force as of"),
        *("comes into force", "comes into force on", "takes effect", "takes effect on", "gültig ab", "gültig seit"),
        *("in kraft seit", "in kraft ab", "tritt in kraft am", "en vigueur le", "en vigueur depuis"),
        *("en vigueur à partir du", "valable à partir du", "vigente desde", "vigente desde el", "válido desde"),
        *("válido desde el",),
    ),
    DateField.EXPIRES: (
        *("expires", "expires on", "expiry date", "expiration date", "valid until", "valid through", "valid to"),
        *("gültig bis", "valable jusqu'au", "válido hasta"),
    ),
}
_FIELD_OF = {label: field for field, labels in _LABELS.items() for label in labels}
_LABEL = re.compile(
    "(?P<label>" + "|".join(re.escape(label) for label in sorted(_FIELD_OF, key=len, reverse=True)) + r")\b[\s*_`]*"
    r"(?P<sign>[:=]|[–—]|(?=\s*\d)|(?=[A-Za-z])|$)[\s*_`]*",
    re.IGNORECASE,
)
_ITSELF = re.compile(
    r"(?:this|these|the|our|it)\b(?:(?!\b(?:which|that|who|was|were|about|describ|explain)|,)[^.:;]){0,80}?"
    r"\b(?:effective|valid|in\s+force|into\s+force|effect|apply|applies)\s+"
    r"(?:(?:as\s+of|as\s+from|from|on|since|starting|beginning)\s+)?",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"^[\s>*_#+\-:;,(\[|`~]+|[\s*_|`]+$")
_SEPARATORS = re.compile(r"\s*(?:\||·|•|&nbsp;|;|\s[–—]\s(?!\s*\d)|\s/\s)\s*")
_ENDS = re.compile(r"[\s*_`]*(?:$|[,.;)\]|(]|[–—-]\s*(?!\d))")
_REPLACES = re.compile(r"[\s*_`]*(?:and\s+)?(?:supersed|replac)", re.IGNORECASE)
_GOES_ON = re.compile(r"[\s*_`]*(?:[–—-]|to|until|bis|au)\s*\w{0,9}\.?\s*\d", re.IGNORECASE)
_FENCE = re.compile(r"[\s>]*(?P<mark>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$")
_INDENTED = re.compile(r" {4}|\t")
_LISTED = re.compile(r"(?:[-*+]|\d+[.)])\s")
_HEADER_LINE = re.compile(r"(?P<name>[A-Za-z][\w -]{0,30}?)\s*: +(?P<value>\S.*)|(?P<more>[ \t]+\S.*)")
_OPENS_HEADER = re.compile(r"(?:<pre>|`{3,}\w*|\.\. .*)\s*$")
_LOOKS_LIKE_DATE = re.compile(r"\d|[<{\[(]|\byyyy\b|\btb[adc]\b", re.IGNORECASE)

_NAMED_DAY = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<sign>[-_.]?)(?P<month>\d\d)(?P=sign)(?P<day>\d\d)(?!\d)")
_NAMED_MONTH = re.compile(r"(?:^|(?<=[-_ ]))(?P<year>(?:19|20)\d\d)[-_](?P<month>\d\d)(?=$|[-_ ][^\d])")
_FOLDERS = re.compile(r"(?:^|/)(?P<year>(?:19|20)\d\d)/(?P<month>\d\d)/(?P<day>\d\d)/")


class _Line(NamedTuple):
    text: str
    is_head: bool


def date_candidates(text: str, conventions: Conventions = PLAIN) -> tuple[DateCandidate, ...]:
    """What a normalised text states about itself. A header block counts like front matter, anything else is trusted
    less than all other sources."""
    lines = text.split("\n")
    header, below = _header(lines)
    candidates = list(_of_header(header, conventions))
    stated_below: list[DateCandidate] = []
    for line in _ends(lines[below:]):
        stated_below += _of_line(line, conventions)
    return (*candidates, *_without_conflicts(stated_below))


def named_date(*names: str) -> DateCandidate | None:
    """The day or month in the name of a file or in the folders of an address (`2015/05/27/`), of the first of these
    names that has one and only one. A year alone says what a document is about."""
    for name in names:
        path = unquote(urlsplit(name).path) if "://" in name else name
        stem = PurePosixPath(path).stem
        days = {(m["year"], m["month"], m["day"]) for m in (*_NAMED_DAY.finditer(stem), *_FOLDERS.finditer(path))}
        months = {(m["year"], m["month"]) for m in _NAMED_MONTH.finditer(stem)} if not days else set()
        written = ["-".join(parts) for parts in days or months]
        if len(written) != 1:
            continue
        candidate = stated(DateField.CREATED, Rank.FILE_NAME, "file name", written[0], trust=Trust.LOW)
        if candidate is not None and candidate.doubt is None:
            return candidate
    return None


def _header(lines: list[str]) -> tuple[list[tuple[str, str]], int]:
    """(the fields of a header block at the top, the line below it). Two fields at least, or it is a line of text."""
    at = 1 if lines and _OPENS_HEADER.match(lines[0]) else 0
    below = len(lines)
    fields: list[tuple[str, str]] = []
    for number in range(at, len(lines)):
        line = _HEADER_LINE.fullmatch(lines[number].strip() if at else lines[number].rstrip())
        if line is None or (line["more"] and not fields):
            below = number
            break
        if line["name"]:
            fields.append((line["name"], line["value"]))
    return (fields, below) if len(fields) > 1 else ([], 0)


def _of_header(fields: Iterable[tuple[str, str]], conventions: Conventions) -> Iterator[DateCandidate]:
    for name, value in fields:
        field = _FIELD_OF.get(name.lower().replace("-", " "))
        if field is not None:
            candidate = stated(field, Rank.FRONT_MATTER, f"header {name}", value, conventions=conventions)
            if candidate is not None:
                yield candidate


def _ends(lines: list[str]) -> Iterator[_Line]:
    """The lines at the beginning and at the end that hold something, without code. A cell below its label (a list that
    stands for a table) is joined with it."""
    kept: list[str] = []
    for line in _without_code(lines):
        if len(line) <= _LONGEST_LINE:
            bare = _MARKUP.sub("", line)
            if kept and _is_bare_label(kept[-1]):
                kept[-1] = f"{_MARKUP.sub('', kept[-1])}: {bare}"
            else:
                kept.append(line)
    for number, line in enumerate(kept):
        if number < _HEAD or number >= len(kept) - _TAIL:
            yield _Line(line, number < _HEAD)


def _without_code(lines: Iterable[str]) -> Iterator[str]:
    """The lines that hold something, outside fences and outside what is indented below a paragraph."""
    fence = ""
    is_open = is_code = False  # whether a paragraph, not a list, stands above; whether code goes on
    below_blank = False
    for line in lines:
        if not line.strip():
            below_blank = True
            continue
        mark = _FENCE.match(line)
        if fence:
            if mark and mark["mark"].startswith(fence) and not mark["info"].strip():
                fence = ""
        elif mark:
            fence = mark["mark"]
        elif _INDENTED.match(line) and (is_code or (is_open and below_blank)):
            is_code = True
        else:
            is_code, is_open = False, not line[0].isspace() and not _LISTED.match(line)
            yield line
        below_blank = False


def _is_bare_label(line: str) -> bool:
    return line.lstrip()[:1] in ("*", "-") and _MARKUP.sub("", line).rstrip(":").lower() in _FIELD_OF


def _of_line(line: _Line, conventions: Conventions) -> Iterator[DateCandidate]:
    label = ""
    for part in _SEPARATORS.split(line.text):
        bare = _MARKUP.sub("", part)
        if label and bare:
            bare, label = f"{label}: {bare}", ""
        elif bare.rstrip(":").lower() in _FIELD_OF:
            label = bare.rstrip(":")
            continue
        if bare:
            yield from _of_part(bare, line.is_head, conventions)


def _of_part(text: str, is_head: bool, conventions: Conventions) -> Iterator[DateCandidate]:
    labelled = _LABEL.match(text)
    if labelled:
        field = _FIELD_OF[labelled["label"].lower()]
        value, is_marked = text[labelled.end() :], labelled["sign"] in (":", "=")
    elif sentence := _ITSELF.match(text):
        field, value, is_marked = DateField.EFFECTIVE, text[sentence.end() :], False
    else:
        return
    if field is DateField.CREATED and not is_head:
        return
    origin = f"text, {labelled['label'].lower()}" if labelled else "text, a sentence"
    try:
        bare = value.lstrip("(")
        date = find_date(bare, conventions)
    except UnreadDate:
        date = None
    if date is not None:
        written, end = date
        until = _GOES_ON.match(bare, end)
        is_whole = _ENDS.match(bare, end) or (field is DateField.EFFECTIVE and _REPLACES.match(bare, end))
        if (until and field is not DateField.EFFECTIVE) or not (until or is_marked or is_whole):
            return  # from … to …: an event; or a sentence about something else
        yield found(field, Rank.TEXT, origin, written, trust=Trust.LOW)
    elif is_marked and is_head and _LOOKS_LIKE_DATE.match(value):
        unread = stated(field, Rank.TEXT, origin, value, conventions=conventions, trust=Trust.LOW)
        if unread is not None:
            yield unread


def _without_conflicts(candidates: Iterable[DateCandidate]) -> Iterator[DateCandidate]:
    """One statement of each date, the first, doubted where another contradicts it: one under the same label, and for
    effect and expiry any other. That a text was written and then published on two days is no contradiction."""
    by_field: dict[DateField, list[DateCandidate]] = {}
    for candidate in candidates:
        by_field.setdefault(candidate.field, []).append(candidate)
    for field, all_stated in by_field.items():
        dated = [one for one in all_stated if one.date is not None]
        if not dated:
            yield all_stated[0]
            continue
        first, is_strict = dated[0], field in (DateField.EFFECTIVE, DateField.EXPIRES)
        others = [one for one in dated[1:] if one.date and first.date and one.date.value != first.date.value]
        against = next((one for one in others if is_strict or one.origin == first.origin), None)
        if against is None:
            yield first
        else:
            both = f"{first.shown} and {against.shown}"
            yield replace(first, written=both).doubted(Doubt.CONFLICT, both)
