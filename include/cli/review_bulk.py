"""One decision on many candidates: counted, confirmed by the number, recorded in one commit a source."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import typer

from include.cli.command import EXIT
from include.cli.review_page import count, plain
from include.domain.errors import ConfigError
from include.domain.manifest import RunState
from include.domain.review import Queue, Recorded, ReviewItem
from include.services.reviewing import Word, carried_out_with
from include.staleness.evidence import Signal
from include.terminal import err, out
from include.wiring import review as wiring
from include.wiring.application import Application

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Chosen:
    """Open candidates by source, and how many more have other evidence besides and are left to be looked at."""

    items: Mapping[str, Sequence[ReviewItem]]
    others: int

    @property
    def number(self) -> int:
        return sum(map(len, self.items.values()))


def chosen_from(queues: Sequence[Queue], signals: frozenset[Signal]) -> Chosen:
    """Those that nothing but these signals speaks against; without a signal, all. Whoever keeps what is only old has
    said nothing about what is superseded besides."""
    items: dict[str, Sequence[ReviewItem]] = {}
    others = 0
    for queue in queues:
        speaking = {item.doc_id: {each.signal for each in item.evidence} for item in queue.open}
        touched = [item for item in queue.open if not signals or speaking[item.doc_id] & signals]
        alone = [item for item in touched if not signals or speaking[item.doc_id] <= signals]
        others += len(touched) - len(alone)
        if alone:
            items[queue.source] = alone
    return Chosen(items, others)


def decide_chosen(application: Application, chosen: Chosen, word: Word, *, yes: int | None, json_: bool) -> None:
    """Record one word on all of these, once the person has confirmed how many they are. Exits with what became of it:
    held, where some of them were decided otherwise meanwhile."""
    if not chosen.number:
        (err if json_ else out).print(f"no candidate is like that{_others(chosen)}; nothing was recorded")
        if json_:
            out.print_json(data=[])
        return
    _confirm(chosen, word, yes, quiet=json_)
    recorded = {source: wiring.decide_many(application, source, items, word) for source, items in chosen.items.items()}
    if json_:
        out.print_json(data=[_record(source, each) for source, each in recorded.items()])
    for source, each in recorded.items() if not json_ else ():
        out.print(f"[bold]{source}[/]: {word.disposition} recorded for {count(len(each.items), 'document')}")
        for why in each.refused.values():
            out.print(f"  [yellow]{plain(why)}[/]", soft_wrap=True)
        out.print(f"  carried out with `{carried_out_with(source)}`; without --apply it shows what follows")
    if any(each.refused for each in recorded.values()):
        raise typer.Exit(EXIT[RunState.HELD])


def _confirm(chosen: Chosen, word: Word, yes: int | None, *, quiet: bool) -> None:
    """Raises ConfigError unless the person has said the number: in advance, or now on a terminal."""
    number = chosen.number
    said = f"{word.disposition} for {count(number, 'candidate')}"
    if not quiet:
        for source, items in chosen.items.items():
            out.print(f"[bold]{source}[/]: {count(len(items), 'candidate')}")
            for item in items[:_SHOWN]:
                out.print(f"  {item.score:.3f} {plain(item.doc_id)}: {plain(item.in_short)}", soft_wrap=True)
            if len(items) > _SHOWN:
                out.print(f"  … and {len(items) - _SHOWN} more")
        out.print(f"{said}{_others(chosen)}")
    if yes is None and sys.stdin.isatty() and not quiet:
        answer = out.input(f"type the number to record it, {number}: ").strip()
        yes = int(answer) if answer.isdigit() else 0
    if yes is None:
        raise ConfigError(f"{said}: nothing was recorded. Look at them, then confirm the number with --yes {number}")
    if yes != number:
        raise ConfigError(f"{said}, not {yes}: nothing was recorded. Look again at what there is now")


def _others(chosen: Chosen) -> str:
    return f"; {chosen.others} more have other evidence besides and are left as they are" if chosen.others else ""


def _record(source: str, recorded: Recorded) -> dict[str, object]:
    return {
        "source": source,
        "recorded": [item.doc_id for item in recorded.items],
        "refused": dict(recorded.refused),
    }
