"""Results as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

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
    head, *rows = _rows(columns)
    for name in head:
        table.add_column(name)
    for title, *cells in rows:
        table.add_row(title, *("\n".join(cell) for cell in cells))
    return table


def markdown(columns: Sequence[Column], growth: Sequence[Growth]) -> str:
    """The tables and sentences for a page."""
    head, *rows = _rows(columns)
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {title} | {' | '.join('; '.join(cell) for cell in cells)} |" for title, *cells in rows]
    if growth:
        lines += ["", f"| {' | '.join(GROWTH)} |", "|---:" * len(GROWTH) + "|"]
        lines += [f"| {' | '.join(_growth_row(each))} |" for each in growth]
    return "\n".join([*lines, "", *(f"- {sentence}" for sentence in summary(columns, growth)), ""])


def _rows(columns: Sequence[Column]) -> Iterator[Any]:
    """The names of the columns, then per scenario its title and each tool's lines."""
    yield ["scenario", *(f"{column.name} {column.version}".strip() for column in columns)]
    ours = {result.number: result.cpu for column in columns if column.name == "truecopy" for result in column.results}
    titles = {result.number: result.title for column in columns for result in column.results}
    for number, title in titles.items():
        found = ({result.number: result for result in column.results}.get(number) for column in columns)
        yield [f"{number} {title}", *(_cell(result, ours.get(number)) for result in found)]


def _cell(result: Result | None, ours: float | None) -> list[str]:
    if result is None:
        return ["failed, see below"]
    ratio = f" ({result.cpu / ours:.1f}x)" if ours and ours != result.cpu else ""
    lines = [f"{result.cpu:.2f}{ratio}", f"{result.embedded:,} / {result.minimum:,}", result.found, result.note]
    return [line for line in lines if line]


GROWTH = (
    "documents",
    "chunks",
    "initial, CPU s",
    "outside the embedder, ms a chunk",
    "nothing changed, CPU s",
    "nothing changed, ms a chunk",
    "peak memory, MB (before the run)",
)


def _growth_row(growth: Growth) -> tuple[str, ...]:
    return (
        f"{growth.documents:,}",
        f"{growth.chunks:,}",
        f"{growth.initial_cpu:.1f}",
        f"{growth.outside_ms_per_chunk:.2f}",
        f"{growth.nothing_changed_cpu:.2f}",
        f"{growth.night_ms_per_chunk:.3f}",
        f"{growth.peak_mb:.0f} ({growth.at_rest_mb:.0f})",
    )


def growth_table(growth: Sequence[Growth]) -> Table:
    table = Table(title="truecopy alone, as the corpus grows")
    for name in GROWTH:
        table.add_column(name, justify="right")
    for each in growth:
        table.add_row(*_growth_row(each))
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
