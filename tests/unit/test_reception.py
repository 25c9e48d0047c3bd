"""What came through a door, as gauges, alarms and a doctor's finding."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from include.domain.events import REFUSALS, Event, Reason, Waiting
from include.services.diagnose import Health, diagnose
from include.settings import Settings
from include.telemetry.reception import (
    EVENT_ALERTS,
    EVENT_GAUGES,
    FEW_REFUSALS,
    Reception,
    reception_alerts,
    reception_gauges,
)
from include.wiring.application import Application, NoSecrets
from include.wiring.health import checks
from include.wiring.nights import alerts_of

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def names(counts: dict[Reason, int], waiting: Waiting | None = None) -> list[str]:
    return [alert.name for alert in reception_alerts(Reception("cms", counts, waiting or Waiting()), NOON)]


def test_every_gauge_has_its_number() -> None:
    counts = {Reason.ACCEPTED: 7, Reason.REPLAYED: 3, Reason.FORGED: 2, Reason.STALE: 1, Reason.UNAVAILABLE: 9}
    reception = Reception("cms", counts, Waiting(4, NOON - timedelta(seconds=90)))
    values = {gauge.name: gauge.value for gauge in reception_gauges(reception, NOON)}
    assert values == {
        "truecopy.events_accepted": 7,
        "truecopy.events_replayed": 3,
        "truecopy.events_refused": 12,
        "truecopy.events_open": 4,
        "truecopy.oldest_event_age_seconds": 90,
    }
    assert set(values) == set(EVENT_GAUGES)


@pytest.mark.parametrize("reason", sorted(REFUSALS))
def test_a_door_that_refuses_everything_is_an_alarm_at_once(reason: Reason) -> None:
    assert names({reason: 1}) == ["events_refused"]
    assert names({reason: 1, Reason.REPLAYED: 5}) == ["events_refused"]


def test_a_stranger_who_tries_the_address_now_and_then_is_none() -> None:
    assert names({Reason.UNSIGNED: FEW_REFUSALS, Reason.ACCEPTED: 1}) == []
    assert names({Reason.UNSIGNED: FEW_REFUSALS + 1, Reason.ACCEPTED: 1_000}) == ["events_refused"]
    assert names({Reason.ACCEPTED: 1_000, Reason.REPLAYED: 1_000}) == []
    assert names({}) == []


def test_events_that_wait_are_an_alarm_after_a_quarter_of_an_hour() -> None:
    assert names({}, Waiting(1, NOON - timedelta(minutes=14))) == []
    assert names({}, Waiting(1, NOON - timedelta(minutes=16))) == ["events_waiting"]
    assert names({}, Waiting(1, NOON + timedelta(hours=1))) == []


def test_every_alarm_says_the_numbers_and_what_to_do() -> None:
    reception = Reception("cms", {Reason.FORGED: 12}, Waiting(3, NOON - timedelta(minutes=40)))
    refused, waiting = reception_alerts(reception, NOON)
    assert {refused.name, waiting.name} == set(EVENT_ALERTS)
    assert "12 forged" in refused.message
    assert "truecopy doctor" in refused.message
    assert "3 events wait, the oldest for 40 minutes" in waiting.message


def test_an_alarm_of_our_own_failure_does_not_send_people_to_look_for_a_forger() -> None:
    (alert,) = reception_alerts(Reception("cms", {Reason.UNAVAILABLE: 3}, Waiting()), NOON)
    assert "3 unavailable" in alert.message
    assert "log of the API server" in alert.message


class OneSecret(NoSecrets):
    def __init__(self, *secrets: str) -> None:
        self._secrets = secrets

    def webhook_secrets(self, conn_id: str) -> list[str]:
        return list(self._secrets)


def installation(folder: Path, *secrets: str) -> Application:
    webhook = {"scheme": "github", "conn_id": "site"}
    sources = {"cms": {"kind": "git_markdown", "webhook": webhook}, "silent": {"kind": "git_markdown"}}
    settings = Settings.model_validate({"sources": sources, "state": str(folder), "ledger": str(folder / "ledger")})
    return Application(settings, OneSecret(*secrets))


def found_by_doctor(application: Application, of: str = "webhook of") -> list[tuple[Health, str]]:
    webhooks = [(subject, check) for subject, check in checks(application) if subject.startswith(of)]
    return [(each.health, each.finding) for each in diagnose(webhooks)]


@pytest.mark.parametrize(
    ("secrets", "finding"),
    [
        ((), "the secret of connection 'site' is missing"),
        (("",), "the secret of connection 'site' is empty"),
        (("hunter2",), "the secret of connection 'site' has 7 characters, fewer than 16"),
    ],
)
def test_the_doctor_names_a_secret_that_is_none(tmp_path: Path, secrets: tuple[str, ...], finding: str) -> None:
    assert found_by_doctor(installation(tmp_path, *secrets)) == [(Health.BROKEN, finding)]


def test_the_doctor_says_what_came_and_what_waits(tmp_path: Path) -> None:
    application = installation(tmp_path, "the-secret-of-both-sides", "weak")
    application.traffic.count("cms", Reason.ACCEPTED)
    application.traffic.count("cms", Reason.FORGED)
    application.traffic.flush()
    application.inbox.put(Event("cms", "k1", application.clock.now()), remembered_days=1)
    assert found_by_doctor(application) == [
        (Health.WARNING, "a secret of connection 'site' has 4 characters, fewer than 16"),
        (Health.OK, "within 24 hours 1 deliveries accepted, refused 1 forged; 1 events wait"),
    ]
    assert "events_waiting" not in {alert.name for alert in alerts_of(application, "cms")}
    application.inbox.put(Event("cms", "k2", NOON), remembered_days=1)
    assert "events_waiting" in {alert.name for alert in alerts_of(application, "cms")}
    assert not {alert.name for alert in alerts_of(application, "silent")} & set(EVENT_ALERTS)


def test_the_doctor_counts_what_was_sent_to_a_name_that_is_no_source(tmp_path: Path) -> None:
    application = installation(tmp_path, "the-secret-of-both-sides")
    assert found_by_doctor(application, "webhooks") == []
    for _ in range(3):
        application.traffic.count("", Reason.UNKNOWN_SOURCE)
    application.traffic.flush()
    ((health, finding),) = found_by_doctor(application, "webhooks")
    assert health is Health.WARNING
    assert "3 deliveries" in finding
