"""What the detector keeps to, whatever the evidence: monotone, blind to order, and careful with what is alive."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import yaml
from hypothesis import given
from hypothesis import strategies as st

from include.domain.dates import Trust
from include.domain.documents import Status
from include.staleness.detection import Detection, Observed
from include.staleness.diff import differences
from include.staleness.evidence import Evidence, Proposal, Signal
from include.staleness.fusion import REVIEW_FROM, STAGE_FROM, Fused, fuse
from include.staleness.links import read_links
from include.staleness.overlaps import Overlap
from include.staleness.subject import Care, Subject
from tests.staleness_subjects import NOW, days_ago, found, subject

ANCHORS = (Signal.SUPERSEDED, Signal.EXPIRED, Signal.SOURCE_SAYS)
RANK = {None: 0, Proposal.REVIEW: 1, Proposal.STAGE: 2}


@st.composite
def findings(draw: st.DrawFn, *, anchors: bool = True) -> Evidence:
    signal = draw(st.sampled_from(list(Signal)))
    return Evidence(
        signal,
        draw(st.integers(0, 100)) / 100,
        draw(st.sampled_from(["one", "another"])),
        anchor=anchors and signal in ANCHORS and draw(st.booleans()),
        facts={"what": draw(st.sampled_from("abc"))},
    )


@given(st.lists(findings(), max_size=8), findings(), st.sampled_from(list(Proposal)))
def test_more_evidence_never_lowers_what_is_proposed(given_: list[Evidence], more: Evidence, most: Proposal) -> None:
    before, after = fuse(given_, most=most), fuse([*given_, more], most=most)
    assert after.score >= before.score
    assert RANK[after.proposal] >= RANK[before.proposal]


@given(st.lists(findings(anchors=False), max_size=12))
def test_signs_without_an_anchor_never_stage(signs: list[Evidence]) -> None:
    assert fuse(signs).proposal is not Proposal.STAGE


@given(st.lists(findings(), max_size=8), st.randoms())
def test_the_order_of_evidence_and_repetition_change_nothing(given_: list[Evidence], turn: random.Random) -> None:
    shuffled = [*given_, *given_]
    turn.shuffle(shuffled)
    assert fuse(shuffled) == fuse(given_)


@given(st.lists(findings(), max_size=8))
def test_signals_of_one_cause_are_worth_the_strongest_of_them(given_: list[Evidence]) -> None:
    strongest: dict[str, Evidence] = {}
    for each in sorted(given_, key=lambda each: each.strength):
        strongest[each.cause] = each
    assert fuse(given_).score == fuse(strongest.values()).score
    assert fuse(given_).score >= max((each.strength for each in given_), default=0)


def redone(fused: Fused) -> float:
    """The score as a person computes it from the sentence alone."""
    sum_ = fused.arithmetic.split(": ", 1)[1].split(" = ", 1)[0]
    return float(eval(sum_.replace("−", "-").replace("×", "*")))


@given(st.lists(findings(), min_size=1, max_size=8))
def test_a_person_can_redo_the_arithmetic(given_: list[Evidence]) -> None:
    fused = fuse(given_)
    assert abs(redone(fused) - fused.score) <= 0.0005 + 1e-9
    expected = "stage" if fused.proposal is Proposal.STAGE else "review" if fused.score >= REVIEW_FROM else "leave"
    assert f"= {fused.score:.3f}, {expected}" in fused.arithmetic
    if fused.proposal is Proposal.STAGE:
        assert fused.score >= STAGE_FROM


# -- documents --

TRUSTS = st.sampled_from(list(Trust))
DATES = st.one_of(st.none(), st.builds(lambda age, trust: days_ago(age, trust=trust), st.integers(-400, 4000), TRUSTS))
STATED = st.sampled_from([None, "Draft", "Obsolete", "Deprecated", "Final", "Withdrawn"])


@st.composite
def shelves(draw: st.DrawFn, *, protected: bool = True) -> tuple[list[Subject], Observed]:
    """Documents with any links, chains, circles and forks among them, that others link to and that cover others."""
    count = draw(st.integers(1, 8))
    ids = [f"pages/doc-{number}.md" for number in range(count)]
    subjects = [
        subject(
            doc_id,
            status=draw(st.sampled_from(list(Status))),
            content_type=draw(st.sampled_from(["page", "price", "event", *(["company"] if protected else [])])),
            lang=draw(st.sampled_from(["en", "de"])),
            stated_status=draw(STATED),
            states_heirs=draw(st.booleans()),
            created_at=draw(DATES),
            expires_at=draw(DATES),
            is_canonical=protected and draw(st.booleans()),
            pinned=protected and draw(st.booleans()),
            superseded_by=tuple(draw(st.lists(st.sampled_from([*ids, "gone.md"]), max_size=2, unique=True))),
            linked_by_person=draw(st.booleans()),
            care=Care(held_until=NOW + timedelta(days=draw(st.integers(-5, 5)))) if protected else Care(),
        )
        for doc_id in ids
    ]
    written = {doc_id: draw(st.lists(st.sampled_from(ids), max_size=2)) for doc_id in ids}
    keys = [each.key for each in subjects]
    overlaps = {key: tuple(Overlap(key, other, 1.0) for other in keys if other != key) for key in keys}
    return subjects, Observed(
        links=read_links(subjects, written, declared=False), overlaps=overlaps, texts=lambda key: "one text " * 9
    )


def without_order(detection: Detection) -> object:
    return detection.candidates, detection.spared


@given(shelves(), st.randoms())
def test_the_order_of_documents_changes_nothing(made: tuple[list[Subject], Observed], turn: random.Random) -> None:
    subjects, observed = made
    shuffled = list(subjects)
    turn.shuffle(shuffled)
    assert without_order(found(*shuffled, observed=observed)) == without_order(found(*subjects, observed=observed))


@given(shelves())
def test_protection_always_wins(made: tuple[list[Subject], Observed]) -> None:
    subjects, observed = made
    by_key = {each.key: each for each in subjects}
    for candidate in found(*subjects, observed=observed).candidates:
        one = by_key[candidate.key]
        assert not one.pinned
        assert not one.is_canonical
        assert one.care.held_until is None or one.care.held_until <= NOW
        assert one.content_type != "company"
        assert one.status not in (Status.ARCHIVED, Status.INCOMING)


@given(shelves(protected=False))
def test_more_protection_never_adds_a_candidate(made: tuple[list[Subject], Observed]) -> None:
    subjects, observed = made
    before = {each.key for each in found(*subjects, observed=observed).candidates}
    for one in subjects:
        pinned = [replace(each, pinned=True) if each is one else each for each in subjects]
        assert {each.key for each in found(*pinned, observed=observed).candidates} == before - {one.key}


@given(shelves(protected=False))
def test_what_is_staged_as_superseded_has_one_heir_that_readers_see(made: tuple[list[Subject], Observed]) -> None:
    subjects, observed = made
    by_key = {each.key: each for each in subjects}
    staged = found(*subjects, observed=observed).of(Proposal.STAGE)
    for candidate in staged:
        for each in candidate.evidence:
            if each.anchor and each.signal is Signal.SUPERSEDED:
                assert each.replacement is not None
                head = by_key[each.replacement]
                assert head.status is Status.PUBLISHED
                assert head.key not in {other.key for other in staged}
                same_language = [by_key[key] for key in by_key if by_key[key].lang == head.lang]
                assert not {one.key.doc_id for one in same_language} & (set(head.superseded_by) - {head.key.doc_id})


@given(shelves(protected=False))
def test_a_date_that_nobody_vouches_for_is_as_good_as_none(made: tuple[list[Subject], Observed]) -> None:
    subjects, observed = made
    bare = [
        replace(
            each,
            created_at=None if each.created_at and not each.created_at.is_trusted else each.created_at,
            expires_at=None if each.expires_at and not each.expires_at.is_trusted else each.expires_at,
        )
        for each in subjects
    ]
    assert without_order(found(*subjects, observed=observed)) == without_order(found(*bare, observed=observed))


@given(shelves(protected=False))
def test_what_was_kept_stays_away_until_something_else_is_found(made: tuple[list[Subject], Observed]) -> None:
    subjects, observed = made
    kept = {
        each.key: frozenset(one.fingerprint for one in each.evidence)
        for each in found(*subjects, observed=observed).candidates
    }
    looked_at = [replace(each, care=Care(kept=kept.get(each.key, frozenset()))) for each in subjects]
    again = found(*looked_at, observed=observed)
    assert again.candidates == ()
    assert {each.key for each in again.spared} >= set(kept)


@given(st.text(max_size=400), st.text(max_size=400), st.integers(3, 12))
def test_a_difference_is_short_and_can_stand_in_yaml(old: str, new: str, most: int) -> None:
    shown = differences(old, new, most_lines=most)
    assert len(shown.split("\n")) <= most + 2
    assert all(line == line.rstrip() for line in shown.split("\n"))
    assert yaml.safe_load(yaml.safe_dump({"diff": shown}, default_style="|", allow_unicode=True)) == {"diff": shown}
