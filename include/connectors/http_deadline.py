"""An end to waiting for one HTTP answer, however slowly the server dribbles.

A socket's time-out counts from byte to byte: a server that sends one byte a second, of the head or of the body, never
runs into it. Here a thread cuts the connections of a request when its time is up, whatever phase it is in.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection

_AGAIN = 0.1  # seconds; a connection may come to be after the time is up (a slow DNS server)


class _Watch:
    """The connections of one request. They are held by copies of their file descriptors: TLS replaces the socket
    object, and an answer that closes the connection takes the socket away, in both cases before the body is read."""

    def __init__(self) -> None:
        self.is_expired = False
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._held: list[socket.socket] = []

    def hold(self, connected: socket.socket) -> None:
        with self._lock:
            self._held.append(socket.socket(fileno=os.dup(connected.fileno())))

    def cut_after(self, seconds: float) -> None:
        over = self._done.wait(seconds)
        while not over:
            self.is_expired = True
            with self._lock:
                for held in self._held:
                    with suppress(OSError):  # it was closed by the other side
                        held.shutdown(socket.SHUT_RDWR)
            over = self._done.wait(_AGAIN)

    def stop(self, thread: threading.Thread) -> None:
        self._done.set()
        thread.join()
        for held in self._held:
            held.close()


_watch: ContextVar[_Watch | None] = ContextVar("watch", default=None)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raises requests.ReadTimeout when the block takes longer, also where it ended well: an answer without a length
    that was cut looks complete. Holds for requests through a `WatchedAdapter` in the same thread."""
    watch = _Watch()
    thread = threading.Thread(target=watch.cut_after, args=(seconds,), name="http-deadline", daemon=True)
    token = _watch.set(watch)
    thread.start()
    try:
        yield
    except Exception:
        if not watch.is_expired:
            raise
    finally:
        _watch.reset(token)
        watch.stop(thread)
    if watch.is_expired:
        raise requests.ReadTimeout


class WatchedAdapter(HTTPAdapter):
    """The transport of requests, with connections that `deadline` can cut."""

    def get_connection_with_tls_context(
        self,
        request: requests.PreparedRequest,
        verify: bool | str | None,
        proxies: Mapping[str, str] | None = None,
        cert: Any = None,
    ) -> Any:
        pool: Any = super().get_connection_with_tls_context(request, verify, proxies, cert)
        pool.ConnectionCls = _WATCHED.get(pool.ConnectionCls, pool.ConnectionCls)
        return pool


class _WatchedHttp(HTTPConnection):
    def _new_conn(self) -> socket.socket:
        return _held(super()._new_conn())

    def request(self, *args: Any, **kwargs: Any) -> None:
        if self.sock is not None:  # kept alive from an earlier request
            _held(self.sock)
        super().request(*args, **kwargs)


class _WatchedHttps(HTTPSConnection):
    def _new_conn(self) -> socket.socket:
        return _held(super()._new_conn())

    def request(self, *args: Any, **kwargs: Any) -> None:
        if self.sock is not None:
            _held(self.sock)
        super().request(*args, **kwargs)


_WATCHED: dict[Any, Any] = {HTTPConnection: _WatchedHttp, HTTPSConnection: _WatchedHttps}


def _held(connected: socket.socket) -> socket.socket:
    watch = _watch.get()
    if watch is not None:
        watch.hold(connected)
    return connected
