"""Credentials in addresses and settings do not reach messages."""

from __future__ import annotations

import pytest

from include.connectors import registry
from include.domain.errors import ConfigError
from include.domain.redaction import redact, redact_address, shown_value


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://user:p@ss@host/x", "https://***@host/x"),
        ("fetch https://a:b@h/x?y=c@d and ssh://u@h", "fetch https://***@h/x?y=*** and ssh://***@h"),
        ("https://host/@scope/page", "https://host/@scope/page"),
        ("https://host/mail me@host", "https://host/mail me@host"),
    ],
)
def test_the_whole_user_part_of_every_url_is_hidden(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://h/x.git?access_token=SECRET", "https://h/x.git?access_token=***"),
        ("https://h/x?page=2&key=SECRET;SECRET", "https://h/x?page=***&key=***"),
        ("https://h/x?key=SECRET=?SECRET, then", "https://h/x?key=***, then"),
        ("access 'https://h/x.git?t=SECRET/': no host", "access 'https://h/x.git?t=***': no host"),
        ("https://h/x?t=SECRET/info/refs?service=git", "https://h/x?t=***"),
        ("https://h?SECRET", "https://h?***"),
        ("https://h/#access_token=SECRET&b=SECRET", "https://h/#access_token=***&b=***"),
        ("https://h/a?", "https://h/a?"),
        ("is it https://h/a? See b=c", "is it https://h/a? See b=c"),
    ],
)
def test_no_value_of_a_query_is_shown(text: str, shown: str) -> None:
    assert redact(text) == shown


def test_an_address_that_is_none_hides_all_that_could_be_a_credential() -> None:
    assert redact_address("https//u:p/a@ss@host:6333?api_key=k") == "***@host:6333"
    assert redact_address("qdrant:6333") == "qdrant:6333"
    assert redact_address("/list?api_key=k") == redact_address("/list#api_key=k") == "/list"


def test_values_are_shown_short_and_secrets_and_containers_are_not() -> None:
    assert shown_value("chunk_tokens", "many") == "'many'"
    assert shown_value("embedding.options.tokenizer", "x") == "'x'"
    assert len(shown_value("alias", "x" * 500) or "") == 80
    assert shown_value("store.url", {"api_key": "s"}) == "a dict"
    for key in ("api_key", "store.apiKey", "http.headers.Authorization", "password", "access_token.0", "client-secret"):
        assert shown_value(key, "s3cr3t") is None


def test_a_connector_option_in_the_wrong_place_does_not_repeat_its_value() -> None:
    for options in ({"location": {"token": "s3cr3t"}}, {"location": "x", "token": "s3cr3t"}, {"location": ["s3cr3t"]}):
        with pytest.raises(ConfigError) as refusal:
            registry.check("git_markdown", "handbook", options)
        assert "s3cr3t" not in str(refusal.value)
