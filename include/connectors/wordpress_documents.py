"""One document as WordPress's REST API shows it: its state, its version, its dates. Pure."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from include.connectors.json_fields import States, identifier, judge, search, text_of, version_of
from include.domain.date_candidates import DateCandidate, DateField, Doubt, Rank, stated
from include.domain.dates import EvidencedDate, parse_date
from include.domain.inventory import ListedDocument
from include.text import encoding
from include.text.html import to_markdown

LIGHT = "id,type,status,slug,link,modified_gmt,date_gmt,title,content.protected"
FULL = f"{LIGHT},content.rendered"

# A state that is not named here is not public. A document with a password is listed as published, text withheld.
PUBLIC: States = {"status": ("publish",), "content.protected": (False,)}

# modified_gmt does not move when a parent is renamed or a scheduled post goes live; link, slug and status do.
_STATE = ("modified_gmt", "slug", "link", "status", "title.rendered")

_ALL_TIME = datetime.max.replace(tzinfo=UTC)
_OFFSET = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class WordPressDocument:
    """A document's JSON object and what it says. `public` is None where the state cannot be told, `why` says why."""

    doc_id: str
    data: Mapping[str, Any]
    public: bool | None
    why: str

    @classmethod
    def read(cls, data: object) -> WordPressDocument:
        """Raises ValueError for an object without an id."""
        doc_id = identifier(search("id", data))
        assert isinstance(data, dict)  # or there would be no id
        public, why = judge(PUBLIC, data)
        return cls(doc_id, data, public, why)

    @property
    def rendered(self) -> str | None:
        """The text as HTML; None where it was not asked for or not delivered."""
        return text_of(search("content.rendered", self.data))

    @property
    def link(self) -> str | None:
        return self._text("link")

    @property
    def type_name(self) -> str | None:
        return self._text("type")

    @property
    def title(self) -> str | None:
        """Without markup, entities resolved."""
        title = self._text("title.rendered")
        return html.unescape(_TAG.sub("", title)).strip() or None if title else None

    @property
    def dates(self) -> tuple[DateCandidate, ...]:
        """When it was published and last saved. A post that was scheduled was saved before it was published."""
        published = _stated(DateField.CREATED, self.data.get("date_gmt"), "date_gmt")
        saved = _stated(DateField.UPDATED, self.data.get("modified_gmt"), "modified_gmt")
        if published and saved and published.date and saved.date and saved.date.value < published.date.value:
            saved = saved.doubted(Doubt.TOO_EARLY, "it was saved, then published as scheduled")
        return tuple(one for one in (published, saved) if one is not None)

    @property
    def modified(self) -> EvidencedDate | None:
        """When it was last saved; also of a state that is dated into the future."""
        return utc_date(self.data.get("modified_gmt"), "modified_gmt", _ALL_TIME)

    def version(self, *, with_content: bool) -> str:
        """Equal for equal states. With content it covers the text as the index will hold it, not the HTML: classes,
        nonces and the numbers that block themes count up differ from answer to answer. Empty without a state."""
        state = version_of(_STATE, self.data)
        if not state or not with_content or (rendered := self.rendered) is None:
            return state
        whole = f"{state}\x1f{self.type_name}\x1f{_digest_of_text(rendered)}"
        return hashlib.sha256(whole.encode()).hexdigest()[:32]

    def listed(self, *, with_content: bool) -> ListedDocument | None:
        """As an entry of a listing; None when it is not public."""
        if self.public is False:
            return None
        why, version = self.why, self.version(with_content=with_content)
        if not why and not version:
            why = f"the list says nothing of {', '.join(_STATE)}"
        if not why and with_content and self.rendered is None:
            why = "the list gives no content.rendered"
        return ListedDocument(self.doc_id, version, unreadable=why)

    def _text(self, expression: str) -> str | None:
        value = search(expression, self.data)
        return value.strip() or None if isinstance(value, str) else None


def utc_date(text: object, field: str, now: datetime) -> EvidencedDate | None:
    """A `*_gmt` field: UTC without saying so. Zero dates (`0000-00-00`), missing and later ones are unknown."""
    return parse_date(_in_utc(text), origin=f"field {field}", now=now)


def _stated(field: DateField, text: object, name: str) -> DateCandidate | None:
    return stated(field, Rank.CMS, f"field {name}", _in_utc(text))


def _in_utc(text: object) -> object:
    return text if not isinstance(text, str) or not text or _OFFSET.search(text) else f"{text}Z"


def _digest_of_text(rendered: str) -> str:
    try:
        text = encoding.normalise(to_markdown(rendered)[0])
    except Exception:  # noqa: BLE001 - a page that no parser takes must not cost the listing: its fetch fails alone
        text = rendered
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
