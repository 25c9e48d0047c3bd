"""Pins and holds: who may set them, and that no road gets past them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from include.domain.documents import Status
from include.domain.errors import ConfigError
from include.domain.metadata import Hand
from include.services.protecting import care_of, held_now, hold, let_go, pin, why_protected
from tests.builders import no_progress
from tests.unit.test_resolve_canonical import SOURCE, Handbook


@dataclass
class Protected(Handbook):
    def pin(self, *doc_ids: str, pinned: bool = True, reason: str = "the contract names it") -> None:
        self.runs += 1
        pin(
            self.context,
            doc_ids,
            by="Ada",
            reason=reason,
            run_id=f"pin-{self.runs}",
            progress=no_progress,
            pinned=pinned,
        )

    def hold(self, *doc_ids: str, until: str = "2030-01-01", reason: str = "an audit") -> None:
        hold(self.context, doc_ids, until=until, by="Ada", reason=reason)


@pytest.fixture
def handbook() -> Protected:
    made = Protected()
    made.with_pages(30).with_family("deck", 1, 2).night()
    return made


def test_a_pin_is_on_every_chunk_at_once_and_a_commit_says_why(handbook: Protected) -> None:
    handbook.pin("deck-v1.md")
    assert {p.payload["pinned"] for p in handbook.store.points.values() if p.payload["doc_id"] == "deck-v1.md"} == {
        True
    }
    assert handbook.ledger.changes[-1].reason == "the contract names it"
    handbook.pin("deck-v1.md", pinned=False)
    assert not any(point.payload["pinned"] for point in handbook.store.points.values())


def test_a_pin_has_a_reason_and_a_document(handbook: Protected) -> None:
    with pytest.raises(ConfigError, match="a person and a reason"):
        handbook.pin("deck-v1.md", reason=" ")
    with pytest.raises(ConfigError, match=r"nothing\.md is not in the index"):
        handbook.pin("nothing.md")


@pytest.mark.parametrize(
    ("until", "reason", "message"),
    [
        ("soon", "an audit", "until is 'soon'; allowed is a day"),
        ("2026-13-01", "an audit", "allowed is a day"),
        ("2001-01-01", "an audit", "has passed"),
        ("2030-01-01", "", "reason is ''"),
        ("2030-01-01", "two\nlines", "reason is"),
    ],
)
def test_a_hold_has_a_day_to_come_and_a_reason(handbook: Protected, until: str, reason: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        handbook.hold("deck-v1.md", until=until, reason=reason)
    assert handbook.ledger.holds(SOURCE) == {}


def test_nothing_is_held_when_one_of_the_documents_is_not_there(handbook: Protected) -> None:
    with pytest.raises(ConfigError, match=r"nothing\.md is not in the index; nothing was held"):
        handbook.hold("deck-v1.md", "nothing.md")
    assert handbook.ledger.holds(SOURCE) == {}


def test_a_hold_is_made_longer_by_another_and_never_shorter(handbook: Protected) -> None:
    handbook.hold("deck-v1.md", until="2030-01-01")
    handbook.hold("deck-v1.md", until="2029-01-01", reason="shorter")
    assert handbook.ledger.holds(SOURCE)["deck-v1.md"].reason == "an audit"
    handbook.hold("deck-v1.md", until="2031-01-01", reason="longer")
    assert handbook.ledger.holds(SOURCE)["deck-v1.md"].held_until.startswith("2031")


def test_what_is_let_go_is_not_protected_and_what_was_never_held_cannot_be(handbook: Protected) -> None:
    handbook.hold("deck-v1.md")
    handbook.pin("deck-v2.md")
    now = handbook.clock.now()
    assert why_protected(handbook.ledger, SOURCE, now) == {
        "deck-v1.md": "it is held until 2030-01-01: an audit",
        "deck-v2.md": "it is pinned",
    }
    let_go(handbook.context, ["deck-v1.md"], by="Ada", reason="the audit is over")
    assert list(why_protected(handbook.ledger, SOURCE, now)) == ["deck-v2.md"]
    with pytest.raises(ConfigError, match="is not held"):
        let_go(handbook.context, ["deck-v1.md"], by="Ada", reason="again")


def test_a_hold_runs_out_by_itself(handbook: Protected) -> None:
    handbook.hold("deck-v1.md")
    assert held_now(handbook.ledger, SOURCE, handbook.clock.now().replace(year=2029))
    assert not held_now(handbook.ledger, SOURCE, handbook.clock.now().replace(year=2031))
    assert care_of(handbook.ledger, SOURCE)["deck-v1.md"].hold_reason == "an audit"


# -- the resolver's road --


@pytest.mark.parametrize("protect", [Protected.pin, Protected.hold])
def test_the_resolver_does_not_supersede_what_is_protected(handbook: Protected, protect: object) -> None:
    protect(handbook, "deck-v1.md")  # type: ignore[operator]
    handbook.resolve()
    assert handbook.superseded() == []
    assert "status" not in handbook.ledger.decided(SOURCE, Hand.RESOLVER).get("deck-v1.md", {})


def test_the_resolver_supersedes_it_when_the_hold_has_run_out(handbook: Protected) -> None:
    handbook.hold("deck-v1.md", until="2027-01-01")
    handbook.resolve()
    assert handbook.superseded() == []
    handbook.clock.turn(hours=24 * 365 * 3)
    handbook.resolve()
    assert handbook.superseded() == ["deck-v1.md"]
    assert handbook.statuses()["deck-v2.md"] == Status.PUBLISHED


def test_a_hold_keeps_nothing_from_coming_back(handbook: Protected) -> None:
    handbook.resolve()
    handbook.hold("deck-v1.md")
    handbook.resolve()
    assert handbook.statuses()["deck-v1.md"] == Status.SUPERSEDED
    handbook.source.delete("deck-v2.md")
    handbook.night()
    handbook.resolve()
    assert handbook.statuses()["deck-v1.md"] == Status.PUBLISHED
