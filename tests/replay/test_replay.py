"""After every sync the index equals the folder, over months of what people really did to their documentation.

The whole histories are replayed by `python -m tests.replay`; here are the small one and the steps that broke others.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from include.domain.documents import Status, StoredChunk
from include.domain.manifest import RunState
from tests.replay.history import MINI, REPLAYS, histories
from tests.replay.oracle import Page
from tests.replay.replay import Replayer, Report, differences

pytestmark = pytest.mark.skipif(not REPLAYS.is_dir(), reason=f"the recorded histories are not at {REPLAYS}")


def assert_exact(report: Report) -> None:
    assert report.exact, "\n".join(report.different[:20])
    assert report.embedded == report.minimum
    assert report.held == report.approved


def test_forty_steps_of_a_handbook_leave_an_exact_index_after_each_and_then_nothing_to_do(tmp_path: Path) -> None:
    replayer = Replayer(MINI, tmp_path)
    report = replayer.run(set(range(41)))
    assert_exact(report)
    assert report.syncs == 41
    assert report.held == 4, "the four mass moves wait for a person"
    assert report.moved > 250
    assert report.moved_embedded == 0, "what only moved is not embedded again"
    assert report.phrases["gone"] == 25
    again = replayer.again()
    assert (again.state, again.outcomes) == (RunState.TRUE, ())


@pytest.mark.parametrize(
    ("history", "syncs", "held"),
    [
        pytest.param("fastapi-docs-en", {0, 1, 12, 22, 83}, 1, id="a first fill, shrinking pages, 64 edits"),
        pytest.param("handbook-18f", {553, 554, 555, 556}, 1, id="145 deletions, and a page that becomes a symlink"),
        pytest.param("crossplane-docs", {182, 183, 184}, 2, id="all move twice", marks=pytest.mark.slow),
        pytest.param("kubernetes-community", {215, 216, 392, 393}, 2, id="242 tombstones", marks=pytest.mark.slow),
        pytest.param("peps-2017", {42, 43, 44, 45}, 2, id="400 renames and their revert", marks=pytest.mark.slow),
    ],
)
def test_notable_steps_leave_an_exact_index(history: str, syncs: set[int], held: int, tmp_path: Path) -> None:
    report = Replayer(history, tmp_path).run(syncs)
    assert_exact(report)
    assert report.held == held
    assert report.moved_embedded == 0 or report.moved_embedded < report.minimum


@pytest.mark.slow
@pytest.mark.parametrize("history", histories())
def test_a_whole_history_sampled_leaves_an_exact_index(history: str, tmp_path: Path) -> None:
    assert_exact(Replayer(history, tmp_path).run(set(range(0, 600, 50))))


def test_the_comparison_sees_a_chunk_too_many_a_wrong_text_and_a_lost_page() -> None:
    """The replay proves nothing if its own comparison is blind."""

    def chunk(text: str, index: int, count: int, **changes: object) -> StoredChunk:
        values: dict[str, object] = {
            "point_id": f"{text}{index}",
            "source": "s",
            "doc_id": "a.md",
            "doc_version": "v1",
            "content_hash": "c",
            "chunk_hash": "h",
            "pipeline": "p",
            "chunk_index": index,
            "chunk_count": count,
            "status": Status.PUBLISHED.value,
            "fetched_at": None,
            "text": text,
            **changes,
        }
        return StoredChunk(**values)  # type: ignore[arg-type]

    pages = {"a.md": Page("v1", "one two", ("one", "two"))}
    right = [chunk("one", 0, 2), chunk("two", 1, 2)]

    def found(stored: dict[str, list[StoredChunk]]) -> list[str]:
        return list(differences(pages, stored, pipeline="p"))

    assert found({"a.md": right}) == []
    assert found({"a.md": [*right, chunk("three", 2, 2)]})
    assert found({"a.md": [right[0], chunk("TWO", 1, 2)]})
    assert found({"a.md": [right[0], chunk("two", 1, 2, status="incoming")]})
    assert found({"a.md": [right[0], chunk("two", 1, 2, doc_version="v0")]})
    assert found({})
    assert found({"a.md": right, "b.md": right})
