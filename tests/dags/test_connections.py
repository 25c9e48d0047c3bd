"""Airflow Connections as credentials: where they are looked up, and what is said when there is none."""

from __future__ import annotations

import pytest

pytest.importorskip("airflow")

from include.domain.errors import ConfigError
from include.wiring import connections
from include.wiring.connections import ConnectionSecrets


@pytest.mark.parametrize(
    "written",
    [
        '{"conn_type": "http", "login": "reader", "password": "s3cr3t"}',
        "http://reader:s3cr3t@cms.example",
    ],
)
def test_a_connection_in_the_environment_needs_no_airflow_behind_it(
    written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(conn_id: str) -> None:
        raise AssertionError("Airflow was asked for a connection that the environment holds")

    monkeypatch.setattr(connections.Connection, "get", asked)
    monkeypatch.setenv("AIRFLOW_CONN_CMS", written)
    assert ConnectionSecrets().credentials("cms").basic == ("reader", "s3cr3t")
    assert ConnectionSecrets().password("cms") == "s3cr3t"


def test_an_unknown_connection_is_a_wrong_setting_that_says_what_to_set(airflow_database: None) -> None:
    for ask in (ConnectionSecrets().credentials, ConnectionSecrets().password, ConnectionSecrets().webhook_secrets):
        with pytest.raises(ConfigError, match=r"'cms'.*AIRFLOW_CONN_CMS.*secrets backend"):
            ask("cms")


@pytest.mark.parametrize("written", ['{"password": "s3cr3t"', "http://a://b://user:s3cr3t@x", '{"passwrd": "s3cr3t"}'])
def test_a_connection_that_cannot_be_read_is_not_repeated(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_CMS", written)
    with pytest.raises(ConfigError, match="AIRFLOW_CONN_CMS") as refusal:
        ConnectionSecrets().password("cms")
    assert "s3cr3t" not in str(refusal.value)


@pytest.mark.parametrize(
    ("written", "secrets"),
    [
        ('{"conn_type": "http", "password": "new"}', ["new"]),
        ('{"conn_type": "http", "password": " new\\n", "extra": {"previous_secret": "old"}}', ["new", "old"]),
        ('{"conn_type": "http", "extra": {"previous_secret": 7}}', []),
        ('{"conn_type": "http", "password": "  "}', []),
    ],
)
def test_a_webhooks_secret_and_the_one_it_replaces_are_both_in_the_connection(
    written: str, secrets: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_HOOK", written)
    assert list(ConnectionSecrets().webhook_secrets("hook")) == secrets
