"""The reference made from the description of the API."""

import json
import urllib.request

from playwright.sync_api import expect


def test_every_route_is_there_with_an_example(page, service):
    with urllib.request.urlopen(service.url + "/openapi.json") as answer:
        api = json.load(answer)
    page.goto(service.url + "/reference")
    expect(page.locator(".route").first).to_be_visible()
    shown = page.locator(".route:has(code)").all_text_contents()
    for path, item in api["paths"].items():
        for method in set(item) & {"get", "post", "put", "delete"}:
            assert any(text.startswith(method.upper() + path) for text in shown), (method, path)
    expect(page.locator(".route", has_text="/v1/check").locator("pre", has_text="curl").first).to_contain_text(service.url + "/v1/check")


def test_a_problem_has_an_anchor(page, service):
    page.goto(service.url + "/reference#problem-too-large")
    section = page.locator("#problem-too-large")
    expect(section).to_contain_text("/problems/too-large")
    expect(section).to_be_in_viewport()


def test_it_can_be_searched(page, service):
    page.goto(service.url + "/reference")
    expect(page.locator(".route").first).to_be_visible()
    page.get_by_label("Search").fill("retry-after overloaded")
    expect(page.locator("#problem-overloaded")).to_be_visible()
    expect(page.locator("#problem-bad-json")).to_be_hidden()
    page.get_by_label("Search").fill("zzzz")
    expect(page.get_by_text("Nothing of this reference has these words.")).to_be_visible()
