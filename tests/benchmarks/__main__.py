"""The benchmark: truecopy beside LangChain's `index()` and CocoIndex, scenario by scenario.

    python -m tests.benchmarks [FOLDER or ARCHIVE]

What it measures and what it does not say: docs/BENCHMARKS.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from include.embedding.static import StaticEmbedder
from tests.benchmarks import corpus as texts
from tests.benchmarks.corpus import Corpus
from tests.benchmarks.report import Column, growth_table, markdown, scenario_table, summary
from tests.benchmarks.scale import Growth
from tests.benchmarks.scenarios import Scenario, scenarios
from tests.benchmarks.worker import TOOLS, Input, Result

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared/data/corpus-2000.tar.xz"
PEERS = ROOT / ".venv-bench"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
PACKAGES = {"langchain-full": "langchain-core", "langchain-incremental": "langchain-core", "cocoindex": "cocoindex"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 if truecopy's index was not exact after a scenario; peers and times never fail the run."""
    options = _options(arguments)
    console = Console()
    corpus = texts.load(options.corpus, documents=options.documents)
    with tempfile.TemporaryDirectory(prefix="truecopy-bench-") as name:
        folder = Path(name)
        given = prepare(corpus)
        chunks = sum(len(given.chunks[page]) for page in corpus.values())
        console.print(f"{len(corpus):,} documents, {chunks:,} chunks from {options.corpus}")
        columns = _columns(options.tools, given, folder, console)
        console.print(scenario_table(columns))
        if options.scale:
            growth = [_growth(corpus, times, folder, console) for times in (1, options.scale)]
            console.print(growth_table(growth))
        else:
            growth = []
        for line in summary(columns, growth):
            console.print(line)
        if options.markdown:
            options.markdown.write_text(markdown(columns, growth))
        if options.json:
            record = {
                "corpus": {"documents": len(corpus), "chunks": chunks},
                "tools": [asdict(column) for column in columns],
                "growth": [asdict(each) for each in growth],
            }
            options.json.write_text(json.dumps(record, indent=1))
    ours = next((column for column in columns if column.name == "truecopy"), None)
    return int(ours is not None and (bool(ours.problem) or not all(result.exact for result in ours.results)))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("corpus", type=Path, nargs="?", default=CORPUS, help="a folder, git checkout or tar archive")
    parser.add_argument("--documents", type=int, help="take only so many, spread evenly")
    parser.add_argument("--tools", type=lambda text: text.split(","), default=list(TOOLS), help=",".join(TOOLS))
    parser.add_argument("--scale", type=int, default=3, help="multiply the corpus so often for growth; 0: do not")
    parser.add_argument("--markdown", type=Path, help="write the tables to this file")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    options = parser.parse_args(arguments)
    if not options.corpus.exists():
        parser.error(f"{options.corpus} does not exist; name a folder of Markdown files or a git checkout")
    if unknown := set(options.tools) - set(TOOLS):
        parser.error(f"unknown tools {', '.join(sorted(unknown))}; there are {', '.join(TOOLS)}")
    return options


def prepare(corpus: Corpus) -> Input:
    """The scenarios, and the chunks of every version of every page, cut once for all audits."""
    all_scenarios = tuple(scenarios(corpus))
    embedder = StaticEmbedder.bundled()
    pages = {page for scenario in all_scenarios for corpus in _corpora(scenario) for page in corpus.values()}
    cut = {page: tuple(c.text for c in texts.cut(page, embedder.count_tokens)[1]) for page in pages}
    return Input(all_scenarios, cut)


def _corpora(scenario: Scenario) -> Iterator[Corpus]:
    yield from (scenario.before, scenario.after, scenario.earlier or {}, *scenario.wanted)


def _columns(tools: Sequence[str], given: Input, folder: Path, console: Console) -> list[Column]:
    layout = (TextColumn("{task.description:32}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    columns = []
    with Progress(*layout, console=console, transient=True) as progress:
        for tool in tools:
            task = progress.add_task(tool, total=len(given.scenarios))
            version, problem, python = "", "", Path(sys.executable)
            if tool in PACKAGES:
                problem = install_peers()
                python = PEERS / "bin/python"
                version = "" if problem else _version(python, PACKAGES[tool])
            results: list[Result] = []
            if not problem:
                place = folder / tool
                place.mkdir()
                for found in _run(python, tool, given, place):
                    if isinstance(found, str):
                        problem = found
                        continue
                    results.append(found)
                    progress.update(task, advance=1, description=f"{tool}: {found.title}")
                    if not console.is_terminal:
                        console.print(f"{tool}, {found.title}: {found.cpu:.2f} CPU s, {found.found}", highlight=False)
            progress.update(task, description=f"{tool}: {'failed' if problem else 'done'}", completed=len(results))
            columns.append(Column(tool, version, tuple(results), problem))
    return columns


def _run(python: Path, tool: str, given: Input, folder: Path) -> Iterator[Result | str]:
    """The tool's results as they come, and at last what went wrong, if anything did."""
    (folder / "input").write_bytes(pickle.dumps(given))
    command = [str(python), "-m", "tests.benchmarks.worker", tool, str(folder / "input"), str(folder)]
    with (folder / "errors").open("w+") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT, env=_environment()
        )
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                yield Result(**json.loads(line))
        if process.wait():
            errors.seek(0)
            last = errors.read().strip().splitlines()[-1:] or ["no message"]
            yield f"it ended with {process.returncode}: {last[0][:300]}"


def _growth(corpus: Corpus, times: int, folder: Path, console: Console) -> Growth:
    place = folder / f"scale-{times}"
    place.mkdir()
    (place / "corpus").write_bytes(pickle.dumps(texts.multiplied(corpus, times)))
    command = [sys.executable, "-m", "tests.benchmarks.scale", str(place / "corpus"), str(place)]
    with console.status(f"truecopy alone: {times} x {len(corpus):,} documents"):
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=_environment(), check=True)
    return Growth(**json.loads(done.stdout.splitlines()[-1]))


def install_peers() -> str:
    """Make the peers' environment if it is not there or not as pinned; why that failed, or an empty string."""
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    stamp = PEERS / "requirements.sha256"
    if stamp.exists() and stamp.read_text() == wanted:
        return ""
    commands = (
        [sys.executable, "-m", "venv", "--clear", str(PEERS)],
        [str(PEERS / "bin/python"), "-m", "pip", "install", "--quiet", "--requirement", str(REQUIREMENTS)],
    )
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"not installed: {(done.stderr.strip().splitlines() or ['no message'])[-1][:300]}"
    stamp.write_text(wanted)
    return ""


def _version(python: Path, package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([str(python), "-c", code], capture_output=True, text=True).stdout.strip()


def _environment() -> Mapping[str, str]:
    # A benchmark calls nobody.
    quiet = {"COCOINDEX_DISABLE_USAGE_TRACKING": "1", "GX_ANALYTICS_ENABLED": "false", "LANGSMITH_TRACING": "false"}
    return {**os.environ, **quiet}


if __name__ == "__main__":
    sys.exit(main())
