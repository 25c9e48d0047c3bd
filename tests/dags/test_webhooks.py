"""Webhooks on a real Airflow: from a signed POST to the index, and everything that must not get that far."""

from __future__ import annotations

import json
import signal
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests
from standardwebhooks.webhooks import Webhook

from include.domain.events import Event
from include.domain.manifest import DocumentState
from include.wiring.hooks import FOLLOW
from include.wiring.runs import RECONCILE
from scripts.airflow_local import COMPONENTS
from tests.dags.live import Installation, installation

pytestmark = [pytest.mark.airflow, pytest.mark.slow]

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
PAGES = {f"page-{number:02}.md": f"# Page {number}\n\nThe number is {number * 37}.\n" for number in range(20)}
BRIEF = 2.0
"""Seconds within which the machine of a test may answer; alone it takes milliseconds."""


class Sender:
    """The source's side: signs, sends, and says how it was answered and how fast."""

    def __init__(self, url: str, source: str, secret: str = SECRET) -> None:
        self.address = f"{url}/truecopy/hooks/{source}"
        self.secret = secret
        self.seconds: list[float] = []
        self._sent = 0

    def signed(self, *doc_ids: str, at: datetime | None = None) -> tuple[str, dict[str, str]]:
        self._sent += 1
        moment, identity = at or datetime.now(UTC), f"msg_{time.time_ns()}_{self._sent}"
        body = json.dumps({"type": "page.published", "data": {"id": list(doc_ids)}})
        return body, {
            "webhook-id": identity,
            "webhook-timestamp": str(int(moment.timestamp())),
            "webhook-signature": Webhook(self.secret).sign(identity, moment, body),
        }

    def post(self, body: str, headers: dict[str, str]) -> int:
        began = time.perf_counter()
        status = requests.post(self.address, data=body, headers=headers, timeout=30, allow_redirects=False).status_code
        self.seconds.append(time.perf_counter() - began)
        return status

    def tell(self, *doc_ids: str) -> int:
        return self.post(*self.signed(*doc_ids))


@pytest.fixture(scope="module")
def living(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """`handbook` has its secret in the environment, `guide` in a connection of Airflow's own."""
    hooks = {
        "handbook": {"scheme": "standard", "conn_id": "handbook_hook", "coalesce_seconds": 2, "settle_seconds": 20},
        "guide": {"scheme": "standard", "conn_id": "guide_hook", "coalesce_seconds": 2, "settle_seconds": 20},
    }
    extra = {
        "AIRFLOW_CONN_HANDBOOK_HOOK": json.dumps({"conn_type": "http", "password": SECRET}),
        "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "True",  # what runs on a schedule here is follow_events alone
    }
    folder: Path = tmp_path_factory.mktemp("webhooks")
    with installation(folder, ("handbook", "guide"), extra, hooks) as running:
        client = running.client()
        for repository in running.repositories.values():
            repository.commit(PAGES)
        for dag_id in (FOLLOW, RECONCILE):
            client.wait_for_dag(dag_id)
            client.unpause(dag_id)
        assert running.run(RECONCILE)[1] == "success"
        yield running


@pytest.fixture
def sender(living: Installation) -> Sender:
    return Sender(living.airflow.url, "handbook")


def text_of(living: Installation, doc_id: str, source: str = "handbook") -> str:
    with living.application.store.reading() as index:
        return "\n".join(str(chunk.text) for chunk in index.scan(source) if chunk.doc_id == doc_id)


def wait_until(true: Callable[[], bool], timeout: float = 60) -> float:
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < timeout, f"not within {timeout:.0f} s"
        time.sleep(1)
    return time.monotonic() - began


def events(living: Installation, source: str = "handbook", account: str = "viewer") -> dict[str, object]:
    """What /truecopy/events says after its counts were written down."""
    time.sleep(11)
    login = {"username": account, "password": living.airflow.password(account)}
    token = requests.post(f"{living.airflow.url}/auth/token", json=login, timeout=30).json()["access_token"]
    headers = {"Authorization": f"Bearer {token}"}
    return dict(requests.get(f"{living.airflow.url}/truecopy/events", headers=headers, timeout=30).json()[source])


@pytest.mark.sample
def test_a_signed_event_is_in_the_index_within_a_minute(living: Installation, sender: Sender) -> None:
    living.repositories["handbook"].commit({"page-01.md": "# Page 1\n\nChanged, and an event says so.\n"})
    assert sender.tell("page-01.md") == 204
    took = wait_until(lambda: "an event says so" in text_of(living, "page-01.md"))
    print(f"{took:.0f} s from the event to the index")


@pytest.mark.sample
def test_a_removal_by_event_passes_the_same_gate(living: Installation, sender: Sender) -> None:
    living.repositories["handbook"].commit(remove=["page-02.md"])
    assert sender.tell("page-02.md") == 204
    wait_until(lambda: text_of(living, "page-02.md") == "")

    living.repositories["handbook"].commit(remove=["page-03.md", "page-04.md", "page-05.md"])
    for name in ("page-03.md", "page-04.md", "page-05.md"):
        assert sender.tell(name) == 204
    manifests = living.application.manifests

    def held() -> bool:
        (latest,) = manifests.latest("handbook", dag_id=FOLLOW)
        return latest.count(DocumentState.HELD) == 3

    wait_until(held)
    assert text_of(living, "page-03.md"), "three of nineteen are over the limit"
    living.repositories["handbook"].commit({name: PAGES[name] for name in ("page-03.md", "page-04.md", "page-05.md")})


@pytest.mark.sample
def test_what_is_forged_stale_replayed_oversized_or_unsigned_changes_nothing_and_is_counted(
    living: Installation, sender: Sender
) -> None:
    before = events(living)
    inbox = living.application.inbox
    wait_until(lambda: not inbox.open("handbook"), timeout=90)
    body, headers = sender.signed("page-06.md")
    assert sender.post(body, {}) == 401
    assert sender.post(body.replace("06", "07"), headers) == 401
    assert Sender(living.airflow.url, "handbook", OTHER_SECRET).tell("page-06.md") == 401
    assert sender.post(*sender.signed("page-06.md", at=datetime.now(UTC) - timedelta(minutes=6))) == 401
    assert sender.post(*sender.signed("page-06.md", at=datetime.now(UTC) + timedelta(minutes=6))) == 401
    assert sender.post("x" * 1_048_577, headers) == 413
    assert Sender(living.airflow.url, "nobody").tell("page-06.md") == 404
    assert Sender(living.airflow.url, "guide").tell("page-06.md") == 401, "its connection does not exist yet"
    assert inbox.open("handbook") == []

    assert sender.post(body, headers) == 204
    assert sender.post(body, headers) == 204
    assert len(inbox.open("handbook")) <= 1
    after = events(living)
    assert after["accepted"] == before["accepted"] + 1  # type: ignore[operator]
    assert after["refused"] == {"forged": 2, "oversized": 1, "stale": 2, "unsigned": 1}
    assert events(living, "guide")["refused"] == {"no_secret": 1}


@pytest.mark.sample
def test_nothing_below_truecopy_is_open_but_the_door_and_airflow_goes_on_beside_it(living: Installation) -> None:
    url = living.airflow.url
    assert requests.get(f"{url}/truecopy/events", timeout=30).status_code == 401
    assert requests.get(f"{url}/truecopy/events", cookies={"_token": "forged"}, timeout=30).status_code in (401, 403)
    for path in ("", "/", "/hooks", "/hooks/", "/docs", "/openapi.json", "/hooks/handbook/"):
        answer = requests.post(f"{url}/truecopy{path}", timeout=30, allow_redirects=False)
        assert answer.status_code in (404, 405), path
    assert requests.get(f"{url}/", timeout=30).ok
    assert living.client().health()["metadatabase"]["status"] == "healthy"


@pytest.mark.sample
def test_a_secret_that_is_made_in_airflow_counts_without_a_restart(living: Installation) -> None:
    living.client()._call(
        "POST", "connections", {"connection_id": "guide_hook", "conn_type": "http", "password": OTHER_SECRET}
    )
    guide = Sender(living.airflow.url, "guide", OTHER_SECRET)
    wait_until(lambda: guide.tell("page-01.md") == 204, timeout=40)
    living.repositories["guide"].commit({"page-01.md": "# Page 1\n\nThe guide follows as well.\n"})
    assert guide.tell("page-01.md") == 204
    wait_until(lambda: "follows as well" in text_of(living, "page-01.md", "guide"), timeout=90)


def test_answers_are_fast_whatever_the_queue_holds(living: Installation, sender: Sender) -> None:
    inbox = living.application.inbox
    moment = datetime.now(UTC) + timedelta(seconds=-1)
    record = Event("handbook", "0" * 64, moment, ("page-08.md",))
    inbox.put(record, remembered_days=1)
    fresh = Path(str(living.application.state)) / "inbox/handbook/fresh"
    data = (fresh / f"{'0' * 64}.json").read_bytes()
    for number in range(1, 10_000):
        (fresh / f"{number:064}.json").write_bytes(data)
    sender.seconds.clear()
    for number in range(100):
        assert sender.tell(f"page-{number % 20:02}.md") == 204
    quantiles = statistics.quantiles(sender.seconds, n=100)
    print(f"median {quantiles[49] * 1000:.0f} ms, 99 % {quantiles[98] * 1000:.0f} ms with 10,000 events open")
    assert quantiles[94] < BRIEF
    wait_until(lambda: not inbox.open("handbook"), timeout=180)


@pytest.mark.sample
def test_an_event_survives_the_death_of_the_server_that_took_it(living: Installation, sender: Sender) -> None:
    airflow, client = living.airflow, living.client()
    wait_until(lambda: not living.application.inbox.open("handbook"), timeout=120)
    server, port = airflow.process("api-server"), int(airflow.url.rpartition(":")[2])
    living.repositories["handbook"].commit({"page-09.md": "# Page 9\n\nTold just before the server died.\n"})
    assert sender.tell("page-09.md") == 204
    server.signal(signal.SIGKILL)
    assert len(living.application.inbox.open("handbook")) == 1
    wait_until(lambda: not server.members())
    command = [sys.executable, "-m", "airflow", *COMPONENTS["api-server"], "--port", str(port)]
    server.spawn(command, airflow.environment(port), folder=airflow.folder)
    took = wait_until(lambda: "just before the server died" in text_of(living, "page-09.md"), timeout=150)
    runs = client._call("GET", f"dags/{FOLLOW}/dagRuns?limit=3&order_by=-run_after")["dag_runs"]
    print(f"{took:.0f} s after the server was started again, by {runs[0]['dag_run_id']}")
    assert runs[0]["dag_run_id"].startswith("scheduled__"), "no bell rang for it: the sweeper found it"
