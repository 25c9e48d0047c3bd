"""The worked example of docs/METADATA.md, command by command: each prints what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from include.cli import app
from include.domain.metadata import SETTABLE
from include.planning.choosing import choose
from tests.dags.live import Repository, use_settings

PAGE = (Path(__file__).parents[2] / "docs" / "METADATA.md").read_text(encoding="utf-8")
DECKS = {
    f"decks/{year}/{name}.md": f"# {name} {year}\n\n"
    + "".join(
        f"## Part {part}\n\n" + f"In {year} we sell thing {part} of the {name}. " * 10 + "\n\n" for part in (1, 2)
    )
    for year in (2023, 2024, 2025)
    for name in ("sales-deck", "intro")
}
PLACEHOLDERS = {"checksum": r"[0-9a-f]{16}", "run": r"cli__\S+"}


def commands() -> list[tuple[str, list[str]]]:
    """Each command of the page, and the lines that it says are printed."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line.removeprefix("$ "), []))
            else:
                found[-1][1].append(line)
    return found


def test_every_command_prints_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_settings(monkeypatch, tmp_path, ("decks",))
    monkeypatch.chdir(tmp_path)
    (table,) = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
    Path("dates.csv").write_text(table, encoding="utf-8")
    Repository(tmp_path / "decks").commit(DECKS)
    runner = CliRunner()
    assert runner.invoke(app, ["reconcile", "decks"]).exit_code == 0
    known: dict[str, str] = {}
    assert len(commands()) == 5
    for command, printed in commands():
        for name, value in known.items():
            command = command.replace(f"<{name}>", value)
        program, *arguments = shlex.split(command)
        assert program == "truecopy"
        result = runner.invoke(app, arguments, env={"COLUMNS": "500"})
        assert result.exit_code == 0, result.output
        shown = " ".join(result.output.split())
        for line in printed:
            found = re.search(_pattern(line), shown)
            assert found, f"{command} prints no line {line!r}:\n{result.output}"
            if "revert" not in arguments:
                known |= found.groupdict()


def _pattern(line: str) -> str:
    pattern = re.escape(line).replace(r"\ ", " ")
    for name, value in PLACEHOLDERS.items():
        pattern = pattern.replace(f"<{name}>", f"(?P<{name}>{value})")
    return pattern


def test_every_field_and_every_condition_is_on_the_page() -> None:
    assert [name for name in SETTABLE if f"`{name}`" not in PAGE] == []
    conditions = re.findall(
        r"`((?:doc_id|path|url|content_type|lang|doc_family|status|created_at)(?:=|<|>=)[^`]+)`", PAGE
    )
    assert len(conditions) > 10
    for condition in conditions:
        if condition not in ("status=archived", "status=superseded"):
            choose([condition])
