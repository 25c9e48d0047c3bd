"""Expired and aged: true dates only, against what the type of content allows."""

from __future__ import annotations

from datetime import timedelta

import pytest

from include.domain.dates import Precision, Trust
from include.staleness.ageing import Ageing, aged, expired
from include.staleness.subject import Care, Subject
from tests.staleness_subjects import AGEING, NOW, day, days_ago, subject


def price(**fields: object) -> Subject:
    return subject("prices.md", content_type="price", **fields)


def test_the_expiry_date_of_the_source_is_strong_enough_alone() -> None:
    found = expired(subject("event.md", expires_at=day("2026-05-01")), now=NOW)
    assert found is not None
    assert (found.anchor, found.strength) == (True, 0.95)
    assert found.sentence == "it expired on 2026-05-01, says its source (front matter)"


@pytest.mark.parametrize(
    "date",
    [
        pytest.param(day("2026-06-20"), id="the day is not over"),
        pytest.param(day("2026-07-01"), id="still to come"),
        pytest.param(day("2026-06-01", precision=Precision.MONTH), id="the month is not over"),
        pytest.param(day("2026-01-01", precision=Precision.YEAR), id="the year is not over"),
        pytest.param(day("2020-01-01", trust=Trust.UNKNOWN), id="nobody vouches for it"),
        pytest.param(None, id="none"),
    ],
)
def test_a_date_that_has_not_passed_or_is_not_trusted_expires_nothing(date: object) -> None:
    assert expired(subject("event.md", expires_at=date), now=NOW) is None


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"updated_at": day("2026-06-01")}, "it was edited since, on 2026-06-01"),
        ({"created_at": day("2026-06-01")}, "it was written later, on 2026-06-01"),
        ({"effective_date": day("2026-06-01")}, "it was in force later, on 2026-06-01"),
    ],
)
def test_an_expiry_that_another_date_contradicts_is_for_a_person(fields: dict[str, object], says: str) -> None:
    found = expired(subject("event.md", expires_at=day("2026-05-01"), **fields), now=NOW)
    assert found is not None
    assert not found.anchor
    assert found.sentence.endswith(says)


def test_an_expiry_of_low_trust_is_for_a_person() -> None:
    found = expired(subject("event.md", expires_at=day("2026-05-01", trust=Trust.LOW)), now=NOW)
    assert found is not None
    assert (found.anchor, found.strength) == (False, 0.6)


def test_what_is_older_than_its_type_allows_is_for_review() -> None:
    found = aged(price(created_at=days_ago(100)), AGEING, now=NOW)
    assert found is not None
    assert (found.strength, found.anchor) == (0.5, False)
    assert found.sentence == (
        "it is 100 days old, by front matter 2026-03-12 12:00 UTC; its type, price, is to be looked at again after 90"
    )
    twice = aged(price(created_at=days_ago(200)), AGEING, now=NOW)
    assert twice is not None
    assert twice.strength == 0.6


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(price(), id="no date"),
        pytest.param(price(created_at=days_ago(90)), id="exactly at the limit"),
        pytest.param(price(created_at=days_ago(900, trust=Trust.UNKNOWN)), id="a date that nobody vouches for"),
        pytest.param(price(created_at=days_ago(900), updated_at=days_ago(10)), id="edited since"),
        pytest.param(
            price(created_at=days_ago(900), updated_at=days_ago(10, trust=Trust.UNKNOWN)), id="perhaps edited since"
        ),
        pytest.param(price(created_at=days_ago(900), effective_date=days_ago(-5)), id="not in force yet"),
        pytest.param(price(care=Care(reviewed_at=NOW - timedelta(days=30)), created_at=days_ago(900)), id="reviewed"),
        pytest.param(subject("guide.md", created_at=days_ago(9000)), id="a type without a limit"),
        pytest.param(subject("about.md", content_type="company", created_at=days_ago(9000)), id="a type that never"),
        pytest.param(price(created_at=day("2026-01-01", precision=Precision.YEAR)), id="somewhen in this year"),
    ],
)
def test_nothing_grows_old_by_a_date_that_does_not_say_so(one: Subject) -> None:
    assert aged(one, AGEING, now=NOW) is None


def test_a_date_of_low_trust_is_a_weak_sign() -> None:
    found = aged(price(created_at=days_ago(900, trust=Trust.LOW)), AGEING, now=NOW)
    assert found is not None
    assert found.strength == 0.3
    assert "a date of low trust" in found.sentence


def test_age_counts_again_from_a_review_and_is_new_evidence_then() -> None:
    before = aged(price(created_at=days_ago(900)), AGEING, now=NOW)
    after = aged(price(created_at=days_ago(900), care=Care(reviewed_at=NOW - timedelta(days=100))), AGEING, now=NOW)
    assert before is not None
    assert after is not None
    assert "it is 100 days old, by a person's review" in after.sentence
    assert before.fingerprint != after.fingerprint


def test_the_same_age_is_the_same_evidence_tomorrow() -> None:
    today, later = (
        aged(price(created_at=day("2026-01-01")), AGEING, now=NOW + timedelta(days=passed)) for passed in (0, 40)
    )
    assert today is not None
    assert later is not None
    assert today.fingerprint == later.fingerprint


@pytest.mark.parametrize(
    "wrong", [{"days": {"price": 0}}, {"default": 0}, {"never": frozenset({"price"}), "days": {"price": 9}}]
)
def test_a_policy_that_contradicts_itself_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="after"):
        Ageing(**wrong)  # type: ignore[arg-type]
