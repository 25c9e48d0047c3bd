"""Bodies that are JSON: every word arrives, what stands for markup in a text stays text, what is unknown is refused."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from include.connectors.http_options import BodyFormat, Fields, PageOptions
from include.connectors.page_text import page_text
from include.domain.errors import DocumentUnreadable
from include.domain.manifest import RunState
from include.text.html import to_markdown
from tests.fakes.cms_models import ContentfulModel
from tests.preset_sites import TickingClock, site_of


def options(body_format: str, **parts: list[str]) -> PageOptions:
    return PageOptions.model_validate(
        {"path": "{id}", "fields": Fields(body="body"), "body_format": body_format, "parts": parts}
    )


def text(value: str, *marks: str) -> dict[str, Any]:
    return {"nodeType": "text", "value": value, "marks": [{"type": mark} for mark in marks], "data": {}}


def node(kind: str, *content: dict[str, Any], **data: Any) -> dict[str, Any]:
    return {"nodeType": kind, "data": data, "content": list(content)}


def target(entry_id: str, kind: str = "Entry") -> dict[str, Any]:
    return {"sys": {"type": "Link", "linkType": kind, "id": entry_id}}


def entry(entry_id: str, kind: str, **fields: Any) -> dict[str, Any]:
    return {"sys": {"id": entry_id, "contentType": {"sys": {"id": kind}}}, "fields": fields}


def rendered(*content: dict[str, Any], includes: Any = None, errors: Any = None, **parts: list[str]) -> str:
    data = {"sys": {"id": "me"}, "body": node("document", *content), "includes": includes, "errors": errors}
    return page_text(options("contentful_rich_text", **parts), data).text


def words(html: str) -> str:
    return " ".join(to_markdown(html)[0].split())


def test_every_kind_of_node_and_mark_of_contentful_arrives_with_its_words():
    document = [
        node("heading-1", text("Head", "bold")),
        node("paragraph", text("plain "), text("struck", "strikethrough"), text(" x"), text("2", "superscript")),
        node("paragraph", node("hyperlink", text("link"), uri='https://example.org/?a=1&b="2"')),
        node("paragraph", node("entry-hyperlink", text("entry link"), target=target("e1"))),
        node("paragraph", node("asset-hyperlink", text("asset link"), target=target("a1", "Asset"))),
        node("paragraph", node("resource-hyperlink", text("resource link"), target=target("r1", "Contentful:Entry"))),
        node("ordered-list", node("list-item", node("paragraph", text("first")))),
        node("unordered-list", node("list-item", node("paragraph", text("point")))),
        node("blockquote", node("paragraph", text("quoted"))),
        node("hr"),
        node(
            "table",
            node("table-row", node("table-header-cell", node("paragraph", text("Column")))),
            node("table-row", node("table-cell", node("paragraph", text("cell")))),
        ),
        node("paragraph", text("let x = 1\nlet y = 2", "code")),
    ]
    shown = words(rendered(*document))
    for word in (
        *("# ", "Head", "plain", "struck", "link", "entry link", "asset link", "resource link", "1. first"),
        *("point", "> quoted", "Column", "cell", "let x = 1", "let y = 2"),
    ):
        assert word in shown


def test_a_text_that_looks_like_markup_stays_text():
    shown = words(rendered(node("paragraph", text("if a <b and c> d use <script>alert(1)</script> & go"))))
    assert shown.replace("\\", "") == "if a <b and c> d use <script>alert(1)</script> & go"
    blocks = [{"type": "paragraph", "children": [{"type": "text", "text": "a <b and c> d & <script>x</script>"}]}]
    html = page_text(options("strapi_blocks"), {"body": blocks}).text
    assert words(html).replace("\\", "") == "a <b and c> d & <script>x</script>"


@pytest.mark.parametrize(
    "content",
    [
        node("carousel", text("slide")),
        node("paragraph", text("x", "blinking")),
        node("paragraph", {"nodeType": "text", "value": None, "marks": []}),
        node("paragraph", {"nodeType": "text", "value": "x", "marks": None}),
        {"nodeType": "paragraph", "data": {}},
        "loose words",
        None,
        node("embedded-entry-block", target=target("gone")),
        node("embedded-entry-block"),
        node("embedded-entry-inline", target=target("r1", "Contentful:Entry")),
        node("paragraph", node("embedded-resource-inline", target=target("r1", "Contentful:Entry"))),
    ],
    ids=str,
)
def test_a_rich_text_that_is_not_understood_in_full_is_unreadable(content: Any):
    with pytest.raises(DocumentUnreadable):
        rendered(node("paragraph", text("before")), content)


@pytest.mark.parametrize("body", ["", [], {}, 7, {"nodeType": "paragraph", "content": []}, [target("e1")], [None]])
def test_a_body_that_is_no_rich_text_is_unreadable_or_plainly_empty(body: Any):
    try:
        shown = page_text(options("contentful_rich_text"), {"body": body}).text
    except DocumentUnreadable:
        return
    assert words(shown) == ""


def test_embedded_entries_stand_where_they_were_put():
    note = entry("n1", "callout", title="Careful", body=node("document", node("paragraph", text("hot surface"))))
    term = entry("t1", "term", name="flange")
    picture = {"sys": {"id": "a1"}, "fields": {"title": "A pump", "description": "seen from above"}}
    shown = rendered(
        node("paragraph", text("open the "), node("embedded-entry-inline", target=target("t1")), text(" first")),
        node("embedded-entry-block", target=target("n1")),
        node("embedded-asset-block", target=target("a1", "Asset")),
        node("paragraph", text("the end")),
        includes={"Entry": [note, term], "Asset": [picture]},
        callout=["fields.title", "fields.body", "fields.footnote"],
        term=["fields.name"],
    )
    assert words(shown) == "open the flange first Careful hot surface A pump seen from above the end"


def test_an_embedded_kind_that_is_not_named_is_unreadable_and_an_empty_list_leaves_it_out():
    content = node("embedded-entry-block", target=target("n1"))
    includes = {"Entry": [entry("n1", "advert", body="buy")]}
    with pytest.raises(DocumentUnreadable, match=r"kind 'advert'; name its texts in page\.parts: \{advert: "):
        rendered(node("paragraph", text("words")), content, includes=includes)
    assert words(rendered(node("paragraph", text("words")), content, includes=includes, advert=[])) == "words"


def test_an_embedded_entry_that_is_not_published_is_not_shown_and_one_that_was_not_delivered_is_missed():
    content = [node("paragraph", text("words")), node("embedded-entry-block", target=target("n1"))]
    unpublished = [{"sys": {"id": "notResolvable"}, "details": {"linkType": "Entry", "id": "n1"}}]
    assert words(rendered(*content, errors=unpublished, callout=["fields.body"])) == "words"
    with pytest.raises(DocumentUnreadable, match="embeds entry 'n1', which was not delivered"):
        rendered(*content, callout=["fields.body"])


def test_entries_that_embed_each_other_come_to_an_end():
    def around(other: str) -> dict[str, Any]:
        inside = node("embedded-entry-block", target=target(other))
        return node("document", node("paragraph", text(f"before {other}")), inside)

    includes = {"Entry": [entry("n1", "callout", body=around("n2")), entry("n2", "callout", body=around("n1"))]}
    content = [node("embedded-entry-block", target=target("n1")), node("embedded-entry-block", target=target("me"))]
    shown = words(rendered(*content, includes=includes, callout=["fields.body"]))
    assert shown == "before n2 before n1"


def test_every_kind_of_block_of_strapi_arrives_with_its_words():
    def words_of(value: str, **modifiers: bool) -> dict[str, Any]:
        return {"type": "text", "text": value, **modifiers}

    item = {"type": "list-item", "children": [words_of("point")]}
    inner = {"type": "list", "format": "ordered", "children": [{"type": "list-item", "children": [words_of("nested")]}]}
    blocks = [
        {"type": "heading", "level": 2, "children": [words_of("Head")]},
        {"type": "paragraph", "children": [words_of("strong", bold=True), words_of(" and struck", strikethrough=True)]},
        {"type": "paragraph", "children": [{"type": "link", "url": "https://e.org", "children": [words_of("link")]}]},
        {"type": "list", "format": "unordered", "children": [item, inner]},
        {"type": "quote", "children": [words_of("quoted")]},
        {"type": "code", "language": "sql", "children": [words_of("select 1\nwhere a < b")]},
        {"type": "image", "image": {"alternativeText": "a pump", "caption": None}, "children": [words_of("")]},
    ]
    page = page_text(options("strapi_blocks"), {"body": blocks})
    assert page.media_type == "text/html"
    shown = to_markdown(page.text)[0]
    for word in ("## Head", "strong", "and struck", "link", "point", "1. nested", "> quoted", "a pump"):
        assert word in shown
    assert "select 1\nwhere a < b" in shown


@pytest.mark.parametrize(
    "block",
    [
        {"type": "video", "children": []},
        {"type": "heading", "level": 9, "children": []},
        {"type": "list", "children": []},
        {"type": "paragraph"},
        {"type": "paragraph", "children": [{"type": "text"}]},
        {"children": []},
        "words",
    ],
    ids=str,
)
def test_blocks_that_are_not_understood_in_full_are_unreadable(block: Any):
    known = {"type": "paragraph", "children": [{"type": "text", "text": "before"}]}
    with pytest.raises(DocumentUnreadable):
        page_text(options("strapi_blocks"), {"body": [known, block]})


ZONE = [
    {"__component": "shared.rich-text", "id": 1, "body": "# Head"},
    {"__component": "shared.quote", "id": 2, "title": "Someone", "body": "said it"},
    {"__component": "shared.media", "id": 3},
]


def test_a_zone_of_components_is_read_part_by_part_and_one_that_is_not_named_is_not_lost_in_silence():
    named: dict[str, Any] = {"shared.rich-text": ["body"], "shared.quote": ["title", "body"]}
    with pytest.raises(DocumentUnreadable, match=r"kind 'shared\.media'"):
        page_text(options("markdown", **named), {"body": ZONE})
    whole = page_text(options("markdown", **named, **{"shared.media": []}), {"body": ZONE})
    assert whole.text == "# Head\n\nSomeone\n\nsaid it"
    stream = [{"type": "paragraph", "value": "<p>one</p>", "id": "x"}, {"type": "heading", "value": "two", "id": "y"}]
    blocks = page_text(options("html", paragraph=["value"], heading=["value"]), {"body": stream})
    assert blocks.text == "<p>one</p>\n\ntwo"


KINDS = (
    "document",
    "paragraph",
    "text",
    "hyperlink",
    "embedded-entry-block",
    "list",
    "heading",
    "code",
    "link",
    "bold",
)
NAMES = ("nodeType", "type", "content", "children", "value", "text", "marks", "data", "target", "sys", "id", "linkType")
FOREIGN = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from((*KINDS, "Entry", "level")) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6),
    max_leaves=25,
)


@given(body=FOREIGN, includes=FOREIGN, errors=FOREIGN, body_format=st.sampled_from(get_args(BodyFormat)))
def test_whatever_stands_in_a_body_it_is_read_or_said_to_be_unreadable(
    body: Any, includes: Any, errors: Any, body_format: str
):
    given_parts = options(body_format, paragraph=["text"], text=["value"])
    with suppress(DocumentUnreadable):
        assert isinstance(page_text(given_parts, {"body": body, "includes": includes, "errors": errors}).text, str)


def test_a_body_nested_without_end_is_unreadable():
    deep: dict[str, Any] = node("paragraph", text("bottom"))
    for _ in range(5000):
        deep = node("blockquote", deep)
    with pytest.raises(DocumentUnreadable, match="nested too deeply"):
        rendered(deep)


@pytest.mark.parametrize("body_format", ["markdown", "html", "text"])
@pytest.mark.parametrize(
    "body",
    [
        [{"type": "paragraph", "children": [{"type": "text", "text": "a blocks field"}]}],
        node("document", node("paragraph", text("a rich text"))),
        ["words", {"more": "words"}],
        ZONE,
        7,
        [],
    ],
    ids=str,
)
def test_json_where_a_text_was_due_is_unreadable_never_half_a_text(body: Any, body_format: str):
    with pytest.raises(DocumentUnreadable):
        page_text(options(body_format), {"body": body})


def test_a_document_that_embeds_others_is_read_again_only_when_one_of_them_changed():
    cms = ContentfulModel(TickingClock())
    cms.is_rich = True
    with site_of("contentful", cms=cms) as site:
        cms.write("note", "careful", kind="callout")
        cms.publish("note")
        cms.publish(site.one, embeds=("note",))
        assert site.night().state is RunState.TRUE
        assert "careful" in site.indexed()[site.one][0]
        asked = len(cms.requests)
        assert site.night().state is RunState.TRUE
        assert not [request for request in cms.requests[asked:] if "sys.id" in request.query]
        cms.publish("note", text="very careful")
        assert site.night().state is RunState.TRUE
        assert "very careful" in site.indexed()[site.one][0]
        read = [request.query["sys.id"] for request in cms.requests[asked:] if "sys.id" in request.query]
        assert read == [site.one]


def test_a_document_that_embeds_others_is_refused_where_its_version_would_not_show_their_edits():
    cms = ContentfulModel(TickingClock())
    cms.is_rich = True
    with site_of("contentful", cms=cms, list={"version_covers_text": False}) as site:
        cms.write("note", "careful", kind="callout")
        cms.publish("note")
        cms.publish(site.one, embeds=("note",))
        with pytest.raises(DocumentUnreadable, match=r"set list\.version_covers_text"):
            site.connector.fetch(site.one)
        assert site.connector.fetch(cms.name(1)).body


def test_a_text_that_cannot_be_read_in_the_list_fails_alone_and_is_never_removed():
    cms = ContentfulModel(TickingClock())
    cms.is_rich = True
    with site_of("contentful", cms=cms) as site:
        assert site.night().state is RunState.TRUE
        before = site.indexed()
        cms.write("ad", "buy", kind="advert")
        cms.publish("ad")
        cms.publish(site.one, embeds=("ad",))
        manifest = site.night()
        assert manifest.state is RunState.DEGRADED
        assert [outcome.doc_id for outcome in manifest.outcomes] == [site.one]
        assert "kind 'advert'" in manifest.outcomes[0].detail
        assert site.indexed() == before
