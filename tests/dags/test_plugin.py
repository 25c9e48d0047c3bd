"""The plugin with settings that cannot be used: 503, one line of why, and everything served once they are mended."""

from __future__ import annotations

import importlib.util
import logging
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import yaml
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.dags.conftest import PROJECT


@pytest.fixture
def plugin(airflow_database: None) -> ModuleType:
    spec = importlib.util.spec_from_file_location("truecopy_plugin_of_tests", PROJECT / "plugins/truecopy_plugin.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_flood_against_broken_settings_is_not_a_flood_of_log_lines_and_ends_when_they_are_mended(
    plugin: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings = tmp_path / "truecopy.yaml"
    monkeypatch.setenv("TRUECOPY_CONFIG", str(settings))
    webhook = {"scheme": "github", "conn_id": "hook", "pasword": "hunter2-hunter2"}
    good = {"sources": {"site": {"kind": "git_markdown"}}, "state": str(tmp_path / "state")}
    settings.write_text(yaml.safe_dump({**good, "sources": {"site": {"kind": "git_markdown", "webhook": webhook}}}))
    monkeypatch.setattr(plugin, "TRIED_AGAIN_AFTER_SECONDS", 1.0)
    app = FastAPI()
    app.mount(plugin.PREFIX, plugin.Truecopy())
    app.get("/airflow")(lambda: "goes on")
    with TestClient(app, raise_server_exceptions=False) as client, caplog.at_level(logging.DEBUG):
        answers = {client.post("/truecopy/hooks/site").status_code for _ in range(50)}
        assert answers == {503}
        told = [record for record in caplog.records if "cannot be served" in record.message]
        assert len(told) == 1
        assert "pasword" in caplog.text, "the line says which key is wrong"
        assert "hunter2" not in caplog.text
        assert client.get("/truecopy/").status_code == 401, "why it is broken is for those who may read"
        assert client.get("/airflow").json() == "goes on"
        settings.write_text(yaml.safe_dump(good))
        time.sleep(1.0)
        assert client.post("/truecopy/hooks/site").status_code == 404
        assert client.get("/truecopy/events").status_code == 401


def test_code_that_cannot_be_loaded_is_said_without_details_and_airflow_goes_on(
    plugin: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "include.ops_view.view", None)  # as if it had a syntax error
    for name in ("include.ops_view.served", "include.ops_view.trouble"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    app = FastAPI()
    app.mount(plugin.PREFIX, plugin.Truecopy())
    app.get("/airflow")(lambda: "goes on")
    with TestClient(app, raise_server_exceptions=False) as client:
        answer = client.get("/truecopy/")
        assert (answer.status_code, answer.content) == (503, plugin.BROKEN)
        assert client.get("/airflow").json() == "goes on"


def test_tasks_of_ours_lead_to_their_run_in_the_ops_view_and_others_have_no_such_button(plugin: ModuleType) -> None:
    (link,) = plugin.TruecopyPlugin.global_operator_extra_links
    key = SimpleNamespace(dag_id="reconcile_index", run_id="scheduled__2026-01-01T00:00:00+00:00")
    ours = SimpleNamespace(get_dag=lambda: SimpleNamespace(tags={"truecopy", "nightly"}))
    other = SimpleNamespace(get_dag=lambda: SimpleNamespace(tags={"sales"}))
    run = "reconcile_index/scheduled__2026-01-01T00%3A00%3A00%2B00%3A00"
    assert link.get_link(ours, ti_key=key) == f"/plugin/truecopy/truecopy/runs/{run}"
    assert link.get_link(other, ti_key=key) is None


def test_the_entry_in_the_menu_is_short_and_below_the_prefix_of_the_app(plugin: ModuleType) -> None:
    (view,) = plugin.TruecopyPlugin.external_views
    (served,) = plugin.TruecopyPlugin.fastapi_apps
    assert served["url_prefix"] == "/truecopy", "an empty prefix would take over Airflow's own pages"
    assert view["href"] == f"{served['url_prefix']}/"
    assert len(view["name"]) <= 11
