"""`make eval-families`: what the resolver makes of real registers, with their headers and without, and of real names.

    python -m tests.evaluation.families [--markdown] [--timeline]

`--timeline` looks at the PEPs at each of 709 dates (two minutes). Exit code 1 when a link or a head is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table

from tests.evaluation.families.named import Verdict, judge_families, latest_by_date
from tests.evaluation.families.questions import ORDINARY, Asked, asked
from tests.evaluation.families.registers import ABSENT, DATA, REGISTERS, Shown, register
from tests.evaluation.families.scores import Score, score
from tests.evaluation.families.timeline import look_back

console = Console(width=170)
Row = Sequence[str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", action="store_true", help="tables as Markdown")
    parser.add_argument("--timeline", action="store_true", help="the register of PEPs at every date in its history")
    chosen = parser.parse_args()
    show = _as_markdown if chosen.markdown else _as_table
    if not (DATA / "supersession").is_dir():
        console.print(f"left out, {ABSENT}")
        return 0
    scores = [score(name, shown) for shown in Shown for name in REGISTERS]
    show("links", _LINK_COLUMNS, [_link_row(each) for each in scores])
    show("heads", _HEAD_COLUMNS, [_head_row(each) for each in scores])
    for each in scores:
        _list(f"{each.register}, {each.shown.value}: wrong links", each.wrong)
        _list(f"{each.register}, {each.shown.value}: wrong heads", each.heads_wrong)
        _list(f"{each.register}, {each.shown.value}: decided, the truth says nothing", each.unjudged)
    questions = [asked(name, shown) for shown in (Shown.ALL, Shown.NOTHING) for name in (*REGISTERS, *ORDINARY)]
    show("questions", _QUESTION_COLUMNS, [_question_row(each) for each in questions])
    for one in questions:
        _list(f"{one.name}, {one.shown.value}: asked because of prose", one.because)
        _list(f"{one.name}, {one.shown.value}: decided in another way because of prose", one.changed)
    verdicts = judge_families()
    show("names", _NAME_COLUMNS, [_name_row(each) for each in verdicts])
    _list("names: wrong links", [line for each in verdicts for line in each.wrong_links])
    dates = list(latest_by_date())
    wrong = [f"{date}: {current}, not {latest}" for date, latest, current in dates if latest != current]
    console.print(f"\nlatest docs version by date: {len(dates) - len(wrong)} of {len(dates)} right", *wrong, sep="\n  ")
    if chosen.timeline:
        past = look_back()
        console.print(
            f"\nPEPs at {past.dates} dates: {past.links} links made over all of them, {len(past.taken_back)} of them "
            "claimed by nobody now",
            *past.taken_back,
            sep="\n  ",
        )
        wrong += past.taken_back
    is_red = any(each.wrong or each.heads_wrong for each in scores) or any(each.outcome == "wrong" for each in verdicts)
    is_red = is_red or any(one.changed for one in questions)
    return int(is_red or bool(wrong))


_LINK_COLUMNS = (
    *("register", "seen", "true links", "made", "right", "wrong", "precision", "found", "recall"),
    *("missed, in review", "forks in review", "void, made"),
)


def _link_row(each: Score) -> Row:
    truth = register(each.register, each.shown).truth
    made = each.right | each.wrong_pairs
    return (
        *(each.register, each.shown.value, str(len(truth.true)), str(len(made)), str(len(each.right))),
        *(str(len(each.wrong)), _share(each.precision), str(len(each.found)), _share(each.recall)),
        f"{len(each.in_review)} of {len(each.missed)}",
        f"{len(each.forks_in_review)} of {len(truth.forked)}",
        f"{len(each.wrong_pairs & truth.void)} of {len(truth.void)}",
    )


_HEAD_COLUMNS = (
    *("register", "seen", "families with a head", "right", "wrong", "in review, head among the options", "not seen"),
    *("open ends", "decided without truth"),
)


def _head_row(each: Score) -> Row:
    heads = register(each.register, each.shown).truth.heads
    return (
        *(each.register, each.shown.value, str(sum(map(bool, heads.values()))), str(len(each.heads_right))),
        *(str(len(each.heads_wrong)), str(len(each.heads_in_review)), str(len(each.heads_unseen))),
        *(str(each.open_ends), str(len(each.unjudged))),
    )


_QUESTION_COLUMNS = ("documents of", "seen", "number", "questions without prose", "with it", "added per 1,000")


def _question_row(each: Asked) -> Row:
    numbers = (each.documents, each.before, each.after)
    return each.name, each.shown.value, *map(str, numbers), f"{each.added_per_thousand:.1f}"


_NAME_COLUMNS = ("family", "relation", "members", "outcome", "links", "what")


def _name_row(each: Verdict) -> Row:
    family = each.family
    return family.name, family.relation, str(len(family.members)), each.outcome, str(each.links), each.why


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _as_table(name: str, columns: Row, rows: Iterable[Row]) -> None:
    table = Table(*columns, title=name, title_justify="left")
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _as_markdown(name: str, columns: Row, rows: Iterable[Row]) -> None:
    print(f"\n**{name}**\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def _list(what: str, lines: Sequence[str]) -> None:
    if lines:
        console.print(f"{what} ({len(lines)})", *lines, sep="\n  ", markup=False)


if __name__ == "__main__":
    sys.exit(main())
