"""What several tests do with the page."""

import time

from conftest import LIMIT
from playwright.sync_api import expect


def eventually(page, read, expected):
    """Polls until what is read is as it should be, where `expect` has no word for it."""
    end = time.monotonic() + LIMIT
    while read() != expected and time.monotonic() < end:
        page.wait_for_timeout(20)
    assert read() == expected


def at_rest(page):
    """Waits until the page has nothing under way, and has drawn what there is."""
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {})))")
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def check(page, service, text):
    """Pastes a text and waits for the verdict."""
    page.goto(service.url + "/")
    page.get_by_label("Text to check", exact=True).fill(text)
    page.get_by_role("button", name="Check", exact=True).click()
    expect(verdict(page)).to_be_visible()


def verdict(page):
    return page.locator(".verdict:visible .verdict-words")


def marked(page, side):
    """The words of all marks of one side, by the number of their mark."""
    parts = page.locator(f"{side} mark").evaluate_all("marks => marks.map(mark => [mark.dataset.mark, mark.textContent])")
    whole = {}
    for number, text in parts:
        whole[number] = whole.get(number, "") + text
    return list(whole.values())


def drop(page, name, kind, text):
    """Drops a file on the box of the text to check."""
    page.evaluate(
        """([name, type, text]) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([text], name, { type }));
          const zone = document.querySelector("#check-text").closest(".drop");
          for (const kind of ["dragenter", "dragover", "drop"]) zone.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }""",
        [name, kind, text],
    )


def overflow(page):
    """By how many pixels the page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def show_view(page, service, name):
    """Opens a view and waits until it shows something."""
    address, ready = VIEWS[name]
    page.goto(service.url + address)
    if name in PREPARED:
        PREPARED[name](page)
    expect(page.locator(ready).first).to_be_visible()


def fill_check(page):
    import samples

    page.get_by_label("Text to check", exact=True).fill("😀 " + samples.joined(*samples.HARBOUR, *samples.LIGHTHOUSE) + "\n\n" + samples.ARABIC)
    page.keyboard.press("Control+Enter")


def fill_compare(page):
    import samples

    page.get_by_label("First text", exact=True).fill(samples.joined(*samples.HARBOUR))
    page.get_by_label("Second text", exact=True).fill(samples.joined(*samples.HARBOUR[:3]))
    page.keyboard.press("Control+Enter")


VIEWS = {
    "empty": ("/", "#check-text"),
    "check": ("/#/check", ".source-body .text"),
    "documents": ("/#/documents", ".ids a"),
    "document": ("/#/document?id=arabic", ".single .text"),
    "clusters": ("/#/clusters", ".cluster"),
    "cluster": ("/#/clusters/0", ".changes"),
    "compare": ("/#/compare", ".scoretable"),
    "statistics": ("/#/statistics", ".facts"),
    "reference": ("/reference", ".route"),
}
PREPARED = {"check": fill_check, "compare": fill_compare, "cluster": lambda page: open_first_cluster(page)}


def open_first_cluster(page):
    page.goto(page.url.split("#")[0] + "#/clusters")
    page.locator(".cluster a").first.click()
