"""Which documents a person means, and what they want them to say: conditions, assignments, tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from include.domain.errors import ConfigError
from include.domain.inventory import IndexedDocument
from include.planning.assigning import assigned
from include.planning.choosing import choose
from include.records.patch_files import read_patches

APRIL = "2023-04-01T00:00:00.000000Z"


def document(doc_id: str, *, status: str = "published", **metadata: object) -> IndexedDocument:
    return IndexedDocument(doc_id, "v1", "hash", "pipeline", status, 1, 1, None, metadata=metadata)


DOCUMENTS = {
    each.doc_id: each
    for each in (
        document("policies/2023/leave.md", lang="en", content_type="policy", created_at="2023-02-01T00:00:00.000000Z"),
        document("policies/2023/de/leave.md", lang="de", content_type="policy", created_at=APRIL),
        document("policies/2024/leave.md", lang="en", content_type="policy", created_at="2024-02-01T09:30:00.000000Z"),
        document("docs/[slug].mdx", lang="en", url="https://example.org/docs/slug", doc_family="docs"),
        document("docs/old.md", lang=None, url="https://example.org/docs/old", status="archived"),
        IndexedDocument("docs/debris.md", "", "", "", "", 0, 2, None),
    )
}
READABLE = [doc_id for doc_id in sorted(DOCUMENTS) if doc_id != "docs/debris.md"]


def chosen(*conditions: str, everything: bool = False) -> list[str]:
    return [each.doc_id for each in choose(conditions, everything=everything).of(DOCUMENTS)]


@pytest.mark.parametrize(
    ("conditions", "found"),
    [
        (["doc_id=docs/[slug].mdx"], ["docs/[slug].mdx"]),
        (["doc_id=docs/old.md", "doc_id=docs/[slug].mdx"], ["docs/[slug].mdx", "docs/old.md"]),
        (["path=policies/2023/*"], ["policies/2023/leave.md"]),
        (["path=policies/2023/**"], ["policies/2023/de/leave.md", "policies/2023/leave.md"]),
        (["path=policies/202?/leave.md"], ["policies/2023/leave.md", "policies/2024/leave.md"]),
        (["path=docs/[slug]*"], ["docs/[slug].mdx"]),
        (["path=**/leave.md", "lang=de"], ["policies/2023/de/leave.md"]),
        (["lang=de", "lang=en", "content_type=policy", "created_at<2024-01-01"], READABLE[2:4]),
        (["created_at>=2023-04-01"], ["policies/2023/de/leave.md", "policies/2024/leave.md"]),
        (["created_at>=2023-01-01", "created_at<2023-04-01"], ["policies/2023/leave.md"]),
        (["created_at=2024-02-01"], ["policies/2024/leave.md"]),
        (["created_at=unknown"], ["docs/[slug].mdx", "docs/old.md"]),
        (["created_at=unknown", "created_at=2023-04-01"], [*READABLE[:2], "policies/2023/de/leave.md"]),
        (["url=https://example.org/docs/"], ["docs/[slug].mdx", "docs/old.md"]),
        (["doc_family=docs"], ["docs/[slug].mdx"]),
        (["status=archived"], ["docs/old.md"]),
    ],
)
def test_conditions_on_one_name_are_alternatives_and_those_on_several_must_all_hold(
    conditions: list[str], found: list[str]
) -> None:
    assert chosen(*conditions) == found


def test_all_documents_are_meant_only_when_that_is_said() -> None:
    assert chosen(everything=True) == READABLE
    with pytest.raises(ConfigError, match=r"no condition says which documents are meant.*--all"):
        chosen()
    with pytest.raises(ConfigError, match="Give one of the two"):
        chosen("lang=de", everything=True)


@pytest.mark.parametrize(
    "condition", ["", "lang", "lang=", "lang= ", "=de", "langs=de", "title=x", "text=x", "lang<de"]
)
def test_an_empty_or_unknown_condition_is_refused_with_those_there_are(condition: str) -> None:
    with pytest.raises(ConfigError, match="allowed are doc_id=, path=, url=, content_type="):
        chosen(condition)


@pytest.mark.parametrize("condition", ["created_at<2024", "created_at>=01/02/2024", "created_at=2024-01-01T10:00Z"])
def test_a_date_in_a_condition_is_a_date(condition: str) -> None:
    with pytest.raises(ConfigError, match="condition 'created_at"):
        chosen(condition)


@pytest.mark.parametrize("status", ["incoming", "Published", "gone"])
def test_a_status_in_a_condition_is_one(status: str) -> None:
    with pytest.raises(ConfigError, match="a status is one of archived, published"):
        chosen(f"status={status}")


def test_conditions_that_nothing_fits_and_documents_that_are_not_there_are_errors() -> None:
    with pytest.raises(ConfigError, match=r"no document of 5 fits \[lang=fr and path=docs/\*\]"):
        chosen("lang=fr", "path=docs/*")
    with pytest.raises(
        ConfigError, match=r"2 documents are not in the index: docs/\*, docs/debris.md.*takes a pattern"
    ):
        chosen("doc_id=docs/*", "doc_id=docs/debris.md", "doc_id=docs/old.md")


def test_a_choice_says_in_words_what_it_is() -> None:
    assert choose(["lang=de", "path=docs/*"]).words == "lang=de and path=docs/*"
    assert choose([], everything=True).words == "all documents"


# -- assignments --


def test_fields_are_set_and_unset_in_the_spelling_of_the_ledger() -> None:
    assert assigned(["created_at=2023-04-01", "title=A = B", "pinned=true"], ["lang"]) == {
        "created_at": APRIL,
        "title": "A = B",
        "pinned": True,
        "lang": None,
    }
    assert assigned(["superseded_by=a", "superseded_by=b"], []) == {"superseded_by": ("a", "b")}
    assert assigned(['superseded_by=["a, x", "b"]'], []) == {"superseded_by": ("a, x", "b")}
    assert assigned(["superseded_by=[]"], []) == {"superseded_by": ()}


@pytest.mark.parametrize(
    ("sets", "unset", "named"),
    [
        ([], [], "nothing is set or unset; fields are status"),
        (["title"], [], "'title' is no field=value"),
        (["title="], [], "title is ''; allowed is one line"),
        (["title=a", "title=b"], [], "title is set 2 times"),
        (["title=a"], ["title"], "both set and unset"),
        (["doc_version=3"], [], "'doc_version' is not a field"),
        ([], ["doc_version"], "'doc_version' is not a field"),
        (["status=staged_for_review"], [], "allowed is published, superseded or archived"),
        (["superseded_by=[a"], [], "superseded_by is '.a'; allowed is a list"),
        (["created_at=soon", "pinned=perhaps"], [], "created_at is 'soon'.*pinned is 'perhaps'"),
    ],
)
def test_what_is_no_assignment_is_refused(sets: list[str], unset: list[str], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        assigned(sets, unset)


# -- tables --


def table(tmp_path: Path, name: str, text: str | bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", 'doc_id,created_at,title\r\na.md,2023-04-01,\r\n"b, c.md",,"Title, with ""quotes"""\r\n\r\n'),
        ("t.csv", '\ufeffdoc_id;title;created_at\na.md;;2023-04-01\nb, c.md;Title, with "quotes";\n'),
        ("t.CSV", 'doc_id,title,created_at\na.md,,2023-04-01\n"b, c.md","Title, with ""quotes""",\n'),
        ("t.yaml", 'a.md: {created_at: 2023-04-01}\n"b, c.md":\n  title: \'Title, with "quotes"\'\n'),
    ],
)
def test_a_table_gives_each_document_its_own_values(name: str, text: str, tmp_path: Path) -> None:
    assert read_patches(table(tmp_path, name, text)) == {
        "a.md": {"created_at": APRIL},
        "b, c.md": {"title": 'Title, with "quotes"'},
    }


def test_values_in_a_table_are_the_text_that_stands_there(tmp_path: Path) -> None:
    assert read_patches(table(tmp_path, "t.csv", "doc_id,family_version,doc_family\n0123,1.10,=SUM(A1)\n")) == {
        "0123": {"family_version": "1.10", "doc_family": "=SUM(A1)"}
    }
    assert read_patches(table(tmp_path, "t.yaml", "0123: {family_version: 1.10, title: null, pinned: off}\n")) == {
        "0123": {"family_version": "1.10", "title": None, "pinned": False}
    }


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("t.csv", "doc_id,created\na,2023-04-01\n", "line 1: the heading is .doc_id, created.; due are doc_id"),
        ("t.csv", "created_at\n2023-04-01\n", "line 1: the heading"),
        ("t.csv", "doc_id,title,title\na,b,c\n", "line 1: the heading"),
        ("t.csv", "doc_id\na\n", "line 1: the heading"),
        ("t.csv", "", "line 1: the heading"),
        ("t.csv", "doc_id,title\n", "it names no document"),
        ("t.csv", "doc_id,created_at\na,2023-04-01\na,2023-05-01\n", "line 3: a is there twice"),
        ("t.csv", "doc_id,created_at\n,2023-04-01\n", "line 2: no doc_id"),
        ("t.csv", "doc_id,created_at\na,2023-04-01,x\n", "line 2: 3 cells, the heading has 2"),
        (
            "t.csv",
            "doc_id,created_at\na,04/01/23\nb,1970-01-01\n",
            "line 2: created_at is '04/01/23'.*line 3: created_at",
        ),
        ("t.csv", 'doc_id,title\na,"open\n', "line"),
        ("t.csv", b"doc_id,title\na,\xff\n", "in UTF-8"),
        ("t.yaml", "a: {title: x}\na: {title: y}\n", "'a' is there twice"),
        ("t.yaml", "a: soon\n", "a: fields are due"),
        ("t.yaml", "a: {created_at: soon}\n", "a: created_at is 'soon'"),
        ("t.xlsx", "", "a .csv or a .yaml file"),
    ],
)
def test_half_a_table_is_none(name: str, text: str | bytes, named: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=named):
        read_patches(table(tmp_path, name, text))


def test_a_table_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.csv cannot be read"):
        read_patches(tmp_path / "none.csv")
