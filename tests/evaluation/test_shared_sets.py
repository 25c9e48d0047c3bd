"""Real questions about real pages: at least half of the naive pipeline's errors are gone where versions are known."""

from __future__ import annotations

import pytest

from include.ranking.evaluation import Evaluation
from tests.evaluation import shared
from tests.evaluation.__main__ import run_shared

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (shared.DATA / "questions").is_dir(), reason=shared.ABSENT),
]

LINKED = {
    "doc-history, edited": lambda: shared.doc_history("edited"),
    "doc-history, linked": lambda: shared.doc_history("linked"),
    "dyknow, linked": lambda: shared.dyknow("linked"),
    "dyknow-then, linked": lambda: shared.dyknow_then("linked"),
}
DATED = {
    "doc-history, dated": lambda: shared.doc_history("dated"),
    "dyknow, dated": lambda: shared.dyknow("dated"),
    "dyknow-then, dated": lambda: shared.dyknow_then("dated"),
}


@pytest.mark.parametrize("name", LINKED)
def test_half_of_the_errors_are_gone_where_versions_are_known(name: str) -> None:
    found = run_shared(LINKED[name]())
    assert len(found["truecopy"].failures) * 2 <= len(found["naive"].failures)
    assert _first_wrong(found["truecopy"]) <= min(_first_wrong(found[leg]) for leg in ("naive", "dense", "bm25"))


@pytest.mark.parametrize("name", DATED)
def test_half_of_the_wrong_first_answers_are_gone_where_only_dates_are_known(name: str) -> None:
    found = run_shared(DATED[name]())
    assert _first_wrong(found["truecopy"]) * 2 <= _first_wrong(found["naive"])
    assert len(found["truecopy"].failures) <= len(found["naive"].failures)


def _first_wrong(evaluation: Evaluation) -> int:
    return sum(outcome.measured["answer_hit_at_1"] == 0 for outcome in evaluation.outcomes)
