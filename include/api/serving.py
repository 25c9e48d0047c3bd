"""`truecopy serve`: one process with everything, or a clear reason why not."""

from __future__ import annotations

import gc
import logging

import uvicorn

from include.api.answers import Answers
from include.api.app import create_app
from include.api.guard import LOCAL_HOSTS
from include.api.keys import Keyring
from include.domain.errors import ConfigError
from include.records.query_log import QueryLog
from include.wiring.application import Application

log = logging.getLogger(__name__)

GRACE_SECONDS = 10
"""So long a stopping server lets requests end."""


def keyring_of(application: Application, *, keys: str, host: str, without_keys: bool) -> Keyring | None:
    """The keys of the settings' connection, or else `keys`, a list as `keys.read_keys` takes it. None where no key is
    to be asked for: that must be said aloud, and is possible on this machine's own address only.

    Raises ConfigError.
    """
    if without_keys:
        if host not in LOCAL_HOSTS:
            raise ConfigError(
                f"--without-keys listens at 127.0.0.1 only, not at {host}: everybody who reaches it may read everything"
            )
        return None
    conn_id = application.settings.api.conn_id
    keyring = Keyring(lambda: application.secrets.password(conn_id) if conn_id else keys)
    if not len(keyring):
        where = f"connection {conn_id!r} has no password" if conn_id else "TRUECOPY_API_KEYS is not set"
        raise ConfigError(
            f"no API key is configured ({where}); set it to `name:key`, or to several of them. To try it out on this "
            "machine: `truecopy serve --host 127.0.0.1 --without-keys`"
        )
    return keyring


def query_log_of(application: Application, *, key: str) -> QueryLog | None:
    chosen = application.settings.api.query_log
    if not chosen.enabled:
        return None
    return QueryLog(
        application.state,
        application.clock,
        form=chosen.text,
        key=key,
        keep_days=chosen.keep_days,
        tombstones=application.ledger,
    )


def serve(
    application: Application, *, host: str, port: int, keys: str = "", without_keys: bool = False, query_key: str = ""
) -> None:
    """Until the process is told to stop. Raises ConfigError before it listens."""
    keyring = keyring_of(application, keys=keys, host=host, without_keys=without_keys)
    answers = Answers(application, query_log_of(application, key=query_key))
    answers.warm_up()
    app = create_app(answers, keyring)
    _spare_the_collector()
    uvicorn.run(
        app,
        host=host,
        port=port,
        access_log=False,  # addresses name documents
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def _spare_the_collector() -> None:
    """What is loaded by now stays, and an answer is ten thousand short-lived objects without circles. By default they
    are walked through fourteen times for each answer, and all of it now and then, which takes longer than to rank."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def serve_tools(application: Application, *, query_key: str = "") -> None:
    """Until standard input ends. Raises ConfigError where the package `mcp` is missing."""
    try:
        from include.api.tools import mcp_server
    except ModuleNotFoundError as error:
        raise ConfigError(f"the tools need the package mcp ({error}); install it: pip install 'mcp>=2.3,<3'") from error
    answers = Answers(application, query_log_of(application, key=query_key))
    try:
        mcp_server(answers).run("stdio")
    finally:
        answers.close()
