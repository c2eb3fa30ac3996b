"""An index: written by one, asked by many threads at once."""

from __future__ import annotations

import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import doublet
import pandas
import pytest
from support import lines, table

ARTICLES, POSTS = lines("articles.jsonl"), lines("posts.jsonl")


@pytest.fixture
def index(tmp_path: Path) -> doublet.Index:
    index = doublet.Index.create(tmp_path / "index")
    index.add(ARTICLES)
    return index


def test_a_life(tmp_path: Path) -> None:
    with doublet.Index.create(tmp_path / "index", method="sentences", min_sentences=3) as index:
        assert len(index) == 0
        index.add(table(ARTICLES[:3]))
        index.add(pandas.DataFrame(ARTICLES[3:]))
        assert len(index) == len(ARTICLES)
        answer = index.check(POSTS[0]["text"])
        assert answer["duplicate"]
        assert answer["sources"][0]["id"] == "ferry-1"
        assert index.remove(["ferry-1", "none"]) == 1
        assert not index.check(POSTS[0]["text"])["duplicate"]
        assert index.info()["options"]["method"] == "sentences"
        index.compact()
        index.verify()
        copy = index.snapshot(tmp_path / "copy")
        assert len(copy) == len(index)
        assert "texts" in repr(index)
    assert "closed" in repr(index)
    with pytest.raises(doublet.DoubletError, match="closed"):
        index.check("text")


def test_a_text_of_the_same_id_replaces(index: doublet.Index) -> None:
    index.add([{"id": ARTICLES[0]["id"], "text": "Something else altogether."}])
    assert len(index) == len(ARTICLES)


def test_texts_without_ids_are_numbered_on(tmp_path: Path) -> None:
    index = doublet.Index.create(tmp_path / "index")
    index.add([ARTICLES[0]["text"]])
    index.add([ARTICLES[1]["text"]])
    assert len(index) == 2
    assert index.check(ARTICLES[1]["text"])["sources"][0]["id"] == 1


def test_many_ids(index: doublet.Index) -> None:
    assert index.remove([f"none-{n}" for n in range(100)] + ["mill-1"]) == 1
    assert index.remove(ARTICLES[0]["id"]) == 1
    assert index.remove([]) == 0


def test_a_snapshot_is_as_of_its_opening(index: doublet.Index) -> None:
    reader = doublet.Index.open(index.directory)
    index.remove("ferry-1")
    assert reader.check(POSTS[0]["text"])["duplicate"]
    assert not index.check(POSTS[0]["text"])["duplicate"]
    reader.reopen()
    assert not reader.check(POSTS[0]["text"])["duplicate"]


def test_another_process_opens_it_again(index: doublet.Index) -> None:
    assert pickle.loads(pickle.dumps(index)).check(POSTS[0]["text"]) == index.check(POSTS[0]["text"])


def test_options_of_a_question(index: doublet.Index) -> None:
    assert len(index.check(POSTS[1]["text"])["sources"]) == 2
    assert len(index.check(POSTS[1]["text"], top=1)["sources"]) == 1
    with pytest.raises(doublet.OptionError, match="settled when the index was made"):
        index.check(POSTS, method="shingles")


def test_threads_ask_at_once(index: doublet.Index) -> None:
    expected = [index.check(post["text"]) for post in POSTS]
    together = threading.Barrier(8)

    def ask(_: int) -> bool:
        together.wait()
        return all(
            index.check(post["text"]) == answer for _ in range(5) for post, answer in zip(POSTS, expected)
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(8)))


def test_threads_ask_while_one_writes(index: doublet.Index) -> None:
    stop = threading.Event()
    asked = []

    def ask() -> None:
        last = False
        while not last:
            # Once more at the end, also where a thread was never given time before.
            last = stop.is_set()
            asked.append(index.check(POSTS[0]["text"])["duplicate"])

    readers = [threading.Thread(target=ask) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in range(10):
        index.add([{"id": f"more-{number}", "text": f"Another text, number {number}, of no interest."}])
    stop.set()
    for reader in readers:
        reader.join()
    assert len(asked) >= len(readers)
    assert all(asked)
    assert len(index) == len(ARTICLES) + 10


def test_runs_in_threads() -> None:
    expected = doublet.pairs(ARTICLES + POSTS, method="sentences")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: doublet.pairs(ARTICLES + POSTS, method="sentences"), range(8)))
    assert all(pairs == expected for pairs in found)


@pytest.mark.parametrize("several", [False, True])
def test_ids_are_removed_by_what_they_are(tmp_path: Path, several: bool) -> None:
    ids: list[Any] = [1, "1", "a\nb", "", "Zürich \U0001f6b2", True, "true", 2.5, '"quoted"', "-x", "c:\\d"]
    index = doublet.Index.create(tmp_path / "index")
    index.add([{"id": one, "text": f"A text, number {number}, of no interest."} for number, one in enumerate(ids)])
    assert len(index) == len(ids)
    padding = [f"none-{n}" for n in range(100)] if several else []
    for gone, one in enumerate(ids, 1):
        assert index.remove([one, *padding] if several else one) == 1, one
        assert len(index) == len(ids) - gone
    assert index.remove(["a", "b", "97", *padding]) == 0


def test_ids_of_a_file_that_escapes(tmp_path: Path) -> None:
    escaped = tmp_path / "texts.jsonl"
    escaped.write_text(json.dumps({"id": "Zürich", "text": "A text of no interest."}) + "\n", encoding="ascii")
    index = doublet.Index.create(tmp_path / "index")
    index.add(escaped)
    assert index.remove("Zürich") == 1


@pytest.mark.parametrize("wrong", [b"ab", None, [b"ab"], [None], float("nan"), {"id": 1}.items()])
def test_what_is_no_id(index: doublet.Index, wrong: object) -> None:
    with pytest.raises(TypeError, match="is no id"):
        index.remove(wrong)
    with pytest.raises(doublet.InputError, match="surrogate"):
        index.remove("\ud800")
    assert len(index) == len(ARTICLES)


def test_numbers_of_numpy(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"id": [3, 4], "text": ["One text of no interest.", "Another of no more."]})
    index = doublet.Index.create(tmp_path / "index")
    index.add(frame)
    assert index.remove(frame["id"]) == 2
