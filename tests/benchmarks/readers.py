"""Many readers of `truecopy serve` while an ingest rewrites the whole corpus beside them: how long each waits, whether
anybody gets an error, and whether an answer ever mixes two versions of a document.

    python -m tests.benchmarks.readers [FOLDER or ARCHIVE]        without one: pages made up for it

The corpus is a Git repository, the index the embedded engine, the server a process of its own; a reader asks over HTTP
and asks again as soon as it is answered. Every paragraph of a page names its edition; a fifth of the pages gets a new
one in each round of the ingest, because the gate holds more than that.
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
from rich.console import Console
from rich.table import Table

from include.ports import IndexStore
from include.ranking.explain import explained
from include.services.retrieval import retrieve
from include.wiring import runs
from include.wiring.application import Application
from tests.benchmarks import corpus as texts
from tests.dags.live import Repository

ROUNDS = 5
SOURCE = "corpus"
SETTINGS = """
store: {{url: "edge:{folder}/index"}}
limits: {{update_percent: 50, update_allowance: 1000000, same_text_percent: 100}}
sources:
  corpus: {{kind: git_markdown, options: {{location: "{folder}/pages"}}}}
api: {{requests_per_minute: 10000000, burst: 1000000, timeout_seconds: {timeout}, fresh_hours: null}}
"""
TOPICS = (
    "refund",
    "invoice",
    "connector",
    "retention",
    "password",
    "webhook",
    "listing",
    "snapshot",
    "quota",
    "export",
)
EDITION = re.compile(r"\(edition (\d+) of ([^)]+)\)")


@dataclass
class Asked:
    """What the readers of one phase met. Times are seconds."""

    seconds: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    mixed: int = 0
    lasted: float = 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 for an error or an answer of mixed versions; times never fail the run."""
    options = _options(arguments)
    console = Console()
    with tempfile.TemporaryDirectory(prefix="truecopy-readers-") as name:
        folder = Path(name)
        pages = _pages(options)
        repository = Repository(folder / "pages")
        repository.commit({page: _edition(text, page, 0) for page, text in pages.items()})
        (folder / "truecopy.yaml").write_text(SETTINGS.format(folder=folder, timeout=options.timeout))
        environment = {**os.environ, **_variables(folder)}
        application = Application.from_environment(environment)
        began = time.perf_counter()
        runs.ingest_source(application, SOURCE, runs.Run("bench", "first"), progress=_silent)
        with application.store.reading() as index:
            chunks = index.count_points()
        console.print(
            f"{len(pages):,} pages, {chunks:,} chunks, ingested in {time.perf_counter() - began:.1f} s; "
            f"{options.readers} readers on {os.cpu_count()} cores"
        )
        questions = [f"{topic} {page.rsplit('/', 1)[-1]}" for page in pages for topic in TOPICS[:2]]
        alone = _alone(application, questions[:: max(1, len(questions) // 30)])
        with _served(environment, folder / "server.log") as (url, process):
            quiet, quiet_cpu = _phase(url, process, questions, options.readers, _for(options.seconds))
            busy, busy_cpu = _phase(
                url, process, questions, options.readers, _until_ingested(repository, pages, folder)
            )
        _print(console, {"alone": (quiet, quiet_cpu), "beside ingest": (busy, busy_cpu)}, alone)
        return int(any(asked.errors or asked.mixed for asked in (quiet, busy)))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.readers", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("corpus", type=Path, nargs="?", help="a folder, git checkout or tar archive")
    parser.add_argument("--documents", type=int, default=100, help="take only so many, spread evenly")
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=10, help="of the phase without an ingest")
    parser.add_argument("--timeout", type=float, default=15, help="of a request, in seconds")
    return parser.parse_args(arguments)


def _pages(options: argparse.Namespace) -> dict[str, str]:
    if options.corpus:
        found = texts.load(options.corpus, documents=options.documents)
        return {page.doc_id: page.text for page in found.values() if page.doc_id.endswith(".md")}
    return {f"guide/page-{number:05}.md": _made_up(number) for number in range(options.documents)}


def _made_up(number: int) -> str:
    sections = []
    for part in range(5):
        words = " ".join(f"{TOPICS[(number + part * i) % len(TOPICS)]} {(number * 31 + i) % 977}" for i in range(60))
        sections.append(f"## Part {part}\n\n{words}.")
    return f"# Page {number:05}\n\n" + "\n\n".join(sections) + "\n"


def _edition(text: str, page: str, number: int) -> str:
    """The text with the edition behind each paragraph; headings, fences and front matter are left alone."""
    parts = re.split(r"\n{2,}", text)
    return "\n\n".join(
        part if not part.strip() or part.lstrip().startswith(("#", "`", "-", "<", "|", "~", "+++"))
        else f"{part.rstrip()} (edition {number} of {page})"
        for part in parts
    )  # fmt: skip


def _variables(folder: Path) -> dict[str, str]:
    return {
        "TRUECOPY_CONFIG": str(folder / "truecopy.yaml"),
        "TRUECOPY_STATE": str(folder / "state"),
        "TRUECOPY_LEDGER": str(folder / "ledger"),
        "TRUECOPY_CACHE": str(folder / "cache"),
    }


def _silent(_what: str, _done: int, _total: int) -> None:
    pass


@contextmanager
def _served(environment: dict[str, str], log: Path) -> Iterator[tuple[str, int]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "include.cli", "serve", "--port", str(port), "--without-keys"]
    with log.open("w") as errors:
        process = subprocess.Popen(command, env=environment, stdout=errors, stderr=errors)
        url = f"http://127.0.0.1:{port}"
        try:
            while process.poll() is None:
                try:
                    if requests.get(f"{url}/readyz", timeout=30).ok:
                        break
                except requests.ConnectionError:
                    time.sleep(0.2)
            else:
                raise RuntimeError(f"the server ended: {log.read_text()[-2000:]}")
            yield url, process.pid
        finally:
            process.terminate()
            process.wait(30)


def _for(seconds: float) -> Callable[[], None]:
    return lambda: time.sleep(seconds)


def _until_ingested(repository: Repository, pages: dict[str, str], folder: Path) -> Callable[[], None]:
    """Every page gets a new edition, a fifth of them in each round; a process of its own ingests it."""

    def ingest() -> None:
        for number in range(ROUNDS):
            some = {name: _edition(text, name, 1) for name, text in list(pages.items())[number::ROUNDS]}
            repository.commit(some)
            command = [sys.executable, "-m", "include.cli", "sync", SOURCE, "--json"]
            environment = {**os.environ, **_variables(folder)}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(
                    f"the ingest ended with {done.returncode}: {done.stdout[-1000:]} {done.stderr[-1000:]}"
                )

    return ingest


def _phase(
    url: str, process: int, questions: Sequence[str], readers: int, work: Callable[[], None]
) -> tuple[Asked, float]:
    """What the readers met while `work` was done, and the CPU seconds of the server meanwhile."""
    asked, ended = [Asked() for _ in range(readers)], threading.Event()
    threads = [
        threading.Thread(target=_read_on, args=(url, questions, number, asked[number], ended))
        for number in range(readers)
    ]
    cpu, began = _cpu_seconds(process), time.perf_counter()
    for thread in threads:
        thread.start()
    try:
        work()
    finally:
        lasted = time.perf_counter() - began
        ended.set()
        for thread in threads:
            thread.join()
    together = Asked(lasted=lasted)
    for each in asked:
        together.seconds += each.seconds
        together.errors += each.errors
        together.mixed += each.mixed
    return together, _cpu_seconds(process) - cpu


def _read_on(url: str, questions: Sequence[str], number: int, asked: Asked, ended: threading.Event) -> None:
    with requests.Session() as session:
        while not ended.is_set():
            question = questions[number % len(questions)]
            number += 37
            began = time.perf_counter()
            try:
                answer = session.post(f"{url}/retrieve", json={"query": question, "limit": 5}, timeout=120)
            except requests.RequestException as error:
                asked.errors[type(error).__name__] += 1
                continue
            asked.seconds.append(time.perf_counter() - began)
            if not answer.ok:
                asked.errors[str(answer.status_code)] += 1
                continue
            asked.mixed += sum(_is_mixed(result) for result in answer.json()["results"])


def _is_mixed(result: dict[str, Any]) -> bool:
    editions = {match[1] for chunk in result["chunks"] for match in EDITION.finditer(chunk["text"])}
    return len(editions) > 1


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _alone(application: Application, questions: Sequence[str]) -> dict[str, float]:
    """Milliseconds of each step of one question, one after another, nobody else at work."""
    embedder, store = application.embedder, application.store
    embedder.embed(["warm"])
    steps: dict[str, list[float]] = {"open the engine": [], "embed": [], "engine": [], "whole": [], "explain": []}

    def timed(step: str, act: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        done = act()
        steps[step].append((time.perf_counter() - began) * 1000)
        return done

    for _ in range(3):
        timed("open the engine", lambda: _opened(store))
    with store.reading() as index:
        for question in questions:
            vector = timed("embed", lambda q=question: embedder.embed([q]))[0]
            index.hybrid(
                vector, question, limit=200, sources=[SOURCE]
            )  # both of the next find the same pages in memory
            timed("engine", lambda v=vector, q=question: index.hybrid(v, q, limit=200, sources=[SOURCE]))
            # The session of this thread is open: what is measured has no opening in it.
            found = timed("whole", lambda q=question: retrieve(store, embedder, q, now=application.clock.now()))
            timed("explain", lambda f=found: explained(f.placed))
    return {step: statistics.median(times) for step, times in steps.items()}


def _opened(store: IndexStore) -> None:
    with store.reading():
        pass


def _print(console: Console, phases: dict[str, tuple[Asked, float]], alone: dict[str, float]) -> None:
    table = Table(pad_edge=False, padding=(0, 1, 0, 0))  # whole on 80 columns, as logs have
    for name in ("", "answers", "per s", "p50 ms", "p95 ms", "max ms", "CPU ms", "errors", "mixed"):
        table.add_column(name, no_wrap=True, justify="right" if name else "left")
    for name, (asked, cpu) in phases.items():
        times = sorted(asked.seconds) or [0.0]
        table.add_row(
            name,
            f"{len(asked.seconds):,}",
            f"{len(asked.seconds) / asked.lasted:.1f}",
            *(f"{times[min(len(times) - 1, int(len(times) * share))] * 1000:,.0f}" for share in (0.5, 0.95, 1.0)),
            f"{cpu / max(1, len(asked.seconds)) * 1000:.1f}",
            ", ".join(f"{number} {what}" for what, number in asked.errors.items()) or "0",
            str(asked.mixed),
        )
    console.print(table)
    console.print("CPU ms: of the server, for each answer; mixed: answers with two editions of a document")
    ranked = max(0.0, alone["whole"] - alone["engine"] - alone["embed"])
    console.print(
        f"one question alone: {alone['whole']:.1f} ms, of them {alone['embed']:.1f} to embed, {alone['engine']:.1f} in "
        f"the engine ({alone['engine'] / alone['whole']:.0%}), {ranked:.1f} for heads and ranking; "
        f"{alone['explain']:.1f} more to explain it. To open the engine: {alone['open the engine']:.0f} ms, once for "
        "all who read until another process wants the index"
    )


if __name__ == "__main__":
    sys.exit(main())
