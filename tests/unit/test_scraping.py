"""What Prometheus gets to read: every gauge as it is now, whatever is broken, and nothing of the content."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from include.api.answers import Answers
from include.api.app import create_app
from include.api.keys import Keyring
from include.domain.errors import ConfigError, StoreUnavailable
from include.domain.manifest import DocumentOutcome, DocumentState, Gauge, Manifest, RunState
from include.records.manifests import run_folder
from include.telemetry.candidates import CANDIDATE_GAUGES
from include.telemetry.dispositions import DISPOSITION_GAUGES
from include.telemetry.exposition import exposition, plain_name
from include.telemetry.families import FAMILY_GAUGES
from include.telemetry.gauges import GAUGES, HISTORY_GAUGES
from include.telemetry.reception import EVENT_GAUGES
from include.telemetry.scraping import SCRAPE_GAUGES
from include.wiring import metrics as scraping
from include.wiring.application import Application
from include.wiring.metrics import KEPT_SECONDS, Metrics
from include.wiring.nights import gauges_of
from tests.monitored import (
    a_held_night,
    applied,
    detected,
    installation,
    read,
    resolved,
    scraped,
    value,
    with_every_gauge,
)
from tests.ops_pages import FakeAccess, a_night, served


@pytest.fixture
def application(tmp_path: Path) -> Application:
    return installation(tmp_path, "handbook", "help-center")


def record(application: Application, manifest: Manifest) -> Path:
    folder = run_folder(manifest.dag_id, manifest.run_id, manifest.source)
    return Path(str(application.state)) / folder / "manifest.json"


def test_every_gauge_of_a_source_is_told_with_its_labels(application: Application) -> None:
    series = scraped(with_every_gauge(application, "handbook"))
    names = {name for name, _ in series}
    of_runs = (*GAUGES, *HISTORY_GAUGES, *FAMILY_GAUGES, *CANDIDATE_GAUGES, *DISPOSITION_GAUGES)
    for gauge in (*of_runs, *EVENT_GAUGES, *SCRAPE_GAUGES):
        assert gauge.replace(".", "_") in names, gauge
    assert value(series, "rag_docs", "handbook") == 120
    assert value(series, "rag_date_trust_share", "handbook", field="created_at", trust="high") == 90 / 120
    assert value(series, "rag_signal_precision", "handbook", signal="expired") == 0.75
    assert value(series, "rag_evaluated_questions", "example") == 0
    assert value(series, "truecopy_sources") == 2


def test_a_source_that_never_ran_tells_no_number_but_is_there(application: Application) -> None:
    series = scraped(application)
    told = {name for name, labels in series if ("source", "help-center") in labels and name.startswith("rag_")}
    assert told == set()
    assert value(series, "truecopy_scrape_failed", "help-center") == 0


def test_ages_are_those_of_the_moment_and_instants_stay(application: Application) -> None:
    application.manifests.save(night := a_night("handbook", 3))
    before = scraped(application)
    application.clock.turn(hours=48)  # type: ignore[attr-defined]
    after = scraped(application)
    older = value(after, "rag_last_success_age_seconds", "handbook") - value(
        before, "rag_last_success_age_seconds", "handbook"
    )
    assert older == pytest.approx(48 * 3600, abs=1)
    assert night.finished_at
    for series in (before, after):
        assert value(series, "rag_last_success_timestamp_seconds", "handbook") == night.finished_at.timestamp()


def test_what_a_run_sends_at_its_end_is_what_a_scrape_then_says(application: Application) -> None:
    """Whatever the run was, and whatever ran before it."""
    failing = (DocumentOutcome("a.md", DocumentState.FAILED, "no text"),)
    hourly = {"dag_id": "ingest_documents", "proof": None, "found": None, "remaining": None, "dates": None}
    runs = [
        a_night("handbook", 50),
        resolved("handbook", 49),
        detected("handbook", 48),
        applied("handbook", 47),
        a_held_night("handbook", 26, since=26),
        replace(a_night("handbook", 20, RunState.DEGRADED, outcomes=failing), **hourly),
        replace(a_night("handbook", 19, RunState.UNPROVEN, documents=None, chunks=None), **hourly),
        replace(a_night("handbook", 18, RunState.INGESTED, outcomes=()), **{**hourly, "dag_id": "follow_events"}),
        a_night("handbook", 2, RunState.FAILED, proof=None, found=None, remaining=None, documents=None, outcomes=()),
        resolved("handbook", 1, state=RunState.FAILED, families=None),
    ]
    for run in runs:
        application.manifests.save(run)
        series = scraped(application)
        sent = gauges_of(application, run)
        assert sent, run.state
        for gauge in sent:
            told = value(series, gauge.name.replace(".", "_"), gauge.source, **dict(gauge.labels))
            assert told == pytest.approx(gauge.value, abs=0.01), (run.dag_id, gauge)
    told = {name for name, labels in series if ("source", "handbook") in labels}
    unknown = {"rag_docs", "rag_failed_docs", "rag_changes_held", "rag_listing_proven", "rag_orphan_docs_remaining"}
    assert not told & unknown, "the night that broke off cannot say, and what was said before it is over"
    assert value(series, "rag_night_failed", "handbook") == 1
    assert value(series, "rag_resolver_failed", "handbook") == 1


def test_a_dry_run_and_a_run_at_work_change_no_number(application: Application) -> None:
    before = scraped(with_every_gauge(application, "handbook"))
    dry = resolved("handbook", 1, state=RunState.PLANNED, held=a_held_night("handbook", 1, since=1).held)
    working = a_night("handbook", 0.5, RunState.RUNNING, finished_at=None, proof=None, documents=None, outcomes=())
    for manifest in (dry, working):
        application.manifests.save(manifest)
        assert gauges_of(application, dry) == []
    after = scraped(application)
    began = "rag_last_night_timestamp_seconds"
    assert value(after, began, "handbook") == pytest.approx(working.started_at.timestamp())
    assert {key for key in before if not key[0].endswith(("_seconds", "_days")) and before[key] != after[key]} == set()
    assert before.keys() == after.keys()


def test_a_damaged_record_is_counted_and_the_one_before_it_is_told(application: Application) -> None:
    application.manifests.save(a_night("handbook", 27, documents=100))
    application.manifests.save(newest := a_night("handbook", 3, documents=90))
    record(application, newest).write_text('{"run_id": "sched')
    series = scraped(application)
    assert value(series, "truecopy_manifests_unreadable", "handbook") == 1
    assert value(series, "rag_docs", "handbook") == 100
    assert value(series, "rag_last_success_age_seconds", "handbook") > 26 * 3600
    assert value(series, "truecopy_manifests_unreadable", "help-center") == 0


def test_a_source_that_cannot_be_read_says_so_and_hides_no_other(
    application: Application, caplog: pytest.LogCaptureFixture
) -> None:
    application.manifests.save(newest := a_night("handbook", 3))
    application.manifests.save(a_night("help-center", 3))
    path = record(application, newest)
    path.unlink()
    path.mkdir()  # a read fails, as on a disk that is broken
    series = scraped(application)
    assert value(series, "truecopy_scrape_failed", "handbook") == 1
    assert "handbook are left out" in caplog.text
    assert value(series, "truecopy_events_open", "handbook") == 0, "what can be read of it is told"
    assert value(series, "truecopy_scrape_failed", "help-center") == 0
    assert value(series, "rag_docs", "help-center") == 120


def test_a_record_from_the_future_does_not_own_the_word_last(application: Application) -> None:
    application.manifests.save(a_night("handbook", 3, documents=100))
    application.manifests.save(a_night("handbook", -72, documents=7))
    assert value(scraped(application), "rag_docs", "handbook") == 100


def test_series_grow_with_sources_and_never_with_documents_and_no_title_gets_out(application: Application) -> None:
    few = scraped(with_every_gauge(application, "handbook"))
    states = list(DocumentState)
    outcomes = tuple(
        DocumentOutcome(f"secret-page-{number}.md", states[number % len(states)], "why-it-failed")
        for number in range(500)
    )
    application.manifests.save(a_night("handbook", 1, RunState.HELD, outcomes=outcomes, reason="a-reason-of-it"))
    metrics = Metrics(lambda: application)
    text = metrics.text()
    assert read(text).keys() == few.keys()
    for said in (b"secret-page", b"why-it-failed", b"a-reason-of-it", b"name-of-a-connection"):
        assert said not in text, said
    assert len(few) < 150


def test_many_nights_that_proved_nothing_are_read_once_and_not_at_each_scrape(application: Application) -> None:
    for number in range(60):
        application.manifests.save(a_night("handbook", 3 + 24 * number, RunState.HELD, outcomes=()))
    scraped(application)
    assert len(application.past_runs._kept) == 60
    for path in Path(str(application.state)).rglob("manifest.json"):
        stat = path.stat()
        path.write_bytes(b"x" * stat.st_size)  # whoever reads again would find this
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert value(scraped(application), "truecopy_manifests_unreadable", "handbook") == 0


def test_a_flood_of_scrapes_is_one_look_and_the_next_one_is_new(application: Application) -> None:
    application.manifests.save(a_night("handbook", 5, documents=100))
    now = [0.0]
    metrics = Metrics(lambda: application, clock=lambda: now[0])
    first = metrics.text()
    application.manifests.save(a_night("handbook", 3, documents=90))
    now[0] = KEPT_SECONDS - 0.1
    assert metrics.text() == first
    now[0] = KEPT_SECONDS
    assert value(read(metrics.text()), "rag_docs", "handbook") == 90


def test_behind_a_state_root_that_hangs_scrapes_do_not_pile_up(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scraping, "WAITS_SECONDS", 0.05)
    application.manifests.save(newest := a_night("handbook", 3))
    path = record(application, newest)
    data = path.read_bytes()
    path.unlink()
    os.mkfifo(path)  # a read waits until somebody writes
    metrics = Metrics(lambda: application)
    answers: list[bytes] = []
    hanging = threading.Thread(target=lambda: answers.append(metrics.text()))
    hanging.start()
    try:
        while not metrics._reading.locked():
            pass
        began = time.monotonic()
        with pytest.raises(StoreUnavailable, match="earlier scrape"):
            metrics.text()
        assert time.monotonic() - began < 5
    finally:
        pipe = path.rename(path.with_name("pipe"))
        path.write_bytes(data)
        pipe.write_bytes(data)
        hanging.join(10)
    assert value(read(answers[0]), "truecopy_sources") == 2


# --- where it is served


def test_airflow_serves_it_to_those_who_may_read_and_to_nobody_else(application: Application) -> None:
    with TestClient(served(with_every_gauge(application, "handbook"), FakeAccess())) as client:
        assert client.get("/truecopy/metrics").status_code == 401
        assert client.get("/truecopy/metrics", headers={"x-user": "nobody"}).status_code == 403
        answer = client.get("/truecopy/metrics", headers={"x-user": "viewer"})
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert value(read(answer.content), "rag_docs", "handbook") == 120
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            assert client.request(method, "/truecopy/metrics", headers={"x-user": "editor"}).status_code == 405


def test_wrong_settings_are_a_failed_scrape_and_not_an_empty_one() -> None:
    def wrong() -> Application:
        raise ConfigError("sources.handbook.kind: no such connector")

    with pytest.raises(ConfigError):
        Metrics(wrong).text()


KEY = "a-key-of-the-scraper-0000"


@contextmanager
def api(application: Application) -> Iterator[TestClient]:
    app = create_app(Answers(application), Keyring(lambda: f"prometheus:{KEY}"))
    assert not isinstance(app, FastAPI), "it is guarded"
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def test_the_api_serves_the_same_behind_a_key_and_counts_what_it_was_asked(application: Application) -> None:
    application.manifests.save(a_night("handbook", 3))
    with api(application) as client:
        for path in ("/metrics", "/no/such/address", "/documents/secret-source/secret-page"):
            assert client.get(path).status_code == 401
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {KEY}"})
    series = read(answer.content)
    assert value(series, "rag_docs", "handbook") == 120
    requests = "truecopy_api_requests_total"
    assert value(series, requests, route="metrics", status="401") == 1
    assert value(series, requests, route="documents", status="401") == 1
    assert value(series, requests, route="other", status="401") == 1
    assert value(series, requests, route="retrieve", status="503") == 0, "there from the start, or no increase is seen"
    assert value(series, "truecopy_api_seconds_count", route="documents") == 1
    for said in (b"secret-", KEY.encode()):
        assert said not in answer.content


# --- names


def test_two_gauges_of_one_name_have_two_names_where_there_are_no_tags() -> None:
    one = Gauge("rag.date_trust_share", 0.5, "help-center", "", (("field", "created_at"), ("trust", "high")))
    assert plain_name(one) == "rag.date_trust_share.help_center.created_at.high"
    assert plain_name(Gauge("rag.docs", 1, "docs.example.com/ä")) == "rag.docs.docs_example_com__"
    assert plain_name(Gauge("truecopy.sources", 2, "")) == "truecopy.sources"


def test_a_label_is_told_as_it_is_whatever_stands_in_it() -> None:
    strange = 'docs.example.com/ä "quoted" \\ and\nbroken'
    told = read(exposition([Gauge("rag.docs", 7, strange, "two\nlines"), Gauge("rag.docs", 8, "plain")]))
    assert value(told, "rag_docs", strange) == 7
    assert value(told, "rag_docs", "plain") == 8


def test_of_two_numbers_for_one_series_the_later_counts_and_prometheus_refuses_nothing() -> None:
    told = read(exposition([Gauge("rag.docs", 7, "a"), Gauge("rag.docs", 8, "a")]))
    assert value(told, "rag_docs", "a") == 8
