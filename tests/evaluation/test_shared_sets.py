"""Real questions about real pages: at least half of the naive pipeline's errors are gone, and nothing is worse."""

from __future__ import annotations

import pytest

from include.ranking.evaluation import Evaluation
from tests.evaluation import shared
from tests.evaluation.__main__ import run_shared

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (shared.DATA / "questions").is_dir(), reason=shared.ABSENT),
]

KNOWN = {
    "doc-history, edited": lambda: shared.doc_history("edited"),
    "doc-history, linked": lambda: shared.doc_history("linked"),
    "dyknow, linked": lambda: shared.dyknow("linked"),
    "dyknow-then, linked": lambda: shared.dyknow_then("linked"),
}
FOUND_OUT = {
    "doc-history, resolved": lambda: shared.doc_history("resolved"),
    "dyknow, resolved": lambda: shared.dyknow("resolved"),
    "dyknow-then, resolved": lambda: shared.dyknow_then("resolved"),
    "latest-register, resolved": lambda: shared.latest_register("resolved"),
    "doc-history, dated": lambda: shared.doc_history("dated"),
    "dyknow, dated": lambda: shared.dyknow("dated"),
    "dyknow-then, dated": lambda: shared.dyknow_then("dated"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_half_of_the_errors_are_gone_where_versions_are_known(name: str) -> None:
    found = run_shared(KNOWN[name]())
    assert len(found["truecopy"].failures) * 2 <= len(found["naive"].failures)
    assert _first_wrong(found["truecopy"]) <= min(_first_wrong(found[leg]) for leg in ("naive", "dense", "bm25"))


@pytest.mark.parametrize("name", FOUND_OUT)
def test_half_of_the_errors_are_gone_where_versions_are_found_out_or_only_dated(name: str) -> None:
    found = run_shared(FOUND_OUT[name]())
    assert len(found["truecopy"].failures) * 2 <= len(found["naive"].failures)
    assert _first_wrong(found["truecopy"]) * 2 <= _first_wrong(found["naive"])
    for metric in ("answer_hit_at_1", "answer_hit_at_5", "ndcg_at_5", "mrr", "latest_correct_rate"):
        assert found["truecopy"].averages[metric] >= found["naive"].averages[metric]
    assert found["truecopy"].averages["stale_answer_rate"] <= found["naive"].averages["stale_answer_rate"]


def _first_wrong(evaluation: Evaluation) -> int:
    return sum(outcome.measured["answer_hit_at_1"] == 0 for outcome in evaluation.outcomes)
