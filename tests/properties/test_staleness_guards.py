"""Each rule that keeps the detector from hiding what readers need, and what happens without it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from include.domain.dates import EvidencedDate, Trust, rfc3339
from include.domain.documents import Presence, Status
from include.staleness import ageing, detection, duplicates, fusion, neighbours, supersession
from include.staleness.addresses import Answer
from include.staleness.detection import Observed
from include.staleness.evidence import Proposal, Signal
from include.staleness.fusion import fuse
from include.staleness.links import read_links
from include.staleness.subject import Care, Subject
from include.staleness.usage import read_usage
from tests.guards import Guard, switch
from tests.staleness_subjects import NOW, SOURCE, covering, day, days_ago, evidence, found, proposals, subject

TEXT = "We give a full refund within thirty days when the product comes back in its box. " * 8
OLD, NEW = "decks/march.md", "decks/june.md"


def replaced(**fields: Any) -> Subject:
    return subject(OLD, superseded_by=(NEW,), **fields)


# -- scenarios: what must not happen --


def signs_of_neglect_hide_a_page() -> None:
    signs = [(Signal.AGED, 0.6), (Signal.NOT_RETRIEVED, 0.35), (Signal.ADDRESS_GONE, 0.6), (Signal.NEAR_DUPLICATE, 0.4)]
    assert fuse(evidence(*sign) for sign in signs).proposal is not Proposal.STAGE


def two_sights_of_one_thing_count_as_two() -> None:
    """A page that calls itself obsolete and whose address is gone: the source says one thing twice."""
    said = [evidence(Signal.SOURCE_SAYS, 0.8, anchor=True), evidence(Signal.ADDRESS_GONE, 0.6)]
    assert fuse(said).proposal is not Proposal.STAGE


def a_pinned_document_is_staged() -> None:
    assert proposals(found(replaced(pinned=True), subject(NEW))) == {}


def a_held_document_is_staged() -> None:
    assert proposals(found(replaced(care=Care(held_until=NOW + timedelta(days=1))), subject(NEW))) == {}


def a_canonical_document_is_staged() -> None:
    assert proposals(found(replaced(is_canonical=True), subject(NEW))) == {}


def a_core_fact_expires() -> None:
    assert proposals(found(subject("about.md", content_type="company", expires_at=day("2020-01-01")))) == {}


def a_question_that_was_answered_is_asked_again() -> None:
    (candidate,) = found(replaced(), subject(NEW)).candidates
    kept = frozenset(each.fingerprint for each in candidate.evidence)
    assert proposals(found(replaced(care=Care(kept=kept)), subject(NEW))) == {}


def the_offer_to_one_customer_passes_for_that_to_another() -> None:
    one = subject("acme/offer.md", title="Offer", created_at=day("2024-01-01"), stated_status="Deprecated")
    other = subject("globex/offer.md", title="Offer", created_at=day("2025-01-01"))
    observed = covering({"acme/offer.md": TEXT, "globex/offer.md": TEXT})
    (candidate,) = found(one, other, observed=observed).candidates
    assert candidate.replacement is None


def another_number_passes_for_the_same_text() -> None:
    one = subject("refunds-v1.md", title="Refunds", created_at=day("2024-01-01"), stated_status="Deprecated")
    other = subject("refunds-v2.md", title="Refunds", created_at=day("2025-01-01"))
    observed = covering({"refunds-v1.md": f"30 days. {TEXT}", "refunds-v2.md": f"60 days. {TEXT}"})
    (candidate,) = found(one, other, observed=observed).candidates
    assert candidate.replacement is None


def the_only_copy_is_taken_for_a_copy() -> None:
    """Nothing says which of the two should go."""
    one, other = (
        subject("refunds.md", title="Refunds", stated_status="Deprecated"),
        subject("Refunds.md", title="Refunds", stated_status="Deprecated"),
    )
    observed = covering({"refunds.md": TEXT, "Refunds.md": TEXT})
    assert all(each.replacement is None for each in found(one, other, observed=observed).candidates)


def an_edition_that_is_in_use_is_hidden() -> None:
    old, new = "docs/v1.9/install.md", "docs/v1.10/install.md"
    assert proposals(found(subject(old, superseded_by=(new,)), subject(new))) == {}


def the_answer_is_hidden_and_its_heir_cannot_be_read() -> None:
    heir = subject(NEW, status=Status.ARCHIVED)
    assert proposals(found(replaced(), heir)) == {OLD: "review"}


def a_page_that_others_need_is_hidden() -> None:
    subjects = [subject("price.md", stated_status="Obsolete", content_type="price", created_at=days_ago(400))]
    subjects.append(subject("list.md"))
    observed = Observed(links=read_links(subjects, {"list.md": ["price.md"]}, declared=False))
    assert proposals(found(*subjects, observed=observed)) == {"price.md": "review"}


def every_page_behind_a_menu_is_an_orphan() -> None:
    subjects = [subject(f"guide/page-{number}.md", stated_status="Withdrawn") for number in range(30)]
    observed = Observed(links=read_links(subjects, {}, declared=True))
    assert proposals(found(*subjects, observed=observed)) == {}


def a_quiet_week_makes_documents_useless() -> None:
    lines = [{"at": rfc3339(NOW - timedelta(days=7)), "shown": []}]
    silent = subject("a.md", stated_status="Withdrawn", read_at=NOW - timedelta(days=900))
    assert proposals(found(silent, observed=Observed(usage=read_usage(lines, SOURCE, until=NOW)))) == {}


def a_site_that_is_down_loses_its_pages() -> None:
    ago = NOW - timedelta(days=30)
    subjects = [subject(f"page-{number}.md") for number in range(10)]
    observed = Observed(answers={each.key.doc_id: Answer(Presence.GONE, ago) for each in subjects})
    assert proposals(found(*subjects, observed=observed)) == {}


def a_date_that_nobody_vouches_for_expires_a_document() -> None:
    assert proposals(found(subject("a.md", expires_at=day("2020-01-01", trust=Trust.UNKNOWN)))) == {}


def a_document_that_was_edited_since_is_hidden_as_expired() -> None:
    event = subject("event.md", expires_at=day("2026-01-01"), updated_at=day("2026-06-01"))
    assert proposals(found(event)) == {"event.md": "review"}


def a_footer_makes_a_million_pairs() -> None:
    rows = np.zeros((1200, 4), dtype=np.float32)
    rows[:, 0] = 1
    assert len(neighbours.neighbours(rows, at_least=0.97).first) == 0


def _nothing(*_: object, **__: object) -> str:
    return ""


def _all_fresh(_: object, given: Any) -> tuple[list[Any], list[Any]]:
    return list(given), []


UNPROTECTED = switch(detection, "why_protected", _nothing)
GUARDS = [
    Guard("anchor", signs_of_neglect_hide_a_page, switch(fusion, "_has_anchor", lambda _: True)),
    Guard("one cause", two_sights_of_one_thing_count_as_two, switch(fusion, "_counted", tuple)),
    Guard("pins", a_pinned_document_is_staged, UNPROTECTED),
    Guard("holds", a_held_document_is_staged, UNPROTECTED),
    Guard("canonical", a_canonical_document_is_staged, UNPROTECTED),
    Guard("core facts", a_core_fact_expires, UNPROTECTED),
    Guard("kept", a_question_that_was_answered_is_asked_again, switch(detection, "without_kept", _all_fresh)),
    Guard(
        "customers",
        the_offer_to_one_customer_passes_for_that_to_another,
        switch(duplicates, "why_not_one", _nothing),
    ),
    Guard("numbers", another_number_passes_for_the_same_text, switch(duplicates, "why_texts_differ", _nothing)),
    Guard("which one", the_only_copy_is_taken_for_a_copy, switch(duplicates, "why_the_other", lambda *_: "is other")),
    Guard("editions", an_edition_that_is_in_use_is_hidden, switch(supersession, "edition_of", _nothing)),
    Guard(
        "heir", the_answer_is_hidden_and_its_heir_cannot_be_read, switch(supersession, "_state_of", lambda *_: ("", ""))
    ),
    Guard("referrers", a_page_that_others_need_is_hidden, switch(detection, "live_referrers", lambda *_, **__: ())),
    Guard("proven links", every_page_behind_a_menu_is_an_orphan, switch(detection, "why_not_proven", _nothing)),
    Guard("enough questions", a_quiet_week_makes_documents_useless, switch(detection, "why_not_enough", _nothing)),
    Guard("believed answers", a_site_that_is_down_loses_its_pages, switch(detection, "why_not_believed", _nothing)),
    Guard(
        "trusted dates",
        a_date_that_nobody_vouches_for_expires_a_document,
        switch(EvidencedDate, "is_trusted", property(lambda _: True)),
    ),
    Guard(
        "edited since", a_document_that_was_edited_since_is_hidden_as_expired, switch(ageing, "_contradicted", _nothing)
    ),
    Guard("crowds", a_footer_makes_a_million_pairs, switch(neighbours, "_count", lambda *_: None)),
]


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_the_damage_is_not_done(guard: Guard) -> None:
    guard.holds()


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_without_the_guard_it_is(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    guard.bites(monkeypatch)
