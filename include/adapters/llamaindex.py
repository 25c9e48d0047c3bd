"""A retriever for LlamaIndex. Needs the extra `llamaindex`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from include.adapters.client import Client, citation, passage_id


class TruecopyRetriever(BaseRetriever):  # type: ignore[misc, unused-ignore]
    """One node a passage, with the score of its document; the metadata are what must be cited and are kept out of what
    is embedded. Raises what `Client` raises."""

    def __init__(
        self,
        client: Client,
        *,
        limit: int = 5,
        sources: Sequence[str] = (),
        intent: str | None = None,
        as_of: str | None = None,
    ) -> None:
        self._client = client
        self._options = {"limit": limit, "sources": tuple(sources), "intent": intent, "as_of": as_of}
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        answer = self._client.retrieve(query_bundle.query_str, **self._options)  # type: ignore[arg-type]
        nodes = []
        for result in answer["results"]:
            for chunk in result["chunks"]:
                metadata = citation(result, chunk, answer["retrieval_id"])
                node = TextNode(
                    id_=passage_id(result, chunk),
                    text=chunk["text"],
                    metadata=metadata,
                    excluded_embed_metadata_keys=list(metadata),
                )
                nodes.append(NodeWithScore(node=node, score=result["score"]))
        return nodes

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """In a thread: the class above would wait for the answer in the event loop, and everything else with it."""
        return await asyncio.to_thread(self._retrieve, query_bundle)
