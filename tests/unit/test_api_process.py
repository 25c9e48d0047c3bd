"""`truecopy serve` and `truecopy mcp` as processes of their own, on a real index."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests

from include.adapters.client import Client, citation
from include.domain.errors import ConfigError, Retriable, Skippable
from tests.dags.live import Repository, settings

KEY = "a-key-of-the-assistant-000"
PAGES = {f"page-{number:02}.md": f"# Page {number}\n\nThe number is {number * 37}.\n" for number in range(12)}
TRUECOPY = [sys.executable, "-m", "include.cli"]


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of an installation with one synced source."""
    folder = tmp_path_factory.mktemp("served")
    _, environment = settings(folder, ("handbook",))
    repository = Repository(folder / "handbook")
    repository.commit(PAGES)
    environment = {**os.environ, **environment}
    subprocess.run([*TRUECOPY, "reconcile", "--json"], env=environment, check=True, capture_output=True)
    return environment


@contextmanager
def served(environment: dict[str, str], log: Path, *options: str, **variables: str) -> Iterator[str]:
    """Its address. Ends the process, which must end by itself and in peace."""
    command = [*TRUECOPY, "serve", "--port", "0", *options]
    with log.open("w+") as errors:
        process = subprocess.Popen(command, env=environment | variables, stderr=errors, stdout=errors)
        try:
            deadline = time.monotonic() + 60
            while not (found := re.search(r"running on (http://[0-9.]+:\d+)", log.read_text())):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
            yield found[1]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


@pytest.fixture(scope="module")
def server(handbook: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("log") / "server.log"
    with served(handbook, log, TRUECOPY_API_KEYS=f"assistant:{KEY}") as url:
        yield url
    assert "Traceback" not in log.read_text()
    assert KEY not in log.read_text()


def test_a_question_is_answered_over_http_with_what_must_be_cited(server: str) -> None:
    answer = Client(server, KEY).retrieve("the number of page 7", limit=3)
    assert answer["results"][0]["doc_id"] == "page-07.md"
    (chunk,) = answer["results"][0]["chunks"]
    cited = citation(answer["results"][0], chunk, answer["retrieval_id"])
    assert "259" in chunk["text"]
    assert cited["doc_version"]
    assert cited["url"]


def test_the_document_of_an_answer_can_be_read_and_others_are_not_there(server: str) -> None:
    client = Client(server, KEY)
    found = client.document("handbook", "page-03.md")
    assert found
    assert "111" in found["chunks"][0]["text"]
    assert client.document("handbook", "page-99.md") is None


def test_the_probes_need_no_key_and_the_night_was_proven(server: str) -> None:
    assert requests.get(f"{server}/healthz", timeout=10).json() == {"status": "alive"}
    ready = requests.get(f"{server}/readyz", timeout=10)
    assert (ready.status_code, ready.json()["ready"]) == (200, True)


def test_the_client_says_what_to_do_about_an_error(server: str) -> None:
    with pytest.raises(ConfigError, match="401"):
        Client(server, "a-key-that-nobody-has-00").retrieve("page")
    with pytest.raises(Skippable, match="422"):
        Client(server, KEY).retrieve("page", sources=["payroll"])
    with pytest.raises(Retriable, match="did not answer"):
        Client("http://127.0.0.1:9", KEY).retrieve("page")
    assert KEY not in repr(Client(server, KEY))


def test_many_at_once_are_answered_while_a_sync_writes(server: str, handbook: dict[str, str]) -> None:
    client = Client(server, KEY)
    with ThreadPoolExecutor(20) as threads:
        sync = threads.submit(
            subprocess.run, [*TRUECOPY, "sync", "--force"], env=handbook, capture_output=True, check=False
        )
        numbers = [number % 12 for number in range(40)]
        answers = list(threads.map(lambda number: client.retrieve(f"the number of page {number}"), numbers))
    assert sync.result().returncode == 0
    for answer in answers:
        for result in answer["results"]:
            number = int(re.findall(r"\d+", result["doc_id"])[0])
            assert str(number * 37) in result["chunks"][0]["text"]


def test_a_stopped_server_has_written_its_query_log(handbook: dict[str, str], tmp_path: Path) -> None:
    with served(handbook, tmp_path / "log", TRUECOPY_API_KEYS=f"assistant:{KEY}") as url:
        answer = Client(url, KEY).retrieve("the number of page 5")
    lines = [
        line for file in Path(handbook["TRUECOPY_STATE"]).rglob("*.jsonl") for line in file.read_text().splitlines()
    ]
    (line,) = [found for each in lines if (found := json.loads(each))["retrieval_id"] == answer["retrieval_id"]]
    assert line["asked_by"] == "assistant"
    assert "page 5" not in json.dumps(line)


@pytest.mark.parametrize(
    ("options", "keys", "said"),
    [
        ((), "", "no API key is configured"),
        (("--host", "0.0.0.0"), "", "no API key is configured"),
        (("--host", "0.0.0.0", "--without-keys"), "", "listens at 127.0.0.1 only"),
        (("--host", "0.0.0.0", "--without-keys"), f"assistant:{KEY}", "listens at 127.0.0.1 only"),
        ((), "assistant:short", "at least 24"),
        ((), KEY, "is not `name:key`"),
    ],
)
def test_it_does_not_start_unprotected_and_says_why(
    handbook: dict[str, str], options: tuple[str, ...], keys: str, said: str
) -> None:
    command = [*TRUECOPY, "serve", "--port", "0", *options]
    ended = subprocess.run(
        command, env=handbook | {"TRUECOPY_API_KEYS": keys}, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 2
    assert said in " ".join(ended.stderr.split())
    assert KEY not in ended.stderr


def test_without_keys_it_starts_where_that_is_said_on_this_machine(handbook: dict[str, str], tmp_path: Path) -> None:
    with served(handbook, tmp_path / "log", "--without-keys") as url:
        assert Client(url).retrieve("the number of page 7")["results"]


# --- tools


def test_the_tools_speak_the_protocol_over_standard_input(handbook: dict[str, str]) -> None:
    import anyio
    from mcp import Client as McpClient
    from mcp import StdioServerParameters, stdio_client

    parameters = StdioServerParameters(command=sys.executable, args=["-m", "include.cli", "mcp"], env=handbook)

    async def talk() -> dict[str, Any]:
        async with McpClient(stdio_client(parameters)) as client:
            tools = await client.list_tools()
            found = await client.call_tool("search", {"query": "the number of page 7", "limit": 2})
            why = await client.call_tool("explain", {"query": "the latest page 7", "candidates": 3})
            read = await client.call_tool("document", {"source": "handbook", "doc_id": "page-03.md"})
            hidden = await client.call_tool("document", {"source": "handbook", "doc_id": "no-such-page"})
            wrong = await client.call_tool("search", {"query": "page", "sources": ["payroll"]})
        return {"tools": tools, "found": found, "why": why, "read": read, "hidden": hidden, "wrong": wrong}

    said = anyio.run(talk)
    assert {tool.name for tool in said["tools"].tools} == {"search", "explain", "document"}
    assert all(tool.annotations.read_only_hint for tool in said["tools"].tools)
    assert said["found"].structured_content["results"][0]["doc_id"] == "page-07.md"
    assert said["why"].structured_content["intent"]["kind"] == "latest"
    assert len(said["why"].structured_content["candidates"]) == 3
    assert "111" in said["read"].structured_content["chunks"][0]["text"]
    assert said["hidden"].is_error
    assert said["wrong"].is_error
    assert "no source 'payroll'" in said["wrong"].content[0].text
