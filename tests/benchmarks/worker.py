"""Runs the scenarios with one tool, in a process of its own, and writes one JSON line per result.

python -m tests.benchmarks.worker TOOL INPUT FOLDER            all scenarios of the pickled input
python -m tests.benchmarks.worker TOOL INPUT FOLDER --doomed   the run of the last one that kills itself
"""

from __future__ import annotations

import json
import pickle
import resource
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.benchmarks.audit import Stored, Texts, audit, retitled
from tests.benchmarks.corpus import Corpus, Page
from tests.benchmarks.scenarios import GHOSTS, LOST, Kind, Scenario
from tests.benchmarks.tool import Feed, Fuse, Meter, SourceBroke, Tool

PATIENCE = 20.0
"""Seconds that a second run may take while the first is held; then it is taken to wait for the first."""

_UNKNOWN: Corpus = {"unknown": Page("unknown", "", "")}

TOOLS = ("truecopy", "langchain-full", "langchain-incremental", "cocoindex")


@dataclass(frozen=True, slots=True)
class Input:
    """Pickled by the parent, so that every tool is given the same and none pays for making it."""

    scenarios: tuple[Scenario, ...]
    chunks: Mapping[Page, tuple[str, ...]]

    def texts(self, corpus: Corpus) -> Texts:
        return {doc_id: self.chunks[page] for doc_id, page in corpus.items()}

    def minimum(self, scenario: Scenario, stored: Iterable[Stored]) -> int:
        """Distinct chunk texts of what is read that are not stored yet: what any tool has to embed at least."""
        read = [*self.texts(scenario.after).values(), *self.texts(scenario.earlier or {}).values()]
        return len({text for chunks in read for text in chunks} - {each.text for each in stored})


@dataclass(frozen=True, slots=True)
class Result:
    """One scenario with one tool. `cpu` is user and system time of the process and its children, in seconds."""

    number: str
    title: str
    cpu: float
    embedded: int
    minimum: int
    exact: bool
    found: str
    said: str
    note: str = ""
    embedding_cpu: float = 0.0
    counting_cpu: float = 0.0
    chunks: int = 0
    peak_mb: float = 0.0


def open_tool(name: str, folder: Path, meter: Meter, *, fuse: Fuse | None = None, durable: bool = False) -> Tool:
    """Imports happen here, so that a tool that is not installed fails alone. Raises ImportError."""
    if name == "truecopy":
        from tests.benchmarks.tools.truecopy import Truecopy

        return Truecopy(folder, meter, fuse)  # always on disk
    if name == "cocoindex":
        from tests.benchmarks.tools.cocoindex import CocoIndex

        return CocoIndex(folder, meter, fuse, durable=durable)
    from tests.benchmarks.tools.langchain import LangChain

    return LangChain(
        folder, meter, fuse, durable=durable, cleanup="full" if name == "langchain-full" else "incremental"
    )


class Bench:
    """One tool going through the scenarios. After one that leaves the index wrong it is put right, unmeasured."""

    def __init__(self, tool: str, given: Input, folder: Path) -> None:
        self._name, self._given, self._folder = tool, given, folder
        self._meter = Meter()
        self._meter.remember()
        self._opened = 0
        self._warm_up()
        self._tool = self._open()
        self._holds: Corpus = {}

    def results(self) -> Iterator[Result]:
        for scenario in self._given.scenarios:
            if scenario.kind is Kind.KILLED:
                yield self._killed(scenario)
                continue
            if self._holds != scenario.before:
                self._restore(scenario.before)
            result = self._run(scenario)
            yield result
            stored = list(self._tool.stored())
            might = (scenario.after, *scenario.wanted)
            self._holds = next((c for c in might if audit(stored, [self._given.texts(c)]).exact), _UNKNOWN)

    def _run(self, scenario: Scenario) -> Result:
        if scenario.kind is Kind.DAMAGED:
            self._tool.lose(LOST)
            self._tool.haunt(GHOSTS)
        elif scenario.kind is Kind.EMPTIED:
            self._tool.empty()
        minimum = self._given.minimum(scenario, self._tool.stored())
        meter, start = self._meter, cpu_seconds()
        embedded, embedding, counting = meter.texts, meter.embed_seconds, meter.count_seconds
        if scenario.kind is Kind.INTERLEAVED:
            said = self._interleave(scenario)
        else:
            broken = scenario.kind is Kind.BROKEN
            said = _said(self._tool, Feed(scenario.after, len(scenario.after) // 2 if broken else None))
        cpu = cpu_seconds() - start
        embedded, embedding, counting = (
            meter.texts - embedded,
            meter.embed_seconds - embedding,
            meter.count_seconds - counting,
        )
        found = audit(self._tool.stored(), [self._given.texts(corpus) for corpus in scenario.wanted])
        return Result(
            scenario.number,
            scenario.title,
            cpu,
            embedded,
            minimum,
            found.exact,
            str(found),
            said,
            self._note(scenario),
            embedding,
            counting,
            found.stored,
            peak_megabytes(),
        )

    def _note(self, scenario: Scenario) -> str:
        changed = {
            page.doc_id: page.title
            for page in scenario.after.values()
            if page.doc_id in scenario.before and page.title != scenario.before[page.doc_id].title
        }
        if changed:
            right, of = retitled(self._tool.stored(), changed)
            return f"{right} of {of} chunks have the new title"
        return ""

    def _interleave(self, scenario: Scenario) -> str:
        """A run is held in its embedder while another one goes through; what both say."""
        assert scenario.earlier is not None
        said: dict[str, str] = {}
        feeds = {"older": Feed(scenario.earlier), "newer": Feed(scenario.after)}
        older, newer = (
            threading.Thread(target=lambda name=name: said.update({name: _said(self._tool, feeds[name])}))
            for name in feeds
        )
        gate = self._meter.hold_next()
        older.start()
        while not gate.entered.wait(0.05) and older.is_alive():
            pass
        newer.start()
        newer.join(PATIENCE)
        waited = newer.is_alive()
        gate.opened.set()
        older.join()
        newer.join()
        order = "the second run waited for the first; " if waited else ""
        return f"{order}first: {said['older']}; second: {said['newer']}"

    def _killed(self, scenario: Scenario) -> Result:
        """On disk: index `before`, die in the middle of writing `after` in another process, look, run again."""
        folder = self._folder / "killed"
        tool = open_tool(self._name, folder, self._meter, durable=True)
        with self._meter.free():
            tool.sync(Feed(scenario.before))
        tool.close()
        arguments = [self._name, str(self._folder / "input"), str(folder), "--doomed"]
        command = [sys.executable, "-m", "tests.benchmarks.worker", *arguments]
        died = subprocess.run(command, capture_output=True, text=True)
        tool = open_tool(self._name, folder, self._meter, durable=True)
        texts = [self._given.texts(scenario.before), self._given.texts(scenario.after)]
        minimum = self._given.minimum(scenario, tool.stored())
        then = audit(tool.stored(), texts)
        start, embedded = cpu_seconds(), self._meter.texts
        said = _said(tool, Feed(scenario.after))
        cpu = cpu_seconds() - start
        found = audit(tool.stored(), [texts[1]])
        note = f"killed: {then.torn} documents mixed of two versions" if died.returncode == -9 else died.stderr[-500:]
        result = Result(
            scenario.number,
            scenario.title,
            cpu,
            self._meter.texts - embedded,
            minimum,
            found.exact and died.returncode == -9,
            str(found),
            said,
            note,
        )
        tool.close()
        return result

    def _open(self) -> Tool:
        self._opened += 1
        return open_tool(self._name, self._folder / f"index-{self._opened}", self._meter)

    def _restore(self, corpus: Corpus) -> None:
        self._tool.close()
        self._tool = self._open()
        if corpus:
            with self._meter.free():
                self._tool.sync(Feed(corpus))
        self._holds = corpus

    def _warm_up(self) -> None:
        """Everything that is imported on first use is imported now."""
        tool = open_tool(self._name, self._folder / "warm-up", Meter())
        pages = list(self._given.scenarios[0].after.items())
        for documents in (4, 4, 3):
            _said(tool, Feed(dict(pages[:documents])))
        tool.close()


def _said(tool: Tool, feed: Feed) -> str:
    try:
        return tool.sync(feed)
    except SourceBroke as error:
        return f"raised {error}"
    except Exception as error:  # noqa: BLE001 (a tool's failure is its result)
        return f"raised {type(error).__name__}: {str(error)[:300]}"


def cpu_seconds() -> float:
    """User and system time of this process, its threads, and its children that have ended."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def peak_megabytes() -> float:
    """The most memory that this process ever had in use."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def doomed(name: str, given: Input, folder: Path) -> None:
    scenario = next(each for each in given.scenarios if each.kind is Kind.KILLED)
    changed = sum(page != scenario.before[doc_id] for doc_id, page in scenario.after.items())
    open_tool(name, folder, Meter(), fuse=Fuse(changed // 2), durable=True).sync(Feed(scenario.after))


def main(arguments: list[str]) -> None:
    name, given, folder = arguments[0], pickle.loads(Path(arguments[1]).read_bytes()), Path(arguments[2])
    if "--doomed" in arguments:
        doomed(name, given, folder)
        return
    for result in Bench(name, given, folder).results():
        print(json.dumps(asdict(result)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
