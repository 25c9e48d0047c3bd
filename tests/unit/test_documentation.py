"""Every setting, gauge, alarm, DAG, command and make target is documented; every link and named path exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from include.cli import app
from include.connectors.git_options import GitMarkdownOptions
from include.connectors.http_options import HttpJsonOptions
from include.settings import Settings
from include.telemetry.alerts import ALERTS
from include.telemetry.gauges import GAUGES

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
    containers = {"store", "embedding", "limits"}
    missing = [
        key
        for key in _keys(Settings)
        if key not in containers and not key.startswith("sources.*.limits.") and f"`{key}`" not in page
    ]
    assert missing == []


def test_every_connector_option_is_documented() -> None:
    page = _read("docs/CONFIGURATION.md")
    git, http = page.split("## `git_markdown`")[1].split("## `http_json`")
    assert [name for name in GitMarkdownOptions.model_fields if f"`{name}`" not in git] == []
    assert [name for name in HttpJsonOptions.model_fields if f"`{name}`" not in http] == []


def test_every_gauge_and_alarm_is_documented_and_nothing_else_is() -> None:
    page = _read("docs/OPERATIONS.md")
    assert [name for name in GAUGES if f"`{name}`" not in page] == []
    assert [name for name in ALERTS if f"`{name}`" not in page] == []
    assert set(re.findall(r"`(rag\.[a-z_.]+)`", page)) <= set(GAUGES)


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
