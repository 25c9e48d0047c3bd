"""Check an installation and say what to do. Every check runs, whatever the others found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Health(StrEnum):
    OK = "ok"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at. `advice` says what to do, empty when it is well."""

    subject: str
    health: Health
    finding: str
    advice: str = ""


Check = Callable[[], Iterable[Diagnosis]]


def diagnose(checks: Iterable[tuple[str, Check]]) -> Iterator[Diagnosis]:
    """Run named checks in order; one that raises is itself a finding."""
    for subject, check in checks:
        try:
            yield from check()
        except Exception as error:  # noqa: BLE001 (a broken installation breaks in any way it likes)
            advice = "Mend this first; later checks may depend on it"
            yield Diagnosis(subject, Health.BROKEN, str(error) or type(error).__name__, advice)
