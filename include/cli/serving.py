"""Answers for readers outside, from this process."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from include.cli.command import app, application, explained


@app.command()
@explained
def serve(
    host: Annotated[str, typer.Option(help="address to listen at; default: of the settings")] = "",
    port: Annotated[int | None, typer.Option(min=0, max=65_535, help="default: of the settings")] = None,
    without_keys: Annotated[bool, typer.Option(help="answer everybody, on 127.0.0.1 only")] = False,
) -> None:
    """Answer questions over HTTP, from this process, until it is stopped."""
    from include.api.serving import serve as listen  # a web server that no other command needs

    application_ = application()
    chosen = application_.settings.api
    listen(
        application_,
        host=host or chosen.host,
        port=chosen.port if port is None else port,
        keys=os.environ.get("TRUECOPY_API_KEYS", ""),
        without_keys=without_keys,
        query_key=os.environ.get("TRUECOPY_QUERY_KEY", ""),
    )


@app.command()
@explained
def mcp() -> None:
    """Offer search, explain and document as tools (Model Context Protocol), over standard input and output."""
    from include.api.serving import serve_tools

    serve_tools(application(), query_key=os.environ.get("TRUECOPY_QUERY_KEY", ""))
