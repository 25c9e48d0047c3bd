"""Rules, their tests, the dashboard and the page about them agree with one another and with what is really told."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient

from include.api.answers import Answers
from include.api.app import create_app
from include.domain.manifest import RunState
from include.records.manifests import FileManifests
from include.telemetry.alerts import ALERTS, STALE_AFTER, TOO_MANY_UNTRUE_NIGHTS
from include.telemetry.candidates import CANDIDATE_ALERTS
from include.telemetry.candidates import WAITING_TOO_LONG as CANDIDATES_WAIT
from include.telemetry.dispositions import DISPOSITION_ALERTS
from include.telemetry.families import AMBIGUOUS_TOO_LONG, FAMILY_ALERTS
from include.telemetry.reception import EVENT_ALERTS, FEW_REFUSALS
from include.telemetry.reception import WAITING_TOO_LONG as EVENTS_WAIT
from tests.builders import context_of, night
from tests.fakes.source import FakeSource
from tests.monitored import Series, a_held_night, installation, read, scraped, with_every_gauge
from tests.ops_pages import a_night

PROJECT = Path(__file__).resolve().parents[2]
MONITORING = PROJECT / "monitoring"
RULES: dict[str, dict[str, Any]] = {
    rule["alert"]: rule
    for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"]
    for rule in group["rules"]
}
CASES = [case for file in (MONITORING / "tests").glob("*.yaml") for case in yaml.safe_load(file.read_text())["tests"]]
DASHBOARD = json.loads((MONITORING / "grafana" / "dashboards" / "truecopy.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
QUERIES = [(panel["title"], target["expr"]) for panel in PANELS for target in panel["targets"]]
OURS = re.compile(r"\b(?:rag|truecopy)_[a-z0-9_]+")


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Series:
    """What the API tells after a real night, and a run of every other kind."""
    application = installation(tmp_path_factory.mktemp("monitored"), "handbook")
    with_every_gauge(application, "handbook")
    source = FakeSource("handbook")
    for number in range(12):
        source.put(f"page-{number}", f"page {number}")
    clock = application.clock
    night(context_of(source, manifests=FileManifests(application.state), clock=clock), "a-real-night")
    with TestClient(create_app(Answers(application), None), base_url="http://localhost") as client:
        client.get("/readyz")
        return read(client.get("/metrics").content)


# --- rules and panels ask for what is there


@pytest.mark.parametrize(
    ("where", "expr"),
    [*((name, rule["expr"]) for name, rule in RULES.items()), *QUERIES],
    ids=lambda each: str(each)[:40],
)
def test_every_number_that_is_asked_for_is_told(told: Series, where: str, expr: str) -> None:
    names = {name for name, _ in told} | {"rag_stale_answer_rate", "rag_latest_correct_rate", "rag_answer_hit_at_5"}
    asked = set(OURS.findall(expr))
    assert asked or "ALERTS" in expr, where
    assert asked <= names, where


def test_every_label_value_that_is_asked_for_is_one_that_is_told(told: Series) -> None:
    known = {pair for _, labels in told for pair in labels}
    for where, expr in [*((name, rule["expr"]) for name, rule in RULES.items()), *QUERIES]:
        for label, value in re.findall(r'(\w+)="([^"$]+)"', expr):
            if label != "alertstate":
                assert (label, value) in known, where


def test_the_list_of_sources_on_the_dashboard_is_one_of_a_gauge_that_every_source_has(told: Series) -> None:
    (variable,) = DASHBOARD["templating"]["list"]
    (asked,) = OURS.findall(variable["definition"])
    assert ("source", "handbook") in {pair for name, labels in told if name == asked for pair in labels}


def test_every_panel_says_what_it_shows_and_has_a_place_of_its_own() -> None:
    assert all(panel["title"] and panel["description"] for panel in PANELS)
    cells = [
        (panel["gridPos"]["x"] + x, panel["gridPos"]["y"] + y)
        for panel in DASHBOARD["panels"]
        for x in range(panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


# --- rules say what to do, and nothing is forgotten


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_every_rule_says_what_is_wrong_and_what_to_do(rule: dict[str, Any]) -> None:
    said = rule["annotations"]
    assert set(said) == {"summary", "description", "runbook"}
    assert rule["labels"]["severity"] in ("page", "ticket")
    page, _, anchor = said["runbook"].partition("#")
    text = (PROJECT / page).read_text(encoding="utf-8")
    anchors = [
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^## (.+)$", text, re.M)
    ]
    assert not anchor or anchor in anchors


def test_every_alarm_of_ours_has_a_rule_of_the_same_cause() -> None:
    ours = {*ALERTS, *FAMILY_ALERTS, *CANDIDATE_ALERTS, *DISPOSITION_ALERTS, *EVENT_ALERTS}
    assert {rule["labels"]["alarm"] for rule in RULES.values() if "alarm" in rule["labels"]} == ours


def test_thresholds_are_those_of_our_own_alarms() -> None:
    hours, minutes = STALE_AFTER // timedelta(hours=1), EVENTS_WAIT // timedelta(minutes=1)
    for name in ("TruecopyNoNight", "TruecopyNotProven", "TruecopyProofTooOld"):
        assert RULES[name]["expr"].endswith(f" > {hours} * 3600")
    assert RULES["TruecopyNeverProven"]["for"] == f"{hours}h"
    assert RULES["TruecopyUntrueTwoNights"]["expr"].endswith(f" >= {TOO_MANY_UNTRUE_NIGHTS}")
    assert RULES["TruecopyFamiliesAmbiguous"]["expr"].endswith(f" > {AMBIGUOUS_TOO_LONG.days}")
    assert RULES["TruecopyReviewAgeing"]["expr"].endswith(f" > {CANDIDATES_WAIT.days}")
    assert RULES["TruecopyEventsWaiting"]["expr"].endswith(f" > {minutes} * 60")
    assert f"truecopy_events_refused > {FEW_REFUSALS} or" in RULES["TruecopyEventsRefused"]["expr"]


def test_the_page_has_every_rule_as_it_is() -> None:
    page = (PROJECT / "docs" / "MONITORING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| `(.+?)` \| ([\w ]+) \| .+ \|$", page, re.MULTILINE)
    assert {name: (severity, expr.replace("\\|", "|"), wait) for name, severity, expr, wait in rows} == {
        name: (rule["labels"]["severity"], one_line(rule["expr"]), rule.get("for", "at once"))
        for name, rule in RULES.items()
    }
    assert len(rows) == len(RULES)


# --- rules fire


def expected_to_fire(evaluation: dict[str, Any]) -> set[str]:
    samples = evaluation.get("exp_samples", ())
    return {name for sample in samples for name in re.findall(r'alertname="(\w+)"', sample["labels"])}


@pytest.mark.parametrize("name", RULES)
def test_every_rule_is_seen_to_fire_and_to_be_silent_on_its_own_numbers(name: str) -> None:
    numbers = set(OURS.findall(RULES[name]["expr"]))
    evaluations = [
        expected_to_fire(evaluation)
        for case in CASES
        if any(each["series"].partition("{")[0] in numbers for each in case["input_series"])
        for evaluation in case["promql_expr_test"]
    ]
    assert any(name in fires for fires in evaluations)
    assert any(name not in fires for fires in evaluations)


def promtool(*arguments: str) -> str:
    program = shutil.which("promtool")
    if not program:
        pytest.skip("promtool is not installed; Debian and Ubuntu: apt install prometheus")
    done = subprocess.run(
        [program, *arguments], cwd=MONITORING, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_promtool_finds_nothing_wrong_with_configuration_and_rules() -> None:
    promtool("check", "config", "--syntax-only", "prometheus.yaml")
    assert f"{len(RULES)} rules found" in promtool("check", "rules", "alerts.yaml")


def test_the_rules_fire_as_their_tests_say() -> None:
    assert "SUCCESS" in promtool("test", "rules", *(str(path) for path in (MONITORING / "tests").glob("*.yaml")))


def test_the_rules_ring_for_what_real_records_tell(tmp_path: Path) -> None:
    """From manifests on disk, through the scrape and Prometheus' own engine, to the names of the alarms."""
    application = installation(tmp_path, "held", "failing", "unproven", "well", "new", "damaged")
    manifests = application.manifests
    for hours in (3, 27, 51):
        manifests.save(a_held_night("held", hours, since=51))
    manifests.save(a_night("failing", 3 + 24))
    manifests.save(a_night("failing", 3, run_id="broken", reason="disk full", state=RunState.FAILED, proof=None))
    manifests.save(a_night("unproven", 30))
    manifests.save(a_night("unproven", 6, run_id="blind", state=RunState.UNPROVEN, proof=None, remaining=None))
    manifests.save(a_night("well", 3))
    manifests.save(a_night("damaged", 27))
    manifests.save(a_night("damaged", 3, run_id="spoilt"))
    (Path(str(application.state)) / "manifests/reconcile_index/spoilt/damaged/manifest.json").write_text("{")
    series = [
        {
            "series": f"{name}{{{','.join(f'{label}={json.dumps(text)}' for label, text in labels)}}}",
            "values": f"{value}+0x324",
        }
        for (name, labels), value in scraped(application).items()
    ]
    expected = {
        ("TruecopyPlanHeld", "held"),
        ("TruecopyPlanHeldTooLong", "held"),
        ("TruecopyNeverProven", "held"),
        ("TruecopyNightFailed", "failing"),
        ("TruecopyNotProven", "failing"),
        ("TruecopyProofTooOld", "failing"),
        ("TruecopyListingFails", "unproven"),
        ("TruecopyNotProven", "unproven"),
        ("TruecopyProofTooOld", "unproven"),
        ("TruecopyNeverProven", "new"),
        ("TruecopyManifestsUnreadable", "damaged"),
        ("TruecopyNotProven", "damaged"),
        ("TruecopyProofTooOld", "damaged"),
    }
    samples = [{"labels": f'{{alertname="{name}", source="{source}"}}', "value": 1} for name, source in expected]
    query = 'count by (alertname, source) (ALERTS{alertstate="firing"})'
    case = {
        "interval": "5m",
        "input_series": series,
        "promql_expr_test": [{"expr": query, "eval_time": "27h", "exp_samples": samples}],
    }
    file = tmp_path / "case.yaml"
    rules = {"rule_files": [str(MONITORING / "alerts.yaml")], "evaluation_interval": "30m", "tests": [case]}
    file.write_text(yaml.safe_dump(rules))
    promtool("test", "rules", str(file))
