"""The page of `doublet audit`: one file, opened from disk, with keys, answers that stay, and labels that the program reads."""

import json
import os
import subprocess
from pathlib import Path

import axe_playwright_python
import pytest
from conftest import ROOT
from playwright.sync_api import expect
from steps import overflow

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
PROGRAM = os.environ.get("DOUBLET", str(ROOT / "target" / "debug" / "doublet"))
QUESTIONS = 5


def doublet(directory, *arguments):
    ran = subprocess.run([PROGRAM, *arguments], cwd=directory, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    return ran.stdout


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of `dedup` with removals to judge, and its page."""
    directory = tmp_path_factory.mktemp("audit")
    (directory / "in.jsonl").write_bytes((ROOT / "samples" / "collection.jsonl").read_bytes())
    doublet(directory, "dedup", "in.jsonl", "-o", "out", "-q", "--threshold", "0.2")
    doublet(directory, "audit", "out", "--page", "-q", "--sample", str(QUESTIONS))
    return directory


@pytest.fixture
def audit(run, page):
    page.goto((run / "out" / "audit.html").as_uri())
    return page


def question(page):
    return page.locator(".question.current .facts-line b").inner_text()


def tally(page):
    return page.locator("#tally").inner_text()


def test_keys_answer_and_answers_stay(audit):
    assert question(audit) == f"1 of {QUESTIONS}"
    expect(audit.locator(".question:visible")).to_have_count(1)
    for key in "rWu":
        audit.keyboard.press(key)
    assert question(audit) == f"4 of {QUESTIONS}"
    assert tally(audit) == f"1 right, 1 wrong, 1 unsure; {QUESTIONS - 3} left."
    audit.keyboard.press("b")
    assert audit.locator("button[aria-pressed=true]").inner_text().startswith("Unsure")
    audit.keyboard.press("r")
    audit.reload()
    assert question(audit) == f"4 of {QUESTIONS}"
    assert tally(audit).startswith("2 right, 1 wrong, 0 unsure")


def test_buttons_do_what_keys_do(audit):
    audit.get_by_role("button", name="Wrong").click()
    assert question(audit) == f"2 of {QUESTIONS}"
    audit.get_by_role("button", name="Back").click()
    assert audit.locator("button[aria-pressed=true]").inner_text().startswith("Wrong")
    expect(audit.get_by_role("button", name="Back")).to_be_disabled()


def test_the_program_reads_the_labels(audit, run):
    for key in "rwu":
        audit.keyboard.press(key)
    with audit.expect_download() as download:
        audit.get_by_role("button", name="Download the labels").click()
    download.value.save_as(run / "labels.jsonl")
    labels = [json.loads(line) for line in (run / "labels.jsonl").read_text().splitlines()]
    assert [line["label"] for line in labels] == [1, 0, "unsure"]
    found = json.loads(doublet(run, "audit", "out", "--answers", "labels.jsonl", "--json", "-q", "--sample", str(QUESTIONS)))
    assert (found["right"], found["wrong"], found["unsure"]) == (1, 1, 1)
    # The next page begins with them.
    doublet(run, "audit", "out", "--page", "-q", "--sample", str(QUESTIONS))
    audit.evaluate("localStorage.clear()")
    audit.reload()
    assert question(audit) == f"4 of {QUESTIONS}"
    (run / "out" / "audit.jsonl").unlink()
    doublet(run, "audit", "out", "--page", "-q", "--sample", str(QUESTIONS))


def test_all_is_shown_without_scripts(run, open_page):
    page = open_page(java_script_enabled=False)
    page.goto((run / "out" / "audit.html").as_uri())
    expect(page.locator(".question:visible")).to_have_count(QUESTIONS)
    expect(page.get_by_role("button")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_by_all(run, open_page, scheme):
    page = open_page(color_scheme=scheme, viewport={"width": 390, "height": 844})
    page.goto((run / "out" / "audit.html").as_uri())
    page.keyboard.press("r")
    assert overflow(page) == 0
    # The policy of the page lets no other script in, so that axe is evaluated.
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    assert [(one["id"], [node["target"] for node in one["nodes"]][:5]) for one in found["violations"]] == []
