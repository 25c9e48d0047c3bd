"""An Airflow with sources in every state that a person may find: true, held, failing. All by real runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from include.domain.errors import SourceUnavailable
from include.domain.plan import HeldPlan
from include.wiring.runs import APPLY_HELD, RECONCILE, Run, reconcile_source
from tests.dags.live import Installation, installation
from tests.ops_library import candidate, queued

SOURCES = ("handbook", "guide", "news")
CANDIDATES = {f"page-{10 + number}.md": 0.95 - number / 20 for number in range(6)}
"""Of handbook, the surest first: what waits in its review queue."""

HOSTILE = "<img src=x onerror=\"document.title='owned'\"> & <b>bold</b>"


@dataclass(frozen=True, slots=True)
class Site:
    """`held` waits in guide, `run_id` is the night in which Airflow found it."""

    running: Installation
    run_id: str
    held: HeldPlan

    @property
    def url(self) -> str:
        return self.running.airflow.url

    def password(self, account: str) -> str:
        return self.running.airflow.password(account)


def pages(number: int) -> dict[str, str]:
    made = {
        f"page-{each:02}.md": f"---\ntitle: Page {each}\ndate: 2025-0{1 + each % 9}-10\n---\n\n"
        f"# Page {each}\n\nRefunds of kind {each} take {each + 3} days.\n\n## When\n\nFrom the day of the request.\n"
        for each in range(number)
    }
    made["hostile.md"] = f"---\ntitle: '{HOSTILE.replace(chr(39), chr(39) * 2)}'\n---\n\n# Hostile\n\n{HOSTILE}\n"
    return made


@contextmanager
def living_site(folder: Path) -> Iterator[Site]:
    """`handbook` is true, a page of it was replaced; `guide` holds the removal of four pages; `news` cannot be read."""
    # What the schedule would start meanwhile would compete for the machine, and find other things on other days.
    quiet = {"AIRFLOW__SCHEDULER__USE_JOB_SCHEDULE": "False"}
    with installation(folder, SOURCES, quiet) as running:
        application, repositories = running.application, running.repositories
        for source in ("handbook", "guide"):
            repositories[source].commit(pages(20))
            reconcile_source(application, source, Run(RECONCILE, "cli__first"))
        changed = pages(20)["page-03.md"].replace("take 6 days", "take 14 days")
        repositories["handbook"].commit({"page-03.md": changed})
        reconcile_source(application, "handbook", Run(RECONCILE, "cli__second"))
        queued(application, *(candidate(name, score, replacement="page-19.md") for name, score in CANDIDATES.items()))
        with suppress(SourceUnavailable):
            reconcile_source(application, "news", Run(RECONCILE, "cli__first"))
        repositories["guide"].commit(remove=["page-01.md", "page-02.md", "page-03.md", "hostile.md"])
        client = running.client()
        for dag_id in (RECONCILE, APPLY_HELD):
            client.wait_for_dag(dag_id)
        run_id, _ = running.run(RECONCILE, {"source": "guide"})
        held = application.ledger.held("guide")
        assert held is not None
        client.wait_for_question(APPLY_HELD, f"held__guide__{held.checksum}")
        yield Site(running, run_id, held)
