"""PARTIAL-LISTING: a truncated, shifted or resumed listing taken as whole."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from include.domain.inventory import Listing
from include.domain.manifest import DocumentState, RunState
from tests.connector_sources import ModelCms, Reply, http_connector, http_server, model_options
from tests.known_failures.site import EditableCms, Site, filled, names, served


def listing_of(cms: ModelCms, **changes: Any) -> Listing:
    with http_server(cms.answer) as url:
        return http_connector(model_options(url, cms, **changes)).list_documents()


def assert_truth_or_unproven(cms: ModelCms, listing: Listing) -> None:
    assert set(listing.documents) == set(cms.ids) or not listing.complete


def test_pl_02_a_silent_cap_below_the_declared_total_is_no_whole_listing() -> None:
    """129 posts, asked for all of them in one answer, 100 come."""
    cms = EditableCms(names(129), style="none")
    with served(cms) as site:
        assert site.night().documents == 129
        before = site.chunks()
        cms.hidden_after = 100
        manifest = site.night()
        assert manifest.state is RunState.UNPROVEN
        assert "129" in manifest.reason
        assert "100" in manifest.reason
        assert site.chunks() == before


@pytest.mark.parametrize("style", ["page", "offset", "cursor", "next_url", "link_header"])
def test_pl_02_the_second_page_is_read_whatever_the_first_one_was_capped_at(style: str) -> None:
    listing = listing_of(ModelCms(names(129), style=style, clamp=100), size=1000)
    assert listing.complete
    assert len(listing.documents) == 129


@pytest.mark.parametrize("style", ["page", "offset"])
@pytest.mark.parametrize("echo", [True, False])
@pytest.mark.parametrize("totals", [True, False])
def test_pl_04_a_clamped_page_size_with_offsets_of_the_asked_one_leaves_no_hole(
    style: str, echo: bool, totals: bool
) -> None:
    """Asked for 250, clamped to 100, 700 documents: pages start 250 apart."""
    cms = ModelCms(names(700), style=style, clamp=100, clamp_counts_asked_size=True, echo=echo, totals=totals)
    assert_truth_or_unproven(cms, listing_of(cms, size=250))


@pytest.mark.parametrize("style", ["page", "offset"])
@pytest.mark.parametrize("count", [99, 100, 101, 140, 200])
def test_pl_06_without_any_sign_of_an_end_a_full_page_is_asked_beyond(style: str, count: int) -> None:
    cms = ModelCms(names(count), style=style, clamp=100, totals=False, echo=False)
    listing = listing_of(cms, size=100)
    assert listing.complete
    assert len(listing.documents) == count


@pytest.mark.parametrize(
    "page_2",
    [
        Reply.of({"items": [], "total": 30, "size": 10, "number": 2}),
        Reply.of({"items": []}),
        Reply(500, b"{}"),
        Reply(200, b"<html>Sign in</html>", "text/html"),
        Reply(200, b'{"items": [{"id": "d00'),
        Reply(200, b'{"items": null, "total": 30}'),
        Reply(404, b"{}"),
    ],
    ids=["empty with a total", "empty", "500", "login page", "cut off", "null", "404"],
)
def test_pl_08_a_failed_page_is_no_end_although_all_living_documents_are_on_the_page_before(page_2: Reply) -> None:
    cms = EditableCms(names(30))
    with served(cms) as site:
        site.night()
        before = site.chunks()
        cms.later = page_2
        manifest = site.night()
        assert manifest.state is RunState.UNPROVEN
        assert site.chunks() == before


def test_pl_09_a_filtered_listing_that_pages_differently_is_held_to_its_own_total() -> None:
    """With a filter the endpoint ignores the page number and serves the first 50 again and again."""

    class Filtered(EditableCms):
        def _list(self, query: dict[str, str]) -> Reply:
            return super()._list({**query, "page": "1"} if "space" in query else query)

    cms = Filtered(names(1000), clamp=50, echo=False)
    listing = listing_of(cms, size=50)
    assert listing.complete
    with http_server(cms.answer) as url:
        options = model_options(url, cms, size=50)
        options["list"]["params"] = {"space": "docs"}
        filtered = http_connector(options).list_documents()
        assert not filtered.complete
        options["list"]["paging"].pop("total")
        assert not http_connector(options).list_documents().complete


def test_pl_11_without_totals_an_absent_document_is_asked_for_by_id_before_it_goes() -> None:
    cms = EditableCms(names(40), totals=False)
    with served(cms) as site:
        assert site.night().state is RunState.TRUE
        cms.unlisted = {"d0005"}
        manifest = site.night()
        assert manifest.state is RunState.DEGRADED
        assert [outcome.state for outcome in manifest.outcomes] == [DocumentState.KEPT]
        assert "present" in manifest.outcomes[0].detail
        assert "d0005" in site.documents()
        cms.ids.remove("d0005")
        assert site.night().count(DocumentState.DELETED) == 1


def test_pl_11_a_total_that_a_cache_strips_from_some_pages_is_noticed() -> None:
    cms = ModelCms(names(40))
    cms.replies = {2: Reply.of({"items": [{"id": one, "v": "v"} for one in names(20)[10:]]})}
    assert_truth_or_unproven(cms, listing_of(cms))


def test_pl_13_an_entry_that_cannot_be_read_is_unknown_and_listed_with_a_reason_never_dropped() -> None:
    cms = EditableCms(names(20), states=dict.fromkeys(names(20), "published"))
    with served(cms, public={"status": ["published"]}) as site:
        site.night()
        cms.states["d0004"] = 7  # type: ignore[assignment]
        del cms.states["d0005"]
        manifest = site.night()
        assert manifest.state is RunState.DEGRADED
        states = {outcome.doc_id: outcome.state for outcome in manifest.outcomes if outcome.detail}
        # A state that is not on the allow-list is private; no state at all is unknown, and unknown is not absent.
        assert states == {"d0004": DocumentState.DELETED, "d0005": DocumentState.FAILED}
        assert "d0005" in site.documents()


def test_pl_13_an_entry_without_an_id_makes_the_whole_listing_useless() -> None:
    cms = ModelCms(names(20))
    cms.replies = {1: Reply.of({"items": [{"v": "x"}, {"id": "", "v": "y"}], "total": 20, "size": 10, "number": 1})}
    with served(EditableCms(names(20))) as site:
        site.night()
        before = site.chunks()
        with http_server(cms.answer) as url:
            site.connect = Site.of_http(model_options(url, cms)).connect
            assert site.night().state is RunState.UNPROVEN
        assert site.chunks() == before


def test_pl_15_pages_that_fail_are_counted_apart_from_removals_and_keep_their_last_good_text() -> None:
    cms = EditableCms(names(200))
    with served(cms, size=100) as site:
        site.night()
        before = site.texts()
        bad = ["d0010", "d0020", "d0030"]
        cms.texts = {doc_id: "another text" + doc_id for doc_id in bad}
        cms.broken = dict.fromkeys(bad, Reply(502, b"", "text/html"))
        cms.ids.remove("d0199")
        manifest = site.night()
        assert manifest.state is RunState.DEGRADED
        assert manifest.count(DocumentState.FAILED) == 3
        assert manifest.count(DocumentState.DELETED) == 1
        assert {doc_id: site.texts()[doc_id] for doc_id in bad} == {doc_id: before[doc_id] for doc_id in bad}


@pytest.mark.parametrize("style", ["page", "offset", "cursor", "next_url", "link_header"])
@pytest.mark.parametrize("change", ["insert", "delete"])
def test_what_changes_between_two_pages_is_seen_or_the_listing_is_not_whole(style: str, change: str) -> None:
    def between(cms: ModelCms) -> None:
        if cms.list_pages in (2, 4):
            if change == "insert":
                cms.ids.insert(0, f"a{cms.list_pages}")
            else:
                cms.ids.pop(0)

    cms = ModelCms(names(60), style=style, between=between)
    listing = listing_of(cms, size=10)
    living = set(cms.ids)
    missed = living - set(listing.documents)
    assert not listing.complete or not missed


@pytest.mark.parametrize("seed", range(12))
def test_a_source_that_lies_at_random_is_told_in_full_or_called_unproven(seed: int) -> None:
    """Clamps, missing totals, silent caps, removed rows, repeated pages in any mix: compared with the truth."""
    dice = random.Random(seed)
    cms = ModelCms(
        names(dice.randint(1, 130)),
        style=dice.choice(["none", "page", "offset", "cursor", "next_url", "link_header"]),
        clamp=dice.choice([7, 50, 100]),
        echo=dice.random() < 0.5,
        clamp_counts_asked_size=dice.random() < 0.3,
    )
    if dice.random() < 0.5:
        cms.hidden_after = dice.randint(0, len(cms.ids))
    if dice.random() < 0.3:
        cms.total_of = lambda total: total + dice.choice([0, 0, 1])
    assert_truth_or_unproven(cms, listing_of(cms, size=dice.choice([1, 7, 100, 1000])))


@pytest.mark.parametrize("spoil", [lambda s: setattr(s, "cut_off", 39), lambda s: setattr(s, "scope_verified", False)])
def test_one_row_too_few_or_a_scope_in_doubt_is_enough(spoil: Callable[[Any], None]) -> None:
    source, site = filled(40)
    before = site.chunks()
    spoil(source)
    assert site.night().state is RunState.UNPROVEN
    assert site.chunks() == before
