"""The same results as the command line, byte for byte: every method, every kind of data.

What the command line reads is a Parquet file of the same rows; it is called `data`, as data in memory are, so that even the places in
`removed.jsonl` are the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import doublet
import pyarrow.parquet
import pytest
from support import (
    COLUMNS,
    KINDS,
    METHODS,
    SAMPLES,
    CommandLine,
    Record,
    lines,
    plain,
    read,
    table,
    words_of,
)

FILES = ["pairs.jsonl", "clusters.jsonl", "removed.jsonl", "rejected.jsonl"]
# Figures of a run that are about time, place and work, not about texts. How much is compared hangs on a sample, which is drawn by bytes of storage.
OWN = {"seconds", "stages", "peak_memory", "bytes", "options", "version", "candidates", "verifications", "sketches", "inputs", "against"}
OWN_OPTIONS = {"input", "format", "memory", "against"}

# Ways of running besides the methods alone.
SETTINGS: dict[str, dict[str, Any]] = {
    "coverage": {"metric": "coverage", "threshold": 0.6},
    "keep-field": {"keep": "field:-rank", "metric": "containment", "threshold": 0.5},
    "keep-last-star": {"keep": "last", "linkage": "star", "threshold": 0.5},
    "characters": {"tokens": "characters", "shingle": 4, "accents": "fold"},
    "drop-empty": {"drop_empty": True, "case": "keep", "numbers": "keep"},
    "small-memory": {"memory": "1M", "threads": 1},
    "terms-exact": {"method": "terms", "candidates": "exact", "weighting": "idf"},
    "estimate": {"method": "minhash", "estimate": True, "sketch_size": 64, "threshold": 0.5},
    "bands": {"method": "minhash", "bands": "25x4", "threshold": 0.5},
    "reorder-off": {"method": "sentences", "reorder": "off", "df_cutoff": "off", "min_sentences": 2},
}

Reference = Callable[..., Path]


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory, records: list[Record]) -> Reference:
    """What the command line writes for options, made once."""
    folder = tmp_path_factory.mktemp("reference")
    pyarrow.parquet.write_table(table(records), folder / "data")
    command = CommandLine(folder)
    made: dict[str, Path] = {}

    def get(**options: Any) -> Path:
        key = json.dumps(options, sort_keys=True)
        if key not in made:
            made[key] = folder / f"out-{len(made)}"
            command("dedup", "data", "--format", "parquet", "-q", "-o", made[key], *words_of(options))
        return made[key]

    return get


def assert_same(result: doublet.Result[Any, Any], expected: Path) -> None:
    for name in FILES:
        assert (result.directory / name).read_bytes() == (expected / name).read_bytes(), name
    summary = json.loads((expected / "summary.json").read_bytes())
    for name in summary.keys() - OWN:
        assert result.summary[name] == summary[name], name  # type: ignore[literal-required]
    for name in summary["options"].keys() - OWN_OPTIONS:
        assert result.summary["options"][name] == summary["options"][name], name


def kept_ids(directory: Path) -> list[Any]:
    return pyarrow.parquet.read_table(directory / "kept.parquet")["id"].to_pylist()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
def test_dedup_of_every_kind(method: Any, kind: str, records: list[Record], reference: Reference) -> None:
    expected = reference(method=method)
    result = doublet.dedup(KINDS[kind](records), method=method)
    assert_same(result, expected)
    stays = plain(result.kept)
    assert [record["id"] for record in stays] == kept_ids(expected)
    by_id = {record["id"]: record for record in records}
    assert stays == [by_id[record["id"]] for record in stays]
    assert plain(result.pairs) == read(expected / "pairs.jsonl")
    assert plain(result.removed) == read(expected / "removed.jsonl")
    assert plain(result.clusters) == read(expected / "clusters.jsonl")
    assert plain(result.rejected) == read(expected / "rejected.jsonl")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", COLUMNS)
def test_dedup_of_texts_alone(method: Any, kind: str, records: list[Record], reference: Reference) -> None:
    expected = reference(method=method, renumber=True)
    texts = [record["text"] for record in records]
    result = doublet.dedup(COLUMNS[kind](texts), method=method)
    for name in FILES:
        assert (result.directory / name).read_bytes() == (expected / name).read_bytes(), name
    stays = pyarrow.parquet.read_table(expected / "kept.parquet")["text"].to_pylist()
    assert plain(result.kept) == stays
    assert [texts[row] for row in result.kept_rows] == stays


@pytest.mark.parametrize("method", METHODS)
def test_dedup_of_a_reader(method: Any, records: list[Record], reference: Reference) -> None:
    expected = reference(method=method)
    result = doublet.dedup(table(records).to_reader(7), method=method)
    for name in ("pairs.jsonl", "clusters.jsonl"):
        assert (result.directory / name).read_bytes() == (expected / name).read_bytes(), name
    assert result.kept.schema == table(records).schema
    # Twice: each is a reader of its own.
    for _ in range(2):
        assert [record["id"] for record in plain(result.kept)] == kept_ids(expected)


@pytest.mark.parametrize("setting", SETTINGS)
def test_options(setting: str, records: list[Record], reference: Reference) -> None:
    options: Any = SETTINGS[setting]
    expected = reference(**options)
    result = doublet.dedup(table(records), **options)
    assert_same(result, expected)
    assert [record["id"] for record in plain(result.kept)] == kept_ids(expected)


@pytest.mark.parametrize("method", METHODS)
def test_paths(method: Any, command: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("collection.jsonl", "messages.jsonl"):
        (tmp_path / name).write_bytes((SAMPLES / name).read_bytes())
    command("dedup", "collection.jsonl", "messages.jsonl", "-q", "--method", method, "-o", "expected")
    paths = [Path("collection.jsonl"), Path("messages.jsonl")]
    result = doublet.dedup(paths, method=method, output="out")
    assert_same(result, tmp_path / "expected")
    assert sorted(path.name for path in result.kept) == sorted(
        path.name for path in (tmp_path / "expected").iterdir() if path.name.startswith("kept")
    )
    for path in result.kept:
        assert path.read_bytes() == (tmp_path / "expected" / path.name).read_bytes()
    one = doublet.dedup("collection.jsonl", method=method)
    assert one.summary["read"] == len(read(tmp_path / "collection.jsonl"))


@pytest.mark.parametrize("method", METHODS)
def test_pairs_and_clusters(method: Any, command: CommandLine, records: list[Record], tmp_path: Path) -> None:
    pyarrow.parquet.write_table(table(records), tmp_path / "data")
    given = ("data", "--format", "parquet", "-q", "--method", method)
    for name, function in (("pairs", doublet.pairs), ("clusters", doublet.clusters)):
        expected = command(name, *given)
        found: Any = function(table(records), method=method)
        assert found.to_pylist() == [json.loads(line) for line in expected.splitlines()]
        path: Any = function(table(records), method=method, output=tmp_path / f"{name}.jsonl")
        assert path.read_bytes() == expected
    command("pairs", *given, "-o", "expected.csv")
    written = doublet.pairs(records, method=method, output=tmp_path / "pairs.csv")
    assert written.read_bytes() == (tmp_path / "expected.csv").read_bytes()


@pytest.mark.parametrize("method", METHODS)
def test_against(method: Any, command: CommandLine, records: list[Record], tmp_path: Path) -> None:
    old, new = records[: len(records) // 2], records[len(records) // 2 :]
    pyarrow.parquet.write_table(table(old), tmp_path / "against")
    pyarrow.parquet.write_table(table(new), tmp_path / "data")
    given = ("data", "--against", "against", "--format", "parquet", "-q", "--method", method)
    command("dedup", *given, "-o", "expected")
    expected = tmp_path / "expected"
    result = doublet.dedup(table(new), against=table(old), method=method)
    assert_same(result, expected)
    assert [record["id"] for record in plain(result.kept)] == kept_ids(expected)
    found = doublet.pairs(new, against=table(old), method=method)
    assert found == command.json("pairs", *given)


@pytest.mark.parametrize("kind", ["records", "pandas-index", "polars", "arrow-chunked", "arrow-batch", "dataset"])
def test_passages(kind: str, command: CommandLine, tmp_path: Path) -> None:
    texts = [{"id": record["id"], "text": record["text"], "more": 7} for name in ("articles", "posts") for record in lines(f"{name}.jsonl")]
    (tmp_path / "data").write_text("".join(json.dumps(text) + "\n" for text in texts), encoding="utf-8")
    options: Any = {"method": "sentences", "remove": "passages"}
    command("dedup", "data", "--format", "jsonl", "-q", "-o", "expected", *words_of(options))
    expected = tmp_path / "expected"
    result = doublet.dedup(KINDS[kind](texts), **options)
    assert plain(result.kept) == read(expected / "kept.jsonl")
    assert type(result.kept) is type(KINDS[kind](texts))
    assert (result.directory / "removed.jsonl").read_bytes() == (expected / "removed.jsonl").read_bytes()
    assert result.summary["shortened"] > 0


@pytest.mark.parametrize("kind", COLUMNS)
def test_passages_of_texts_alone(kind: str) -> None:
    records = [{"text": record["text"]} for name in ("articles", "posts") for record in lines(f"{name}.jsonl")]
    expected = doublet.dedup(records, method="sentences", remove="passages").kept
    texts = [record["text"] for record in records]
    result = doublet.dedup(COLUMNS[kind](texts), method="sentences", remove="passages")
    assert plain(result.kept) == [record["text"] for record in expected]


@pytest.mark.parametrize("method", ["sentences", "shingles", "minhash", "terms", "imatch"])
def test_check(method: Any, command: CommandLine, tmp_path: Path) -> None:
    posts, articles = lines("posts.jsonl"), lines("articles.jsonl")
    for name, texts in (("posts", posts), ("articles", articles)):
        pyarrow.parquet.write_table(table(texts), tmp_path / f"{name}.parquet")
    expected = command.json("check", "posts.parquet", "--against", "articles.parquet", "--json", "-q", "--method", method)
    assert doublet.check(posts, against=articles, method=method) == expected
    assert doublet.check(table(posts), against=tmp_path / "articles.parquet", method=method) == expected
    command("index", "create", "index", "--method", method)
    command("index", "add", "index", "articles.parquet", "-q")
    asked = command.json("check", "posts.parquet", "--index", "index", "--json", "-q")
    assert doublet.check(posts, index=tmp_path / "index") == asked
    assert doublet.Index.open(tmp_path / "index").check(posts) == asked


@pytest.mark.parametrize("method", METHODS)
def test_compare(method: Any, command: CommandLine, tmp_path: Path) -> None:
    texts = {name: (SAMPLES / f"rulff-{name}.txt").read_bytes().decode() for name in "ab"}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_bytes(text.encode())
    ran = command.json("compare", "a.txt", "b.txt", "--json", "--method", method)
    found = doublet.compare(texts["a"], texts["b"], method=method)
    own = {"a", "b"}  # their names
    assert {k: v for k, v in found.details.items() if k not in own} == {
        k: v for k, v in ran[0].items() if k not in own
    }
    assert doublet.compare(tmp_path / "a.txt", tmp_path / "b.txt", method=method).scores == found.scores


@pytest.mark.parametrize("method", METHODS)
def test_inspect(method: Any, command: CommandLine, records: list[Record], tmp_path: Path) -> None:
    pyarrow.parquet.write_table(table(records), tmp_path / "data")
    expected = command.json("inspect", "data", "--format", "parquet", "--method", method)
    if method == "terms":
        # The groups of terms, which are the same for all texts, stand in each.
        expected = [{**text, **expected[0]} for text in expected[1:]]
    assert doublet.inspect(records, method=method) == expected
    assert doublet.inspect(table(records), method=method) == expected


def test_eval(command: CommandLine, tmp_path: Path) -> None:
    texts, truth = lines("collection.jsonl"), read(SAMPLES / "truth.jsonl")
    pyarrow.parquet.write_table(table(texts), tmp_path / "data")
    for row in truth:
        row["a"], row["b"] = str(row["a"]), str(row["b"])
    (tmp_path / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in truth), encoding="utf-8")
    own = {"seconds", "judging_seconds", "peak_memory", "input", "options", "truth", "sweep"}
    given = ("data", "--format", "parquet", "--truth", "truth.jsonl", "--json", "-q")
    expected = command.json("eval", *given)[0]
    for kind in ("records", "pandas", "polars", "arrow"):
        judged = doublet.eval(KINDS[kind](texts), truth=truth)
        assert {k: v for k, v in judged.items() if k not in own} == {k: v for k, v in expected.items() if k not in own}
    assert doublet.eval(texts, truth=table(truth))["pairs"] == expected["pairs"]
    swept = doublet.eval(texts, truth=truth, sweep={"threshold": [0.3, 0.5, 0.8]}, output=tmp_path / "judged")
    assert "sweep" in swept
    assert (tmp_path / "judged/eval.html").is_file()
    page = (tmp_path / "judged/eval.html").read_text(encoding="utf-8")
    assert "doublet eval " in page and "--sweep=threshold=0.3,0.5,0.8" in page
    swept = doublet.eval(texts, truth=truth, sweep={"shingle": [2, 5]})
    expected = command.json("eval", *given, "--sweep", "shingle=2,5")[0]
    assert swept["sweep"]["best"] == expected["sweep"]["best"]
    compared = doublet.eval(texts, truth=truth, methods=["shingles", "terms"])
    assert compared != judged


def test_advise(command: CommandLine, records: list[Record], tmp_path: Path) -> None:
    pyarrow.parquet.write_table(table(records), tmp_path / "data.parquet")
    expected = json.loads(command("advise", "data.parquet", "--json", "-q"))
    advice = doublet.advise(table(records))
    for name in ("copies", "languages", "lengths", "histogram"):
        assert advice[name] == expected[name], name
    assert advice["documents"]["texts"] == expected["documents"]["texts"]
    assert advice["recommendation"]["method"] == expected["recommendation"]["method"]


def test_background(command: CommandLine, tmp_path: Path) -> None:
    texts = lines("messages.jsonl")
    pyarrow.parquet.write_table(table(texts), tmp_path / "data.parquet")
    command("background", "data.parquet", "-q", "-o", "expected")
    path = doublet.background(texts, output=tmp_path / "made")
    assert path.read_bytes() == (tmp_path / "expected").read_bytes()
    found = doublet.pairs(texts, method="terms", background=path)
    assert found == command.json("pairs", "data.parquet", "-q", "--method", "terms", "--background", "made")
