"""Whatever people decide and whatever happens meanwhile: nothing protected goes, nothing is lost or done twice."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from include.domain.documents import SEARCHABLE, Status
from include.domain.errors import ConfigError
from include.planning.limits import Limits
from include.services.protecting import hold, pin, why_protected
from tests.builders import no_progress
from tests.fakes.purging import FakePurging
from tests.unit.test_apply_dispositions import ARCHIVE, EXTEND, KEEP, LINK, ONE, PURGE, SOURCE, TWO, Review
from tests.unit.test_resolve_canonical import Killed

Event = Callable[[Review, str], object]


def decide(decision: object) -> Event:
    def event(made: Review, doc_id: str) -> None:
        item = made.ledger.candidates(SOURCE).find(doc_id)
        if item is not None and item.is_open:
            made.decide(doc_id, decision)  # type: ignore[arg-type]

    return event


def quietly(act: Callable[[Review, str], object]) -> Event:
    """What people and sources do where it makes sense."""

    def event(made: Review, doc_id: str) -> None:
        try:
            act(made, doc_id)
        except (ConfigError, KeyError):
            return

    return event


def killed(at: str) -> Event:
    def event(made: Review, _: str) -> None:
        made.killed_at = at
        try:
            made.apply()
        except Killed:
            pass
        finally:
            made.killed_at = ""
            made.ledger.under_change.clear()

    return event


def merge(made: Review) -> None:
    for branch, files in list(made.in_git.proposed.items()):
        if branch not in made.in_git.removed and files.keys() <= made.source.pages.keys():
            made.in_git.merge(branch)


EVENTS: dict[str, Event] = {
    **{str(each): decide(each) for each in (PURGE, ARCHIVE, KEEP, LINK, EXTEND)},
    "edit": lambda made, doc_id: made.put(doc_id, f"# The deck\n\nAnother text {made.runs}."),
    "delete": quietly(lambda made, doc_id: made.source.delete(doc_id)),
    "pin": quietly(
        lambda made, doc_id: pin(
            made.context, [doc_id], by="Bob", reason="why", run_id=f"pin-{made.runs}", progress=no_progress
        )
    ),
    "hold": quietly(lambda made, doc_id: hold(made.context, [doc_id], until="2030-01-01", by="Bob", reason="why")),
    "sync": lambda made, _: made.sync(),
    "night": lambda made, _: made.night(),
    "detect": lambda made, _: made.detect(),
    "apply": lambda made, _: made.apply(),
    "killed at delete": killed("delete"),
    "killed at set_payload": killed("set_payload"),
    "killed at propose": killed("propose"),
    "merge": lambda made, _: merge(made) if made.purging else None,
}


@pytest.mark.parametrize("ours", [True, False])
@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(EVENTS)), st.sampled_from([ONE, TWO])), min_size=3, max_size=9))
def test_whatever_happens_protection_wins_nothing_is_lost_and_the_end_is_quiet(
    ours: bool, events: list[tuple[str, str]]
) -> None:
    made = Review(limits=Limits(100, 100, update_percent=100))
    if ours:
        made.purging = FakePurging(made.source, on_io=made._io)
    made.with_pages(3).with_family("deck", 1, 2, 3).night().resolve()
    made.detect()
    decided: set[tuple[str, str]] = set()
    for name, doc_id in events:
        before = made.statuses()
        protected = why_protected(made.ledger, SOURCE, made.clock.now())
        EVENTS[name](made, doc_id)
        made.runs += 1
        if name == "apply" or name.startswith("killed"):
            after = made.statuses()
            for each in protected.keys() & before.keys():
                assert each in after, f"{each} was taken out of the index"
                assert after[each] != Status.ARCHIVED or before[each] == Status.ARCHIVED
        decided |= {(item.doc_id, item.word) for item in made.ledger.candidates(SOURCE).decided}
    made.night()
    made.apply()
    # Every word is in the queue, settled, or named in a note.
    queue, settled = made.ledger.candidates(SOURCE), made.ledger.settled(SOURCE).items
    known = {(item.doc_id, item.word) for item in (*queue.decided, *settled)}
    for doc_id, word in decided - known:
        notes = [note for item in (*queue.items, *settled) if item.doc_id == doc_id for note in item.notes]
        assert any("Ada decided" in note for note in notes), f"the decision {word} on {doc_id} is lost"
    # What is done is done once, and index and ledger agree.
    assert made.apply().outcomes == ()
    marks = made.ledger.marks(SOURCE)
    assert all(status == marks[doc_id].status for doc_id, status in made.statuses().items() if doc_id in marks)
    out = made.ledger.kept_out(SOURCE)
    assert all(
        doc_id not in made.statuses() or made.source.pages[doc_id].version != out[doc_id].doc_version for doc_id in out
    )
    assert any(status in SEARCHABLE for status in made.statuses().values())
