"""What the tests share: the command line to compare with, collections of texts, and every kind of data."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import datasets
import pandas
import polars
import pyarrow
import pyarrow.parquet

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "samples"
DOUBLET = Path(os.environ.get("DOUBLET", ROOT / "target/debug/doublet")).resolve()
METHODS = ["shingles", "minhash", "simhash", "terms", "sentences", "imatch"]

Record = dict[str, Any]

# Texts that trip programs up: nothing, blanks, no letters, scripts without spaces, several code points to a character, line ends, control characters.
AWKWARD: list[str | None] = [
    "",
    " \t\u00a0\u3000",
    "…!?",
    None,
    "今天的天气很好，我们去公园散步吧。晚上在河边吃饭。",
    "今天的天气很好，我们去公园散步吧。晚上在湖边吃饭。",
    "今日は天気がいいので、公園を散歩しましょう。夜は川辺で食べます。",
    "오늘은 날씨가 좋아서 공원을 산책합시다. 저녁에는 강가에서 먹어요.",
    "👩‍👩‍👧‍👦 the family 👩🏽‍🚀 goes to the moon 🌕 and back 🇩🇪 again",
    "👩‍👩‍👧‍👦 the family 👩🏽‍🚀 goes to the moon 🌕 and back 🇫🇷 again",
    "One line here.\r\nAnother line there.\r\nAnd a third one, at last.\r\n",
    "One line here.\nAnother line there.\nAnd a third one, at last.\n",
    "cafe\u0301 au lait, s\u0327il vous plai\u0302t, on the terrace by the old harbour wall",
    "caf\u00e9 au lait, \u015fil vous pla\u00eet, on the terrace by the old harbour wall",
    "nul\0in the middle of a text that goes on for a while after it",
    '"quotes", commas,\ttabs and \\backslashes\\ in one text of some length',
    "word " * 3000,
    "מחר נלך יחד אל הים ונחזור הביתה רק בערב",
]


def lines(name: str) -> list[Record]:
    """A sample, with its ids as strings: a column has one type."""
    with (SAMPLES / name).open(encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return [{**record, "id": str(record["id"])} for record in records]


def collection() -> list[Record]:
    """Texts of all sorts: long and short, copied in part, awkward."""
    samples = [lines(name) for name in ("collection.jsonl", "messages.jsonl", "articles.jsonl", "posts.jsonl")]
    records = [record for sample in samples for record in sample]
    awkward = [{"id": f"awkward-{number}", "text": text} for number, text in enumerate(AWKWARD)]
    return [
        {"id": record["id"], "text": record["text"], "rank": len(record["text"] or "") % 7}
        for record in records + awkward
    ]


def table(records: Iterable[Record]) -> pyarrow.Table:
    return pyarrow.Table.from_pylist(list(records))


def chunked(records: Iterable[Record]) -> pyarrow.Table:
    """A table of several chunks, one of them empty."""
    whole = table(records)
    third = whole.num_rows // 3
    parts = [whole[:third], whole[third:third], whole[third : 2 * third], whole[2 * third :]]
    return pyarrow.concat_tables(parts)


def with_texts(records: Iterable[Record], kind: pyarrow.DataType) -> pyarrow.Table:
    """A table whose texts are of another type of Arrow."""
    whole = table(records)
    texts = whole["text"].dictionary_encode() if pyarrow.types.is_dictionary(kind) else whole["text"].cast(kind)
    return whole.set_column(whole.schema.get_field_index("text"), "text", texts)


class Foreign:
    """A table of some library that we have never heard of."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._table = table(records)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def shuffled(records: Iterable[Record]) -> datasets.Dataset:
    """A dataset whose rows are chosen by indices."""
    whole = list(records)
    backwards = datasets.Dataset.from_list(whole[::-1])
    return backwards.select(list(range(len(whole)))[::-1])


# Kinds that have ids of their own, and how they are made of records.
KINDS: dict[str, Callable[[list[Record]], Any]] = {
    "records": list,
    "iterator": iter,
    "pandas": pandas.DataFrame,
    "pandas-index": lambda records: pandas.DataFrame(records, index=[f"i{n}" for n in range(len(records))]),
    "pandas-objects": lambda records: pandas.DataFrame(records, dtype=object),
    "polars": lambda records: polars.DataFrame(records),
    "arrow": table,
    "arrow-chunked": chunked,
    "arrow-large": lambda records: with_texts(records, pyarrow.large_string()),
    "arrow-view": lambda records: with_texts(records, pyarrow.string_view()),
    "arrow-dictionary": lambda records: with_texts(records, pyarrow.dictionary(pyarrow.int32(), pyarrow.string())),
    "arrow-batch": lambda records: table(records).combine_chunks().to_batches()[0],
    "arrow-foreign": Foreign,
    "dataset": datasets.Dataset.from_list,
    "dataset-chosen": shuffled,
}
# Kinds of texts alone.
COLUMNS: dict[str, Callable[[list[str | None]], Any]] = {
    "texts": list,
    "tuple": tuple,
    "pandas-series": lambda texts: pandas.Series(texts, name="words", dtype=object),
    "polars-series": lambda texts: polars.Series("words", texts),
    "arrow-array": lambda texts: pyarrow.array(texts, pyarrow.string()),
    "arrow-column": lambda texts: pyarrow.chunked_array([texts[:9], texts[9:]], pyarrow.string()),
}


def plain(kept: Any) -> list[Any]:
    """What stays, whatever its kind, as a list."""
    if isinstance(kept, list):
        return kept
    if isinstance(kept, pandas.DataFrame):
        return [{name: _value(value) for name, value in row.items()} for row in kept.to_dict("records")]
    if isinstance(kept, pandas.Series):
        return [_value(value) for value in kept.tolist()]
    if isinstance(kept, polars.DataFrame):
        return kept.to_dicts()
    if isinstance(kept, polars.Series):
        return kept.to_list()
    if isinstance(kept, pyarrow.RecordBatchReader):
        return kept.read_all().to_pylist()
    if isinstance(kept, datasets.Dataset):
        return list(kept)
    return list(kept.to_pylist())


def _value(value: Any) -> Any:
    return None if value != value else value


class CommandLine:
    """The program, run in a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def __call__(self, *words: object) -> bytes:
        line = [str(DOUBLET), *(str(word) for word in words)]
        ran = subprocess.run(line, cwd=self.directory, capture_output=True, check=False)
        # 1: it ran, and found nothing.
        assert ran.returncode in (0, 1), ran.stderr.decode()
        return ran.stdout

    def json(self, *words: object) -> list[Any]:
        return [json.loads(line) for line in self(*words).splitlines()]


def read(path: Path) -> list[Any]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def words_of(options: dict[str, Any]) -> list[str]:
    """Keywords on the command line, written apart from the package."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        words += [option] if value is True else [option, str(value)]
    return words
