"""The review queue: what waits for a person, one candidate with all that speaks against it, and the decision."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Annotated, Any

import typer

from include.cli.command import EXIT, By, Json, Source, app, application, explained, speaker
from include.cli.review_bulk import chosen_from, decide_chosen
from include.cli.review_flow import Desk, TerminalKeyboard, work_through
from include.cli.review_page import age_in_days, count, plain, print_page
from include.domain.errors import ConfigError
from include.domain.manifest import RunState
from include.domain.review import Disposition, Queue, ReviewItem
from include.services.reviewing import Word, carried_out_with, surest_first
from include.staleness.evidence import Signal
from include.terminal import out
from include.wiring import review as wiring
from include.wiring import runs
from include.wiring.application import Application

_INTERRUPTED = 130  # as a shell says it of Ctrl-C


@app.command()
@explained
def review(
    source: Source = "all",
    doc_id: Annotated[str, typer.Argument(help="a candidate, with everything")] = "",
    decide: Annotated[Disposition | None, typer.Option(help="what is to become of it")] = None,
    reason: Annotated[str, typer.Option(help="why; it becomes part of the record. Needed to decide")] = "",
    until: Annotated[str, typer.Option(help="for extend: a day, 2027-01-31")] = "",
    superseded_by: Annotated[
        str, typer.Option(help="for supersede-link: a document; empty: the replacement that the evidence names")
    ] = "",
    by: By = "",
    fingerprint: Annotated[
        str, typer.Option(help="decide only if the evidence is still this one, as it was shown")
    ] = "",
    overrule: Annotated[bool, typer.Option("--overrule", help="in place of what somebody else decided")] = False,
    all_: Annotated[bool, typer.Option("--all", help="decide all that wait, or those of --signal")] = False,
    signals: Annotated[
        list[Signal] | None, typer.Option("--signal", help="with --all: where nothing but these speaks against it")
    ] = None,
    yes: Annotated[int | None, typer.Option(min=1, help="with --all: so many, and no question")] = None,
    list_: Annotated[bool, typer.Option("--list", help="list what waits, on a terminal too")] = False,
    json_: Json = False,
) -> None:
    """Work through the candidates that wait for a person, one key for each decision. Without a terminal, and with
    --list, they are listed; a document is shown with its evidence, or decided with --decide. A decision is recorded
    only: `truecopy apply-dispositions` carries it out."""
    application_ = application()
    names = runs.chosen_sources(application_, source)
    now = application_.clock.now()
    if doc_id and source == "all":
        raise ConfigError("a document belongs to one source: name it")
    if decide is None and (reason or until or superseded_by or fingerprint or overrule or all_):
        raise ConfigError(f"nothing is decided without --decide; allowed are {', '.join(Disposition)}")
    if not all_ and (signals or yes):
        raise ConfigError("--signal and --yes are about many candidates: say --all")
    if all_ and (doc_id or fingerprint or overrule):
        raise ConfigError("--all is about many candidates: leave out the document, --fingerprint and --overrule")
    if decide is not None and not (doc_id or all_):
        raise ConfigError("a decision is about one document: name it after the source, or say --all")
    if decide is not None:
        word = Word(decide, speaker(by), reason, until, superseded_by, fingerprint, overrule)
        if all_:
            queues = [wiring.queue_of(application_, name) for name in names]
            decide_chosen(application_, chosen_from(queues, frozenset(signals or ())), word, yes=yes, json_=json_)
        else:
            _print_decided(wiring.decide_for_person(application_, source, doc_id, word), now, json_=json_)
    elif doc_id:
        item = wiring.candidate_of(application_, source, doc_id)
        _print_item(item, now, is_staged=doc_id in wiring.staged_in(application_, source), json_=json_)
    else:
        queues = [wiring.queue_of(application_, name) for name in names]
        if _is_watched() and not (json_ or list_) and any(queue.open for queue in queues):
            _work_through(application_, queues, speaker(by))
        else:
            _print_queues(queues, now, json_=json_)
        if any(queue.unreadable for queue in queues):
            raise typer.Exit(EXIT[RunState.DEGRADED])


def _is_watched() -> bool:
    """Whether a person sits there, and no pipe."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _work_through(application_: Application, queues: list[Queue], by: str) -> None:
    """On a terminal: one candidate after the other; then what was decided, and what to do with it."""
    items = [item for queue in queues for item in surest_first(queue.open)]
    _print_unreadable(queues)
    out.print(
        f"{count(len(items), 'candidate')} to decide, as {plain(by)} (--by); ? shows what the keys do", highlight=False
    )
    desk = Desk(
        look=partial(wiring.candidate_of, application_),
        decide=partial(wiring.decide_for_person, application_),
        keyboard=TerminalKeyboard(),
        console=out,
        by=by,
        now=application_.clock.now(),
        staged=frozenset(
            (queue.source, doc_id) for queue in queues for doc_id in wiring.staged_in(application_, queue.source)
        ),
    )
    sitting = work_through(desk, items)
    out.print()
    out.rule("decided now" if sitting.decided else "nothing was decided", align="left", style="dim")
    for item in sitting.decided.values():
        _print_decision(item)
    _print_next(sorted({source for source, _ in sitting.decided}))
    left = len(items) - len(sitting.decided)
    said = f" ({sitting.counted})" if sitting.decided else ""
    out.print(f"{len(sitting.decided)} decided{said}, {left} left", highlight=False)
    if sitting.was_interrupted:
        raise typer.Exit(_INTERRUPTED)


def _print_queues(queues: list[Queue], now: datetime, *, json_: bool) -> None:
    if json_:
        out.print_json(data=[_queue_record(queue, now) for queue in queues])
        return
    for queue in queues:
        _print_queue(queue, now)
    _print_unreadable(queues)


def _print_unreadable(queues: list[Queue]) -> None:
    for spoilt in (each for queue in queues for each in queue.unreadable):
        out.print(f"[red]{plain(str(spoilt))}[/]", soft_wrap=True)


def _print_queue(queue: Queue, now: datetime) -> None:
    out.print(
        f"[bold]{queue.source}[/]: {count(len(queue.open), 'candidate')} to decide, {len(queue.decided)} decided and "
        "in the queue still"
    )
    for item in surest_first(queue.open):
        instead = f"; to be read instead: {plain(item.replacement)}" if item.replacement else ""
        age = f"{item.since[:10]} ({count(age_in_days(item, now), 'day')})"
        say = partial(out.print, soft_wrap=True, highlight=False)
        say(f"  {item.score:.3f} {item.proposal:<6} [bold]{plain(item.doc_id)}[/]  {plain(item.title)}")
        say(f"               {plain(item.in_short)}{instead}; since {age}")
    if queue.open:
        out.print(f"  one with everything: `truecopy review {queue.source} DOCUMENT`", soft_wrap=True)
    for item in queue.decided:
        _print_decision(item)
    if any(not item.waits_for_source for item in queue.decided):
        _print_next([queue.source])


def _print_item(item: ReviewItem, now: datetime, *, is_staged: bool, json_: bool) -> None:
    if json_:
        out.print_json(data=_record(item, now))
        return
    print_page(out, item, now, is_staged=is_staged, facts=True)
    out.print(f"\n  fingerprint of the evidence: {plain(item.fingerprint)}", soft_wrap=True)
    if item.decision:
        _print_decision(item)
    else:
        out.print(
            f"  decide: `truecopy review {item.source} {plain(shlex.quote(item.doc_id))} --decide "
            f'{"|".join(Disposition)} --reason "…"`',
            soft_wrap=True,
        )


def _print_decided(item: ReviewItem, now: datetime, *, json_: bool) -> None:
    if json_:
        out.print_json(data=_record(item, now))
        return
    out.print(f"[bold]{item.source}[/]: recorded")
    _print_decision(item)
    _print_next([item.source])


def _print_decision(item: ReviewItem) -> None:
    made = item.decision
    if made is None:
        raise ValueError(f"{item.source}: {item.doc_id} is not decided")
    out.print(
        f"  {plain(item.doc_id)}: {plain(str(made))}, said {plain(made.by)} on {made.at[:10]}: {plain(made.why)}",
        soft_wrap=True,
        highlight=False,
    )
    if item.applied:
        out.print(f"    {plain(item.applied.detail)}", soft_wrap=True, highlight=False)


def _print_next(sources: Iterable[str]) -> None:
    for source in sources:
        out.print(
            f"  carried out with `{carried_out_with(source)}`; without --apply it shows what follows", soft_wrap=True
        )


def _queue_record(queue: Queue, now: datetime) -> dict[str, Any]:
    return {
        "source": queue.source,
        "open": [_record(item, now) for item in surest_first(queue.open)],
        "decided": [_record(item, now) for item in queue.decided],
        "unreadable": [str(each) for each in queue.unreadable],
    }


def _record(item: ReviewItem, now: datetime) -> dict[str, Any]:
    return {**asdict(item), "age_days": age_in_days(item, now)}
