"""The sitemap connector over real HTTP: what an owner does, what site, page and probe say, what the index does."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from include.connectors.credentials import Credentials
from include.connectors.registry import check
from include.domain.dates import Precision, Trust
from include.domain.documents import Presence
from include.domain.errors import ConfigError, DocumentGone, DocumentNotPublic, DocumentUnreadable, SourceUnavailable
from include.domain.manifest import DocumentState, RunState
from include.text.normalise import extract
from tests.connector_sources import NOW, Reply, Request, TurnableClock, http_server
from tests.known_failures.site import Site
from tests.websites import (
    HTML,
    WebPage,
    Website,
    days_ago,
    redirect,
    serving,
    sitemap,
    sitemap_connector,
    text_of,
)

PATHS = [f"/p{number:02}" for number in range(30)]
PAGE = "/p07"
TARGET = "/p08"


def site_over(web: Website, **options: object) -> Site:
    """An installation whose source is this website; each run has a connector of its own."""
    return Site(lambda clock: sitemap_connector(web, clock=TurnableClock(clock.now()), **options))  # type: ignore[arg-type]


def reply(answer: Reply) -> Callable[[Website], None]:
    return lambda web: setattr(web.pages[PAGE], "reply", answer)


def head(markup: str) -> Callable[[Website], None]:
    return lambda web: setattr(web.pages[PAGE], "head", markup)


def header(name: str, value: str) -> Callable[[Website], None]:
    return lambda web: web.pages[PAGE].headers.update({name: value})


def body(html: str) -> Callable[[Website], None]:
    return lambda web: setattr(web.pages[PAGE], "body", html)


def delete(web: Website) -> None:
    del web.pages[PAGE]


def unlisted_too(action: Callable[[Website], None]) -> Callable[[Website], None]:
    def both(web: Website) -> None:
        action(web)
        if PAGE in web.pages:
            web.pages[PAGE].is_listed = False

    return both


ROBOTS = Reply(200, b"User-agent: *", "text/plain")


def soft_404(web: Website) -> None:
    web.files["/robots.txt"] = ROBOTS
    web.missing = Reply(200, web.render("Oops", "<p>We looked everywhere and found nothing.</p>").encode(), HTML)
    del web.pages[PAGE]
    web.files["/sitemap.xml"] = sitemap([web.id(path) for path in PATHS])


def redirected_404(web: Website) -> None:
    web.files["/robots.txt"] = ROBOTS
    web.missing = redirect("/")
    web.pages["/"] = WebPage("<p>Welcome.</p>", is_listed=False)
    del web.pages[PAGE]
    web.files["/sitemap.xml"] = sitemap([web.id(path) for path in PATHS])


def unlist(web: Website) -> None:
    web.pages[PAGE].is_listed = False


def forbid(web: Website) -> None:
    web.files["/robots.txt"] = Reply(200, f"User-agent: *\nDisallow: {PAGE}".encode(), "text/plain")


LOGIN = "<form method=post>Password <input type=password></form>"
NOINDEX = '<meta name="robots" content="noindex">'
PRESENT, GONE, NOT_PUBLIC = Presence.PRESENT, Presence.GONE, Presence.NOT_PUBLIC
MOVED, UNKNOWN = Presence.MOVED, Presence.UNKNOWN
REPLACED, REFRESHED, DELETED = DocumentState.REPLACED, DocumentState.REFRESHED, DocumentState.DELETED
KEPT, FAILED = DocumentState.KEPT, DocumentState.FAILED
# action: (what the owner does, listing, probe, outcome of the night)
TABLE: dict[str, tuple[Callable[[Website], None], str, Presence, DocumentState | None]] = {
    "edits": (body("<p>Another text</p>"), "new version", PRESENT, REPLACED),
    "shortens": (body("<p>Text</p>"), "new version", PRESENT, REPLACED),
    "changes the template": (body(f"<p class=x><span>Text of</span> {PAGE}</p>"), "as before", PRESENT, None),
    "deletes": (delete, "absent", GONE, DELETED),
    "deletes, says 410": (unlisted_too(reply(Reply(410, b"", HTML))), "absent", GONE, DELETED),
    "deletes, sitemap cached": (reply(Reply(404, b"", HTML)), "absent", GONE, DELETED),
    "deletes, site has no 404": (soft_404, "absent", GONE, DELETED),
    "deletes, site leads home": (redirected_404, "absent", GONE, DELETED),
    "protects: 401": (reply(Reply(401, b"", HTML)), "absent", NOT_PUBLIC, DELETED),
    "protects: 403": (unlisted_too(reply(Reply(403, b"", HTML))), "absent", NOT_PUBLIC, DELETED),
    "protects: password form": (body(f"<p>Protected.</p>{LOGIN}"), "absent", NOT_PUBLIC, DELETED),
    "protects: login page": (reply(redirect("/login", 302)), "absent", NOT_PUBLIC, DELETED),
    "sets noindex": (head(NOINDEX), "absent", NOT_PUBLIC, DELETED),
    "sets noindex by header": (header("X-Robots-Tag", "noindex"), "absent", NOT_PUBLIC, DELETED),
    "lets it expire": (header("X-Robots-Tag", "unavailable_after: 2026-01-01"), "absent", NOT_PUBLIC, DELETED),
    "will let it expire": (header("X-Robots-Tag", "unavailable_after: 2030-01-01"), "new version", PRESENT, REFRESHED),
    "merges by redirect": (unlisted_too(reply(redirect(TARGET))), "absent", MOVED, DELETED),
    "merges by 308": (reply(redirect(TARGET, 308)), "absent", MOVED, DELETED),
    "merges by refresh": (head(f'<meta http-equiv="refresh" content="0; url={TARGET}">'), "absent", MOVED, DELETED),
    "merges by canonical": (head(f'<link rel="canonical" href="{TARGET}?utm_source=x">'), "absent", MOVED, DELETED),
    "moves off the site": (reply(redirect("https://other.example/x")), "absent", MOVED, DELETED),
    "redirects to what is gone": (reply(redirect("/nowhere")), "absent", GONE, DELETED),
    "hides for a while": (reply(redirect(TARGET, 302)), "absent", NOT_PUBLIC, DELETED),
    "unlists": (unlist, "absent", PRESENT, KEPT),
    "disallows": (forbid, "unreadable", UNKNOWN, FAILED),
    "breaks: 500": (reply(Reply(500, b"", HTML)), "unreadable", UNKNOWN, FAILED),
    "breaks: 418": (reply(Reply(418, b"", HTML)), "unreadable", UNKNOWN, FAILED),
    "breaks: no text": (reply(Reply(200, b"<html><div id=app></div></html>", HTML)), "unreadable", UNKNOWN, FAILED),
    "breaks: circle": (reply(redirect(PAGE)), "unreadable", UNKNOWN, FAILED),
    "breaks: canonical to nothing": (head('<link rel="canonical" href="/nowhere">'), "unreadable", UNKNOWN, FAILED),
    "breaks: a picture": (reply(Reply(200, b"\x89PNG", "image/png")), "unreadable", UNKNOWN, FAILED),
    "canonical to another site": (head('<link rel="canonical" href="//other.example">'), "as before", PRESENT, None),
    "canonical to itself": (head(f'<link rel="canonical" href="{PAGE}#top">'), "as before", PRESENT, None),
}  # fmt: skip


@pytest.mark.parametrize("action", TABLE)
def test_the_state_table(action: str) -> None:
    act, listed, presence, outcome = TABLE[action]
    with serving(Website.of(*PATHS)) as web:
        site = site_over(web)
        assert site.night().state is RunState.TRUE
        doc_id = web.id(PAGE)
        before = sitemap_connector(web).list_documents().documents[doc_id]
        act(web)
        connector = sitemap_connector(web)
        listing = connector.list_documents()
        assert listing.complete, listing.proof.problem
        after = listing.documents.get(doc_id)
        seen = "absent" if after is None else "unreadable" if after.unreadable else "as before"
        assert (seen if after is None or after.unreadable or after == before else "new version") == listed
        assert set(listing.documents) - {doc_id} == {web.id(path) for path in PATHS} - {doc_id}
        assert connector.probe(doc_id) is presence
        if listed == "absent" and presence is not Presence.PRESENT:
            with pytest.raises((DocumentGone, DocumentNotPublic)):
                connector.fetch(doc_id)
        if listed == "unreadable":
            with pytest.raises((DocumentUnreadable, SourceUnavailable)):
                connector.fetch(doc_id)
        manifest = site.night()
        outcomes = {each.doc_id: each.state for each in manifest.outcomes}
        assert outcomes == ({} if outcome is None else {doc_id: outcome})
        assert (doc_id in site.documents()) is (outcome is not DocumentState.DELETED)


def test_a_move_brings_the_new_address_and_removes_the_old_one_in_one_night() -> None:
    with serving(Website.of(*PATHS)) as web:
        site = site_over(web)
        site.night()
        web.pages["/new"] = replace(web.pages[PAGE])
        web.pages[PAGE].reply = redirect("/new")
        states = {each.doc_id: each.state for each in site.night().outcomes}
        assert states == {web.id("/new"): DocumentState.CREATED, web.id(PAGE): DocumentState.DELETED}
        assert site.night().outcomes == ()


def test_a_page_comes_back_as_itself() -> None:
    with serving(Website.of(*PATHS)) as web:
        site = site_over(web)
        site.night()
        before = site.texts()
        page = web.pages.pop(PAGE)
        site.night()
        web.pages[PAGE] = page
        assert site.night().count(DocumentState.CREATED) == 1
        assert site.texts() == before


def test_the_target_of_a_redirect_is_a_document_though_no_sitemap_lists_it() -> None:
    with serving(Website.of("/a", "/b")) as web:
        web.pages["/new"] = WebPage("<p>Moved here</p>", is_listed=False)
        web.pages["/a"].reply = redirect("/new")
        listing = sitemap_connector(web).list_documents()
        assert set(listing.documents) == {web.id("/new"), web.id("/b")}
        assert "1 led to another" in listing.proof.detail


def test_unlisted_pages_are_removed_where_the_owner_says_that_the_sitemap_is_complete() -> None:
    with serving(Website.of(*PATHS)) as web:
        site = site_over(web, unlisted="remove")
        site.night()
        web.pages[PAGE].is_listed = False
        web.pages[TARGET].reply = Reply(418, b"", HTML)
        assert site.night().count(DocumentState.KEPT) == 1, "an unreadable page might be the one that leads to it"
        web.pages[TARGET].reply = None
        assert site.night().count(DocumentState.DELETED) == 1


def test_spellings_of_one_page_are_one_document_for_list_fetch_and_probe() -> None:
    with serving(Website.of("/a%20b", "/c")) as web:
        port = web.url.rpartition(":")[2]
        spellings = [f"{web.url}/a b", f"{web.url}/a%20b?utm_source=mail", f"HTTP://127.0.0.1:{port}/./a%20b#x"]
        web.files["/sitemap.xml"] = sitemap([*spellings, f"{web.url}/c"])
        connector = sitemap_connector(web)
        listing = connector.list_documents()
        assert set(listing.documents) == {f"{web.url}/a%20b", f"{web.url}/c"}
        assert "2 named twice" in listing.proof.detail
        assert [connector.fetch(one).key.doc_id for one in spellings] == [f"{web.url}/a%20b"] * 3
        assert connector.probe(f"{web.url}/a%20b") is Presence.PRESENT
        assert connector.probe(spellings[1]) is Presence.MOVED, "an id of another spelling is none"


@pytest.mark.parametrize("order", [("/a", "/b"), ("/b", "/a")])
def test_two_pages_that_call_each_other_canonical_are_one_document_whoever_is_asked_first(
    order: tuple[str, str],
) -> None:
    with serving(Website.of(*order, "/c")) as web:
        web.pages["/a"].head = '<link rel="canonical" href="/b">'
        web.pages["/b"].head = '<link rel="canonical" href="/a">'
        connector = sitemap_connector(web)
        assert set(connector.list_documents().documents) == {web.id("/a"), web.id("/c")}
        assert connector.fetch(web.id("/a")).key.doc_id == web.id("/a")
        assert connector.probe(web.id("/b")) is Presence.MOVED


def test_a_canonical_link_without_the_slash_that_the_site_adds_is_the_page_itself() -> None:
    with serving(Website.of("/a/", "/c")) as web:
        web.pages["/a/"].head = '<link rel="canonical" href="/a">'
        web.pages["/a"] = WebPage("", reply=redirect("/a/"), is_listed=False)
        connector = sitemap_connector(web)
        assert set(connector.list_documents().documents) == {web.id("/a/"), web.id("/c")}
        assert connector.fetch(web.id("/a/")).url == web.id("/a/")


def test_a_circle_and_an_endless_chain_of_redirects_end() -> None:
    with serving(Website.of(*(f"/r{number}" for number in range(10)), "/x", "/y", "/c", "/d")) as web:
        for number in range(10):
            web.pages[f"/r{number}"].reply = redirect(f"/r{number + 1}", 301)
        web.pages["/r10"] = WebPage("<p>The end</p>", is_listed=False)
        web.pages["/x"].reply, web.pages["/y"].reply = redirect("/y", 302), redirect("/x", 302)
        listing = sitemap_connector(web).list_documents()
        assert "more than 5 times" in listing.documents[web.id("/r0")].unreadable
        assert not listing.documents[web.id("/r10")].unreadable
        assert all("circle" in listing.documents[web.id(path)].unreadable for path in ("/x", "/y"))
        assert all(web.asked(f"/r{number}") == 1 for number in range(11)), "each page is asked once"


def test_a_page_that_was_listed_is_not_asked_for_a_second_time_in_the_run() -> None:
    with serving(Website.of("/a", "/b")) as web:
        connector = sitemap_connector(web)
        listing = connector.list_documents()
        fetched = connector.fetch(web.id("/a"))
        assert (web.asked("/a"), fetched.version) == (1, listing.documents[web.id("/a")].version)
        web.pages["/a"].body = "<p>Newer</p>"
        assert "Newer" in text_of(connector.fetch(web.id("/a"))), "what was kept is given once, then asked for"


def test_pages_for_which_there_is_no_room_are_asked_for_again() -> None:
    with serving(Website.of("/a", "/b")) as web:
        connector = sitemap_connector(web, spool_bytes=0)
        version = connector.list_documents().documents[web.id("/a")].version
        assert connector.fetch(web.id("/a")).version == version
        assert web.asked("/a") == 2


def test_a_fetch_without_a_listing_has_the_same_version_and_date() -> None:
    with serving(Website.of("/a", "/b")) as web:
        web.pages["/a"].lastmod = "2024-05-01"
        listed = sitemap_connector(web)
        version = listed.list_documents().documents[web.id("/a")].version
        alone = sitemap_connector(web).fetch(web.id("/a"))
        assert (alone.version, alone.dates) == (version, listed.fetch(web.id("/a")).dates)
        assert len(alone.dates) == 1
        with pytest.raises(SourceUnavailable, match="no other document is known to be alive"):
            sitemap_connector(web).fetch(web.id("/nope"))


def test_dates_come_with_origin_and_precision() -> None:
    published = '<meta property="article:published_time" content="2024-01-02T03:04:05+02:00">'
    with serving(
        Website({"/a": WebPage("<p>x</p>", head=published, lastmod="2024-05-01"), "/b": WebPage("<p>y</p>")})
    ) as web:
        web.pages["/b"].headers["Last-Modified"] = "Fri, 25 Jun 2010 15:00:00 GMT"
        web.pages["/b"].head = '<meta property="article:modified_time" content="2024-03-03T00:00:00Z">'
        connector = sitemap_connector(web)
        connector.list_documents()
        first, second = extract(connector.fetch(web.id("/a"))), extract(connector.fetch(web.id("/b")))
    assert first.updated_at is not None
    assert (first.updated_at.precision, first.updated_at.origin) == (Precision.DAY, "sitemap lastmod")
    assert first.created_at is not None
    assert first.created_at.value == datetime(2024, 1, 2, 1, 4, 5, tzinfo=UTC)
    assert first.created_at.origin == "meta article:published_time"
    assert second.created_at is None
    assert second.updated_at is not None
    assert second.updated_at.origin == "meta article:modified_time"


@pytest.mark.parametrize("lastmod", ["", "yesterday", "2024-13-01", "0001-01-01", "2999-01-01", "01.05.2024"])
def test_a_date_that_is_none_is_unknown(lastmod: str) -> None:
    with serving(Website.of("/a", "/b")) as web:
        web.pages["/a"].lastmod = lastmod
        assert extract(sitemap_connector(web).fetch(web.id("/a"))).updated_at is None


def test_one_date_for_nearly_all_pages_is_that_of_the_build_and_not_trusted() -> None:
    with serving(Website.of(*PATHS)) as web:
        for page in web.pages.values():
            page.lastmod = "2026-02-28T23:59:00Z"
        connector = sitemap_connector(web)
        connector.list_documents()
        date = extract(connector.fetch(web.id(PAGE))).updated_at
        assert date is not None
        assert date.trust is Trust.UNKNOWN


def test_dates_within_one_build_are_that_of_the_build_though_no_two_are_the_same() -> None:
    with serving(Website.of(*PATHS)) as web:
        for number, page in enumerate(web.pages.values()):
            page.lastmod = (NOW - timedelta(minutes=20, seconds=number * 1.7)).isoformat()
        connector = sitemap_connector(web)
        connector.list_documents()
        date = extract(connector.fetch(web.id(PAGE))).updated_at
        assert date is not None
        assert date.trust is Trust.UNKNOWN


def test_dates_that_are_hours_apart_are_trusted() -> None:
    with serving(Website.of(*PATHS)) as web:
        for number, page in enumerate(web.pages.values()):
            page.lastmod = days_ago(1 + number / 12)
        connector = sitemap_connector(web)
        connector.list_documents()
        date = extract(connector.fetch(web.id(PAGE))).updated_at
        assert date is not None
        assert date.trust is Trust.HIGH


def test_a_date_that_moves_with_every_build_writes_nothing() -> None:
    with serving(Website.of(*PATHS)) as web:
        site = site_over(web)
        for night in range(3):
            for page in web.pages.values():
                page.lastmod = days_ago(3 - night)
            manifest = site.night()
        assert (manifest.state, manifest.outcomes) == (RunState.TRUE, ())


@pytest.mark.parametrize("mode", ["etag", "lastmod"])
def test_what_is_believed_saves_requests_and_never_text(mode: str, tmp_path: Path) -> None:
    clock = TurnableClock()
    with serving(Website.of(*PATHS)) as web:
        web.has_etags = mode == "etag"
        for page in web.pages.values():
            page.lastmod = days_ago(30)

        def listing_now() -> dict[str, str]:
            listing = sitemap_connector(web, tmp_path, clock=clock, version=mode).list_documents()
            assert listing.complete
            return {doc_id: each.version for doc_id, each in listing.documents.items()}

        first = listing_now()
        assert first == {
            doc_id: each.version for doc_id, each in sitemap_connector(web).list_documents().documents.items()
        }, "the version does not depend on the mode"
        clock.elapsed += 86_400
        web.requests.clear()
        assert listing_now() == first
        asked = [request for request in web.requests if request.path in PATHS]
        assert len(asked) == (0 if mode == "lastmod" else 30)
        assert all("if-none-match" in request.headers for request in asked)
        assert (
            "30 unchanged" in sitemap_connector(web, tmp_path, clock=clock, version=mode).list_documents().proof.detail
        )
        stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        assert stored
        assert b"Text of" not in stored
        web.pages[PAGE].body, web.pages[PAGE].lastmod = "<p>Edited</p>", days_ago(-1)
        clock.elapsed += 86_400
        connector = sitemap_connector(web, tmp_path, clock=clock, version=mode)
        after = connector.list_documents().documents
        assert {doc_id for doc_id in first if first[doc_id] != after[doc_id].version} == {web.id(PAGE)}
        assert "Edited" in text_of(connector.fetch(web.id(PAGE)))
        assert "Text of" in text_of(connector.fetch(web.id(TARGET)))


def test_a_remembered_page_is_read_again_after_a_while_whatever_the_dates_say(tmp_path: Path) -> None:
    clock = TurnableClock()
    with serving(Website.of(*PATHS)) as web:
        for page in web.pages.values():
            page.lastmod = days_ago(100)
        before = sitemap_connector(web, tmp_path, clock=clock, version="lastmod").list_documents().documents
        web.pages[PAGE].head = NOINDEX  # and the sitemap does not tell
        read = set()
        for _ in range(14):
            clock.elapsed += 86_400
            web.requests.clear()
            listing = sitemap_connector(web, tmp_path, clock=clock, version="lastmod").list_documents()
            read |= {request.path for request in web.requests if request.path in PATHS}
        assert read == set(PATHS)
        assert set(before) - set(listing.documents) == {web.id(PAGE)}


@pytest.mark.parametrize(("age", "read_again"), [(0.0, True), (0.9, True), (1.4, True), (3.0, False)])
def test_a_date_in_days_is_believed_once_no_edit_can_hide_in_it(age: float, read_again: bool, tmp_path: Path) -> None:
    """Edited twice on one day: the second edit does not move the date."""
    clock = TurnableClock()
    with serving(Website.of("/a", "/b", "/c")) as web:
        web.pages["/a"].lastmod = days_ago(age)[:10]
        sitemap_connector(web, tmp_path, clock=clock, version="lastmod").list_documents()
        web.requests.clear()
        web.pages["/a"].body = "<p>The second edit of the day</p>"
        sitemap_connector(web, tmp_path, clock=clock, version="lastmod").list_documents()
        assert bool(web.asked("/a")) is read_again


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"settings": 1, "pages": {}}', b'{"pages": {"a": 1}}'])
def test_a_damaged_or_foreign_memory_is_an_empty_one(damage: bytes, tmp_path: Path) -> None:
    with serving(Website.of("/a", "/b", "/c")) as web:
        for page in web.pages.values():
            page.lastmod = days_ago(30)
        sitemap_connector(web, tmp_path, version="lastmod").list_documents()
        (file,) = tmp_path.iterdir()
        file.write_bytes(damage)
        web.requests.clear()
        assert sitemap_connector(web, tmp_path, version="lastmod").list_documents().complete
        assert web.asked("/a") == 1
        web.requests.clear()
        sitemap_connector(web, tmp_path, version="lastmod", content="main").list_documents()
        assert web.asked("/a") == 1, "another selector makes other texts"


def test_sitemaps_are_found_in_robots_txt_and_named_in_the_scope() -> None:
    with serving(Website.of("/a", "/b", "/c")) as web:
        web.files["/robots.txt"] = Reply(200, b"Sitemap: /one.xml\nSitemap: /two.txt", "text/plain")
        web.files["/one.xml"] = Reply(200, gzip.compress(sitemap([web.id("/a")]).body), "text/html")
        web.files["/two.txt"] = Reply(200, f"{web.url}/b\n{web.url}/c\n".encode(), "text/plain")
        listing = sitemap_connector(web).list_documents()
        assert listing.complete, listing.proof.problem
        assert len(listing.documents) == 3
        assert listing.proof.scope == f"anonymous; 2 sitemaps: {web.url}/one.xml, {web.url}/two.txt"


def test_an_index_of_indexes_is_read_and_one_that_names_itself_ends() -> None:
    with serving(Website.of("/a", "/b")) as web:
        web.files["/sitemap.xml"] = sitemap([web.id("/s1.xml"), web.id("/sitemap.xml")], index=True)
        web.files["/s1.xml"] = sitemap([web.id("/s2.xml")], index=True)
        web.files["/s2.xml"] = sitemap(web.entries())
        listing = sitemap_connector(web).list_documents()
        assert listing.complete, listing.proof.problem
        assert len(listing.documents) == 2
        assert "named twice" in listing.proof.detail


def test_a_sitemap_may_be_reached_by_redirects_within_the_site() -> None:
    with serving(Website.of("/a", "/b")) as web:
        web.files["/sitemap.xml"] = redirect("/sitemap_index.xml", 302)
        web.files["/sitemap_index.xml"] = sitemap(web.entries())
        assert sitemap_connector(web).list_documents().complete
        web.files["/sitemap.xml"] = redirect("https://elsewhere.example/sitemap.xml")
        with pytest.raises(SourceUnavailable, match="another host"):
            sitemap_connector(web).list_documents()


def test_pages_of_other_sites_and_excluded_ones_are_left_out_and_counted() -> None:
    with serving(Website.of("/a", "/b", "/x.pdf")) as web:
        web.files["/sitemap.xml"] = sitemap([*web.entries(), ("https://other.example/a", "")])
        connector = sitemap_connector(web, exclude=["*.pdf"])
        listing = connector.list_documents()
        assert set(listing.documents) == {web.id("/a"), web.id("/b")}
        assert "1 on other sites, 1 excluded" in listing.proof.detail
        assert connector.probe(web.id("/x.pdf")) is Presence.NOT_PUBLIC, "what is excluded now was not before"
        assert connector.probe("https://other.example/a") is Presence.GONE


def test_robots_rules_and_crawl_delay_are_kept_and_may_be_set_aside() -> None:
    clock = TurnableClock()
    with serving(Website.of("/a", "/b", "/c")) as web:
        rules = b"User-agent: truecopy\nCrawl-delay: 60\nDisallow: /a\n"
        web.files["/robots.txt"] = Reply(200, rules, "text/plain")
        listing = sitemap_connector(web, clock=clock, crawl_delay_max=3).list_documents()
        assert "robots.txt of the site forbids" in listing.documents[web.id("/a")].unreadable
        assert web.asked("/a") == 0
        assert [pause for pause in clock.sleeps if pause > 2.9] == [3.0] * (len(clock.sleeps))
        assert clock.sleeps
        ours = sitemap_connector(web, obey_robots=False).list_documents()
        assert not any(each.unreadable for each in ours.documents.values())


def test_a_site_that_answers_under_another_of_its_names_is_one_site() -> None:
    """The configured name redirects every address to another name; ids stay under the configured one."""
    inner = Website.of("/a", "/b")
    with serving(inner):
        real = f"localhost:{inner.url.rpartition(':')[2]}"
        with http_server(lambda request: redirect(f"http://{real}{request.path}")) as inner.url:
            connector = sitemap_connector(inner, hosts=[inner.url.removeprefix("http://"), real])
            listing = connector.list_documents()
            assert listing.complete, listing.proof.problem
            assert set(listing.documents) == {inner.id("/a"), inner.id("/b")}
            assert connector.probe(inner.id("/a")) is Presence.PRESENT
            assert connector.probe(inner.id("/nope")) is Presence.GONE


def test_a_redirect_that_adds_a_session_or_a_visitors_mark_is_the_same_page() -> None:
    with serving(Website.of("/a", "/b")) as web:
        web.pages["/a"].reply = redirect("/a?utm_source=self")
        web.pages["/a?utm_source=self"] = WebPage("<p>Marked</p>", is_listed=False)
        connector = sitemap_connector(web)
        listing = connector.list_documents()
        assert not listing.documents[web.id("/a")].unreadable
        assert "Marked" in text_of(connector.fetch(web.id("/a")))


def test_a_redirect_may_be_written_in_utf_8_and_relative() -> None:
    with serving(Website.of("/deep/a", "/b")) as web:
        web.pages["/deep/a"].reply = redirect("gr\u00f6\u00dfe".encode().decode("latin-1"))
        web.pages["/deep/gr%C3%B6%C3%9Fe"] = WebPage("<p>Here</p>", is_listed=False)
        assert web.id("/deep/gr%C3%B6%C3%9Fe") in sitemap_connector(web).list_documents().documents


def test_a_section_may_have_a_not_found_page_of_its_own() -> None:
    web = Website.of("/app/a", "/app/b", "/app/c", "/app/ghost")
    web.pages["/app/ghost"] = WebPage("<p>We could not open this view.</p>", title="Oh")
    whole = web.answer

    def answer(request: Request) -> Reply:
        is_missing = request.path.startswith("/app/") and request.path not in web.pages
        return whole(replace(request, path="/app/ghost")) if is_missing else whole(request)

    web.answer = answer  # type: ignore[method-assign]
    with serving(web):
        connector = sitemap_connector(web)
        assert set(connector.list_documents().documents) == {web.id(f"/app/{name}") for name in "abc"}
        assert connector.probe(web.id("/app/ghost")) is Presence.GONE


def test_a_small_section_may_have_a_not_found_page_of_its_own() -> None:
    web = Website.of(*PATHS, "/help/a", "/help/b", "/shop/a", "/shop/b", "/shop/ghost")
    web.pages["/shop/ghost"] = WebPage("<p>This product has left our range.</p>", title="Shop")
    whole = web.answer

    def answer(request: Request) -> Reply:
        is_missing = request.path.startswith("/shop/") and request.path not in web.pages
        return whole(replace(request, path="/shop/ghost")) if is_missing else whole(request)

    web.answer = answer  # type: ignore[method-assign]
    with serving(web):
        connector = sitemap_connector(web)
        listing = connector.list_documents()
        assert web.id("/shop/ghost") not in listing.documents
        assert len(listing.documents) == len(PATHS) + 4
        assert connector.probe(web.id("/shop/ghost")) is Presence.GONE


def test_a_not_found_page_with_other_suggestions_each_time_is_told_by_what_stays_the_same() -> None:
    web = Website.of(*PATHS, "/ghost", "/alike")
    web.files["/robots.txt"] = Reply(200, b"", "text/plain")
    web.pages["/alike"] = WebPage(
        "<p>We looked for it everywhere, and perhaps you would like to as well.</p>", title="Hm"
    )
    whole = web.answer

    def answer(request: Request) -> Reply:
        if request.path in {*PATHS, "/alike", "/sitemap.xml", "/robots.txt"}:
            return whole(request)
        suggested = " ".join(f"article-{random.random()}" for _ in range(random.randint(25, 40)))
        words = f"<p>We looked for {request.path} everywhere. Perhaps you would like</p>{suggested}"
        return Reply(200, web.render("Hm", words).encode(), HTML)

    web.answer = answer  # type: ignore[method-assign]
    with serving(web):
        connector = sitemap_connector(web)
        assert set(connector.list_documents().documents) == {web.id(path) for path in (*PATHS, "/alike")}
        assert connector.probe(web.id("/ghost")) is Presence.GONE


def test_a_header_hides_a_page_whose_etag_has_not_changed(tmp_path: Path) -> None:
    with serving(Website.of(*PATHS)) as web:
        web.has_etags = True
        sitemap_connector(web, tmp_path, version="etag").list_documents()
        web.pages[PAGE].headers["X-Robots-Tag"] = "noindex"
        listing = sitemap_connector(web, tmp_path, version="etag").list_documents()
        assert web.id(PAGE) not in listing.documents
        assert len(listing.documents) == 29


def test_a_password_in_the_address_of_the_site_is_used_and_never_shown() -> None:
    seen: list[Request] = []

    def answer(request: Request) -> Reply:
        seen.append(request)
        return web.answer(request) if "authorization" in request.headers else Reply(401, b"", HTML)

    web = Website.of("/a", "/b")
    with http_server(answer) as web.url:
        options = {"url": web.url.replace("://", "://reader:s3cret@"), "sitemap": "sitemap.xml"}
        connector = sitemap_connector(web, **options)
        listing = connector.list_documents()
        assert listing.complete, listing.proof.problem
        assert "s3cret" not in repr(listing)
        assert listing.proof.scope.startswith("reader; ")
        web.everything = Reply(404, b"", HTML)
        with pytest.raises(SourceUnavailable) as caught:
            connector.list_documents()
        assert "s3cret" not in str(caught.value)


def test_a_credential_counts_only_if_the_site_refuses_those_who_have_none() -> None:
    def guarded(web: Website) -> Callable[[Request], Reply]:
        open_answer = web.answer

        def answer(request: Request) -> Reply:
            return open_answer(request) if "authorization" in request.headers else Reply(401, b"", HTML)

        return answer

    secret = Credentials(basic=("reader", "s3cret"))
    with serving(Website.of("/a", "/b")) as web:
        doubtful = sitemap_connector(web, credentials=secret).list_documents()
        assert not doubtful.complete
        assert "served without one" in doubtful.proof.problem
    closed = Website.of("/a", "/b")
    closed.answer = guarded(closed)  # type: ignore[method-assign]
    with serving(closed):
        listing = sitemap_connector(closed, credentials=secret).list_documents()
        assert listing.complete, listing.proof.problem
        assert listing.proof.scope.startswith("reader; ")
        with pytest.raises(SourceUnavailable, match="answers 401"):
            sitemap_connector(closed).list_documents()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "url: is missing"),
        ({"url": "example.org"}, "an http or https URL"),
        ({"url": "https://e.org", "content": "div[["}, "a CSS selector"),
        ({"url": "https://e.org", "soft_404": ["("]}, "a regular expression"),
        ({"url": "https://e.org", "exclude": ["internal/*"]}, "a glob that starts with"),
        ({"url": "https://e.org", "hosts": ["https://e.org/"]}, "a host name"),
        ({"url": "https://e.org", "version": "hash"}, "'page', 'etag' or 'lastmod'"),
        ({"url": "https://e.org", "unlisted": "drop"}, "'keep' or 'remove'"),
        ({"url": "https://e.org", "colour": 1}, "is not an option here"),
    ],
)
def test_a_wrong_option_is_named_with_what_is_allowed(options: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        check("sitemap", "web", options)
