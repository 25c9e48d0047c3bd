"""Front matter: what is read as fields, what stays text, what is quarantined, and who may see the page."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from include.domain.errors import DocumentUnreadable
from include.text.front_matter import is_public, read_settings, split, text_of, texts_of

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def test_yaml_values_stay_the_strings_that_were_written():
    fields, rest = split("---\nversion: 1.10\nslug: 0123\ntime: 12:30:45\ndraft: false\ntags: [a, b]\n---\ntext\n")
    assert fields == {"version": "1.10", "slug": "0123", "time": "12:30:45", "draft": "false", "tags": ["a", "b"]}
    assert rest == "text\n"


def test_toml_and_json_give_the_same_shape_as_yaml():
    expected = {"title": "A", "version": "1.10", "draft": "true", "date": "2024-05-06", "nested": {"a": "1"}}
    toml, rest = split('+++\ntitle = "A"\nversion = 1.10\ndraft = true\ndate = 2024-05-06\n[nested]\na = 1\n+++\ntext')
    assert (toml, rest) == (expected, "text")
    text = '{"title": "A", "version": 1.10, "draft": true, "date": "2024-05-06", "nested": {"a": 1}}\ntext'
    assert split(text) == (expected, "text")


@pytest.mark.parametrize("lead", ["", "\ufeff", "\n", "\r\n\r\n", "\ufeff\n  \n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_byte_order_mark_and_leading_blank_lines_do_not_hide_the_block(lead: str, end: str):
    fields, rest = split(lead + end.join(["---", "draft: true", "---  ", "text"]))
    assert (fields, rest) == ({"draft": "true"}, "text")


@pytest.mark.parametrize(
    "text",
    [
        "---yaml\ndraft: true\n---\ntext",
        "---yml  \ndraft: true\n---\ntext",
        "--- toml\ndraft = true\n---\ntext",
        '---json\n{"draft": true}\n---\ntext',
    ],
)
def test_a_fence_may_name_the_language_of_its_block(text: str):
    assert split(text) == ({"draft": "true"}, "text")


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nA rule, then prose.\n\n---\n\nand more\n",
        "---\nJust one rule at the top\n",
        "---\n- a list\n- between rules\n---\n",
        "---\n\nProse that is: not: YAML\n\n---\n\nand more\n",
        "----\ntitle: x\n----\n",
        "---json\nis how it starts\n",
        "--- Notes of a meeting\ntext\n---\n",
        "{% raw %}\ntext\n",
        "{{< shortcode >}}\ntext\n",
        "{expression}\n",
        "+++ a diff, not a fence\n",
        "plain\n---\ntitle: x\n---\n",
        "",
    ],
)
def test_a_file_without_a_block_keeps_its_whole_text(text: str):
    assert split(text) == ({}, text)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("---\ntitle: Foo: bar\ndraft: true\n---\ntext", "does not parse"),
        ("---\nauthor: @me\n---\ntext", "does not parse"),
        ("---\ntitle: {{ x }}\n---\ntext", "does not parse"),
        ("---\n\tdraft: true\n---\ntext", "does not parse"),
        ("---\ndraft: true\ndraft: false\n---\ntext", "more than once"),
        ("---\ndraft: true\n\nnever closed", "never closed"),
        ("---\ndraft=true\n---\ntext", "not a list of fields"),
        ("+++\ndraft = yes\n+++\ntext", "TOML"),
        ("+++\ndate = 2024-02-30\n+++\ntext", "TOML"),
        ("+++\ndraft = true\nnever closed", "never closed"),
        ('{"draft": true,\ntext', "JSON"),
        ('{"draft": true} text on the same line', "JSON"),
        ('{"draft": true, "draft": false}\ntext', "more than once"),
        ("---\n" + "[" * 5000 + "\n---\n", "does not parse"),
    ],
)
def test_a_block_that_does_not_parse_is_quarantined_and_never_taken_as_text(text: str, word: str):
    with pytest.raises(DocumentUnreadable, match=word):
        split(text)


def test_a_block_of_a_language_that_is_not_read_is_quarantined():
    with pytest.raises(DocumentUnreadable, match="js"):
        split("---js\n{draft: true}\n---\ntext")


def test_aliases_of_aliases_that_would_fill_the_memory_are_quarantined():
    levels = [f"{name}: &{name} [{','.join([f'*{below}'] * 9)}]" for below, name in pairwise("abcdefghij")]
    text = "\n".join(["a: &a [x, x, x, x, x, x, x, x, x]", *levels])
    with pytest.raises(DocumentUnreadable, match="aliases"):
        split(f"---\n{text}\n---\n")
    with pytest.raises(DocumentUnreadable, match="aliases"):
        read_settings(".meta.yml", text)
    fields, _ = split(f"---\na: &a [{', '.join('x' * 9)}]\nb: [*a, *a]\n---\n")
    assert fields["b"] == [["x"] * 9] * 2


def test_a_merge_key_does_not_hide_a_draft():
    fields, _ = split("---\ndefaults: &d {draft: true}\n<<: *d\ntitle: x\n---\n")
    assert not is_public(fields, NOW)[0]


@pytest.mark.parametrize(
    "fields",
    [
        {"draft": "true"},
        {"Draft": "Yes"},
        {"draft": "{{ env }}"},
        {"published": "false"},
        {"publish": "no"},
        {"unlisted": "true"},
        {"expiryDate": "2026-02-28"},
        {"unpublishDate": "2026-03-01T11:59:59Z"},
        {"publishDate": "2026-03-02"},
        {"published": "2027-01-01"},
        {"search": {"exclude": "true"}},
        {"build": {"list": "never"}},
        {"pagefind": "false"},
        {"headless": "true"},
        {"robots": "noindex, nofollow"},
    ],
)
def test_these_fields_keep_a_page_from_the_public(fields: dict[str, object]):
    public, why = is_public(fields, NOW)
    assert not public
    assert next(iter(fields)).lower() in why.lower()


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"draft": "false"},
        {"draft": ""},
        {"published": "true"},
        {"published": "2024-01-01"},
        {"expiryDate": "2026-03-02"},
        {"expiryDate": "0001-01-01T00:00:00Z"},
        {"publishDate": ""},
        {"date": "2030-01-01"},
        {"date": "2024-02-30"},
        {"status": "draft"},
    ],
)
def test_these_fields_leave_a_page_public(fields: dict[str, object]):
    assert is_public(fields, NOW) == (True, "")


def test_a_future_date_hides_a_page_only_where_the_site_schedules_by_it():
    assert is_public({"date": "2030-01-01"}, NOW, date_schedules=True)[0] is False


@pytest.mark.parametrize("name", ["publishDate", "expiryDate"])
def test_an_impossible_visibility_date_makes_the_page_unknown_instead_of_public(name: str):
    with pytest.raises(DocumentUnreadable, match="not an ISO 8601 date"):
        is_public({name: "2024-02-30"}, NOW)


def test_a_date_without_an_offset_is_one_of_the_site_s_zone_and_one_with_an_offset_is_not():
    new_york = ZoneInfo("America/New_York")  # five hours behind; NOW is seven in the morning there
    assert is_public({"publishDate": "2026-03-01T08:00"}, NOW)[0]
    assert not is_public({"publishDate": "2026-03-01T08:00"}, NOW, zone=new_york)[0]
    assert is_public({"publishDate": "2026-03-01T08:00Z"}, NOW, zone=new_york)[0]
    assert not is_public({"publishDate": "2026-03-01"}, NOW - timedelta(hours=8), zone=new_york)[0]
    assert is_public({"expiryDate": "2026-03-01T08:00"}, NOW, zone=new_york)[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".meta.yml", "draft: true\nversion: 1.10\n"),
        (".meta.yml", "\ufeff---\n# a comment\ndraft: true\nversion: 1.10\n..."),
        ("a.toml", "draft = true\nversion = 1.10\n"),
        ("a.JSON", '{"draft": true, "version": 1.10}'),
        ("_config.yml", "d: &d {draft: true}\n<<: *d\nversion: 1.10\n"),
    ],
)
def test_a_whole_file_of_fields_is_strings_in_every_format(name: str, text: str):
    fields = read_settings(name, text)
    assert (fields["draft"], fields["version"]) == ("true", "1.10")


def test_an_empty_file_of_fields_is_no_field():
    assert read_settings("_config.yml", "# nothing yet\n") == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yml", "- a list"),
        ("a.yml", "just a text"),
        ("a.yml", "a: 1\na: 2"),
        ("a.yml", "a: 1\n---\na: 2"),
        ("a.yml", "[" * 5000),
        ("a.toml", "a = "),
        ("a.json", "[1]"),
        ("a.json", '{"a": 1, "a": 2}'),
    ],
)
def test_a_file_of_fields_that_is_something_else_is_unreadable_by_name(name: str, text: str):
    with pytest.raises(DocumentUnreadable, match=rf"^{name}"):
        read_settings(name, text)


def test_a_field_is_found_whatever_its_case_and_whether_it_is_one_or_a_list():
    fields = {"Aliases": ["/a", " /b ", {"no": "text"}], "redirect_from": "/c", "slug": ""}
    assert texts_of(fields, "aliases", "redirect_from") == ("/a", "/b", "/c")
    assert (text_of(fields, "slug", "aliases"), text_of(fields, "nothing")) == ("/a", "")


def test_a_block_that_names_its_fields_twice_is_refused_at_once_and_in_a_line() -> None:
    block = "".join(f"name{number % 25_000}: x\n" for number in range(50_000))
    began = time.process_time()
    with pytest.raises(DocumentUnreadable, match="name0, name1, name10 and 24997 more more than once") as refused:
        split(f"---\n{block}---\n")
    assert time.process_time() - began < 10
    assert len(str(refused.value)) < 300
