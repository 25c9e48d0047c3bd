"""The stores that every promise is tested on."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from include.store.edge import EdgeStore
from include.store.server import IN_MEMORY, ServerStore
from tests.builders import DIMENSION, EMBEDDER
from tests.fakes.index import FakeIndexStore
from tests.fakes.qdrant_http import serving

KINDS = ("fake", "edge", "local-memory", "local-folder", "http", "server")


@pytest.fixture
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str], Any]]:
    """A store of a kind, empty and not prepared."""
    aliases: list[str] = []
    stack = ExitStack()

    def make(kind: str) -> Any:
        match kind:
            case "fake":
                return FakeIndexStore()
            case "edge":
                return EdgeStore(tmp_path / "edge", "docs", lock_timeout=20)
            case "local-memory":
                return ServerStore(IN_MEMORY, "docs")
            case "local-folder":
                return ServerStore(tmp_path / "local", "docs", lock_timeout=20)
            case "http":
                return ServerStore(stack.enter_context(serving())[0], "docs")
            case "server":
                if not os.environ.get("QDRANT_URL"):
                    pytest.skip("QDRANT_URL is not set: no Qdrant server to hold to the contract")
                aliases.append(f"test-{uuid.uuid4().hex}")
                return ServerStore(
                    os.environ["QDRANT_URL"], aliases[-1], api_key=os.environ.get("QDRANT_API_KEY") or None
                )
        raise AssertionError(kind)

    with stack:
        yield make
    if aliases:
        _remove_from_server(aliases)


@pytest.fixture(params=[pytest.param(k, marks=pytest.mark.server if k == "server" else ()) for k in KINDS])
def store(request: pytest.FixtureRequest, make_store: Callable[[str], Any]) -> Any:
    """Each store in turn, prepared and empty."""
    made = make_store(request.param)
    made.prepare(EMBEDDER, DIMENSION)
    return made


def _remove_from_server(aliases: list[str]) -> None:
    from qdrant_client import QdrantClient

    client = QdrantClient(os.environ["QDRANT_URL"], api_key=os.environ.get("QDRANT_API_KEY") or None, timeout=60)
    for collection in client.get_collections().collections:
        if collection.name.split(".")[0] in aliases:
            client.delete_collection(collection.name)
