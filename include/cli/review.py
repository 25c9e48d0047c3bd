"""The review queue: what waits for a person, one candidate with all that speaks against it, and the decision."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from include.cli.command import EXIT, Json, Source, app, application, explained
from include.domain.dates import from_rfc3339
from include.domain.errors import ConfigError
from include.domain.manifest import RunState
from include.domain.review import Disposition, Queue, ReviewItem
from include.services.reviewing import Word, by_hand
from include.terminal import out
from include.wiring import review as wiring
from include.wiring import runs


@app.command()
@explained
def review(
    source: Source = "all",
    doc_id: Annotated[str, typer.Argument(help="a candidate, with everything; empty: list all that wait")] = "",
    decide: Annotated[Disposition | None, typer.Option(help="what is to become of it")] = None,
    reason: Annotated[str, typer.Option(help="why; it becomes part of the record. Needed to decide")] = "",
    until: Annotated[str, typer.Option(help="for extend: a day, 2027-01-31")] = "",
    superseded_by: Annotated[
        str, typer.Option(help="for supersede-link: a document; empty: the replacement that the evidence names")
    ] = "",
    by: Annotated[str, typer.Option(help="who decides")] = "",
    fingerprint: Annotated[
        str, typer.Option(help="decide only if the evidence is still this one, as it was shown")
    ] = "",
    overrule: Annotated[bool, typer.Option("--overrule", help="in place of what somebody else decided")] = False,
    json_: Json = False,
) -> None:
    """List candidates that wait for a person, show one with its evidence, or record a decision about it. A decision is
    recorded only; what was recorded is carried out by hand, with the command that is printed."""
    application_ = application()
    names = runs.chosen_sources(application_, source)
    now = application_.clock.now()
    if doc_id and source == "all":
        raise ConfigError("a document belongs to one source: name it")
    if decide is None and (reason or until or superseded_by or by or fingerprint or overrule):
        raise ConfigError(f"nothing is decided without --decide; allowed are {', '.join(Disposition)}")
    if decide is not None:
        if not doc_id:
            raise ConfigError("a decision is about one document: name it after the source")
        word = Word(decide, by or getpass.getuser(), reason, until, superseded_by, fingerprint, overrule)
        _print_decided(wiring.decide_for_person(application_, source, doc_id, word), now, json_=json_)
    elif doc_id:
        item = wiring.candidate_of(application_, source, doc_id)
        if json_:
            out.print_json(data=_record(item, now))
        else:
            _print_item(item, now)
    else:
        _print_queues([wiring.queue_of(application_, name) for name in names], now, json_=json_)


def _print_queues(queues: list[Queue], now: datetime, *, json_: bool) -> None:
    if json_:
        out.print_json(data=[_queue_record(queue, now) for queue in queues])
    else:
        for queue in queues:
            _print_queue(queue, now)
    if any(queue.unreadable for queue in queues):
        raise typer.Exit(EXIT[RunState.DEGRADED])


def _print_queue(queue: Queue, now: datetime) -> None:
    out.print(
        f"[bold]{queue.source}[/]: {_count(len(queue.open), 'candidate')} to decide, {len(queue.decided)} decided and "
        "in the queue still"
    )
    if queue.open:
        table = Table("document", "title", "proposal", "score", "evidence", "replacement", "since")
        for column in (table.columns[0], table.columns[5]):
            column.overflow = "fold"  # an id that is cut short cannot be decided
        for item in _sorted(queue.open):
            table.add_row(
                _plain(item.doc_id),
                _plain(item.title),
                item.proposal,
                f"{item.score:.3f}",
                _plain(item.evidence[0].sentence) if item.evidence else "",
                _plain(item.replacement),
                f"{item.since[:10]}, {_count(_days(item, now), 'day')}",
            )
        out.print(table)
        out.print(f"  one with everything: `truecopy review {queue.source} DOCUMENT`", soft_wrap=True)
    for item in queue.decided:
        _print_decision(item)
    for spoilt in queue.unreadable:
        out.print(f"  [red]{_plain(str(spoilt))}[/]", soft_wrap=True)


def _print_item(item: ReviewItem, now: datetime) -> None:
    out.print(f"[bold]{_plain(item.doc_id)}[/]  {_plain(item.title)}", soft_wrap=True)
    if item.url:
        out.print(f"  {_plain(item.url)}", soft_wrap=True)
    out.print(f"  proposal: {item.proposal}, since {item.since[:10]} ({_count(_days(item, now), 'day')})")
    for each in item.evidence:
        out.print(f"  {each.strength:.2f} {_plain(each.signal)}: {_plain(each.sentence)}", soft_wrap=True)
        for name, fact in each.facts.items():
            out.print(f"       [dim]{_plain(name)}: {_plain(fact)}[/]", soft_wrap=True)
    out.print(f"  {_plain(item.arithmetic)}", soft_wrap=True)
    if item.replacement:
        out.print(f"  replacement: {_plain(item.replacement)}", soft_wrap=True)
    for line in item.diff.splitlines():
        out.print(f"    {_plain(line)}", soft_wrap=True)
    for note in item.notes:
        out.print(f"  [yellow]{_plain(note)}[/]", soft_wrap=True)
    out.print(f"  fingerprint of the evidence: {_plain(item.fingerprint)}", soft_wrap=True)
    if item.decision:
        _print_decision(item)
    else:
        out.print(
            f"  decide: `truecopy review {item.source} {_plain(item.doc_id)} --decide {'|'.join(Disposition)} "
            '--reason "…"`',
            soft_wrap=True,
        )


def _print_decided(item: ReviewItem, now: datetime, *, json_: bool) -> None:
    if json_:
        out.print_json(data=_record(item, now))
        return
    out.print(f"[bold]{item.source}[/]: recorded")
    _print_decision(item)


def _print_decision(item: ReviewItem) -> None:
    made = item.decision
    if made is None:
        raise ValueError(f"{item.source}: {item.doc_id} is not decided")
    out.print(
        f"  {_plain(item.doc_id)}: {_plain(str(made))}, said {_plain(made.by)} on {made.at[:10]}: {_plain(made.why)}",
        soft_wrap=True,
    )
    out.print(f"    by hand: `{_plain(by_hand(item.source, item.doc_id, made))}`", soft_wrap=True)
    if made.disposition is Disposition.APPROVE_PURGE:
        out.print("    and delete it in its source: the next night takes it out of the index", soft_wrap=True)


def _queue_record(queue: Queue, now: datetime) -> dict[str, Any]:
    return {
        "source": queue.source,
        "open": [_record(item, now) for item in _sorted(queue.open)],
        "decided": [_record(item, now) for item in queue.decided],
        "unreadable": [str(each) for each in queue.unreadable],
    }


def _record(item: ReviewItem, now: datetime) -> dict[str, Any]:
    by_hand_ = by_hand(item.source, item.doc_id, item.decision) if item.decision else ""
    return {**asdict(item), "age_days": _days(item, now), "by_hand": by_hand_}


def _sorted(items: tuple[ReviewItem, ...]) -> list[ReviewItem]:
    """The surest first, of those the oldest."""
    return sorted(items, key=lambda item: (-item.score, item.since, item.doc_id))


def _days(item: ReviewItem, now: datetime) -> int:
    return (now - from_rfc3339(item.since)).days


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _plain(text: str) -> str:
    """As it can be printed: what a source or a hand wrote controls no terminal and is no markup."""
    return escape("".join(char if char.isprintable() else " " for char in text))
