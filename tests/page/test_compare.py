"""Comparing two texts."""

import samples
from playwright.sync_api import expect
from steps import eventually, marked, verdict


def compare(page, service, first, second):
    page.goto(service.url + "/#/compare")
    page.get_by_label("First text", exact=True).fill(first)
    page.get_by_label("Second text", exact=True).fill(second)
    page.get_by_role("button", name="Compare", exact=True).click()


def test_what_two_texts_share_is_coloured_on_both_sides(page, service):
    shared = samples.joined(*samples.LIGHTHOUSE)
    compare(page, service, "My own start 😀.\n\n" + shared + " My own end is here and nowhere else.", "今日。 Another beginning stands before it. " + shared)
    expect(verdict(page)).to_be_visible()
    for side in (".sides.equal .side:first-child", ".sides.equal .side:last-child"):
        def is_marked(side=side):
            words = " ".join(marked(page, side))
            return words.startswith("Volunteers painted") and words.rstrip(". ").endswith("watch instead")

        eventually(page, is_marked, True)
    page.locator(".sides.equal .side:first-child mark").first.click()
    expect(page.locator(".sides.equal .side:last-child mark").first).to_be_focused()


def test_scores_are_explained(page, service):
    compare(page, service, samples.joined(*samples.HARBOUR), samples.joined(*samples.HARBOUR[:4]))
    expect(verdict(page)).to_have_text("Duplicates")
    rows = page.locator(".scoretable tbody tr")
    expect(rows.filter(has_text="Containment of the second")).to_contain_text("How much of the second text is found again in the first")
    expect(page.locator(".scoretable .decides")).to_have_count(1)


def test_strangers_share_nothing(page, service):
    compare(page, service, samples.joined(*samples.HARBOUR), samples.joined(*samples.ORCHARD))
    expect(verdict(page)).to_have_text("Not duplicates")
    expect(page.get_by_text("They share no passage.")).to_be_visible()


def test_both_boxes_are_needed(page, service):
    compare(page, service, "one", "")
    expect(page.get_by_role("alert")).to_have_text("Both boxes need a text.")
    expect(page.get_by_label("Second text", exact=True)).to_be_focused()
