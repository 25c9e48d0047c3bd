"""Numbers that look like versions and are none: they are part of a name, count parts, or say what a text is about.

RFC 2026, Lesson 1, Part 2 of 3, CVE-2024-1234, Rust 2018, 555-123-4567, 1920x1080, upgrading-to-v0.14. Pure; texts are
in lower case.
"""

from __future__ import annotations

import re

from include.families.calendars import LEFT, RIGHT
from include.families.vocabulary import PARTS, PLATFORMS, STANDARDS, TOPIC, YEARED, apart

_UNITS = r"\s?(?:[kmgt]i?b|kg|mm|cm|km|px|dpi|[kmg]?hz|kw|kwh|usd|eur|hrs?|%|€)|[gmvwhk]"
NAMES = re.compile(
    "|".join(
        (
            # what is counted in series: Chapter 3, Part II, Part 2 of 3
            rf"{LEFT}(?:{apart(PARTS)})[\s._#-]{{0,2}}(?:\d{{1,3}}(?:\.\d{{1,3}})*|[ivxlc]{{1,6}}){RIGHT}(?:\s?(?:of|von|de|/)\s?\d+)?",
            # sections of a book or a standard: 1.1-overview beside 2.1-overview, A.5.1 Policies
            r"^\d{1,2}(?:\.\d{1,2})+(?=[\s_-]+[^\W\d_]{3})",
            rf"{LEFT}[a-z]\.\d{{1,2}}(?:\.\d{{1,2}})*{RIGHT}",
            # what a register numbers: RFC 2026, ISO/IEC 27001, TLS 1.2, CVE-2024-1234; "issue 2026-06" is of June
            rf"{LEFT}(?:{'|'.join(sorted(STANDARDS, key=len, reverse=True))})(?:[\s/._#-]{{0,2}}(?:dss|iec))?"
            rf"[\s/:._#-]{{0,2}}v?\d[\d.]*(?:-\d{{3,}}{RIGHT}|(?!-?\d\d?(?!\d)){RIGHT})",
            rf"{LEFT}es20\d\d{RIGHT}",
            rf"{LEFT}(?:{apart(YEARED)})[\s_-](?:19|20)\d\d{RIGHT}(?!-\d)",
            rf"{LEFT}(?:19|20)\d\d-(?!(?:19|20)\d\d(?!\d))\d{{3,}}{RIGHT}",  # tenders and cases: 2024-0312
            rf"{LEFT}(?:\+?\d{{1,3}}[\s-])?\(?\d{{3}}\)?[\s.-]\d{{3,4}}[\s.-]\d{{4}}{RIGHT}",  # telephones
            r"\+\d[\d\s-]{6,}\d",
            rf"{LEFT}\d+(?:[.,]\d+)?\s?[x×]\s?\d+(?:[.,]\d+)?{RIGHT}",  # sizes
            rf"{LEFT}\d+(?:[.,]\d+)?(?:{_UNITS}){RIGHT}",
            r"[$€£]\s?\d[\d.,]*",
            rf"{LEFT}\d{{2,3}}(?:\.\d{{1,3}}){{3}}{RIGHT}",  # addresses of machines
        )
    )
)
"""Neither a date nor a number is read in these."""

_NUMBER = r"v?\d+(?:[._]\d+)*(?:\.x)?"
TOPICS = re.compile(
    rf"{LEFT}(?<!how[\s_-])(?:{TOPIC})[\s_-]+(?:[a-z][a-z+#]*[\s_-]+){{0,2}}?{_NUMBER}{RIGHT}"
    rf"|{LEFT}{_NUMBER}[\s_-]+(?:vs\.?|versus)[\s_-]+{_NUMBER}{RIGHT}"
    rf"|{LEFT}(?:new|changes)[\s_-]in[\s_-]+(?:[a-z+#]+[\s_-]+)?{_NUMBER}{RIGHT}"
)
"""What a text is about. No number is read in these, a date is: minutes for 2026-06."""

IS_ABOUT_MOVING = re.compile(r"migrat|upgrad|porting|umstieg|montée de version")
ANY_NUMBER = re.compile(rf"{LEFT}{_NUMBER}{RIGHT}")
PLATFORM = re.compile(
    rf"{LEFT}(?:{'|'.join(sorted(PLATFORMS, key=len, reverse=True))})[\s_-]?v?\d+(?:\.\d+)*(?:u\d+)?{RIGHT}"
)
