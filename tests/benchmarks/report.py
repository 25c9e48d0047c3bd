"""Results as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table

from tests.benchmarks.scale import Growth
from tests.benchmarks.worker import Result

NIGHT_AIM = 1.5
"""CPU seconds for a night in which nothing changed, with every stored point checked."""


@dataclass(frozen=True, slots=True)
class Column:
    """One tool; `problem` says why results are missing."""

    name: str
    version: str
    results: tuple[Result, ...]
    problem: str = ""


def scenario_table(columns: Sequence[Column]) -> Table:
    """Per scenario and tool: CPU seconds, their ratio to truecopy's, chunks embedded of those needed, the audit."""
    table = Table(title="CPU s (times truecopy's) · chunks embedded / needed · index against source", show_lines=True)
    table.add_column("scenario", min_width=16)
    for column in columns:
        table.add_column(f"{column.name} {column.version}".strip())
    ours = {result.number: result.cpu for column in columns if column.name == "truecopy" for result in column.results}
    titles = {result.number: result.title for column in columns for result in column.results}
    for number, title in titles.items():
        cells = []
        for column in columns:
            result = next((each for each in column.results if each.number == number), None)
            cells.append(_cell(result, ours.get(number)) if result else "failed, see below")
        table.add_row(f"{number} {title}", *cells)
    return table


def _cell(result: Result, ours: float | None) -> str:
    ratio = f" ({result.cpu / ours:.1f}x)" if ours and ours != result.cpu else ""
    lines = [
        f"{result.cpu:.2f}{ratio}",
        f"{result.embedded:,} / {result.minimum:,}",
        f"[green]{result.found}[/]" if result.exact else f"[red]{result.found}[/]",
    ]
    if result.note:
        lines.append(result.note)
    return "\n".join(lines)


def growth_table(growth: Sequence[Growth]) -> Table:
    table = Table(title="truecopy alone, as the corpus grows")
    for name in ("documents", "chunks", "initial CPU s", "outside the embedder, ms a chunk", "nothing changed, CPU s"):
        table.add_column(name, justify="right")
    table.add_column("nothing changed, ms a chunk", justify="right")
    table.add_column("peak memory MB (at rest)", justify="right")
    for each in growth:
        table.add_row(
            f"{each.documents:,}",
            f"{each.chunks:,}",
            f"{each.initial_cpu:.1f}",
            f"{each.outside_ms_per_chunk:.2f}",
            f"{each.nothing_changed_cpu:.2f}",
            f"{each.night_ms_per_chunk:.3f}",
            f"{each.peak_mb:.0f} ({each.at_rest_mb:.0f})",
        )
    return table


def summary(columns: Sequence[Column], growth: Sequence[Growth]) -> Iterator[str]:
    """What was aimed at, and what came of it."""
    for column in columns:
        if column.problem:
            yield f"{column.name}: {column.problem}"
        exact = sum(result.exact for result in column.results)
        if column.results:
            yield f"{column.name}: exact after {exact} of {len(column.results)} scenarios{_share(column)}"
    ours = {result.number: result for column in columns if column.name == "truecopy" for result in column.results}
    if {"2", "3", "6"} <= ours.keys():
        yield (
            f"truecopy, nothing changed, every stored point checked: {ours['2'].cpu:.2f} CPU s (aim {NIGHT_AIM}); "
            f"1 % edited: {ours['3'].embedded} of {ours['3'].minimum} chunks embedded; renamed: {ours['6'].embedded}"
        )
    for each in ours.values():
        if not each.said.startswith("true"):
            yield f"truecopy, {each.title}: {each.said}"
    if len(growth) > 1:
        small, large = growth[0], growth[-1]
        yield (
            f"{large.chunks / small.chunks:.1f} times the chunks: initial "
            f"{large.initial_cpu / small.initial_cpu:.1f} times, nothing changed "
            f"{large.nothing_changed_cpu / small.nothing_changed_cpu:.1f} times the CPU"
        )


def _share(column: Column) -> str:
    """Of the initial ingest: what is neither embedding nor counting tokens."""
    first = column.results[0]
    if not first.cpu:
        return ""
    embedder = first.embedding_cpu + first.counting_cpu
    return (
        f"; initial ingest {first.cpu:.1f} CPU s, {1 - embedder / first.cpu:.0%} outside the embedder "
        f"({(first.cpu - embedder) / max(1, first.chunks) * 1000:.2f} ms a chunk)"
    )
