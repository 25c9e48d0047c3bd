"""Ask every question of a set and judge the answers.

Whatever answers can be measured: this installation, one leg of its search alone, or another pipeline.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from include.ranking.blend import BEST_CHUNKS
from include.ranking.evaluation import Evaluation
from include.ranking.metrics import Answer, Passages, judge
from include.ranking.questions import Question, QuestionSet
from include.services.reading import Progress
from include.services.retrieval import Retrieval

Ask = Callable[[Question], Answer]


def evaluate(
    questions: QuestionSet, ask: Ask, *, asked_at: datetime, pipeline: str = "", progress: Progress | None = None
) -> Evaluation:
    """Raises what `ask` raises: a search that fails is no wrong answer."""
    outcomes = []
    for done, question in enumerate(questions.questions, start=1):
        outcomes.append(judge(question, ask(question)))
        if progress:
            progress("asked", done, len(questions.questions))
    return Evaluation(
        questions.name, asked_at, pipeline, tuple(outcomes), at_least=questions.at_least, at_most=questions.at_most
    )


def answer_of(retrieval: Retrieval) -> Answer:
    """What an assistant reads: the shown documents, of each its best few chunks."""
    return Answer(
        tuple(
            Passages(
                placed.scored.candidate.key,
                tuple(chunk.text for chunk in placed.scored.candidate.chunks[:BEST_CHUNKS]),
            )
            for placed in retrieval.shown
        ),
        retrieval.intent.kind,
    )
