"""Real registers and real names: no link and no head is wrong, and what nobody can tell waits for a person."""

from __future__ import annotations

import pytest

from tests.evaluation.families.named import judge_families, latest_by_date
from tests.evaluation.families.questions import ORDINARY, asked
from tests.evaluation.families.registers import ABSENT, DATA, REGISTERS, Shown, register
from tests.evaluation.families.scores import score

pytestmark = [
    pytest.mark.slow,
    pytest.mark.sample,
    pytest.mark.skipif(not (DATA / "supersession").is_dir(), reason=ABSENT),
]


@pytest.mark.parametrize("name", REGISTERS)
def test_with_headers_shown_every_true_link_is_made_and_no_other(name: str) -> None:
    found = score(name, Shown.ALL)
    assert found.wrong == ()
    assert found.precision == 1
    assert found.recall is not None
    assert found.recall >= 0.98
    assert found.heads_wrong == ()
    assert found.heads_unseen == frozenset()
    assert found.forks_in_review == register(name, Shown.ALL).truth.forked
    assert found.forks_decided == frozenset()


@pytest.mark.parametrize("name", REGISTERS)
@pytest.mark.parametrize("shown", [Shown.STATES, Shown.NOTHING])
def test_with_headers_hidden_nothing_that_is_decided_is_wrong(name: str, shown: Shown) -> None:
    found = score(name, shown)
    assert found.wrong == ()
    assert found.heads_wrong == ()


def test_prose_puts_true_answers_among_the_options() -> None:
    waiting = {name: len(score(name, Shown.NOTHING).in_review) for name in REGISTERS}
    assert waiting["peps"] >= 15
    assert waiting["xeps"] >= 22


@pytest.mark.parametrize("name", [*REGISTERS, *ORDINARY])
def test_with_headers_shown_prose_changes_no_decision_and_asks_next_to_nothing(name: str) -> None:
    found = asked(name, Shown.ALL)
    assert found.changed == ()
    assert found.added_per_thousand <= 1


@pytest.mark.parametrize("name", ORDINARY)
def test_of_ordinary_documents_that_state_nothing_prose_asks_little(name: str) -> None:
    found = asked(name, Shown.NOTHING)
    assert found.changed == ()
    assert found.added_per_thousand <= 3


def test_what_the_registers_are_known_for() -> None:
    """PEP 101 replaces 102 and BIP 78 replaces 79, the lower number wins; of the claims of a withdrawn, a closed
    document and a joke none counts; twelve OEPs say that they are superseded and name nobody."""
    assert ("PEP-0101", "PEP-0102") in score("peps", Shown.ALL).found
    assert ("BIP-0078", "BIP-0079") in score("bips", Shown.ALL).found
    for name, claim in (
        ("peps", ("PEP-0426", "PEP-0345")),
        ("bips", ("BIP-0135", "BIP-0009")),
        ("xeps", ("XEP-0457", "XEP-0393")),
    ):
        assert claim in register(name, Shown.ALL).truth.void
        assert claim not in score(name, Shown.ALL).right | score(name, Shown.ALL).wrong_pairs
    assert score("openedx-oeps", Shown.ALL).open_ends == 12


def test_of_names_alone_nothing_is_taken_for_another() -> None:
    outcomes = {verdict.family.name: verdict for verdict in judge_families()}
    assert [verdict.why for verdict in outcomes.values() if verdict.outcome == "wrong"] == []
    assert sum(verdict.outcome == "right" for verdict in outcomes.values()) >= 26
    assert outcomes["MoJ multi-cluster decision"].outcome == "in review"


def test_the_latest_docs_version_is_the_one_that_the_site_called_so_at_each_date() -> None:
    assert [(date, current) for date, latest, current in latest_by_date() if current != latest] == []
