"""What the page says when something goes wrong, and what it does then."""

import pytest
import samples
from playwright.sync_api import expect
from steps import drop, eventually, verdict


def ask(page, service):
    page.goto(service.url + "/")
    expect(page.locator("#session")).to_contain_text("document")
    page.get_by_label("Text to check", exact=True).fill(samples.joined(*samples.LIGHTHOUSE))
    page.keyboard.press("Control+Enter")


def problem(status, name, title, detail):
    body = {"type": f"/problems/{name}", "title": title, "status": status, "detail": detail, "instance": "request-7"}
    return {"status": status, "json": body, "content_type": "application/problem+json"}


def test_too_much_work_is_waited_out(page, service):
    asked = []

    def answer(route):
        asked.append(1)
        if len(asked) == 1:
            refused = problem(429, "overloaded", "There is too much to do at the moment", "try again")
            route.fulfill(status=429, json=refused["json"], headers={"Retry-After": "600", "Content-Type": "application/problem+json"})
        else:
            route.continue_()

    page.clock.install()
    page.route("**/v1/check", answer)
    ask(page, service)
    expect(page.locator(".waiting")).to_contain_text("Trying again in")
    assert len(asked) == 1
    page.clock.run_for("10:00")
    expect(verdict(page)).to_have_text("A copy")
    assert len(asked) == 2


def test_waiting_can_be_cancelled(page, service):
    page.route("**/v1/check", lambda route: route.fulfill(status=429, body="{}", headers={"Retry-After": "3600"}))
    ask(page, service)
    page.locator(".waiting").get_by_role("button", name="Cancel").click()
    expect(page.locator(".waiting")).to_have_count(0)


@pytest.mark.parametrize(
    ("status", "name", "title", "advice"),
    [
        (403, "forbidden", "The token may only read", "sign in with one"),
        (413, "too-large", "The request is too large", "Send a shorter text"),
        (503, "ending", "The service is ending", "Try again in a moment"),
        (507, "full", "There is no room for more", "Remove documents"),
    ],
)
def test_refusals_say_what_to_do(page, service, status, name, title, advice):
    page.route("**/v1/check", lambda route: route.fulfill(**problem(status, name, title, "what happened <b>here</b>")))
    ask(page, service)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(title)
    expect(alert).to_contain_text("What happened <b>here</b>.")
    expect(alert).to_contain_text(advice)
    expect(alert).to_contain_text("request-7")


def test_a_text_that_is_too_long_is_not_even_sent(page, service):
    sent = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.goto(service.url + "/")
    expect(page.locator("#session")).to_contain_text("document")
    drop(page, "long.txt", "text/plain", "words " * 1_000_000)
    expect(page.locator("#check-note")).to_contain_text("The box shows its beginning")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("the service takes at most")
    assert sent == []


def test_a_service_that_is_gone_can_be_tried_again(page, service):
    page.goto(service.url + "/")
    expect(page.locator("#session")).to_contain_text("document")
    page.route("**/v1/check", lambda route: route.abort("connectionrefused"))
    page.get_by_label("Text to check", exact=True).fill(samples.joined(*samples.LIGHTHOUSE))
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("The service does not answer")
    page.unroute("**/v1/check")
    page.get_by_role("button", name="Try again").click()
    expect(verdict(page)).to_have_text("A copy")


def test_a_service_that_really_ended(page, fresh):
    page.goto(fresh.url + "/")
    expect(page.locator("#session")).to_contain_text("document")
    fresh.stop()
    page.get_by_role("link", name="Documents").click()
    expect(page.get_by_role("alert")).to_contain_text("The service does not answer")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_an_answer_that_is_no_longer_wanted_is_dropped(page, service):
    """The answer to the first question comes after the second was asked."""
    held = []

    def answer(route):
        if not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/v1/check", answer)
    ask(page, service)
    eventually(page, lambda: len(held), 1)
    page.get_by_label("Text to check", exact=True).fill("Nobody ever wrote this sentence about purple umbrellas before today.")
    page.keyboard.press("Control+Enter")
    expect(verdict(page)).to_have_text("New")
    expect(page.locator(".loading:visible")).to_have_count(0)


def test_an_answer_of_a_proxy_is_no_trouble(page, service):
    page.route("**/v1/check", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>", content_type="text/html"))
    ask(page, service)
    expect(page.get_by_role("alert")).to_contain_text("status 502")
