"""Runs of the resolver over random supersession graphs: whatever they state, marking twice changes nothing, and taking
a run back restores every byte."""

from __future__ import annotations

import itertools

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from include.domain.documents import Status
from include.domain.manifest import RunState
from include.planning.limits import Limits
from include.services.set_metadata import revert
from tests.builders import no_progress
from tests.unit.test_resolve_canonical import SOURCE, Handbook

_states = itertools.count()
NAMES = [f"{stem}-v{version}" for stem in ("deck", "policy") for version in (1, 2, 9, 10)]
NAMES += ["de/deck-v9", "Copy of deck-v10", "minutes-2026-03", "minutes-2026-04", "faq"]

stated = st.dictionaries(
    st.sampled_from(["supersedes", "superseded_by", "family", "version", "status"]),
    st.sampled_from([*(f"{name}.md" for name in NAMES), "missing.md", "Draft", "Final", "1.10", "1.9"]),
    max_size=2,
)
shelves = st.dictionaries(st.sampled_from(NAMES), stated, min_size=1, max_size=9)
edits = st.lists(st.tuples(st.sampled_from(NAMES), st.one_of(st.none(), stated)), max_size=3)


def shelf(documents: dict[str, dict[str, str]]) -> Handbook:
    handbook = Handbook(limits=Limits(100, 100)).with_pages(4)
    for name, says in documents.items():
        write(handbook, name, says)
    return handbook.night()


def write(handbook: Handbook, name: str, says: dict[str, str]) -> None:
    front_matter = "".join(f"{field}: {value!r}\n" for field, value in says.items())
    text = f"# The {name.split('/')[-1].split('-')[0]}\n\nIt is what it is.\n\nAs {name} says."
    body = f"---\n{front_matter}---\n{text}" if front_matter else text
    # No two states share a token, not even of a page that was deleted in between.
    handbook.source.put(f"{name}.md", body, version=f"state-{next(_states)}", media_type="text/markdown")


def check(handbook: Handbook) -> None:
    """What holds after every run: chunks agree, what is superseded says by what, and that is there."""
    statuses = handbook.statuses()
    marks = handbook.ledger.marks(SOURCE)
    for doc_id, status in statuses.items():
        if status == Status.SUPERSEDED:
            assert marks[doc_id].superseded_by
            assert set(marks[doc_id].superseded_by) <= statuses.keys()
    canonical: dict[str | None, int] = {}
    for doc_id in statuses:
        if doc_id in marks and marks[doc_id].is_canonical and marks[doc_id].doc_family:
            canonical[marks[doc_id].doc_family] = canonical.get(marks[doc_id].doc_family, 0) + 1
    assert all(number == 1 for number in canonical.values()), canonical


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents=shelves)
def test_marking_twice_changes_nothing_and_taking_back_restores_every_byte(
    documents: dict[str, dict[str, str]],
) -> None:
    handbook = shelf(documents)
    before = handbook.payloads()
    manifest = handbook.resolve()
    assert manifest.state is RunState.RESOLVED
    check(handbook)
    marked, reviews = handbook.payloads(), handbook.ledger.reviews(SOURCE)
    again = handbook.resolve()
    assert again.outcomes == ()
    assert (handbook.payloads(), handbook.ledger.reviews(SOURCE)) == (marked, reviews)
    if handbook.ledger.recorded(SOURCE, manifest.run_id):
        context = handbook.context
        revert(context, manifest.run_id, by="Ada", reason="wrong", new_run_id="back", progress=no_progress)
    assert handbook.payloads() == before
    assert handbook.ledger.marks(SOURCE) == {}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents=shelves, changes=edits)
def test_after_any_edits_a_night_leaves_the_marks_that_a_fresh_index_would_get(
    documents: dict[str, dict[str, str]], changes: list[tuple[str, dict[str, str] | None]]
) -> None:
    handbook = shelf(documents)
    handbook.resolve(changed_only=True)
    for name, says in changes:
        if says is not None:
            documents = {**documents, name: says}
            write(handbook, name, says)
        elif f"{name}.md" in handbook.source.pages:
            documents = {other: said for other, said in documents.items() if other != name}
            handbook.source.delete(f"{name}.md")
    handbook.night()
    handbook.clock.turn(days=3)
    assert handbook.resolve(changed_only=True).state is RunState.RESOLVED
    check(handbook)
    fresh = shelf(documents)
    fresh.resolve()
    ambiguous = {member.doc_id for review in fresh.ledger.reviews(SOURCE) for member in review.members}
    assert {member.doc_id for review in handbook.ledger.reviews(SOURCE) for member in review.members} == ambiguous
    mine, theirs = handbook.ledger.marks(SOURCE), fresh.ledger.marks(SOURCE)
    # What has become ambiguous keeps the marks that still fit; a fresh index never had any.
    assert {doc_id: marks for doc_id, marks in mine.items() if doc_id not in ambiguous} == theirs
