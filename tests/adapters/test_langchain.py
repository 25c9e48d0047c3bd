"""The retriever for LangChain, in LangChain's own hands, against a running `truecopy serve`."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("langchain_core", reason="needs its own environment: make test-adapters")

from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import create_retriever_tool

from include.adapters.client import Client
from include.adapters.langchain import TruecopyRetriever
from include.domain.errors import ConfigError, Retriable, Skippable
from tests.adapters.conftest import KEY

QUESTION = "the number of page 7"
NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def retriever(server: str) -> TruecopyRetriever:
    return TruecopyRetriever(client=Client(server, KEY), limit=2)


class Heard(BaseCallbackHandler):
    """What LangChain tells whoever traces a run."""

    def __init__(self) -> None:
        self.said: list[tuple[str, Any]] = []

    def on_retriever_start(self, _serialized: Any, query: str, **_others: Any) -> None:
        self.said.append(("start", query))

    def on_retriever_end(self, documents: Any, **_others: Any) -> None:
        self.said.append(("end", [document.metadata["doc_id"] for document in documents]))

    def on_retriever_error(self, error: BaseException, **_others: Any) -> None:
        self.said.append(("error", type(error)))


class HeardLater(AsyncCallbackHandler):
    def __init__(self) -> None:
        self.said: list[str] = []

    async def on_retriever_start(self, _serialized: Any, query: str, **_others: Any) -> None:
        self.said.append(f"start {query}")

    async def on_retriever_end(self, documents: Any, **_others: Any) -> None:
        self.said.append(f"end {len(documents)}")

    async def on_retriever_error(self, error: BaseException, **_others: Any) -> None:
        self.said.append(f"error {type(error).__name__}")


def test_passages_come_with_what_must_be_cited(retriever: TruecopyRetriever) -> None:
    first, *_ = retriever.invoke(QUESTION)
    assert isinstance(first, Document)
    assert "259" in first.page_content
    cited = {"url", "doc_version", "status", "notice", "created_at_precision", "retrieval_id", "score"}
    assert cited <= first.metadata.keys()
    assert (first.metadata["source"], first.metadata["doc_id"]) == ("handbook", "page-07.md")
    assert json.loads(json.dumps(first.metadata)) == first.metadata


def test_a_passage_has_one_id_whatever_was_asked(retriever: TruecopyRetriever) -> None:
    ids = {retriever.invoke(query)[0].id for query in (QUESTION, "page 7, its number")}
    assert len(ids) == 1
    assert all(each and each.startswith("handbook:page-07.md:") for each in ids)


def test_asked_asynchronously_it_answers_the_same_and_lets_others_work(retriever: TruecopyRetriever) -> None:
    async def many() -> list[list[Document]]:
        return await asyncio.gather(*(retriever.ainvoke(f"the number of page {number}") for number in range(10)))

    for number, found in enumerate(asyncio.run(many())):
        assert str(number * 37) in found[0].page_content


def test_it_is_a_part_of_a_chain_like_any_other(retriever: TruecopyRetriever) -> None:
    chain = retriever | RunnableLambda(lambda documents: [document.metadata["doc_id"] for document in documents])
    assert chain.invoke(QUESTION)[0] == "page-07.md"
    assert [found[0] for found in chain.batch(["the number of page 3", QUESTION])] == ["page-03.md", "page-07.md"]
    tool = create_retriever_tool(retriever, "handbook", "Searches the handbook.")
    assert "259" in tool.invoke({"query": QUESTION})


def test_what_is_asked_for_of_a_time_is_asked_of_the_server(server: str) -> None:
    def first(**options: Any) -> str:
        found = TruecopyRetriever(client=Client(server, KEY), sources=("handbook",), **options).invoke("sales deck")
        return str(found[0].metadata["doc_id"])

    assert first(intent="latest") == "decks/2025.md"
    assert first(as_of="2024-06-01") == "decks/2024.md"
    everything = TruecopyRetriever(client=Client(server, KEY), intent="history").invoke("sales deck")
    assert {"decks/2023.md", "decks/2024.md", "decks/2025.md"} <= {each.metadata["doc_id"] for each in everything}


def test_callbacks_hear_of_the_question_and_of_what_was_found(retriever: TruecopyRetriever) -> None:
    heard, later = Heard(), HeardLater()
    retriever.invoke(QUESTION, config={"callbacks": [heard]})
    assert heard.said[0] == ("start", QUESTION)
    assert heard.said[1][0] == "end"
    assert heard.said[1][1][0] == "page-07.md"
    asyncio.run(retriever.ainvoke(QUESTION, config={"callbacks": [later]}))
    assert later.said == [f"start {QUESTION}", "end 2"]


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
    retriever, heard, later = TruecopyRetriever(client=client(server), sources=sources), Heard(), HeardLater()
    with pytest.raises(error):
        retriever.invoke(QUESTION, config={"callbacks": [heard]})
    with pytest.raises(error):
        asyncio.run(retriever.ainvoke(QUESTION, config={"callbacks": [later]}))
    assert heard.said[-1] == ("error", error)
    assert later.said[-1] == f"error {error.__name__}"


def test_what_can_be_asked_later_is_asked_again_by_langchain_s_own_retry(server: str) -> None:
    class Flaky(Client):
        asked = 0

        def retrieve(self, query: str, **options: Any) -> dict[str, Any]:
            Flaky.asked += 1
            if Flaky.asked < 3:
                return Client(NOBODY).retrieve(query, **options)
            return Client(server, KEY).retrieve(query, **options)

    patient = TruecopyRetriever(client=Flaky(server)).with_retry(
        retry_if_exception_type=(Retriable,), wait_exponential_jitter=False, stop_after_attempt=3
    )
    assert "259" in patient.invoke(QUESTION)[0].page_content
    assert Flaky.asked == 3


def test_the_key_is_in_nothing_that_is_printed_or_traced(retriever: TruecopyRetriever) -> None:
    for shown in (repr(retriever), str(retriever), retriever.model_dump_json(), str(retriever.get_name())):
        assert KEY not in shown
