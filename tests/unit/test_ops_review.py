"""The review queue in the ops view: what waits, one candidate beside its replacement, decisions in the person's name,
conflicts told, many decided by their number."""

from __future__ import annotations

import json
import re
import subprocess
import time
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from include.domain.review import Applied, Decision, Disposition
from include.ops_view.pages.review import PAGE_SIZE, Filter, shelf_of
from include.records.review_queue import candidate_path
from include.services.reviewing import Word
from include.wiring.application import Application
from include.wiring.review import decide_for_person
from tests.ops_library import HOSTILE_TITLE, RIGHT_TO_LEFT, SOURCE, candidate, document, queued, shelf
from tests.ops_pages import FakeAccess, application_in, served

EDITOR = {"x-user": "editor", "sec-fetch-site": "same-origin"}
NAMES = ("old/a.md", "old/b.md", "old/c.md")


class Fields(HTMLParser):
    """The fields of a page's forms as a browser reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []

    @classmethod
    def of(cls, page: str) -> Fields:
        made = cls()
        made.feed(page)
        return made

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "input":
            self.found.append(dict(attrs))
            assert "onfocus" not in dict(attrs)

    def named(self, name: str) -> list[str]:
        return [each.get("value") or "" for each in self.found if each.get("name") == name]


def waiting(folder: Path) -> Application:
    made = application_in(folder, SOURCE, "guide")
    return queued(made, *(candidate(name, 0.9 - number / 10) for number, name in enumerate(NAMES)))


def visited(application: Application) -> TestClient:
    return TestClient(served(application, FakeAccess()), follow_redirects=False)


@pytest.fixture
def application(tmp_path: Path) -> Application:
    return waiting(tmp_path)


@pytest.fixture
def client(application: Application) -> TestClient:
    return visited(application)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Application:
    """For tests that record nothing."""
    return waiting(tmp_path_factory.mktemp("untouched"))


@pytest.fixture(scope="module")
def reading(untouched: Application) -> TestClient:
    return visited(untouched)


def page(client: TestClient, path: str, user: str = "editor", status: int = 200) -> str:
    answer = client.get(f"/truecopy{path}", headers={"x-user": user, "accept": "text/html"})
    assert answer.status_code == status, answer.text
    return unescape(answer.text)


def decide(client: TestClient, disposition: str, doc_id: str = NAMES[0], **typed: str) -> Any:
    typed = {"reason": "it is old", "fingerprint": f"evidence-{doc_id}", "disposition": disposition, **typed}
    path = f"/truecopy/review/{SOURCE}/{doc_id.replace('/', '%2F')}"
    return client.post(path, data=typed, headers={"accept": "text/html", **EDITOR})


def last_commit(application: Application) -> str:
    command = ["git", "-C", str(application.settings.ledger), "log", "-1", "--format=%an: %s / %b"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def said_by_ada(application: Application, doc_id: str) -> None:
    decide_for_person(application, SOURCE, doc_id, Word(Disposition.KEEP, "ada", "the board quotes it"))


def test_the_list_has_what_waits_the_surest_first_with_the_evidence(reading: TestClient) -> None:
    text = page(reading, "/review")
    assert "3 candidates wait for a decision" in text
    assert re.findall(r'data-open href="/truecopy/review/handbook/old%2F(.)\.md"', text) == ["a", "b", "c"]
    assert "new.md says that it replaces it" in text
    assert "also old" in text
    assert "1 candidate waits" in page(reading, "/review?q=B.MD")
    assert "0 candidates wait" in page(reading, "/review?signal=expired")
    assert "0 candidates wait" in page(reading, "/review?among=guide")


def test_one_candidate_stands_beside_its_replacement_with_everything_that_speaks_against_it(
    reading: TestClient,
) -> None:
    text = page(reading, f"/review/{SOURCE}/old%2Fb.md")
    for said in (
        "2 of 3",
        "nobody has changed it for 900 days",
        "replaces old",
        "1 \u2212 (1 \u2212 0.8)",
        "Refunds within <del>30</del>",
        "Refunds within  <ins>60</ins> days",
        "41 lines are the same",
        'href="/truecopy/document/handbook/new.md"',
    ):
        assert said in text


def test_a_decision_is_a_commit_in_the_persons_name_and_leads_to_the_next(
    application: Application, client: TestClient
) -> None:
    answer = decide(client, "archive", reason="  nobody\n needs it ")
    assert answer.status_code == 303
    assert answer.headers["location"].startswith(f"/truecopy/review/{SOURCE}/old%2Fb.md?")
    assert last_commit(application) == f"the editor: Decide archive for {NAMES[0]} of {SOURCE} / nobody needs it"
    following = page(client, answer.headers["location"].removeprefix("/truecopy"))
    assert "Recorded: <strong>archive</strong> for" in following
    assert "1 of 2" in following
    decided = page(client, "/review?state=decided")
    assert "the editor" in decided
    assert "nobody needs it" in decided
    assert "<code>apply_dispositions</code> carries it out" in page(client, f"/review/{SOURCE}/old%2Fa.md")


def test_what_was_carried_out_is_found_with_who_decided_it_and_what_was_done(
    application: Application, client: TestClient
) -> None:
    said_by_ada(application, NAMES[0])
    done = Applied("2026-11-05T09:00:00.000000Z", "run-9", "kept: it does not come back for this evidence")
    item = replace(application.ledger.candidate(SOURCE, NAMES[0]), applied=done)
    application.ledger.settle(SOURCE, [item], by="ada", message="Settle")
    listed = page(client, "/review?state=settled")
    assert "ada, " in listed
    assert "2026-11-05: <bdi>kept: it does not come back" in listed
    shown = page(client, f"/review/{SOURCE}/old%2Fa.md")
    assert "kept: it does not come back for this evidence" in shown
    assert 'method="post"' not in shown


def test_a_removal_that_its_source_has_to_take_up_is_decided_and_not_settled(
    application: Application, client: TestClient
) -> None:
    made = Decision(Disposition.APPROVE_PURGE, "ada", "nobody needs it", at="2026-11-04T09:00:00.000000Z")
    proposed = Applied("2026-11-05T09:00:00.000000Z", "run-9", "proposed on branch truecopy/purge")
    queued(application, candidate(NAMES[0], decision=made, applied=proposed))
    shown = page(client, f"/review/{SOURCE}/old%2Fa.md")
    assert '<h2 id="decide">Decided</h2>' in shown
    assert "2026-11-05: <bdi>proposed on branch truecopy/purge</bdi>" in shown
    assert "Overrule ada" in shown


def test_what_only_one_disposition_needs_is_left_out_of_the_others(
    application: Application, client: TestClient
) -> None:
    assert decide(client, "keep", until="2099-01-01", superseded_by="new.md").status_code == 303
    made = application.ledger.candidate(SOURCE, NAMES[0]).decision
    assert made
    assert (made.until, made.superseded_by) == ("", "")
    assert decide(client, "extend", NAMES[1], until="2099-01-01").status_code == 303
    assert "extend until 2099-01-01" in page(client, "/review?state=decided")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"disposition": ""}, "choose one of the five"),
        ({"disposition": "burn"}, "choose one of the five"),
        ({"disposition": "keep", "reason": " "}, "allowed is one line of text"),
        ({"disposition": "extend", "until": "2020-01-01"}, "has passed"),
        ({"disposition": "supersede-link", "superseded_by": NAMES[0]}, "cannot be superseded by itself"),
    ],
)
def test_a_word_that_lacks_something_is_not_recorded_and_what_was_typed_stays(
    untouched: Application, reading: TestClient, typed: dict[str, str], said: str
) -> None:
    answer = decide(reading, **{"reason": "typed before", **typed})
    assert answer.status_code == 422
    assert said in unescape(answer.text)
    assert typed.get("reason", "typed before").strip() in answer.text
    assert untouched.ledger.candidates(SOURCE).decided == ()


def test_who_comes_second_is_told_what_the_first_one_said_and_may_overrule(
    application: Application, client: TestClient
) -> None:
    said_by_ada(application, NAMES[0])
    answer = decide(client, "archive")
    assert answer.status_code == 409
    assert "Decided meanwhile: <strong>ada</strong> decided <strong>keep</strong>" in " ".join(answer.text.split())
    assert "the board quotes it" in answer.text
    assert "Overrule ada" in answer.text
    assert decide(client, "archive", overrule="1").status_code == 303
    item = application.ledger.candidate(SOURCE, NAMES[0])
    assert item.decision
    assert item.decision.by == "the editor"
    assert "the editor overruled it" in item.notes[-1]


def test_a_decision_on_evidence_that_is_another_by_now_is_not_recorded(
    untouched: Application, reading: TestClient
) -> None:
    answer = decide(reading, "archive", fingerprint="what-was-on-the-screen")
    assert answer.status_code == 409
    assert "The evidence is another by now" in answer.text
    assert untouched.ledger.candidates(SOURCE).decided == ()


def many(client: TestClient, names: list[str], count: str, disposition: str = "archive", **fields: str) -> Any:
    rows = [[SOURCE, name, f"evidence-{name}"] for name in names]
    form = {"items": json.dumps(rows), "count": count, "disposition": disposition, "reason": "a clearing", **fields}
    return client.post("/truecopy/review-many/record", data=form, headers=EDITOR)


def test_many_are_decided_by_their_number_in_one_commit(application: Application, client: TestClient) -> None:
    chosen = [json.dumps([SOURCE, name, f"evidence-{name}"]) for name in NAMES[:2]]
    form = {"item": chosen, "disposition": "archive", "reason": "a clearing"}
    asked = client.post("/truecopy/review-many", data=form, headers=EDITOR)
    assert asked.status_code == 200
    assert "Type 2 to record" in asked.text
    assert len(application.ledger.candidates(SOURCE).open) == 3
    wrong = many(client, list(NAMES[:2]), "3")
    assert wrong.status_code == 422
    assert "You typed 3; these are 2. Nothing was recorded." in wrong.text
    assert len(application.ledger.candidates(SOURCE).open) == 3
    assert many(client, list(NAMES[:2]), "2").status_code == 200
    assert [item.doc_id for item in application.ledger.candidates(SOURCE).open] == [NAMES[2]]
    assert last_commit(application).startswith("the editor: Decide archive for 2 documents of handbook")


def test_the_forms_of_the_pages_send_what_they_show_whatever_ids_look_like(
    application: Application, client: TestClient
) -> None:
    names = ('a" onfocus="x\' b.md', "<b>&amp;\u2028.md")
    queued(application, *(candidate(name) for name in names))
    list_ = Fields.of(client.get("/truecopy/review", headers={"x-user": "editor"}).text)
    chosen = [json.loads(value) for value in list_.named("item")]
    assert chosen == [[SOURCE, name, f"evidence-{name}"] for name in sorted(names)]
    form = {"item": list_.named("item"), "disposition": "archive", "reason": 'a "clearing"'}
    asked = Fields.of(client.post("/truecopy/review-many", data=form, headers=EDITOR).text)
    sent = {name: asked.named(name)[0] for name in ("items", "disposition", "reason", "until")}
    assert client.post("/truecopy/review-many/record", data={**sent, "count": "2"}, headers=EDITOR).status_code == 200
    made = application.ledger.candidate(SOURCE, names[0]).decision
    assert made
    assert made.why == 'a "clearing"'


def test_all_that_a_filter_chooses_are_shown_with_their_number(reading: TestClient) -> None:
    form = {"everything": "1", "q": "old/", "disposition": "keep", "reason": "they are fine"}
    asked = reading.post("/truecopy/review-many", data=form, headers=EDITOR)
    assert "Keep: 3 candidates" in asked.text
    assert reading.post("/truecopy/review-many", data={**form, "reason": ""}, headers=EDITOR).status_code == 422
    assert reading.post("/truecopy/review-many", data={**form, "q": "none"}, headers=EDITOR).status_code == 422


def test_of_many_those_whose_evidence_is_another_by_now_are_left(application: Application, client: TestClient) -> None:
    rows = json.dumps([[SOURCE, NAMES[0], "what-was-on-the-screen"], [SOURCE, NAMES[1], f"evidence-{NAMES[1]}"]])
    answer = many(client, [], "2", items=rows)
    assert answer.status_code == 409
    assert "the evidence is another" in answer.text
    assert [item.doc_id for item in application.ledger.candidates(SOURCE).decided] == [NAMES[1]]


def test_of_many_what_was_decided_meanwhile_stays_and_is_named(application: Application, client: TestClient) -> None:
    said_by_ada(application, NAMES[1])
    answer = many(client, [*NAMES, "never/there.md"], "4")
    assert answer.status_code == 409
    assert "archive is recorded for 2 candidates" in answer.text
    assert "ada decided keep" in answer.text
    assert "never/there.md is no candidate any more" in answer.text
    kept = application.ledger.candidate(SOURCE, NAMES[1]).decision
    assert kept
    assert kept.by == "ada"


@pytest.mark.parametrize("items", ["", "[1]", '[["handbook"]]', '{"a": 1}', "[" * 5_000])
def test_a_list_that_no_page_sends_is_refused(reading: TestClient, items: str) -> None:
    form = {"items": items, "count": "1", "disposition": "keep", "reason": "no"}
    assert reading.post("/truecopy/review-many/record", data=form, headers=EDITOR).status_code == 422


def test_viewers_read_and_nobody_decides_from_another_site(untouched: Application, reading: TestClient) -> None:
    for path in ("/review", f"/review/{SOURCE}/old%2Fa.md"):
        text = page(reading, path, "viewer")
        assert 'method="post"' not in text
    assert "Whoever may start <code>apply_dispositions</code> can decide here" in text
    for path in (f"/review/{SOURCE}/old%2Fa.md", "/review-many", "/review-many/record"):
        for headers, status in (
            ({}, 401),
            ({"x-user": "viewer", "sec-fetch-site": "same-origin"}, 403),
            ({"x-user": "editor", "sec-fetch-site": "cross-site"}, 403),
            ({"x-user": "editor"}, 403),
        ):
            form = {"disposition": "keep", "reason": "no", "items": "[]"}
            assert reading.post(f"/truecopy{path}", data=form, headers=headers).status_code == status
    assert untouched.ledger.candidates(SOURCE).decided == ()


def test_what_is_no_candidate_and_what_is_spoilt_is_said(application: Application, client: TestClient) -> None:
    assert "is no candidate" in page(client, f"/review/{SOURCE}/nope.md", status=404)
    page(client, "/review/nope/a.md", status=404)
    spoilt = application.settings.ledger / candidate_path(SOURCE, NAMES[2])
    spoilt.write_text("score: many\n", encoding="utf-8")
    text = page(client, "/review")
    assert "2 candidates wait" in text
    assert spoilt.name in text


def test_markup_stays_text_and_links_keep_the_whole_id(application: Application, client: TestClient) -> None:
    hostile = candidate(
        "a/../b?c#d%.md", title=HOSTILE_TITLE, diff=f"--- a\n+++ b\n-{HOSTILE_TITLE}", url="javascript:x"
    )
    queued(application, hostile, candidate(RIGHT_TO_LEFT))
    path = "/truecopy/review/handbook/a%2F..%2Fb%3Fc%23d%25.md"
    for address in ("/truecopy/review", path):
        text = client.get(address, headers={"x-user": "editor"}).text
        assert "&lt;script&gt;alert" in text
        assert "<script>alert" not in text
        assert 'href="javascript' not in text
        assert "style=" not in text
    assert f'href="{path}"' in client.get("/truecopy/review", headers={"x-user": "editor"}).text


def test_a_thousand_candidates_are_paged_and_quick(application: Application, client: TestClient) -> None:
    queued(application, *(candidate(f"decks/deck-{number:04}.md") for number in range(1000)))
    shelf_of(application, Filter())
    began = time.perf_counter()
    text = page(client, "/review?page=3")
    assert time.perf_counter() - began < 1.0
    assert text.count("data-row") == PAGE_SIZE
    assert "101 to 150 of 1\u202f000 candidates" in text


def test_a_successor_must_be_in_the_index_and_of_many_sources_each_is_told_what_became_of_it(tmp_path: Path) -> None:
    application = queued(shelf(tmp_path, document("new.md", "What holds now.")), candidate("old.md"))
    application.settings.sources["guide"] = application.settings.sources[SOURCE]
    lonely = candidate("alone.md", source="guide", replacement="")
    application.ledger.renew("guide", lambda _queue: [lonely], message="Found")
    client = visited(application)
    answer = decide(client, "supersede-link", "old.md", superseded_by="nowhere.md")
    assert answer.status_code == 422
    assert "nowhere.md is not in the index" in answer.text
    alone = json.dumps([["guide", "alone.md", "evidence-alone.md"]])
    nothing = many(client, [], "1", "supersede-link", items=alone)
    assert nothing.status_code == 422
    assert "names no replacement" in nothing.text
    both = json.dumps([["guide", "alone.md", "evidence-alone.md"], [SOURCE, "old.md", "evidence-old.md"]])
    answer = many(client, [], "2", "supersede-link", items=both)
    assert answer.status_code == 409
    assert "supersede-link is recorded for 1 candidate" in answer.text
    assert "names no replacement" in answer.text
    assert application.ledger.candidate(SOURCE, "old.md").decision is not None
