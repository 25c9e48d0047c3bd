"""DAGs on a real scheduler: a person's answer, a forged one, a refreshed plan, answers measured, gauges on the wire."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from include.domain.manifest import RunState
from include.services.resolve_canonical import RESOLVE
from include.wiring.evaluation import EVALUATE
from include.wiring.runs import APPLY_HELD, INGEST, RECONCILE
from scripts.metrics_token import main as metrics_token
from tests.dags.live import Installation, installation
from tests.monitored import read, value

pytestmark = pytest.mark.airflow

PAGES = {f"page-{number:02}.md": f"# Page {number}\n\nThe number is {number * 37}.\n" for number in range(20)}

QUESTIONS = """
name: live
questions:
  - id: page-12
    question: what is the number of page 12
    intent: plain
    expected: [handbook:page-12.md]
    expected_text: ["444"]
    sources: [handbook]
  - id: prices
    question: the latest price list for repairs
    intent: latest
    expected: [handbook:prices-new.md]
    forbidden: [handbook:prices-old.md]
"""


def price_list(day: str, price: int) -> str:
    return f"---\ntitle: Price list\ndate: {day}\n---\n\nRepairs are charged by the hour, tax included: {price}.\n"


class StatsdListener:
    """Receives what Airflow sends over UDP."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.lines: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            self.lines += self._socket.recv(65536).decode().splitlines()

    def values(self, name: str) -> list[float]:
        prefix = f"airflow.{name}:"
        return [float(line[len(prefix) :].partition("|")[0]) for line in list(self.lines) if line.startswith(prefix)]


@pytest.fixture(scope="module")
def statsd() -> StatsdListener:
    return StatsdListener()


@pytest.fixture(scope="module")
def living(tmp_path_factory: pytest.TempPathFactory, statsd: StatsdListener) -> Iterator[Installation]:
    metrics = {
        "AIRFLOW__METRICS__STATSD_ON": "True",
        "AIRFLOW__METRICS__STATSD_HOST": "127.0.0.1",
        "AIRFLOW__METRICS__STATSD_PORT": str(statsd.port),
        "AIRFLOW__SCHEDULER__USE_JOB_SCHEDULE": "False",
    }
    folder: Path = tmp_path_factory.mktemp("live")
    with installation(folder, ("handbook", "guide"), metrics) as running:
        for repository in running.repositories.values():
            repository.commit(PAGES)
        client = running.client()
        for dag_id in (INGEST, RECONCILE, RESOLVE, APPLY_HELD):
            client.wait_for_dag(dag_id)
        yield running


def _documents(living: Installation, source: str) -> int:
    with living.application.store.reading() as index:
        return len({chunk.doc_id for chunk in index.scan(source)})


def test_a_first_ingest_and_a_night_make_the_index_true(living: Installation, statsd: StatsdListener) -> None:
    assert living.run(INGEST)[1] == "success"
    run_id, state = living.run(RECONCILE)
    assert state == "success"
    states = living.client().task_states(RECONCILE, run_id)
    assert (states["ask"], states["judge"]) == ("skipped", "success"), (
        "no plan is held: nothing is asked, all is judged"
    )
    assert _documents(living, "handbook") == len(PAGES)
    assert statsd.values("rag.docs.handbook")[-1] == len(PAGES)
    assert statsd.values("rag.orphan_docs.remaining.guide")[-1] == 0
    assert statsd.values("rag.embedded_over_minimum.handbook")[-1] == 1


def test_prometheus_reads_the_same_numbers_with_a_token_that_the_script_fetched(
    living: Installation, statsd: StatsdListener, tmp_path: Path
) -> None:
    address, token = f"{living.airflow.url}/truecopy/metrics", tmp_path / "token"
    assert requests.get(address, timeout=30).status_code == 401
    account = {"AIRFLOW_METRICS_USER": "viewer", "AIRFLOW_METRICS_PASSWORD": living.airflow.password("viewer")}
    assert metrics_token([living.airflow.url, str(token)], account) == 0
    answer = requests.get(address, headers={"Authorization": f"Bearer {token.read_text()}"}, timeout=30)
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4"), answer.text
    series = read(answer.content)
    assert value(series, "rag_docs", "handbook") == statsd.values("rag.docs.handbook")[-1]
    assert value(series, "rag_night_failed", "handbook") == statsd.values("rag.night_failed.handbook")[-1] == 0
    shares = "rag.date_trust_share.handbook.created_at.high"
    assert value(series, "rag_date_trust_share", "handbook", field="created_at", trust="high") == pytest.approx(
        statsd.values(shares)[-1]
    )


def test_a_person_is_asked_once_about_the_newest_plan_and_the_nights_go_on(
    living: Installation, statsd: StatsdListener
) -> None:
    client, handbook = living.client(), living.repositories["handbook"]
    handbook.commit(remove=["page-01.md", "page-02.md", "page-03.md"])
    assert living.run(RECONCILE)[1] == "failed"
    first = living.application.ledger.held("handbook")
    assert first is not None
    client.wait_for_question(APPLY_HELD, f"held__handbook__{first.checksum}")
    assert statsd.values("rag.deletions_held.handbook")[-1] == 3

    # Unanswered, the next night still runs: it lets the new page in, and asks about the new list instead of the old.
    handbook.commit({"new.md": "# New\n\nA new page.\n"}, remove=["page-04.md"])
    assert living.run(RECONCILE)[1] == "failed"
    assert _documents(living, "handbook") == len(PAGES) + 1
    second = living.application.ledger.held("handbook")
    assert second is not None
    assert second.checksum != first.checksum
    client.wait_for_question(APPLY_HELD, f"held__handbook__{second.checksum}")
    assert client.wait(APPLY_HELD, f"held__handbook__{first.checksum}") == "success"
    asked = [question["task_instance"]["dag_run_id"] for question in client.questions()]
    assert asked == [f"held__handbook__{second.checksum}"], "one open question, the newest"

    # A third night with the same plan asks nothing new.
    assert living.run(RECONCILE)[1] == "failed"
    assert [question["task_instance"]["dag_run_id"] for question in client.questions()] == asked


def test_an_editor_who_marks_the_question_as_answered_deletes_nothing(living: Installation) -> None:
    plan = living.application.ledger.held("handbook")
    assert plan is not None
    run_id = f"held__handbook__{plan.checksum}"
    living.client("editor").set_task_state(APPLY_HELD, run_id, "approve", "success")
    assert living.client().wait(APPLY_HELD, run_id) == "failed"
    assert _documents(living, "handbook") == len(PAGES) + 1
    assert living.application.ledger.find_release("handbook", plan.checksum) is None


def test_a_persons_answer_applies_exactly_the_plan_that_was_shown(living: Installation) -> None:
    client, application = living.client(), living.application
    plan = application.ledger.held("handbook")
    assert plan is not None
    run_id = f"held__handbook__{plan.checksum}"
    assert application.ledger.open_requests("handbook") == {}, "the forged answer closed the question"
    assert living.run(RECONCILE)[1] == "failed"
    client.answer(APPLY_HELD, run_id, "approve", "Approve", inputs={"reason": "the pages were merged"})
    assert client.wait(APPLY_HELD, run_id) == "success"
    assert _documents(living, "handbook") == len(PAGES) - 3
    release = application.ledger.find_release("handbook", plan.checksum)
    assert release is not None
    assert (release.approved_by, release.reason) == ("admin", "the pages were merged")
    assert release.used_by_run.startswith(run_id)
    assert living.run(RECONCILE)[1] == "success"
    assert application.manifests.latest("handbook", dag_id=RECONCILE)[0].state is RunState.TRUE


@pytest.mark.slow
def test_a_rejected_plan_stays_held_and_is_not_asked_about_again(living: Installation) -> None:
    client, application = living.client(), living.application
    living.repositories["guide"].commit(remove=["page-01.md", "page-02.md", "page-03.md"])
    assert living.run(RECONCILE)[1] == "failed"
    plan = application.ledger.held("guide")
    assert plan is not None
    run_id = f"held__guide__{plan.checksum}"
    client.answer(APPLY_HELD, run_id, "approve", "Reject", inputs={"reason": "the editor made a mistake"})
    assert client.wait(APPLY_HELD, run_id) == "success"
    assert living.run(RECONCILE)[1] == "failed"
    assert client.questions() == []
    held = application.ledger.held("guide")
    assert held is not None
    assert (held.rejected_by, held.rejected_why) == ("admin", "the editor made a mistake")
    assert _documents(living, "guide") == len(PAGES)


def test_answers_are_measured_and_one_that_is_outdated_turns_the_run_red(
    living: Installation, statsd: StatsdListener
) -> None:
    client, handbook = living.client(), living.repositories["handbook"]
    client.wait_for_dag(EVALUATE)
    handbook.commit({"prices-old.md": price_list("2024-01-10", 40), "prices-new.md": price_list("2026-01-10", 44)})
    assert living.run(INGEST)[1] == "success"
    settings, questions = Path(living.environment["TRUECOPY_CONFIG"]), handbook.folder.parent / "questions.yaml"
    questions.write_text(QUESTIONS, encoding="utf-8")
    settings.write_text(f"{settings.read_text()}evaluation: {{questions: [{questions}]}}\n", encoding="utf-8")
    run_id, state = living.run(EVALUATE)
    kept = living.application.state.read(client.xcom(EVALUATE, run_id, "evaluate")).decode()
    assert state == "success"
    assert statsd.values("rag.answer_hit_at_1.live") == [1.0], kept
    assert statsd.values("rag.stale_answer_rate.live") == [0.0]

    # The new list gets the date of a list from before, by mistake: now the old one is the latest.
    handbook.commit({"prices-new.md": price_list("2020-01-10", 44)})
    assert living.run(INGEST)[1] == "success"
    run_id, state = living.run(EVALUATE)
    assert state == "failed"
    states = client.task_states(EVALUATE, run_id)
    assert (states["evaluate"], states["judge"]) == ("success", "failed")
    assert statsd.values("rag.stale_answer_rate.live") == [0.0, 0.5]
    assert statsd.values("rag.evaluation_red.live")[-1] >= 1
    assert "prices-old.md" in living.application.state.read(client.xcom(EVALUATE, run_id, "evaluate")).decode()
