"""From evidence to candidates: what is protected, what a person has kept, what is proposed with which arithmetic."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from include.domain.dates import Precision, Trust, rfc3339
from include.domain.documents import DocumentKey, Presence, Status
from include.staleness.addresses import Answer
from include.staleness.detection import Observed, detect
from include.staleness.evidence import Evidence, Proposal, Signal, fingerprint_of
from include.staleness.fusion import fuse
from include.staleness.links import read_links
from include.staleness.subject import Care, Subject, subject_of
from tests.staleness_subjects import AGEING, NOW, SOURCE, covering, day, days_ago, evidence, found, proposals, subject

MARCH, JUNE = "decks/march.md", "decks/june.md"


def deck(**fields: object) -> Subject:
    return subject(MARCH, superseded_by=(JUNE,), **fields)


def head(**fields: object) -> Subject:
    return subject(JUNE, title="June", **fields)


# -- fusion --


def test_causes_are_combined_and_signals_of_one_cause_count_once() -> None:
    fused = fuse(
        [
            evidence(Signal.ORPHANED, 0.2),
            evidence(Signal.SOURCE_SAYS, 0.8, anchor=True),
            evidence(Signal.SUPERSEDED, 0.5),
            evidence(Signal.AGED, 0.3),
        ]
    )
    assert (fused.proposal, fused.score) == (Proposal.STAGE, 0.93)
    assert fused.arithmetic == (
        "source_says 0.80, superseded 0.50, aged 0.30: 1 − (1 − 0.80) × (1 − 0.50) × (1 − 0.30) = 0.930, stage. "
        "Of a cause that counts already: orphaned 0.20 (replaced)."
    )


def test_the_arithmetic_says_what_is_missing_to_the_next_step() -> None:
    review = fuse([evidence(Signal.SOURCE_SAYS, 0.8, anchor=True)])
    assert review.arithmetic == "source_says 0.80: 1 − (1 − 0.80) = 0.800, review (review from 0.50, stage from 0.90)."
    nothing = fuse([evidence(Signal.ORPHANED, 0.2)])
    assert (nothing.proposal, nothing.arithmetic) == (
        None,
        "orphaned 0.20: 1 − (1 − 0.20) = 0.200, leave (review from 0.50, stage from 0.90 with an anchor).",
    )
    assert fuse([]).arithmetic == "Nothing speaks against it: 0.000, leave."


def test_signs_alone_never_stage_whatever_they_add_up_to() -> None:
    signs = [
        evidence(Signal.AGED, 0.6),
        evidence(Signal.NOT_RETRIEVED, 0.35),
        evidence(Signal.ADDRESS_GONE, 0.6),
        evidence(Signal.NEAR_DUPLICATE, 0.4),
    ]
    fused = fuse(signs)
    assert fused.score == 0.938
    assert fused.proposal is Proposal.REVIEW
    assert "these are signs only" in fused.arithmetic


@pytest.mark.parametrize("strength", [-0.1, 1.01, 0.123, float("nan")])
def test_a_strength_that_a_person_could_not_add_up_is_refused(strength: float) -> None:
    with pytest.raises(ValueError, match="strength"):
        evidence(Signal.AGED, strength)


@pytest.mark.parametrize(
    "signal",
    [Signal.AGED, Signal.ORPHANED, Signal.NOT_RETRIEVED, Signal.ADDRESS_GONE, Signal.NEAR_DUPLICATE],
)
def test_a_sign_cannot_be_an_anchor(signal: Signal) -> None:
    with pytest.raises(ValueError, match="cannot be an anchor"):
        evidence(signal, 0.9, anchor=True)


def test_a_fingerprint_follows_the_facts_and_not_the_words() -> None:
    one = Evidence(Signal.SOURCE_SAYS, 0.8, "it says so", facts={"a": "1", "b": "2"})
    assert one.fingerprint == Evidence(Signal.SOURCE_SAYS, 0.6, "otherwise", facts={"b": "2", "a": "1"}).fingerprint
    assert one.fingerprint != Evidence(Signal.SOURCE_SAYS, 0.8, "it says so", facts={"a": "1"}).fingerprint
    assert one.fingerprint != Evidence(Signal.SUPERSEDED, 0.8, "it says so", facts=one.facts).fingerprint
    other = evidence(Signal.AGED, 0.5)
    assert fingerprint_of([one, other]) == fingerprint_of([other, one, one]) != fingerprint_of([one])


# -- candidates --


def test_a_replaced_deck_is_staged_with_the_deck_to_read_instead() -> None:
    detection = found(deck(), head())
    (candidate,) = detection.candidates
    assert candidate.proposal is Proposal.STAGE
    assert candidate.replacement == DocumentKey(SOURCE, JUNE)
    assert candidate.evidence[0].facts == {"superseded_by": JUNE}
    assert detection.examined == 2


def test_of_three_decks_the_two_older_are_staged_and_both_name_the_newest() -> None:
    april = "decks/april.md"
    detection = found(subject(MARCH, superseded_by=(april,)), subject(april, superseded_by=(JUNE,)), head())
    assert proposals(detection) == {MARCH: "stage", april: "stage"}
    assert {candidate.replacement for candidate in detection.candidates} == {DocumentKey(SOURCE, JUNE)}


def test_candidates_are_sorted_for_those_who_work_through_them() -> None:
    detection = found(
        subject("old-price.md", content_type="price", created_at=days_ago(100)),
        subject("older-price.md", content_type="price", created_at=days_ago(400)),
        deck(),
        head(),
    )
    assert [each.key.doc_id for each in detection.candidates] == [MARCH, "older-price.md", "old-price.md"]
    assert [each.key.doc_id for each in detection.of(Proposal.REVIEW)] == ["older-price.md", "old-price.md"]


def test_what_could_not_be_judged_is_said_with_its_numbers() -> None:
    detection = found(subject("a"), observed=Observed(answers={"a": Answer(Presence.GONE, NOW)}))
    assert dict(detection.not_judged) == {
        Signal.ORPHANED: "its links are not declared as machine-readable",
        Signal.NOT_RETRIEVED: "no question was recorded",
        Signal.ADDRESS_GONE: "none of 1 pages answered that it is there",
        Signal.NEAR_DUPLICATE: "vectors were not compared",
    }


def test_a_document_that_is_staged_already_stays_a_candidate_while_its_cause_does() -> None:
    assert proposals(found(deck(status=Status.STAGED), head())) == {MARCH: "stage"}
    assert proposals(found(replace(deck(status=Status.STAGED), superseded_by=()), head())) == {}


def test_a_document_of_another_source_or_named_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="named twice"):
        detect(SOURCE, [subject("a"), subject("a")], Observed(), AGEING, now=NOW)
    with pytest.raises(ValueError, match="not a document of other"):
        detect("other", [subject("a")], Observed(), AGEING, now=NOW)


# -- links --


def test_what_others_refer_to_is_not_staged_for_what_names_or_states_alone_say() -> None:
    obsolete = subject("price.md", stated_status="Obsolete", content_type="price", created_at=days_ago(400))
    page = subject("list.md")
    links = read_links([obsolete, page], {"list.md": ["price.md"]}, declared=False)
    assert proposals(found(obsolete, page)) == {"price.md": "stage"}
    (candidate,) = found(obsolete, page, observed=Observed(links=links)).candidates
    assert candidate.proposal is Proposal.REVIEW
    assert candidate.arithmetic.endswith("review and not stage: list.md links to it.")


@pytest.mark.parametrize(
    ("fields", "from_list", "expected"),
    [
        ({}, (MARCH,), "review"),
        ({}, (MARCH, JUNE), "stage"),
        ({}, (), "stage"),
        ({"states_heirs": True}, (MARCH,), "stage"),
        ({"linked_by_person": True}, (MARCH,), "stage"),
        ({"expires_at": day("2026-01-01")}, (MARCH,), "stage"),
    ],
)
def test_a_link_counts_unless_words_stand_against_it_or_its_page_knows_the_heir(
    fields: dict[str, object], from_list: tuple[str, ...], expected: str
) -> None:
    subjects = [deck(**fields), head(), subject("list.md")]
    links = read_links(subjects, {"list.md": from_list}, declared=False)
    assert proposals(found(*subjects, observed=Observed(links=links))) == {MARCH: expected}


# -- protection --

ALL_SPEAKS_AGAINST_IT = {"stated_status": "Obsolete", "expires_at": day("2020-01-01"), "created_at": day("2010-01-01")}


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"pinned": True}, "it is pinned"),
        (
            {"care": Care(held_until=NOW + timedelta(days=1), hold_reason="audit")},
            "it is held until 2026-06-21: audit",
        ),
        ({"is_canonical": True}, "it is the canonical document of its family"),
        ({"content_type": "Company"}, "it is of a type that never expires (Company)"),
        ({"content_type": "evergreen"}, "it is of a type that never expires (evergreen)"),
        ({"status": Status.ARCHIVED}, "it is archived already"),
        ({"status": Status.INCOMING}, "it is being written"),
    ],
)
def test_what_is_protected_is_spared_and_says_why(fields: dict[str, object], why: str) -> None:
    assert proposals(found(deck(**ALL_SPEAKS_AGAINST_IT), head())) == {MARCH: "stage"}
    detection = found(deck(**(ALL_SPEAKS_AGAINST_IT | fields)), head())
    assert detection.candidates == ()
    (spared,) = detection.spared
    assert spared.why == why
    assert len(spared.evidence) >= 3


def test_a_hold_that_is_over_protects_no_longer() -> None:
    assert proposals(found(deck(care=Care(held_until=NOW)), head())) == {MARCH: "stage"}


def test_what_was_kept_does_not_come_back_for_the_same_evidence() -> None:
    (candidate,) = found(deck(), head()).candidates
    kept = Care(reviewed_at=NOW - timedelta(days=9), kept=frozenset(each.fingerprint for each in candidate.evidence))
    detection = found(deck(care=kept), head())
    assert detection.candidates == ()
    assert detection.spared[0].why == (
        "a person kept it on 2026-06-11 for the same evidence: the resolver says that it is superseded by "
        "decks/june.md (June)"
    )


def test_what_was_kept_comes_back_for_new_evidence_and_as_much_as_that_alone_is_worth() -> None:
    (candidate,) = found(deck(), head()).candidates
    care = Care(kept=frozenset(each.fingerprint for each in candidate.evidence))
    again = found(deck(care=care, stated_status="Archived"), head()).candidates
    assert [(each.proposal, each.score) for each in again] == [(Proposal.REVIEW, 0.8)]
    july = subject("decks/july.md")
    superseded_again = found(deck(care=care), head(superseded_by=("decks/july.md",)), july)
    assert proposals(superseded_again)[MARCH] == "stage"
    weak = found(deck(care=care, content_type="price", created_at=days_ago(400, trust=Trust.LOW)), head())
    assert weak.candidates == ()


def test_a_near_duplicate_confirms_and_alone_is_never_a_reason() -> None:
    text = "We give a full refund within thirty days when the product comes back in its box. " * 8
    old = subject("refunds-2024.md", title="Refunds 2024", created_at=day("2024-01-01"))
    new = subject("refunds-2025.md", title="Refunds 2025", created_at=day("2025-01-01"))
    observed = covering({"refunds-2024.md": text, "refunds-2025.md": text})
    assert proposals(found(old, new, observed=observed)) == {}
    (candidate,) = found(replace(old, stated_status="Deprecated"), new, observed=observed).candidates
    assert (candidate.proposal, candidate.score) == (Proposal.REVIEW, 0.76)
    assert candidate.replacement == new.key


# -- subjects --


def test_a_subject_is_read_from_what_a_chunk_says() -> None:
    moment = datetime(2024, 1, 1, tzinfo=UTC)
    payload = {
        "source": SOURCE,
        "doc_id": "a",
        "status": "superseded",
        "title": "A",
        "content_type": "price",
        "fetched_at": rfc3339(NOW),
        "created_at": rfc3339(moment),
        "created_at_origin": "front matter",
        "created_at_trust": "high",
        "created_at_precision": "day",
        "expires_at": rfc3339(moment),
        "stated_status": "Obsolete",
        "stated_superseded_by": ["B"],
        "superseded_by": ["b"],
        "is_current": False,
        "pinned": True,
    }
    read = subject_of(payload, decided={"superseded_by": ("b",), "status": "published"})
    assert (read.status, read.superseded_by, read.linked_by_person, read.affirmed) == ("superseded", ("b",), True, True)
    assert (read.states_heirs, read.states_forebears, read.is_current, read.pinned) == (True, False, False, True)
    assert read.read_at == NOW
    assert read.created_at is not None
    assert (read.created_at.trust, read.created_at.precision) == (Trust.HIGH, Precision.DAY)
    assert read.expires_at is not None
    assert read.expires_at.trust is Trust.UNKNOWN  # no provenance, nobody vouches for it


def test_a_payload_without_identity_is_refused() -> None:
    with pytest.raises(ValueError, match="without source, doc_id and status"):
        subject_of({"source": SOURCE, "status": "published"})
