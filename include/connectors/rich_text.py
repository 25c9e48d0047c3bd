"""Texts that a CMS delivers as a JSON tree, as HTML: Contentful's rich text, Strapi's blocks. Pure.

Nothing is left out in silence. The vendor's renderer for Contentful skips what it does not know, prints linked entries
as Python objects and takes a `<` in a text for markup; so the tree is prepared first: each node and mark is one that we
know, texts are escaped, what is embedded is replaced by its text. What cannot be prepared raises DocumentUnreadable.

A change of what comes out here is a change of the texts: raise `include.text.normalise.EXTRACTOR_VERSION` with it.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rich_text_renderer import RichTextRenderer

from include.domain.errors import DocumentUnreadable

Node = Mapping[str, Any]


class Embedding(Protocol):
    """Knows what nodes of a rich text embed."""

    def texts_of(self, node: Node) -> tuple[Sequence[object], Embedding]:
        """The texts in place of a node, each a string or a rich text document, and what knows the nodes of those.
        May raise DocumentUnreadable."""
        ...


_CONTAINERS = frozenset(
    {
        *("document", "paragraph", "blockquote", "ordered-list", "unordered-list", "list-item", "hyperlink"),
        *("table", "table-row", "table-cell", "table-header-cell", *(f"heading-{level}" for level in range(1, 7))),
    }
)
_LINKS = frozenset({"entry-hyperlink", "asset-hyperlink", "resource-hyperlink"})
_EMBEDDED_BLOCKS = frozenset({"embedded-entry-block", "embedded-asset-block", "embedded-resource-block"})
_EMBEDDED_INLINE = frozenset({"embedded-entry-inline", "embedded-resource-inline"})
_MARKS = frozenset({"bold", "italic", "underline", "code", "superscript", "subscript", "strikethrough"})


def contentful_html(document: object, embedding: Embedding) -> str:
    """A rich text document as HTML, with the texts that `embedding` gives in their places."""
    if not isinstance(document, dict) or document.get("nodeType") != "document":
        raise DocumentUnreadable("the body is no rich text document (nodeType `document`)")
    (prepared,) = _prepared(document, embedding)
    return str(RichTextRenderer().render(prepared))


def embeds(node: object) -> bool:
    """Whether a rich text document or a node of one embeds anything."""
    if not isinstance(node, dict):
        return False
    content = node.get("content")
    return str(node.get("nodeType")).startswith("embedded-") or (
        isinstance(content, list) and any(embeds(child) for child in content)
    )


def paragraph_html(text: str) -> str:
    """A plain string as HTML."""
    return f"<p>{_escaped(text)}</p>"


def _prepared(node: object, embedding: Embedding) -> list[dict[str, Any]]:
    """What the vendor's renderer gets in the place of a node."""
    kind = node.get("nodeType") if isinstance(node, dict) else None
    if not isinstance(node, dict) or not isinstance(kind, str):
        raise DocumentUnreadable(f"the rich text holds a {type(node).__name__} where a node was due")
    if kind == "text":
        return [_prepared_text(node)]
    if kind == "hr":
        return [{"nodeType": "hr"}]
    if kind in _EMBEDDED_BLOCKS | _EMBEDDED_INLINE:
        texts, within = embedding.texts_of(node)
        return [part for text in texts for part in _embedded_nodes(text, within, is_block=kind in _EMBEDDED_BLOCKS)]
    if kind not in _CONTAINERS | _LINKS:
        raise DocumentUnreadable(f"the rich text holds a node {kind!r:.60}, which is not known; nothing of it is lost")
    content = node.get("content")
    if not isinstance(content, list):
        raise DocumentUnreadable(f"the rich text holds a node {kind!r} without content")
    inside = [part for child in content for part in _prepared(child, embedding)]
    if kind in _LINKS:
        return inside  # a link within the CMS: its words count, its target is an id
    prepared: dict[str, Any] = {"nodeType": kind, "content": inside}
    if kind == "hyperlink":
        data = node.get("data")
        uri = data.get("uri") if isinstance(data, dict) else None
        prepared["data"] = {"uri": html.escape(str(uri or ""))}
    return [prepared]


def _prepared_text(node: Node) -> dict[str, Any]:
    value, marks = node.get("value"), node.get("marks", [])
    if not isinstance(value, str) or not isinstance(marks, list):
        raise DocumentUnreadable("the rich text holds a text node without a text")
    for mark in marks:
        kind = mark.get("type") if isinstance(mark, dict) else None
        if not isinstance(kind, str) or kind not in _MARKS:
            raise DocumentUnreadable(f"the rich text holds a mark {mark!r:.60}, which is not known")
    return {"nodeType": "text", "value": _escaped(value), "marks": marks}


def _embedded_nodes(text: object, embedding: Embedding, *, is_block: bool) -> list[dict[str, Any]]:
    if isinstance(text, str):
        plain = {"nodeType": "text", "value": _escaped(text), "marks": []}
        return [{"nodeType": "paragraph", "content": [plain]}] if is_block else [plain]
    if isinstance(text, dict) and text.get("nodeType") == "document":
        (document,) = _prepared(text, embedding)
        inside: list[dict[str, Any]] = document["content"]
        return inside
    raise DocumentUnreadable(f"an embedded entry holds a {type(text).__name__} where a text was due")


_BLOCKS = {"paragraph": "p", "quote": "blockquote", "list-item": "li"}
_MODIFIERS = {"bold": "b", "italic": "i", "underline": "u", "strikethrough": "s", "code": "code"}


def strapi_html(blocks: object) -> str:
    """The value of a Strapi blocks field as HTML."""
    if not isinstance(blocks, list):
        raise DocumentUnreadable(f"the body is a {type(blocks).__name__}, not a list of blocks")
    return "\n".join(_block(block) for block in blocks)


def _block(node: object) -> str:
    kind = node.get("type") if isinstance(node, dict) else None
    if not isinstance(node, dict) or not isinstance(kind, str):
        raise DocumentUnreadable(f"the blocks hold a {type(node).__name__} where a block was due")
    if kind == "text":
        return _block_text(node)
    if kind == "image":
        image = node.get("image")
        words = [image.get(field) for field in ("caption", "alternativeText")] if isinstance(image, dict) else []
        return "".join(paragraph_html(word) for word in dict.fromkeys(words) if isinstance(word, str) and word)
    children = node.get("children")
    if not isinstance(children, list):
        raise DocumentUnreadable(f"the blocks hold a block {kind!r:.60} without children")
    inside = "".join(_block(child) for child in children)
    if kind == "code":
        return f"<pre><code>{inside.replace('<br/>', chr(10))}</code></pre>"
    if kind == "link":
        return f'<a href="{html.escape(str(node.get("url") or ""))}">{inside}</a>'
    level = node.get("level")
    if kind == "heading" and type(level) is int and 1 <= level <= 6:
        return f"<h{level}>{inside}</h{level}>"
    if kind == "list" and node.get("format") in ("ordered", "unordered"):
        tag = "ol" if node["format"] == "ordered" else "ul"
        return f"<{tag}>{inside}</{tag}>"
    if kind not in _BLOCKS:
        raise DocumentUnreadable(f"the blocks hold a block {kind!r:.60}, which is not known")
    return f"<{_BLOCKS[kind]}>{inside}</{_BLOCKS[kind]}>"


def _block_text(node: Node) -> str:
    value = node.get("text")
    if not isinstance(value, str):
        raise DocumentUnreadable("the blocks hold a text without a text")
    text = _escaped(value)
    for modifier, tag in _MODIFIERS.items():
        if node.get(modifier) is True and text.strip():
            text = f"<{tag}>{text}</{tag}>"
    return text


def _escaped(text: str) -> str:
    return html.escape(text, quote=False).replace("\n", "<br/>")
