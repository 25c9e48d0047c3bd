"""Notices at the top of a document that say what became of it: "This document has been superseded by …",
"> **Deprecated**: see …", "A newer version of this page is at …".

A notice is read only where it speaks of the document itself, in full, and says what takes its place in a form that
can be followed. What a page says of the software that it describes is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from include.text.markup import EMPHASIS
from include.text.references import pointers, references

_MOST_PARAGRAPHS = 8

_KIND = (
    r"(?:document|doc|page|policy|policies|article|guide|guideline|version|edition|revision|specification|spec|standard"
    r"|proposal|decision|record|post|deck|presentation|handbook|manual|procedure|process|tutorial|memo|notice|form"
    r"|template|draft|note|chapter|faq|report|plan|runbook|playbook|rfc|pep|xep|bip|adr|oep|kep|eip|content|information)"
)
_SUBJECT = rf"\bthis\s+(?:[\w-]+\s+){{0,2}}?{_KIND}\b(?:\s+(?:of|for|on|about)\s+(?:[^.\s]+\s+){{1,8}}?|\s+)"
_ADVERB = (
    r"(?:now|also|since|fully|entirely|officially|formally|completely|effectively|deprecated\s+and|withdrawn\s+and)"
)
_RETIRED = (
    r"(?:superse?[dc]ed|superceded|replaced|obsoleted|made\s+obsolete|rendered\s+obsolete|deprecated|retired|succeeded)"
)
_BY = r"(?:by|in\s+favou?r\s+of|with)"
_WHEN = r"(?:\s+(?:on|as\s+of|since|effective|from|in)\s+[\w ,./-]{3,30}?)?"

_SAYS_BY = re.compile(
    rf"{_SUBJECT}(?:has\s+|have\s+)?(?:been\s+|is\s+|was\s+|are\s+)?(?:{_ADVERB}\s+){{0,2}}(?:been\s+)?{_RETIRED}{_WHEN}"
    rf"\s+{_BY}\s+(?P<rest>.+)",
    re.IGNORECASE,
)
_SAYS_MOVED = re.compile(rf"{_SUBJECT}(?:has\s+|was\s+)(?:been\s+)?moved\s+to\s+(?P<rest>.+)", re.IGNORECASE)
_SAYS_RETIRED = re.compile(
    rf"{_SUBJECT}(?:has\s+been|is|was)\s+(?:{_ADVERB}\s+){{0,2}}(?P<status>superse?[dc]ed|superceded|obsolete|obsoleted"
    rf"|deprecated|retired|out\s+of\s+date|outdated|no\s+longer\s+(?:valid|in\s+force|maintained|current))\b",
    re.IGNORECASE,
)
_SAYS_REPLACES = re.compile(
    rf"{_SUBJECT}(?:{_ADVERB}\s+)?(?:supersedes|supercedes|replaces|obsoletes)\s+(?P<rest>.+)", re.IGNORECASE
)
_OPENS_WITH = re.compile(
    rf"(?:`?\w+`\s*:?\s+)?(?:{_RETIRED}){_WHEN}\s*:?\s+(?:{_BY}|→|->|=>)\s*:?\s+(?P<rest>.+)", re.IGNORECASE
)
_OPENS_AS_RETIRED = re.compile(
    r"(?P<status>deprecated|superse?[dc]ed|obsolete|outdated|out\s+of\s+date|archived|retired|replaced)\b"
    r"(?:\s+(?:document|page|version|policy|content))?\s*[:.!,;–—-]",
    re.IGNORECASE,
)
_DIRECTS = re.compile(
    r"\b(?:see|use|refer\s+to|go\s+to|read|consult|visit|replaced\s+by|superseded\s+by|instead|moved\s+to)\b",
    re.IGNORECASE,
)
_NEWER = re.compile(
    rf"\b(?:newer|more\s+recent|updated|new)\s+(?:version|edition|revision)\b(?:\s+of\s+this\s+{_KIND})?"
    rf"(?P<rest>\s*(?::|at\b|is\b|here\b|available\b|can\b|has\b|exists\b|\ue000|https?:|\[|<).*)",
    re.IGNORECASE,
)
_DIRECTIVE = re.compile(r"\.\.\s+(?:superseded|replaced|obsoleted)::\s*(?P<rest>\S.*)", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:note|warning|caution|important|attention|danger|info|notice|nb|update|hinweis)\b\s*[:!.–—-]*\s*", re.IGNORECASE
)
_MARKS = re.compile(
    r"^(?:[\s>*_#|!:~`]|\[!\w+\]|\.\.\s+(?:note|warning|attention|caution|important|danger|admonition)::"
    r"|!!!\s*\w+(?:\s+\"[^\"]*\")?|:::\s*\w+|:\w+:|[^\w\s\[<(\"'./:`.-])+"
)
_END = re.compile(r"(?<=[\w)\]>`\"'])[.;](?=\s|$)|\s[–—]\s|,\s+(?:which|and\s+(?:is|was|has|will|should))\b")


@dataclass(frozen=True, slots=True)
class Notice:
    """What one notice states. `status` is a word of its own, like `Deprecated`, or empty."""

    superseded_by: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    status: str = ""


def notices(opening: str) -> Iterator[Notice]:
    """The notices among the first paragraphs of what stands above the first section."""
    for paragraph in _paragraphs(opening)[:_MOST_PARAGRAPHS]:
        if found := _notice(paragraph):
            yield found


def _notice(paragraph: str) -> Notice | None:
    if directive := _DIRECTIVE.match(paragraph):
        return Notice(superseded_by=references(directive["rest"]))
    bare = EMPHASIS.sub("", _MARKS.sub("", paragraph))
    text = _MARKS.sub("", _LABEL.sub("", bare, count=1) if _LABEL.match(bare) else bare).strip()
    if stated := _SAYS_BY.search(text) or _OPENS_WITH.match(text) or _SAYS_MOVED.search(text):
        clause = _END.split(stated["rest"])[0]
        by = pointers(clause) or (references(clause) if len(clause) <= 100 else ())
        return Notice(superseded_by=by, status="" if by else "Superseded")
    if stated := _SAYS_REPLACES.search(text):
        return Notice(supersedes=pointers(_END.split(stated["rest"])[0]))
    retired = _OPENS_AS_RETIRED.match(text) or _SAYS_RETIRED.search(text)
    named = pointers(text)
    if retired:
        status = " ".join(retired["status"].split()).capitalize()
        return Notice(superseded_by=named if len(named) == 1 and _DIRECTS.search(text) else (), status=status)
    if (newer := _NEWER.search(text)) and len(named) == 1 and pointers(newer["rest"]) == named:
        return Notice(superseded_by=named)
    return None


def _paragraphs(opening: str) -> list[str]:
    found, gathered = [], ""
    for line in opening.split("\n"):
        bare = line.strip().lstrip("> \t")
        if bare:
            gathered = f"{gathered} {bare}".strip()
        elif gathered:
            found.append(gathered)
            gathered = ""
    paragraphs = [*found, gathered] if gathered else found
    return [paragraph for paragraph in paragraphs if not paragraph.startswith("# ")]
