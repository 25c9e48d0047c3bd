"""A retriever for LangChain. Needs the extra `langchain`."""

from __future__ import annotations

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from include.adapters.client import Client, citation, passage_id


class TruecopyRetriever(BaseRetriever):  # type: ignore[misc, unused-ignore]
    """One Document a passage, best document first; the metadata are what must be cited. Raises what `Client` raises:
    an assistant that hears nothing must know that it was not because nothing is there."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    client: Client = Field(exclude=True)  # it holds a key, which must not travel with what is traced
    limit: int = 5
    sources: tuple[str, ...] = ()
    intent: str | None = None
    as_of: str | None = None

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        answer = self.client.retrieve(
            query, limit=self.limit, sources=self.sources, intent=self.intent, as_of=self.as_of
        )
        return [
            Document(
                id=passage_id(result, chunk),
                page_content=chunk["text"],
                metadata=citation(result, chunk, answer["retrieval_id"]),
            )
            for result in answer["results"]
            for chunk in result["chunks"]
        ]
