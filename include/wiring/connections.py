"""Airflow Connections, looked up wherever Airflow keeps them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowNotFoundException
from airflow.sdk.log import mask_secret

from include.connectors.credentials import Credentials
from include.domain.errors import ConfigError
from include.wiring.hooks import Hooks


def hooks() -> Hooks:
    """The webhooks of this installation, from the environment of this process. Raises ConfigError."""
    return Hooks.from_environment(os.environ, ConnectionSecrets())


class ConnectionSecrets:
    """Airflow Connections as the credentials of sources and stores, and as the secrets of webhooks.
    Implements application.Secrets and hooks.WebhookSecrets.

    A connection in the environment (`AIRFLOW_CONN_<ID>`) is read from there; Airflow's secrets backends and its
    database are asked for the others only.
    """

    def credentials(self, conn_id: str) -> Credentials:
        """Login and password are HTTP basic; a password alone is a bearer token. `headers` and `params` of the
        connection's extra are taken as they are, with `{password}` replaced."""
        connection = self._connection(conn_id)
        password = connection.password or ""

        def filled(name: str) -> dict[str, str]:
            values = connection.extra_dejson.get(name) or {}
            return {str(key): str(value).replace("{password}", password) for key, value in values.items()}

        headers, params = filled("headers"), filled("params")
        if connection.login:
            return Credentials(headers=headers, basic=(connection.login, password), params=params)
        if password and not headers and not params:
            headers = {"Authorization": f"Bearer {password}"}
        return Credentials(headers=headers, params=params)

    def password(self, conn_id: str) -> str:
        return self._connection(conn_id).password or ""

    def webhook_secrets(self, conn_id: str) -> Sequence[str]:
        """The password, and while it is being replaced `previous_secret` of the connection's extra."""
        connection = self._connection(conn_id)
        previous = connection.extra_dejson.get("previous_secret")
        found = (connection.password, previous if isinstance(previous, str) else None)
        return [secret.strip() for secret in found if secret and secret.strip()]

    def _connection(self, conn_id: str) -> Connection:
        variable = f"AIRFLOW_CONN_{conn_id.upper()}"
        written = os.environ.get(variable)
        if written:
            try:
                is_json = written.lstrip().startswith("{")
                found = Connection.from_json(written, conn_id) if is_json else Connection.from_uri(written, conn_id)
            except Exception:  # noqa: BLE001 (whatever is wrong with it, its text may hold the password)
                raise ConfigError(
                    f"{variable} is neither a connection's JSON nor its URI; write "
                    '{"conn_type": "http", "login": "…", "password": "…"}',
                    conn_id=conn_id,
                ) from None
            mask_secret(found.password)
            return found
        try:
            stored: Connection = Connection.get(conn_id)
            return stored
        except AirflowNotFoundException:
            raise ConfigError(
                f"connection {conn_id!r} is not known: set {variable} in the environment of this process, or add it in "
                "Airflow (Admin, Connections) or the secrets backend that Airflow is configured with",
                conn_id=conn_id,
            ) from None
