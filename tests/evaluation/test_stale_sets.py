"""The detector on real registers, where they are: what is staged is stale. `make eval-staleness` runs all of them."""

from __future__ import annotations

import pytest

from include.staleness.evidence import Proposal
from tests.evaluation.stale_histories import history
from tests.evaluation.stale_material import ABSENT, DATA
from tests.evaluation.stale_registers import REGISTERS, peps_of, register
from tests.evaluation.staleness import LEAST_PRECISION, NEVER_LIMITED, Measured, detect, is_red, measure, wrongly_staged

pytestmark = pytest.mark.skipif(not (DATA / "replays").is_dir(), reason=ABSENT)


def test_of_what_is_staged_in_the_registers_hardly_anything_is_alive() -> None:
    (measured,) = measure(register(name) for name in REGISTERS)
    assert measured.mistaken == []
    assert measured.staged.right >= 100
    assert measured.staged.right / measured.stale >= 0.6


@pytest.mark.parametrize("year", [2008, 2020])
def test_what_was_staged_in_an_earlier_year_is_still_replaced_today(year: int) -> None:
    (measured,) = measure([peps_of(year)])
    assert measured.mistaken == []
    assert measured.staged.right >= 5


@pytest.mark.slow
def test_nothing_that_a_site_kept_for_a_year_is_staged() -> None:
    """Editions in folders, elections of two years, working groups that were renamed."""
    assert [each.mistaken for each in measure(history("kubernetes-community", (0.1,)))] == [[]]


def test_claims_that_have_no_force_stage_nothing() -> None:
    """A withdrawn PEP, a joke and a closed BIP that claim to replace what is in force or has another heir."""
    for name, claimed, by in (
        ("peps", "PEP-0345", "PEP-0426"),
        ("xeps", "XEP-0393", "XEP-0457"),
        ("bips", "BIP-0009", "BIP-0135"),
    ):
        material = register(name)
        detection = detect(name, material.subjects, material.observed, NEVER_LIMITED, now=material.now)
        heirs = {each.key.doc_id: each.replacement.doc_id for each in detection.of(Proposal.STAGE) if each.replacement}
        assert heirs.get(claimed) != by


def test_one_mistake_in_a_hundred_is_as_many_as_may_be() -> None:
    good = Measured("x")
    good.staged.found, good.staged.right = 100, 99
    assert LEAST_PRECISION == 0.99
    assert not is_red([good])
    good.staged.found = 101
    assert is_red([good])
    good.staged.found = 100
    good.mistaken.append("peps: a: superseded 0.95")
    good.missed_by_readers.append("a")
    assert is_red([good])
    assert wrongly_staged([good, Measured("y")]).splitlines() == [
        "100 staged: 1 of them alive, 1 of those referred to by others",
        "alive and staged: peps: a: superseded 0.95",
    ]
