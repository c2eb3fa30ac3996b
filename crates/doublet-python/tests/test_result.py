"""What a result holds, how it shows, and when its files go."""

from __future__ import annotations

import gc
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import datasets
import doublet
import pandas
import polars
import pyarrow
import pytest
from support import COLUMNS, KINDS, Record, lines, plain

TEXTS = [
    "The ferry leaves at nine from the north pier.",
    "Tickets are sold on board of each ship.",
    "THE FERRY LEAVES AT NINE FROM THE NORTH PIER!",
]
ROWS: list[Record] = [{"id": f"r{n}", "text": text, "more": [n]} for n, text in enumerate(TEXTS)]


def test_lists() -> None:
    result = doublet.dedup(TEXTS)
    assert result.kept == TEXTS[:2]
    assert result.kept_rows.tolist() == [0, 1]
    assert result.pairs[0]["a"] == 0
    assert result.pairs[0]["b"] == 2
    assert result.removed[0]["representative"] == 0
    assert result.clusters[0]["members"][1]["id"] == 2
    assert result.rejected == []
    assert result.summary["read"] == 3
    assert result.warnings == []


def test_dicts_are_the_same_objects() -> None:
    assert all(kept is row for kept, row in zip(doublet.dedup(ROWS).kept, ROWS))


def test_ids_of_several_types() -> None:
    rows: list[Record] = [{"id": 1, "text": TEXTS[0]}, {"id": "1", "text": TEXTS[2]}, {"id": 2.5, "text": TEXTS[1]}]
    result = doublet.dedup(rows)
    assert [(pair["a"], pair["b"]) for pair in result.pairs] == [(1, "1")]
    assert result.kept == [rows[0], rows[2]]
    assert result.removed[0]["file"] == "data"


def test_nested_fields() -> None:
    rows: list[Record] = [{"meta": {"id": n}, "doc": {"body": text}} for n, text in enumerate(TEXTS)]
    result = doublet.dedup(rows, text_field="doc.body", id_field="meta.id", keep="last")
    assert result.kept == rows[1:]
    cut = doublet.dedup(rows, text_field="doc.body", id_field="meta.id", method="sentences", remove="passages")
    assert cut.kept[0] == rows[0]
    assert rows[2]["doc"]["body"] == TEXTS[2]


def test_rows_without_ids_are_numbered() -> None:
    rows = [{"text": text} for text in TEXTS]
    for kind, make in KINDS.items():
        result = doublet.dedup(make(rows))
        assert json.loads((result.directory / "removed.jsonl").read_bytes())["id"] == 2, kind
    assert doublet.dedup(rows, against=[TEXTS[1]]).removed[0]["representative"] == 3


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_given(kind: str) -> None:
    rows = [{"id": row["id"], "text": row["text"]} for row in ROWS]
    given = KINDS[kind](rows)
    result = doublet.dedup(given)
    expected: type = {"iterator": list, "arrow-foreign": pyarrow.Table}.get(kind, type(given))
    assert type(result.kept) is expected
    tables: dict[type, type] = {list: list, pandas.DataFrame: pandas.DataFrame, polars.DataFrame: polars.DataFrame}
    for found in (result.pairs, result.removed, result.clusters, result.rejected):
        assert type(found) is tables.get(expected, pyarrow.Table)
    assert len(result.pairs) == 1
    assert len(result.rejected) == 0


@pytest.mark.parametrize("kind", COLUMNS)
def test_the_kind_of_columns(kind: str) -> None:
    given = COLUMNS[kind](list(TEXTS))
    kept = doublet.dedup(given).kept
    assert type(kept) is (list if kind == "tuple" else type(given))
    assert getattr(kept, "name", None) == getattr(given, "name", None)


def test_the_index_of_pandas_stays() -> None:
    frame = pandas.DataFrame(ROWS, index=["x", "y", "z"])
    result = doublet.dedup(frame, keep="last")
    assert result.kept.index.tolist() == ["y", "z"]
    assert result.kept.columns.tolist() == ["id", "text", "more"]
    frame.loc["z", "text"] = None
    assert doublet.dedup(frame).rejected["line"].tolist() == [3]


def test_categories_and_missing_texts_of_pandas() -> None:
    texts = pandas.Series([*TEXTS, None, float("nan")], dtype="category")
    result = doublet.dedup(pandas.DataFrame({"text": texts}))
    assert result.kept.index.tolist() == [0, 1]
    assert result.summary["rejected"] == 2


def test_a_dataset_keeps_what_it_knows() -> None:
    data = datasets.Dataset.from_list(ROWS, split="train")
    kept = doublet.dedup(data).kept
    assert kept.split == "train"
    assert kept.features == data.features


def test_nothing_given() -> None:
    empty: list[str] = []
    result = doublet.dedup(empty)
    assert result.kept == []
    assert result.pairs == []
    frame = doublet.dedup(pandas.DataFrame({"text": []}, dtype=str))
    assert frame.kept.empty
    assert {"a", "b", "score"} <= set(frame.pairs.columns)


def test_drop_empty_and_rejected() -> None:
    texts: list[Any] = ["", "a text", None, "…"]
    assert doublet.dedup(texts).kept == ["", "a text", "…"]
    assert doublet.dedup(texts, drop_empty=True).kept == ["a text"]
    assert doublet.dedup(texts).rejected[0]["line"] == 3


def test_dry_run(tmp_path: Path) -> None:
    result = doublet.dedup(TEXTS, dry_run=True)
    assert result.summary["removed"] == 1
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS), encoding="utf-8")
    assert doublet.dedup(path, dry_run=True).kept == []


def test_files_go_with_the_result(tmp_path: Path) -> None:
    result = doublet.dedup(TEXTS, temp_dir=tmp_path)
    assert result.directory.is_relative_to(tmp_path)
    report = result.report(tmp_path / "report.html")
    assert "<html" in report.read_text(encoding="utf-8")
    report.unlink()
    del result
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_with() -> None:
    with doublet.dedup(TEXTS) as result:
        pairs = result.pairs
        directory = result.directory
    assert not directory.exists()
    assert result.pairs is pairs
    assert result.kept == TEXTS[:2]
    with pytest.raises(doublet.DoubletError, match="closed"):
        _ = result.clusters
    assert repr(result) == "<doublet.Result: closed>"


def test_output_stays(tmp_path: Path) -> None:
    with doublet.dedup(TEXTS, output=tmp_path / "out") as result:
        pass
    gc.collect()
    names = {path.name for path in result.directory.iterdir()}
    assert names >= {"pairs.jsonl", "clusters.jsonl", "removed.jsonl", "rejected.jsonl", "summary.json", "report.html"}


def test_a_reader_outlives_the_result(tmp_path: Path) -> None:
    table = pyarrow.Table.from_pylist(ROWS)
    kept = doublet.dedup(table.to_reader(), temp_dir=tmp_path).kept
    gc.collect()
    assert list(tmp_path.iterdir())
    assert kept.read_all().to_pylist() == ROWS[:2]
    del kept
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_reader_outlives_the_result_without_assertions(tmp_path: Path) -> None:
    code = f"""
import gc, os
import doublet, pyarrow
kept = doublet.dedup(pyarrow.table({{"text": ["a text of some words"]}}).to_reader(), temp_dir={str(tmp_path)!r}).kept
gc.collect()
if not os.listdir({str(tmp_path)!r}) or kept.read_all().num_rows != 1:
    raise SystemExit("gone")
"""
    ran = subprocess.run([sys.executable, "-O", "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_shown() -> None:
    result = doublet.dedup(TEXTS)
    assert repr(result) == "<doublet.Result: read 3, kept 2, removed 1 (1 pairs in 1 clusters), empty 0, rejected 0>"
    html = result._repr_html_()
    assert "<table>" in html
    assert "33.33 %" in html


def test_compare() -> None:
    a = "Tom & <b>Jerry</b> 🐭 run over the hill today, and so on"
    b = "Then Tom & <b>Jerry</b> 🐭 run over the hill tomorrow"
    found = doublet.compare(a, b, threshold=0.3)
    assert found.duplicate is bool(found) is (found.score >= 0.3)
    assert found.score == found.scores["resemblance"]
    passage = found.passages_a[0]
    # Code points: what Python counts.
    assert a[passage["start"] : passage["end"]].startswith("Tom & <b>Jerry</b> 🐭 run over the hill")
    html = found._repr_html_()
    assert "<mark" in html
    assert "Tom &amp; &lt;b&gt;Jerry&lt;/b&gt;" in html
    assert "<b>Jerry" not in html
    assert "resemblance" in repr(found)
    assert "Tom" not in repr(found)


def test_inspect() -> None:
    seen = doublet.inspect("Im Jahr 2024: Straßenbahn!")
    assert [token["text"] for token in seen["tokens"]] == ["im", "jahr", "2024", "strassenbahn"]
    assert len(doublet.inspect(TEXTS)) == 3
    words = doublet.inspect(["grand hôtel"], accents="fold", method="terms")
    assert words[0]["id"] == 0


def test_paths_hold_their_files(tmp_path: Path) -> None:
    given = tmp_path / "texts.jsonl"
    given.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    kept = doublet.dedup(given, temp_dir=scratch).kept
    one = kept[0]
    del kept
    gc.collect()
    assert isinstance(one, Path)
    assert [json.loads(line)["id"] for line in one.read_text(encoding="utf-8").splitlines()] == ["r0", "r1"]
    assert doublet.dedup(doublet.dedup(given, temp_dir=scratch).kept).summary["read"] == 2
    assert one == Path(one)
    assert hash(one) == hash(Path(one))
    assert repr(one) == repr(Path(one))
    assert type(pickle.loads(pickle.dumps(one))) is type(Path())
    del one
    gc.collect()
    assert list(scratch.iterdir()) == []
    with doublet.dedup(given, temp_dir=scratch) as result:
        closed = result.kept
    assert not closed[0].exists()
    stays = doublet.dedup(given, output=tmp_path / "out").kept
    assert type(stays[0]) is type(Path())


@pytest.mark.parametrize("kind", ["records", "pandas", "polars", "arrow", "arrow-batch", "dataset"])
def test_passages_of_a_nested_text(kind: str) -> None:
    flat = [{"id": record["id"], "text": record["text"]} for record in lines("articles.jsonl") + lines("posts.jsonl")]
    expected = doublet.dedup(flat, method="sentences", remove="passages").kept
    assert any(row not in flat for row in expected)

    def nested(rows: list[Record]) -> list[Record]:
        return [{"id": row["id"], "doc": {"body": {"text": row["text"]}, "more": len(row["id"])}} for row in rows]

    given = KINDS[kind](nested(flat))
    kept = doublet.dedup(given, method="sentences", remove="passages", text_field="doc.body.text").kept
    assert type(kept) is type(given)
    assert plain(kept) == nested(expected)
    assert plain(given) == nested(flat)


def test_a_reader_without_ids_leaves_those_of_the_other_side_alone() -> None:
    bare = [{"text": row["text"]} for row in ROWS]

    def reader(rows: list[Record]) -> pyarrow.RecordBatchReader:
        return pyarrow.Table.from_pylist(rows).to_reader(max_chunksize=2)

    result = doublet.dedup(ROWS, against=reader(bare[1:2]))
    assert [(row["id"], row["representative"]) for row in result.removed] == [("r1", 3), ("r2", "r0")]
    streamed = doublet.dedup(reader(bare), against=ROWS[1:2])
    assert streamed.removed["id"].to_pylist() == [1, 2]
    assert streamed.removed["representative"].to_pylist() == ['"r1"', "0"]
    assert streamed.kept.read_all().to_pylist() == bare[:1]
    both = doublet.dedup(reader(ROWS), against=reader(bare[1:2]))
    assert both.removed["id"].to_pylist() == ["r1", "r2"]
    assert both.removed["representative"].to_pylist() == ["3", '"r0"']
    assert both.kept.read_all().to_pylist() == ROWS[:1]
    neither = doublet.dedup(reader(bare), against=reader(bare[1:2]))
    assert neither.removed["representative"].to_pylist() == [3, 0]
    assert neither.kept.read_all().to_pylist() == bare[:1]
    pairs = doublet.pairs(ROWS[:1], against=reader(bare[2:]))
    assert [(pair["a"], pair["b"]) for pair in pairs] == [("r0", 1)]


@pytest.mark.parametrize("ids", [[1.0, 2.0, 3.0], [1.5, float("nan"), float("nan")], ["a", float("nan"), 2], [None, None, "c"]])
def test_ids_and_index_of_pandas(ids: list[Any]) -> None:
    """Ids of floats, missing ones, and an index that names all rows alike."""
    frame = pandas.DataFrame({"id": ids, "text": TEXTS}, index=[7, 7, 7])
    result = doublet.dedup(frame)
    assert result.kept_rows.tolist() == [0, 1]
    pandas.testing.assert_frame_equal(result.kept, frame.iloc[:2])
    removed = result.removed.to_dict("records")[0]
    assert removed["line"] == 3
    assert removed["id"] == (ids[2] if ids[2] == ids[2] else "data:3")
    assert removed["representative"] == (ids[0] or "data:1")


def test_ids_are_the_same_by_any_way() -> None:
    """Written to a file, for ids of several types, or read in memory."""
    rows: list[Record] = [{"id": "Zürich \U0001f6b2", "text": TEXTS[0]}, {"id": 7, "text": TEXTS[2]}]
    cut = doublet.dedup(rows, method="sentences", min_sentences=1, remove="passages")
    cut_ids = [line.split(",")[0] for line in (cut.directory / "removed.jsonl").read_text(encoding="utf-8").splitlines()]
    assert cut.removed[0]["id"] == 7
    assert cut_ids == ['{"id":7']
    assert "Zürich \U0001f6b2" in (cut.directory / "removed.jsonl").read_text(encoding="utf-8")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_result_in_a_forked_process(tmp_path: Path) -> None:
    code = f"""
import os, sys, gc
import doublet
result = doublet.dedup(["a text of some words", "and another one of them"], temp_dir={str(tmp_path)!r})
if os.fork() == 0:
    result.close()
    del result
    gc.collect()
    sys.exit()
assert os.wait()[1] == 0
assert result.directory.is_dir()
assert result.pairs == []
"""
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["records", "pandas", "polars", "arrow"])
def test_numbers_that_json_does_not_have(kind: str) -> None:
    nan, inf = float("nan"), float("inf")
    rows = [{"id": one, "doc": {"body": text, "rank": nan}} for one, text in zip((inf, -inf, 1.5), TEXTS)]
    ways: list[Any] = [
        {"keep": "field:doc.rank"},
        {"method": "sentences", "remove": "passages", "min_sentences": 1},
    ]
    for options in ways:
        result = doublet.dedup(KINDS[kind](rows), text_field="doc.body", **options)
        assert result.summary["rejected"] == 0
        removed = json.loads((result.directory / "removed.jsonl").read_bytes())
        assert (removed["id"], removed["line"]) == (1.5, 3)
