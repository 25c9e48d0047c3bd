"""Every setting, gauge, alarm, DAG, command and make target is documented; every link and named path exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from include.cli import app
from include.connectors.registry import KINDS
from include.domain.events import Reason
from include.embedding.registry import FastembedOptions, HttpOptions, StaticOptions
from include.settings import Settings
from include.telemetry.alerts import ALERTS
from include.telemetry.candidates import CANDIDATE_ALERTS, CANDIDATE_GAUGES
from include.telemetry.dispositions import DISPOSITION_ALERTS, DISPOSITION_GAUGES
from include.telemetry.erasures import ERASURE_ALERTS
from include.telemetry.evaluation import EVALUATION_GAUGES
from include.telemetry.families import FAMILY_ALERTS, FAMILY_GAUGES
from include.telemetry.gauges import GAUGES, HISTORY_GAUGES
from include.telemetry.reception import EVENT_ALERTS, EVENT_GAUGES
from include.telemetry.scraping import SCRAPE_GAUGES

PROJECT = Path(__file__).resolve().parents[2]
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]


def _read(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def _keys(model: type[BaseModel], prefix: str = "") -> list[str]:
    """Dotted names of all settings below a model; a mapping or list of models contributes `*`."""
    keys = []
    for name, field in model.model_fields.items():
        path = f"{prefix}{name}"
        keys.append(path)
        models = [each for each in _models(field.annotation) if issubclass(each, BaseModel)]
        inner = ".*." if _is_collection(field.annotation) else "."
        for each in models:
            keys += _keys(each, f"{path}{inner}")
    return keys


def _models(annotation: object) -> list[type]:
    arguments = getattr(annotation, "__args__", ())
    found = [annotation] if isinstance(annotation, type) else []
    return found + [each for argument in arguments for each in _models(argument) if each is not type(None)]


def _is_collection(annotation: object) -> bool:
    return getattr(annotation, "__origin__", None) in (dict, tuple, list)


def test_every_setting_is_documented_with_its_key() -> None:
    page = _read("docs/CONFIGURATION.md")
    containers = {
        "store",
        "embedding",
        "limits",
        "ranking",
        "staleness",
        "ranking.words",
        "api",
        "evaluation",
        "families",
        "review",
        "sources.*.purge",
        "api.query_log",
    }
    missing = [
        key
        for key in _keys(Settings)
        if key not in containers and not key.startswith("sources.*.limits.") and f"`{key}`" not in page
    ]
    assert missing == []


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_connector_option_is_documented(kind: str) -> None:
    section = _read("docs/CONFIGURATION.md").split(f"\n## `{kind}`\n")[1].split("\n## ")[0]
    assert [name for name in KINDS[kind].options.model_fields if f"`{name}`" not in section] == []


def test_every_option_of_an_embedder_is_documented() -> None:
    (row,) = [line for line in _read("docs/CONFIGURATION.md").splitlines() if line.startswith("| `embedding.options`")]
    for options in (StaticOptions, FastembedOptions, HttpOptions):
        assert [name for name in options.model_fields if f"`{name}`" not in row] == [], options.__name__


def test_every_variable_of_the_environment_is_documented() -> None:
    named = set(re.findall(r"TRUECOPY_[A-Z]+", _read("include/settings/loading.py") + _read("config/truecopy.yaml")))
    assert {name for name in named if f"`{name}`" not in _read("docs/CONFIGURATION.md")} == set()


def test_what_operations_quotes_is_what_the_code_says() -> None:
    quoted = re.findall(r'\*"([^"]+)"\*', _read("docs/OPERATIONS.md"))
    code = "\n".join(path.read_text(encoding="utf-8") for path in (PROJECT / "include").rglob("*.py"))
    said = re.sub(r'"\s*\n\s*f?"', "", re.sub(r'""".*?"""', "", code, flags=re.DOTALL))
    assert quoted
    assert [text for text in quoted if text not in said] == []


def test_every_section_of_operations_that_the_code_names_exists() -> None:
    sections = re.findall(r"^## (.+)$", _read("docs/OPERATIONS.md"), re.MULTILINE)
    named = [
        name
        for path in [*(PROJECT / "include").rglob("*.py"), *(PROJECT / "dags").glob("*.py")]
        for name in re.findall(r"docs/OPERATIONS\.md, ([A-Z][^\".]+)\"", path.read_text(encoding="utf-8"))
    ]
    assert named
    assert [name for name in named if name not in sections] == []


def test_the_address_of_a_preset_is_the_same_wherever_it_is_shown() -> None:
    preset = re.search(r"base_url \((\S+)\)", _read("config/presets/zendesk_guide.yaml"))
    assert preset
    for page in ("README.md", "config/truecopy.yaml"):
        shown = re.search(r"zendesk_guide.*?base_url: \"?([^\"\s}]+)", _read(page), re.DOTALL)
        assert shown, page
        assert shown[1] == preset[1], page


def test_every_gauge_and_alarm_is_documented_and_nothing_else_is() -> None:
    page = _read("docs/OPERATIONS.md")
    of_sources = {*GAUGES, *HISTORY_GAUGES, *EVENT_GAUGES, *FAMILY_GAUGES, *CANDIDATE_GAUGES, *DISPOSITION_GAUGES}
    gauges = {*of_sources, *EVALUATION_GAUGES, *SCRAPE_GAUGES}
    assert [name for name in sorted(gauges) if f"`{name}`" not in page] == []
    alarms = (*ALERTS, *EVENT_ALERTS, *FAMILY_ALERTS, *CANDIDATE_ALERTS, *DISPOSITION_ALERTS, *ERASURE_ALERTS)
    assert [name for name in alarms if f"`{name}`" not in page] == []
    assert set(re.findall(r"`((?:rag|truecopy)\.[a-z0-9_.]+)`", page)) <= gauges


def test_every_reason_of_a_refusal_is_documented() -> None:
    page = _read("docs/OPERATIONS.md")
    assert [reason for reason in Reason if f"`{reason.value}`" not in page and reason is not Reason.ACCEPTED] == []


def test_every_dag_is_documented() -> None:
    page = _read("docs/OPERATIONS.md")
    assert [path.stem for path in (PROJECT / "dags").glob("*.py") if f"`{path.stem}`" not in page] == []


def test_every_command_is_documented_and_has_a_help_text() -> None:
    page = _read("docs/OPERATIONS.md")
    for command in app.registered_commands:
        assert command.callback is not None
        name = command.name or command.callback.__name__
        assert f"`truecopy {name}`" in page, name
        assert command.callback.__doc__, name


def test_every_exit_code_is_documented() -> None:
    from include.cli import EXIT

    text = " ".join(_read("README.md").split())
    for code in sorted({*EXIT.values(), 2}):
        assert re.search(rf"\b{code} [a-z]", text), code


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_make_target_and_test_that_the_readme_names_exists() -> None:
    readme, makefile = _read("README.md"), _read("Makefile")
    for target in re.findall(r"`make ([a-z-]+)", readme) + re.findall(r"^make ([a-z-]+)", readme, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for path in re.findall(r"tests/[a-z_/]+(?:\.py)?", readme):
        assert (PROJECT / path).exists(), path


def test_every_word_of_the_glossary_is_explained_once() -> None:
    words = re.findall(r"^\| ([a-z][^|]*?) \|", _read("docs/GLOSSARY.md"), re.MULTILINE)
    assert len(words) == len(set(words))
    assert len(words) > 30
