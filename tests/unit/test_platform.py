"""What starts truecopy elsewhere (compose, make, CI, the lock) agrees with the repository, without starting it."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from include.api.keys import Keyring, read_keys
from scripts import make_env

PROJECT = Path(__file__).resolve().parents[2]
COMPOSE_TEXT = (PROJECT / "docker-compose.yaml").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load(COMPOSE_TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if service.get("image", "").startswith("truecopy-airflow")]
AIRFLOW = [name for name in OURS if name != "api"]
VARIABLE = re.compile(r"(?<!\$)\$\{(?P<name>[A-Z_]+)(?P<rest>[^}]*)\}")
SECRET = re.compile(r"PASSWORD|SECRET|API_KEY|FERNET|AUTH$")


def declared() -> dict[str, str]:
    lines = (PROJECT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def strings(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for value in node.values():
            yield from strings(value)
    elif isinstance(node, list):
        for value in node:
            yield from strings(value)
    elif isinstance(node, str):
        yield node


# --- docker-compose.yaml


def test_every_variable_of_the_compose_file_is_declared_and_every_declared_one_is_used() -> None:
    assert {match["name"] for match in VARIABLE.finditer(COMPOSE_TEXT)} == set(declared())


def test_a_variable_that_is_handed_to_airflow_for_our_settings_is_read_there() -> None:
    for name in SERVICES["worker"]["environment"]:
        if not name.startswith(("AIRFLOW_", "TRUECOPY_", "PYTHON")):
            assert f"${{{name}" in (PROJECT / "config" / "truecopy.yaml").read_text(), f"nothing reads {name}"


def test_a_missing_secret_stops_compose_instead_of_becoming_empty() -> None:
    for match in VARIABLE.finditer(COMPOSE_TEXT):
        if SECRET.search(match["name"]):
            assert match["rest"].startswith(":?"), match.group()


def test_no_secret_is_written_down() -> None:
    for name, value in declared().items():
        assert bool(SECRET.search(name)) == (not value), f"{name}: secrets are empty here, everything else is not"
    for service in [*SERVICES.values(), COMPOSE["x-airflow"]]:
        for name, value in service.get("environment", {}).items():
            if SECRET.search(name):
                assert VARIABLE.match(value), f"{name} must come from .env"
    for text in strings(COMPOSE):
        for url in re.findall(r"\S+://\S+", text):
            password = urlsplit(url.split("+")[-1]).password
            assert password is None or VARIABLE.search(url), url


def test_every_mounted_path_is_in_the_repository() -> None:
    mounted = [volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])]
    folders = {path for path in mounted if path.startswith(".")}
    assert {"./dags", "./plugins", "./include", "./config"} <= folders
    assert [path for path in folders if not (PROJECT / path).exists()] == []
    assert {path for path in mounted if not path.startswith(".")} == set(COMPOSE["volumes"])


def test_code_is_mounted_read_only_and_importable_in_every_airflow_service() -> None:
    assert set(AIRFLOW) == {"airflow-init", "api-server", "scheduler", "dag-processor", "triggerer", "worker"}
    for name in AIRFLOW:
        assert "./include:/opt/airflow/include:ro" in SERVICES[name]["volumes"]
        assert SERVICES[name]["environment"]["PYTHONPATH"] == "/opt/airflow"
        assert {"state:/opt/airflow/state", "ledger:/opt/airflow/ledger"} <= set(SERVICES[name]["volumes"])


def test_every_service_that_is_waited_for_or_spoken_to_exists() -> None:
    for service in SERVICES.values():
        assert set(service.get("depends_on", {})) <= set(SERVICES)
    hosts = {
        host
        for text in strings(COMPOSE)
        for url in re.findall(r"[a-z0-9+]+://\S+", VARIABLE.sub("value", text))
        if (host := urlsplit(url).hostname) and host != "127.0.0.1"
    }
    assert hosts, "no URL was found"
    assert hosts <= set(SERVICES)
    environment = SERVICES["worker"]["environment"]
    assert environment["AIRFLOW__METRICS__STATSD_HOST"] in SERVICES


def test_a_service_is_waited_for_until_it_is_healthy() -> None:
    for name, service in SERVICES.items():
        for dependency, wait in service.get("depends_on", {}).items():
            once = dependency == "airflow-init"
            assert wait["condition"] == ("service_completed_successfully" if once else "service_healthy"), name


def test_every_service_that_keeps_running_has_a_health_check_and_comes_back() -> None:
    for name, service in SERVICES.items():
        if name == "airflow-init":
            assert service["healthcheck"] == {"disable": True}
        else:
            assert service["healthcheck"]["test"], name
            assert service["restart"] == "unless-stopped", name


def test_only_what_people_look_at_is_published_and_only_on_this_machine_by_default() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {
        "api-server": ["${UI_ADDRESS:-127.0.0.1}:${UI_PORT:-8080}:8080"],
        "api": ["${API_ADDRESS:-127.0.0.1}:${API_PORT:-8090}:8090"],
        "prometheus": ["${MONITORING_ADDRESS:-127.0.0.1}:${PROMETHEUS_PORT:-9090}:9090"],
        "alertmanager": ["${MONITORING_ADDRESS:-127.0.0.1}:${ALERTMANAGER_PORT:-9093}:9093"],
        "grafana": ["${MONITORING_ADDRESS:-127.0.0.1}:${GRAFANA_PORT:-3000}:3000"],
    }
    addresses = {value for name, value in declared().items() if name.endswith("_ADDRESS")}
    assert addresses == {"127.0.0.1"}


def test_what_watches_is_started_only_where_it_is_asked_for_and_nothing_else_waits_for_it() -> None:
    watching = {name for name, service in SERVICES.items() if "monitoring" in service.get("profiles", [])}
    assert watching == {"prometheus", "alertmanager", "grafana"}
    for name in SERVICES.keys() - watching:
        assert not watching & set(SERVICES[name].get("depends_on", {})), name


def test_prometheus_reads_the_api_with_a_key_that_the_api_knows_by_its_name() -> None:
    given = SERVICES["api"]["environment"]["TRUECOPY_API_KEYS"]
    made = {name: make() for name, make in make_env.MAKE.items()}
    keyring = Keyring(lambda: VARIABLE.sub(lambda match: made[match["name"]], given))
    assert keyring.holder(made["TRUECOPY_METRICS_API_KEY"]) == "prometheus"
    assert len(keyring) == 2
    config = yaml.safe_load((PROJECT / "monitoring" / "prometheus.yaml").read_text())
    (ours,) = [job for job in config["scrape_configs"] if job["job_name"] == "truecopy"]
    file = ours["authorization"]["credentials_file"]
    service = SERVICES["prometheus"]
    assert f'"$$TRUECOPY_METRICS_API_KEY" > {file}' in service["entrypoint"][-1]
    assert [mounted.partition(":")[0] for mounted in service["tmpfs"]] == [os.path.dirname(file)]  # noqa: PTH120
    targets = [
        target for job in config["scrape_configs"] for each in job["static_configs"] for target in each["targets"]
    ]
    assert {target.partition(":")[0] for target in targets} <= set(SERVICES)


def test_the_api_has_the_same_index_and_state_and_none_of_airflow_s_secrets() -> None:
    given, worker = SERVICES["api"]["environment"], SERVICES["worker"]["environment"]
    shared = given.keys() - {"TRUECOPY_API_KEYS"}
    assert {name: given[name] for name in shared} == {name: worker[name] for name in shared}
    assert {name for name in given if name.startswith("AIRFLOW")} == {"AIRFLOW_CONN_QDRANT"}
    volumes = set(SERVICES["api"]["volumes"])
    assert (
        {"./include:/opt/airflow/include:ro", "state:/opt/airflow/state"}
        <= volumes
        <= set(SERVICES["worker"]["volumes"])
    )


def test_the_keys_that_make_env_makes_are_keys() -> None:
    assert list(read_keys(make_env.MAKE["TRUECOPY_API_KEYS"]()).values()) == ["assistant"]


def test_all_images_are_pinned() -> None:
    for name, service in SERVICES.items():
        assert re.search(r":v?\d+\.\d+|:\d+-bookworm$", service["image"]), name
    first = next(line for line in (PROJECT / "Dockerfile").read_text().splitlines() if line.startswith("FROM"))
    assert first == "FROM python:3.11-slim-bookworm"


def test_the_image_has_the_command_and_the_build_is_given_what_it_copies() -> None:
    image = (PROJECT / "Dockerfile").read_text()
    given = {line[1:] for line in (PROJECT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {name for line in re.findall(r"^COPY (.+) \S+$", image, re.MULTILINE) for name in line.split()}
    assert copied == given
    installed = re.search(r"uv pip install \S+ \S+ --no-deps (\S+)", image)
    assert installed
    (names,) = re.findall(rf"^COPY (.+) {installed[1]}/$", image, re.MULTILINE)
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    needed = {"pyproject.toml", project["project"]["readme"], *strings(project["tool"]["setuptools"]["dynamic"])}
    assert needed == set(names.split())
    assert project["project"]["scripts"] == {"truecopy": "include.cli:app"}
    assert "exec scheduler truecopy" in (PROJECT / "README.md").read_text()


def test_the_keys_that_all_services_must_share_are_the_same_in_each() -> None:
    shared = ("AIRFLOW__API_AUTH__JWT_SECRET", "AIRFLOW__CORE__FERNET_KEY", "AIRFLOW__API__SECRET_KEY")
    for key in shared:
        assert len({SERVICES[name]["environment"][key] for name in AIRFLOW}) == 1, key


def test_make_env_fills_every_secret_and_never_overwrites(tmp_path: Path) -> None:
    shutil.copy(PROJECT / ".env.example", tmp_path)
    assert make_env.main(tmp_path) == 0
    written = tmp_path / ".env"
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    values = dict(line.split("=", 1) for line in written.read_text().splitlines() if line and not line.startswith("#"))
    assert set(values) == set(declared())
    assert all(values.values())
    assert len(values["AIRFLOW_JWT_SECRET"]) >= 64
    for name in ("POSTGRES_PASSWORD", "REDIS_PASSWORD"):
        assert re.fullmatch(r"[0-9a-f]{48}", values[name]), f"{name} must fit into a URL"
    before = written.read_text()
    assert make_env.main(tmp_path) == 1
    assert written.read_text() == before


def test_docker_compose_accepts_the_file(tmp_path: Path) -> None:
    docker = shutil.which("docker")
    if not docker or subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode:
        pytest.skip("docker compose is not installed")
    shutil.copy(PROJECT / ".env.example", tmp_path)
    make_env.main(tmp_path)
    profiles = ["--profile", "cluster", "--profile", "monitoring"]
    command = [docker, "compose", "--env-file", str(tmp_path / ".env"), *profiles, "config", "--quiet"]
    answer = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr


# --- the lock


def locked() -> dict[str, Requirement]:
    lines = (PROJECT / "requirements.txt").read_text().splitlines()
    rows = [Requirement(line) for line in lines if line.strip() and not line.lstrip().startswith("#")]
    return {canonicalize_name(row.name): row for row in rows}


def test_every_line_of_the_lock_is_pinned_and_names_no_address() -> None:
    for name, requirement in locked().items():
        assert re.fullmatch(r"==[^,*]+", str(requirement.specifier)), name
    assert "://" not in (PROJECT / "requirements.txt").read_text()


def test_the_lock_has_what_was_asked_for() -> None:
    lines = (PROJECT / "requirements.in").read_text().splitlines()
    wanted = [Requirement(text) for line in lines if (text := line.partition("#")[0].strip())]
    assert len(wanted) > 30
    pins = locked()
    for requirement in wanted:
        (pin,) = pins[canonicalize_name(requirement.name)].specifier
        assert requirement.specifier.contains(pin.version), f"{requirement} against {pin}; run `make lock`"


USED_BY = {"python-multipart": "fastapi"}
"""Libraries that another one imports for us when it is there: for a form, in this case."""


def test_every_library_that_is_asked_for_is_used() -> None:
    sections = (PROJECT / "requirements.in").read_text().split("# --- ")
    ours = [part for part in sections if part.startswith(("index", "text and embedding", "sources"))]
    assert len(ours) == 3
    code = "\n".join(path.read_text(encoding="utf-8") for path in (PROJECT / "include").rglob("*.py"))
    distributed = packages_distributions()
    for text in [text for part in ours for line in part.splitlines()[1:] if (text := line.partition("#")[0].strip())]:
        name = canonicalize_name(Requirement(text).name)
        modules = [module for module, owners in distributed.items() if name in map(canonicalize_name, owners)]
        if USED_BY.get(name):
            modules = [USED_BY[name]]
        used = rf"^\s*(?:import|from) (?:{'|'.join(modules)})\b|[\"'](?:{'|'.join(modules)})[\"']"
        assert modules, name
        assert re.search(used, code, re.MULTILINE), f"{name} is asked for and nothing imports it"


def test_the_project_takes_its_dependencies_from_the_lock_and_supports_the_pythons_that_ci_tests() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    assert project["tool"]["setuptools"]["dynamic"]["dependencies"] == {"file": ["requirements.txt"]}
    assert project["project"]["requires-python"] == ">=3.11,<3.14"
    workflow = yaml.safe_load((PROJECT / ".github/workflows/ci.yml").read_text())
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]


def test_uv_is_the_same_on_the_machine_and_in_the_image() -> None:
    found = {
        name: re.search(r"uv(?:_VERSION := |==)([\d.]+)", (PROJECT / name).read_text(), re.IGNORECASE)
        for name in ("Makefile", "Dockerfile")
    }
    assert len({match and match[1] for match in found.values()}) == 1, found


# --- make and CI


def make(*arguments: str, folder: Path = PROJECT) -> subprocess.CompletedProcess[str]:
    program = shutil.which("make")
    if not program:
        pytest.skip("make is not installed")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = [program, "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_make_alone_lists_every_target() -> None:
    listed = set(re.findall(r"^  make (\S+)", make().stdout, re.MULTILINE))
    phony = re.search(r"^\.PHONY: (.*)$", (PROJECT / "Makefile").read_text(), re.MULTILINE)
    assert phony
    assert listed | {"help"} == set(phony[1].split())
    wanted = {"setup", "test", "test-slow", "test-distributed", "lint", "demo", "up", "down", "replay", "bench", "lock"}
    assert wanted <= listed


def test_make_says_what_is_missing_when_there_is_no_fitting_python(tmp_path: Path) -> None:
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(PROJECT / name, tmp_path)
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("sh", "make", "awk"):
        (tools / tool).symlink_to(shutil.which(tool) or pytest.skip(f"{tool} is not installed"))
    program = str(tools / "make")
    answer = subprocess.run(
        [program, "setup"], cwd=tmp_path, env={"PATH": str(tools)}, capture_output=True, text=True, check=False
    )
    assert answer.returncode != 0
    assert "truecopy needs Python 3.11, 3.12 or 3.13" in answer.stderr
    assert not (tmp_path / ".venv").exists()


def test_cleaning_keeps_the_index_and_the_ledger() -> None:
    commands = [line for line in make("--dry-run", "clean").stdout.splitlines() if line.startswith(("rm", "find"))]
    assert commands
    assert not any(re.search(r"\bstate\b|\.git\b|ledger", line) for line in commands), commands


def test_ci_runs_what_the_readme_says() -> None:
    script = PROJECT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    run = set(re.findall(r"^\s*run_tests \S+ ([a-z-]+)", script.read_text(), re.MULTILINE))
    assert run == {"test", "test-adapters", "test-browser"}
    steps = yaml.safe_load((PROJECT / ".github/workflows/ci.yml").read_text())["jobs"]["test"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]
    assert {"make lint", "make test", "make test-adapters", "make test-browser"} <= set(commands)


def test_hooks_download_nothing() -> None:
    hooks = yaml.safe_load((PROJECT / ".pre-commit-config.yaml").read_text())
    assert [repo["repo"] for repo in hooks["repos"]] == ["local"]


def test_the_pool_that_the_dags_name_is_made_where_they_run() -> None:
    from scripts.airflow_local import POOL

    named = {
        pool
        for path in (PROJECT / "dags").glob("*.py")
        for pool in re.findall(r'"pool": "([^"]+)"', path.read_text(encoding="utf-8"))
    }
    assert named == {POOL}
    assert f"airflow pools set {POOL} " in (PROJECT / "docker-compose.yaml").read_text(encoding="utf-8")
