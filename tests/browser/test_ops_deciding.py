"""The review queue as people use it: by keyboard, many at once, and two of them at the same time."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from include.domain.review import Decision, Disposition
from include.services.reviewing import Word
from include.wiring.review import decide_for_person
from tests.browser.browser import Browser
from tests.browser.site import CANDIDATES, Site

pytestmark = [pytest.mark.browser, pytest.mark.airflow]

FIRST, SECOND, THIRD, FOURTH, *_ = CANDIDATES


def press(browser: Browser, *keys: str) -> None:
    loaded = "return document.readyState === 'complete'"
    browser.until(lambda: browser.driver.execute_script(loaded), "the scripts of the page")
    for key in keys:
        browser.driver.switch_to.active_element.send_keys(key)


def decision_on(site: Site, doc_id: str) -> Decision | None:
    return site.running.application.ledger.candidate("handbook", doc_id).decision


def test_a_candidate_is_decided_with_four_keys_and_the_next_one_is_shown(browser: Browser, site: Site) -> None:
    browser.open("/review")
    press(browser, "j", Keys.ENTER)
    browser.until(lambda: browser.path.endswith(f"/review/handbook/{FIRST}"), FIRST)
    assert "60" in browser.find("ins").text
    press(browser, "a", Keys.ENTER)
    browser.until(lambda: browser.path.endswith(f"/review/handbook/{SECOND}"), SECOND)
    assert "Recorded: archive for" in browser.text
    made = decision_on(site, FIRST)
    assert made
    assert (made.disposition, made.by, made.why) == ("archive", "editor", "new.md says that it replaces it")
    press(browser, "?")
    assert "next, previous candidate" in browser.find("dialog").text
    press(browser, Keys.ESCAPE, "j")
    browser.until(lambda: browser.path.endswith(f"/review/handbook/{THIRD}"), THIRD)


def test_keys_do_nothing_in_a_field_and_can_be_switched_off(browser: Browser) -> None:
    browser.open(f"/review/handbook/{SECOND}")
    browser.find("input[value=keep]").click()
    reason = browser.find("input[name=reason]")
    reason.send_keys("jape")
    assert reason.get_attribute("value") == "jape"
    press(browser, Keys.ESCAPE, "?")
    browser.find("[data-keys-on]").click()
    browser.find("dialog [data-closes]").click()
    press(browser, "j")
    assert browser.path.endswith(f"/review/handbook/{SECOND}")
    browser.driver.execute_script("localStorage.removeItem('truecopy-keys')")


def test_many_are_decided_by_typing_their_number(browser: Browser, site: Site) -> None:
    browser.open("/review")
    press(browser, "j", "x", "j", "x")
    assert browser.find("[data-count]").text == "2 chosen"
    Select(browser.find("select[name=disposition]")).select_by_value("extend")
    browser.find("input[name=reason]").send_keys("after the fair", Keys.ENTER)
    browser.find("input[name=count]").send_keys("3", Keys.ENTER)
    browser.until(lambda: "You typed 3; these are 2" in browser.text, "the refusal")
    assert decision_on(site, SECOND) is None
    browser.find("input[name=count]").send_keys("2", Keys.ENTER)
    browser.until(lambda: "extend is recorded for 2 candidates" in browser.text, "what was recorded")
    for doc_id in (SECOND, THIRD):
        made = decision_on(site, doc_id)
        assert made
        assert (made.disposition, made.why) == ("extend", "after the fair")


def test_who_comes_second_is_told_what_the_first_one_said(browser: Browser, site: Site) -> None:
    browser.open(f"/review/handbook/{FOURTH}")
    ada = Word(Disposition.KEEP, "ada", "the board quotes it")
    decide_for_person(site.running.application, "handbook", FOURTH, ada)
    browser.find("input[value=archive]").click()
    browser.find(".decide button.main").click()
    browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, "[role=alert]"), "the conflict")
    assert "Decided meanwhile: ada decided keep" in browser.find("[role=alert]").text
    assert browser.barriers() == []
    made = decision_on(site, FOURTH)
    assert made
    assert made.by == "ada"
