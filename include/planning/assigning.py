"""What a person wants documents to say: `field=value` from a command line, a row of a table, an entry of a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from include.domain.documents import Status
from include.domain.errors import ConfigError
from include.domain.metadata import SETTABLE, Patch, Shape, value_of


def assigned(sets: Sequence[str], unset: Sequence[str]) -> Patch:
    """One patch of `field=value` and names of fields whose mark or override goes. A list is given in JSON, or as one
    `field=id` for each. Raises ConfigError with everything that is wrong."""
    said: dict[str, list[str]] = {}
    problems = []
    for each in sets:
        name, sign, value = each.partition("=")
        if sign:
            said.setdefault(name.strip(), []).append(value)
        else:
            problems.append(f"{each!r} is no field=value")
    fields: dict[str, object] = dict.fromkeys(unset)
    for name, values in said.items():
        if name in fields:
            problems.append(f"{name} is both set and unset")
        if len(values) > 1 and SETTABLE.get(name) is not Shape.WORDS:
            problems.append(f"{name} is set {len(values)} times; one value is allowed")
        fields[name] = values if len(values) > 1 else values[0]
    if problems:
        raise ConfigError("; ".join(problems))
    if not fields:
        raise ConfigError(f"nothing is set or unset; fields are {', '.join(SETTABLE)}")
    return typed(fields)


def typed(fields: Mapping[str, object]) -> Patch:
    """Fields as a person wrote them, in the spelling of `value_of`; None takes a mark or an override away. Raises
    ConfigError with everything that is wrong."""
    patch: dict[str, object] = {}
    problems = []
    for name, said in fields.items():
        try:
            if said is None and name in SETTABLE:
                patch[name] = None
            else:
                patch[name] = value_of(name, _listed(name, said))
            if patch[name] == Status.STAGED:
                problems.append(f"{name} is {said!r}; allowed is {Shape.STATUS.allowed}")
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise ConfigError("; ".join(problems))
    return patch


def _listed(name: str, said: object) -> object:
    """A list that was typed as one, in JSON."""
    if SETTABLE.get(name) is Shape.WORDS and isinstance(said, str) and said.lstrip().startswith("["):
        try:
            return json.loads(said)
        except ValueError:
            raise ValueError(f"{name} is {said!r}; allowed is {Shape.WORDS.allowed}") from None
    return said
