from __future__ import annotations

from datetime import UTC, datetime

import pytest

from include.domain.documents import DocumentKey, FetchedDocument
from include.domain.errors import DocumentUnreadable
from include.text.markdown import headings
from include.text.normalise import extract


def fetched(body: bytes | str, media_type: str = "text/markdown", doc_id: str = "guide/how-to_pay.md", **more: object):
    body = body.encode() if isinstance(body, str) else body
    key = DocumentKey("handbook", doc_id)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return FetchedDocument(key, "v1", body, media_type, f"https://example.org/{doc_id}", now, **more)


def text_of(body: bytes | str, media_type: str = "text/markdown", doc_id: str = "guide/how-to_pay.md") -> str:
    return extract(fetched(body, media_type, doc_id)).text


# --- titles and front matter


@pytest.mark.parametrize("lead", ["", "\n", "\ufeff", "\ufeff\r\n\r\n", "\n\n"])
def test_front_matter_is_found_behind_blank_lines_and_a_byte_order_mark(lead):
    document = extract(fetched(lead + "---\ntitle: Paying\nid: 7\n---\n\nThirty days."))
    assert (document.text, document.title, document.front_matter["id"]) == ("Thirty days.", "Paying", "7")


def test_a_file_that_opens_with_a_rule_keeps_its_text():
    assert "First words" in text_of("---\n\nFirst words, none are lost.\n\n---\n\nMore.")


def test_front_matter_that_does_not_parse_names_the_document():
    with pytest.raises(DocumentUnreadable, match=r"handbook:guide/how-to_pay\.md: .*does not parse"):
        extract(fetched("---\ntitle: Foo: bar\n---\nText"))


@pytest.mark.parametrize(
    ("body", "given", "title"),
    [
        ("---\ntitle: Field\n---\n# Heading", "Source", "Source"),
        ("---\ntitle: Field\n---\n# Heading", None, "Field"),
        ("```\n# install\n```\n\n# Real *heading* `x` [y](z) {#anchor} #\n", None, "Real heading x y"),
        ("Setext\n======\n\ntext", None, "Setext"),
        ("<!-- \n# hidden\n-->\n\ntext", None, "how to pay"),
        ("no heading", None, "how to pay"),
    ],
)
def test_the_title_is_the_sources_the_fields_the_headings_or_the_file_names(body, given, title):
    assert extract(fetched(body, title=given)).title == title


def test_a_proposal_is_titled_by_its_header():
    body = "PEP: 8\nTitle: Style Guide\nAuthor: A,\n        B\n\nIntroduction\n============\n\nText."
    assert extract(fetched(body, "text/x-rst", "pep-0008.rst")).title == "Style Guide"


# --- emptiness and stand-ins


@pytest.mark.parametrize("body", ["", "\n", "---\ntitle: T\n---\n", "\u200b\ufeff"])
def test_an_empty_page_is_unreadable_unless_the_source_calls_it_legitimate(body):
    with pytest.raises(DocumentUnreadable, match=r"hold no text"):
        extract(fetched(body))
    document = extract(fetched(body, title="A picture", empty_is_legitimate=True))
    assert document.text == "A picture"


@pytest.mark.parametrize(
    "body",
    [
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        "../other/page.md",
        b"%PDF-1.4",
        b"\0\1\2" * 50,
    ],
)
def test_what_is_delivered_in_place_of_a_page_is_unreadable(body):
    with pytest.raises(DocumentUnreadable):
        extract(fetched(body))


def test_an_unknown_media_type_is_unreadable_and_names_the_known_ones():
    with pytest.raises(DocumentUnreadable, match=r"application/json.*text/markdown"):
        extract(fetched("{}", "application/json"))


def test_line_ends_and_unicode_forms_do_not_change_the_hash():
    one = extract(fetched("# Caf\u00e9\n\nText\n"))
    other = extract(fetched("# Cafe\u0301  \r\n\r\nText"))
    assert one.content_hash == other.content_hash


# --- HTML

PAGE = """<!doctype html><html><head><title>Paying | Site</title>
<script nonce="{nonce}">var built="{nonce}"</script></head>
<body class="c{nonce} gdpr-ready"><header><a href="/">Home</a></header><nav>Menu {nonce}</nav>
<!-- views: {nonce} --><div class="cookie-banner">We use cookies</div>
<{main} id="{nonce}"><h1>Paying<a class="headerlink" href="#x">¶</a></h1>
<p>Within <a href="/days?v={nonce}">30 days</a>,
or&nbsp;else.<img src="/p.png?{nonce}" alt="A bill"></p>
<aside class="note">Refunds take longer.</aside>
<pre class="{nonce}"><code>def pay():
    # not a heading
    return 30</code></pre>
<section id="cookie-policy"><h2>Cookies</h2><p>About cookies.</p></section>
<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table></{main}>
<footer>Built at {nonce}</footer>
<div id="onetrust-consent-sdk">Accept {nonce}</div></body></html>"""


@pytest.mark.parametrize("main", ["main", "article", "div role=main"])
def test_a_page_is_its_main_part_without_furniture(main):
    html = PAGE.format(nonce="x1", main=main).replace("</div role=main>", "</div>")
    document = extract(fetched(html, "text/html", "pay"))
    assert document.title == "Paying"
    for kept in (
        "# Paying",
        "Within 30 days, or else.",
        "A bill",
        "Refunds take longer.",
        "About cookies.",
        "| 1 | 2 |",
        "def pay():\n    # not a heading\n    return 30",
    ):
        assert kept in document.text
    for dropped in ("Home", "Menu", "We use cookies", "Accept", "Built at", "http", "/days", "p.png", "¶", "x1"):
        assert dropped not in document.text


def test_nonces_counters_and_build_times_do_not_change_the_hash():
    first, second = (extract(fetched(PAGE.format(nonce=n, main="main"), "text/html")) for n in ("a1", "b22"))
    assert first.content_hash == second.content_hash


def test_a_new_template_around_the_same_article_does_not_change_the_hash():
    article = "<h1>Title</h1><p>One two\nthree.</p><pre><code>x = 1</code></pre>"
    old = f"<html><body><div>Old menu</div><main>{article}</main></body></html>"
    new = article.replace("two\nthree", "two three").replace("<code>", '<code class="language-py">')
    new = f"<!doctype html><html><body><nav>New</nav><div><main class=x><div>{new}</div></main></div></body></html>"
    assert extract(fetched(old, "text/html")).content_hash == extract(fetched(new, "text/html")).content_hash


def test_a_part_of_a_page_is_kept_whole():
    text = text_of("<p>Body</p><aside>Callout</aside><header>Lead</header>", "text/html", "1")
    assert all(word in text for word in ("Body", "Callout", "Lead"))


@pytest.mark.parametrize(
    "html",
    [
        "<html><body><main></main><div id=app>The text</div></body></html>",
        "<html><body><article>A long teaser</article><article>Teaser</article><p>The text</p></body></html>",
        "<html><body><div id=content></div><p>The text</p></body></html>",
        "<html><body><main><nav>The text</nav></main></body></html>",
        "<html><body>" + "<div>" * 3000 + "The text" + "</div>" * 3000 + "</body></html>",
        "<html><body class='gdpr-ready'><p>The text</p></body></html>",
        "<html><body><form><p>The text</p></form></body></html>",
        "<p>The text",
    ],
)
def test_text_outside_the_expected_place_is_not_lost(html):
    assert "The text" in text_of(html, "text/html", "1")


def test_a_page_of_nothing_but_a_script_is_unreadable():
    with pytest.raises(DocumentUnreadable, match="hold no text"):
        extract(fetched("<html><body><div id=app></div><script>run()</script></body></html>", "text/html"))


def test_code_in_layout_tables_and_code_with_fences_stays_verbatim():
    numbers, code = '<td class="linenos"><pre>1\n2</pre></td>', "<td><pre>if x:\n    y()</pre></td>"
    html = f'<table class="highlighttable"><tr>{numbers}{code}</tr></table><pre>```\n# inner\n```</pre><h2>After</h2>'
    text = text_of(html, "text/html", "1")
    assert "```\nif x:\n    y()\n```" in text
    assert "````\n```\n# inner\n```\n````" in text


# --- MDX


def test_mdx_loses_its_machinery_and_keeps_its_words():
    body = (
        "---\ntitle: Tabs\n---\nimport Tabs from '@theme/Tabs';\nimport {\n  A,\n  B,\n} from 'x'\n\n"
        "export const meta = {\n  a: 1,\n}\n\n{/* a note to editors */}\n"
        '<Tabs groupId="os">\n  <TabItem value="mac" label="macOS">\n\nUse `brew`.\n\n  </TabItem>\n</Tabs>\n\n'
        "```js\nimport kept from 'kept'\n<Kept />\n```\n\n<Card title=\"Read on\" />\n\n"
        "important words, and a <b>tag</b>.\n"
    )
    text = text_of(body, doc_id="guide/tabs.mdx")
    for gone in ("@theme", "meta", "a note to editors", "<Tab", "</Tab", "<Card", "from 'x'"):
        assert gone not in text
    for kept in (
        "macOS",
        "Use `brew`.",
        "import kept from 'kept'\n<Kept />",
        "Read on",
        "important words, and a <b>tag</b>.",
    ):
        assert kept in text


# --- reStructuredText

RST = """\
=====
Title
=====

.. _label:

Section
-------

Text ends with a block::

  # a comment, no heading
  code ~~~

Deeper
~~~~~~

.. code-block:: python
   :linenos:

   # also a comment
   Fake
   ----

# plain text

~~~

Another
-------
last words
"""


def test_rst_headings_become_markdown_and_code_is_fenced():
    text = text_of(RST, "text/x-rst", "a.rst")
    lines = text.split("\n")
    assert [line for line in lines if line.startswith("#")] == [
        "# Title",
        "## Section",
        "# a comment, no heading",
        "### Deeper",
        "# also a comment",
        "## Another",
    ]
    assert [h.title for h in headings(text)] == ["Title", "Section", "Deeper", "Another"]
    assert "```\n# a comment, no heading\ncode ~~~\n```" in text
    assert "```python\n# also a comment\nFake\n----\n```" in text
    assert "last words" in text
