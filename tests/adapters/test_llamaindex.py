"""The retriever for LlamaIndex, in LlamaIndex's own hands, against a running `truecopy serve`."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("llama_index.core", reason="needs its own environment: make test-adapters")

from llama_index.core import Settings
from llama_index.core.callbacks import CallbackManager, CBEventType, EventPayload, LlamaDebugHandler
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.retrieval import RetrievalEndEvent, RetrievalStartEvent
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle

from include.adapters.client import Client
from include.adapters.llamaindex import TruecopyRetriever
from include.domain.errors import ConfigError, Retriable, Skippable
from tests.adapters.conftest import KEY

QUESTION = "the number of page 7"
NOBODY = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A query engine asks for a language model, also where it answers with its sources only."""
    monkeypatch.setattr(Settings, "_llm", MockLLM())


@pytest.fixture
def retriever(server: str) -> TruecopyRetriever:
    return TruecopyRetriever(Client(server, KEY), limit=2)


def test_passages_come_with_what_must_be_cited(retriever: TruecopyRetriever) -> None:
    for query in (QUESTION, QueryBundle(QUESTION)):
        found = retriever.retrieve(query)
        first = found[0]
        assert isinstance(first, NodeWithScore)
        assert "259" in first.node.get_content()
        metadata = first.node.metadata
        assert {"url", "doc_version", "status", "notice", "created_at_precision", "retrieval_id"} <= metadata.keys()
        assert json.loads(json.dumps(metadata)) == metadata
        assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


def test_a_model_reads_what_must_be_cited_and_an_embedder_does_not(retriever: TruecopyRetriever) -> None:
    node = retriever.retrieve(QUESTION)[0].node
    assert node.metadata["url"] in node.get_content(MetadataMode.LLM)
    assert node.get_content(MetadataMode.EMBED) == node.get_content(MetadataMode.NONE)


def test_a_passage_has_one_id_whatever_was_asked(retriever: TruecopyRetriever) -> None:
    ids = {retriever.retrieve(query)[0].node.node_id for query in (QUESTION, "page 7, its number")}
    assert len(ids) == 1
    assert all(each.startswith("handbook:page-07.md:") for each in ids)


def test_asked_asynchronously_it_does_not_hold_up_the_event_loop(retriever: TruecopyRetriever) -> None:
    async def asked() -> tuple[list[NodeWithScore], int]:
        ticks, answered = 0, asyncio.create_task(retriever.aretrieve(QUESTION))
        while not answered.done():
            await asyncio.sleep(0)
            ticks += 1
        return await answered, ticks

    found, ticks = asyncio.run(asked())
    assert "259" in found[0].node.get_content()
    assert ticks > 10


def test_a_query_engine_takes_its_sources_from_it(retriever: TruecopyRetriever) -> None:
    engine = RetrieverQueryEngine.from_args(retriever, response_mode="no_text")
    assert engine.query(QUESTION).source_nodes[0].node.metadata["doc_id"] == "page-07.md"


def test_what_is_asked_for_of_a_time_is_asked_of_the_server(server: str) -> None:
    def first(**options: Any) -> str:
        found = TruecopyRetriever(Client(server, KEY), sources=("handbook",), **options).retrieve("sales deck")
        return str(found[0].node.metadata["doc_id"])

    assert first(intent="latest") == "decks/2025.md"
    assert first(as_of="2024-06-01") == "decks/2024.md"


def test_callbacks_and_events_tell_of_the_question_and_of_what_was_found(retriever: TruecopyRetriever) -> None:
    class Heard(BaseEventHandler):
        def handle(self, event: Any, **_others: Any) -> None:
            said.append(event)

    said: list[Any] = []
    dispatcher, heard = get_dispatcher(), Heard()
    dispatcher.add_event_handler(heard)
    debug = LlamaDebugHandler(print_trace_on_end=False)
    retriever.callback_manager = CallbackManager([debug])
    try:
        retriever.retrieve(QUESTION)
    finally:
        dispatcher.event_handlers.remove(heard)
    start, end = (
        next(each for each in said if isinstance(each, kind)) for kind in (RetrievalStartEvent, RetrievalEndEvent)
    )
    assert start.str_or_query_bundle == QUESTION
    assert end.nodes[0].node.metadata["doc_id"] == "page-07.md"
    ((began, ended),) = debug.get_event_pairs(CBEventType.RETRIEVE)
    assert began.payload == {EventPayload.QUERY_STR: QUESTION}
    assert ended.payload[EventPayload.NODES][0].node.metadata["doc_id"] == "page-07.md"


@pytest.mark.parametrize(
    ("client", "sources", "error"),
    [
        (lambda url: Client(url, "a-key-that-nobody-has-00"), (), ConfigError),
        (lambda url: Client(url, KEY), ("payroll",), Skippable),
        (lambda _: Client(NOBODY, KEY), (), Retriable),
    ],
    ids=["wrong key", "no such source", "nobody answers"],
)
def test_an_error_is_an_error_and_never_an_empty_answer(
    server: str, client: Any, sources: tuple[str, ...], error: type[Exception]
) -> None:
    retriever = TruecopyRetriever(client(server), sources=sources)
    with pytest.raises(error):
        retriever.retrieve(QUESTION)
    with pytest.raises(error):
        asyncio.run(retriever.aretrieve(QUESTION))
    engine = RetrieverQueryEngine.from_args(retriever, response_mode="no_text")
    with pytest.raises(error):
        engine.query(QUESTION)
