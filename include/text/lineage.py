"""What a document states about its own place among its versions: in its front matter and at the head of its text.

| where                                                       | read by            |
|-------------------------------------------------------------|--------------------|
| front matter, in any case, with `-`, `_` or neither         | this module        |
| header fields, tables, a section `Status`                   | `text.head`        |
| notices above the first section, of a text without a block  | `text.notices`     |
|   of header fields: that one speaks by its header           |                    |
| `<link rel="successor-version">`, `<meta name="replaces">`  | `html_fields`      |

The body is never read for statements: what it says of versions may speak of anything. Its sentences are hints at most
(`text.hints`). "Updates", "amends" and "replaced in part" are
no statements, for what is changed in part still holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from include.domain.lineage import NO_LINEAGE, Lineage
from include.text.head import read_head
from include.text.hints import read_hints
from include.text.notices import notices
from include.text.references import REGISTERS, pointers, references

_FAMILY = frozenset({"family", "docfamily", "documentfamily"})
_VERSION = frozenset({"version", "docversion", "documentversion", "documentrevision", "versión", "versione", "versie"})
_STATUS = frozenset({"status", "docstatus", "documentstatus", "intendedstatus", "statut", "estado", "stato"})
_SUPERSEDES = frozenset(
    {"supersedes", "supercedes", "replaces", "obsoletes", "successorof", "predecessor", "ersetzt", "remplace"}
    | {"annuleetremplace", "reemplaza", "reemplazaa", "sustituye", "sustituyea", "sostituisce", "vervangt"}
)
_SUPERSEDED_BY = frozenset(
    {"supersededby", "supercededby", "replacedby", "obsoletedby", "deprecatedby", "succeededby", "successor"}
    | {"proposedreplacement", "replacement", "deprecatedinfavorof", "deprecatedinfavourof"}
    | {"ersetztdurch", "abgelöstdurch", "remplacépar", "remplacéepar", "reemplazadopor", "reemplazadapor"}
    | {"sustituidopor", "sustituidapor", "sostituitoda", "vervangendoor"}
)
_REASONS = frozenset({"withdrawalreason"})
_ALIASES = frozenset({"aliases", "alias", "redirectfrom", "redirectsfrom", "formerurls", "oldurls", "alsoknownas"})
_TYPE = frozenset({"type"})
_FIELDS = _FAMILY | _VERSION | _STATUS | _SUPERSEDES | _SUPERSEDED_BY
_OF_A_HEADER = (_FIELDS | _TYPE) - _FAMILY - {"predecessor", "replacement", "successor"}
"""In running text these name other things: a part that is a replacement."""

_NUMBERED = REGISTERS | {"requestforcomments"}
"""Fields that hold the document's own number in a register of that name: `PEP: 8` is PEP 8."""

_NAMING = ("url", "path", "href", "link", "id", "doc", "title")
"""Keys of an object by which it names a document, the surest first."""

_JOKE = re.compile(r"humou?r|april fool|joke", re.IGNORECASE)
_BY = re.compile(
    r"\b(?:superse?[dc]ed|superceded|replaced|obsoleted|deprecated|succeeded)\b(?:\s+(?:on\s+)?\(?\d[\d./-]+\)?)?\s*"
    r"(?:\(?\s*\bby\b|in\s+favou?r\s+of|\bwith\b|:|→|->|=>|[–—])\s*:?\s*(?P<rest>.+)",
    re.IGNORECASE,
)
_OF = re.compile(r"\b(?:supersedes|supercedes|replaces|obsoletes)\b\s*:?\s*(?P<rest>.+)", re.IGNORECASE)
_IN_PART = re.compile(r"\b(?:partly|partially|in part|parts? of)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[.;,:()–—]")
_UNREAL = re.compile(
    r"\b(?:not|never|no|nor|will|would|shall|may|might|could|should|can|to be|if|unless|once|when|until"
    r"|proposed|planned|proposes|intended|expected|likely|probably)\b",
    re.IGNORECASE,
)
"""What makes a statement one of a wish, a plan or a denial."""
_ON_CONDITION = re.compile(r"\b(?:if|unless|once|when|until)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?:[^().;]|\([^()]*\)|[.;](?!\s|$))*")
_CHOICE = re.compile(r"\s*(?:\||\s/\s|,?\s+or\s+)\s*")
_NO_WORD = re.compile(r"^[\W_]+")
_STATUS_ENDS = re.compile(r"[(\[*:;,.<|\n`]|\s[-–—]\s|\s+(?:by|in favou?r|on|as of|since|with|see)\b|→|->|=>")
_LONGEST_STATUS = 40
_LONGEST_SENTENCE = 1000
_LONGEST_VERSION = 60
_CONTROL = re.compile(r"\$\w*:?|\$")

_HTML_HEAD = 100_000
_HTML_TAG = re.compile(r"<(?:link|meta)\b[^<>]*>", re.IGNORECASE)
_HTML_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_RELATIONS = {"successor-version": "superseded_by", "predecessor-version": "supersedes"}  # RFC 5829


@dataclass(slots=True)
class _Statements:
    family: str = ""
    version: str = ""
    status: str = ""
    supersedes: list[str] = field(default_factory=list)
    superseded_by: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)

    def as_lineage(self) -> Lineage:
        return Lineage(
            self.family or None,
            self.version or None,
            self.status or None,
            tuple(dict.fromkeys(self.supersedes)),
            tuple(dict.fromkeys(self.superseded_by)),
            tuple(dict.fromkeys(self.aliases)),
        )


def read_lineage(fields: Mapping[str, object], text: str) -> Lineage:
    """What front matter `fields` and the head of the extracted `text` state; NO_LINEAGE where they say nothing.

    Of a family, a version or a status stated twice the front matter counts, then the header, then a notice;
    references are gathered from all of them.
    """
    stated = _Statements()
    for name, value in fields.items():
        _take(stated, _key(name), list(_texts(value)), in_header=False)
    head = read_head(text, lambda name: (key := _key(name)) in _OF_A_HEADER or key in _NUMBERED)
    for name, value in head.fields:
        _take(stated, _key(name), [value], in_header=True)
    said = {_key(name) for name, _ in head.fields}
    for notice in () if head.is_formal else notices(head.opening):
        if said.isdisjoint(_SUPERSEDED_BY):  # else the field is what reads like a notice
            stated.superseded_by += notice.superseded_by
        if said.isdisjoint(_SUPERSEDES):
            stated.supersedes += notice.supersedes
        stated.status = stated.status or notice.status
    hints = read_hints(text)
    return replace(stated.as_lineage(), hints_supersedes=hints.supersedes, hints_superseded_by=hints.superseded_by)


def merged(first: Lineage, second: Lineage) -> Lineage:
    """`first` where it says something, `second` where it does not."""
    if first == NO_LINEAGE:
        return second
    return Lineage(
        first.family or second.family,
        first.version or second.version,
        first.status or second.status,
        first.supersedes or second.supersedes,
        first.superseded_by or second.superseded_by,
        tuple(dict.fromkeys((*first.aliases, *second.aliases))),
        first.hints_supersedes or second.hints_supersedes,
        first.hints_superseded_by or second.hints_superseded_by,
    )


def html_fields(html: str) -> dict[str, object]:
    """What the `<head>` of a web page states, as fields for `read_lineage`."""
    found: dict[str, list[str]] = {}
    for tag in _HTML_TAG.findall(html[:_HTML_HEAD]):
        said = {name.lower(): one or two or three for name, one, two, three in _HTML_ATTRIBUTE.findall(tag)}
        for relation in said.get("rel", "").lower().split():
            if relation in _RELATIONS and said.get("href"):
                found.setdefault(_RELATIONS[relation], []).append(said["href"])
        name = said.get("name", "").rpartition(".")[2]
        if _key(name) in _SUPERSEDES | _SUPERSEDED_BY and said.get("content"):
            found.setdefault(name, []).append(said["content"])
    return dict(found)


def _take(stated: _Statements, key: str, texts: Iterable[str], *, in_header: bool) -> None:
    for text in texts:
        if key in _SUPERSEDES:
            stated.supersedes += references(text)
        elif key in _SUPERSEDED_BY:
            stated.superseded_by += references(text)
        elif key in _STATUS:
            _take_status(stated, text)
        elif key in _REASONS:
            _take_links(stated, text)
        elif key in _TYPE and _JOKE.search(text):
            stated.status = "Humorous"  # whatever its status: it is meant as a joke
        elif key in _VERSION:
            stated.version = stated.version or _CONTROL.sub("", text).strip()[:_LONGEST_VERSION]
        elif key in _FAMILY:
            stated.family = stated.family or text.strip()
        elif key in _ALIASES:
            stated.aliases.append(text.strip())
        elif (key in _NUMBERED or key.removesuffix("number") in _NUMBERED) and (number := _number(text)):
            register = "RFC" if key == "requestforcomments" else key.removesuffix("number").upper()
            stated.aliases.append(f"{register} {number}")


def _take_status(stated: _Statements, text: str) -> None:
    """`Superseded by [036. Multi-cluster](036-multi-cluster.md)` is a status and a reference."""
    text = " ".join(text[:_LONGEST_SENTENCE].split())
    if len(_CHOICE.split(text)) > 2:  # a template: proposed | accepted | superseded by …
        return
    _take_links(stated, text)
    word = _STATUS_ENDS.split(_NO_WORD.sub("", text), maxsplit=1)[0].strip()
    if word and not stated.status and len(word) <= _LONGEST_STATUS:
        stated.status = word


def _take_links(stated: _Statements, text: str) -> None:
    for found, references_of in ((_BY.search(text), stated.superseded_by), (_OF.search(text), stated.supersedes)):
        if found and not _IN_PART.search(text[: found.end("rest")]) and _is_so(text, found):
            named = pointers(found["rest"]) or references(_until_end(found["rest"]))
            references_of += [each for each in named if not each.startswith("#")]  # of an issue, or a place in itself


def _is_so(text: str, found: re.Match[str]) -> bool:
    """Whether it is stated as a fact: "not superseded by", "will be superseded by … once approved" are none."""
    before = _CLAUSE.split(text[: found.start()])[-1]
    after = re.split(r"[.;](?:\s|$)", found["rest"], maxsplit=1)[0]
    return not _UNREAL.search(before) and not _ON_CONDITION.search(after)


def _until_end(sentence: str) -> str:
    """Up to the end of the sentence, or of the brackets in which it stands."""
    found = _SENTENCE.match(sentence)
    return found[0] if found else sentence


def _number(text: str) -> str:
    """The number that a value consists of, its register's name and markup aside: `OEP-9`, :doc:`OEP-9 </oep-9>`."""
    found = re.fullmatch(r"\W*(?:[A-Za-z]{2,9}[ -]?)?0*(\d{1,6})\W*", text) or re.match(
        r":\w+:`[A-Z]{2,9}[ -]?0*(\d{1,6})\b", text
    )
    return found[1] if found else ""


def _texts(value: object) -> Iterator[str]:
    """The texts of a front matter value. Of an object, what names a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, Mapping):
        named = {_key(name): each for name, each in value.items()}
        first = next((named[name] for name in _NAMING if name in named), None)
        if isinstance(first, str):
            yield first


def _key(name: str) -> str:
    return re.sub(r"[\s_.-]+", "", str(name)).lower()
