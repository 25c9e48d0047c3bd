"""OPS-SURFACE, metrics and alarms: who may read them, silence that rings, numbers that are counted."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from fastapi import FastAPI, HTTPException
from fastapi.testclient import TestClient

from include.domain.errors import ConfigError
from include.domain.manifest import RunState
from include.records.manifests import FileManifests
from include.settings import Settings
from include.wiring.application import Application
from include.wiring.metrics import Metrics, metrics_router
from include.wiring.web import open_routes
from tests.builders import context_of, night
from tests.fakes.clock import FakeClock
from tests.fakes.index import FakeIndexStore
from tests.fakes.source import FakeSource
from tests.monitored import installation, read, scraped, value
from tests.ops_pages import ROLES, FakeAccess, a_night, served

RULES = yaml.safe_load((Path(__file__).parents[2] / "monitoring" / "alerts.yaml").read_text())


def rule(name: str) -> dict[str, Any]:
    (found,) = [each for group in RULES["groups"] for each in group["rules"] if each["alert"] == name]
    return found


def test_op01_metrics_are_read_by_those_who_may_read_and_by_nobody_else_with_any_method(tmp_path: Path) -> None:
    with TestClient(served(installation(tmp_path, "handbook"), FakeAccess()), raise_server_exceptions=False) as client:
        for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            for user in (None, *ROLES):
                headers = {"x-user": user} if user else {}
                status = client.request(method, "/truecopy/metrics", headers=headers).status_code
                reads = method == "GET" and user is not None and "read" in ROLES[user]
                assert (status == 200) == reads, (method, user, status)


def test_op01_a_guard_that_fails_serves_nothing(tmp_path: Path) -> None:
    """As when Airflow's own check raises: closed, not open."""

    def guard() -> None:
        raise HTTPException(401)

    router = metrics_router(Metrics(lambda: installation(tmp_path, "handbook")), guard)
    assert open_routes(router.routes, guard) == set()
    assert open_routes(router.routes, lambda: None) == {"/metrics"}


def test_op07_an_id_that_is_no_metric_name_is_refused_and_never_becomes_half_a_name() -> None:
    for name in ("docs.example.com", "ä", "docs example", 'x"} 1', "a\nb"):
        with pytest.raises(ValueError, match="sources"):
            Settings.model_validate({"sources": {name: {"kind": "git_markdown"}}})


def test_op07_two_sources_never_share_a_name_where_there_are_no_tags() -> None:
    with pytest.raises(ValueError, match="would share one metric name"):
        Settings.model_validate(
            {"sources": {name: {"kind": "git_markdown"} for name in ("help-center", "help_center")}}
        )


def test_op09_three_days_without_a_night_show_without_any_run_or_statsd(tmp_path: Path) -> None:
    application = installation(tmp_path, "handbook")
    application.manifests.save(a_night("handbook", 1))
    limit = timedelta(hours=26).total_seconds()
    assert value(scraped(application), "rag_last_success_age_seconds", "handbook") < limit
    application.clock.turn(days=3)  # type: ignore[attr-defined]
    series = scraped(application)
    assert value(series, "rag_last_success_age_seconds", "handbook") > limit
    assert value(series, "truecopy_scrape_failed", "handbook") == 0, "nothing is broken, so nothing else would ring"
    assert rule("TruecopyNotProven")["expr"] == "rag_last_success_age_seconds > 26 * 3600"


def test_op09_rules_ring_for_series_that_are_missing_and_not_only_for_bad_ones(tmp_path: Path) -> None:
    """A comparison with nothing is never true: a source without a good night, and a scrape without an answer."""
    never = scraped(installation(tmp_path, "handbook"))
    assert not [name for name, _ in never if name == "rag_last_success_age_seconds"]
    assert value(never, "truecopy_scrape_failed", "handbook") == 0
    assert "unless on (source) rag_last_success_age_seconds" in rule("TruecopyNeverProven")["expr"]
    assert rule("TruecopySilent")["expr"] == "absent(truecopy_sources)"


def test_op11_numbers_are_exact_counts_of_the_index_also_after_somebody_took_points_out(tmp_path: Path) -> None:
    application = installation(tmp_path, "handbook")
    source, store = FakeSource("handbook"), FakeIndexStore()
    for number in range(30):
        source.put(f"page-{number}", f"page {number}\nits second line")
    context = context_of(
        source, store=store, manifests=FileManifests(application.state), clock=FakeClock(application.clock.now())
    )
    assert night(context, "fill").state is RunState.TRUE
    with store.reading() as index:
        points = index.count_points("handbook")
    series = scraped(application)
    assert value(series, "rag_chunks", "handbook") == points == 60
    assert value(series, "rag_docs", "handbook") == 30
    assert value(series, "rag_stale_docs_remaining", "handbook") == 0


def test_op13_settings_that_are_wrong_are_a_scrape_that_fails_and_never_an_empty_one() -> None:
    def broken() -> Application:
        raise ConfigError("sources.handbook.kind: no such connector")

    app = FastAPI()
    app.include_router(metrics_router(Metrics(broken), lambda: None))
    with TestClient(app, raise_server_exceptions=False) as client:
        assert client.get("/metrics").status_code >= 500, "Prometheus takes this for down, and `absent` rings"


def test_op13_the_answer_is_read_by_prometheus_own_parser(tmp_path: Path) -> None:
    with TestClient(served(installation(tmp_path, "handbook"), FakeAccess())) as client:
        assert read(client.get("/truecopy/metrics", headers={"x-user": "viewer"}).content)
