"""What becomes of decisions: carried out on each kind of source, held, opened again, settled, and killed anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from include.domain.documents import Status
from include.domain.errors import ApprovalRefused, StoreUnavailable
from include.domain.manifest import DocumentState, Feedback, Manifest, RunState
from include.domain.metadata import Hand
from include.domain.plan import Action, HoldReason, PlanKind
from include.domain.review import Decision, Disposition, ReviewItem
from include.planning.limits import Limits
from include.services.apply_dispositions import APPLY, apply_dispositions, apply_released, look_at_dispositions
from include.services.context import SourceContext
from include.services.protecting import hold, pin
from tests.builders import day, no_progress
from tests.fakes.purging import FakePurging
from tests.unit.test_detect_stale import SOURCE, Shelf, page
from tests.unit.test_resolve_canonical import Killed, outcomes

ONE, TWO, THREE = "deck-v1.md", "deck-v2.md", "deck-v3.md"
SAID_AT = "2026-01-02T00:00:00.000000Z"


def said(disposition: Disposition, by: str = "Ada", **more: str) -> Decision:
    return Decision(disposition, by, "I looked at it", at=SAID_AT, **more)


PURGE, ARCHIVE, KEEP = (said(each) for each in (Disposition.APPROVE_PURGE, Disposition.ARCHIVE, Disposition.KEEP))
EXTEND = said(Disposition.EXTEND, until="2030-01-31")
LINK = said(Disposition.SUPERSEDE_LINK, superseded_by=THREE)


@dataclass
class Review(Shelf):
    """A shelf whose candidates people decide about. `purging` makes its source one that is ours to write."""

    purging: FakePurging | None = None

    @property
    def context(self) -> SourceContext:
        return replace(super().context, purging=self.purging)

    @property
    def in_git(self) -> FakePurging:
        assert self.purging is not None
        return self.purging

    def apply(self, run_id: str = "") -> Manifest:
        self.clock.turn(hours=1)
        self.runs += 1
        return apply_dispositions(self.context, run_id=run_id or f"apply-{self.runs}", progress=no_progress)

    def sync(self) -> Manifest:
        self.clock.turn(hours=1)
        self.runs += 1
        return day(self.context, f"hour-{self.runs}")

    def item(self, doc_id: str) -> ReviewItem:
        return self.ledger.candidate(SOURCE, doc_id)

    def status(self, doc_id: str) -> str:
        return self.statuses().get(doc_id, "")

    @property
    def dispositions_held(self) -> str:
        plan = self.ledger.held(SOURCE, PlanKind.DISPOSITIONS)
        return plan.checksum if plan else ""


def filled(made: Review) -> Review:
    made.with_pages(25).with_family("deck", 1, 2, 3).night().resolve()
    made.detect()
    assert made.staged == [ONE, TWO]
    return made


@pytest.fixture
def review() -> Review:
    """Two staged decks of a source that is not ours to write."""
    return filled(Review())


@pytest.fixture
def git() -> Review:
    """The same in a repository."""
    made = Review()
    made.purging = FakePurging(made.source, on_io=made._io)
    return filled(made)


# -- what each decision comes to --


def test_a_purge_of_a_source_that_is_not_ours_leaves_the_index_and_is_kept_out(review: Review) -> None:
    review.decide(ONE, PURGE)
    manifest = review.apply()
    assert (manifest.dag_id, manifest.state, review.status(ONE)) == (APPLY, RunState.APPLIED, "")
    (gone,) = [each for each in manifest.outcomes if each.state is DocumentState.DELETED]
    assert gone.doc_id == ONE
    assert "Ada: approve-purge (I looked at it)" in gone.detail
    assert ONE in review.source.published()
    assert (review.ledger.kept_out(SOURCE)[ONE].by, review.ledger.kept_out(SOURCE)[ONE].doc_version) == ("Ada", "v1")
    assert ONE not in review.ledger.decided(SOURCE, Hand.DETECTOR)
    review.night()
    review.sync()
    assert review.status(ONE) == ""
    review.put(ONE, "# The deck\n\nAll new.")
    told = review.sync()
    assert "Ada took it out of the index on " in outcomes(told, DocumentState.CREATED)[ONE]
    assert review.status(ONE) != ""


def test_purges_of_a_repository_are_one_commit_with_evidence_who_and_why_and_stay_hidden_until_it_is_merged(
    git: Review,
) -> None:
    git.decide(ONE, PURGE)
    git.decide(TWO, said(Disposition.APPROVE_PURGE, by="Bob"))
    manifest = git.apply()
    (branch,) = git.in_git.proposed
    assert sorted(git.in_git.proposed[branch]) == [ONE, TWO]
    message = git.in_git.messages[branch]
    for words in ("Remove 2 documents", "superseded by deck-v3.md", "Decided by Ada on 2026-01-02: I looked at it"):
        assert words in " ".join(message.split())
    assert "Decided by Bob" in message
    assert sorted(outcomes(manifest, DocumentState.PURGED)) == [ONE, TWO]
    assert branch in manifest.next_step
    assert all(f"merge {branch}" in each.detail for each in manifest.outcomes)
    assert (git.staged, git.item(ONE).waits_for_source) == ([ONE, TWO], True)
    for wait in (git.apply, git.sync):
        assert wait().outcomes == ()
    git.detect()
    assert (git.staged, git.item(ONE).waits_for_source) == ([ONE, TWO], True)

    git.in_git.merge()
    git.night()
    assert git.status(ONE) == git.status(TWO) == ""
    settled = git.apply()
    assert sorted(outcomes(settled, DocumentState.SETTLED)) == [ONE, TWO]
    assert git.queued == []
    git.in_git.revert()
    git.sync()
    assert (git.staged, git.status(TWO) in (Status.SUPERSEDED, Status.PUBLISHED)) == ([], True)


def test_a_purge_that_was_merged_and_reverted_before_anybody_settled_it_is_to_be_decided_again(git: Review) -> None:
    git.decide(ONE, PURGE)
    git.apply()
    git.in_git.merge()
    git.night()
    git.in_git.revert()
    git.sync()
    assert git.staged == [TWO]
    assert "it had left the index and came back" in git.item(ONE).notes[-1]
    git.apply()
    assert len(git.in_git.proposed) == 1


def test_a_candidate_that_readers_still_find_is_hidden_once_its_removal_is_proposed() -> None:
    made = Review().with_pages(30)
    assert isinstance(made, Review)
    made.purging = FakePurging(made.source)
    made.put("leave.md", page("status: Deprecated"))
    made.night()
    made.detect()
    assert (made.queued, made.staged) == (["leave.md"], [])
    made.decide("leave.md", PURGE)
    made.apply()
    assert made.staged == ["leave.md"]
    made.detect()
    assert made.staged == ["leave.md"]


def test_what_is_archived_is_found_by_nobody_and_is_no_candidate_again(review: Review) -> None:
    review.decide(ONE, ARCHIVE)
    manifest = review.apply()
    assert (review.status(ONE), list(outcomes(manifest, DocumentState.HIDDEN))) == (Status.ARCHIVED, [ONE])
    review.detect()
    review.resolve()
    review.detect()
    assert (review.queued, review.status(ONE)) == ([TWO], Status.ARCHIVED)
    (change,) = [each for each in review.ledger.changes if each.hand is Hand.PERSON]
    assert (change.by, change.reason) == ("Ada", "I looked at it")


def test_what_is_linked_is_found_behind_the_other_both_ways_and_is_no_candidate_again(review: Review) -> None:
    review.decide(ONE, LINK)
    review.apply()
    marks = review.ledger.marks(SOURCE)
    assert (review.status(ONE), marks[ONE].superseded_by) == (Status.SUPERSEDED, (THREE,))
    assert marks[THREE].supersedes == (ONE, TWO)
    for _ in range(2):
        review.detect()
        assert review.queued == [TWO]
        review.resolve()


def test_what_is_kept_is_shown_and_never_proposed_again_for_the_same_evidence(review: Review) -> None:
    review.decide(ONE, KEEP)
    manifest = review.apply()
    assert (review.staged, list(outcomes(manifest, DocumentState.RESTORED))) == ([TWO], [ONE])
    for _ in range(2):
        review.detect()
        assert (review.staged, review.queued) == ([TWO], [TWO])
        review.resolve()


def test_what_is_put_off_is_shown_and_left_alone_until_that_day(review: Review) -> None:
    review.decide(ONE, EXTEND)
    review.apply()
    held = review.ledger.holds(SOURCE)[ONE]
    assert (review.staged, held.held_until[:10], held.by, held.reason) == ([TWO], "2030-01-31", "Ada", "I looked at it")
    review.detect()
    assert review.queued == [TWO]
    review.clock.turn(days=5 * 365)
    review.detect()
    assert ONE in review.queued


def test_a_longer_hold_is_not_made_shorter(review: Review) -> None:
    review.decide(ONE, EXTEND)
    hold(review.context, [ONE], until="2031-01-01", by="Bob", reason="an audit")
    review.apply()
    assert review.ledger.holds(SOURCE)[ONE].held_until.startswith("2031")


def test_decisions_of_all_kinds_in_one_run_are_each_carried_out_and_counted(review: Review) -> None:
    review.decide(ONE, KEEP)
    review.decide(TWO, ARCHIVE)
    manifest = review.apply()
    counts = manifest.candidates
    assert counts is not None
    assert (counts.open, counts.decided, counts.staged) == (0, 0, 0)
    assert counts.feedback == {"superseded": Feedback(approved=1, kept=1)}
    review.detect()
    review.resolve()
    review.detect()
    assert (review.queued, review.staged) == ([], [])


# -- second runs, dry runs --


def everything(review: Review) -> tuple[object, ...]:
    ledger = review.ledger
    queue, settled = ledger.candidates(SOURCE), ledger.settled(SOURCE)
    return review.payloads(), queue, settled, dict(ledger.decisions), ledger.kept_out(SOURCE), ledger.holds(SOURCE)


@pytest.mark.parametrize("decision", [PURGE, ARCHIVE, KEEP, EXTEND, LINK], ids=str)
@pytest.mark.parametrize("kind", ["review", "git"])
def test_a_second_run_changes_nothing(kind: str, decision: Decision, request: pytest.FixtureRequest) -> None:
    made: Review = request.getfixturevalue(kind)
    made.decide(ONE, decision)
    made.apply()
    before, io = everything(made), len(made.io)
    assert made.apply().outcomes == ()
    assert everything(made) == before
    assert not {"set_payload", "delete", "insert", "propose"} & set(made.io[io:])


def test_a_dry_run_writes_its_manifest_and_nothing_else(git: Review) -> None:
    git.decide(ONE, PURGE)
    git.decide(TWO, KEEP)
    before, io = everything(git), len(git.io)
    manifest, planned = look_at_dispositions(git.context, run_id="dry")
    assert (manifest.state, list(outcomes(manifest, DocumentState.PLANNED))) == (RunState.PLANNED, [ONE, TWO])
    assert "2 decisions would be carried out, 1 of them take a document away" in manifest.reason
    assert len(planned.plan.taken_away) == 1
    assert everything(git) == before
    assert not {"set_payload", "delete", "propose"} & set(git.io[io:])


def test_an_undecided_candidate_is_never_touched_however_long_it_waits(review: Review) -> None:
    review.clock.turn(days=1000)
    before = everything(review)
    assert review.apply().outcomes == ()
    assert everything(review) == before


# -- what does not hold any more --


def pinned(review: Review) -> str:
    pin(review.context, [ONE], by="Bob", reason="the contract", run_id="pin", progress=no_progress)
    return "it is pinned"


def held(review: Review) -> str:
    hold(review.context, [ONE], until="2030-01-01", by="Bob", reason="an audit")
    return "it is held until 2030-01-01: an audit"


def edited(review: Review) -> str:
    review.put(ONE, "# The deck\n\nIt says something else by now.")
    review.night()
    return "the document was changed since"


def edited_at_the_source_only(review: Review) -> str:
    review.put(ONE, "# The deck\n\nIt says something else by now.")
    return "its source has another version of it since"


def touched(review: Review) -> str:
    review.source.touch(ONE)
    review.night()
    return "its source has another version of it since"


def without_a_replacement(review: Review) -> str:
    review.say({THREE: {"status": "archived"}})
    return f"{THREE}, which was to be read instead, is archived by now"


@pytest.mark.parametrize("disposition", [PURGE, ARCHIVE, LINK], ids=str)
@pytest.mark.parametrize("kind", ["review", "git"])
@pytest.mark.parametrize("happens", [pinned, held, edited, touched, without_a_replacement])
def test_nothing_is_taken_away_or_linked_that_is_not_what_it_was(
    kind: str, happens: Callable[[Review], str], disposition: Decision, request: pytest.FixtureRequest
) -> None:
    made: Review = request.getfixturevalue(kind)
    made.decide(ONE, disposition)
    why = happens(made)
    status = made.status(ONE)
    manifest = made.apply()
    assert (made.status(ONE), made.ledger.settled(SOURCE).items) == (status, ())
    assert made.purging is None or not made.purging.proposed
    item = made.item(ONE)
    assert item.is_open
    assert f"Ada decided {disposition} on 2026-01-02 (I looked at it), but {why}" in item.notes[-1]
    if happens is not edited:  # the sync has told already
        assert why in outcomes(manifest, DocumentState.REOPENED)[ONE]


@pytest.mark.parametrize("kind", ["review", "git"])
def test_a_source_that_has_another_version_by_now_is_asked_before_anything_is_purged(
    kind: str, request: pytest.FixtureRequest
) -> None:
    made: Review = request.getfixturevalue(kind)
    made.decide(ONE, PURGE)
    why = edited_at_the_source_only(made)
    made.apply()
    assert (made.status(ONE), why in made.item(ONE).notes[-1]) == (Status.STAGED, True)


@pytest.mark.parametrize("decision", [KEEP, EXTEND], ids=str)
@pytest.mark.parametrize("happens", [held, touched, without_a_replacement])
def test_what_shows_a_document_is_carried_out_all_the_same(
    review: Review, happens: Callable[[Review], str], decision: Decision
) -> None:
    review.decide(ONE, decision)
    happens(review)
    review.apply()
    assert (review.staged, [item.doc_id for item in review.ledger.settled(SOURCE).items]) == ([TWO], [ONE])


def test_a_day_that_has_passed_is_to_be_decided_again(review: Review) -> None:
    review.decide(ONE, said(Disposition.EXTEND, until="2026-01-01"))
    review.clock.turn(days=400)
    review.apply()
    assert "but that day has passed" in review.item(ONE).notes[-1]


@pytest.mark.parametrize("decision", [PURGE, ARCHIVE, KEEP, LINK], ids=str)
def test_a_document_that_vanished_leaves_nothing_to_be_done(review: Review, decision: Decision) -> None:
    review.decide(ONE, decision)
    review.source.delete(ONE)
    review.night()
    manifest = review.apply()
    assert "it is gone from its source already" in outcomes(manifest, DocumentState.SETTLED)[ONE]
    assert (review.queued, review.apply().outcomes) == ([TWO], ())


def test_an_index_that_was_lost_settles_nothing(review: Review) -> None:
    review.decide(ONE, PURGE)
    review.store.points.clear()
    assert review.apply().outcomes == ()
    assert review.item(ONE).decision == PURGE


def test_a_candidate_that_is_superseded_again_goes_and_the_newest_is_told(git: Review) -> None:
    git.decide(ONE, PURGE)
    git.with_family("deck", 4).night().resolve()
    git.apply()
    (message,) = git.in_git.messages.values()
    assert "deck-v3.md was replaced by deck-v4.md since" in message


def test_a_link_that_would_lead_in_a_circle_is_to_be_decided_again(review: Review) -> None:
    review.decide(ONE, said(Disposition.SUPERSEDE_LINK, superseded_by="aaaa0.md"))
    review.say({"aaaa0.md": {"status": "superseded", "superseded_by": [ONE]}})
    review.apply()
    assert f"superseded_by leads back to it: {ONE} -> aaaa0.md -> {ONE}" in review.item(ONE).notes[-1]


def test_a_purge_in_review_takes_no_document_with_it_whose_replacement_goes_too(review: Review) -> None:
    review.say({THREE: {"status": "superseded", "superseded_by": [TWO]}, TWO: {"status": "published"}})
    review.detect()
    for doc_id in review.queued:
        if review.item(doc_id).is_open:
            review.decide(doc_id, PURGE)
    review.apply()
    assert any(review.status(doc_id) in (Status.PUBLISHED, Status.SUPERSEDED) for doc_id in (ONE, TWO, THREE))


def test_a_word_that_changes_while_the_run_is_at_work_is_not_carried_out(git: Review) -> None:
    git.decide(ONE, PURGE)

    def overrule(operation: str) -> None:
        if operation == "propose":
            git.ledger.decide(
                SOURCE, ONE, replace(KEEP, by="Bob"), fingerprint=git.item(ONE).fingerprint, overrule=True
            )

    git.in_git.on_io = overrule
    manifest = git.apply()
    assert "the decision is another by now" in outcomes(manifest, DocumentState.WITHDRAWN)[ONE]
    assert git.item(ONE).decision == replace(KEEP, by="Bob")


@pytest.mark.parametrize("protect", [pinned, held])
def test_what_is_protected_while_the_commit_is_made_stays_and_the_note_tells_of_the_branch(
    git: Review, protect: Callable[[Review], str]
) -> None:
    git.decide(ONE, PURGE)
    git.in_git.on_io = lambda operation: protect(git) and None if operation == "propose" else None
    git.apply()
    (branch,) = git.in_git.proposed
    note = git.item(ONE).notes[-1]
    assert (git.item(ONE).is_open, branch in note, "do not merge" in note) == (True, True, True)


def test_a_spoilt_file_is_named_and_the_others_are_carried_out(review: Review) -> None:
    review.decide(TWO, ARCHIVE)
    review.ledger.spoilt[SOURCE, ONE] = "decision.disposition is 'delete'"
    manifest = review.apply()
    assert (manifest.state, review.status(TWO)) == (RunState.DEGRADED, Status.ARCHIVED)
    assert "deck-v1.md: decision.disposition is 'delete'" in manifest.reason


# -- a source that does not answer --


@pytest.mark.parametrize("kind", ["review", "git"])
def test_a_source_that_does_not_answer_leaves_everything_for_the_next_run(
    kind: str, request: pytest.FixtureRequest
) -> None:
    made: Review = request.getfixturevalue(kind)
    made.decide(ONE, PURGE)
    made.decide(TWO, ARCHIVE)
    made.source.down = True
    manifest = made.apply()
    assert (manifest.state, made.status(ONE), made.status(TWO)) == (
        RunState.DEGRADED,
        Status.STAGED,
        Status.ARCHIVED,
    )
    assert made.item(ONE).decision == PURGE
    made.source.down = False
    assert made.apply().state is RunState.APPLIED


def test_a_repository_that_does_not_answer_leaves_everything_for_the_next_run(git: Review) -> None:
    git.decide(ONE, PURGE)
    git.in_git.down = True
    assert git.apply().state is RunState.DEGRADED
    assert (git.item(ONE).waits_for_source, git.item(ONE).decision) == (False, PURGE)
    git.in_git.down = False
    git.apply()
    assert git.item(ONE).waits_for_source


def test_a_push_that_failed_is_made_up_for_once(git: Review) -> None:
    git.in_git.pushes, git.in_git.refuses = True, "protected branch"
    git.decide(ONE, PURGE)
    manifest = git.apply()
    assert (manifest.state, "protected branch" in manifest.reason) == (RunState.DEGRADED, True)
    git.in_git.refuses = ""
    assert list(outcomes(git.apply(), DocumentState.PURGED)) == [ONE]
    assert git.apply().outcomes == ()
    assert len(git.in_git.pushed) == 1


def test_a_clone_that_was_tidied_away_is_made_anew(git: Review) -> None:
    git.decide(ONE, PURGE)
    git.apply()
    git.in_git.proposed.clear()
    assert list(outcomes(git.apply(), DocumentState.PURGED)) == [ONE]
    assert len(git.in_git.proposed) == 1


# -- the gate --


@pytest.mark.parametrize("decision", [PURGE, ARCHIVE], ids=str)
def test_more_than_the_limit_is_held_and_what_shows_documents_goes_through(review: Review, decision: Decision) -> None:
    review.limits = Limits(deletion_percent=3)
    review.decide(ONE, decision)
    review.decide(TWO, KEEP)
    manifest = review.apply()
    assert (manifest.state, manifest.held_checksum) == (RunState.HELD, review.dispositions_held)
    assert [each.reason for each in manifest.holds] == [HoldReason.DISPOSITION_LIMIT]
    assert "1 of 28 documents would be purged or archived, as people decided one by one, 3.6 %" in manifest.reason
    assert (review.staged, review.item(ONE).decision) == ([ONE], decision)
    assert {each.action for each in manifest.held} <= {Action.PURGE, Action.ARCHIVE}


def test_what_is_held_waits_though_it_is_below_the_limit_by_now_and_a_release_carries_it_out_once(
    review: Review,
) -> None:
    review.limits = Limits(deletion_percent=3)
    review.decide(ONE, PURGE)
    review.apply()
    review.limits = Limits()
    assert review.apply().state is RunState.HELD
    with pytest.raises(ApprovalRefused, match="no recorded release"):
        apply_released(review.context, run_id="early", progress=no_progress)
    review.approve(review.dispositions_held)
    done = apply_released(review.context, run_id="applied", progress=no_progress)
    assert (done.state, done.released, review.status(ONE), review.dispositions_held) == (
        RunState.APPLIED,
        True,
        "",
        "",
    )
    with pytest.raises(ApprovalRefused, match="nothing is held"):
        apply_released(review.context, run_id="again", progress=no_progress)


def test_a_release_of_another_plan_is_refused(review: Review) -> None:
    review.limits = Limits(deletion_percent=3)
    review.decide(ONE, PURGE)
    review.apply()
    review.approve(review.dispositions_held)
    review.decide(TWO, PURGE)
    with pytest.raises(ApprovalRefused):
        apply_released(review.context, run_id="applied", progress=no_progress)
    assert review.staged == [ONE, TWO]


def test_days_below_the_limit_fill_the_window(review: Review) -> None:
    review.limits = Limits(window_percent=5)
    review.clock.turn(days=8)
    review.decide(ONE, PURGE)
    assert review.apply().state is RunState.APPLIED
    review.decide(TWO, PURGE)
    second = review.apply()
    assert (second.state, [each.reason for each in second.holds]) == (RunState.HELD, [HoldReason.DISPOSITION_WINDOW])
    assert "1 documents would be purged or archived now, and 1 in the last 7 days" in second.reason


# -- taken back --


@pytest.mark.parametrize("decision", [PURGE, ARCHIVE, KEEP, LINK], ids=str)
def test_what_somebody_took_back_is_not_carried_out_again(review: Review, decision: Decision) -> None:
    review.decide(ONE, decision)
    item, before = review.item(ONE), dict(review.ledger.decisions)
    review.apply()
    review.ledger.decisions, review.ledger.out, review.ledger.done = before, {}, []  # as `git revert` leaves it
    review.ledger.items[SOURCE, ONE] = item
    review.sync()
    back = review.status(ONE)
    assert back == (Status.SUPERSEDED if decision is PURGE else Status.STAGED)
    review.apply()
    assert (review.status(ONE), review.item(ONE).is_open) == (back, True)
    why = "it had left the index and came back" if decision is PURGE else "it was carried out, and somebody has taken"
    assert why in review.item(ONE).notes[-1]


def test_a_purge_that_was_begun_and_taken_back_in_the_ledger_tells_that_its_branch_may_be_there(git: Review) -> None:
    git.decide(ONE, PURGE)
    item = git.item(ONE)
    git.apply()
    git.ledger.items[SOURCE, ONE] = item  # as `git revert` leaves it
    git.apply()
    assert (git.item(ONE).is_open, len(git.in_git.proposed)) == (True, 1)
    assert "a branch that removes it may be there still, do not merge that" in git.item(ONE).notes[-1]


# -- killed anywhere --


@pytest.mark.parametrize("decision", [PURGE, ARCHIVE, KEEP, EXTEND, LINK], ids=str)
@pytest.mark.parametrize("kind", ["review", "git"])
@pytest.mark.parametrize("killed_at", ["scan", "propose", "delete", "chunks_of", "set_payload", "count"])
def test_a_run_that_is_killed_is_finished_by_the_next_one(
    kind: str, killed_at: str, decision: Decision, request: pytest.FixtureRequest
) -> None:
    straight, made = Review(), request.getfixturevalue(kind)
    if kind == "git":
        straight.purging = FakePurging(straight.source)
    filled(straight).decide(ONE, decision)
    straight.apply()
    made.decide(ONE, decision)
    made.killed_at = killed_at
    try:
        made.apply()
    except Killed:
        made.killed_at = ""
        made.apply()
    made.killed_at = ""
    assert made.statuses() == straight.statuses()
    assert made.ledger.decisions == straight.ledger.decisions
    assert [each.doc_id for each in made.ledger.candidates(SOURCE).open] == [TWO]
    assert made.apply().outcomes == ()


def test_what_its_source_changed_before_a_killed_run_was_finished_is_not_taken_out_later(review: Review) -> None:
    review.decide(ONE, PURGE)
    former = review.source.pages[ONE]
    review.killed_at = "delete"
    with pytest.raises(Killed):
        review.apply()
    review.killed_at = ""
    review.put(ONE, "# The deck\n\nAll new.")
    assert "Ada took it out of the index on " in outcomes(review.sync(), DocumentState.REPLACED)[ONE]
    review.source.pages[ONE] = former
    review.sync()
    assert review.apply().outcomes == ()
    assert (review.status(ONE), review.ledger.kept_out(SOURCE)) == (Status.SUPERSEDED, {})


def test_a_run_that_fails_leaves_a_manifest_that_says_why(review: Review) -> None:
    review.decide(ONE, ARCHIVE)
    review.failing = "set_payload"
    with pytest.raises(StoreUnavailable):
        review.apply("broken")
    manifest = review.manifests.load(APPLY, "broken", SOURCE)
    assert (manifest.state, manifest.next_step) == (RunState.FAILED, "A retry may help")
    assert list(outcomes(manifest, DocumentState.HIDDEN)) == [ONE]
    review.failing = ""
    review.apply()
    assert review.status(ONE) == Status.ARCHIVED
