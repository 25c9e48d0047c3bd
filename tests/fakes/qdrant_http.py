"""A Qdrant server's HTTP face over the client's local mode: for the adapter's own words on the wire.

It takes the requests that the adapter sends, refuses a filter on a field without payload index as strict mode does
(strict from the first request, whatever the collection asked for), keeps a log of requests, and can be told to
answer with trouble. It proves nothing about a real server's engine; QDRANT_URL does.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from qdrant_client import QdrantClient, models

Trouble = Callable[[str, str], tuple[int, dict[str, Any]] | None]


@dataclass
class QdrantHttp:
    """`trouble(method, path)` may answer in the server's place. `requests` is (method, path, query, body)."""

    client: QdrantClient = field(default_factory=lambda: QdrantClient(":memory:"))
    indexes: dict[str, dict[str, str]] = field(default_factory=dict)
    strict: dict[str, Any] = field(default_factory=dict)
    snapshots: dict[str, list[str]] = field(default_factory=dict)
    requests: list[tuple[str, str, dict[str, str], Any]] = field(default_factory=list)
    trouble: Trouble = lambda method, path: None
    mutex: Any = field(default_factory=threading.Lock)

    def answer(self, method: str, target: str, body: Any) -> tuple[int, dict[str, Any]]:
        parts = urlsplit(target)
        with self.mutex:
            self.requests.append((method, parts.path, dict(parse_qsl(parts.query)), body))
            if (instead := self.trouble(method, parts.path)) is not None:
                return instead
            try:
                return 200, {"result": self._result(method, parts.path, body), "status": "ok", "time": 0.0}
            except KeyError as error:
                return 404, {"status": {"error": f"Not found: {error}"}}
            except ValueError as error:
                status = 404 if "not found" in str(error) else 409 if "already exists" in str(error) else 400
                return status, {"status": {"error": str(error)}}

    def _result(self, method: str, path: str, body: Any) -> Any:
        match method, path.strip("/").split("/"):
            case _, ["snapshots"] | ["collections", _, "snapshots", *_]:
                return self._snapshots(method, *path.strip("/").partition("snapshots"))
            case "GET", ["aliases"]:
                return _json(self.client.get_aliases())
            case "GET", ["collections"]:
                return _json(self.client.get_collections())
            case "POST", ["collections", "aliases"]:
                request = models.ChangeAliasesOperation.model_validate(body)
                return self.client.update_collection_aliases(change_aliases_operations=request.actions)
            case "GET", ["collections", name, "exists"]:
                return {"exists": self.client.collection_exists(name)}
            case "GET", ["collections", name]:
                return self._info(name)
            case "PUT", ["collections", name]:
                self.strict[name] = body.get("strict_mode_config")
                request = models.CreateCollection.model_validate(body)
                return self.client.create_collection(
                    name,
                    vectors_config=request.vectors,
                    sparse_vectors_config=request.sparse_vectors,
                    metadata=request.metadata,
                )
            case "PUT", ["collections", name, "index"]:
                self.indexes.setdefault(name, {})[body["field_name"]] = body["field_schema"]
                return _COMPLETED
            case "PATCH", ["collections", _]:
                return True
            case verb, ["collections", name, "points", *rest]:
                return self._points(verb, "/".join(rest), name, body)
        raise KeyError(f"{method} {path}")

    def _snapshots(self, method: str, of: str, _word: str, name: str) -> Any:
        """By what they are of: `collections/<name>/`, or nothing for the whole server."""
        kept = self.snapshots.setdefault(of, [])
        if method == "DELETE":
            kept.remove(name.strip("/"))
            return True
        if method == "POST":
            kept.append("anew")
            return {"name": "anew", "size": 1}
        return [{"name": each, "size": 1} for each in kept]

    def _points(self, method: str, what: str, name: str, body: Any) -> Any:
        self._check_filter(name, body.get("filter"))
        match method, what:
            case "POST", "count":
                return _json(self.client.count(name, models.Filter(**body.get("filter") or {}), exact=body["exact"]))
            case "POST", "scroll":
                scroll = models.ScrollRequest.model_validate(body)
                points, offset = self.client.scroll(
                    name,
                    scroll.filter,
                    scroll.limit or 10,
                    offset=scroll.offset,
                    with_payload=scroll.with_payload or False,
                    with_vectors=scroll.with_vector or False,
                )
                return {"points": [_json(point) for point in points], "next_page_offset": offset}
            case "POST", "query":
                query = models.QueryRequest.model_validate(body)
                for leg in body.get("prefetch") or []:
                    self._check_filter(name, leg.get("filter"))
                return _json(
                    self.client.query_points(
                        name,
                        query.query.nearest if isinstance(query.query, models.NearestQuery) else query.query,
                        using=query.using,
                        prefetch=query.prefetch,
                        query_filter=query.filter,
                        limit=query.limit or 10,
                        with_payload=query.with_payload or False,
                    )
                )
            case "PUT", "":
                given = models.PointsList.model_validate(body)
                self.client.upsert(name, given.points, update_mode=given.update_mode)
                return _COMPLETED
            case "POST", "payload":
                change = models.SetPayload.model_validate(body)
                self.client.set_payload(name, change.payload, change.filter or change.points)
                return _COMPLETED
            case "POST", "delete":
                self.client.delete(name, models.FilterSelector.model_validate(body))
                return _COMPLETED
        raise KeyError(f"{method} points/{what}")

    def _info(self, name: str) -> dict[str, Any]:
        info = _json(self.client.get_collection(name))
        info["config"]["strict_mode_config"] = self.strict.get(name)
        info["payload_schema"] = {
            key: {"data_type": kind, "points": 0} for key, kind in self.indexes.get(name, {}).items()
        }
        return info

    def _check_filter(self, name: str, conditions: Mapping[str, Any] | None) -> None:
        aliases = {item.alias_name: item.collection_name for item in self.client.get_aliases().aliases}
        indexed = self.indexes.get(aliases.get(name, name), {})
        for condition in [c for part in (conditions or {}).values() for c in part or []]:
            if "key" in condition and condition["key"] not in indexed:
                raise ValueError(f"Bad request: an index is required for {condition['key']!r}")


_COMPLETED = {"operation_id": 1, "status": "completed"}


def _json(model: Any) -> Any:
    return json.loads(model.model_dump_json())


@contextmanager
def serving() -> Iterator[tuple[str, QdrantHttp]]:
    """The url and the server behind it."""
    server = QdrantHttp()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length)) if length else {}
            status, answer = server.answer(self.command, self.path, body)
            content = json.dumps(answer, default=str).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = handle_any  # noqa: N815

        def log_message(self, *_args: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_port}", server
    finally:
        http.shutdown()
        http.server_close()
