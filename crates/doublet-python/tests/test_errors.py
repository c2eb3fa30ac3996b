"""What goes wrong is said in the words of Python, by a class that tells what kind of thing it is."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import datasets
import doublet
import pandas
import polars
import pyarrow
import pytest
from support import KINDS, SAMPLES, Record
from doublet.errors import in_python

TEXTS = ["one two three four five six seven", "eight nine ten eleven twelve thirteen"]
ROWS: list[Record] = [{"id": n, "words": text, "date": 1} for n, text in enumerate(TEXTS)]


@pytest.mark.parametrize("kind", ["records", "pandas", "polars", "arrow", "arrow-batch", "arrow-foreign", "dataset"])
def test_a_wrong_column_names_those_there_are(kind: str) -> None:
    data = KINDS[kind](ROWS)
    with pytest.raises(doublet.InputError) as caught:
        doublet.dedup(data)
    message = str(caught.value)
    assert "`text`" in message
    assert "`words`" in message
    assert "`text_field=`" in message
    with pytest.raises(doublet.InputError, match=r"no column `key`.*`id_field=`"):
        doublet.dedup(data, text_field="words", id_field="key")
    with pytest.raises(doublet.InputError, match=r"no column `year`: the columns are .*`date`"):
        doublet.dedup(data, text_field="words", keep="field:-year")
    assert doublet.dedup(data, text_field="words", keep="field:-date").summary["read"] == 2


def test_a_wrong_column_of_a_reader() -> None:
    with pytest.raises(doublet.InputError, match="`words`"):
        doublet.dedup(pyarrow.Table.from_pylist(ROWS).to_reader())


@pytest.mark.parametrize("kind", ["records", "pandas", "arrow"])
def test_an_id_twice(kind: str) -> None:
    rows = [{"id": "a", "text": text} for text in TEXTS]
    with pytest.raises(doublet.InputError, match=r"(?s)\"a\" occurs twice.*`renumber=True`"):
        doublet.dedup(KINDS[kind](rows))
    assert doublet.dedup(KINDS[kind](rows), renumber=True).summary["kept"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 1.5}, "`threshold=1.5`: give a number above 0"),
        ({"method": "foo"}, "`method=`: give one of shingles, minhash"),
        ({"min_common": 3}, "`min_common=` goes with `method='minhash'`"),
        ({"estimate": True}, "`estimate=True` goes with `method='minhash'`"),
        ({"memory": "lots"}, "memory"),
        ({"threshold": object()}, "`threshold=`"),
        ({"temp_dir": "nowhere"}, "`temp_dir='nowhere'` is no directory"),
    ],
)
def test_options(options: Any, message: str) -> None:
    with pytest.raises(doublet.OptionError) as caught:
        doublet.dedup(TEXTS, **options)
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert "--" not in str(caught.value)


def test_a_keyword_that_is_none() -> None:
    wrong: Any = {"treshold": 0.5}
    with pytest.raises(TypeError, match=r"dedup\(\) got an unexpected keyword argument 'treshold'; did you mean 'threshold'"):
        doublet.dedup(TEXTS, **wrong)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (7, "int is no data"),
        (b"bytes", "bytes is no data"),
        (bytearray(b"bytes"), "bytearray is no data"),
        ({"a", "b"}, "a set has no order"),
        (frozenset(["a"]), "a set has no order"),
        ({"text": "a"}, "dict is no data"),
        ([1, 2], "a list of int"),
        ([b"x"], "a list of bytes"),
        (polars.LazyFrame({"text": TEXTS}), "collect"),
        (datasets.DatasetDict(), "one of its splits"),
    ],
)
def test_data_of_no_kind(data: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        doublet.dedup(data)


def test_rows_of_two_kinds() -> None:
    mixed: Any = ["text", {"text": "x"}]
    with pytest.raises(doublet.InputError, match="row 1 is dict"):
        doublet.dedup(mixed)
    with pytest.raises(doublet.InputError, match="row 1 is str"):
        doublet.dedup(mixed[::-1])


def test_columns_of_one_name() -> None:
    frame = pandas.DataFrame([["a", "b"]], columns=["text", "text"])
    with pytest.raises(doublet.InputError, match="same name"):
        doublet.dedup(frame)


def test_a_lone_surrogate_is_no_text() -> None:
    with pytest.raises(doublet.InputError, match="surrogate"):
        doublet.dedup(["fine", "\ud800"])
    with pytest.raises(doublet.InputError, match="row 1.* surrogate"):
        doublet.dedup(["fine", "\ud800"], method="sentences", remove="passages")


def test_text_of_another_type() -> None:
    with pytest.raises(doublet.InputError):
        doublet.dedup(pyarrow.table({"text": [1, 2, 3]}))


def test_strict(tmp_path: Path) -> None:
    rows = pyarrow.table({"id": ["a", "b"], "text": ["a text", None]})
    assert doublet.dedup(rows).summary["rejected"] == 1
    with pytest.raises(doublet.InputError, match="null"):
        doublet.dedup(rows, strict=True)


def test_files(tmp_path: Path) -> None:
    with pytest.raises(doublet.FileError, match="no input found at .*: give a list for texts"):
        doublet.dedup(str(tmp_path / "nothing.jsonl"))
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    with pytest.raises(doublet.DoubletError, match=r"not empty.*`force=True`"):
        doublet.dedup(TEXTS, output=tmp_path / "full")
    assert doublet.dedup(TEXTS, output=tmp_path / "full", force=True).summary["kept"] == 2
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no PAR1")
    with pytest.raises(doublet.DoubletError, match=r"bad\.parquet"):
        doublet.dedup(tmp_path / "bad.parquet")


@pytest.mark.parametrize("option", [{"format": "csv"}, {"resume": True}])
def test_options_of_files(option: Any) -> None:
    with pytest.raises(doublet.OptionError):
        doublet.dedup(TEXTS, **option, output="never")


def test_a_file_where_a_text_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLES)
    with pytest.raises(doublet.InputError, match=r"pathlib\.Path\('rulff-a\.txt'\)"):
        doublet.compare("rulff-a.txt", "rulff-b.txt")
    with pytest.raises(doublet.InputError, match="is a file"):
        doublet.inspect("messages.jsonl")
    assert doublet.compare(Path("rulff-a.txt"), Path("rulff-b.txt")).a is not None
    # What the error says to do; and a directory is nobody's text file.
    compared = doublet.compare(["rulff-a.txt"], ("rulff-a.txt",))
    assert compared.score == 1
    assert compared.a == compared.b == "rulff-a.txt"
    assert len(doublet.inspect(["messages.jsonl"])) == 1
    monkeypatch.chdir(SAMPLES.parent)
    assert doublet.compare("samples", "samples").score == 1
    assert doublet.inspect("samples")["tokens"]


@pytest.mark.parametrize("wrong", [[], ["a", "b"], [1], 7, {"text": "a"}, None, pyarrow.table({"text": ["a"]})])
def test_no_text(wrong: Any) -> None:
    with pytest.raises(TypeError, match="is no text: give a string"):
        doublet.compare(wrong, "text")


def test_a_damaged_index(tmp_path: Path) -> None:
    index = doublet.Index.create(tmp_path / "index")
    index.add(TEXTS)
    largest = max((path for path in (tmp_path / "index").rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    damaged = bytearray(largest.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    largest.write_bytes(damaged)
    with pytest.raises(doublet.IndexDamagedError):
        doublet.Index.open(tmp_path / "index").verify()


def test_no_index(tmp_path: Path) -> None:
    with pytest.raises(doublet.DoubletError, match="no such directory"):
        doublet.Index.open(tmp_path / "none")


def test_warnings_are_of_python() -> None:
    with pytest.warns(doublet.DoubletWarning, match="`shingle=`") as caught:
        result = doublet.dedup(["a b", "c d"])
    warned = [one for one in caught if one.category is doublet.DoubletWarning]
    assert warned[0].filename == __file__
    assert result.warnings == [str(one.message) for one in warned]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        doublet.dedup(TEXTS)


def test_classes() -> None:
    assert issubclass(doublet.OptionError, (doublet.DoubletError, ValueError))
    assert issubclass(doublet.FileError, (doublet.DoubletError, OSError))
    for kind in (doublet.OptionError, doublet.InputError, doublet.FileError, doublet.IndexDamagedError):
        error = kind("`--text-field` is missing")
        assert str(error) == "`text_field=` is missing"
        assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("name it by `--text-field`", "name it by `text_field=`"),
        ("`--threshold 1.5`: no", "`threshold=1.5`: no"),
        ("give `--force` to write", "give `force=True` to write"),
        ("`--method sentences`", "`method='sentences'`"),
        ("by `--positive LABEL,…`", "by `positive=`"),
        ("no option here - at all", "no option here - at all"),
        ("use --force, or not", "use force=True, or not"),
        ('id "a --force" occurs twice', 'id "a --force" occurs twice'),
        ('id "\\" --force" occurs twice: `--force`', 'id "\\" --force" occurs twice: `force=True`'),
        ("cannot read `my --text-field.csv`", "cannot read `my --text-field.csv`"),
        ("cannot read /tmp/--force/x.jsonl and ./--strict.csv", "cannot read /tmp/--force/x.jsonl and ./--strict.csv"),
        ("cannot read --strict.csv", "cannot read --strict.csv"),
        ("start it by `doublet serve --max-body 1M`", "start it by `doublet serve --max-body 1M`"),
        ("invalid value 'x' for '--method <METHOD>'\n  [possible values: a, b]", "invalid value 'x' for `method=`: give one of a, b"),
    ],
)
def test_messages(said: str, told: str) -> None:
    assert in_python(said) == told


def test_json_of_results_is_as_written(tmp_path: Path) -> None:
    result = doublet.dedup(TEXTS + TEXTS, output=tmp_path / "out")
    with (tmp_path / "out/pairs.jsonl").open(encoding="utf-8") as lines:
        assert result.pairs == [json.loads(line) for line in lines]
