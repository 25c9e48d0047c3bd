"""REVIEW-NOISE: a queue that nobody trusts hides the real ones.

Each item states its evidence, precision on a labelled set stays above a floor, reviewed is stored apart from edited,
and an item goes when its cause does.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from include.domain.dates import Trust
from include.domain.documents import Status
from include.staleness.ageing import Ageing
from include.staleness.detection import Observed
from include.staleness.evidence import Candidate, Proposal, Signal
from include.staleness.links import read_links
from include.staleness.subject import Care, Subject
from tests.staleness_subjects import NOW, covering, day, days_ago, found, proposals, subject

AGEING = Ageing(never=frozenset({"company"}), days={"price": 90, "news": 365})


def look(*subjects: Subject, observed: Observed = Observed()) -> dict[str, str]:
    return proposals(found(*subjects, observed=observed, ageing=AGEING))


def candidates(*subjects: Subject, observed: Observed = Observed()) -> tuple[Candidate, ...]:
    return found(*subjects, observed=observed, ageing=AGEING).candidates


# -- RV-01: one rule for a whole folder rejected durable guides --


def test_an_evergreen_guide_is_left_alone_and_a_price_of_last_month_too() -> None:
    guide = subject("docs/guide.md", content_type="guide", created_at=day("2019-03-01"))
    price = subject("docs/prices.md", content_type="price", created_at=days_ago(30))
    assert look(guide, price) == {}


def test_in_one_folder_each_type_of_content_has_a_limit_of_its_own() -> None:
    same_age = [
        subject(f"docs/{kind}.md", content_type=kind, created_at=days_ago(200))
        for kind in ("guide", "price", "news", "company", "Price")
    ]
    assert look(*same_age) == {"docs/price.md": "review", "docs/Price.md": "review"}


def test_age_alone_never_hides_a_page_however_old() -> None:
    ancient = subject("docs/prices.md", content_type="price", created_at=day("1999-01-01"))
    assert look(ancient) == {"docs/prices.md": "review"}


# -- RV-04: a landing page whose material lives elsewhere --


def test_a_landing_page_that_all_others_hang_on_is_not_hidden_for_its_own_date() -> None:
    """Unchanged for years, and what it links to is updated weekly."""
    landing = subject("start/index.md", content_type="price", created_at=days_ago(900), stated_status="Archived")
    parts = [subject(f"start/part-{number}.md", updated_at=days_ago(3)) for number in range(5)]
    written = {each.key.doc_id: ["index.md"] for each in parts}
    observed = Observed(links=read_links([landing, *parts], written, declared=False))
    assert look(landing, *parts) == {"start/index.md": "stage"}
    assert look(landing, *parts, observed=observed) == {"start/index.md": "review"}


def test_a_date_of_low_trust_is_no_item_and_beside_other_evidence_a_low_one() -> None:
    trusted, doubtful = (
        subject("p.md", content_type="price", created_at=days_ago(400, trust=trust))
        for trust in (Trust.HIGH, Trust.LOW)
    )
    assert look(doubtful) == {}
    assert look(trusted) == {"p.md": "review"}
    (low,) = candidates(replace(doubtful, stated_status="Deprecated"))
    (high,) = candidates(replace(trusted, stated_status="Deprecated"))
    assert low.score < high.score


# -- RV-06: the wording decides whether a notice helps or harms --


def everything_against_it() -> tuple[Candidate, ...]:
    text = "We give a full refund within thirty days when the product comes back in its box. " * 8
    old = subject(
        "refunds-2024.md",
        title="Refunds 2024",
        content_type="price",
        created_at=day("2024-01-01"),
        expires_at=day("2025-01-01"),
        stated_status="Superseded",
        superseded_by=("refunds-2025.md",),
    )
    new = subject("refunds-2025.md", title="Refunds 2025", content_type="price", created_at=day("2026-05-01"))
    return candidates(old, new, observed=covering({"refunds-2024.md": text, "refunds-2025.md": text}))


def test_every_item_says_what_was_found_where_and_when_and_not_just_old() -> None:
    (item,) = everything_against_it()
    said = {each.signal: each.sentence for each in item.evidence}
    assert said == {
        Signal.SUPERSEDED: "the resolver says that it is superseded by refunds-2025.md (Refunds 2025)",
        Signal.EXPIRED: "it expired on 2025-01-01, says its source (front matter)",
        Signal.SOURCE_SAYS: "it calls itself 'Superseded'",
        Signal.AGED: (
            "it is 901 days old, by front matter 2024-01-01; its type, price, is to be looked at again after 90"
        ),
        Signal.NEAR_DUPLICATE: ("refunds-2025.md says nearly the same (100% of its chunks), and takes its place"),
    }
    assert item.arithmetic.startswith(
        "superseded 0.95, expired 0.95, source_says 0.80, near_duplicate 0.40: 1 − (1 − 0.95) × (1 − 0.95)"
    )


# -- precision of a labelled set --

STALE, ALIVE = True, False


def labelled() -> list[tuple[Subject, bool]]:
    """Evergreen, stale, trivially edited, renamed, of low trust; each label is what a person would say."""
    made: list[tuple[Subject, bool]] = []
    for number in range(20):
        age, folder = 400 + 50 * number, f"team-{number}"
        made += [
            (subject(f"{folder}/guide.md", content_type="guide", created_at=days_ago(age)), ALIVE),
            (subject(f"{folder}/about.md", content_type="company", created_at=days_ago(age)), ALIVE),
            (subject(f"{folder}/doubtful.md", content_type="price", created_at=days_ago(age, trust=Trust.LOW)), ALIVE),
            (subject(f"{folder}/undated.md", content_type="price"), ALIVE),
            (subject(f"{folder}/draft.md", stated_status="Draft", created_at=days_ago(age)), ALIVE),
            (
                subject(f"{folder}/edited.md", content_type="price", created_at=days_ago(age), updated_at=days_ago(9)),
                ALIVE,
            ),
            (subject(f"{folder}/old.md", superseded_by=(f"{folder}/new.md",)), STALE),
            (subject(f"{folder}/new.md", created_at=days_ago(age)), ALIVE),
            (subject(f"{folder}/event.md", content_type="event", expires_at=days_ago(age)), STALE),
            (subject(f"{folder}/put-away.md", stated_status="Obsolete", created_at=days_ago(age)), STALE),
            (subject(f"{folder}/prices.md", content_type="price", created_at=days_ago(age)), STALE),
        ]
    return made


def test_precision_and_recall_on_the_labelled_set_stay_above_their_floors() -> None:
    labels = {each.key.doc_id: is_stale for each, is_stale in labelled()}
    detection = found(*(each for each, _ in labelled()), ageing=AGEING)
    for chosen in (detection.of(Proposal.STAGE), detection.candidates):
        right = sum(labels[each.key.doc_id] for each in chosen)
        assert right / len(chosen) >= 0.99
    assert len(detection.candidates) / sum(labels.values()) >= 0.99


# -- reviewed is not edited --


def kept(one: Subject, *others: Subject, at: timedelta = timedelta(days=1)) -> Subject:
    """A person looked at everything that speaks against it now, and kept it."""
    (item,) = [each for each in candidates(one, *others) if each.key == one.key]
    prints = frozenset(each.fingerprint for each in item.evidence)
    return replace(one, care=Care(reviewed_at=NOW - at, kept=prints))


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"content_hash": hashlib.sha256(b" a ").hexdigest()}, id="white space"),
        pytest.param({"updated_at": days_ago(1)}, id="an edit"),
        pytest.param({"updated_at": days_ago(1, trust=Trust.LOW)}, id="an edit of low trust"),
        pytest.param({"title": "Another title"}, id="a new title"),
    ],
)
@pytest.mark.parametrize(
    "fields",
    [{"stated_status": "Obsolete"}, {"expires_at": day("2026-01-01")}, {"superseded_by": ("new.md",)}],
    ids=["states", "expired", "replaced"],
)
def test_a_kept_document_does_not_come_back_because_it_was_touched(
    fields: dict[str, Any], edit: dict[str, Any]
) -> None:
    new = subject("new.md", title="A")
    one = kept(subject("a.md", title="A", **fields), new)
    assert look(replace(one, **edit), new) == {}


def test_an_edit_does_not_pass_for_a_review() -> None:
    """What calls itself obsolete is asked about though somebody has corrected a comma."""
    assert look(subject("a.md", stated_status="Obsolete", updated_at=days_ago(1))) == {"a.md": "review"}


def test_a_review_does_not_pass_for_an_edit_and_is_asked_for_again_in_its_time() -> None:
    price = subject("p.md", content_type="price", created_at=days_ago(400))
    assert look(kept(price)) == {}
    assert look(kept(price, at=timedelta(days=91))) == {"p.md": "review"}


def test_a_renamed_document_keeps_the_answer_that_a_person_gave() -> None:
    new = subject("new.md")
    one = kept(subject("a.md", stated_status="Obsolete", superseded_by=("new.md",)), new)
    renamed = subject("b.md", stated_status="Obsolete", superseded_by=("new.md",), care=one.care)
    assert look(renamed, new) == {}


# -- while an item waits --


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"stated_status": "Obsolete"}, {"stated_status": "Active"}),
        ({"superseded_by": ("new.md",)}, {"superseded_by": ()}),
        ({"expires_at": day("2026-01-01")}, {"expires_at": day("2027-01-01")}),
    ],
)
def test_an_item_goes_when_its_cause_does(before: dict[str, Any], after: dict[str, Any]) -> None:
    one, new = subject("a.md", status=Status.STAGED, **before), subject("new.md")
    assert "a.md" in look(one, new)
    assert look(replace(one, **after), new) == {}


def test_a_document_that_vanished_while_it_waited_is_no_item_and_its_heir_stays() -> None:
    one, new = subject("a.md", superseded_by=("new.md",)), subject("new.md")
    assert look(one, new) == {"a.md": "stage"}
    assert look(new) == {}


def test_an_item_whose_heir_vanished_is_not_hidden_any_more() -> None:
    """The answer would be gone with it."""
    assert look(subject("a.md", status=Status.STAGED, superseded_by=("new.md",))) == {"a.md": "review"}
