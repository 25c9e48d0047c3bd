"""The sitemap connector against the failures that connectors are known for, class by class, over real HTTP."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from include.connectors.sitemap import SitemapConnector
from include.domain.documents import Presence
from include.domain.errors import SourceUnavailable
from include.domain.manifest import DocumentState, RunState
from include.domain.plan import HoldReason
from tests.connector_sources import Reply, TurnableClock, http_server
from tests.known_failures.site import Site
from tests.websites import HTML, NAMESPACE, WebPage, Website, days_ago, redirect, serving, sitemap, sitemap_connector

PATHS = [f"/p{number:02}" for number in range(30)]
XML = "application/xml"


def site_over(web: Website, **options: Any) -> Site:
    return Site(lambda clock: sitemap_connector(web, clock=TurnableClock(clock.now()), **options))


@pytest.fixture
def web() -> Iterator[Website]:
    with serving(Website.of(*PATHS)) as web:
        yield web


@pytest.fixture
def site(web: Website) -> Site:
    """An installation that has indexed the website."""
    site = site_over(web)
    assert site.night().state is RunState.TRUE
    return site


def everything(reply: Reply) -> Callable[[Website], None]:
    return lambda web: setattr(web, "everything", reply)


def files(**replies: Reply) -> Callable[[Website], None]:
    return lambda web: web.files.update({f"/{name.replace('_', '.')}": reply for name, reply in replies.items()})


def all_pages(reply: Reply) -> Callable[[Website], None]:
    def apply(web: Website) -> None:
        for page in web.pages.values():
            page.reply = reply

    return apply


def index_with(child: Reply) -> Callable[[Website], None]:
    """The sitemap becomes an index: its first child is as it should be, the second answers like this."""

    def apply(web: Website) -> None:
        web.files["/sitemap.xml"] = sitemap([web.id("/one.xml"), web.id("/two.xml")], index=True)
        web.files["/one.xml"] = sitemap(web.entries()[:20])
        web.files["/two.xml"] = child

    return apply


def noindex_for_all(web: Website) -> None:
    for page in web.pages.values():
        page.head = '<meta name="robots" content="noindex, nofollow">'


def one_canonical_for_all(web: Website) -> None:
    for page in web.pages.values():
        page.head = '<link rel="canonical" href="/p00">'


def half_under_construction(web: Website) -> None:
    for page in list(web.pages.values())[::2]:
        page.reply = Reply(200, b"<html><title>Soon</title><main><h1>Coming soon</h1></main></html>", HTML)


def shifting(web: Website) -> None:
    """An index whose second child changes with every reading."""
    index_with(Reply())(web)
    turns = iter(range(1000))

    def shift(web: Website) -> None:
        web.files["/two.xml"] = sitemap(web.entries()[20 + next(turns) % 9 :])

    web.between = shift


def broken_404(web: Website) -> None:
    web.missing = Reply(500)
    web.files["/robots.txt"] = Reply(200, b"", "text/plain")


def disallow_all(web: Website) -> None:
    web.files["/robots.txt"] = Reply(200, b"User-agent: *\nDisallow: /", "text/plain")


def refusal(connector: SitemapConnector) -> str:
    """Why the listing cannot be had or trusted. Fails when it is called complete."""
    try:
        listing = connector.list_documents()
    except SourceUnavailable as error:
        return str(error)
    assert not listing.complete, f"called complete with {len(listing.documents)} documents"
    return listing.proof.problem


SOON = Reply(200, b"<html><title>Coming soon</title><main><h1>Coming soon</h1></main></html>", HTML)
LOGIN = Reply(200, b"<html><title>Log in</title><main><form>Password<input type=password></form></main></html>", HTML)
APP = Reply(200, b"<!doctype html><html><head><title>App</title></head><body><div id=root></div></body></html>", HTML)
GOOD = f'<?xml version="1.0"?><urlset {NAMESPACE}><url><loc>http://x/p</loc></url>'.encode()
FAULTS: dict[str, tuple[Callable[[Website], None], str]] = {
    "401": (everything(Reply(401, b"", HTML)), "answers 401 where a sitemap was due"),
    "403": (everything(Reply(403, b"", HTML)), "answers 403 where a sitemap was due"),
    "404": (everything(Reply(404, b"", HTML)), "answers 404 where a sitemap was due"),
    "429": (everything(Reply(429)), "answers 429"),
    "500": (everything(Reply(500)), "answers 500"),
    "503 with a wish": (everything(Reply(503, b"", HTML, {"Retry-After": "600"})), "answers 503"),
    "520": (everything(Reply(520, b"", HTML)), "answers 520"),
    "a bot wall": (everything(Reply(403, b"", HTML, {"cf-mitigated": "challenge"})), "bot wall"),
    "breaks off": (files(sitemap_xml=Reply(200, GOOD + b"</urlset>", XML, cut=40)), "broke off"),
    "304 unasked": (files(sitemap_xml=Reply(304)), "answers 304"),
    "200 and nothing": (files(sitemap_xml=Reply(200, b"", XML)), "is empty"),
    "200 and an empty list": (files(sitemap_xml=sitemap([])), "an empty list proves nothing"),
    "200 and HTML": (files(sitemap_xml=LOGIN), "no sitemap"),
    "200 and HTML for all": (everything(APP), "is HTML"),
    "maintenance, 200 for all": (everything(SOON), "no sitemap"),
    "cut XML": (files(sitemap_xml=Reply(200, GOOD, XML)), "breaks off"),
    "cut gzip": (files(sitemap_xml=Reply(200, gzip.compress(GOOD + b"</urlset>")[:-4], XML)), "breaks off"),
    "a feed": (files(sitemap_xml=Reply(200, b"<rss/>", XML)), "feeds are not read"),
    "redirect to a login": (everything(redirect("https://login.example/", 302)), "leads to another host"),
    "redirect in a circle": (files(sitemap_xml=redirect("/sitemap.xml")), "redirects more than five times"),
    "only other sites": (files(sitemap_xml=sitemap(["https://staging.example/a"])), "an empty list proves nothing"),
    "child: 404": (index_with(Reply(404, b"", HTML)), "two.xml answers 404"),
    "child: 500": (index_with(Reply(500)), "two.xml answers 500"),
    "child: empty": (index_with(Reply(200, b"", XML)), "two.xml is empty"),
    "child: no entries": (index_with(sitemap([])), "two.xml lists nothing"),
    "child: HTML": (index_with(LOGIN), "two.xml is no sitemap"),
    "child: cut": (index_with(Reply(200, GOOD, XML)), "two.xml is XML that breaks off"),
    "child: elsewhere": (index_with(redirect("https://cdn.example/two.xml")), "leads to another host"),
    "changes while it is read": (shifting, "no two in a row agree"),
    "robots.txt: 500": (files(robots_txt=Reply(500)), "robots.txt answers 500"),
    "robots.txt: HTML": (files(robots_txt=APP), "unknown which sitemaps there are"),
    "robots.txt: 403": (files(robots_txt=Reply(403)), "unknown which sitemaps there are"),
    "robots.txt: closed to all": (disallow_all, "no page of 30 listed is readable"),
    "pages: 401": (all_pages(Reply(401, b"", HTML)), "no page of 30 listed is readable and public"),
    "pages: 404": (all_pages(Reply(404, b"", HTML)), "no page of 30 listed is readable and public"),
    "pages: 503": (all_pages(Reply(503, b"", HTML)), "the site stopped answering"),
    "pages: 520": (all_pages(Reply(520, b"", HTML)), "the site stopped answering"),
    "pages that do not exist: 500": (broken_404, "for a page that does not exist is unknown"),
    "pages: cut": (all_pages(Reply(200, b"<html>" + b"x" * 99, HTML, cut=50)), "the site stopped answering"),
    "pages: login form": (all_pages(LOGIN), "no page of 30 listed is readable and public"),
    "pages: redirect to a login": (all_pages(redirect("/login", 302)), "no page of 30 listed is readable and public"),
    "pages: coming soon": (all_pages(SOON), "30 of 30 pages show one and the same text"),
    "pages: half coming soon": (half_under_construction, "15 of 30 pages show one and the same text"),
    "pages: an empty application": (all_pages(APP), "no page of 30 listed is readable"),
    "pages: noindex": (noindex_for_all, "no page of 30 listed is readable and public"),
    "pages: one canonical": (one_canonical_for_all, "29 of 30 listed pages lead to"),
    "pages: one redirect": (all_pages(redirect("/sale")), "no page of 30 listed is readable"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_fe_01_no_failure_looks_like_a_smaller_site_and_the_next_good_night_writes_nothing(
    fault: str, web: Website, site: Site
) -> None:
    break_it, words = FAULTS[fault]
    before, embedded = site.chunks(), len(site.embedder.embedded)
    pages = {path: WebPage(page.body, page.title) for path, page in web.pages.items()}
    break_it(web)
    connector = sitemap_connector(web)
    assert words in refusal(connector)
    assert connector.probe(web.id("/never")) is Presence.UNKNOWN
    manifest = site.night()
    assert manifest.state is RunState.UNPROVEN
    assert words in manifest.reason
    assert manifest.outcomes == ()
    assert site.chunks() == before
    web.files, web.everything, web.missing, web.between, web.pages = {}, None, None, None, pages
    manifest = site.night()
    assert (manifest.state, manifest.outcomes) == (RunState.TRUE, ())
    assert len(site.embedder.embedded) == embedded


@pytest.mark.parametrize("host", ["http://127.0.0.1:9", "http://no-such-host.invalid"])
def test_fe_05_a_site_that_is_not_there_is_no_empty_site(host: str, web: Website, site: Site) -> None:
    before = site.chunks()
    own, web.url = web.url, host
    assert site.night().state is RunState.UNPROVEN
    assert sitemap_connector(web).probe(f"{host}/a") is Presence.UNKNOWN
    web.url = own
    assert site.chunks() == before


@pytest.mark.parametrize(
    "reply", [Reply(200, b"x", HTML, cut=0), Reply(503, b""), Reply(429, b"")], ids=["refused", "503", "429"]
)
def test_fe_06_pages_that_fail_on_two_nights_are_never_deleted(reply: Reply, web: Website, site: Site) -> None:
    before = site.texts()
    web.pages["/p07"].reply, web.pages["/p07"].is_listed = reply, False
    for _ in range(2):
        manifest = site.night()
        assert [outcome.state for outcome in manifest.outcomes] == [DocumentState.KEPT]
        assert site.texts() == before
    del web.pages["/p07"]
    assert site.night().count(DocumentState.DELETED) == 1


def test_fe_06_a_404_proves_nothing_while_pages_that_are_listed_answer_404_too(web: Website, site: Site) -> None:
    """The sitemap comes from a cache; the table behind the pages is lost after the listing."""
    connector = sitemap_connector(web)
    assert connector.list_documents().complete
    for page in web.pages.values():
        page.reply = Reply(404, b"", HTML)
    assert connector.probe(web.id("/p07")) is Presence.UNKNOWN
    for page in web.pages.values():
        page.reply = None
    assert connector.probe(web.id("/gone")) is Presence.GONE


def test_fe_06_a_site_that_turns_every_page_into_its_not_found_page_after_the_listing_is_in_doubt(
    web: Website, site: Site
) -> None:
    connector = sitemap_connector(web)
    connector.list_documents()
    web.everything = SOON
    assert connector.probe(web.id("/p07")) is not Presence.GONE
    assert connector.probe(web.id("/never")) is not Presence.GONE


def test_fe_07_a_page_that_is_away_for_one_night_is_neither_deleted_nor_embedded_again(
    web: Website, site: Site
) -> None:
    before, embedded = site.chunks(), len(site.embedder.embedded)
    web.pages["/p03"].reply = Reply(503, b"", HTML)
    manifest = site.night()
    assert [(each.doc_id, each.state) for each in manifest.outcomes] == [(web.id("/p03"), DocumentState.FAILED)]
    web.pages["/p03"].reply = None
    manifest = site.night()
    assert (manifest.state, manifest.outcomes) == (RunState.TRUE, ())
    assert site.chunks() == before
    assert len(site.embedder.embedded) == embedded


def test_an_outage_in_the_middle_of_the_pages_ends_the_listing_soon(web: Website, site: Site) -> None:
    before = site.chunks()

    def down_after(web: Website) -> None:
        if len(web.requests) == 15:
            web.everything = Reply(503, b"", HTML)

    web.requests.clear()
    web.between = down_after
    assert site.night().state is RunState.UNPROVEN
    assert len(web.requests) < 15 + 2 * 8, "not every page is tried against a site that is down"
    assert site.chunks() == before


def test_a_section_that_is_broken_does_not_end_the_listing(web: Website, site: Site) -> None:
    for path in PATHS[5:17]:
        web.pages[path].reply = Reply(500, b"", HTML)
    web.pages["/p20"].body = "<p>Edited</p>"
    manifest = site.night()
    assert manifest.state is RunState.DEGRADED
    assert (manifest.count(DocumentState.FAILED), manifest.count(DocumentState.REPLACED)) == (12, 1)


def test_pl_13_entries_with_images_cdata_and_without_an_address_are_all_accounted_for(web: Website, site: Site) -> None:
    rows = "".join(
        f"<url><image:image><image:loc>{web.url}/i.png</image:loc></image:image><loc><![CDATA[{web.url}{path}]]></loc></url>"
        for path in PATHS
    )
    body = f'<urlset {NAMESPACE} xmlns:image="i">{rows}<url><loc></loc></url><url><loc>mailto:a@b</loc></url></urlset>'
    web.files["/sitemap.xml"] = Reply(200, body.encode(), XML)
    web.pages["/p29"].body = "<p>Edited</p>"
    manifest = site.night()
    assert manifest.state is RunState.DEGRADED
    failed = {each.doc_id: each.detail for each in manifest.outcomes if each.state is DocumentState.FAILED}
    assert len(failed) == 2
    assert any("entry 31 of" in why and "names no address" in why for why in failed.values())
    assert any("mailto:a@b" in why for why in failed.values())
    assert manifest.count(DocumentState.REPLACED) == 1
    assert manifest.proof is not None
    assert "2 without an address" in manifest.proof.detail
    assert site.documents() == {web.id(path) for path in PATHS}


def test_pl_15_pages_that_fail_are_counted_apart_from_removals_and_keep_their_text(web: Website, site: Site) -> None:
    before = site.texts()
    for path in PATHS[:2]:
        web.pages[path].reply = Reply(502, b"", HTML)
    del web.pages["/p29"]
    manifest = site.night()
    assert (manifest.count(DocumentState.FAILED), manifest.count(DocumentState.DELETED)) == (2, 1)
    assert {web.id(path): site.texts()[web.id(path)] for path in PATHS[:2]}.items() <= before.items()


@pytest.mark.parametrize("seed", range(8))
def test_a_site_that_lies_at_random_is_told_in_full_or_called_unproven(seed: int) -> None:
    """Children lost, cut, empty, changing between readings, in any mix: compared with the truth."""
    dice = random.Random(seed)
    with serving(Website.of(*PATHS)) as web:
        entries = web.entries()
        children = [entries[start : start + 6] for start in range(0, 30, 6)]
        web.files["/sitemap.xml"] = sitemap([web.id(f"/s{n}.xml") for n in range(5)], index=True)
        for number, child in enumerate(children):
            good = sitemap(child)
            spoilt = [Reply(404), Reply(200, good.body[:-30], XML), sitemap([]), LOGIN, Reply(500)]
            web.files[f"/s{number}.xml"] = dice.choice(spoilt) if dice.random() < 0.15 else good

        def move_one(web: Website) -> None:
            if dice.random() < 0.05:
                source, target = dice.sample(range(5), 2)
                if len(children[source]) > 1:
                    children[target].append(children[source].pop())
                    for number in (source, target):
                        web.files[f"/s{number}.xml"] = sitemap(children[number])

        web.between = move_one
        try:
            listing = sitemap_connector(web).list_documents()
        except SourceUnavailable:
            return
        assert not listing.complete or set(listing.documents) == {web.id(path) for path in PATHS}


def test_an_address_that_moves_to_a_file_already_read_is_not_lost(web: Website) -> None:
    web.files["/sitemap.xml"] = sitemap([web.id("/one.xml"), web.id("/two.xml")], index=True)
    web.files["/one.xml"], web.files["/two.xml"] = sitemap(web.entries()[:15]), sitemap(web.entries()[15:])

    def move_once(web: Website) -> None:
        if web.asked("/one.xml") == 1:
            web.files["/one.xml"], web.files["/two.xml"] = sitemap(web.entries()[:16]), sitemap(web.entries()[16:])

    web.between = move_once
    listing = sitemap_connector(web).list_documents()
    assert listing.complete
    assert len(listing.documents) == 30
    assert "3 readings" in listing.proof.detail


def test_more_pages_than_the_limit_prove_nothing(web: Website) -> None:
    listing = sitemap_connector(web, max_documents=29).list_documents()
    assert not listing.complete
    assert "the limit is 29 (max_documents)" in listing.proof.problem


def test_ur_01_every_form_of_removal_is_gone_after_one_night_without_any_event(web: Website, site: Site) -> None:
    del web.pages["/p01"]
    web.pages["/p02"].head = '<meta name="robots" content="noindex">'
    web.pages["/p03"].reply = redirect("/p04")
    assert site.night().count(DocumentState.DELETED) == 3
    assert site.documents() == {web.id(path) for path in PATHS} - {web.id(f"/p0{number}") for number in (1, 2, 3)}


def test_ur_03_many_removals_at_once_wait_for_a_person(web: Website, site: Site) -> None:
    for path in PATHS[:10]:
        del web.pages[path]
    manifest = site.night()
    assert manifest.state is RunState.HELD
    assert {hold.reason for hold in manifest.holds} == {HoldReason.DELETION_LIMIT}
    site.approve()
    assert site.night(released=True).count(DocumentState.DELETED) == 10


def test_ur_09_orphans_of_a_time_without_deletion_are_found_from_the_index_alone(web: Website) -> None:
    site = site_over(web)
    web.pages |= Website.of("/orphan").pages
    site.night()
    del web.pages["/orphan"]
    site.manifests.__init__()  # type: ignore[misc]  # the record of all runs is lost
    assert site.night().count(DocumentState.DELETED) == 1


def test_ur_11_one_edit_one_removal_and_one_addition_are_one_of_each(web: Website, site: Site) -> None:
    web.pages["/p01"].body = "<p>Edited</p>"
    del web.pages["/p02"]
    web.pages["/new"] = WebPage("<p>New</p>")
    manifest = site.night()
    states = sorted(each.state.value for each in manifest.outcomes)
    assert states == ["created", "deleted", "replaced"]


def test_id_01_a_paragraph_that_two_pages_share_survives_the_removal_of_one(web: Website, site: Site) -> None:
    for path in ("/p01", "/p02"):
        web.pages[path].body = f"<p>only {path}</p><p>this is no legal advice</p>"
    site.night()
    del web.pages["/p01"]
    site.night()
    assert "this is no legal advice" in site.texts()[web.id("/p02")]


def test_id_04_one_page_announced_in_many_spellings_is_one_document() -> None:
    with serving(Website.of("/a%20b", "/c", "/d")) as web:
        site = site_over(web)
        for spelling in ("/a b", "/a%20b?utm_source=x", "/a%20b#part", "/./a%20b", "/a b?gclid=1&fbclid=2"):
            web.files["/sitemap.xml"] = sitemap([web.id(spelling), web.id("/c"), web.id("/d")])
            manifest = site.night()
            assert site.documents() == {web.id("/a%20b"), web.id("/c"), web.id("/d")}
        assert manifest.outcomes == ()


def test_id_06_a_page_that_moves_between_two_sites_is_removed_from_the_old_one_alone(web: Website, site: Site) -> None:
    with serving(Website.of(*PATHS[:5])) as other:
        second = site_over(other, source="other")
        second.store = site.store
        other.pages["/p07"] = web.pages.pop("/p07")
        second.night()
        site.night()
        assert other.id("/p07") in second.documents()
        assert web.id("/p07") not in site.documents()


def test_id_09_a_page_that_comes_back_with_the_same_text_is_ingested(web: Website, site: Site) -> None:
    page = web.pages.pop("/p05")
    site.night()
    web.pages["/p05"] = page
    assert site.night().count(DocumentState.CREATED) == 1


def test_wm_01_a_change_before_a_failed_night_is_picked_up_with_every_kind_of_belief(tmp_path: Any) -> None:
    """What is remembered of a page says what the page was, not what the index got."""
    for mode in ("page", "etag", "lastmod"):
        with serving(Website.of(*PATHS)) as web:
            web.has_etags = True
            for page in web.pages.values():
                page.lastmod = days_ago(40)
            cache = tmp_path / mode

            def connect(clock: Any, web: Website = web, cache: Any = cache, mode: str = mode) -> Any:
                return sitemap_connector(web, cache, clock=TurnableClock(clock.now()), version=mode)

            site = Site(connect)
            site.night()
            web.pages["/p03"].body, web.pages["/p03"].lastmod = "<p>Changed at ten to two</p>", days_ago(20)
            embed = site.embedder.embed

            def broken(texts: object) -> object:
                raise RuntimeError("no embedder")

            site.embedder.embed = broken
            assert site.night().state is not RunState.TRUE
            site.embedder.embed = embed
            assert site.night().state is RunState.TRUE
            assert "Changed at ten to two" in site.texts()[web.id("/p03")], mode


def test_wm_04_an_edit_while_the_site_is_being_read_is_seen_tonight_or_tomorrow(web: Website, site: Site) -> None:
    def edit(web: Website) -> None:
        if len(web.requests) == 20:
            web.pages["/p01"].body = web.pages["/p28"].body = "<p>Edited meanwhile</p>"

    web.requests.clear()
    web.between = edit
    site.night()
    site.night()
    assert all("Edited meanwhile" in site.texts()[web.id(path)] for path in ("/p01", "/p28"))


def test_cs_01_nonces_build_times_and_counters_change_nothing(web: Website, site: Site) -> None:
    for _ in range(3):
        manifest = site.night()
        assert (manifest.state, manifest.outcomes) == (RunState.TRUE, ())


def test_cl_01_documents_in_are_documents_out_and_listed_failures(web: Website) -> None:
    web.pages |= {
        "/empty": WebPage("", reply=Reply(200, b"<html><body></body></html>", HTML)),
        "/binary": WebPage("", reply=Reply(200, b"\x00\x01\x02" * 300, HTML)),
        "/pdf": WebPage("", reply=Reply(200, b"%PDF-1.7", "application/pdf")),
        "/latin": WebPage(
            "", reply=Reply(200, "<html><main>Grüße aus Köln</main></html>".encode("latin-1"), "text/html")
        ),
        "/nul": WebPage("", reply=Reply(200, b"<html><main>before\x00after</main></html>", HTML)),
    }
    manifest = site_over(web).night()
    failed = {each.doc_id for each in manifest.outcomes if each.state is DocumentState.FAILED}
    assert failed == {web.id(path) for path in ("/empty", "/binary", "/pdf")}
    assert manifest.documents == len(web.pages) - 3


def test_cl_09_a_consent_notice_in_place_of_the_text_keeps_the_last_good_version(web: Website, site: Site) -> None:
    before = site.texts()
    for path in PATHS[:6]:
        web.pages[path].reply = Reply(200, b"<html><main><p>We value your privacy.</p></main></html>", HTML)
    assert site.night().state is RunState.HELD
    assert site.texts() == before


def test_cl_09_a_notice_on_both_pages_of_a_site_of_two_replaces_neither() -> None:
    with serving(Website.of("/a", "/b")) as web:
        site = Site(lambda clock: sitemap_connector(web, clock=TurnableClock(clock.now())))
        site.night()
        before = site.texts()
        for page in web.pages.values():
            page.reply = Reply(200, b"<html><main><p>Back soon.</p></main></html>", HTML)
        assert site.night().state is RunState.UNPROVEN
        assert site.texts() == before


def test_a_not_found_page_that_answers_200_is_never_indexed() -> None:
    with serving(Website.of(*PATHS)) as web:
        web.files["/robots.txt"] = Reply(200, b"", "text/plain")
        listed = sitemap([*web.entries(), (web.id("/ghost"), ""), (web.id("/section/ghost"), "")])
        web.files["/sitemap.xml"] = listed

        def missing(request: Any) -> Reply:
            if request.path in web.pages or request.path in web.files:
                return answer(request)
            words = f"<p>Nothing at {request.path}, try one of these: {random.choice(PATHS)}</p>"
            return Reply(200, web.render("Hmm", words).encode(), HTML)

        answer, url = web.answer, web.url
        with http_server(missing) as web.url:
            web.files["/sitemap.xml"] = Reply(200, listed.body.replace(url.encode(), web.url.encode()), XML)
            connector = sitemap_connector(web)
            listing = connector.list_documents()
            assert listing.complete, listing.proof.problem
            assert set(listing.documents) == {web.id(path) for path in PATHS}
            assert connector.probe(web.id("/ghost")) is Presence.GONE
            assert "answers 200" in listing.proof.detail
