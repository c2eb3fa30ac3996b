"""Checking a text: the verdict, and highlights at exactly the right words."""

import samples
from playwright.sync_api import expect
from steps import check, drop, eventually, marked, verdict


def test_a_new_text_is_called_new(page, service):
    check(page, service, "Nobody ever wrote this sentence about purple umbrellas before today.")
    expect(verdict(page)).to_have_text("New")
    expect(page.locator(".sides")).to_have_count(0)


def test_a_copy_is_called_a_copy_and_names_its_source(page, service):
    check(page, service, samples.joined(*samples.LIGHTHOUSE))
    expect(verdict(page)).to_have_text("A copy")
    expect(page.locator(".source .key").first).to_have_text("lighthouse")
    expect(page.locator(".share")).to_have_attribute("aria-label", "Share copied: 100 %")


def test_a_part_is_called_partly_copied(page, service):
    own = "My own words about a quiet afternoon fill most of this letter to a friend. They go on and on about tea and about the garden wall. Then comes more of my own about the long road home."
    check(page, service, own + " " + samples.LIGHTHOUSE[1])
    expect(verdict(page)).to_have_text("Partly copied")


def test_marks_stand_at_the_right_words_behind_emoji_and_ideographs(page, service):
    before = "😀👩‍👩‍👧 𝒳𝒴 今日は😀。\n\nMy own first sentence has nothing to do with it at all. "
    text = before + samples.joined(*samples.LIGHTHOUSE) + "\n\n🎉 And my own last sentence follows after it. " + samples.CHINESE
    check(page, service, text)
    expected = [stripped(samples.joined(*samples.LIGHTHOUSE)), stripped(samples.CHINESE)]
    eventually(page, lambda: [stripped(one) for one in marked(page, ".own")], expected)
    expect(page.locator(".own .text")).to_have_text(text, use_inner_text=False)
    expect(page.locator(".others .source-body mark").first).to_contain_text("Volunteers painted the lighthouse")


def stripped(text):
    return text.strip().rstrip(".。")


def test_passages_are_linked_both_ways(page, service):
    check(page, service, samples.joined(*samples.LIGHTHOUSE) + "\n\n" + samples.joined(*samples.ORCHARD))
    expect(page.locator(".source-body .text")).to_be_visible()
    page.locator(".own mark", has_text="village orchard").click()
    there = page.locator(".source-body mark")
    expect(there).to_be_focused()
    expect(there).to_contain_text("The village orchard")
    expect(page.locator(".source:has(.source-body .text) .key")).to_have_text("orchard")
    there.press("Enter")
    expect(page.locator(".own mark", has_text="village orchard")).to_be_focused()


def test_a_passage_of_several_sources_names_them(page, service):
    check(page, service, samples.joined(*samples.ORCHARD))
    page.locator(".own mark").first.click()
    tags = page.locator(".shared .tag")
    expect(tags).to_have_count(2)
    tags.nth(1).click()
    expect(page.locator(".source").nth(1).locator(".source-head")).to_have_attribute("aria-expanded", "true")
    expect(page.locator(".source-body mark")).to_be_focused()
    # The open source lies on top now.
    expect(page.locator(".own mark").first).to_have_attribute("data-tag", "2+1")


def test_sources_have_colours_and_numbers_of_their_own(page, service):
    check(page, service, samples.joined(*samples.LIGHTHOUSE) + "\n\n" + samples.CHINESE)
    first, second = (page.locator(".own mark").nth(number) for number in range(2))
    assert first.get_attribute("data-tag") != second.get_attribute("data-tag")
    colour = "mark => getComputedStyle(mark).backgroundColor"
    assert first.evaluate(colour) != second.evaluate(colour)


def test_a_file_is_dropped(page, service):
    page.goto(service.url + "/")
    drop(page, "note.txt", "text/plain", "Dropped 😀 words.")
    expect(page.get_by_label("Text to check", exact=True)).to_have_value("Dropped 😀 words.")
    expect(page.locator("#check-note")).to_contain_text("note.txt")


def test_markup_of_a_dropped_page_is_left_out(page, service):
    page.goto(service.url + "/")
    drop(page, "note.html", "text/html", "<style>p{}</style><p>One <b>bold</b> word</p><script>document.title='x'</script><p>Two &eacute; &lt;i&gt;</p>")
    expect(page.get_by_label("Text to check", exact=True)).to_have_value("One bold word\n\nTwo é <i>")


def test_a_file_is_chosen(page, service):
    page.goto(service.url + "/")
    page.locator("section:visible input[type=file]").set_input_files({"name": "latin.txt", "mimeType": "text/plain", "buffer": "Grüße".encode("latin-1")})
    expect(page.get_by_label("Text to check", exact=True)).to_have_value("Grüße")
    expect(page.locator("#check-note")).to_contain_text("Windows-1252")


def test_by_keyboard_alone_from_loading_to_the_source_and_back(page, service):
    page.goto(service.url + "/")
    expect(page.locator("#session")).to_contain_text("documents")
    page.keyboard.press("Tab")
    expect(page.locator("#skip")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("#check-text")).to_be_focused()
    page.keyboard.insert_text(samples.joined(*samples.LIGHTHOUSE) + "\n\n" + samples.joined(*samples.ORCHARD))
    page.keyboard.press("Control+Enter")
    expect(verdict(page)).to_be_focused()
    expect(page.locator("#announcer")).to_contain_text("A copy")
    expect(page.locator(".own mark").first).to_be_visible()
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.own mark')"):
            break
    expect(page.locator(".own mark").first).to_be_focused()
    page.keyboard.press("ArrowRight")
    second = page.locator(".own mark").nth(1)
    expect(second).to_be_focused()
    assert second.evaluate("mark => getComputedStyle(mark).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.locator(".source-body mark")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".own mark").nth(1)).to_be_focused()


def test_no_key_is_caught(page, service):
    """Tab walks through everything and comes out at the end."""
    check(page, service, samples.joined(*samples.HARBOUR))
    expect(page.locator(".source-body .text")).to_be_visible()
    page.evaluate("document.querySelector('#skip').focus()")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "theme-choice":
            return
    raise AssertionError("the last control was not reached")


def test_right_to_left_text_runs_from_the_right(page, service):
    check(page, service, samples.ARABIC)
    expect(page.locator(".own .text")).to_have_css("direction", "rtl")


def test_markup_in_ids_and_texts_is_shown_as_text(page, service):
    check(page, service, samples.MARKUP)
    expect(page.locator(".source .key").first).to_have_text(samples.MARKUP_ID)
    expect(page.locator(".source-body .text")).to_contain_text("<script>document.title = 'taken'</script>")
    expect(page.locator("main img, main script, main b:not(.scores b)")).to_have_count(0)
    expect(page).to_have_title("Check – doublet")
    page.goto(service.url + "/#/documents?prefix=%3Cimg")
    page.locator(".ids a").click()
    expect(page.locator("h1:visible")).to_have_text(samples.MARKUP_ID)
    expect(page.locator(".single .text")).to_have_text(samples.MARKUP)


def test_an_empty_box_says_what_to_do(page, service):
    page.goto(service.url + "/")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Paste a text first")
    expect(page.locator("#check-text")).to_be_focused()
