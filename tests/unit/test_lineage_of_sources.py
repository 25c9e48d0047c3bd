"""How a source says what a document is among its versions: fields of a CMS, redirects of a site."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from include.connectors.git_markdown import GitMarkdownConnector
from include.connectors.git_options import GitMarkdownOptions
from include.connectors.http_options import LineageFields
from include.connectors.json_lineage import lineage_of
from include.domain.lineage import NO_LINEAGE, Lineage
from include.families.members import Member
from include.families.resolve import resolve
from include.text.normalise import extract
from tests.connector_sources import (
    GitRepository,
    ModelCms,
    Reply,
    TurnableClock,
    http_connector,
    http_server,
    model_options,
)
from tests.family_members import links, same_topic


def test_the_fields_of_a_cms_name_one_document_or_several() -> None:
    fields = LineageFields(
        family="meta.topic",
        version="rev",
        status="workflow.name",
        supersedes="replaces[].id",
        superseded_by="successor.id",
        aliases="slugs",
    )
    page = {
        "meta": {"topic": "Travel"},
        "rev": 12,
        "workflow": {"name": "Approved"},
        "replaces": [{"id": 3}, {"id": 4}, {"id": 3}],
        "successor": {"id": "9"},
        "slugs": ["travel", " journeys "],
    }
    assert lineage_of(fields, page) == Lineage("Travel", "12", "Approved", ("3", "4"), ("9",), ("travel", "journeys"))


@pytest.mark.parametrize(
    "page", [{}, {"a": None}, {"a": ""}, {"a": []}, {"a": True}, {"a": {"id": 1}}, {"a": [None, ""]}]
)
def test_what_is_not_there_or_no_reference_says_nothing(page: dict[str, object]) -> None:
    assert lineage_of(LineageFields(supersedes="a", status="a"), page) == NO_LINEAGE
    assert lineage_of(LineageFields(), {"supersedes": "3"}) == NO_LINEAGE


def test_an_expression_that_is_none_is_refused_when_settings_are_read() -> None:
    with pytest.raises(ValidationError, match="a JMESPath expression"):
        LineageFields(supersedes="a[")


def test_what_the_cms_says_comes_with_the_page_and_counts_before_the_text() -> None:
    page = {"id": "a", "v": "1", "body": "Superseded by: [B](b.md)\n\nThirty days.", "next": "17", "state": "Final"}
    with http_server(lambda request: Reply.of(page)) as url:
        options = model_options(url, ModelCms())
        options["page"]["body_format"] = "markdown"
        options["page"]["fields"] |= {"lineage": {"superseded_by": "next", "status": "state"}}
        said = extract(http_connector(options).fetch("a")).lineage
    assert said == Lineage(status="Final", superseded_by=("17",))


def test_a_site_redirects_its_old_addresses_and_a_link_to_one_of_them_is_understood(tmp_path: Path) -> None:
    repository = GitRepository.create(
        tmp_path / "repository",
        {
            "new.md": "---\nredirect_from: /old-travel/\nstatus: approved\n---\n# Travel\n\nThirty days.\n",
            "old.md": "---\nsuperseded_by: https://docs.example/old-travel\n---\n# Travel, 2019\n\nSixty days.\n",
        },
    )
    options = GitMarkdownOptions(location=str(repository.folder), base_url="https://docs.example/")
    connector = GitMarkdownConnector("handbook", options, clock=TurnableClock(), cache_dir=Path("/nonexistent"))
    documents = [extract(connector.fetch(doc_id)) for doc_id in connector.list_documents().documents]
    members = [Member(each.key, each.title, each.url, lineage=each.lineage) for each in documents]
    (decision,) = resolve(members, same_topic)
    assert links(decision) == {("new.md", "old.md")}
