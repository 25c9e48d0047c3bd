"""Settings from a file and the environment; every mistake is a sentence with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import yaml
from pydantic import ValidationError

from include.domain.errors import ConfigError
from include.domain.redaction import shown_value
from include.settings.installation import Settings

_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")


def load_settings(path: Path, environment: Mapping[str, str]) -> Settings:
    """Read and validate a settings file.

    `TRUECOPY_STATE`, `TRUECOPY_LEDGER` and `TRUECOPY_CACHE` of the environment win over the file; relative folders
    are taken from the current directory. Raises ConfigError.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); set TRUECOPY_CONFIG to your settings") from error
    try:
        raw = yaml.safe_load(_filled_in(text, path, environment))
    except yaml.YAMLError as error:
        # Without the excerpt of the file that belongs to the message: the line may hold a credential.
        at = getattr(error, "problem_mark", None)
        line = f" in line {at.line + 1}, column {at.column + 1}" if at else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
        raise ConfigError(f"{path}: not valid YAML{line}: {problem}") from None
    if not isinstance(raw, dict):
        raise ConfigError(f"{path}: expected a mapping with a `sources` key, found {type(raw).__name__}")
    for key in ("state", "ledger", "cache"):
        if environment.get(variable := f"TRUECOPY_{key.upper()}"):
            raw[key] = environment[variable]
    try:
        return Settings.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(explain(error, str(path))) from None  # its own text repeats every input


def explain(error: ValidationError, place: str) -> str:
    """A validation error as sentences: place, key, value unless it may be a secret, what is allowed."""
    lines = []
    for each in error.errors(include_url=False):
        key = ".".join(str(part) for part in each["loc"]) or "(top level)"
        # Where no value belongs, a credential that lost its way is as likely as anything.
        hidden = each["type"] in ("missing", "extra_forbidden")
        value = None if hidden else shown_value(key, each["input"])
        lines.append(f"{place}: {key}{f' = {value}' if value else ''}: {each['msg']}")
    return "\n".join(lines)


def _filled_in(text: str, path: Path, environment: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        found = environment.get(match["name"]) or match["default"]
        if found is None:
            raise ConfigError(
                f"{path}: ${{{match['name']}}} is not set in the environment and has no default; "
                f"set it, or write ${{{match['name']}:-value}}"
            )
        return found

    # Comments may mention variables that nobody sets.
    return "\n".join(
        line if line.lstrip().startswith("#") else _VARIABLE.sub(value, line) for line in text.splitlines()
    )
