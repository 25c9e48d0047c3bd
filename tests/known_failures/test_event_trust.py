"""EVENT-TRUST: an event is a hint. Any permutation, duplication or loss of events gives the same index, and what is
unsigned, stale, forged or replayed has no effect at all.

Cases: https://github.com/strapi/strapi/issues/21932, https://github.com/TryGhost/Ghost/issues/21699,
https://github.com/open-mercato/open-mercato/pull/1343, https://github.com/Coolhand-Labs/coolhand-ruby/issues/86,
https://github.com/gabrielkoerich/orch/issues/134, https://github.com/PxA-Labs/AutoMaintainer/pull/167
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from include.domain.errors import SourceUnavailable
from include.domain.events import Event, Reason
from include.domain.manifest import DocumentState, RunState
from include.hooks.delivery import Delivery
from include.planning.limits import Limits
from include.records.inbox import FileInbox
from include.records.state import StateRoot
from tests.fakes.clock import FakeClock
from tests.fakes.installation import FakeInstallation

PAGES = 40
OPEN_GATE = Limits(deletion_percent=100, window_percent=100)


def filled(pages: int = PAGES, **options: object) -> FakeInstallation:
    site = FakeInstallation(**options)  # type: ignore[arg-type]
    for number in range(pages):
        site.source.put(f"page-{number:03}", f"page {number} says {number * 37}")
    assert site.night().state is RunState.TRUE
    site.fetches.clear()
    return site


# --- what an event does


def test_an_edit_a_new_page_and_a_removal_are_followed_and_nothing_else_is_touched() -> None:
    site = filled()
    site.source.put("page-001", "another text")
    site.source.put("page-002", "another text that no event names")
    site.source.put("new", "a new page")
    site.source.delete("page-003")
    site.source.hide("page-004")
    for doc_id in ("page-001", "new", "page-003", "page-004"):
        assert site.tell(doc_id).status == 204
    assert site.follow() is None, "events wait for others for a moment"
    manifest = site.follow_later()
    assert manifest
    assert manifest.state is RunState.INGESTED
    texts = site.texts()
    assert (texts["page-001"], texts["new"]) == ("another text", "a new page")
    assert not {"page-003", "page-004"} & set(texts)
    assert texts["page-002"] == "page 2 says 74"
    assert site.inbox.open("handbook") == []
    assert site.follow_later(3600) is None


def test_an_event_that_names_nothing_brings_in_all_that_changed() -> None:
    site = filled()
    site.source.put("page-001", "one")
    site.source.put("page-002", "two")
    site.tell()
    site.follow_later()
    assert site.texts() == site.published()


def test_a_removal_by_event_passes_the_gate() -> None:
    site = filled()
    for number in range(5):
        site.source.delete(f"page-{number:03}")
        site.tell(f"page-{number:03}")
    manifest = site.follow_later()
    assert manifest
    assert manifest.state is RunState.DEGRADED
    assert {outcome.state for outcome in manifest.outcomes} == {DocumentState.HELD}
    assert len(site.texts()) == PAGES, "12.5 % is over the limit, whoever asks for it"
    assert site.inbox.open("handbook") == [], "the night takes it up"
    assert site.night().state is RunState.HELD


def test_events_that_come_one_by_one_cannot_slip_past_the_window() -> None:
    site = filled(100)
    for number in range(40):
        site.source.delete(f"page-{number:03}")
        site.tell(f"page-{number:03}")
        site.follow_later()
    assert len(site.texts()) == 75, "25 % within seven days, and no more"


def test_a_source_that_lags_behind_its_own_event_is_looked_at_once_more() -> None:
    site = filled()
    site.tell("page-001")
    assert site.follow_later()
    assert site.follow_later(10) is None, "no look at every run"
    site.source.put("page-001", "shown at last")
    assert site.follow_later(60)
    assert site.texts()["page-001"] == "shown at last"
    assert site.inbox.open("handbook") == []


@pytest.mark.parametrize("ahead", [timedelta(milliseconds=5), timedelta(hours=2)])
def test_an_event_that_is_newer_than_the_look_gets_its_second_look(ahead: timedelta) -> None:
    """It came in while the look began, or through a clock that is ahead of ours."""
    site = filled()
    site.inbox.put(Event("handbook", "k1", site.clock.now() + ahead, ("page-001",)), remembered_days=1)
    assert site.follow()
    site.source.put("page-001", "shown at last")
    assert site.follow_later(61)
    assert site.texts()["page-001"] == "shown at last"
    assert site.inbox.open("handbook") == []


def test_an_event_that_was_wrong_is_given_up_after_the_second_look() -> None:
    site = filled()
    site.tell("page-001")
    looks = [site.follow_later(15) for _ in range(60)]
    assert sum(look is not None for look in looks) == 2
    assert site.inbox.open("handbook") == []
    assert site.fetches == [], "an unchanged version is not even read"


def test_a_run_that_dies_after_its_look_is_repeated_without_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    site = filled()
    site.source.put("page-001", "another text")
    site.tell("page-001")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(site.inbox, "settle", killed)
        with pytest.raises(KeyboardInterrupt):
            site.follow_later()
    assert len(site.inbox.open("handbook")) == 1
    site.follow_later()
    site.follow_later(60)
    assert site.inbox.open("handbook") == []
    assert [doc_id for doc_id, _ in site.fetches] == ["page-001"]


def test_a_source_that_is_down_keeps_its_events_and_is_asked_less_and_less_often() -> None:
    site = filled()
    site.source.put("page-001", "another text")
    site.tell("page-001")
    site.source.down = True
    looks = [site.follow_later(60) for _ in range(180)]
    tries = [look for look in looks if look is not None]
    assert {look.state for look in tries} == {RunState.UNPROVEN}
    assert 5 < len(tries) < 25, "three hours of an outage are not 180 questions"
    site.source.down = False
    for _ in range(16):
        site.follow_later(60)
    assert site.texts()["page-001"] == "another text", "within a quarter of an hour"
    assert site.inbox.open("handbook") == []


def test_a_look_that_breaks_off_leaves_its_events_open(monkeypatch: pytest.MonkeyPatch) -> None:
    site = filled()
    site.tell("page-001")
    with monkeypatch.context() as broken:
        broken.setattr(site, "context", lambda source: (_ for _ in ()).throw(SourceUnavailable("no")))
        with pytest.raises(SourceUnavailable):
            site.follow_later()
    assert len(site.inbox.open("handbook")) == 1
    assert site.follow() is None
    assert site.follow_later(61)


# --- EV-01, EV-03: duplicates, and events about what nobody indexes


def test_a_delete_event_that_comes_twice_has_one_effect() -> None:
    site = filled()
    site.source.delete("page-001")
    first = site.signed("page-001")
    assert site.receive(first).status == 204
    site.clock.turn(milliseconds=300)
    assert site.receive(first).status == 204
    assert site.tell("page-001").status == 204, "with another instant it is another delivery"
    looks = [site.follow_later(60) for _ in range(10)]
    removed = [outcome for look in looks if look for outcome in look.outcomes]
    assert [(outcome.doc_id, outcome.state) for outcome in removed] == [("page-001", DocumentState.DELETED)]
    assert site.counted(Reason.REPLAYED) == 1


def test_two_hundred_events_of_a_draft_are_two_looks_and_the_draft_stays_out() -> None:
    site = filled()
    site.source.put("draft", "not for everybody")
    site.source.hide("draft")
    looks = 0
    for _ in range(200):
        site.tell("draft")
        looks += site.follow_later(0.3) is not None
    for _ in range(10):
        looks += site.follow_later(60) is not None
    assert looks <= 200 * 0.3 / 5 + 4, "one look a window, however many events"
    assert "draft" not in site.texts()
    assert site.fetches == []
    assert site.inbox.open("handbook") == []


# --- EV-05 to EV-08: replays, old instants, raw bytes, no secret


def test_a_replay_changes_nothing_whatever_unsigned_headers_it_has() -> None:
    site = filled()
    site.source.put("page-001", "another text")
    sent = site.signed("page-001")
    site.receive(sent)
    site.follow_later()
    for extra in ({}, {"webhook-id": "1"}, {"x-request-id": "2"}, {"idempotency-key": "3"}):
        again = replace(sent, headers={**sent.headers, **extra})
        assert site.receive(again).status == 204
    assert site.inbox.open("handbook") == []
    assert site.counted(Reason.REPLAYED) == 4


def test_a_signed_request_from_last_year_is_refused_and_counted() -> None:
    site = filled()
    sent = site.signed("page-001", at=site.clock.now() - timedelta(days=365))
    assert site.receive(sent).status == 401
    assert site.counted(Reason.STALE) == 1
    assert site.inbox.open("handbook") == []


@pytest.mark.parametrize(
    "body",
    [
        b'{"id":"page-001","z":1,"a":2}',
        b'{"id": "page-001", "price": 1.10, "big": 1e400, "half": 0.1000}',
        b'{"id":"page-001","text":"\\u00e9\\/\\ud83d\\ude00 \xc3\xa9 <>&\'"}\r\n',
        b' \n{"id":"page-001"} ',
        b'{"id":"other","id":"page-001"}',
    ],
)
def test_a_signature_is_over_the_bytes_as_they_came(body: bytes) -> None:
    import hmac

    from tests.fakes.installation import SECRET

    site = filled()
    ms = str(int(site.clock.now().timestamp() * 1000))
    signature = hmac.new(SECRET.encode(), body + ms.encode(), "sha256").hexdigest()
    sent = Delivery("/hooks/handbook", {"x-ghost-signature": f"sha256={signature}, t={ms}"}, body)
    assert site.receive(sent).status == 204
    assert [event.doc_ids for event in site.inbox.open("handbook")] == [("page-001",)]


def test_a_hundred_deletes_against_a_door_without_a_secret_do_nothing() -> None:
    site = filled()
    site.receiver._secrets = lambda conn_id: [""]
    for number in range(100):
        for sent in (
            site.signed(f"page-{number:03}", secret=""),
            replace(site.signed(f"page-{number:03}"), headers={}),
        ):
            assert site.receive(sent).status == 401
    assert site.counted(Reason.NO_SECRET) == 200
    assert site.inbox.open("handbook") == []


# --- floods and disorder


@pytest.mark.slow
@pytest.mark.sample
def test_ten_thousand_events_for_five_hundred_documents_read_each_at_most_once_a_window(tmp_path: Path) -> None:
    clock = FakeClock()
    inbox = FileInbox(StateRoot(str(tmp_path)), clock)
    site = filled(1_100, clock=clock, inbox=inbox, limits=Limits(update_percent=100))  # 500 are no mass update then
    random = Random(7)
    for number in range(10_000):
        doc_id = f"page-{random.randrange(500):03}"
        site.source.put(doc_id, f"{doc_id} after event {number}")
        assert site.tell(doc_id).status == 204
        clock.turn(milliseconds=2)
        if number % 500 == 499:  # a run each second, five times as often as the bell rings
            site.follow()
    for _ in range(3):
        site.follow_later(60)
    assert site.texts() == site.published()
    assert inbox.open("handbook") == []
    by_document: dict[str, list[float]] = {}
    for doc_id, moment in site.fetches:
        by_document.setdefault(doc_id, []).append(moment.timestamp())
    gaps = [later - earlier for moments in by_document.values() for earlier, later in pairwise(moments)]
    assert min(gaps, default=5) >= 4.9, "events of five seconds are answered by one look"
    assert len(site.fetches) <= 500 * 6, f"{len(site.fetches)} reads for 10,000 events within 20 seconds"


ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "delete", "hide", "touch", "restore"]),
        st.integers(0, 5),
        st.sampled_from(["once", "twice", "lost", "late", "replayed"]),
        st.sampled_from([0.0, 1.0, 7.0, 90.0]),
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(actions=ACTIONS, seed=st.integers(0, 1_000))
def test_any_order_duplication_and_loss_of_events_and_a_night_end_in_the_same_index(
    actions: list[tuple[str, int, str, float]], seed: int
) -> None:
    site = filled(30, limits=OPEN_GATE)  # few enough change that no limit is met
    random, late, sent = Random(seed), [], []
    for step, (action, number, fate, pause) in enumerate(actions, start=1):
        doc_id, source = f"page-{number:03}", site.source
        if action == "put" or (action == "touch" and doc_id not in source.pages):
            source.put(doc_id, f"{doc_id} at {site.clock.now()}", version=f"v{step * 100}")
        elif action == "touch":
            source.touch(doc_id)
        elif action == "restore" and doc_id in source.pages:
            source.pages[doc_id].draft = False
        elif action == "hide" and doc_id in source.pages:
            source.hide(doc_id)
        elif doc_id in source.pages:
            source.delete(doc_id)
        delivery = site.signed(doc_id)
        if fate == "late":
            late.append(delivery)
        elif fate == "replayed" and sent:
            site.receive(random.choice(sent))
        elif fate != "lost":
            for _ in range(2 if fate == "twice" else 1):
                assert site.receive(delivery).status == 204
            sent.append(delivery)
        random.shuffle(late)
        if late and random.random() < 0.5:
            site.receive(late.pop())
        site.clock.turn(seconds=pause)
        site.follow()
    for _ in range(4):
        site.follow_later(61)
    assert site.inbox.open("handbook") == []
    if all(fate in ("once", "twice") for _, _, fate, _ in actions):
        assert site.texts() == site.published(), "with every event delivered no night is needed"
    assert site.night().state is RunState.TRUE
    assert site.texts() == site.published()
