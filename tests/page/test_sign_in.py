"""Sign-in by token, and what each token may do."""

import samples
from conftest import READ, WRITE
from playwright.sync_api import expect
from steps import eventually, verdict


def sign_in(page, token):
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()


def test_without_a_token_only_the_sign_in_is_shown(page, guarded):
    page.goto(guarded.url + "/")
    expect(page.get_by_label("Token")).to_be_focused()
    expect(page.locator("#check-text")).to_be_hidden()


def test_a_wrong_token_is_refused_in_words(page, guarded):
    page.goto(guarded.url + "/")
    sign_in(page, "not-a-token-of-this-service")
    expect(page.get_by_role("alert")).to_contain_text("does not know this token")
    sign_in(page, "with spaces and ü")
    expect(page.get_by_role("alert")).to_contain_text("no spaces")


def test_a_reader_asks_but_changes_nothing(page, guarded):
    page.goto(guarded.url + "/")
    sign_in(page, READ)
    expect(page.locator("#session")).to_contain_text("read only")
    page.get_by_label("Text to check", exact=True).fill(samples.joined(*samples.LIGHTHOUSE))
    page.keyboard.press("Control+Enter")
    expect(verdict(page)).to_have_text("A copy")
    for name in ("Check and add", "Add to the index", "Add it all the same"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    page.goto(guarded.url + "/#/document?id=lighthouse")
    expect(page.locator(".single .text")).to_be_visible()
    expect(page.get_by_role("button", name="Remove")).to_have_count(0)
    page.goto(guarded.url + "/#/documents")
    expect(page.locator(".ids a").first).to_be_visible()
    expect(page.get_by_text("Add a document")).to_be_hidden()


def test_a_writer_adds_and_removes_and_signs_out(page, guarded):
    page.goto(guarded.url + "/#/documents")
    sign_in(page, WRITE)
    expect(page.locator(".ids a").first).to_be_visible()
    page.get_by_text("Add a document").click()
    page.get_by_label("Text of the document", exact=True).fill("Words of a signed in writer about a bridge of ropes.")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_label("Id of the document").fill("bridge")
    page.keyboard.press("Enter")
    expect(page.locator(".ids a", has_text="bridge")).to_be_visible()
    page.goto(guarded.url + "/#/document?id=bridge")
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.locator(".outcome:visible")).to_contain_text("removed")
    page.reload()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Token")).to_be_visible()
    eventually(page, lambda: page.evaluate("sessionStorage.length"), 0)


def test_a_token_that_is_withdrawn_brings_the_sign_in_and_keeps_the_text(page, guarded):
    page.goto(guarded.url + "/")
    sign_in(page, READ)
    text = page.get_by_label("Text to check", exact=True)
    text.fill(samples.joined(*samples.LIGHTHOUSE))
    page.evaluate("sessionStorage.setItem('doublet-token', 'withdrawn-in-the-meantime')")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_label("Token")).to_be_focused()
    sign_in(page, READ)
    expect(verdict(page)).to_have_text("A copy")
    expect(text).to_have_value(samples.joined(*samples.LIGHTHOUSE))
