"""Runs of the detector over an index in memory: staged, put before people, held, brought back, killed anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from include.domain.dates import rfc3339
from include.domain.documents import Status
from include.domain.errors import ApprovalRefused, ConfigError, DecisionConflict, DocumentGone
from include.domain.manifest import DocumentState, Feedback, Manifest, RunState
from include.domain.metadata import Hand
from include.domain.plan import Action, HoldReason, PlanKind
from include.domain.review import Applied, Decision, Disposition
from include.planning.limits import Limits
from include.services.bringing_back import bring_back
from include.services.detect_stale import DETECT, look_for_stale, stage_released, stage_stale
from include.services.detecting import Policy
from include.services.protecting import hold, pin
from include.services.set_metadata import revert
from include.staleness.ageing import Ageing
from include.staleness.fusion import STAGE_FROM
from include.staleness.usage import Enough, Usage
from tests.builders import no_progress
from tests.unit.test_resolve_canonical import SOURCE, Handbook, Killed, outcomes

KEEP = Decision(Disposition.KEEP, "Ada", "still right", at="2026-01-02T00:00:00.000000Z")
PURGE = Decision(Disposition.APPROVE_PURGE, "Bob", "nobody needs it", at="2026-01-02T00:00:00.000000Z")


CUSTOMERS = (("acme", 2015), ("globex", 2016))


@dataclass
class Shelf(Handbook):
    """A handbook that the detector looks at."""

    usage: Usage | None = None
    policy: Policy = field(default_factory=Policy)

    def detect(self, run_id: str = "") -> Manifest:
        self.clock.turn(hours=1)
        self.runs += 1
        run_id = run_id or f"detect-{self.runs}"
        return stage_stale(self.context, self.policy, self.usage, run_id=run_id, progress=no_progress)

    def look(self) -> Manifest:
        return look_for_stale(self.context, self.policy, self.usage, run_id="dry")[0]

    def restore(self, *doc_ids: str, reason: str = "still right", by: str = "Ada") -> Manifest:
        self.runs += 1
        return bring_back(self.context, doc_ids, by=by, reason=reason, run_id=f"back-{self.runs}", progress=no_progress)

    def decide(self, doc_id: str, decision: Decision) -> None:
        item = self.ledger.candidates(SOURCE).find(doc_id)
        assert item is not None
        self.ledger.decide(SOURCE, doc_id, decision, fingerprint=item.fingerprint)

    @property
    def queued(self) -> list[str]:
        return [item.doc_id for item in self.ledger.candidates(SOURCE).items]

    @property
    def staged(self) -> list[str]:
        return [doc_id for doc_id, status in self.statuses().items() if status == Status.STAGED]

    @property
    def staging_held(self) -> str:
        plan = self.ledger.held(SOURCE, PlanKind.STAGING)
        return plan.checksum if plan else ""


def page(front_matter: str, about: str = "leave") -> str:
    return f"---\n{front_matter}\n---\n# About {about}\n\nWhat holds for {about}, and what does not.\n\nAsk us."


@pytest.fixture
def shelf() -> Shelf:
    """Thirty pages and three decks; the two older are superseded by the newest."""
    made = Shelf()
    made.with_pages(30).with_family("deck", 1, 2, 3).night().resolve()
    assert made.superseded() == ["deck-v1.md", "deck-v2.md"]
    return made


# -- what a run stages and puts before people --


def test_the_two_older_of_three_decks_are_staged_with_evidence_that_names_the_newest(shelf: Shelf) -> None:
    manifest = shelf.detect()
    assert (manifest.state, shelf.staged) == (RunState.DETECTED, ["deck-v1.md", "deck-v2.md"])
    assert list(outcomes(manifest, DocumentState.STAGED)) == ["deck-v1.md", "deck-v2.md"]
    for item in shelf.ledger.candidates(SOURCE).items:
        assert (item.proposal, item.replacement, item.is_open) == ("stage", "deck-v3.md", True)
        assert "superseded by deck-v3.md" in item.evidence[0].sentence
        assert (item.evidence[0].anchor, item.evidence[0].replacement) == (True, "deck-v3.md")
        assert "1 − (1 − 0.95)" in item.arithmetic
        assert "--- deck-v" in item.diff
        assert "number" in item.diff
        assert item.content_hash
        assert item.doc_version
    counts = manifest.candidates
    assert counts is not None
    assert (counts.staged, counts.open, counts.decided, counts.examined) == (2, 2, 0, 33)
    assert counts.signals["superseded"] == 2
    assert counts.open_since == manifest.started_at or counts.open_since is not None
    assert "2 candidates wait for a person" in manifest.next_step


def test_a_dry_run_writes_its_manifest_and_nothing_else(shelf: Shelf) -> None:
    before, io = shelf.payloads(), len(shelf.io)
    manifest = shelf.look()
    assert (manifest.dag_id, manifest.state) == (DETECT, RunState.PLANNED)
    assert list(outcomes(manifest, DocumentState.PLANNED)) == ["deck-v1.md", "deck-v2.md"]
    assert "2 candidates, 2 of them new; 2 documents would be staged" in manifest.reason
    assert (shelf.payloads(), shelf.queued) == (before, [])
    assert "set_payload" not in shelf.io[io:]


def test_a_second_run_that_finds_the_same_writes_nothing(shelf: Shelf) -> None:
    shelf.detect()
    before, items, io = shelf.payloads(), shelf.ledger.candidates(SOURCE), len(shelf.io)
    manifest = shelf.detect()
    assert manifest.outcomes == ()
    assert (shelf.payloads(), shelf.ledger.candidates(SOURCE)) == (before, items)
    assert "set_payload" not in shelf.io[io:]


def test_staged_documents_leave_the_answers_and_the_source_has_them_still(shelf: Shelf) -> None:
    shelf.detect()
    vector = next(iter(shelf.store.points.values())).vector
    with shelf.store.reading() as index:
        found = {str(hit.payload["doc_id"]) for hit in index.search(vector, limit=500)}
    assert "deck-v3.md" in found
    assert not {"deck-v1.md", "deck-v2.md"} & found
    assert {"deck-v1.md", "deck-v2.md"} <= shelf.source.published().keys()


def test_the_night_and_the_resolver_leave_staged_documents_and_their_successor_as_they_are(shelf: Shelf) -> None:
    shelf.detect()
    before = shelf.payloads()
    shelf.night()
    assert shelf.resolve().outcomes == ()
    assert shelf.payloads() == before


def test_a_doubt_is_for_review_and_readers_see_the_document_as_before() -> None:
    shelf = Shelf().with_pages(30)
    shelf.put("leave.md", page("status: Obsolete"))
    shelf.night()
    assert isinstance(shelf, Shelf)
    manifest = shelf.detect()
    items = {item.doc_id: item.proposal for item in shelf.ledger.candidates(SOURCE).items}
    assert set(items) == {"leave.md"}
    if items["leave.md"] == "review":
        assert (shelf.staged, list(outcomes(manifest, DocumentState.PROPOSED))) == ([], ["leave.md"])


def test_what_was_staged_comes_back_when_nothing_speaks_against_it_any_more(shelf: Shelf) -> None:
    shelf.detect()
    shelf.source.delete("deck-v3.md")
    shelf.night()
    shelf.resolve()
    shelf.detect()
    shelf.source.delete("deck-v2.md")
    shelf.night()
    shelf.resolve()
    shelf.detect()
    assert "deck-v2.md" not in shelf.queued
    assert "deck-v2.md" not in shelf.ledger.decided(SOURCE, Hand.DETECTOR)


def test_not_being_shown_since_it_was_staged_is_no_evidence(shelf: Shelf) -> None:
    shelf.policy = Policy(enough=Enough(days=1, questions=1, seldom=100))
    shelf.detect()
    before = [item.fingerprint for item in shelf.ledger.candidates(SOURCE).items]
    first = shelf.clock.now()
    shelf.clock.turn(days=100)
    shown = {doc_id: 50 for doc_id in shelf.source.published() if doc_id not in ("deck-v1.md", "deck-v2.md")}
    shelf.usage = Usage(SOURCE, first, shelf.clock.now(), questions=5000, shown=shown)
    manifest = shelf.detect()
    assert manifest.candidates is not None
    assert "not_retrieved" not in manifest.candidates.not_judged
    assert [item.fingerprint for item in shelf.ledger.candidates(SOURCE).items] == before


def test_what_the_detector_has_staged_itself_is_no_evidence_about_others() -> None:
    shelf = Shelf().with_pages(30)
    assert isinstance(shelf, Shelf)
    shelf.put("offer.md", page("expires: 2020-01-01", "the offer"))
    shelf.put("old-offer.md", page("title: The old offer", "what was offered before"))
    shelf.night()
    shelf.say({"old-offer.md": {"status": "superseded", "superseded_by": ["offer.md"]}})
    shelf.detect()
    assert shelf.staged == ["offer.md"]
    first = shelf.ledger.candidates(SOURCE)
    assert [item.doc_id for item in first.items] == ["offer.md", "old-offer.md"]
    assert shelf.detect().outcomes == ()
    assert shelf.ledger.candidates(SOURCE) == first


def test_signs_that_come_together_hide_nothing_and_two_customers_offers_are_no_duplicates() -> None:
    shelf = Shelf().with_pages(30)
    assert isinstance(shelf, Shelf)
    neglected = {f"customers/{name}/offer.md": page(f"created: {year}-01-01", "our offer") for name, year in CUSTOMERS}
    neglected["Copy of memo.md"] = page("created: 2015-01-01\nstatus: deprecated", "a memo")
    for doc_id, text in {**neglected, "memo.md": page("created: 2015-01-01", "a memo")}.items():
        shelf.put(doc_id, text)
    shelf.night()
    shelf.policy = Policy(Ageing(default=30), enough=Enough(days=1, questions=1, seldom=100))
    asked_since = shelf.clock.now()
    shelf.clock.turn(days=100)
    shown = dict.fromkeys(shelf.source.published().keys() - neglected.keys(), 50)
    shelf.usage = Usage(SOURCE, asked_since, shelf.clock.now(), questions=5000, shown=shown)
    shelf.detect()
    queue = shelf.ledger.candidates(SOURCE)
    signals = {item.doc_id: {each.signal for each in item.evidence} for item in queue.items}
    assert signals["customers/acme/offer.md"] == signals["customers/globex/offer.md"] == {"aged", "not_retrieved"}
    assert signals["Copy of memo.md"] == {"aged", "not_retrieved", "source_says", "near_duplicate"}
    copy = shelf.ledger.candidate(SOURCE, "Copy of memo.md")
    assert copy.score >= STAGE_FROM
    assert {item.proposal for item in queue.items} == {"review"}
    assert shelf.staged == []


# -- the gate --


def test_more_than_the_limit_is_held_and_the_queue_has_the_evidence_all_the_same(shelf: Shelf) -> None:
    shelf.limits = Limits(deletion_percent=3)
    manifest = shelf.detect()
    assert (manifest.state, manifest.held_checksum) == (RunState.HELD, shelf.staging_held)
    assert [hold.reason for hold in manifest.holds] == [HoldReason.STAGING_LIMIT]
    assert "2 of 33 documents would be staged for review, 6.1 %, the limit is 3 %" in manifest.reason
    assert {change.action for change in manifest.held} == {Action.STAGE}
    assert (shelf.staged, shelf.queued) == ([], ["deck-v1.md", "deck-v2.md"])


def test_what_is_held_waits_for_a_person_though_it_is_below_the_limit_by_now(shelf: Shelf) -> None:
    shelf.limits = Limits(deletion_percent=3)
    shelf.detect()
    shelf.limits = Limits()
    assert shelf.detect().state is RunState.HELD
    assert shelf.staged == []


def test_what_is_released_is_staged_once_and_nothing_else(shelf: Shelf) -> None:
    shelf.limits = Limits(deletion_percent=3)
    shelf.detect()
    with pytest.raises(ApprovalRefused, match="no recorded release"):
        stage_released(shelf.context, shelf.policy, run_id="early", progress=no_progress)
    shelf.approve(shelf.staging_held)
    done = stage_released(shelf.context, shelf.policy, run_id="applied", progress=no_progress)
    assert (done.state, shelf.staged, shelf.staging_held) == (RunState.DETECTED, ["deck-v1.md", "deck-v2.md"], "")
    assert done.released
    assert shelf.manifests.removals(SOURCE, shelf.clock.now().replace(year=2000))[-1:] != [done]


def test_a_release_of_another_plan_is_refused(shelf: Shelf) -> None:
    shelf.limits = Limits(deletion_percent=3)
    shelf.detect()
    shelf.approve(shelf.staging_held)
    hold(shelf.context, ["deck-v1.md"], until="2030-01-01", by="Ada", reason="an audit")
    with pytest.raises(ApprovalRefused):
        stage_released(shelf.context, shelf.policy, run_id="applied", progress=no_progress)
    assert shelf.staged == []


def test_weeks_below_the_limit_fill_the_window(shelf: Shelf) -> None:
    shelf.detect()
    shelf.with_family("offer", 1, 2, 3).night().resolve()
    shelf.limits = Limits(deletion_percent=10, window_percent=10)
    manifest = shelf.detect()
    assert [hold.reason for hold in manifest.holds] == [HoldReason.STAGING_WINDOW]
    assert "2 superseded or staged in the last 7 days" in manifest.reason
    assert shelf.staged == ["deck-v1.md", "deck-v2.md"]


def test_a_document_that_was_superseded_and_is_staged_then_left_the_answers_once(shelf: Shelf) -> None:
    shelf.limits = Limits(deletion_percent=10, window_percent=10)
    manifest = shelf.detect()  # the resolver has superseded both of them an hour ago
    assert (manifest.state, shelf.staged) == (RunState.DETECTED, ["deck-v1.md", "deck-v2.md"])


# -- protection, on the detector's road --


def pinned(shelf: Shelf) -> None:
    pin(shelf.context, ["deck-v1.md"], by="Ada", reason="the contract", run_id="pin", progress=no_progress)


def held(shelf: Shelf) -> None:
    hold(shelf.context, ["deck-v1.md"], until="2030-01-01", by="Ada", reason="an audit")


@pytest.mark.parametrize("protect", [pinned, held])
def test_what_a_person_protects_is_no_candidate(shelf: Shelf, protect: Callable[[Shelf], None]) -> None:
    protect(shelf)
    manifest = shelf.detect()
    assert "deck-v1.md" not in shelf.queued
    assert "deck-v1.md" not in shelf.staged
    assert manifest.candidates is not None
    assert manifest.candidates.spared >= (protect is held)


@pytest.mark.parametrize("protect", [pinned, held])
def test_what_is_protected_after_it_was_staged_comes_back(shelf: Shelf, protect: Callable[[Shelf], None]) -> None:
    shelf.detect()
    protect(shelf)
    shelf.detect()
    assert (shelf.staged, shelf.queued) == (["deck-v2.md"], ["deck-v2.md"])


def test_a_pin_shows_a_staged_document_at_once(shelf: Shelf) -> None:
    shelf.detect()
    pinned(shelf)
    assert shelf.staged == ["deck-v2.md"]


@pytest.mark.parametrize("protect", [pinned, held])
def test_what_is_protected_while_the_run_is_reading_is_not_staged(
    shelf: Shelf, protect: Callable[[Shelf], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    from include.services import judging_staging

    read = judging_staging.find_stale

    def meanwhile(*arguments: object) -> object:
        found = read(*arguments)  # type: ignore[arg-type]
        protect(shelf)
        return found

    monkeypatch.setattr(judging_staging, "find_stale", meanwhile)
    shelf.detect()
    assert shelf.staged == ["deck-v2.md"]


def test_a_decision_on_what_was_protected_since_goes_back_to_open(shelf: Shelf) -> None:
    shelf.detect()
    shelf.decide("deck-v1.md", PURGE)
    held(shelf)
    shelf.detect()
    item = shelf.ledger.candidates(SOURCE).find("deck-v1.md")
    assert item is not None
    assert item.is_open
    assert "Bob decided approve-purge on 2026-01-02 (nobody needs it), but it is held until 2030-01-01" in item.notes[0]


# -- decisions and what happens meanwhile --


def test_a_decision_stands_while_nothing_changes(shelf: Shelf) -> None:
    shelf.detect()
    shelf.decide("deck-v1.md", PURGE)
    manifest = shelf.detect()
    item = shelf.ledger.candidates(SOURCE).find("deck-v1.md")
    assert item is not None
    assert item.decision == PURGE
    assert manifest.candidates is not None
    assert (manifest.candidates.open, manifest.candidates.decided) == (1, 1)


def test_a_decision_on_a_document_that_changed_goes_back_to_open(shelf: Shelf) -> None:
    shelf.detect()
    shelf.decide("deck-v1.md", PURGE)
    shelf.put("deck-v1.md", "# The deck\n\nThe deck is what it is.\n\nThis is number 1, and it says more by now.")
    shelf.night()
    shelf.resolve()
    shelf.detect()
    item = shelf.ledger.candidates(SOURCE).find("deck-v1.md")
    assert item is not None
    assert item.is_open
    assert "the document was changed since" in item.notes[0]


def test_a_decision_on_a_document_that_vanished_goes_back_to_open(shelf: Shelf) -> None:
    shelf.detect()
    shelf.decide("deck-v1.md", PURGE)
    shelf.source.delete("deck-v1.md")
    shelf.night()
    shelf.detect()
    item = shelf.ledger.candidates(SOURCE).find("deck-v1.md")
    assert item is not None
    assert "is not in the index any more" in item.notes[0]
    assert "deck-v1.md" not in shelf.ledger.decided(SOURCE, Hand.DETECTOR)


def test_a_candidate_that_is_superseded_again_has_the_evidence_of_now(shelf: Shelf) -> None:
    shelf.detect()
    shelf.decide("deck-v1.md", PURGE)
    shelf.with_family("deck", 4).night().resolve()
    shelf.detect()
    item = shelf.ledger.candidates(SOURCE).find("deck-v1.md")
    assert item is not None
    assert item.replacement == "deck-v4.md"
    assert item.is_open
    assert "the evidence is another now" in item.notes[0]
    assert "+++ deck-v4.md" in item.diff


def test_a_candidate_says_who_links_to_it_and_how_many_they_are(shelf: Shelf) -> None:
    for number in range(12):
        shelf.put(f"links-{number:02}.md", f"# Page {number}\n\nSee [the deck](deck-v1.md), number {number * 37}.")
    shelf.night()
    shelf.detect()
    item = shelf.ledger.candidate(SOURCE, "deck-v1.md")
    assert item.links == 12
    assert item.linked_from == tuple(f"links-{number:02}.md" for number in range(10))
    assert shelf.ledger.candidate(SOURCE, "deck-v2.md").links == 0


def test_a_page_that_the_nights_did_not_get_is_for_review_until_it_is_back(shelf: Shelf) -> None:
    page = "aaaa0.md"
    shelf.source.touch(page)
    shelf.source.broken[page] = DocumentGone(f"{SOURCE}: {page} does not exist (404)")
    shelf.night()
    shelf.detect()
    assert page not in shelf.queued, "it may come back after a deployment"
    for _ in range(3):
        shelf.clock.turn(days=1)
        shelf.night()
    shelf.detect()
    item = shelf.ledger.candidate(SOURCE, page)
    assert (item.proposal, [each.signal for each in item.evidence]) == ("review", ["address_gone"])
    del shelf.source.broken[page]
    shelf.night()
    shelf.detect()
    assert page not in shelf.queued


def test_what_a_person_kept_does_not_come_back_for_the_same_evidence(shelf: Shelf) -> None:
    shelf.detect()
    shelf.decide("deck-v1.md", KEEP)
    item = shelf.ledger.candidates(SOURCE).find("deck-v1.md")
    assert item is not None
    done = replace(item, applied=Applied(rfc3339(shelf.clock.now()), "run", "kept"))
    shelf.ledger.settle(SOURCE, [done], by="Ada", message="Keep")
    manifest = shelf.detect()
    assert (shelf.queued, shelf.staged) == (["deck-v2.md"], ["deck-v2.md"])
    assert manifest.candidates is not None
    assert manifest.candidates.feedback == {"superseded": Feedback(approved=0, kept=1)}


@pytest.mark.parametrize(("kept", "archived"), [("deck-v1.md", "deck-v2.md"), ("deck-v2.md", "deck-v1.md")])
def test_what_was_kept_does_not_come_back_because_its_sibling_is_archived(
    shelf: Shelf, kept: str, archived: str
) -> None:
    shelf.detect()
    shelf.restore(kept)
    shelf.say({archived: {"status": "archived"}})
    shelf.detect()
    assert (shelf.queued, shelf.staged) == ([], [])
    shelf.resolve()
    shelf.detect()
    assert (shelf.queued, shelf.staged) == ([], [])


def test_a_spoilt_file_is_named_and_nothing_is_concluded_about_its_document(shelf: Shelf) -> None:
    shelf.detect()
    shelf.ledger.spoilt[SOURCE, "deck-v1.md"] = "decision.disposition is 'delete'"
    shelf.source.delete("deck-v2.md")
    shelf.night()
    manifest = shelf.detect()
    assert manifest.state is RunState.DEGRADED
    assert "deck-v1.md: decision.disposition is 'delete'" in manifest.reason
    assert list(outcomes(manifest, DocumentState.FAILED)) == ["deck-v1.md"]
    assert shelf.staged == ["deck-v1.md"]
    assert manifest.candidates is not None
    assert manifest.candidates.unreadable == 1


# -- undone --


def test_one_word_brings_a_document_back_and_is_remembered(shelf: Shelf) -> None:
    shelf.detect()
    before = shelf.statuses()["deck-v2.md"]
    manifest = shelf.restore("deck-v1.md")
    assert (manifest.state, list(outcomes(manifest, DocumentState.RESTORED))) == (RunState.TRUE, ["deck-v1.md"])
    assert (shelf.staged, shelf.statuses()["deck-v1.md"]) == (["deck-v2.md"], Status.SUPERSEDED)
    shelf.detect()
    assert (shelf.staged, shelf.queued, before) == (["deck-v2.md"], ["deck-v2.md"], Status.STAGED)


def test_nothing_is_brought_back_that_is_not_staged_or_that_somebody_decided_otherwise(shelf: Shelf) -> None:
    shelf.detect()
    with pytest.raises(ConfigError, match=r"deck-v3\.md is neither staged nor a candidate"):
        shelf.restore("deck-v1.md", "deck-v3.md")
    shelf.decide("deck-v2.md", PURGE)
    with pytest.raises(DecisionConflict, match="Bob decided approve-purge"):
        shelf.restore("deck-v1.md", "deck-v2.md")
    with pytest.raises(ConfigError, match="a person and a reason"):
        shelf.restore("deck-v1.md", reason=" ")
    assert shelf.staged == ["deck-v1.md", "deck-v2.md"]
    assert [item.doc_id for item in shelf.ledger.candidates(SOURCE).open] == ["deck-v1.md"]


def test_a_run_is_taken_back_by_its_id_every_field_as_it_was(shelf: Shelf) -> None:
    before = shelf.payloads()
    shelf.detect("the-run")
    revert(shelf.context, "the-run", by="Ada", reason="wrong", new_run_id="back", progress=no_progress)
    assert shelf.payloads() == before


# -- killed anywhere --


@pytest.mark.parametrize("killed_at", ["scan", "vectors", "chunks_of", "set_payload", "count"])
def test_a_run_that_is_killed_is_finished_by_the_next_one_and_hides_nothing_without_evidence(
    shelf: Shelf, killed_at: str
) -> None:
    shelf.killed_at = killed_at
    with pytest.raises(Killed):
        shelf.detect()
    shelf.killed_at = ""
    assert set(shelf.staged) <= set(shelf.queued)
    shelf.detect()
    assert (shelf.staged, shelf.queued) == (["deck-v1.md", "deck-v2.md"], ["deck-v1.md", "deck-v2.md"])


def test_a_run_that_fails_leaves_a_manifest_that_says_why(shelf: Shelf) -> None:
    shelf.failing = "scan"
    with pytest.raises(Exception, match="does not answer"):
        shelf.detect("broken")
    manifest = shelf.manifests.load(DETECT, "broken", SOURCE)
    assert (manifest.state, manifest.next_step) == (RunState.FAILED, "A retry may help")
