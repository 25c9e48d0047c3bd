"""A real HTTP server that answers like OpenAI's `/v1/embeddings`, and misbehaves on request."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from include.ports import Embedder

Answer = tuple[int, dict[str, str], bytes]


class EmbeddingServer:
    """`scripted` answers are given first, one a request; afterwards the server is well. It keeps what it was sent."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.scripted: list[Answer] = []
        self.requests: list[dict[str, object]] = []
        self.headers: list[dict[str, str]] = []
        self.alter: Callable[[list[dict[str, object]]], list[dict[str, object]]] = lambda items: items
        self.url = ""

    def answer(self, request: dict[str, object], headers: dict[str, str]) -> Answer:
        self.requests.append(request)
        self.headers.append(headers)
        if self.scripted:
            return self.scripted.pop(0)
        rows = self._embedder.embed(request["input"])  # type: ignore[arg-type]
        # unnormalised, and in another order than asked: both are allowed
        items: list[dict[str, object]] = [
            {"index": index, "embedding": [float(x) * 3 for x in row]} for index, row in enumerate(rows)
        ]
        return 200, {}, json.dumps({"data": self.alter(items[::-1])}).encode()


@contextmanager
def serving(embedder: Embedder) -> Iterator[EmbeddingServer]:
    """The server on a free local port for the time of the block."""
    server = EmbeddingServer(embedder)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, headers, payload = server.answer(body, dict(self.headers))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(payload)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, format: str, *args: object) -> None:
            """Tests print what matters themselves."""

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.url = f"http://127.0.0.1:{httpd.server_port}/v1/embeddings"
    thread = Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()
