"""`truecopy mcp`: the retrieval service as tools of the Model Context Protocol, over standard input and output.

The program that starts it reads everything that readers may; there are no keys. Over a network use `truecopy serve`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field, ValidationError

from include.api.answers import Answers
from include.api.messages import Answer, Document, Question
from include.api.problems import problem_of
from include.domain.errors import Skippable
from include.ranking.intent import IntentKind

ASKED_BY = "mcp"
INSTRUCTIONS = (
    "Answers from a company's own documents, kept a true copy of their sources. Quote only what `search` returns, with "
    "its url and doc_version, and pass on every notice. A status `superseded` means that a later document replaced it. "
    "A date is as exact as its precision says (`year` is not the first of January), one of trust `unknown` is no fact."
)
_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

Query = Annotated[str, Field(description="the question, in words")]
Limit = Annotated[int, Field(ge=1, le=50, description="documents to show at most")]
Sources = Annotated[list[str] | None, Field(description="only from these sources; none: from all")]
Intent = Annotated[IntentKind | None, Field(description="what is wanted, whatever the question says")]
AsOf = Annotated[str | None, Field(description="what held on that day (2024-05-01), in that month or year")]


def mcp_server(answers: Answers, version: str = "") -> MCPServer:
    server = MCPServer("truecopy", instructions=INSTRUCTIONS, version=version, log_level="WARNING")

    async def asked(**fields: Any) -> dict[str, Any]:
        try:
            question = Question(**{name: value for name, value in fields.items() if value is not None})
        except ValidationError as error:
            raise ToolError("; ".join(f"{each['loc'][0]}: {each['msg']}" for each in error.errors())) from None
        found: dict[str, Any] = await _told(lambda: answers.retrieve(question, asked_by=ASKED_BY))
        return found

    @server.tool(annotations=_READS)
    async def search(
        query: Query, limit: Limit = 5, sources: Sources = None, intent: Intent = None, as_of: AsOf = None
    ) -> Answer:
        """Find the documents that answer a question and that hold, each with its best passages, address, version and
        dates. Say in words what is wanted: "latest", "in 2024", "all versions"."""
        found = await asked(query=query, limit=limit, sources=sources, intent=intent, as_of=as_of)
        return Answer.model_validate(found)

    @server.tool(annotations=_READS)
    async def explain(
        query: Query,
        limit: Limit = 5,
        sources: Sources = None,
        intent: Intent = None,
        as_of: AsOf = None,
        candidates: Annotated[int, Field(ge=1, le=200, description="so many candidates of the whole ranking")] = 20,
    ) -> Answer:
        """Why a search shows what it shows: every part of each candidate's score, and why others are left out. The
        texts of those are left out too."""
        found = await asked(query=query, limit=limit, sources=sources, intent=intent, as_of=as_of, explain=True)
        ranking = [each if each["shown"] else each | {"chunks": []} for each in found["candidates"]]
        return Answer.model_validate(found | {"candidates": ranking[:candidates]})

    @server.tool(annotations=_READS)
    async def document(source: str, doc_id: str) -> Document:
        """The whole text of one document as it stands now, by the source and doc_id that a search returned."""
        found = await _told(lambda: answers.document(source, doc_id))
        if found is None:
            raise ToolError("No such document can be read.")
        return Document.model_validate(found)

    return server


async def _told(act: Callable[[], Any]) -> Any:
    try:
        return await anyio.to_thread.run_sync(act)
    except Skippable as error:
        raise ToolError(str(error)) from None
    except Exception as error:  # noqa: BLE001 (its inside is for the log, not for the model)
        raise ToolError(problem_of(error).detail) from None
