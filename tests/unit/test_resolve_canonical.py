"""Runs of the resolver over an index in memory: what is marked, what is held, what is taken back, and after a crash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from include.domain.dates import rfc3339
from include.domain.documents import Status
from include.domain.errors import ApprovalRefused, ConfigError, StoreUnavailable
from include.domain.manifest import DocumentState, FamilyCounts, Manifest, RunState
from include.domain.metadata import Hand
from include.domain.plan import Action, HoldReason, PlanKind, Release
from include.planning.limits import Limits
from include.services.context import SourceContext
from include.services.family_answers import Answer, patches_of_answer
from include.services.family_plan import Scope
from include.services.metadata_change import plan_change
from include.services.resolve_canonical import RESOLVE, look_at_families, mark_families, mark_released
from include.services.set_metadata import apply_change, revert
from tests.builders import context_of, night, no_progress
from tests.fakes.clock import FakeClock
from tests.fakes.index import FakeIndexStore
from tests.fakes.records import FakeLedger, FakeManifests
from tests.fakes.source import FakeSource

SOURCE = "handbook"


@dataclass
class Killed(BaseException):
    """The process is gone: nothing after this moment happens."""


@dataclass
class Handbook:
    """A source of decks and pages, its index, and runs of the resolver over it. `io` are the index's operations."""

    source: FakeSource = field(default_factory=FakeSource)
    clock: FakeClock = field(default_factory=FakeClock)
    ledger: FakeLedger = field(default_factory=FakeLedger)
    manifests: FakeManifests = field(default_factory=FakeManifests)
    limits: Limits = field(default_factory=Limits)
    io: list[str] = field(default_factory=list)
    killed_at: str = ""
    failing: str = ""

    def __post_init__(self) -> None:
        self.store = FakeIndexStore(on_io=self._io)
        self.runs = 0

    def _io(self, operation: str) -> None:
        self.io.append(operation)
        if operation == self.killed_at:
            raise Killed
        if operation == self.failing:
            raise StoreUnavailable("the index does not answer")

    @property
    def context(self) -> SourceContext:
        return context_of(
            self.source,
            store=self.store,
            clock=self.clock,
            ledger=self.ledger,
            manifests=self.manifests,
            limits=self.limits,
        )

    def with_pages(self, number: int) -> Handbook:
        for page in range(number):
            subject = chr(ord("a") + page % 26) * 4 + str(page)
            self.put(f"{subject}.md", f"# About {subject}\n\nNothing else is about {subject}.")
        return self

    def with_family(self, name: str, *versions: int) -> Handbook:
        for version in versions:
            self.put(f"{name}-v{version}.md", f"# The {name}\n\nThe {name} is what it is.\n\nThis is number {version}.")
        return self

    def put(self, doc_id: str, text: str) -> None:
        self.source.put(doc_id, text, media_type="text/markdown")

    def night(self) -> Handbook:
        self.clock.turn(hours=1)
        self.runs += 1
        # What the night itself holds is another test's business.
        night(replace(self.context, limits=Limits(100, 100, update_percent=100)), f"night-{self.runs}")
        return self

    def resolve(self, **options: object) -> Manifest:
        self.clock.turn(hours=1)
        self.runs += 1
        return mark_families(self.context, run_id=f"run-{self.runs}", progress=no_progress, **options)  # type: ignore[arg-type]

    def approve(self, checksum: str) -> None:
        now = self.clock.now()
        self.ledger.release(
            Release(SOURCE, checksum, "Ada", "read them", rfc3339(now), rfc3339(now.replace(year=2030)))
        )

    def apply_release(self, run_id: str = "applied") -> Manifest:
        return mark_released(self.context, run_id=run_id, progress=no_progress)

    def say(self, patches: Mapping[str, Mapping[str, object]], hand: Hand = Hand.PERSON) -> None:
        """What a person sets, or another hand."""
        self.runs += 1
        context = self.context
        change = plan_change(
            context, patches, hand=hand, by="Ada", reason="I know", selector="by id", run_id=f"said-{self.runs}"
        )
        apply_change(context, change, progress=no_progress)

    @property
    def held(self) -> str:
        plan = self.ledger.held(SOURCE, PlanKind.FAMILIES)
        return plan.checksum if plan else ""

    def payloads(self) -> dict[str, dict[str, object]]:
        return {point_id: dict(point.payload) for point_id, point in sorted(self.store.points.items())}

    def statuses(self) -> dict[str, str]:
        """By document; all of its chunks agree, in everything that a document says."""
        found: dict[str, set[tuple[str, ...]]] = {}
        for point in self.store.points.values():
            said = (str(point.payload.get(name)) for name in ("status", *MARKED))
            found.setdefault(str(point.payload["doc_id"]), set()).add(tuple(said))
        assert all(len(each) == 1 for each in found.values()), "chunks of one document disagree"
        return {doc_id: next(iter(each))[0] for doc_id, each in sorted(found.items())}

    def superseded(self) -> list[str]:
        return [doc_id for doc_id, status in self.statuses().items() if status == Status.SUPERSEDED]


MARKED = ("doc_family", "family_version", "is_canonical", "is_current", "supersedes", "superseded_by")


def family_of(handbook: Handbook, doc_id: str) -> str:
    """As the resolver names it now."""
    _, planned = look_at_families(handbook.context, run_id="dry")
    return next(each.family for each in planned.resolved.decisions if doc_id in each.members)


def outcomes(manifest: Manifest, state: DocumentState) -> dict[str, str]:
    return {each.doc_id: each.detail for each in manifest.outcomes if each.state is state}


# -- what a run marks --


def test_the_newest_is_current_and_canonical_the_others_are_superseded_with_links_both_ways() -> None:
    handbook = Handbook().with_pages(30).with_family("deck", 9, 10, 2).night()
    manifest = handbook.resolve()
    assert manifest.state is RunState.RESOLVED
    assert handbook.superseded() == ["deck-v2.md", "deck-v9.md"]
    marks = handbook.ledger.marks(SOURCE)
    newest, middle, oldest = (marks[f"deck-v{number}.md"] for number in (10, 9, 2))
    assert (newest.is_canonical, newest.is_current, newest.status) == (True, True, Status.PUBLISHED)
    assert (newest.superseded_by, middle.superseded_by, oldest.superseded_by) == ((), ("deck-v10.md",), ("deck-v9.md",))
    assert (newest.supersedes, middle.supersedes, oldest.supersedes) == (("deck-v9.md",), ("deck-v2.md",), ())
    assert newest.doc_family == middle.doc_family == oldest.doc_family
    assert manifest.families == FamilyCounts(1, 0, 2, None, seen_until=manifest.started_at)


def test_the_manifest_has_a_reason_for_each_document() -> None:
    handbook = Handbook().with_pages(30).with_family("deck", 9, 10).night()
    manifest = handbook.resolve()
    (retired,) = outcomes(manifest, DocumentState.RETIRED).items()
    assert retired[0] == "deck-v9.md"
    assert retired[1].startswith("superseded by deck-v10.md: ")
    (marked,) = outcomes(manifest, DocumentState.MARKED).items()
    assert marked[0] == "deck-v10.md"
    assert "current and canonical of" in marked[1]
    change = handbook.ledger.recorded(SOURCE, manifest.run_id)
    assert change is not None
    assert (change.hand, [patch.doc_id for patch in change.patches]) == (
        Hand.RESOLVER,
        ["deck-v10.md", "deck-v9.md"],
    )


def test_a_second_run_writes_nothing() -> None:
    handbook = Handbook().with_pages(30).with_family("deck", 9, 10).night()
    handbook.resolve()
    before, recorded = handbook.payloads(), list(handbook.ledger.changes)
    handbook.io.clear()
    manifest = handbook.resolve()
    assert (manifest.state, manifest.outcomes) == (RunState.RESOLVED, ())
    assert handbook.payloads() == before
    assert list(handbook.ledger.changes) == recorded
    assert not {"set_payload", "insert", "overwrite", "delete"} & set(handbook.io)


def test_a_dry_run_says_what_would_be_marked_and_marks_nothing() -> None:
    handbook = Handbook().with_pages(30).with_family("deck", 9, 10).night()
    before = handbook.payloads()
    manifest, planned = look_at_families(handbook.context, run_id="dry")
    assert manifest.state is RunState.PLANNED
    assert sorted(outcomes(manifest, DocumentState.PLANNED)) == ["deck-v10.md", "deck-v9.md"]
    assert planned.plan.retirements == 1
    assert "2 documents would be marked, 1 of them as superseded" in manifest.reason
    assert handbook.payloads() == before
    assert handbook.ledger == FakeLedger()
    assert handbook.manifests.removals(SOURCE, manifest.started_at.replace(year=2000)) == []


def test_a_run_over_one_family_leaves_the_others_alone() -> None:
    handbook = Handbook().with_pages(60).with_family("deck", 9, 10).with_family("policy", 1, 2).night()
    name = family_of(handbook, "deck-v9.md")
    manifest = handbook.resolve(scope=Scope("one", family=name, is_part=True))
    assert handbook.superseded() == ["deck-v9.md"]
    assert manifest.families is not None
    assert manifest.families.seen_until is None, "the other families were not looked at"
    with pytest.raises(ConfigError, match="there is no family 'nothing of the kind'"):
        handbook.resolve(scope=Scope("one", family="nothing of the kind", is_part=True))


def test_with_more_changes_than_allowed_none_is_made() -> None:
    handbook = Handbook().with_pages(60).with_family("deck", 9, 10).with_family("policy", 1, 2).night()
    before = handbook.payloads()
    manifest = handbook.resolve(max_changes=3)
    assert manifest.state is RunState.HELD
    assert "4 documents would be marked" in manifest.reason
    assert "at most 3" in manifest.reason
    assert (handbook.payloads(), handbook.ledger.marks(SOURCE), handbook.held) == (before, {}, "")
    assert handbook.resolve(max_changes=4).state is RunState.RESOLVED
    assert len(handbook.superseded()) == 2


# -- what is taken back --


def test_when_the_head_is_deleted_the_one_before_it_holds_again() -> None:
    handbook = Handbook().with_pages(30).with_family("deck", 8, 9, 10).night()
    handbook.resolve()
    handbook.source.delete("deck-v10.md")
    handbook.night()
    manifest = handbook.resolve()
    assert handbook.superseded() == ["deck-v8.md"]
    marks = handbook.ledger.marks(SOURCE)
    assert marks["deck-v9.md"].is_canonical
    assert marks["deck-v9.md"].superseded_by == ()
    assert "deck-v10.md" not in marks
    assert list(outcomes(manifest, DocumentState.RESTORED)) == ["deck-v9.md"]


def test_a_document_whose_family_fell_apart_loses_every_mark() -> None:
    handbook = Handbook().with_pages(30).with_family("deck", 9, 10).night()
    before = handbook.payloads()
    handbook.resolve()
    handbook.source.delete("deck-v10.md")
    handbook.night()
    manifest = handbook.resolve()
    assert handbook.ledger.marks(SOURCE) == {}
    assert handbook.payloads() == {pid: said for pid, said in before.items() if said["doc_id"] != "deck-v10.md"}
    assert "deck-v10.md is not in the index any more" in outcomes(manifest, DocumentState.RESTORED)["deck-v9.md"]


def test_bringing_back_is_never_held() -> None:
    handbook = Handbook(limits=Limits(100, 100)).with_family("deck", *range(1, 11)).with_pages(10).night()
    handbook.resolve()
    assert len(handbook.superseded()) == 9
    for version in range(2, 11):
        handbook.put(f"deck-v{version}.md", f"# Quite another thing {version}\n\nNo deck {version} at all.")
        handbook.source.pages[f"something-{version}.md"] = handbook.source.pages.pop(f"deck-v{version}.md")
    handbook.night()
    handbook.limits = Limits(0, 0)
    assert handbook.resolve().state is RunState.RESOLVED
    assert handbook.superseded() == []


def test_a_run_that_is_taken_back_leaves_every_byte_as_it_was() -> None:
    handbook = Handbook().with_pages(30).with_family("deck", 8, 9, 10).night()
    before = handbook.payloads()
    manifest = handbook.resolve()
    assert handbook.payloads() != before
    context = handbook.context
    revert(context, manifest.run_id, by="Ada", reason="wrong", new_run_id="revert", progress=no_progress)
    assert handbook.payloads() == before
    assert handbook.ledger.marks(SOURCE) == {}


def test_hidden_documents_are_no_members_and_keep_what_was_recorded() -> None:
    handbook = Handbook().with_pages(30).with_family("deck", 8, 9, 10).night()
    handbook.resolve()
    handbook.say({"deck-v10.md": {"status": "archived"}})
    handbook.resolve()
    assert handbook.superseded() == ["deck-v8.md"]
    assert handbook.ledger.decided(SOURCE, Hand.RESOLVER)["deck-v10.md"]["is_canonical"] is True
    handbook.say({"deck-v10.md": {"status": None}})
    handbook.resolve()
    assert handbook.superseded() == ["deck-v8.md", "deck-v9.md"]


def test_a_head_that_is_staged_for_review_is_the_head_still() -> None:
    """What it replaced must not come back as the answer while somebody looks at it."""
    handbook = Handbook().with_pages(30).with_family("deck", 8, 9, 10).night()
    handbook.resolve()
    handbook.say({"deck-v10.md": {"status": "staged_for_review"}}, Hand.DETECTOR)
    assert handbook.resolve().outcomes == ()
    assert handbook.superseded() == ["deck-v8.md", "deck-v9.md"]
    handbook.with_family("deck", 11).night()
    manifest = handbook.resolve()
    assert handbook.statuses()["deck-v10.md"] == Status.STAGED
    assert handbook.ledger.marks(SOURCE)["deck-v10.md"].superseded_by == ("deck-v11.md",)
    assert outcomes(manifest, DocumentState.RETIRED) == {}, "nobody found it before"


# -- the gate --


def collapse(pages: int = 20) -> Handbook:
    """Five of 26 documents would be superseded."""
    return Handbook().with_pages(pages).with_family("deck", 1, 2, 3, 4, 5, 6).night()


def test_a_family_collapse_is_held_and_waits_for_a_person() -> None:
    handbook = collapse()
    before = handbook.payloads()
    manifest = handbook.resolve()
    assert manifest.state is RunState.HELD
    assert [hold.reason for hold in manifest.holds] == [HoldReason.RETIREMENT_LIMIT]
    assert "5 of 26 documents, in 1 families" in manifest.reason
    assert (handbook.payloads(), handbook.ledger.marks(SOURCE)) == (before, {})
    plan = handbook.ledger.held(SOURCE, PlanKind.FAMILIES)
    assert plan is not None
    assert plan.checksum == manifest.held_checksum != ""
    assert sum(change.action is Action.RETIRE for change in plan.changes) == 5
    assert len(outcomes(manifest, DocumentState.HELD)) == 6
    assert handbook.ledger.held(SOURCE) is None, "the source's own held plan is another one"


def test_what_waits_is_not_let_go_because_the_source_has_grown_and_others_are_marked() -> None:
    handbook = collapse()
    handbook.resolve()
    handbook.with_pages(400).with_family("policy", 1, 2).night()
    manifest = handbook.resolve()
    assert manifest.state is RunState.HELD, "5 of 408 are far below the limit"
    assert handbook.superseded() == ["policy-v1.md"]
    assert len(outcomes(manifest, DocumentState.HELD)) == 6
    (hold,) = look_at_families(handbook.context, run_id="dry")[1].verdict.holds
    assert "5 documents have waited for a person since" in hold.message


def test_an_approved_plan_is_applied_once_and_only_as_it_was_shown() -> None:
    handbook = collapse()
    handbook.resolve()
    with pytest.raises(ApprovalRefused, match="no recorded release"):
        handbook.apply_release("forged")
    handbook.approve(handbook.held)
    manifest = handbook.apply_release()
    assert manifest.state is RunState.RESOLVED
    assert manifest.released
    assert len(handbook.superseded()) == 5
    assert handbook.held == ""
    assert handbook.resolve().outcomes == ()
    with pytest.raises(ApprovalRefused, match="nothing is held any more"):
        handbook.apply_release("again")
    assert handbook.manifests.removals(SOURCE, manifest.started_at.replace(year=2000)) == [], "a person looked at it"


def test_a_release_is_refused_when_a_newer_version_came_meanwhile() -> None:
    handbook = collapse()
    handbook.resolve()
    approved = handbook.held
    handbook.approve(approved)
    handbook.with_family("deck", 7).night()
    before = handbook.payloads()
    with pytest.raises(ApprovalRefused, match="no recorded release for plan"):
        handbook.apply_release()
    assert handbook.payloads() == before
    assert handbook.manifests.load(RESOLVE, "applied", SOURCE).state is RunState.FAILED
    handbook.resolve(changed_only=True)
    assert handbook.held not in ("", approved)
    handbook.approve(handbook.held)
    handbook.apply_release("second")
    assert len(handbook.superseded()) == 6


def test_a_release_is_still_good_when_something_else_changed() -> None:
    handbook = collapse()
    handbook.resolve()
    handbook.approve(handbook.held)
    handbook.with_pages(25).with_family("policy", 1, 2).night()
    handbook.apply_release()
    assert len(handbook.superseded()) == 5


def test_what_waits_is_cleared_when_the_resolver_no_longer_asks_for_it() -> None:
    handbook = collapse()
    handbook.resolve()
    for version in range(1, 6):
        handbook.source.delete(f"deck-v{version}.md")
    handbook.night()
    assert handbook.resolve(changed_only=True).state is RunState.RESOLVED
    assert handbook.held == ""


def test_nights_of_retirements_fill_the_window() -> None:
    """Eight of 116, of 132, of 148: none is a tenth. The next eight would make it a fifth of 164 within a week."""
    handbook = Handbook(limits=Limits(window_percent=18)).with_pages(100)
    families = [f"{name}-{number}" for name in ("memo", "offer", "deck", "rule") for number in "abcdefgh"]
    states = []
    for start in range(0, 32, 8):
        for name in families[start : start + 8]:
            handbook.with_family(name, 1, 2)
        handbook.night()
        states.append(handbook.resolve().state)
        handbook.clock.turn(hours=20)
    assert states == [RunState.HELD if last else RunState.RESOLVED for last in (False, False, False, True)]
    assert len(handbook.superseded()) == 24
    plan = handbook.ledger.held(SOURCE, PlanKind.FAMILIES)
    assert plan is not None
    assert {hold.reason for hold in plan.holds} == {HoldReason.RETIREMENT_WINDOW}


def test_a_family_that_is_held_alone_is_not_put_before_a_person() -> None:
    """The plan that a person answers is of the whole source: one about a part would replace it."""
    handbook = collapse()
    handbook.resolve()
    standing = handbook.held
    name = family_of(handbook, "deck-v1.md")
    manifest = handbook.resolve(scope=Scope("one", family=name, is_part=True))
    assert manifest.state is RunState.HELD
    assert handbook.held == standing
    assert handbook.superseded() == []


# -- ambiguous families --


def fork(handbook: Handbook, *heads: str) -> Handbook:
    for head in heads:
        text = f"---\nsupersedes: deck-v1.md\n---\n# The deck\n\nThe deck is what it is.\n\nThis is by {head}."
        handbook.put(f"{head}.md", text)
    return handbook


def test_an_ambiguous_family_goes_to_review_with_both_sides_and_nothing_is_marked() -> None:
    handbook = fork(Handbook().with_pages(30).with_family("deck", 1), "by-ada", "by-bob").night()
    before = handbook.payloads()
    manifest = handbook.resolve()
    assert (manifest.state, manifest.outcomes) == (RunState.RESOLVED, ())
    assert "1 family is ambiguous" in manifest.next_step
    assert handbook.payloads() == before
    (review,) = handbook.ledger.reviews(SOURCE)
    assert [option.doc_id for option in review.options] == ["by-ada.md", "by-bob.md"]
    assert all(option.evidence for option in review.options)
    assert [member.doc_id for member in review.members] == ["by-ada.md", "by-bob.md", "deck-v1.md"]
    assert any("--head by-ada.md" in line for line in review.how_to_decide)
    assert manifest.families is not None
    assert manifest.families.ambiguous == 1
    assert rfc3339(manifest.families.ambiguous_since) == review.since  # type: ignore[arg-type]


def test_a_review_keeps_its_age_and_goes_when_the_source_says_which() -> None:
    handbook = fork(Handbook().with_pages(30).with_family("deck", 1), "by-ada", "by-bob").night()
    handbook.resolve()
    (first,) = handbook.ledger.reviews(SOURCE)
    handbook.put("deck-v1.md", "# The deck\n\nThe deck is what it is.\n\nAnother word.")
    handbook.night()
    handbook.resolve(changed_only=True)
    assert [each.since for each in handbook.ledger.reviews(SOURCE)] == [first.since]
    handbook.put(
        "by-bob.md",
        "---\nsupersedes: [deck-v1.md, by-ada.md]\n---\n# The deck\n\nThe deck is what it is.\n\nThis is by both.",
    )
    handbook.night()
    handbook.resolve(changed_only=True)
    assert handbook.ledger.reviews(SOURCE) == []
    assert handbook.ledger.marks(SOURCE)["by-bob.md"].is_canonical


def test_a_family_that_becomes_ambiguous_keeps_its_marks_as_long_as_they_fit() -> None:
    handbook = fork(Handbook().with_pages(30).with_family("deck", 1), "by-ada").night()
    handbook.resolve()
    marks = handbook.ledger.marks(SOURCE)
    assert marks["deck-v1.md"].superseded_by == ("by-ada.md",)
    fork(handbook, "by-bob").night()
    assert handbook.resolve().outcomes == ()
    assert handbook.ledger.marks(SOURCE) == marks
    handbook.source.delete("by-ada.md")
    fork(handbook, "by-eve").night()
    handbook.resolve()
    assert len(handbook.ledger.reviews(SOURCE)) == 1
    assert handbook.ledger.marks(SOURCE) == {}, "it named a document that is gone"


# -- a person's word --


def test_what_a_person_decided_is_never_patched_and_settles_the_review() -> None:
    handbook = fork(Handbook().with_pages(30).with_family("deck", 1), "by-ada", "by-bob").night()
    handbook.resolve()
    handbook.say(
        {
            "by-bob.md": {"is_current": True, "is_canonical": True},
            "by-ada.md": {"status": "superseded", "superseded_by": ["by-bob.md"], "is_current": False},
        }
    )
    manifest = handbook.resolve(changed_only=True)
    assert handbook.ledger.reviews(SOURCE) == []
    assert "by-bob.md" not in handbook.superseded()
    assert set(handbook.superseded()) == {"by-ada.md", "deck-v1.md"}
    assert "by-ada.md" not in outcomes(manifest, DocumentState.RETIRED)
    person = handbook.ledger.decided(SOURCE, Hand.PERSON)
    assert person["by-bob.md"] == {"is_current": True, "is_canonical": True}


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("page", '"two\\nlines"'),
        ("page", '"\\u2028"'),
        ("page", "x" * 5000),
        ("a\nname", ""),
        ("n\x85\u2028", ""),
        ("n" * 5000, ""),
    ],
)
def test_no_document_keeps_the_others_from_being_marked_by_what_it_is_called(name: str, family: str) -> None:
    handbook = Handbook(limits=Limits(100, 100)).with_pages(5).with_family("deck", 1, 2)
    for version in (1, 2):
        stated = f"---\nfamily: {family}\nversion: {version}\n---\n" if family else ""
        handbook.put(f"{name}-v{version}.md", f"{stated}# A page\n\nIt is like the other.")
    assert handbook.night().resolve().state is RunState.RESOLVED
    assert handbook.statuses()["deck-v1.md"] == "superseded"
    assert handbook.statuses()[f"{name}-v1.md"] == "superseded"
    assert handbook.resolve().outcomes == ()


def test_a_pinned_document_is_left_alone() -> None:
    handbook = Handbook().with_pages(30).with_family("deck", 8, 9, 10).night()
    handbook.say({"deck-v8.md": {"pinned": True}})
    handbook.resolve()
    assert handbook.superseded() == ["deck-v9.md"]


# -- after a night: only what changed --


def test_the_first_run_sees_all_and_later_ones_what_changed_since() -> None:
    handbook = Handbook().with_pages(60).with_family("deck", 1, 2).night()
    assert handbook.resolve(changed_only=True).count(DocumentState.RETIRED) == 1
    handbook.with_family("policy", 1, 2).night()
    manifest = handbook.resolve(changed_only=True)
    assert list(outcomes(manifest, DocumentState.RETIRED)) == ["policy-v1.md"]
    assert handbook.resolve(changed_only=True).outcomes == ()


def test_families_that_were_never_marked_and_did_not_change_are_left_to_a_backfill() -> None:
    handbook = Handbook().with_pages(60).with_family("deck", 1, 2).night()
    handbook.clock.turn(days=2)
    run = Manifest("earlier", RESOLVE, SOURCE, handbook.clock.now(), RunState.RESOLVED)
    handbook.manifests.save(replace(run, families=FamilyCounts(0, 0, 0, seen_until=handbook.clock.now())))
    handbook.with_family("policy", 1, 2).night()
    assert list(outcomes(handbook.resolve(changed_only=True), DocumentState.RETIRED)) == ["policy-v1.md"]
    assert list(outcomes(handbook.resolve(), DocumentState.RETIRED)) == ["deck-v1.md"]


def test_what_came_in_by_day_is_seen_by_the_next_night() -> None:
    """The night itself finds nothing to do then."""
    handbook = Handbook().with_pages(60).with_family("deck", 1).night()
    handbook.resolve(changed_only=True)
    handbook.with_family("deck", 2).night()
    assert night(handbook.context, "finds nothing").outcomes == ()
    assert handbook.resolve(changed_only=True).count(DocumentState.RETIRED) == 1


def test_what_was_read_before_a_run_and_written_after_it_is_seen_by_the_next() -> None:
    """An ingest run of hours: the fence is the moment at which the source was asked."""
    handbook = Handbook().with_pages(60).with_family("deck", 1).night()
    handbook.with_family("deck", 2)
    context = handbook.context
    read = context.extract(context.connector.fetch("deck-v2.md"))
    handbook.resolve(changed_only=True)
    context.writer.write([read])
    assert handbook.resolve(changed_only=True).count(DocumentState.RETIRED) == 1


def test_a_run_that_failed_leaves_its_changes_to_the_next() -> None:
    handbook = Handbook().with_pages(60).with_family("deck", 1).night()
    handbook.resolve(changed_only=True)
    handbook.with_family("deck", 2).night()
    handbook.failing = "first_chunks"
    with pytest.raises(StoreUnavailable):
        handbook.resolve(changed_only=True)
    handbook.failing = ""
    assert handbook.manifests.latest(SOURCE, dag_id=RESOLVE)[0].state is RunState.FAILED
    assert handbook.resolve(changed_only=True).count(DocumentState.RETIRED) == 1


def test_the_deletion_of_the_newest_is_seen_by_the_next_run() -> None:
    handbook = Handbook().with_pages(30).with_family("deck", 8, 9, 10).night()
    handbook.resolve(changed_only=True)
    handbook.source.delete("deck-v10.md")
    handbook.night()
    handbook.resolve(changed_only=True)
    assert handbook.superseded() == ["deck-v8.md"]


# -- after a crash --


@pytest.mark.parametrize("operation", ["set_payload", "count"])
def test_a_run_that_is_killed_between_ledger_and_index_is_finished_by_the_next(operation: str) -> None:
    handbook = Handbook().with_pages(30).with_family("deck", 8, 9, 10).night()
    handbook.killed_at = operation
    with pytest.raises(Killed):
        handbook.resolve()
    handbook.killed_at = ""
    assert handbook.ledger.marks(SOURCE), "the ledger is written first"
    manifest = handbook.resolve()
    assert handbook.superseded() == ["deck-v8.md", "deck-v9.md"]
    assert manifest.state is RunState.RESOLVED
    killed = [each for each in handbook.manifests.newest_first(SOURCE, (RESOLVE,)) if each.planned_retirements]
    assert [each.planned_retirements for each in killed] == [2]
    (counted,) = handbook.manifests.removals(SOURCE, manifest.started_at.replace(year=2000))
    assert counted.retired == 2, "a killed run fills the window, and nothing counts twice"


def test_a_released_run_that_was_killed_is_finished_by_its_next_attempt_only() -> None:
    handbook = collapse()
    handbook.resolve()
    handbook.approve(handbook.held)
    handbook.killed_at = "set_payload"
    with pytest.raises(Killed):
        handbook.apply_release()
    handbook.killed_at = ""
    with pytest.raises(ApprovalRefused, match="nothing is held any more"):
        handbook.apply_release("somebody else")
    context = handbook.context
    manifest = mark_released(context, run_id="applied.attempt-2", release_run="applied", progress=no_progress)
    assert manifest.state is RunState.RESOLVED
    assert len(handbook.superseded()) == 5
    assert handbook.held == ""


# -- a person's answer --


def answered(**answer: object) -> dict[str, dict[str, object]]:
    handbook = fork(Handbook().with_pages(30).with_family("deck", 1), "by-ada", "by-bob").night()
    _, planned = look_at_families(handbook.context, run_id="dry")
    (decision,) = planned.resolved.decisions
    return {k: dict(v) for k, v in patches_of_answer(decision, Answer(decision.family, **answer)).items()}  # type: ignore[arg-type]


def test_an_answer_marks_the_head_and_all_others_or_only_those_that_are_named() -> None:
    everyone = answered(head="by-bob.md")
    assert sorted(everyone) == ["by-ada.md", "by-bob.md", "deck-v1.md"]
    assert everyone["by-bob.md"]["supersedes"] == ["by-ada.md", "deck-v1.md"]
    assert everyone["by-ada.md"]["superseded_by"] == ["by-bob.md"]
    only = answered(head="by-bob.md", supersede=("by-ada.md",))
    assert sorted(only) == ["by-ada.md", "by-bob.md"]
    assert only["by-bob.md"]["supersedes"] == ["by-ada.md"]


def test_documents_that_are_no_family_get_one_each() -> None:
    assert {doc_id: marks["doc_family"] for doc_id, marks in answered().items()} == {
        doc_id: doc_id for doc_id in ("by-ada.md", "by-bob.md", "deck-v1.md")
    }


@pytest.mark.parametrize("answer", [{"head": "page.md"}, {"head": "by-bob.md", "supersede": ("by-bob.md",)}])
def test_an_answer_that_names_a_stranger_or_replaces_itself_is_refused(answer: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"is not in it|cannot replace itself"):
        answered(**answer)
