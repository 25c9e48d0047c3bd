"""The version that a text is. Pure; what a version is and which is newer stands in `kinds`."""

from __future__ import annotations

import re
import unicodedata

from include.families.kinds import Kind, Place, Stage, Version, compare
from include.families.numbering import WHOLE_NUMBER, number_of, ordinal, roman, semantic
from include.families.reading import read
from include.families.vocabulary import BESIDE_VERSIONS

__all__ = ["Kind", "Place", "Stage", "Version", "compare", "parse_version"]

_SEMANTIC = re.compile(r"v?(\d{1,18}\.\d{1,18}\.\d{1,18})-([0-9a-z]+(?:[.-][0-9a-z]+)*)")
_BUILD = re.compile(r"(?<=\d)\+[0-9a-z.-]+$")  # SemVer, section 10: it says nothing of the order
_OFFSET = re.compile(r"\+\d\d:?\d\d$")


def parse_version(text: str) -> Version | None:
    """The version that this text is: `v1.10`, `2026-06`, `3rd edition`, `3`, `Version 2 (June 2026)`.

    Of several the number counts, then the date. None where the text is no version or names what has one
    (`Sales deck v2`).
    """
    stripped = unicodedata.normalize("NFKC", text).strip().lower()
    if not _OFFSET.search(stripped):
        stripped = _BUILD.sub("", stripped)
    if match := _SEMANTIC.fullmatch(stripped):
        return semantic(stripped, match[1], match[2])
    reading = read(stripped)
    found = [*reading.versions, *([reading.stage] if reading.stage else [])]
    if found and not set(reading.words) - BESIDE_VERSIONS:
        return min(found, key=lambda version: list(Kind).index(version.kind))
    if match := WHOLE_NUMBER.fullmatch(stripped):
        return number_of(match)
    if len(stripped) > 1 and text.strip().isupper() and (value := roman(stripped)):
        return ordinal(stripped, str(value), "roman")
    return None
