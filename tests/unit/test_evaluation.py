"""Metrics of answers, what makes an evaluation red, and the files that questions and results are kept in."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from include.domain.documents import DocumentKey
from include.domain.errors import ConfigError
from include.ranking.evaluation import Evaluation, dropped, regressions
from include.ranking.intent import IntentKind
from include.ranking.metrics import METRICS, Answer, Outcome, Passages, averages, falls, judge
from include.ranking.questions import Question, QuestionSet
from include.records.question_sets import load_evaluations, read_question_set, save_evaluations
from include.telemetry.evaluation import EVALUATION_GAUGES, evaluation_gauges

NEW, OLD, OTHER = (DocumentKey("policies", name) for name in ("new", "old", "other"))
ASKED = datetime(2026, 6, 1, tzinfo=UTC)
REFUND = Question("refund", "Refund?", IntentKind.PLAIN, (NEW,), ("30 days",), (OLD,), ("60 days",))


def answer(*shown: tuple[DocumentKey, str]) -> Answer:
    return Answer(tuple(Passages(key, (text,)) for key, text in shown))


def test_the_right_document_on_top_is_a_hit_in_every_metric() -> None:
    outcome = judge(REFUND, answer((NEW, "within **30\ndays**"), (OTHER, "elsewhere")))
    assert outcome.measured == {name: 0.0 if name == "stale_answer_rate" else 1.0 for name in METRICS}
    assert outcome.is_right


def test_an_outdated_document_anywhere_among_the_shown_is_a_stale_answer() -> None:
    outcome = judge(REFUND, answer((NEW, "30 days"), (OTHER, "x"), (OLD, "y")))
    assert outcome.measured["stale_answer_rate"] == 1
    assert outcome.stale == ("policies:old",)
    assert outcome.measured["latest_correct_rate"] == 1
    assert not outcome.is_right


def test_an_outdated_text_in_any_document_is_a_stale_answer() -> None:
    outcome = judge(REFUND, answer((NEW, "30 days"), (OTHER, "still 60 days")))
    assert outcome.stale == ("policies:other: “60 days”",)


def test_the_right_document_without_the_fact_is_no_hit() -> None:
    assert judge(REFUND, answer((NEW, "ask us"))).measured["answer_hit_at_5"] == 0


def test_the_second_place_counts_half_and_the_sixth_not_at_all() -> None:
    second = judge(REFUND, answer((OTHER, "x"), (NEW, "30 days")))
    assert (second.measured["mrr"], round(second.measured["ndcg_at_5"], 3)) == (0.5, 0.631)
    sixth = judge(REFUND, answer(*((OTHER, "x"),) * 5, (NEW, "30 days")))
    assert sixth.measured["answer_hit_at_5"] == 0


def test_where_all_are_asked_for_one_is_not_enough() -> None:
    history = Question("all", "All?", IntentKind.HISTORY, (NEW, OLD), needs_all=True)
    assert judge(history, answer((NEW, "x"), (OTHER, "y"))).measured["answer_hit_at_5"] == 0
    whole = judge(history, answer((NEW, "x"), (OTHER, "y"), (OLD, "z")))
    assert whole.measured["answer_hit_at_5"] == 1
    assert 0.5 < whole.measured["ndcg_at_5"] < 1


def test_no_answer_at_all_is_wrong_and_not_stale() -> None:
    outcome = judge(REFUND, Answer(()))
    assert outcome.measured["latest_correct_rate"] == 0
    assert outcome.measured["stale_answer_rate"] == 0


def test_a_metric_that_applies_to_no_question_is_left_out() -> None:
    plain = Question("plain", "Where?", IntentKind.PLAIN, (NEW,))
    assert "latest_correct_rate" not in averages([judge(plain, answer((NEW, "x")))])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"expected": (), "expected_text": ()}, "neither an expected document nor an expected text"),
        ({"forbidden": (NEW,)}, "policies:new is expected and forbidden"),
        ({"text": " "}, "has no text"),
    ],
)
def test_a_question_that_cannot_be_judged_is_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(REFUND, **fields)  # type: ignore[arg-type]


def outcomes(right: int, wrong: int, *, stale: int = 0) -> tuple[Outcome, ...]:
    made = []
    for number in range(right + wrong):
        question = replace(REFUND, id=f"q-{number}")
        shown = [(NEW, "30 days"), (OLD, "y")] if number < stale else [(NEW, "30 days")]
        made.append(judge(question, answer(*shown) if number < right else answer((OTHER, "x"))))
    return tuple(made)


def evaluation(*arguments: int, **options: int) -> Evaluation:
    return Evaluation("refunds", ASKED, "test", outcomes(*arguments, **options))


def test_an_evaluation_as_good_as_the_baseline_is_not_red() -> None:
    assert regressions(evaluation(80, 20), evaluation(80, 20)) == []


def test_one_question_less_is_noise_and_ten_are_not() -> None:
    assert regressions(evaluation(79, 21), evaluation(80, 20)) == []
    red = regressions(evaluation(70, 30), evaluation(80, 20))
    assert any("answer_hit_at_1 went from 0.800 to 0.700 on the same 100 questions" in reason for reason in red)


def test_a_fall_in_one_intent_is_seen_though_the_set_hides_it() -> None:
    whole = evaluation(200, 0).outcomes
    before = [replace(each, intent=IntentKind.AS_OF) for each in whole[:5]]
    after = [replace(each, measured={**each.measured, "mrr": 0.0}) for each in before]
    # the rest got better, so that the average of the set does not fall
    earlier = [replace(each, measured={**each.measured, "mrr": 0.5}) for each in whole[5:]]
    red = regressions(
        Evaluation("refunds", ASKED, "test", (*after, *whole[5:])),
        Evaluation("refunds", ASKED, "test", (*before, *earlier)),
    )
    assert [reason.split(" went")[0] for reason in red] == ["refunds, as_of: mrr"]


def test_a_gain_is_never_a_fall() -> None:
    assert falls("refunds", outcomes(50, 50), outcomes(90, 10)) == []


def test_one_new_stale_answer_makes_it_red_and_a_known_one_does_not() -> None:
    red = regressions(evaluation(100, 0, stale=1), evaluation(100, 0))
    assert red == ["refunds: question q-0 shows what is outdated: policies:old"]
    assert regressions(evaluation(100, 0, stale=1), evaluation(100, 0, stale=1)) == []
    assert regressions(evaluation(100, 0, stale=1), None) != []


def test_a_question_that_was_changed_is_new_and_the_old_one_is_named() -> None:
    before = Evaluation("refunds", ASKED, "test", (judge(REFUND, answer((NEW, "30 days"), (OLD, "x"))),))
    changed = replace(REFUND, text="How long do refunds take?")
    after = Evaluation("refunds", ASKED, "test", (judge(changed, answer((NEW, "30 days"), (OLD, "x"))),))
    assert len(regressions(after, before)) == 1
    assert dropped(after, before) == ["refund"]


def test_a_bound_that_does_not_hold_makes_it_red() -> None:
    bounded = replace(evaluation(90, 10), at_least={"answer_hit_at_1": 0.95})
    assert regressions(bounded, None) == ["refunds: answer_hit_at_1 is 0.900, at least 0.95 is required"]


def test_a_saved_evaluation_is_read_back_as_it_was(tmp_path: Path) -> None:
    saved = replace(evaluation(3, 2, stale=1), at_most={"stale_answer_rate": 0.0})
    save_evaluations(tmp_path / "baseline.json", [saved])
    assert load_evaluations(tmp_path / "baseline.json") == {"refunds": saved}


def test_a_question_set_is_read_with_keys_dates_and_bounds(tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_text(
        "name: s\nnow: 2026-06-01\nat_most: {stale_answer_rate: 0}\nquestions:\n"
        "- {id: a, question: 'What?', intent: as_of, expected: ['web:https://x.org/a'], as_of: 2025-03-01}\n"
    )
    (question,) = read_question_set(path).questions
    assert question.expected == (DocumentKey("web", "https://x.org/a"),)
    assert question.as_of == datetime(2025, 3, 1, tzinfo=UTC)
    assert read_question_set(path).now == ASKED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: s\nquestions: [{id: a, question: Q, intent: soon, expected: ['a:b']}]", "questions.0.intent"),
        ("name: s\nquestions: [{id: a, question: Q, intent: plain, expected: [b]}]", "named as source:doc_id"),
        ("name: s\nquestions: []", "holds no question"),
        ("name: s\nat_least: {hits: 1}\nquestions: [{id: a, question: Q, intent: plain, expected: ['a:b']}]", "hits"),
        ("name: [", "set.yaml"),
    ],
)
def test_a_wrong_question_set_is_refused_with_file_and_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "set.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message) as raised:
        read_question_set(path)
    assert "set.yaml" in str(raised.value)


def test_two_questions_of_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="two questions have the id 'refund'"):
        QuestionSet("s", (REFUND, REFUND))


def test_every_metric_has_a_gauge_and_the_set_is_its_source() -> None:
    gauges = evaluation_gauges(evaluation(9, 1), ["why"])
    assert {gauge.name for gauge in gauges} == set(EVALUATION_GAUGES)
    assert {gauge.source for gauge in gauges} == {"refunds"}
    assert {gauge.name: gauge.value for gauge in gauges}["rag.evaluation_red"] == 1
