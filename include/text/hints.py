"""What a document's prose says of its place among others: "This PEP replaces PEP 345", "Retracted in favor of …".

Prose speaks of anything, so this is weak evidence: it never decides, it is asked about. A sentence counts only where
it speaks of the document itself, says as a fact and in full that one takes the place of another, and names at most
three by link, address or number. It is looked for in the first part of the text and in sections on its abstract,
history and withdrawal; not in headers, a section `Status` (`text.head` reads it), code, quotations and tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from include.domain.lineage import Hint
from include.text import markdown
from include.text.head import MOST_CHARACTERS, after_header
from include.text.markup import EMPHASIS, FENCED, XML_DOCUMENT
from include.text.references import REGISTERS, pointers

_FIRST_PART = 6_000
_LONGEST_SECTION = 6_000
_LONGEST_SENTENCE = 400
_MOST_REFERENCES = 3
_MOST_HINTS = 5

_SECTION = re.compile(
    r"\b(?:abstract|history|changelog|revisions?|(?:replacement|rejection|withdrawal|deprecation|supersession)"
    r"(?:\s+not(?:e|ice))?|withdrawal|superseded)\b",
    re.IGNORECASE,
)
_IS_HEADER = re.compile(r"\W*status\W*", re.IGNORECASE)
_SELF = (
    r"\b(?:this|the\s+present)\s+(?:[\w-]+\s+){0,2}?(?:document|doc|page|policy|article|guide|specification|spec|standard"
    r"|proposal|decision|record|handbook|manual|procedure|memo|protocol|rfc|pep|xep|jep|bip|adr|oep|kep|eip)(?:\s+suite)?\b"
)
_BESIDES = (
    r"(?:\s+(?:(?:protocol\s+)?(?:specified|described|defined)\s+)?(?:in|by)\s+this\s+\w+|\s+(?:defined|described|specified)"
    r"\s+(?:here(?:in)?|in\s+this\s+\w+))?"
)
_ADVERBS = (
    r"(?:(?:now|also|since|fully|entirely|officially|formally|completely|effectively|thus|therefore|hereby)\s+){0,2}"
)
_OUT = r"(?:superse?[dc]ed|superceded|replaced|obsoleted|deprecated|retracted|withdrawn|retired|rejected)"
_BY = (
    rf"{_ADVERBS}{_OUT}(?:\s+by\s+(?:the|its)\s+authors?)?(?:\s+on\s+[\d-]+)?"
    r"\s+(?:(?:and\s+replaced\s+)?by|in\s+favou?r\s+of|(?<=replaced\s)with)\s+"
)
_RETIRED = (
    re.compile(
        rf"(?:{_SELF}|(?:the\s+)?(?:protocol|proposal|specification|functionality)\b){_BESIDES}\s+(?:has|have)\s+been\s+{_BY}(?P<rest>.+)",
        re.IGNORECASE,
    ),
    re.compile(rf"(?:{_SELF}){_BESIDES}\s+(?:is|was)\s+{_BY}(?P<rest>.+)", re.IGNORECASE),
    re.compile(
        rf"^\W*(?:\w+ly\s+)?(?:{_OUT}|deprecate|retract|obsolete|withdraw)(?:\s+this\s+\w+)?\s*(?:by|in\s+favou?r\s+of)\s+(?P<rest>.+)",
        re.IGNORECASE,
    ),
    re.compile(rf"(?:since|because)\s+it\s+(?:has\s+been|is|was)\s+{_BY}(?P<rest>.+)", re.IGNORECASE),
    re.compile(rf"^\W*{_OUT}\s*[:;,(]\s*(?:superseded\s+by|replaced\s+by|see|use)\s+(?P<rest>.+)", re.IGNORECASE),
    re.compile(
        rf"{_SELF}\s+(?:has\s+been|was)\s+(?:accepted\s+and\s+(?:was\s+)?)?merged\s+into\s+(?P<rest>.+)", re.IGNORECASE
    ),
    re.compile(
        rf"\b(?:newer|updated|current|latest)\s+version\s+of\s+{_SELF}[^;]*,\s+(?:please\s+)?(?:see|use|refer\s+to|read)"
        r"\s+(?P<rest>.+?)(?:\s+instead)?[.\s]*$",
        re.IGNORECASE,
    ),
)
_REPLACES = (
    re.compile(
        rf"(?:{_SELF}|^\W*it)\s+{_ADVERBS}(?:supersedes|supercedes|replaces|obsoletes)\s+(?P<rest>.+)", re.IGNORECASE
    ),
    re.compile(
        rf"{_SELF}\s+{_ADVERBS}(?:defines|is|specifies|describes|provides)\s+(?:a|the)\s+(?:replacement\s+(?:for|of)"
        r"|successor\s+(?:to|of))\s+(?P<rest>.+)",
        re.IGNORECASE,
    ),
    re.compile(rf"\bthe\s+predecessor\s+(?:to|of)\s+{_SELF}\s+is\s+(?P<rest>.+)", re.IGNORECASE),
)
_UNREAL = re.compile(
    r"\b(?:not|never|no|nor|will|would|shall|may|might|could|should|can|to\s+be|if|unless|once|when|until|whether"
    r"|propos(?:ed|es)(?!\s+(?:in|by)\s+this)|planned|intended|intends|expected|part(?:s|ly|ially)?|some|sections?|previous(?:ly)?)\b",
    re.IGNORECASE,
)
_IF = re.compile(r"\b(?:if|unless|once|when|until|in\s+part|partly|partially)\b", re.IGNORECASE)
_OF_A_PART = re.compile(
    r"^(?!the\s+(?:[\w-]+\s+){0,2}(?:proposal|specification|protocol|version|approach)\s+(?:(?:specified|described|defined)\s+)?(?:in|by)\s)"
    r"(?:(?:the|a|an|some|all|both|any|most|many|that|its|their|several|what)\s|[\w-]+(?:'s|’s)?\s+(?:of|in|from|for)\s)",
    re.IGNORECASE,
)
"""What is replaced or takes the place is a thing that the other document only speaks of."""
_CLAUSE_ENDS = re.compile(
    r"[;!?]|\.(?=\s|$)|\s[–—]\s|,\s+(?:which|where|while|but|because|since|as)\b|\s(?:which|because|while|but|since|due\s+to|thanks\s+to)\b"
)
_SENTENCE = re.compile(r"(?<=[\w)\]>`*\"'][.!?])\s+(?=[\W_]*[A-Z])")
_QUOTED = re.compile(
    r"\"[^\"\n]{0,400}\"|“[^”]{0,400}”|«[^»]{0,400}»|„[^“”]{0,400}[“”]|``[^`\n]{0,400}``|(?<![:\w`])`[^`<\n]{0,200}`(?![`_])"
)
_VERBATIM = re.compile(r"\$\s|\t| {4,}\S")
_ADMONITION = re.compile(
    r"\s*(?:\.\.\s+(?:note|warning|attention|caution|important|admonition)::|!!!\s|\?\?\?\s)", re.IGNORECASE
)
_NO_PROSE = re.compile(
    r"\s*\.\.\s+(?:list-table|csv-table|table|code|code-block|sourcecode|highlight|parsed-literal|literalinclude)::",
    re.IGNORECASE,
)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")

_XML_START = re.compile(r"<(?:abstract|remark|p)\b[^<>]*>")
_XML_END = re.compile(r"</(?:abstract|remark|p)\s*>")
_XML_ENTITY = re.compile(rf"&({'|'.join(sorted(REGISTERS))})-?(\d{{1,6}});", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class Hints:
    """What prose says, in the order of the text; at most five of each."""

    supersedes: tuple[Hint, ...] = ()
    superseded_by: tuple[Hint, ...] = ()


def read_hints(text: str) -> Hints:
    """The statements of replacement in the prose of an extracted text."""
    supersedes: dict[str, Hint] = {}
    superseded_by: dict[str, Hint] = {}
    for sentence in _sentences(text):
        for patterns, found in ((_REPLACES, supersedes), (_RETIRED, superseded_by)):
            for reference in _named(sentence, patterns):
                found.setdefault(reference, Hint(reference, sentence))
    return Hints(tuple(supersedes.values())[:_MOST_HINTS], tuple(superseded_by.values())[:_MOST_HINTS])


def _named(sentence: str, patterns: tuple[re.Pattern[str], ...]) -> tuple[str, ...]:
    bare = _QUOTED.sub(" ", sentence)
    for pattern in patterns:
        if stated := pattern.search(bare):
            rest = _CLAUSE_ENDS.split(stated["rest"])[0]
            before = re.split(r"[;:,.]\s", bare[: stated.start("rest")])[-1]
            if _UNREAL.search(before) or _IF.search(stated["rest"]) or _OF_A_PART.match(rest):
                return ()
            named = pointers(rest)
            return named if len(named) <= _MOST_REFERENCES else ()
    return ()


def _sentences(text: str) -> Iterator[str]:
    for paragraph in _xml_paragraphs(text) if XML_DOCUMENT.match(text[:300]) else _paragraphs(text):
        for sentence in _SENTENCE.split(paragraph):
            if len(sentence) <= _LONGEST_SENTENCE:
                yield sentence.strip()


def _xml_paragraphs(text: str) -> Iterator[str]:
    for part in _XML_END.split(text[: 4 * MOST_CHARACTERS])[:-1]:
        *_, inner = _XML_START.split(part)
        yield " ".join(_TAG.sub(" ", _XML_ENTITY.sub(r"\1-\2", inner)).split())


def _paragraphs(text: str) -> Iterator[str]:
    for part in _parts(text):
        gathered = ""
        for line in (*_prose(FENCED.sub("\n", part).split("\n")), ""):
            if gathered and (not line.strip() or _ITEM.match(line)):
                yield gathered
                gathered = ""
            gathered = f"{gathered} {EMPHASIS.sub('', _ITEM.sub('', line)).strip()}".strip()


def _prose(lines: list[str]) -> Iterator[str]:
    """The lines without code, quotations, tables and headings, each of those as an empty line. What is indented is
    code, unless it goes on with a paragraph or stands in a note."""
    in_note = in_table = False
    goes_on = False
    for line in lines:
        is_indented = not line.strip() or line[0].isspace()
        in_note, in_table = is_indented and in_note, is_indented and in_table
        if _ADMONITION.match(line) or _NO_PROSE.match(line):
            in_note, in_table = bool(_ADMONITION.match(line)), bool(_NO_PROSE.match(line))
            line = ""
        elif in_table or line.startswith(("#", "|", ">")) or (_VERBATIM.match(line) and not (goes_on or in_note)):
            line = ""
        goes_on = bool(line.strip())
        yield line


def _parts(text: str) -> Iterator[str]:
    """The first part of the text below its header, and the sections that speak of the document further down."""
    begins = after_header(text)
    ends = begins + _FIRST_PART
    headings = [heading for heading in markdown.headings(text) if heading.start >= begins]
    sections = [(heading.start, heading.title) for heading in headings]
    for (start, title), end in zip(
        [(begins, ""), *sections], [*(start for start, _ in sections), len(text)], strict=True
    ):
        if _IS_HEADER.fullmatch(title):
            continue
        if start < ends:
            yield text[start : min(end, ends)]
        elif _SECTION.search(title):
            yield text[start : min(end, start + _LONGEST_SECTION)]
