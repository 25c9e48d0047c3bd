"""Runs of the real services over a real embedded index, each in a process of its own that can die on command.

A fork server: everything is imported once, nothing is opened. For each line on stdin it forks, and the fork does one
run and says on stdout what it did, or kills itself with SIGKILL just before its n-th operation. An operation is any
call of the index, the source, the manifests, the ledger or the removal marks.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from include.domain.manifest import Manifest
from include.planning.assigning import typed
from include.planning.choosing import choose
from include.records.ledger import GitLedger
from include.records.manifests import FileManifests
from include.records.removal_marks import FileRemovalMarks
from include.records.state import StateRoot
from include.services.context import SourceContext
from include.services.metadata_run import Wish, apply_run
from include.store.edge import EdgeStore
from tests.builders import context_of, day, night, no_progress
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.source import FakeSource
from tests.faults import ObservedStore

WRITES = frozenset({"insert", "overwrite", "set_payload", "delete"})


def source_before() -> FakeSource:
    source = FakeSource().put_pages(17)
    source.put("grows", "first line\nsecond line\nthird line")
    source.put("shrinks", "one\ntwo\nthree\nfour")
    source.put("moves", "the same text\nunder another name")
    return source


def source_after() -> FakeSource:
    """Every kind of change: a new page, another text, a shorter one, a change beside the text, a move, a deletion."""
    source = source_before()
    source.put("grows", "first line\na line between\nthird line\nfourth line")
    source.put("shrinks", "one\nthree, changed")
    source.touch("page-00")
    source.touch("page-01")
    source.delete("page-16")
    source.pages["moved"] = source.pages.pop("moves")
    source.put("born", "a new page\nwith two lines")
    return source


SOURCES = {"before": source_before, "after": source_after}


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def store_in(folder: Path) -> EdgeStore:
    return EdgeStore(folder / "index", "docs", lock_timeout=60)


MARKED = {"created_at": "2023-04-01", "title": "A page", "status": "superseded", "superseded_by": "grows"}


def set_metadata(context: SourceContext, run_id: str) -> Manifest:
    """Of ten pages a date, a title and a status; said again, it finishes what was begun."""
    wish = Wish("Ada", "older than they look", choice=choose(["path=page-0*"]), patch=typed(MARKED))
    return apply_run(context, wish, run_id=run_id, progress=no_progress).manifest


def ledger_in(folder: Path, operations: Callable[[str], None]) -> GitLedger:
    """A ledger whose files and commits are operations as well."""
    ledger = GitLedger(folder / "ledger")
    ledger._repository = Counted(ledger._repository, operations)  # type: ignore[assignment]
    return ledger


@dataclass
class Operations:
    """Counts, and dies before the n-th."""

    kill_before: int | None
    seen: list[str] = field(default_factory=list)

    def __call__(self, operation: str) -> None:
        self.seen.append(operation)
        if len(self.seen) == self.kill_before:
            os.kill(os.getpid(), signal.SIGKILL)


class Counted:
    """Any adapter; each call of a method is an operation."""

    def __init__(self, adapter: object, on_io: Callable[[str], None]) -> None:
        self._adapter = adapter
        self._on_io = on_io

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._adapter, name)
        if not callable(attribute):
            return attribute

        def counted(*args: Any, **kwargs: Any) -> Any:
            self._on_io(name)
            return attribute(*args, **kwargs)

        return counted


def run(folder: Path, kind: str, source: str, run_id: str, kill_before: int | None) -> dict[str, object]:
    """One nightly run, one ingest run, or one that sets metadata; what it did, in numbers."""
    state = StateRoot(str(folder / "state"))
    embedder, clock = FakeEmbedder(), SystemClock()
    operations = Operations(None)
    context = context_of(
        SOURCES[source]().connector(clock),
        store=ObservedStore(store_in(folder), operations),
        embedder=embedder,
        clock=clock,
        ledger=Counted(ledger_in(folder, operations), operations),
        manifests=Counted(FileManifests(state), operations),
        removal_marks=Counted(FileRemovalMarks(state), operations),
        batch_documents=3,
    )
    context = replace(context, connector=Counted(context.connector, operations))
    operations.seen.clear()
    operations.kill_before = kill_before
    manifest = {"night": night, "day": day, "set": set_metadata}[kind](context, run_id)
    return {
        "state": manifest.state,
        "reason": manifest.reason,
        "operations": operations.seen,
        "writes": sum(operation in WRITES for operation in operations.seen),
        "embedded": sorted(embedder.embedded),
    }


class ForkServer:
    """Its other end: starts runs and waits for them. Use as a context; one run at a time."""

    def __enter__(self) -> ForkServer:
        self._stack = ExitStack()
        self._process = self._stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", "tests.contract.crashing_runs"],
                cwd=Path(__file__).parents[2],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._stack.close()

    def run(
        self,
        folder: Path,
        kind: str,
        *,
        source: str = "after",
        kill_before: int | None = None,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> dict[str, Any] | None:
        """What the run did, or None if it was killed. `meanwhile` is called again and again until it has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = [str(folder), kind, source, f"run-{os.urandom(4).hex()}", kill_before]
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        while not select.select([self._process.stdout], [], [], 0)[0]:
            meanwhile()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        if "signal" in answer:
            assert answer["signal"] == signal.SIGKILL, answer
            return None
        return answer


def serve() -> None:
    for line in sys.stdin:
        folder, *rest = json.loads(line)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                answer: dict[str, object] = run(Path(folder), *rest)
            except BaseException as error:  # noqa: BLE001 (told to the test)
                answer = {"state": "raised", "reason": f"{type(error).__name__}: {error}"}
            os.write(writing, json.dumps(answer).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            said = pipe.read()
        _, status = os.waitpid(child, 0)
        answer = json.loads(said) if not os.WIFSIGNALED(status) else {"signal": os.WTERMSIG(status)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
