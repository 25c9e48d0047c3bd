"""What every ranking keeps to, whatever the scores: bounded, monotone in date, blind to scale and to input order."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from include.domain.documents import DocumentKey, Status
from include.ranking.arrange import Placed, arrange
from include.ranking.blend import WEIGHTS, Scored, blend, order
from include.ranking.candidates import Candidate
from include.ranking.intent import Intent, IntentKind, read_intent
from include.ranking.wording import have_the_same_numbers, words_of
from tests.ranking_candidates import NOW, candidate, days_ago

PLAIN, LATEST, HISTORY = (Intent(kind) for kind in (IntentKind.PLAIN, IntentKind.LATEST, IntentKind.HISTORY))
IN_2024, MARCH = (read_intent(query, now=NOW) for query in ("the deck in 2024", "the March deck"))
INTENTS = st.sampled_from([PLAIN, LATEST, HISTORY, IN_2024, MARCH])

# Far enough apart that the arithmetic of another scale cannot swap two of them.
SCORES = st.integers(-1000, 1000).map(lambda thousandths: thousandths / 1000)
AGES = st.one_of(st.none(), st.integers(-400, 4000))


@st.composite
def candidates(draw: st.DrawFn, *, families: bool = True) -> list[Candidate]:
    """Documents with up to three chunks, any date, some in families, some superseded by one another."""
    count = draw(st.integers(1, 12))
    made = []
    for number in range(count):
        age = draw(AGES)
        links = draw(st.lists(st.integers(0, count - 1), max_size=1)) if families else []
        made.append(
            candidate(
                f"doc-{number:02}",
                *draw(st.lists(SCORES, min_size=1, max_size=3)),
                title=draw(st.sampled_from(["Deck, March 2026", "Deck v2", "Handbook", "Price list"])),
                created_at=None if age is None else days_ago(age),
                family=draw(st.sampled_from([None, "deck"])) if families else None,
                is_canonical=draw(st.booleans()),
                pinned=draw(st.booleans()),
                superseded_by=tuple(f"doc-{link:02}" for link in links),
                status=Status.SUPERSEDED if links else Status.PUBLISHED,
            )
        )
    return made


def keys(placed: list[Placed]) -> list[str]:
    return [each.scored.candidate.key.doc_id for each in placed]


def position(scored: list[Scored], key: DocumentKey) -> int:
    return [each.candidate.key for each in scored].index(key)


@given(candidates(), INTENTS, st.integers(1, 5))
def test_every_candidate_is_accounted_for_once(found: list[Candidate], intent: Intent, limit: int) -> None:
    placed = arrange(blend(found, intent, now=NOW), intent, limit=limit)
    assert sorted(keys(placed)) == sorted(each.key.doc_id for each in found)
    assert [each.place for each in placed] == list(range(1, len(found) + 1))
    shown = [each for each in placed if each.is_shown]
    assert 1 <= len(shown) <= limit
    assert placed[: len(shown)] == shown
    assert all(each.suppressed for each in placed[len(shown) :])


@given(candidates(), INTENTS, st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_nothing(found: list[Candidate], intent: Intent, random: object) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert arrange(blend(found, intent, now=NOW), intent, limit=3) == arrange(
        blend(shuffled, intent, now=NOW), intent, limit=3
    )


@given(candidates(), INTENTS, st.sampled_from([0.001, 0.5, 1, 64, 1000]), st.integers(-1000, 1000))
def test_scale_and_sign_of_the_scores_change_nothing(
    found: list[Candidate], intent: Intent, scale: float, shift: int
) -> None:
    moved = [
        replace(each, chunks=tuple(replace(chunk, fused=chunk.fused * scale + shift) for chunk in each.chunks))
        for each in found
    ]
    assert keys(arrange(_rounded(blend(found, intent, now=NOW)), intent, limit=3)) == keys(
        arrange(_rounded(blend(moved, intent, now=NOW)), intent, limit=3)
    )


def _rounded(ranking: list[Scored]) -> list[Scored]:
    """Ties that another scale breaks in the fifteenth digit are ties."""
    return sorted((replace(each, score=round(each.score, 9)) for each in ranking), key=order)


@given(candidates(), INTENTS)
def test_a_score_is_the_sum_of_its_parts_and_each_part_is_bounded_by_its_weight(
    found: list[Candidate], intent: Intent
) -> None:
    weight = WEIGHTS[intent.kind]
    for each in blend(found, intent, now=NOW):
        parts = (each.similarity, each.recency, each.canonical, each.pinned, each.period)
        limits = (weight.similarity, weight.recency, weight.canonical, weight.pinned, weight.period)
        assert abs(each.score - sum(parts)) < 1e-12
        assert all(0 <= part <= limit for part, limit in zip(parts, limits, strict=True))


@given(candidates(families=False))
def test_with_plain_intent_the_order_is_that_of_similarity(found: list[Candidate]) -> None:
    ranking = blend(found, PLAIN, now=NOW)
    similarities = [each.similarity for each in ranking]
    assert similarities == sorted(similarities, reverse=True)
    assert all(each.score == each.similarity for each in ranking)


@given(candidates(families=False), st.integers(0, 11), st.integers(1, 2000))
def test_a_document_that_becomes_newer_never_falls(found: list[Candidate], at: int, days: int) -> None:
    chosen = found[at % len(found)]
    if chosen.created_at is None or chosen.created_at > NOW:
        return
    newer = replace(chosen, created_at=min(NOW, chosen.created_at + timedelta(days=days)))
    changed = [newer if each is chosen else each for each in found]
    before, after = (blend(each, LATEST, now=NOW) for each in (found, changed))
    assert position(after, chosen.key) <= position(before, chosen.key)
    placed = [keys(arrange(each, LATEST, limit=len(found))) for each in (before, after)]
    assert placed[1].index(chosen.key.doc_id) <= placed[0].index(chosen.key.doc_id)


@given(candidates(families=False))
def test_a_gap_of_similarity_wider_than_all_other_weights_is_never_overturned(found: list[Candidate]) -> None:
    weight = WEIGHTS[IntentKind.LATEST]
    widest = weight.recency + weight.canonical + weight.pinned
    ranking = blend(found, LATEST, now=NOW)
    for above, below in pairwise(ranking):
        assert below.similarity - above.similarity <= widest + 1e-12


@given(candidates(), st.sampled_from([PLAIN, LATEST]))
def test_no_superseded_document_is_shown_above_the_one_that_replaced_it(found: list[Candidate], intent: Intent) -> None:
    placed = arrange(blend(found, intent, now=NOW), intent, limit=len(found))
    for each in placed:
        if each.is_shown and each.scored.candidate.is_superseded:
            assert each.notice  # in a circle or with a link that leads nowhere, and it says so


@given(st.one_of(st.text(), st.text(st.characters(max_codepoint=127))))
def test_words_by_the_table_are_those_of_the_pattern(text: str) -> None:
    assert words_of(text) == re.findall(r"\w+", text)


@given(st.text("017a .\u0661"), st.text("017a .\u0661"))
def test_texts_have_the_same_numbers_if_the_same_rows_of_digits_stand_in_both(one: str, other: str) -> None:
    rows = [sorted(re.findall(r"\d+", text)) for text in (one, other)]
    assert have_the_same_numbers(one, other) is (rows[0] == rows[1])
