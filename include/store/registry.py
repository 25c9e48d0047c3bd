"""From the address in the settings to the adapter that serves it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from include.domain.errors import ConfigError
from include.domain.redaction import redact_address
from include.store.edge import EdgeStore
from include.store.server import IN_MEMORY, ServerStore


def open_store(
    url: str, alias: str, *, api_key: str | None = None, timeout: float = 60.0, lock_timeout: float = 60.0
) -> EdgeStore | ServerStore:
    """The store at `url`; nothing is opened or created yet.

    edge:///folder      embedded Qdrant Edge (an absolute folder; `edge:folder` is relative)
    http(s)://host      a Qdrant server
    local:///folder     the client's local mode on disk, where no Edge wheel fits
    :memory:            the client's local mode, gone with the process

    Times are in seconds. Raises ConfigError for any other address.
    """
    if url == IN_MEMORY:
        return ServerStore(IN_MEMORY, alias)
    shown = redact_address(url)
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ConfigError(f"index url {shown!r} is no address: {error}") from None
    match parts.scheme:
        case "edge" | "local":
            if parts.netloc or not parts.path.strip("/"):
                raise ConfigError(f"index url {shown!r} names no folder; write {parts.scheme}:///absolute/folder")
            folder = Path(unquote(parts.path))
            if parts.scheme == "edge":
                return EdgeStore(folder, alias, lock_timeout=lock_timeout)
            return ServerStore(folder, alias, lock_timeout=lock_timeout)
        case "http" | "https":
            return ServerStore(url, alias, api_key=api_key, timeout=timeout)
    allowed = f"edge:///folder, http(s)://host:port, local:///folder, {IN_MEMORY}"
    raise ConfigError(f"index url {shown!r}: allowed are {allowed}")
