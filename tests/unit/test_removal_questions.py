"""Before a document is removed the source is asked for that one document; of very many, for a sample."""

from __future__ import annotations

from dataclasses import replace

import pytest

from include.domain.documents import Presence
from include.domain.manifest import DocumentState, Manifest, RunState
from include.planning.limits import Limits
from include.services.reading import GIVE_UP_AFTER
from tests.builders import context_of, night
from tests.fakes.clock import FakeClock
from tests.fakes.source import FakeConnector, FakeSource

PAGES = 300


class Probed(FakeConnector):
    """Answers some questions by heart, and counts them all."""

    def __init__(self, content: FakeSource, clock: FakeClock, answers: dict[str, Presence]) -> None:
        super().__init__(content, clock)
        self.answers = answers
        self.asked: list[str] = []

    def probe(self, doc_id: str) -> Presence:
        self.asked.append(doc_id)
        return self.answers.get(doc_id) or super().probe(doc_id)


def after_losing(
    lost: int, answers: dict[str, Presence], *, questions: int, declares_total: bool = True
) -> tuple[Manifest, Probed]:
    """The night after `lost` of 300 pages vanished from the listing, in a source without other limits."""
    source = FakeSource(declares_total=declares_total)
    for number in range(PAGES):
        source.put(f"page-{number:03}", f"page {number}")
    clock = FakeClock()
    connector = Probed(source, clock, answers)
    limits = Limits(deletion_percent=100, window_percent=100)
    context = replace(context_of(connector, clock=clock, limits=limits), removal_questions=questions)
    assert night(context, "fill").state is RunState.TRUE
    for number in range(lost):
        source.delete(f"page-{number:03}")
    return night(context, "night"), connector


def test_each_document_of_an_ordinary_removal_is_asked_for() -> None:
    manifest, connector = after_losing(20, {}, questions=20)
    assert (manifest.state, manifest.count(DocumentState.DELETED), manifest.removals_asked) == (RunState.TRUE, 20, 20)
    assert len(set(connector.asked)) == 20
    assert all("asked by id at" in outcome.detail for outcome in manifest.outcomes)


def test_of_a_large_removal_a_sample_is_asked_for_and_the_manifest_says_how_many() -> None:
    manifest, connector = after_losing(100, {}, questions=20)
    assert (manifest.count(DocumentState.DELETED), manifest.removals_asked, len(connector.asked)) == (100, 20, 20)
    unasked = [outcome for outcome in manifest.outcomes if "not asked by id: 20 of 100 were" in outcome.detail]
    assert len(unasked) == 80


@pytest.mark.parametrize("doubt", [Presence.PRESENT, Presence.UNKNOWN])
def test_one_doubt_in_the_sample_and_every_document_is_asked_for(doubt: Presence) -> None:
    lost = [f"page-{number:03}" for number in range(100)]
    answers = dict.fromkeys(lost[::2], doubt)  # a sample of twenty finds one of fifty
    manifest, connector = after_losing(100, answers, questions=20)
    assert manifest.removals_asked == len(set(connector.asked)) == 100
    assert manifest.count(DocumentState.DELETED) == manifest.count(DocumentState.KEPT) == 50
    assert manifest.state is RunState.DEGRADED


def test_without_a_declared_total_every_document_is_asked_for() -> None:
    manifest, _ = after_losing(100, {}, questions=20, declares_total=False)
    assert (manifest.count(DocumentState.DELETED), manifest.removals_asked) == (100, 100)


def test_a_source_that_stopped_answering_is_not_asked_for_every_document() -> None:
    answers = {f"page-{number:03}": Presence.UNKNOWN for number in range(100)}
    manifest, connector = after_losing(100, answers, questions=20)
    assert manifest.count(DocumentState.KEPT) == 100
    assert len(connector.asked) == manifest.removals_asked == GIVE_UP_AFTER


@pytest.mark.parametrize("presence", [Presence.GONE, Presence.NOT_PUBLIC, Presence.MOVED])
def test_gone_hidden_and_moved_are_absent(presence: Presence) -> None:
    manifest, _ = after_losing(1, {"page-000": presence}, questions=20)
    (outcome,) = manifest.outcomes
    assert outcome.state is DocumentState.DELETED
    assert outcome.detail.endswith(presence.value)
