"""Replay real documentation histories against truecopy and print what came of each.

    python -m tests.replay                    the notable steps of every history and every twentieth step
    python -m tests.replay --every 50         fewer
    python -m tests.replay --all              a sync after every step
    python -m tests.replay --only peps-2017   one history; may be repeated

Ends with 1 when the index differed from the folder after any sync.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.replay.history import MINI, REPLAYS, histories
from tests.replay.replay import Report, replay

SHOWN_DIFFERENCES = 20


def table(reports: list[Report]) -> Table:
    shown = Table(title="The index after every sync, compared with the folder")
    for name in ("history", "steps", "syncs", "documents", "chunks", "held, approved", "embedded / minimum"):
        shown.add_column(name, justify="left" if name == "history" else "right")
    for name in ("vectors reused", "moved", "embedded for it", "phrases", "index is", "CPU s"):
        shown.add_column(name, justify="right")
    for report in reports:
        reused = 100 * (1 - report.embedded / report.written) if report.written else 0.0
        # What a phrase says nothing about: it was undone by a later step, or is no text (front matter, a comment).
        silent = ("came back", "overtaken", "not in the extracted text", "not a page")
        judged = sum(count for what, count in report.phrases.items() if what not in silent)
        shown.add_row(
            report.history,
            str(report.steps),
            str(report.syncs),
            f"{report.documents:,}",
            f"{report.chunks:,}",
            f"{report.held}, {report.approved}",
            f"{report.embedded:,} / {report.minimum:,}",
            f"{reused:.0f} %",
            f"{report.moved:,}",
            f"{report.moved_embedded:,}",
            f"{judged} of {sum(report.phrases.values())}",
            "exact" if report.exact else f"[red]{len(report.different)} differences",
            f"{report.cpu_seconds:.0f}",
        )
    return shown


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.replay", description=__doc__.split("\n\n")[0])
    parser.add_argument("--all", action="store_true", help="a sync after every step (an hour or more)")
    parser.add_argument("--every", type=int, default=20, metavar="N", help="a sync after every N-th step too (20)")
    parser.add_argument("--only", action="append", choices=[MINI, *histories()], help="one history")
    parser.add_argument("--work", type=Path, help="folder for repositories and indexes; removed afterwards")
    parser.add_argument("--processes", type=int, default=2, help="histories at a time (2)")
    arguments = parser.parse_args()
    if not histories():
        print(f"nothing to replay: {REPLAYS} is not there")
        return 0
    chosen = arguments.only or histories()
    every = 1 if arguments.all else max(1, arguments.every)
    started = time.monotonic()
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(arguments.processes, mp_context=spawn) as pool:
        runs = [pool.submit(replay, history, every, arguments.work) for history in chosen]
        console = Console(width=None if sys.stdout.isatty() else 180)
        for done in as_completed(runs):
            console.print(table([done.result()]))  # as soon as it is known: the others may take minutes yet
        reports = [run.result() for run in runs]
    console.print(table(reports))
    for report in reports:
        console.print(
            f"{report.history}: hidden {report.hidden}, symlinks {report.symlinks}, unreadable {report.unreadable} at "
            f"most; phrases: {', '.join(f'{count} {what}' for what, count in sorted(report.phrases.items()))}"
        )
        for difference in report.different[:SHOWN_DIFFERENCES]:
            console.print(f"  [red]different:[/red] {difference}", highlight=False)
    console.print(f"{time.monotonic() - started:.0f} s")
    return 0 if all(report.exact for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
