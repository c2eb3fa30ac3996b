"""Documents: browsing, looking, adding, removing."""

import samples
from playwright.sync_api import expect
from steps import check, verdict


def test_browsing_goes_page_by_page(page, service):
    page.goto(service.url + "/#/documents")
    ids = page.locator(".ids a")
    expect(ids).to_have_count(100)
    page.get_by_role("button", name="Show 100 more").click()
    expect(ids).to_have_count(len(samples.documents()))
    expect(ids.nth(100)).to_be_focused()
    assert sorted(ids.all_text_contents()) == sorted(str(name) for name, _ in samples.documents())
    expect(page.get_by_role("button", name="Show 100 more")).to_have_count(0)


def test_browsing_by_the_beginning_of_an_id(page, service):
    page.goto(service.url + "/#/documents")
    page.get_by_label("Ids that begin with").fill("harb")
    page.keyboard.press("Enter")
    expect(page.locator(".ids a")).to_have_text(["harbour-1", "harbour-2", "harbour-3"])
    page.get_by_label("Ids that begin with").fill("no such thing")
    page.keyboard.press("Enter")
    expect(page.locator(".ids")).to_contain_text("No id begins with “no such thing”.")


def test_ids_that_paths_swallow_and_numbers_are_found(page, service):
    page.goto(service.url + "/#/document?id=..")
    expect(page.locator(".single .text")).to_contain_text("Dots are a poor name")
    page.goto(service.url + "/#/document?id=17")
    expect(page.locator(".single .text")).to_contain_text("seventeen geese")


def test_a_document_that_is_not_there(page, service):
    page.goto(service.url + "/#/document?id=nobody")
    expect(page.get_by_role("alert")).to_contain_text("no such document", ignore_case=True)


def test_a_document_is_checked_from_its_page(page, service):
    page.goto(service.url + "/#/document?id=lighthouse")
    page.get_by_role("button", name="Check this text").click()
    expect(verdict(page)).to_have_text("A copy")


def test_adding_then_removing(page, fresh):
    page.goto(fresh.url + "/#/documents")
    page.get_by_text("Add a document").click()
    page.get_by_label("Text of the document", exact=True).fill(samples.MARKUP)
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_label("Id of the document").fill("new/one?#%")
    page.get_by_role("dialog").get_by_role("button", name="Add").click()
    expect(page.locator(".adder [role=status]").last).to_contain_text("It was added as new/one?#%")
    page.get_by_role("link", name="Look at it").click()
    expect(page.locator(".single .text")).to_have_text(samples.MARKUP)
    page.get_by_role("button", name="Remove").click()
    dialog = page.get_by_role("dialog", name="Remove this document?")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(page.locator(".outcome:visible")).to_contain_text("The document was removed")
    page.reload()
    expect(page.get_by_role("alert")).to_be_visible()


def test_check_and_add_adds_what_is_new_only(page, fresh):
    text = "A poem about seven copper kettles was read aloud at the market hall on Sunday. The listeners sat on sacks of flour and clapped with floury hands."
    for round, expected in enumerate([("New", "added to the index as poem"), ("A copy", "not added")]):
        page.goto(fresh.url + f"/?round={round}")
        page.get_by_label("Text to check", exact=True).fill(text)
        page.get_by_role("button", name="Check and add").click()
        page.get_by_label("Id of the document").fill("poem" if round == 0 else "poem again")
        page.keyboard.press("Enter")
        expect(verdict(page)).to_have_text(expected[0])
        expect(page.locator(".outcome:visible")).to_contain_text(expected[1])


def test_replacing_asks_first(page, fresh):
    check(page, fresh, "Entirely new words about a lost mitten lying beside the tram stop in the snow.")
    page.get_by_role("button", name="Add to the index").click()
    field = page.get_by_label("Id of the document")
    field.fill("lighthouse")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("It is replaced if you go on")
    page.get_by_role("button", name="Replace it").click()
    expect(page.locator(".outcome:visible")).to_contain_text("It replaced the document lighthouse")


def test_adding_is_offered_though_rights_are_told_late(page, fresh):
    held = []
    page.route("**/v1/stats", lambda route: held.append(route))
    check(page, fresh, "Entirely new words about a lost mitten lying beside the tram stop in the snow.")
    add = page.get_by_role("button", name="Add to the index")
    expect(add).to_have_count(0)
    for route in held:
        route.continue_()
    add.click()
    expect(page.get_by_label("Id of the document")).to_be_visible()


def test_going_back_leaves_a_question_behind(page, service):
    page.goto(service.url + "/#/documents")
    page.locator(".ids a").first.click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("heading", name="Documents")).to_be_focused()
