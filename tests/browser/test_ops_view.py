"""The ops view as people use it: in a browser, inside a real Airflow, over what real runs left behind."""

from __future__ import annotations

import pytest
import requests

from include.wiring.runs import APPLY_HELD, RECONCILE
from scripts.airflow_local import ops_view_problem
from tests.browser.browser import Browser
from tests.browser.site import CANDIDATES, HOSTILE, Site

pytestmark = [pytest.mark.browser, pytest.mark.airflow]

PHONE, DESK = 390, 1280
WAITING = ("is read from the index", "looked through \u2026")


@pytest.fixture
def paths(site: Site) -> dict[str, str]:
    return {
        "overview": "/",
        "source": "/sources/handbook",
        "runs": "/runs",
        "run": f"/runs/{RECONCILE}/{site.run_id}/guide",
        "held": "/held",
        "plan": f"/held/guide/{site.held.checksum}",
        "review": "/review",
        "candidate": f"/review/handbook/{[*CANDIDATES][-1]}",
        "explain": "/explain?q=the latest refunds of kind 3",
        "documents": "/document?q=page",
        "document": f"/document/handbook/{[*CANDIDATES][-1]}",
    }


def headers(site: Site, account: str) -> dict[str, str]:
    answer = requests.post(
        f"{site.url}/auth/token", json={"username": account, "password": site.password(account)}, timeout=30
    )
    return {"Authorization": f"Bearer {answer.json()['access_token']}", "Accept": "text/html"}


def test_the_menu_of_airflow_leads_into_the_ops_view(browser: Browser) -> None:
    browser.driver.switch_to.default_content()
    browser.driver.get(f"{browser.url}/")
    browser.link("truecopy").click()
    browser.enter()
    assert browser.driver.current_url.startswith(f"{browser.url}/plugin/truecopy")
    assert "1 of 3 sources is true" in browser.text


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_every_page_is_readable_at_any_width_in_any_theme_and_for_anybody(
    browser: Browser, paths: dict[str, str], width: int, theme: str
) -> None:
    browser.size(DESK)
    browser.theme(theme)
    browser.open()
    browser.shot(f"airflow-{theme}")
    browser.driver.get_log("browser")
    browser.alone("/")
    assert browser.find("html").get_attribute("data-theme") == theme
    browser.size(width)
    for name, path in paths.items():
        browser.go(path)
        if name in ("plan", "document"):
            browser.until(lambda: not any(said in browser.text for said in WAITING), "the parts that come later")
        height = browser.driver.execute_script("return document.documentElement.scrollHeight")
        browser.size(width, min(int(height), 4000))
        browser.shot(f"{name}-{width}-{theme}")
        browser.size(width)
        assert browser.overflow() <= 0, f"{name} is wider than {width} px"
        assert browser.barriers() == [], name
    assert browser.complaints() == []
    browser.size(DESK)


def test_the_pages_follow_airflows_theme_at_once(browser: Browser) -> None:
    browser.theme("light")
    browser.open()
    assert browser.find("html").get_attribute("data-theme") == "light"
    browser.driver.execute_script(
        "const outer = parent.document.documentElement.classList; outer.remove('light'); outer.add('dark')"
    )
    browser.until(lambda: browser.find("html").get_attribute("data-theme") == "dark", "the dark theme")


def test_cards_say_what_is_true_what_is_held_and_why_a_source_failed(browser: Browser, site: Site) -> None:
    browser.open()
    cards = {
        each.find_element("css selector", "h2").text: each
        for each in browser.driver.find_elements("tag name", "article")
    }
    assert "True" in cards["handbook"].text
    assert f"{len(site.held.changes)} changes held" in cards["guide"].text
    assert "Never proven" in cards["news"].text
    assert "is it mounted?" in cards["news"].text


def test_a_replaced_page_shows_what_changed_in_its_text(browser: Browser) -> None:
    browser.open()
    browser.go(f"/runs/{RECONCILE}/cli__second/handbook")
    browser.find("#outcomes summary").click()
    assert "[-6-] {+14+} days" in browser.find(".diff").text


def test_outcomes_are_filtered_without_leaving_the_page(browser: Browser, site: Site) -> None:
    browser.open()
    browser.go(f"/runs/{RECONCILE}/cli__first/handbook")
    before = browser.path
    browser.find("#outcomes-q").send_keys("page-07")
    browser.until(lambda: "1 to 1 of 1 document" in browser.text, "the filtered list")
    assert browser.path == before
    assert "page-07.md" in browser.text
    assert "page-08.md" not in browser.text


def test_a_link_to_the_airflow_run_works_from_the_frame_and_one_leads_back(
    browser: Browser, site: Site, paths: dict[str, str]
) -> None:
    browser.open()
    browser.go(paths["run"])
    browser.link("Airflow run").click()
    browser.driver.switch_to.default_content()
    wanted = f"/dags/{RECONCILE}/runs/{site.run_id}"
    browser.until(lambda: wanted in browser.driver.current_url, wanted)
    browser.until(
        lambda: site.run_id in browser.driver.find_element("tag name", "body").text, "Airflow's page of the run"
    )
    browser.shot("airflow-run")

    task = f"{site.url}/api/v2/dags/{RECONCILE}/dagRuns/{site.run_id}/taskInstances/judge/links"
    links = requests.get(task, headers=headers(site, "viewer"), timeout=30).json()["extra_links"]
    browser.driver.get(f"{site.url}{links['truecopy']}")
    browser.enter()
    assert browser.path == f"/truecopy{paths['run']}"


def test_a_title_that_is_markup_stays_text(browser: Browser, paths: dict[str, str]) -> None:
    browser.open()
    browser.go(paths["plan"])
    browser.driver.execute_script(
        "htmx.ajax('GET', arguments[0], '.samples')", f"/truecopy{paths['plan']}/sample?doc=hostile.md"
    )
    browser.until(lambda: HOSTILE in browser.text, "the hostile title as text")
    assert "owned" not in browser.driver.title
    assert "owned" not in str(browser.driver.execute_script("return document.title"))


def test_the_keyboard_reaches_the_content_first_and_shows_where_it_is(browser: Browser) -> None:
    browser.alone("/")
    active = browser.driver.switch_to.active_element
    active.send_keys("\ue004")
    skip = browser.driver.switch_to.active_element
    assert skip.text == "Skip to the content"
    skip.send_keys("\ue007")
    browser.until(lambda: browser.driver.switch_to.active_element.get_attribute("id") == "main", "the content")
    browser.driver.switch_to.active_element.send_keys("\ue004")
    focused = browser.driver.switch_to.active_element
    assert focused.tag_name == "a"
    assert focused.value_of_css_property("outline-style") == "solid"


def test_starting_airflow_says_whether_the_ops_view_is_there(site: Site) -> None:
    assert ops_view_problem(site.url) == ""
    assert "the plugin is not loaded" in ops_view_problem(f"{site.url}/elsewhere")


def test_airflow_lets_nobody_in_who_is_not_logged_in_and_no_viewer_decides(site: Site, paths: dict[str, str]) -> None:
    for path in paths.values():
        assert requests.get(f"{site.url}/truecopy{path}", timeout=30).status_code == 401
        assert (
            requests.get(f"{site.url}/truecopy{path}", headers=headers(site, "viewer"), timeout=30).status_code == 200
        )
    answer = f"{site.url}/truecopy{paths['plan']}/approve"
    for account, sent, expected in (
        ("viewer", {"Sec-Fetch-Site": "same-origin"}, 403),
        ("editor", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("editor", {}, 403),
    ):
        answered = requests.post(
            answer, data={"reason": "because"}, headers={**headers(site, account), **sent}, timeout=30
        )
        assert answered.status_code == expected, (account, sent)
    assert site.running.application.ledger.find_release("guide", site.held.checksum) is None


def test_an_editor_approves_a_held_plan_with_the_keyboard_and_the_index_becomes_true(
    browser: Browser, site: Site, paths: dict[str, str]
) -> None:
    browser.open()
    browser.go(paths["plan"])
    browser.find("#reason").send_keys("the pages were merged", "\ue004")
    button = browser.driver.switch_to.active_element
    assert button.text.startswith("Approve")
    button.send_keys("\ue007")
    browser.until(lambda: "Approved by editor: the pages were merged" in browser.text, "the recorded answer")
    browser.shot("approved")
    browser.until(lambda: "is not held any more" in browser.text, "the end of the run")
    browser.shot("carried-out")
    site.running.client().wait(APPLY_HELD, f"held__guide__{site.held.checksum}")
    application = site.running.application
    release = application.ledger.find_release("guide", site.held.checksum)
    assert release is not None
    assert (release.approved_by, release.reason) == ("editor", "the pages were merged")
    assert release.used_by_run == f"held__guide__{site.held.checksum}"
    assert application.ledger.held("guide") is None
    assert site.running.client().questions() == [], "Airflow asks nobody any more"
    browser.go("/")
    assert "2 of 3 sources are true" in browser.text
