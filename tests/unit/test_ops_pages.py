"""The ops view without a browser: who may see and decide what, nothing becomes markup, numbers are those of the
manifest, and whatever is broken is said."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from include.cli import app as command_line
from include.domain.errors import ConfigError
from include.domain.inventory import Proof
from include.domain.manifest import DocumentOutcome, DocumentState, Findings, RunState
from include.ops_view.guard import POLICY
from include.ops_view.pages import PAGES
from include.ops_view.served import ops_view
from include.ops_view.trouble import apologising
from include.wiring.application import Application
from include.wiring.runs import APPLY_HELD
from tests.ops_pages import FakeAccess, a_held_plan, a_night, application_in, served

MARKUP = "<script>alert('x')</script>\"'><img src=x onerror=alert(1)>"
SAME = {"sec-fetch-site": "same-origin"}


@pytest.fixture
def application(tmp_path: Path) -> Application:
    return application_in(tmp_path, "handbook", "guide")


@pytest.fixture
def access() -> FakeAccess:
    return FakeAccess()


@pytest.fixture
def client(application: Application, access: FakeAccess) -> Iterator[TestClient]:
    with TestClient(served(application, access), follow_redirects=False, raise_server_exceptions=False) as client:
        client.headers["accept"] = "text/html"
        yield client


def text_of(client: TestClient, path: str, user: str = "viewer", status: int = 200) -> str:
    answer = client.get(f"/truecopy{path}", headers={"x-user": user})
    assert answer.status_code == status, answer.text[:500]
    return answer.text


def card_of(page: str, source: str) -> str:
    """The part of the overview about one source."""
    (card,) = [each for each in page.split("<article")[1:] if f'/sources/{source}"' in each]
    return card


def facts_in(part: str) -> dict[str, str]:
    found = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", part)
    return {unescape(name): value for name, value in found}


class Tags(HTMLParser):
    """Collects what the content security policy would refuse, and what leads away from this server."""

    def __init__(self) -> None:
        super().__init__()
        self.forbidden: list[tuple[str, str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("style", "img", "iframe", "object") or (tag == "script" and "src" not in dict(attrs)):
            self.forbidden.append((tag, "", None))
        for name, value in attrs:
            leads_away = name in ("href", "src", "action", "formaction", "hx-get") and not (value or "").startswith(
                ("/", "#")
            )
            if name == "style" or name.startswith("on") or name == "target" or leads_away:
                self.forbidden.append((tag, name, value))


def forbidden_in(page: str) -> list[tuple[str, str, str | None]]:
    tags = Tags()
    tags.feed(page)
    return tags.forbidden


def every_route(application: Application, access: FakeAccess) -> list[tuple[str, str]]:
    """(method, path) of all pages, with a run and a plan that exist."""
    _, router = ops_view(access, lambda: application)
    filled = {"source": "guide", "checksum": "c", "dag_id": "reconcile_index", "run_id": "r", "version": "v"}
    filled["name:path"] = "ops.css"
    found = []
    for route in router.routes:
        assert isinstance(route, APIRoute), f"{route} has no login"
        path = re.sub(r"{(.*?)}", lambda match: filled.get(match[1], "x"), route.path)
        found += [(method, path) for method in route.methods]
    return found


def test_nothing_is_shown_to_strangers_nor_to_users_without_a_right_to_it(
    application: Application, access: FakeAccess, client: TestClient
) -> None:
    routes = every_route(application, access)
    assert len(routes) >= 12
    for method, path in routes:
        assert client.request(method, f"/truecopy{path}", headers=SAME).status_code == 401, path
        answer = client.request(method, f"/truecopy{path}", headers={"x-user": "nobody", **SAME})
        assert answer.status_code == 403, path


def test_a_viewer_changes_nothing_whatever_the_route(
    application: Application, access: FakeAccess, client: TestClient
) -> None:
    posts = [path for method, path in every_route(application, access) if method == "POST"]
    assert posts
    for path in posts:
        answer = client.post(f"/truecopy{path}", headers={"x-user": "viewer", **SAME}, data={"reason": "because"})
        assert answer.status_code == 403, path
    assert access.started == []


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site", "origin": "http://testserver"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
        {"origin": "http://evil.test"},
        {"origin": "http://testserver:9999"},
        {"origin": "null"},
        {},
        {"authorization": "Bearer of-somebody", "sec-fetch-site": "cross-site"},
    ],
)
def test_what_another_site_sends_is_refused(
    application: Application, access: FakeAccess, client: TestClient, headers: dict[str, str]
) -> None:
    plan = application.ledger.hold(a_held_plan("guide"))
    for path in (path for method, path in every_route(application, access) if method == "POST"):
        target = f"/truecopy{path}".replace("/c/", f"/{plan.checksum}/")
        answer = client.post(target, headers={"x-user": "editor", **headers}, data={"reason": "because"})
        assert answer.status_code == 403, path
    assert application.ledger.find_release("guide", plan.checksum) is None
    assert access.started == []


def test_an_old_browser_may_send_the_origin_instead(
    application: Application, access: FakeAccess, client: TestClient
) -> None:
    plan = application.ledger.hold(a_held_plan("guide"))
    headers = {"x-user": "editor", "origin": "http://testserver"}
    answer = client.post(f"/truecopy/held/guide/{plan.checksum}/approve", headers=headers, data={"reason": "merged"})
    assert answer.status_code == 303


def test_no_text_of_a_source_becomes_markup_and_no_page_needs_more_than_the_policy_allows(
    application: Application, client: TestClient
) -> None:
    plan = a_held_plan("guide", first=MARKUP)
    plan = replace(plan, holds=(replace(plan.holds[0], message=MARKUP),), rejected_by=MARKUP, rejected_why=MARKUP)
    application.ledger.hold(plan)
    outcome = DocumentOutcome(MARKUP, DocumentState.REPLACED, MARKUP, version="2", version_before="1")
    night = a_night(
        "guide",
        3,
        RunState.FAILED,
        run_id=f"manual__{MARKUP.replace('/', '')}",
        reason=MARKUP,
        next_step=MARKUP,
        alerts=(MARKUP,),
        outcomes=(outcome,),
        pipeline=MARKUP,
        proof=Proof(False, False, 1, detail=MARKUP, problem=MARKUP, scope=MARKUP),
        holds=plan.holds,
        held=plan.changes,
        held_checksum=plan.checksum,
    )
    application.manifests.save(night)
    (path,) = re.findall(r'href="/truecopy(/runs/reconcile_index/.*?)"', text_of(client, "/runs"))
    run = unescape(path)
    paths = ["/", "/sources/guide", "/runs", run, f"{run}/outcomes", "/held", f"/held/guide/{plan.checksum}"]
    paths += [f"/runs?source={MARKUP}&state={MARKUP}", f"{run}?q={MARKUP}", f"/held/guide/{plan.checksum}?q={MARKUP}"]
    for each in paths:
        answer = client.get(f"/truecopy{each}", headers={"x-user": "editor"})
        assert answer.status_code == 200, each
        page = answer.text
        assert "<script>alert" not in page, each
        assert "<img" not in page, each
        assert forbidden_in(page) == [], each
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "unsafe" not in POLICY


def test_an_approval_is_recorded_with_name_and_reason_and_starts_the_run_that_would_have_asked(
    application: Application, access: FakeAccess, client: TestClient
) -> None:
    plan = application.ledger.hold(a_held_plan("guide"))
    path = f"/held/guide/{plan.checksum}"
    assert "Approve 3 changes" in text_of(client, path, "editor")
    assert "Approve" not in text_of(client, path, "viewer")
    answer = client.post(f"/truecopy{path}/approve", headers={"x-user": "editor", **SAME}, data={"reason": " merged "})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/truecopy{path}")
    release = application.ledger.find_release("guide", plan.checksum)
    assert release is not None
    assert (release.approved_by, release.reason, release.used_by_run) == ("the editor", "merged", "")
    asked = {"source": "guide", "checksum": plan.checksum}
    assert access.started == [("editor", APPLY_HELD, f"held__guide__{plan.checksum}", asked)]
    page = text_of(client, path, "editor")
    assert "Approved by the editor: merged" in page
    assert "Approve 3 changes" not in page, "nobody approves twice"


def test_of_two_who_approve_the_first_one_counts_and_the_run_at_work_is_left_alone(
    application: Application, access: FakeAccess, client: TestClient
) -> None:
    plan = application.ledger.hold(a_held_plan("guide"))
    path = f"/truecopy/held/guide/{plan.checksum}"
    for reason in ("first", "second"):
        answer = client.post(f"{path}/approve", headers={"x-user": "editor", **SAME}, data={"reason": reason})
        assert (answer.status_code, answer.headers["location"]) == (303, path)
    release = application.ledger.find_release("guide", plan.checksum)
    assert release is not None
    assert (release.reason, len(access.started)) == ("first", 1)
    application.ledger.use_release(release, access.started[0][2])
    client.post(f"{path}/reject", headers={"x-user": "editor", **SAME}, data={"reason": "too late"})
    held = application.ledger.held("guide")
    assert held is not None
    assert (held.rejected_by, len(access.started)) == ("", 1)


def test_an_answer_that_airflow_does_not_act_on_is_said_to_be_recorded(
    application: Application, access: FakeAccess, client: TestClient
) -> None:
    plan = application.ledger.hold(a_held_plan("guide"))
    access.problem = "Airflow answered 500. Start apply_held_plan in Airflow"
    path = f"/truecopy/held/guide/{plan.checksum}/approve"
    answer = client.post(path, headers={"x-user": "editor", **SAME}, data={"reason": "merged"})
    assert answer.status_code == 503
    assert "is recorded, but nothing has acted on it yet. Airflow answered 500" in answer.text
    assert application.ledger.find_release("guide", plan.checksum) is not None


def test_an_address_that_was_mistyped_is_a_page_too(client: TestClient) -> None:
    assert "no valid value for page" in text_of(client, "/runs?page=zero", status=422)
    assert "There is nothing here" in text_of(client, "/nowhere", status=404)


def test_while_an_approval_is_carried_out_nobody_is_asked_again_and_if_it_fails_somebody_is(
    application: Application, client: TestClient
) -> None:
    plan = application.ledger.hold(a_held_plan("guide"))
    path, run_id = f"/held/guide/{plan.checksum}", f"held__guide__{plan.checksum}"
    client.post(f"/truecopy{path}/approve", headers={"x-user": "editor", **SAME}, data={"reason": "merged"})
    release = application.ledger.find_release("guide", plan.checksum)
    assert release is not None
    application.ledger.use_release(release, run_id)
    assert "This page follows it" in text_of(client, path, "editor")
    ended = a_night("guide", 0, RunState.FAILED, run_id=run_id, dag_id=APPLY_HELD, reason="the disk is full")
    application.manifests.save(ended)
    page = text_of(client, path, "editor")
    assert "the disk is full" in page
    assert "Approve 3 changes" in page


def test_a_plan_that_changed_since_it_was_shown_is_refused_and_the_newer_one_is_shown(
    application: Application, access: FakeAccess, client: TestClient
) -> None:
    shown = application.ledger.hold(a_held_plan("guide"))
    newer = application.ledger.hold(a_held_plan("guide", documents=4))
    for word in ("approve", "reject"):
        answer = client.post(
            f"/truecopy/held/guide/{shown.checksum}/{word}",
            headers={"x-user": "editor", **SAME},
            data={"reason": "because"},
        )
        assert answer.status_code == 409
        assert "Your answer was not taken" in answer.text
        assert f"/held/guide/{newer.checksum}" in answer.text
    assert application.ledger.find_release("guide", shown.checksum) is None
    held = application.ledger.held("guide")
    assert held is not None
    assert not held.rejected_by
    assert access.started == []


def test_an_answer_without_a_reason_decides_nothing(
    application: Application, access: FakeAccess, client: TestClient
) -> None:
    plan = application.ledger.hold(a_held_plan("guide"))
    for word in ("approve", "reject"):
        answer = client.post(
            f"/truecopy/held/guide/{plan.checksum}/{word}",
            headers={"x-user": "editor", **SAME},
            data={"reason": "  "},
        )
        assert answer.status_code == 422
        assert "Say why" in answer.text
    assert application.ledger.held("guide") == plan
    assert access.started == []


def test_a_rejection_is_recorded_and_withdraws_the_question_in_airflow(
    application: Application, access: FakeAccess, client: TestClient
) -> None:
    plan = application.ledger.hold(a_held_plan("guide"))
    path = f"/truecopy/held/guide/{plan.checksum}"
    application.ledger.open_request("guide", plan.checksum, plan.first_held_at)
    client.post(f"{path}/reject", headers={"x-user": "editor", **SAME}, data={"reason": "a mistake"})
    held = application.ledger.held("guide")
    assert held is not None
    assert (held.rejected_by, held.rejected_why) == ("the editor", "a mistake")
    assert [run_id for _, _, run_id, _ in access.started] == [f"held__guide__{plan.checksum}"]
    assert "Declined by the editor: a mistake" in text_of(client, f"/held/guide/{plan.checksum}")


def test_an_index_that_was_not_proven_for_a_day_does_not_look_like_a_true_one(
    application: Application, client: TestClient
) -> None:
    application.manifests.save(a_night("handbook", 3))
    application.manifests.save(a_night("guide", 75))
    page = text_of(client, "/")
    assert page.index("/sources/guide") < page.index("/sources/handbook"), "trouble comes first"
    aged, true = card_of(page, "guide"), card_of(page, "handbook")
    assert "is-aged" in aged
    assert "Not proven for 3 days" in aged
    assert "is-true" in true
    assert "<strong>True</strong>" in true
    assert "1 of 2 sources is true" in page


def test_pages_command_line_and_manifest_say_the_same_numbers(
    application: Application, client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = Findings(orphan=14, stale=1, partial=2, missing=5)
    night = a_night("guide", 3, RunState.DEGRADED, documents=1234, chunks=56789, remaining=left, reason="one failed")
    application.manifests.save(night)
    card = facts_in(card_of(text_of(client, "/"), "guide"))
    shown = {name: int(value.replace("\u202f", "")) for name, value in card.items()}
    assert shown == {"documents": 1234, "chunks": 56789, "orphan": 14, "stale": 1, "partial": 2, "missing": 5}
    settings, source = tmp_path / "truecopy.yaml", {"kind": "git_markdown", "options": {"location": "."}}
    settings.write_text(json.dumps({"sources": dict.fromkeys(("handbook", "guide"), source)}))
    monkeypatch.setenv("TRUECOPY_CONFIG", str(settings))
    monkeypatch.setenv("TRUECOPY_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("TRUECOPY_LEDGER", str(tmp_path / "state" / "ledger"))
    printed = json.loads(CliRunner().invoke(command_line, ["status", "--json"]).stdout)
    row = next(row for row in printed if row["source"] == "guide")
    counted = {name: row["remaining"][name] for name in ("orphan", "stale", "partial", "missing")}
    assert shown == {"documents": row["documents"], "chunks": row["chunks"], **counted}


def test_with_no_run_at_all_every_page_says_so(client: TestClient) -> None:
    assert text_of(client, "/").count("Never proven") == 2
    assert "No run is recorded here" in text_of(client, "/runs")
    assert "Nothing waits for a person" in text_of(client, "/held")


def test_a_damaged_manifest_is_named_and_the_older_numbers_are_shown(
    application: Application, client: TestClient, tmp_path: Path
) -> None:
    application.manifests.save(a_night("guide", 27, documents=77))
    application.manifests.save(a_night("guide", 3, run_id="damaged", documents=88))
    for damage in ("{", "[]", '{"run_id": 3}', '{"documents_by_state": {"eaten": 1}}', ""):
        (tmp_path / "state/manifests/reconcile_index/damaged/guide/manifest.json").write_text(damage)
        card = card_of(text_of(client, "/"), "guide")
        assert "its manifest is damaged" in card
        assert facts_in(card)["documents"] == "77"
        assert "its manifest is damaged" in text_of(client, "/runs?state=lost")
        assert "is damaged" in text_of(client, "/runs/reconcile_index/damaged/guide", status=500)
    (tmp_path / "state/manifests/reconcile_index/damaged/guide/manifest.json").unlink()
    assert "not there any more" in card_of(text_of(client, "/"), "guide")


def test_damaged_outcomes_leave_the_rest_of_their_run(
    application: Application, client: TestClient, tmp_path: Path
) -> None:
    application.manifests.save(a_night("guide", 3, run_id="night"))
    (tmp_path / "state/manifests/reconcile_index/night/guide/documents.parquet").write_bytes(b"PAR1")
    page = text_of(client, "/runs/reconcile_index/night/guide")
    assert "The outcomes of this run cannot be read" in page
    assert "The listing is whole" in page


def test_a_source_whose_ledger_was_spoilt_by_hand_does_not_hide_the_others(
    application: Application, client: TestClient, tmp_path: Path
) -> None:
    application.manifests.save(a_night("handbook", 3))
    application.ledger.hold(a_held_plan("guide"))
    (tmp_path / "state/ledger/held/guide.yaml").write_text(": [")
    page = text_of(client, "/")
    assert "Its records cannot be read" in card_of(page, "guide")
    assert "<strong>True</strong>" in card_of(page, "handbook")
    assert "cannot be read" in text_of(client, "/held")


def test_wrong_settings_are_a_page_that_says_which_and_only_to_those_who_may_read(access: FakeAccess) -> None:
    def make() -> Application:
        raise ConfigError(f"config/truecopy.yaml: sources.guide.kind is {MARKUP}; allowed are git_markdown")

    view, _ = ops_view(access, make)
    assert view.access is access
    outer = FastAPI()
    outer.mount("/truecopy", apologising(access, ConfigError(f"sources.guide.kind is {MARKUP}")))
    with TestClient(outer, raise_server_exceptions=False) as client:
        client.headers["accept"] = "text/html"
        answer = client.get("/truecopy/", headers={"x-user": "viewer"})
        assert answer.status_code == 503
        assert "sources.guide.kind is &lt;script&gt;" in answer.text
        stranger = client.get("/truecopy/")
        assert (stranger.status_code, "sources.guide" in stranger.text) == (401, False)
        assert client.post("/truecopy/hooks/guide").status_code == 503, "senders of webhooks try again"


def test_an_unforeseen_error_is_a_page_without_its_text(access: FakeAccess) -> None:
    def make() -> Application:
        raise RuntimeError("password=hunter2")

    made = FastAPI()
    made.mount("/truecopy", apologising(access, RuntimeError("password=hunter2")))
    with TestClient(made, raise_server_exceptions=False) as client:
        answer = client.get("/truecopy/", headers={"x-user": "viewer", "accept": "text/html"})
        assert answer.status_code == 500
        assert "hunter2" not in answer.text
        assert "The log of Airflow" in answer.text


def test_outcomes_are_searched_and_filtered_on_the_server_a_page_at_a_time(
    application: Application, client: TestClient
) -> None:
    outcomes = tuple(
        DocumentOutcome(f"docs/{number:05}.md", DocumentState.FAILED if number % 1000 == 7 else DocumentState.CREATED)
        for number in range(30_000)
    )
    application.manifests.save(a_night("guide", 3, run_id="big", outcomes=outcomes))
    page = text_of(client, "/runs/reconcile_index/big/guide")
    assert page.count('class="lead mono"') == 50
    assert "1 to 50 of 30\u202f000 documents" in page
    assert len(page) < 100_000
    failed = text_of(client, "/runs/reconcile_index/big/guide/outcomes?state=failed&q=07")
    assert "1 to 30 of 30 documents" in failed
    assert "docs/29007.md" in failed
    last = text_of(client, "/runs/reconcile_index/big/guide?page=600")
    assert "docs/29999.md" in last
    assert "Nothing matches" in text_of(client, "/runs/reconcile_index/big/guide?q=%25")


def test_runs_are_listed_newest_first_filtered_and_paged(application: Application, client: TestClient) -> None:
    for number in range(60):
        source = "guide" if number % 2 else "handbook"
        state = RunState.FAILED if number == 55 else RunState.TRUE
        application.manifests.save(a_night(source, number + 1, state, run_id=f"run-{number:02}", outcomes=()))
    first = re.findall(r"<code>|mono\">(run-\d\d)<", text_of(client, "/runs"))
    assert first == [f"run-{number:02}" for number in range(50)]
    assert re.findall(r"mono\">(run-\d\d)<", text_of(client, "/runs?page=2"))[-1] == "run-59"
    assert re.findall(r"mono\">(run-\d\d)<", text_of(client, "/runs?state=failed")) == ["run-55"]
    assert len(re.findall(r"mono\">(run-\d\d)<", text_of(client, "/runs?source=guide"))) == 30
    assert "No run is recorded" in text_of(client, "/runs?source=elsewhere")
    assert "No run is recorded" in text_of(client, "/runs?dag=another")


def test_a_link_from_airflow_leads_to_the_runs_record_whatever_the_attempt(
    application: Application, client: TestClient
) -> None:
    application.manifests.save(a_night("guide", 3, RunState.FAILED, run_id="night"))
    answer = client.get("/truecopy/runs/reconcile_index/night", headers={"x-user": "viewer"})
    assert answer.headers["location"] == "/truecopy/runs/reconcile_index/night/guide"
    application.manifests.save(a_night("guide", 2, run_id="night.attempt-2"))
    page = text_of(client, "/runs/reconcile_index/night")
    assert "night/guide" in page
    assert "night.attempt-2/guide" in page
    assert "left no manifest yet" in text_of(client, "/runs/reconcile_index/another")


def test_every_page_of_the_menu_is_there(client: TestClient) -> None:
    entries = [page.ENTRY for page in PAGES if page.ENTRY]
    for entry in entries:
        assert f'href="/truecopy{entry.path}" aria-current="page"' in text_of(client, entry.path)


def test_files_are_served_to_readers_and_nothing_beside_them(client: TestClient) -> None:
    reader = {"x-user": "viewer"}
    (style,) = re.findall(r'href="(/truecopy/static/\w+/ops\.css)"', text_of(client, "/"))
    answer = client.get(style, headers=reader)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert "immutable" in answer.headers["cache-control"]
    for name in ("../served.py", "..%2fserved.py", "%2e%2e/served.py", "vendor/../../view.py", ""):
        assert client.get(f"/truecopy/static/x/{name}", headers=reader).status_code == 404


@pytest.mark.slow
def test_a_thousand_runs_of_twenty_sources_are_an_overview_within_300_ms(tmp_path: Path, access: FakeAccess) -> None:
    sources = [f"source-{number:02}" for number in range(20)]
    application = application_in(tmp_path, *sources)
    for source in sources:
        for night in range(50):
            application.manifests.save(a_night(source, night * 24 + 3))
    spent = []
    with TestClient(served(application, access)) as client:
        for _ in range(3):
            began = time.process_time()
            page = text_of(client, "/")
            spent.append(time.process_time() - began)
    assert "All 20 indexes are true" in page
    assert min(spent) < 0.3, f"{spent} s of processor time, the first with nothing read before"
