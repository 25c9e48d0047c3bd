"""The plugin with settings that cannot be used: 503, one line of why, and everything served once they are mended."""

from __future__ import annotations

import importlib.util
import logging
import time
from pathlib import Path
from types import ModuleType

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
        assert client.get("/airflow").json() == "goes on"
        settings.write_text(yaml.safe_dump(good))
        time.sleep(1.0)
        assert client.post("/truecopy/hooks/site").status_code == 404
        assert client.get("/truecopy/events").status_code == 401
