"""The header of a document, whatever its format: the fields that stand above its first section.

| format                                    | seen in                          |
|-------------------------------------------|----------------------------------|
| `Name: value` lines at the very top       | PEP, RFC, drafts; BIP (`<pre>`, a fence) |
| `:Name: value`, list tables, grid tables  | reStructuredText                 |
| `\\| Name \\| value \\|`                    | Markdown, converted HTML         |
| `- **Name:** value`, `Name: value`        | decision records                 |
| a section `## Status`, one of the first   | decision records                 |
| `<name>value</name>` in the `<header>`    | XEP                              |

Only names that the caller asks for are looked at, so that no sentence with a colon passes for a field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from include.text import markdown
from include.text.markup import FENCED, XML_DOCUMENT

Field = tuple[str, str]
IsName = Callable[[str], bool]

MOST_LINES = 80
MOST_CHARACTERS = 12_000
_FIRST_SECTIONS = 6
_SECTION_LINES = 25

_MAIL_LINE = re.compile(r"[ \t]*([A-Z][\w' -]{0,40}):(?:[ \t]+(.*)|$)")
_OPENS_BLOCK = re.compile(r"\s*(?:<pre\b[^>]*>|`{3,}|~{3,}|::)\s*$", re.IGNORECASE)  # code names its language
_TITLE_LINE = re.compile(r"\s*(?:#\s.*|=+\s*|-{3,}\s*)?$")
_CLOSES_BLOCK = re.compile(r"\s*(?:</pre>|`{3,}|~{3,})", re.IGNORECASE)
_COLUMN_GAP = re.compile(r"\s{3,}|\t")
_RFC = re.compile(r"(?:Request for Comments|Internet[ -]Draft|Intended status|Obsoletes|RFC)\b", re.IGNORECASE)
_MEDIAWIKI_HEADING = re.compile(r"^=+[^=\n].*=+\s*$", re.MULTILINE)
_FIELD_LINE = re.compile(
    r"[ \t>]*(?:[-*+][ \t]+)?(?P<mark>\*\*|__|\*|_)?(?P<name>[A-Za-z][\w -]{1,40}?)[ \t]*+(?P<end>\*\*|__|\*|_)?"
    r"[ \t]*+:[ \t]*(?:\*\*|__|\*|_)?[ \t]*(?P<value>.*)$"
)
_RST_FIELD = re.compile(r":(?P<name>[A-Za-z][\w -]{1,40}):[ \t]*(?P<value>.*)$")
_LIST_TABLE_NAME = re.compile(r"[ \t]*\*[ \t]+-[ \t]+(?P<name>[^\n]+?)[ \t]*$")
_LIST_TABLE_VALUE = re.compile(r"[ \t]*-[ \t]+(?P<value>.*)$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?P<value>\S.*)$")
_RULE = re.compile(r"[\s|:+=-]+")
_XML_HEADER = re.compile(r"<header\b[^>]*>(.*?)</header>", re.DOTALL)
_XML_ROOT = re.compile(r"<([a-z]\w*)\b(?![^>]*\bversion=)[^>?!]*>")
_XML_ELEMENT = re.compile(r"<(\w[\w-]*)\b[^>]*?(?<!/)>(.*?)</\1\s*>", re.DOTALL)
_XML_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Head:
    """`fields` as (name, value) in the order of the text; a section that bears a field's name is one field for each
    of its paragraphs. `opening` is what stands above the first section. `is_formal`: it opens with a block of fields,
    as a register of proposals has it."""

    fields: tuple[Field, ...]
    opening: str
    is_formal: bool = False


def read_head(text: str, is_name: IsName) -> Head:
    """What stands above the first section of an extracted text, and the fields in it that `is_name` knows."""
    if XML_DOCUMENT.match(text[:300]):
        return Head(tuple(_xml_fields(text[: 4 * MOST_CHARACTERS], is_name)), "", is_formal=True)
    text = text[: 4 * MOST_CHARACTERS]
    block, rest = _block_at_the_top(text)
    headings = [found for found in markdown.headings(text) if found.start >= rest]
    opening = text[rest : _end_of_opening(text, rest, headings, titled=bool(block))]
    opening = "\n".join(FENCED.sub("", opening[:MOST_CHARACTERS]).split("\n")[:MOST_LINES])
    fields = [*block, *_fields(opening.split("\n"), is_name), *_sections(text, headings, is_name)]
    known = tuple((name, value) for name, value in fields if is_name(name) and value.strip())
    return Head(known, opening, is_formal=bool(block))


def after_header(text: str) -> int:
    """Where the text goes on below the block of fields that opens it; 0 where none does."""
    return _block_at_the_top(text[: 4 * MOST_CHARACTERS])[1]


def _block_at_the_top(text: str) -> tuple[list[Field], int]:
    """(fields of the block of `Name: value` lines that opens the text, where the text goes on). A block has two fields
    at least; values go on in indented lines."""
    lines = text.split("\n")
    at = next((at for at, line in enumerate(lines[:12]) if line.strip()), len(lines))
    # a fenced block is a header where nothing but the title stands above it
    below_title = next((n for n in range(at, min(at + 8, len(lines))) if not _TITLE_LINE.match(lines[n])), at)
    is_fenced = below_title < len(lines) and _OPENS_BLOCK.match(lines[below_title]) is not None
    if is_fenced:
        at = below_title + 1
        at = next((n for n in range(at, len(lines)) if lines[n].strip()), at)  # `::` stands above an empty line
    is_rfc = not is_fenced and any(_RFC.match(line.strip()) for line in lines[at : at + 15])
    fields: list[Field] = []
    last = at
    for last in range(at, min(at + MOST_LINES, len(lines))):
        line = lines[last]
        if not line.strip() or (is_fenced and _CLOSES_BLOCK.match(line)):
            break
        if is_rfc:  # two columns: names of people stand to the right
            line = _COLUMN_GAP.split(line.strip())[0]
        if (found := _MAIL_LINE.match(line)) and (is_fenced or is_rfc or not line[0].isspace()):
            fields.append((found[1], (found[2] or "").strip()))
        elif fields and (line[0].isspace() or (is_rfc and fields[-1][1].endswith(","))):
            name, value = fields[-1]
            fields[-1] = (name, f"{value} {line.strip()}".strip())
        elif not is_rfc:
            return [], 0
    if len(fields) < 2:
        return [], 0
    return fields, len("\n".join(lines[:last])) + 1


def _end_of_opening(text: str, start: int, headings: Sequence[markdown.Heading], *, titled: bool) -> int:
    """Where the first section begins. The first heading is the title where nothing else is: then the second ends it."""
    end = len(text)
    sections = list(headings)
    if sections and not titled and sections[0].level == 1 and not text[start : sections[0].start].count("\n\n") > 3:
        sections = sections[1:]
    if sections:
        end = sections[0].start
    if (wiki := _MEDIAWIKI_HEADING.search(text, start)) and not text.startswith("#", wiki.start()):
        end = min(end, wiki.start())
    return max(end, start)


def _fields(lines: list[str], is_name: IsName) -> Iterator[Field]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if "|" in line and line.lstrip(" >").startswith("|"):
            end = next((n for n in range(at, len(lines)) if not re.match(r"[ >]*[|+]", lines[n])), len(lines))
            yield from _table(lines[at:end], is_name)
            at = end
            continue
        if (listed := _LIST_TABLE_NAME.match(line)) and at + 1 < len(lines):
            value, after = _continued(lines, at + 1, _LIST_TABLE_VALUE)
            yield _plain(listed["name"]), value
            at = max(after, at + 1)
            continue
        found = _RST_FIELD.match(line) or _FIELD_LINE.match(line)
        if found and is_name(_plain(found["name"])):
            value, at = _value(lines, at, found["value"])
            yield _plain(found["name"]), value
            continue
        at += 1


def _value(lines: list[str], at: int, value: str) -> tuple[str, int]:
    """(a field's value with the lines that belong to it, the line after): indented ones, or the items of a list below
    a name without a value."""
    parts, at = [value.strip()], at + 1
    while at < len(lines) and lines[at].strip():
        line = lines[at]
        item = _ITEM.match(line)
        if not parts[0] and item and not _FIELD_LINE.match(line):
            parts.append(item["value"])
        elif line[0].isspace() and not item and not _RST_FIELD.match(line.strip()):
            parts.append(line.strip())
        else:
            break
        at += 1
    separator = "\n" if not parts[0] else " "
    return separator.join(part for part in parts if part), at


def _continued(lines: list[str], at: int, first: re.Pattern[str]) -> tuple[str, int]:
    found = first.match(lines[at])
    if not found:
        return "", at
    parts, indent = [found["value"]], len(lines[at]) - len(lines[at].lstrip())
    at += 1
    while at < len(lines) and lines[at].strip() and len(lines[at]) - len(lines[at].lstrip()) > indent:
        parts.append(lines[at].strip())
        at += 1
    return "\n".join(parts), at


def _table(rows: list[str], is_name: IsName) -> Iterator[Field]:
    """Rows of name and value; or a row of names above a row of values."""
    cells = [
        [cell.strip() for cell in row.strip(" >").strip("|").split("|")] for row in rows if not _RULE.fullmatch(row)
    ]
    if len(cells) >= 2 and len(cells[0]) >= 2 and sum(is_name(_plain(cell)) for cell in cells[0]) >= 2:
        yield from ((_plain(name), value) for name, value in zip(cells[0], cells[1], strict=False))
        return
    name, value = "", ""
    for row in cells:
        if len(row) < 2:
            continue
        if row[0]:
            if name:
                yield name, value
            name, value = _plain(row[0]).rstrip(":").strip(), row[1]
        elif row[1]:  # a cell of several lines
            value = f"{value} {row[1]}"
    if name:
        yield name, value


def _sections(text: str, headings: Sequence[markdown.Heading], is_name: IsName) -> Iterator[Field]:
    """One of the first sections that is called like a field: each of its lines is a value."""
    for number, heading in enumerate(headings[:_FIRST_SECTIONS]):
        name = heading.title.strip(" :")
        if (heading.level == 1 and number == 0) or not is_name(name):
            continue
        end = headings[number + 1].start if number + 1 < len(headings) else len(text)
        lines = text[heading.start : end].split("\n")[1 : _SECTION_LINES + 1]
        for paragraph in _paragraphs(lines):
            yield name, paragraph


def _paragraphs(lines: Sequence[str]) -> Iterator[str]:
    """Items of lists and paragraphs, each as one line."""
    gathered = ""
    for line in lines:
        item = _ITEM.match(line)
        if not line.strip() or item or set(line.strip()) <= set("-=_*"):
            if gathered:
                yield gathered
            gathered = item["value"] if item else ""
        else:
            gathered = f"{gathered} {line.strip()}".strip()
    if gathered:
        yield gathered


def _xml_fields(text: str, is_name: IsName) -> Iterator[Field]:
    """The elements of the header. A number gets the name of what is numbered: the root element."""
    header = _XML_HEADER.search(text)
    if header is None:
        return
    root = _XML_ROOT.search(text)
    for name, inner in _XML_ELEMENT.findall(header[1][:MOST_CHARACTERS]):
        parts = [part.strip() for part in _XML_TAG.split(inner)]
        value = "\n".join(part for part in parts if part)
        if name == "number" and root:
            yield root[1], value
        elif is_name(name) and value:
            yield name, value


def _plain(name: str) -> str:
    return markdown.plain(name.strip().rstrip(":")).strip(" :*_")
