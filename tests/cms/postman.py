"""Stands between a site that sends webhooks and the receiver, keeps deliveries a while, and may treat them badly."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random

from include.hooks.delivery import Delivery

LOST, TWICE, LATE = 0.3, 0.3, 0.2


class Postman:
    """An HTTP server that answers every POST at once, as a receiver does; with 204 if it takes them."""

    def __init__(self, status: int = 204) -> None:
        self._status = status
        self._lock = threading.Lock()
        self._taken: list[Delivery] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, name="postman", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/hooks"

    def deliver(self, hand_over: Callable[[Delivery], None]) -> int:
        """Everything that was sent, in order. Returns how many deliveries that were."""
        with self._lock:
            taken, self._taken = self._taken, []
        for delivery in taken:
            hand_over(delivery)
        return len(taken)

    def deliver_badly(self, hand_over: Callable[[Delivery], None], random: Random) -> int:
        """In any order; some never, some twice, some only the next time. Returns how many were handed over."""
        with self._lock:
            taken, self._taken = self._taken, []
        kept = [delivery for delivery in taken if random.random() >= LOST]
        late = [delivery for delivery in kept if random.random() < LATE]
        now = [delivery for delivery in kept if delivery not in late]
        now += [delivery for delivery in now if random.random() < TWICE]
        random.shuffle(now)
        for delivery in now:
            hand_over(delivery)
        with self._lock:
            self._taken = late + self._taken
        return len(now)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        postman = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                with postman._lock:
                    postman._taken.append(Delivery(self.path, headers, body))
                self.send_response(postman._status)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler
