"""From what a source delivered to the text that is hashed, cut and embedded. Pure: same bytes, same text, same hash."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from include.domain.date_candidates import DateCandidate, DateField
from include.domain.dating import date_document
from include.domain.documents import ExtractedDocument, FetchedDocument
from include.domain.errors import DocumentUnreadable
from include.text import (
    encoding,
    front_matter,
    front_matter_dates,
    html,
    lineage,
    markdown,
    mdx,
    rst,
    stated_dates,
)

# Part of the pipeline fingerprint. Raise it with every change of this package's output, a new version of a parser
# included: tests/unit/test_text_golden.py fails when the output changes and this does not.
EXTRACTOR_VERSION = "1"

MEDIA_TYPES = ("text/markdown", "text/mdx", "text/x-rst", "text/html", "text/plain")

_LFS_POINTER = "version https://git-lfs.github.com/spec/"
_PATH_ALONE = re.compile(r"(?:\.{1,2}/)+[\w./ +-]+\.[A-Za-z]{1,8}")
_MAIL_HEADER = re.compile(r"(?:[A-Z][\w-]*:(?: [^\n]*)?\n|[ \t]+\S[^\n]*\n)+(?:\n|\Z)")
_TITLE_FIELD = re.compile(r"^Title: *([^\n]+)$", re.MULTILINE)


def extract(fetched: FetchedDocument) -> ExtractedDocument:
    """The document as normalised Markdown, with title, dates and the fields of its front matter.

    The title is the source's, else the front matter's, the first level-1 heading's, the file's name. An empty page
    becomes its title if the source calls emptiness legitimate, so that every document has a text. Raises
    DocumentUnreadable, saying what was delivered, for anything that cannot be used as text.
    """
    media_type = _media_type(fetched)
    text, fields, own_title = _read(fetched, media_type)
    title = next(
        (
            clean
            for candidate in (fetched.title, _title_field(fields), own_title, _file_name(fetched))
            if candidate and (clean := " ".join(encoding.normalise(candidate).split()))
        ),
        fetched.key.doc_id,
    )
    is_empty = not text.strip()
    if is_empty:
        if not fetched.empty_is_legitimate:
            raise _unreadable(
                fetched,
                f"{len(fetched.body)} bytes of {media_type} hold no text"
                + (" below the front matter" if fields else ""),
                "look at the page at the source; if empty pages are right there, say so in the source's options",
            )
        text = encoding.normalise(title) or fetched.key.doc_id
    _refuse_stand_ins(fetched, text)
    candidates = _date_candidates(fetched, fields, "" if is_empty else text)
    dates = date_document(candidates, fetched_at=fetched.fetched_at)
    return ExtractedDocument(
        key=fetched.key,
        version=fetched.version,
        fetched_at=fetched.fetched_at,
        text=text,
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        title=title,
        url=fetched.url,
        content_type=fetched.content_type,
        lang=fetched.lang,
        created_at=dates.of(DateField.CREATED),
        updated_at=dates.of(DateField.UPDATED),
        effective_date=dates.of(DateField.EFFECTIVE),
        expires_at=dates.of(DateField.EXPIRES),
        front_matter=fields,
        is_empty=is_empty,
        date_candidates=candidates,
        date_notes=dates.notes,
        lineage=lineage.merged(fetched.lineage, lineage.read_lineage(fields, text)),
    )


def _date_candidates(fetched: FetchedDocument, fields: Mapping[str, object], text: str) -> tuple[DateCandidate, ...]:
    """All that speaks for a date. A connector that read the front matter itself knows what the page inherits."""
    own = front_matter_dates.date_candidates(fields, fetched.conventions)
    given = {(one.field, one.origin) for one in fetched.dates}
    named = stated_dates.named_date(fetched.key.doc_id, fetched.url)
    return (
        *fetched.dates,
        *(one for one in own if (one.field, one.origin) not in given),
        *((named,) if named is not None else ()),
        *stated_dates.date_candidates(text, fetched.conventions),
    )


def _media_type(fetched: FetchedDocument) -> str:
    media_type = fetched.media_type.partition(";")[0].strip().lower()
    if media_type not in MEDIA_TYPES:
        raise _unreadable(
            fetched,
            f"its media type is {fetched.media_type!r}, readable are {', '.join(MEDIA_TYPES)}",
            "exclude it in the source's options or let the connector name its type",
        )
    if media_type == "text/markdown" and fetched.key.doc_id.lower().endswith(".mdx"):
        return "text/mdx"
    return media_type


def _read(fetched: FetchedDocument, media_type: str) -> tuple[str, Mapping[str, object], str | None]:
    """(normalised text, front matter, the title that the text itself states)."""
    try:
        raw = encoding.decode(fetched.body, declared=fetched.charset, html=media_type == "text/html")
    except ValueError as error:
        raise _unreadable(fetched, str(error), "deliver it as text, or exclude it in the source's options") from error
    if media_type == "text/html":
        text, title = html.to_markdown(raw)
        return encoding.normalise(text), lineage.html_fields(raw), title
    text = encoding.normalise(raw)
    if media_type == "text/x-rst":
        text, header_title = rst.to_markdown(text), _title_of_mail_header(text)
        return encoding.normalise(text), {}, header_title or markdown.first_title(text)
    if media_type == "text/plain":
        return text, {}, _title_of_mail_header(text)
    try:
        fields, text = front_matter.split(text)
    except DocumentUnreadable as error:
        raise DocumentUnreadable(f"{fetched.key}: {error}", key=str(fetched.key), **error.facts) from error
    if media_type == "text/mdx":
        text = mdx.to_markdown(text)
    text = encoding.normalise(text)
    return text, fields, markdown.first_title(text)


def _title_field(fields: Mapping[str, object]) -> str | None:
    value = next((value for name, value in fields.items() if name.lower() == "title"), None)
    return value if isinstance(value, str) else None


def _title_of_mail_header(text: str) -> str | None:
    """`Title:` in a header block of `Name: value` lines, as proposals (PEP, BIP) have it."""
    header = _MAIL_HEADER.match(text + "\n")
    field = _TITLE_FIELD.search(header[0]) if header else None
    return field[1] if field else None


def _file_name(fetched: FetchedDocument) -> str:
    """A readable name from the last part of id or address: `how-to_pay.md` is "how to pay"."""
    for place in (fetched.key.doc_id, unquote(urlsplit(fetched.url).path)):
        path = PurePosixPath(place)
        stem = path.stem if path.stem.lower() not in ("index", "readme", "_index") else path.parent.name or path.stem
        name = re.sub(r"[-_\s]+", " ", stem).strip()
        if name and not name.isdigit():
            return name
    return ""


def _refuse_stand_ins(fetched: FetchedDocument, text: str) -> None:
    """What git stores in place of a file must not become an answer."""
    if text.startswith(_LFS_POINTER):
        raise _unreadable(fetched, "it is a Git LFS pointer, the text itself was not delivered", "run `git lfs pull`")
    if _PATH_ALONE.fullmatch(text):
        raise _unreadable(fetched, f"it is a symbolic link to {text}, not a page", "index the file it points to")


def _unreadable(fetched: FetchedDocument, what: str, next_step: str) -> DocumentUnreadable:
    return DocumentUnreadable(
        f"{fetched.key}: {what}. Its last good version stays; {next_step}",
        key=str(fetched.key),
        media_type=fetched.media_type,
        bytes=len(fetched.body),
    )
