"""Typed YAML files in the ledger's repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from include.domain.errors import ConfigError
from include.records.repository import MACHINE, Repository

# The C versions read and write the same text ten times faster, where PyYAML was built with them.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class YamlRecords:
    """Records below `folder`. The repository is created on first use."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._repository = Repository(folder)

    def _read(self, adapter: TypeAdapter[Any], path: str) -> Any | None:
        """None where there is no such file. Raises ConfigError for one that was spoilt by hand."""
        file = self._folder / path
        try:
            text = file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise _spoilt(file, error) from error
        try:
            return adapter.validate_python(yaml.load(text, Loader=_LOADER))
        except (ValidationError, yaml.YAMLError) as error:
            raise _spoilt(file, error) from error

    def _write(self, path: str, record: Any) -> None:
        """Not committed yet."""
        text = yaml.dump(record, Dumper=_DUMPER, sort_keys=False, allow_unicode=True)
        self._repository.write(path, text)

    def _commit(self, path: str, record: Any, message: str, author: str = MACHINE) -> None:
        self._write(path, record)
        self._repository.commit([path], message, author)


def _spoilt(file: Path, error: Exception) -> ConfigError:
    return ConfigError(
        f"ledger file {file} cannot be read: {error}. It was edited by hand; mend it or `git revert` the change",
        path=str(file),
    )
