"""Figures and charts."""

import re

from playwright.sync_api import expect


def history(points):
    return [{"time": 1_700_000_000 + 60 * number, "documents": 100 + number, "bytes": 5000 * number, "checks": number % 9, "duplicates": number % 4, "added": 1, "removed": 0} for number in range(points)]


def with_history(page, points, sizes=True):
    def answer(route):
        said = route.fetch()
        body = said.json()
        body["history"] = history(points)
        body.pop("sizes", None)
        if sizes:
            body["sizes"] = [{"from": 2**power, "to": 2 ** (power + 1) - 1, "documents": 50 - power} for power in range(4, 14)]
        route.fulfill(response=said, json=body)

    page.route("**/v1/stats*", answer)


def test_figures_of_the_index(page, service):
    page.goto(service.url + "/#/statistics")
    expect(page.locator(".facts div", has=page.get_by_text("Documents", exact=True)).locator("dd")).to_have_text(re.compile(r"\d+"))
    expect(page.locator(".facts")).to_contain_text("read and write")


def test_every_chart_has_a_title_a_description_axes_and_a_table(page, service):
    with_history(page, 120)
    page.goto(service.url + "/#/statistics")
    charts = page.locator(".chartfigure")
    expect(charts).to_have_count(5)
    for chart in charts.all():
        title = chart.locator("h3").text_content()
        drawing = chart.get_by_role("img", name=title)
        expect(drawing).to_be_visible()
        assert len(drawing.locator("desc").text_content()) > 20
        assert all(drawing.locator(".axis").all_text_contents())
        assert drawing.locator("path, .bar").count() > 0
        chart.locator("summary").click()
        expect(chart.locator("table")).to_be_visible()
    expect(page.locator(".chartfigure", has_text="Checks and copies").locator("tbody tr")).to_have_count(120)


def test_a_young_service_says_that_there_is_no_history_yet(page, service):
    with_history(page, 1, sizes=False)
    page.goto(service.url + "/#/statistics")
    expect(page.locator("main")).to_contain_text("There is no history by minutes yet")
    expect(page.locator("main")).to_contain_text("counted when clusters are looked for")


def test_history_by_hours_is_asked_for(page, service):
    page.goto(service.url + "/#/statistics")
    expect(page.locator(".facts")).to_be_visible()
    with page.expect_request("**/v1/stats?history=hours"):
        page.get_by_label("History by").select_option("hours")
