"""The text of one page of a JSON CMS: a string, a JSON tree, or parts that each have their own texts. Pure.

A part whose kind is not named in the options makes the document unreadable: half a text must not pass for a whole one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from include.connectors.http_options import PageOptions
from include.connectors.json_fields import search, text_of
from include.connectors.rich_text import Embedding, Node, contentful_html, embeds, paragraph_html, strapi_html
from include.domain.errors import DocumentUnreadable

_MEDIA_TYPES = {"markdown": "text/markdown", "text": "text/plain"}
_PLAIN = frozenset({"html", "markdown", "text"})


@dataclass(frozen=True, slots=True)
class PageText:
    """`is_borrowed`: some of it belongs to other entries, whose edits do not move the version of this one."""

    text: str
    media_type: str
    is_borrowed: bool = False


def page_text(options: PageOptions, data: object) -> PageText:
    """The text of a document's object. Raises DocumentUnreadable when some of it cannot be had."""
    value = search(options.fields.body, data)
    if value is None:
        raise DocumentUnreadable(f"no text at `{options.fields.body}` (protected?)")
    values = value if isinstance(value, list) else [value]
    try:
        text = "\n\n".join(_texts(options, data, value))
        is_borrowed = options.body_format == "contentful_rich_text" and any(embeds(one) for one in values)
    except RecursionError:
        raise DocumentUnreadable(f"the body at `{options.fields.body}` is nested too deeply to be read") from None
    return PageText(text, _MEDIA_TYPES.get(options.body_format, "text/html"), is_borrowed)


def _texts(options: PageOptions, data: object, value: object) -> list[str]:
    """The texts at a place of the body, in the format of the page."""
    if isinstance(value, list) and value and not _is_tree(value) and all(_kind_of(options, part) for part in value):
        found = [one for part in value for one in _values_of(options, part)]
        return [text for one in found for text in _texts(options, data, one)]
    if options.body_format == "contentful_rich_text" and isinstance(value, dict):
        return [contentful_html(value, _Includes(options, data))]
    if options.body_format == "contentful_rich_text" and isinstance(value, list):
        return [text for one in value for text in _texts(options, data, one)]
    if options.body_format == "strapi_blocks" and isinstance(value, list):
        return [strapi_html(value)]
    text = text_of(value)
    if text is None:
        raise DocumentUnreadable(
            f"a {type(value).__name__} where a text was due (body_format {options.body_format}); a body of JSON needs "
            "another body_format, one made of parts needs page.parts"
        )
    return [text if options.body_format in _PLAIN else paragraph_html(text)]


def _is_tree(value: Sequence[object]) -> bool:
    """The nodes of a blocks field name a type too, but they are one text."""
    return all(isinstance(node, dict) and "children" in node for node in value)


def _kind_of(options: PageOptions, part: object) -> str | None:
    kind = search(options.part_kind, part) if isinstance(part, dict) else None
    return kind if isinstance(kind, str) else None


def _values_of(options: PageOptions, part: Any) -> list[object]:
    """What stands at the places of a part's texts. An empty place is skipped: a CMS leaves out empty fields."""
    kind = _kind_of(options, part)
    if kind not in options.parts:
        raise DocumentUnreadable(
            f"holds a part of kind {kind!r:.60}; name its texts in page.parts: {{{kind}: [...]}}; [] leaves it out"
        )
    values = [search(expression, part) for expression in options.parts[kind]]
    return [value for value in values if value is not None]


@dataclass(frozen=True, slots=True)
class _Includes:
    """What a rich text embeds, in the `includes` of the answer. `reading`: embedded entries around the present node."""

    options: PageOptions
    data: object
    reading: frozenset[str] = frozenset()

    def texts_of(self, node: Node) -> tuple[Sequence[object], Embedding]:
        """See `rich_text.Embedding`. Nothing for an entry that is not published, as on the site."""
        link = search("data.target.sys", node)
        kind, entry_id = search("linkType", link), search("id", link)
        if kind not in ("Entry", "Asset"):
            return _values_of(self.options, {"type": kind}), self  # in another space: nothing of it is delivered
        if not isinstance(entry_id, str):
            raise DocumentUnreadable("the rich text embeds something without an id")
        if entry_id in self.reading or entry_id == search("sys.id", self.data):
            return [], self  # it embeds itself; its text is there already
        delivered = search(f"includes.{kind}", self.data)
        delivered = delivered if isinstance(delivered, list) else []
        entry = next((one for one in delivered if search("sys.id", one) == entry_id), None)
        if entry is None:
            missing = search("errors[?sys.id == 'notResolvable'].details.id", self.data) or []
            if kind == "Asset" or entry_id in missing:
                return [], self
            raise DocumentUnreadable(f"embeds entry {entry_id!r:.60}, which was not delivered; ask for more (include)")
        within = replace(self, reading=self.reading | {entry_id})
        if kind == "Asset":
            words = [search(expression, entry) for expression in ("fields.title", "fields.description")]
            return [word for word in words if isinstance(word, str)], within
        return _values_of(self.options, entry), within
