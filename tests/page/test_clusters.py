"""Clusters, and differences word by word."""

import json

import samples
from playwright.sync_api import expect

MODULE = "(path, name, ...given) => import(path).then((module) => module[name](...given))"


def test_clusters_come_largest_first(page, service):
    page.goto(service.url + "/#/clusters")
    sizes = page.locator(".cluster .size b")
    expect(sizes.first).to_have_text("3")
    numbers = [int(size) for size in sizes.all_text_contents()]
    assert numbers == sorted(numbers, reverse=True)
    expect(page.locator(".cluster").nth(1)).to_contain_text("orchard copy 🍏")


def test_differences_are_shown_word_by_word(page, service):
    page.goto(service.url + "/#/clusters")
    page.locator(".cluster a", has_text="harbour-1").click()
    page.get_by_role("button", name="harbour-2").click()
    changes = page.locator(".changes")
    expect(changes.locator("del")).to_have_text(["northern", "second", "autumn"])
    expect(changes.locator("ins")).to_have_text(["southern", "third", "winter"])
    style = changes.locator("del").first.evaluate("del => getComputedStyle(del).textDecorationLine")
    assert style == "line-through"
    assert changes.locator("ins").first.evaluate("ins => getComputedStyle(ins).textDecorationLine") == "underline"
    page.get_by_role("button", name="harbour-3").click()
    expect(changes.locator("ins")).to_contain_text("A map of the new ways hangs at every pier.")
    expect(changes.locator("del")).to_have_count(0)


def test_equal_documents_say_so(page, service):
    page.goto(service.url + "/#/clusters")
    page.locator(".cluster a", has_text="orchard").click()
    expect(page.locator(".changes-summary")).to_contain_text("the same, character by character")


def test_while_clusters_are_computed_the_progress_is_shown(page, service):
    seen = []

    def answer(route):
        # As long as it takes until the progress was seen.
        if not seen:
            body = {"state": "computing", "progress": 0.3, "stale": False, "clusters_total": 0, "documents_in_clusters": 0, "clusters": []}
        else:
            members = [{"id": "a", "score": 1}, {"id": "b", "score": 0.9}]
            body = {"state": "ready", "stale": True, "as_of": 1, "clusters_total": 1, "documents_in_clusters": 2, "clusters": [{"cluster": 0, "size": 2, "representative": "a", "members": members}]}
        route.fulfill(json=body)

    page.route("**/v1/clusters?*", answer)
    page.goto(service.url + "/#/clusters")
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "0.3")
    seen.append(True)
    expect(page.locator(".cluster")).to_have_count(1)
    expect(page.locator(".warning:visible")).to_contain_text("The index has changed")


def test_an_index_without_copies_says_so(page, service):
    page.route("**/v1/clusters?*", lambda route: route.fulfill(json={"state": "ready", "stale": False, "clusters_total": 0, "documents_in_clusters": 0, "clusters": []}))
    page.goto(service.url + "/#/clusters")
    expect(page.locator(".lede:visible")).to_have_text("No two documents of this index are copies of each other.")


def test_a_difference_put_together_again_gives_both_texts(page, service):
    """The law of every difference, on texts of several kinds."""
    page.goto(service.url + "/")
    for before, after in texts_of_all_kinds():
        assert_put_together(page, before, after)


def test_the_same_without_a_segmenter_of_words(open_page, service):
    page = open_page()
    page.add_init_script("delete Intl.Segmenter")
    page.goto(service.url + "/")
    for before, after in texts_of_all_kinds():
        assert_put_together(page, before, after)


def texts_of_all_kinds():
    numbers = " ".join(str(number * number % 97) for number in range(3000))
    others = " ".join(str(number * number % 89) for number in range(3000))
    return [
        ("", ""),
        ("", "one"),
        ("one two", ""),
        ("a b c d e", "b c x e f"),
        (samples.joined(*samples.HARBOUR), samples.joined(*reversed(samples.HARBOUR))),
        (samples.CHINESE, samples.CHINESE.replace("周末", "星期天😀")),
        ("👩‍👩‍👧 x", "👩‍👧 x"),
        (numbers, others),
        (numbers, numbers[5:4000] + "new" + numbers[4000:]),
    ]


def assert_put_together(page, before, after):
    parts = page.evaluate(f"([a, b]) => ({MODULE})('/assets/difference.js', 'difference', a, b)", [before, after])
    assert "".join(part["text"] for part in parts if part["kind"] != "added") == before, json.dumps(parts)[:500]
    assert "".join(part["text"] for part in parts if part["kind"] != "removed") == after


def test_the_shortest_difference_is_found(page, service):
    page.goto(service.url + "/")
    parts = page.evaluate(f"([a, b]) => ({MODULE})('/assets/difference.js', 'difference', a, b)", ["the old grey cat sat", "the old black cat sat down"])
    assert [(part["kind"], part["text"]) for part in parts] == [
        ("same", "the old "),
        ("removed", "grey"),
        ("added", "black"),
        ("same", " cat sat"),
        ("added", " down"),
    ]
