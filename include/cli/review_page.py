"""One candidate as a person reads it: what speaks against it, what replaces it, who links to it, what would be lost."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from functools import partial

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from include.domain.dates import from_rfc3339
from include.domain.review import ReviewItem

_CHANGED = re.compile(r"(\[-.*?-\])|(\{\+.*?\+\})")
_MARGIN = (0, 0, 0, 2)


def print_page(
    console: Console, item: ReviewItem, now: datetime, *, is_staged: bool, facts: bool = False, diff_lines: int = 0
) -> None:
    """Everything that is known of an item; of a longer diff `diff_lines` lines, 0 for all. `facts` are what each
    finding rests on, as the queue remembers them. `is_staged`: readers do not find it now."""
    say = partial(console.print, soft_wrap=True, highlight=False)
    say(f"[bold]{plain(item.title or item.doc_id)}[/]")
    say(f"  {plain(item.doc_id)}")
    if item.url:
        say(f"  {plain(item.url)}")
    seen = "hidden from readers until you decide" if is_staged else "readers find it"
    say(f"  {item.proposal}, since {item.since[:10]} ({count(age_in_days(item, now), 'day')}); {seen}")
    for note in item.notes:
        say(f"  [yellow]{plain(note)}[/]")
    say("\n[bold]speaks against it[/]")
    say(Padding(_findings(item, facts=facts), _MARGIN))
    say(f"  [dim]{plain(item.arithmetic)}[/]")
    say(f"\n[bold]to be read instead[/]  {plain(item.replacement) or 'the evidence names nothing'}")
    say(f"[bold]links to it[/]         {_links(item)}")
    if item.diff:
        say()
        print_diff(console, item, most=diff_lines)


def print_diff(console: Console, item: ReviewItem, *, most: int = 0) -> None:
    """At most so many lines of it, 0 for all; the last one counts what is the same, and is never left out."""
    lines = item.diff.splitlines() or ["= nothing to compare it with"]
    cut = lines if not most or len(lines) <= most else [*lines[: most - 1], lines[-1]]
    for line in cut[:-1]:
        console.print(_coloured(line), soft_wrap=True)
    if len(cut) < len(lines):
        more = count(len(lines) - len(cut), "more line")
        console.print(f"  … {more}, d shows them", style="dim", highlight=False)
    console.print(_coloured(cut[-1]), soft_wrap=True)


def age_in_days(item: ReviewItem, now: datetime) -> int:
    return (now - from_rfc3339(item.since)).days


def count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def plain(text: str) -> str:
    """As it can be printed: what a source or a hand wrote controls no terminal and is no markup."""
    return escape(printable(text))


def printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


def _findings(item: ReviewItem, *, facts: bool) -> Table:
    table = Table.grid(padding=(0, 2))
    for _ in range(2):
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for each in item.evidence:
        table.add_row(f"{each.strength:.2f}", plain(each.signal), plain(each.sentence))
        for name, fact in each.facts.items() if facts else ():
            table.add_row("", "", f"[dim]{plain(name)}: {plain(fact)}[/]")
    return table


def _links(item: ReviewItem) -> str:
    if not item.links:
        return "no document that readers see"
    more = item.links - len(item.linked_from)
    return _listed(item.linked_from) + (f" and {more} more" if more else "")


def _listed(doc_ids: Iterable[str]) -> str:
    return ", ".join(plain(doc_id) for doc_id in doc_ids)


def _coloured(line: str) -> Text:
    """A line of the diff: gone is red, new is green."""
    style = {"-": "red", "+": "green", "=": "dim"}.get(line[:1], "")
    text = Text("  ")
    if style:
        return text.append(printable(line), style=style)
    for part in _CHANGED.split(printable(line)):
        if part:
            text.append(part, style="red" if part.startswith("[-") else "green" if part.startswith("{+") else "")
    return text
