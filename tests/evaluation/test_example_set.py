"""The example set on a real installation: no stale answer, and the baseline that is committed is what comes out."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from include.cli import app, search
from include.ranking.questions import QuestionSet
from include.services.evaluate import evaluate
from include.wiring.evaluation import Judged, evaluate_sets, question_sets, step_zero
from tests.evaluation.example import Example, example

pytestmark = [pytest.mark.slow, pytest.mark.sample]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    with example(tmp_path_factory.mktemp("example")) as built:
        yield built


@pytest.fixture(scope="module")
def questions(made: Example) -> QuestionSet:
    (found,) = question_sets(made.application)
    return found


@pytest.fixture(scope="module")
def judged(made: Example, questions: QuestionSet) -> Judged:
    (found,) = evaluate_sets(made.application, [questions], progress=lambda *_: None)
    return found


def test_no_answer_is_stale_and_nineteen_of_twenty_are_right_at_once(judged: Judged) -> None:
    assert len(judged.evaluation.outcomes) == 240
    assert judged.evaluation.averages["stale_answer_rate"] == 0
    assert judged.evaluation.averages["answer_hit_at_1"] >= 0.95
    assert judged.evaluation.averages["latest_correct_rate"] == 1


def test_the_committed_baseline_still_holds(judged: Judged) -> None:
    assert judged.before is not None
    assert judged.dropped == ()
    assert judged.red == ()


def test_every_intent_is_read_as_it_was_meant(judged: Judged) -> None:
    assert [outcome.question for outcome in judged.evaluation.misread] == []


def test_every_expected_and_forbidden_document_exists(made: Example, questions: QuestionSet) -> None:
    """A question about a document that was renamed could never fail as stale."""
    named = {key for question in questions.questions for key in (*question.expected, *question.forbidden)}
    with made.application.store.reading() as index:
        stored = {
            (chunk.source, chunk.doc_id)
            for source in ("handbook", "helpcenter", "policies")
            for chunk in index.scan(source)
        }
    # the article that the incident replaced is gone from the index, and only the naive pipeline still holds it
    assert {(key.source, key.doc_id) for key in named} - stored == {("helpcenter", "1004")}


def test_the_naive_pipeline_fails_where_versions_are_in_conflict(
    made: Example, questions: QuestionSet, judged: Judged
) -> None:
    naive = evaluate(questions, made.naive, asked_at=judged.evaluation.asked_at)
    assert len(judged.evaluation.failures) * 2 <= len(naive.failures)
    assert naive.averages["stale_answer_rate"] > 0.5


def test_a_ranking_that_forgets_the_intent_turns_the_run_red(
    made: Example, questions: QuestionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    from include.ranking.intent import Intent, IntentKind
    from include.services import retrieval

    monkeypatch.setattr(retrieval, "read_intent", lambda *_, **__: Intent(IntentKind.PLAIN))
    (found,) = evaluate_sets(made.application, [questions], progress=lambda *_: None)
    assert any("shows what is outdated" in reason for reason in found.red)
    assert any("example: latest_correct_rate went from" in reason for reason in found.red)


def test_step_zero_shows_every_version_with_its_ranks_and_what_became_of_it(made: Example) -> None:
    record, path = step_zero(made.application, "How high is the deposit for a rented boat?")
    versions = {each["doc_id"]: each for each in record["versions"]}  # type: ignore[attr-defined]
    old, new = versions["rental-terms-2023.md"], versions["rental-terms-2026.md"]
    assert None not in (old["dense_rank"], old["bm25_rank"], new["dense_rank"])
    assert (new["shown"], new["place"]) == (True, 1)
    assert not old["shown"]
    assert old["why"] == "superseded by policies:rental-terms-2026.md, which stands in its place"
    assert json.loads(made.application.state.read(path)) == record


def test_the_command_line_prints_the_metrics_and_ends_with_0(made: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "application", lambda: made.application)
    result = CliRunner().invoke(app, ["evaluate", "--json"])
    assert result.exit_code == 0, result.output
    (printed,) = json.loads(result.stdout)
    assert printed["metrics"]["stale_answer_rate"] == 0
    assert printed["red"] == []
    found = CliRunner().invoke(app, ["baseline", "the latest sales deck", "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["intent"] == "latest"
