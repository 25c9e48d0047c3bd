"""What was asked and what was shown, for those who look into an answer later. Never the reason that one fails.

    queries/<hour>/<process>.jsonl      a line each; on object stores several files a process and hour

A question is put into a bounded queue; one thread writes what is in it every few seconds. What does not fit is dropped
and counted, and the count is written as a line of its own. What a process had not written is lost when it is killed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import queue
import secrets
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from include.domain.dates import rfc3339
from include.ports import Clock
from include.ports.erasing import Tombstones
from include.records.state import StateRoot

log = logging.getLogger(__name__)

MOST_WAITING = 10_000
WRITTEN_EVERY_SECONDS = 10.0
SWEPT_EVERY_SECONDS = 3_600.0
_HOUR = "%Y-%m-%dT%H"

Form = Literal["none", "hash", "plain"]


@dataclass(frozen=True, slots=True)
class Shown:
    source: str
    doc_id: str
    doc_version: str
    score: float


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One answered question. `asked_by` is the name of a key, never the key."""

    retrieval_id: str
    at: datetime
    asked_by: str
    query: str
    intent: str
    sources: tuple[str, ...]
    limit: int
    shown: tuple[Shown, ...]
    candidates: int
    latency_ms: float


class QueryLog:
    """One for each process, used by any number of its threads. `form` is how the text of a question is kept: not at
    all, as it is, or as a keyed digest, by which equal questions can be found and no question can be guessed without
    the key. Without a `key` each process makes one that is never stored."""

    def __init__(
        self,
        state: StateRoot,
        clock: Clock,
        *,
        form: Form = "hash",
        key: str = "",
        keep_days: int = 30,
        most_waiting: int = MOST_WAITING,
        every: float = WRITTEN_EVERY_SECONDS,
        tombstones: Tombstones | None = None,
    ) -> None:
        """With `tombstones` a document that was erased between the answer and its line is not named."""
        self._state = state
        self._tombstones = tombstones
        self._clock = clock
        self._form = form
        self._key = key.encode() or secrets.token_bytes(32)
        self._keep = timedelta(days=keep_days)
        self._every = every
        self._name = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._queue: queue.Queue[AskedQuestion | None] = queue.Queue(most_waiting)
        self._lock = threading.Lock()
        self._dropped = 0
        self._unreported = 0
        self._thread: threading.Thread | None = None

    @property
    def dropped(self) -> int:
        """So many questions were not written, since this process began."""
        return self._dropped

    def record(self, question: AskedQuestion) -> None:
        """Cheap, and never fails."""
        try:
            self._queue.put_nowait(question)
        except queue.Full:
            self._drop(1)
        if self._thread is None or not self._thread.is_alive():
            self._start()

    def close(self, within: float = 5.0) -> None:
        """Write what waits. Not waited for longer than that many seconds."""
        thread = self._thread
        if thread is None or not thread.is_alive():
            return
        try:
            self._queue.put(None, timeout=within)
        except queue.Full:
            return
        thread.join(within)

    def since(self, moment: datetime) -> Iterator[dict[str, Any]]:
        """Every line of every process, from the beginning of that hour. One that is torn is passed over."""
        first = f"{moment:{_HOUR}}"
        for hour in self._state.names("queries"):
            if hour < first:
                continue
            for name, data in self._state.read_all(f"queries/{hour}").items():
                for line in data.decode("utf-8", "replace").splitlines():
                    try:
                        yield json.loads(line)
                    except ValueError:
                        log.warning("queries/%s/%s: a line cannot be read and is passed over", hour, name)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._write, name="truecopy-query-log", daemon=True)
                self._thread.start()

    def _drop(self, number: int) -> None:
        with self._lock:
            self._dropped += number
            self._unreported += number

    def _write(self) -> None:
        swept_at = float("-inf")
        is_open = True
        while is_open:
            batch, is_open = self._gathered()
            try:
                self._append(batch)
                if time.monotonic() - swept_at > SWEPT_EVERY_SECONDS:
                    swept_at = time.monotonic()
                    self._sweep()
            except Exception as error:  # noqa: BLE001 (whatever a file system raises, the questions go on)
                self._drop(len(batch))
                log.warning("the query log could not be written, %d questions are dropped: %s", len(batch), error)

    def _gathered(self) -> tuple[list[AskedQuestion], bool]:
        """What came within some seconds of the first; False when it was the last."""
        batch: list[AskedQuestion] = []
        until = None
        while until is None or time.monotonic() < until:
            try:
                question = self._queue.get(timeout=None if until is None else max(0.0, until - time.monotonic()))
            except queue.Empty:
                break
            if question is None:
                return batch, False
            until = until or time.monotonic() + self._every
            batch.append(question)
        return batch, True

    def _append(self, batch: list[AskedQuestion]) -> None:
        by_hour: dict[str, list[str]] = {}
        for question in batch:
            by_hour.setdefault(f"{question.at:{_HOUR}}", []).append(json.dumps(self._line(question)))
        with self._lock:
            unreported = self._unreported
        if unreported:
            now = self._clock.now()
            line = json.dumps({"at": rfc3339(now), "dropped": unreported})
            by_hour.setdefault(f"{now:{_HOUR}}", []).append(line)
        for hour, lines in by_hour.items():
            self._state.append(f"queries/{hour}/{self._name}.jsonl", ("\n".join(lines) + "\n").encode())
        with self._lock:
            self._unreported -= unreported

    def _line(self, question: AskedQuestion) -> dict[str, Any]:
        line = asdict(question) | {"at": rfc3339(question.at)}
        if self._tombstones is not None:
            for shown in line["shown"]:
                marks = self._tombstones.marks_among(shown["source"], [shown["doc_id"]])
                shown["doc_id"] = marks.get(shown["doc_id"], shown["doc_id"])
        text = line.pop("query")
        if self._form == "plain":
            line["query"] = text
        elif self._form == "hash":
            line["query_hash"] = hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()
        return line

    def _sweep(self) -> None:
        oldest_kept = f"{self._clock.now() - self._keep:{_HOUR}}"
        for hour in self._state.names("queries"):
            if hour < oldest_kept:
                self._state.remove_folder(f"queries/{hour}")
