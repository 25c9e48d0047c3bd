"""A question is explained, and a document of its ranking is looked at."""

from __future__ import annotations

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.browser import Browser
from tests.browser.site import HOSTILE

pytestmark = [pytest.mark.browser, pytest.mark.airflow]


def test_a_question_is_explained_and_leads_to_everything_about_a_document(browser: Browser) -> None:
    browser.open("/explain")
    browser.find("input[name=q]").send_keys("the latest refunds of kind 7", Keys.ENTER)
    browser.until(lambda: "latest: says" in browser.text, "the ranking")
    assert "recency \u00d7 0.20" in browser.text
    first = browser.find(".ranking tbody tr")
    assert "page-07.md" in first.text
    assert "similarity" in str(first.find_element("css selector", "svg.stack").get_attribute("aria-label"))
    browser.find(".ranking summary").click()
    assert "Refunds of kind 7 take 10 days." in browser.find(".ranking blockquote").text
    browser.link("Page 7").click()
    browser.until(lambda: browser.path.startswith("/truecopy/document/"), "the document")
    browser.until(lambda: "created" in browser.text and "were looked at" in browser.text, "its past")
    assert "readers find it: published" in browser.text
    assert "front matter date" in browser.text


def test_a_document_is_found_by_its_title_and_markup_in_it_stays_text(browser: Browser) -> None:
    browser.open("/document")
    browser.find("input[name=q]").send_keys("onerror", Keys.ENTER)
    browser.link("<img src=x").click()
    browser.until(lambda: browser.path.endswith("/hostile.md"), "the document")
    assert HOSTILE in browser.find("h1").text
    assert "owned" not in str(browser.driver.execute_script("return document.title")).split("<")[0]
    assert browser.driver.find_elements("css selector", "main img") == []
    browser.go("/document/handbook/notes%2Fnever%20there.md")
    assert "handbook: notes/never there.md" in browser.text
    assert "Neither the index nor the ledger knows this document" in browser.text
