"""Ten thousand sources or passages: the page does bounded work, and still does what it is told."""

from playwright.sync_api import expect
from steps import drop, eventually, verdict

MANY = 10_000
NODES = 4_000


def expect_few_nodes(page):
    """Elements that are no longer near the eye go a moment later."""
    eventually(page, lambda: page.evaluate(f"document.querySelectorAll('*').length < {NODES}"), True)


def ask(page, service, text, answer):
    page.route("**/v1/check", lambda route: route.fulfill(json=answer))
    page.route("**/v1/documents?id=*", lambda route: route.fulfill(json={"id": "x", "text": text}))
    page.goto(service.url + "/")
    drop(page, "many.txt", "text/plain", text)
    expect(page.locator("#check-note")).to_contain_text("many.txt")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(verdict(page)).to_have_text("A copy")


def test_ten_thousand_sources(page, service):
    text = "Some words of a text that very many have copied. " * 400
    places = [(number * 37) % (len(text) - 60) for number in range(MANY)]
    sources = [{"id": f"source-{number}", "score": 0.9, "passages": [{"start": at, "end": at + 50, "source_start": 0, "source_end": 50}]} for number, at in enumerate(places)]
    ask(page, service, text, {"duplicate": True, "share": 0.9, "found": MANY, "sources": sources})
    expect(page.locator(".source")).to_have_count(25)
    expect_few_nodes(page)
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".source .key").first).to_have_text("source-25")
    # A passage of a source far down the list leads to it.
    far = page.evaluate("Math.max(...[...document.querySelectorAll('.own .block:first-child mark')].map((mark) => parseInt(mark.dataset.tag ?? '0')))")
    page.locator(f".own mark[data-tag^='{far}+']").first.click()
    expect(page.locator(".source:has(.source-body mark) .key")).to_have_text(f"source-{far - 1}")
    expect(page.locator(".source-body mark").first).to_be_focused()
    expect_few_nodes(page)


def test_ten_thousand_sources_over_one_place(page, service):
    text = "The same short words. " * 10
    sources = [{"id": number, "score": 1, "passages": [{"start": number % 7, "end": 100 + number % 11, "source_start": 0, "source_end": 20}]} for number in range(MANY)]
    ask(page, service, text, {"duplicate": True, "share": 1, "found": MANY, "sources": sources})
    page.locator(".own mark").first.click()
    expect(page.locator(".shared")).to_contain_text("10,000 sources")
    expect(page.locator(".shared .tag")).to_have_count(12)
    expect_few_nodes(page)


def test_ten_thousand_passages(page, service):
    text = "".join(f"word{number:05} 😀 more.{chr(10) if number % 9 == 0 else ' '}" for number in range(MANY))
    width = len("word00000 😀 more. ")
    passages = [{"start": at, "end": at + 9, "source_start": at, "source_end": at + 9} for at in range(0, MANY * width, width)]
    ask(page, service, text, {"duplicate": True, "share": 0.9, "found": 1, "sources": [{"id": "only", "score": 0.9, "passages": passages}]})
    first = page.locator(".own mark").first
    expect(first).to_have_text("word00000")
    expect(page.locator(".source-body mark").first).to_be_visible()
    expect_few_nodes(page)
    first.focus()
    page.keyboard.press("End")
    last = page.locator(".own mark", has_text="word09999")
    expect(last).to_be_focused()
    expect(last).to_be_in_viewport()
    page.keyboard.press("Enter")
    there = page.locator(".source-body mark", has_text="word09999")
    expect(there).to_be_focused()
    expect(there).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(last).to_be_focused()
    expect_few_nodes(page)
    # Marks that are far away are let go again; the whole text stays there to be found.
    assert page.locator(".own .text").evaluate("text => text.textContent.length") == page.evaluate("text => text.length", text)
