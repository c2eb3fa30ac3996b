"""Light and dark, phone width, paper, and what axe says of every view."""

from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import expect
from steps import VIEWS, at_rest, eventually, overflow, show_view

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()


def violations(page):
    at_rest(page)
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [(one["id"], [node["target"] for node in one["nodes"]][:5], one["help"]) for one in found["violations"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(open_page, service, view, scheme):
    page = open_page(color_scheme=scheme, reduced_motion="reduce")
    show_view(page, service, view)
    assert violations(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_sign_in_and_dialogs(open_page, guarded, service, scheme):
    page = open_page(color_scheme=scheme)
    page.goto(guarded.url + "/")
    expect(page.get_by_label("Token")).to_be_visible()
    assert violations(page) == []
    page.goto(service.url + "/#/document?id=lighthouse")
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_is_wider_than_a_phone(open_page, service, view):
    page = open_page(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    show_view(page, service, view)
    at_rest(page)
    assert overflow(page) <= 0
    narrow = page.evaluate("innerWidth")
    assert narrow == 360


def test_long_words_and_ids_wrap_on_a_phone(open_page, service):
    page = open_page(viewport={"width": 360, "height": 740})
    word = "x" * 900
    answer = {"duplicate": True, "share": 1, "found": 1, "sources": [{"id": word, "score": 1, "passages": [{"start": 0, "end": 900, "source_start": 0, "source_end": 900}]}]}
    page.route("**/v1/check", lambda route: route.fulfill(json=answer))
    page.route("**/v1/documents?id=*", lambda route: route.fulfill(json={"id": word, "text": word}))
    page.goto(service.url + "/")
    page.locator("#check-text").fill(word)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".source-body .text")).to_be_visible()
    at_rest(page)
    assert overflow(page) <= 0


def expect_colours(page, scheme):
    def shown():
        red, green, blue = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)")
        brightness = (red + green + blue) / 3
        return "dark" if brightness < 60 else "light" if brightness > 200 else brightness

    eventually(page, shown, scheme)


def test_dark_follows_the_system_and_the_switch(open_page, service):
    page = open_page(color_scheme="dark")
    page.goto(service.url + "/")
    expect_colours(page, "dark")
    page.get_by_label("Colours").select_option("light")
    expect_colours(page, "light")
    page.reload()
    expect_colours(page, "light")
    page.goto(service.url + "/reference")
    expect_colours(page, "light")
    page.get_by_label("Colours").select_option("as the system")
    expect_colours(page, "dark")


def test_paper_has_the_whole_text_and_no_buttons(page, service):
    show_view(page, service, "check")
    page.emulate_media(media="print")
    expect(page.locator("form").first).to_be_hidden()
    expect(page.locator(".verdict:visible")).to_be_visible()
    box = page.locator(".own .textbox")
    eventually(page, lambda: box.evaluate("box => box.scrollHeight <= box.clientHeight + 1"), True)


def test_moving_between_views_sets_the_focus_and_the_title(page, service):
    page.goto(service.url + "/")
    page.get_by_role("link", name="Compare", exact=True).click()
    expect(page.get_by_role("heading", name="Compare two texts")).to_be_focused()
    expect(page).to_have_title("Compare – doublet")
    expect(page.get_by_role("link", name="Compare", exact=True)).to_have_attribute("aria-current", "page")
    page.go_back()
    expect(page).to_have_title("Check – doublet")
