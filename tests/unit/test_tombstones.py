"""What was erased stays out: tombstones in the ledger, and the connector and the fence that look at them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from include.domain.documents import DocumentKey, Presence
from include.domain.erasure import Trace
from include.domain.errors import ConfigError, DocumentNotPublic
from include.domain.events import Event
from include.domain.manifest import DocumentOutcome, DocumentState, Manifest, RunState
from include.ports import Connector, RemovalMarks
from include.records.inbox import FileInbox
from include.records.ledger import GitLedger
from include.records.manifests import FileManifests
from include.records.query_log import AskedQuestion, QueryLog, Shown
from include.records.removal_marks import FileRemovalMarks
from include.records.state import StateRoot
from include.records.state_traces import RemovalMarkFiles
from include.services.erased import ErasedMarks, WithoutErased
from tests.builders import at, context_of, day, night
from tests.fakes.clock import FakeClock
from tests.fakes.index import FakeIndexStore
from tests.fakes.records import FakeRemovalMarks
from tests.fakes.source import FakeSource

KEY = DocumentKey("handbook", "people/jane-doe")
NOON = "2026-03-01T12:00:00.000000Z"


def a_source() -> FakeSource:
    source = FakeSource()
    for doc_id in ("people/jane-doe", "people/john-roe", "rules/holidays", "rules/travel", "rules/expenses"):
        source.put(doc_id, f"# {doc_id}\n\nAll about {doc_id}.\n")
    return source


def test_a_tombstone_tells_nobody_which_document_it_is_of(tmp_path: Path) -> None:
    ledger = GitLedger(tmp_path)
    (stone,) = ledger.bury([KEY], by="ada", rule="GDPR art. 17", at=NOON)
    assert ledger.tombstone_of(KEY) == stone
    assert (stone.by, stone.rule, stone.at) == ("ada", "GDPR art. 17", NOON)
    log = subprocess.run(["git", "log", "-p"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "jane" not in log
    assert stone.digest in log


def test_a_tombstone_is_put_up_once_and_is_another_in_another_ledger(tmp_path: Path) -> None:
    ledger = GitLedger(tmp_path / "a")
    (stone,) = ledger.bury([KEY], by="ada", rule="GDPR art. 17", at=NOON)
    assert ledger.bury([KEY], by="eve", rule="again", at=NOON) == [stone]
    (other,) = GitLedger(tmp_path / "b").bury([KEY], by="ada", rule="GDPR art. 17", at=NOON)
    assert other.digest != stone.digest


def test_a_tombstone_is_lifted_by_name_only(tmp_path: Path) -> None:
    ledger = GitLedger(tmp_path)
    ledger.bury([KEY], by="ada", rule="GDPR art. 17", at=NOON)
    assert not ledger.lift(DocumentKey("handbook", "people"), by="ada", why="a slip")
    assert ledger.lift(KEY, by="ada", why="it was the wrong Jane")
    assert ledger.tombstone_of(KEY) is None
    assert ledger.tombstones() == []


def test_a_lost_salt_lets_nothing_in_again(tmp_path: Path) -> None:
    ledger = GitLedger(tmp_path)
    ledger.bury([KEY], by="ada", rule="GDPR art. 17", at=NOON)
    (tmp_path / "erased" / "salt").unlink()
    with pytest.raises(ConfigError, match="erased documents cannot be told"):
        ledger.tombstone_of(KEY)
    with pytest.raises(ConfigError):
        ledger.tombstones()


@pytest.mark.parametrize("how", ["day", "day by id", "night"])
def test_no_run_brings_an_erased_document_back(tmp_path: Path, how: str) -> None:
    source, ledger, store, clock = a_source(), GitLedger(tmp_path), FakeIndexStore(), FakeClock()
    ledger.bury([KEY], by="ada", rule="GDPR art. 17", at=NOON)
    connector: Connector = WithoutErased(source.connector(clock), ledger)
    marks: RemovalMarks = ErasedMarks(FakeRemovalMarks(), ledger, clock)
    context = context_of(connector, store=store, clock=clock, removal_marks=marks)
    match how:
        case "day":
            day(context, "1")
        case "day by id":
            day(context, "1", doc_ids=[KEY.doc_id, "rules/travel"], force=True)
        case _:
            assert night(context, "1").state is RunState.TRUE
    with store.reading() as index:
        indexed = {chunk.doc_id for chunk in index.scan("handbook")}
    assert "rules/travel" in indexed
    assert KEY.doc_id not in indexed


def test_who_was_at_work_meanwhile_does_not_name_an_erased_document_at_its_end(tmp_path: Path) -> None:
    ledger, state = GitLedger(tmp_path / "ledger"), StateRoot(str(tmp_path / "state"))
    (stone,) = ledger.bury([KEY], by="ada", rule="GDPR art. 17", at=NOON)
    outcomes = tuple(DocumentOutcome(name, DocumentState.FAILED, f"no {name}") for name in (KEY.doc_id, "rules/travel"))
    night = Manifest("1", "reconcile_index", "handbook", at(0), RunState.DEGRADED, outcomes=outcomes)
    FileManifests(state, ledger).save(night)
    FileManifests(state, ledger).save_part(night, "1")
    clock = FakeClock()
    FileInbox(state, clock, ledger).put(
        Event("handbook", "k", clock.now(), (KEY.doc_id, "rules/travel")), remembered_days=1
    )
    left = FileManifests(state).load("reconcile_index", "1", "handbook")
    assert [each.doc_id for each in left.outcomes] == [stone.mark, "rules/travel"]
    log = QueryLog(state, clock, tombstones=ledger)
    shown = (Shown("handbook", KEY.doc_id, "v1", 0.9), Shown("handbook", "rules/travel", "v1", 0.5))
    log.record(AskedQuestion("r1", clock.now(), "desk", "who?", "plain", (), 5, shown, 2, 3.0))
    log.close()
    (line,) = log.since(clock.now())
    assert [each["doc_id"] for each in line["shown"]] == [stone.mark, "rules/travel"]
    assert not any(b"jane" in state.read(path) for path in state.walk())
    (event,) = FileInbox(state, clock).open("handbook")
    assert event.doc_ids == (stone.mark, "rules/travel")


def test_a_read_that_began_before_the_erasure_writes_nothing_after_it(tmp_path: Path) -> None:
    source, ledger, store, clock = a_source(), GitLedger(tmp_path), FakeIndexStore(), FakeClock()
    marks = ErasedMarks(FakeRemovalMarks(), ledger, clock)
    context = context_of(source.connector(clock), store=store, clock=clock, removal_marks=marks)
    read = context.read(context.connector.fetch(KEY.doc_id))
    ledger.bury([KEY], by="ada", rule="GDPR art. 17", at=NOON)
    (outcome,) = context.writer.write([read])
    assert outcome.state.value == "withdrawn"
    with store.reading() as index:
        assert list(index.scan("handbook")) == []


def test_an_erased_document_is_not_read_and_counts_as_not_public(tmp_path: Path) -> None:
    ledger, source = GitLedger(tmp_path), a_source()
    connector = WithoutErased(source.connector(FakeClock()), ledger)
    assert connector.probe(KEY.doc_id) is Presence.PRESENT
    source.before_fetch = lambda doc_id: ledger.bury([KEY], by="ada", rule="while it was read", at=NOON)
    with pytest.raises(DocumentNotPublic) as refused:
        connector.fetch(KEY.doc_id)
    assert "jane" not in str(refused.value)
    assert connector.probe(KEY.doc_id) is Presence.NOT_PUBLIC
    assert KEY.doc_id not in connector.list_documents().documents


def test_the_fence_of_an_erased_document_goes_for_its_name_could_be_guessed(tmp_path: Path) -> None:
    state = StateRoot(str(tmp_path))
    marks = FileRemovalMarks(state)
    marks.put(KEY, at(1))
    marks.put(DocumentKey("handbook", "rules/travel"), at(1))
    report = RemovalMarkFiles(state).clear([Trace(KEY, "erased-1")])
    assert (report.before, marks.fence_of(KEY)) == (1, None)
    assert marks.fence_of(DocumentKey("handbook", "rules/travel")) == at(1)
    assert RemovalMarkFiles(state).clear([Trace(KEY, "erased-1")]).before == 0
