"""The kinds of data: what the native module reads of each, and how results go back into it.

A kind is told by the module that its class comes from, so that no library is imported which is not in use already. Rows in memory go to the native
module as an Arrow stream of the columns that matter, without a copy where the library holds Arrow itself. A reader of record batches, which can be
larger than memory, is written to a Parquet file first. What fits no Arrow column (ids of several types) goes as JSON lines.
"""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _native
from ._optional import needed, optional
from ._options import StrPath
from .errors import InputError

if TYPE_CHECKING:
    from ._arrow import ArrowStream

# Bytes of a batch that is read back from a file, about.
_BATCH_BYTES = 8 << 20
# Where the row of a record stands in JSON lines that were made from data in memory.
ROW = "doublet-row"


@dataclass(frozen=True)
class Fields:
    """The columns that matter."""

    text: str = "text"
    id: str = "id"
    rank: str | None = None
    id_is_given: bool = False

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Fields:
        kind, _, name = str(options.get("keep")).partition(":")
        rank = name.removeprefix("-") if kind == "field" else None
        given = options.get("id_field")
        return cls(options.get("text_field") or "text", given or "id", rank, given is not None)

    def within(self, columns: Sequence[str]) -> list[str]:
        """The names of those among the columns, in their order; an error if one that was asked for is not there."""
        told = ", ".join(f"`{name}`" for name in columns) or "none"
        if not _stands_in(self.text, columns):
            raise InputError(
                f"no column `{self.text}`: the columns are {told}; name the one with the text by `--text-field`"
            )
        if self.id_is_given and not _stands_in(self.id, columns):
            raise InputError(f"no column `{self.id}`: the columns are {told}; name the one with the id by `--id-field`")
        if self.rank is not None and not _stands_in(self.rank, columns):
            raise InputError(f"`--keep field:{self.rank}`: no column `{self.rank}`: the columns are {told}")
        wanted = {name.split(".")[0] for name in self.names() if name not in columns}.union(self.names())
        return [name for name in columns if name in wanted]

    def names(self) -> list[str]:
        """Their names, each once."""
        named = (self.text, self.id, self.rank)
        return list(dict.fromkeys(name for name in named if name is not None))


def _stands_in(name: str, columns: Iterable[str]) -> bool:
    return name in columns or name.split(".")[0] in columns


class Source:
    """Data of one kind."""

    def found(self, path: Path) -> Any:
        """A file of JSON lines that a run wrote, as a table of the kind that goes with the data."""
        table = _native.table(str(path))
        pyarrow = optional("pyarrow")
        return table if pyarrow is None else pyarrow.table(table)


class Files(Source):
    """Paths, as on the command line."""

    def __init__(self, paths: Sequence[StrPath]) -> None:
        self.paths = [os.fspath(path) for path in paths]


class Reader(Source):
    """A stream of record batches that can be read once."""

    def __init__(self, stream: ArrowStream, fields: Fields) -> None:
        self.stream: Any = stream
        # Other streams tell their columns only by being read; the command line finds out.
        self.schema: Any = getattr(stream, "schema", None)
        names = getattr(self.schema, "names", None)
        if isinstance(names, list):
            fields.within(names)
        self.has_ids = not isinstance(names, list) or _stands_in(fields.id, names)
        self.fields = fields

    def spool(self, path: Path, first: int | None = None) -> int:
        """Write it to a file, its rows numbered from `first` on if that is given; how many there were."""
        return _native.spool(self.stream if first is None else self._numbered(first), str(path))

    def _numbered(self, first: int) -> ArrowStream:
        import pyarrow

        kind = pyarrow.int64()
        schema = self.schema.append(pyarrow.field(self.fields.id, kind))

        def batches(rows: int) -> Iterator[Any]:
            for batch in self.stream:
                numbers = pyarrow.py_buffer(array("q", range(rows, rows + batch.num_rows)))
                rows += batch.num_rows
                column = pyarrow.Array.from_buffers(kind, batch.num_rows, [None, numbers])
                yield pyarrow.RecordBatch.from_arrays([*batch.columns, column], schema=schema)

        numbered: ArrowStream = pyarrow.RecordBatchReader.from_batches(schema, batches(first))
        return numbered

    def kept(self, path: Path, holder: object) -> Any:
        """What stays, read from a file batch by batch; `holder` keeps the file."""
        pyarrow = needed("pyarrow", "to read what stays of a stream")
        from pyarrow.parquet import ParquetFile

        file = ParquetFile(path, buffer_size=1 << 16)
        schema = self.schema if isinstance(self.schema, pyarrow.Schema) else file.schema_arrow

        # A generator holds what it was called with until it ends.
        def batches(_holder: object) -> Iterator[Any]:
            with file:
                for batch in _batches(file):
                    own = batch.select(range(len(schema)))  # without numbers that were added
                    yield own.cast(schema) if own.schema != schema else own

        return pyarrow.RecordBatchReader.from_batches(schema, batches(holder))


class Rows(Source):
    """Rows in memory, each of which can be taken out."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.has_ids = False

    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def stream(self) -> ArrowStream | None:
        """The columns that matter as Arrow; nothing if their values are of several types."""
        try:
            return _native.columns(dict(self.columns()))
        except TypeError:
            return None

    def columns(self) -> list[tuple[str, Sequence[Any]]]:
        """The columns that matter as lists."""
        raise NotImplementedError

    def take(self, rows: array[int]) -> Any:
        """These rows, in the kind given."""
        raise NotImplementedError

    def take_shortened(self, rows: array[int], texts: list[str]) -> Any:
        """These rows with other texts."""
        raise NotImplementedError

    def lines(self) -> Iterator[dict[str, Any]]:
        """The rows as JSON has them, with their row numbers, which stand for ids where there are none."""
        names, columns = zip(*self.columns())
        for row, values in enumerate(zip(*columns)):
            record: dict[str, Any] = {ROW: row}
            whole = dict(zip(names, values))
            for name in self.fields.names():
                value = field(whole, name)
                # JSON has no such numbers.
                _put(record, name, str(value) if isinstance(value, float) and math.isinf(value) else value)
            if not self.has_ids:
                _put(record, self.fields.id, row)
            yield record


class ListKind(Rows):
    """Lists, whose results are lists of dicts."""

    def found(self, path: Path) -> list[dict[str, Any]]:
        import json

        with path.open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


class Texts(ListKind):
    """A list of strings; their ids are their places in it."""

    def __init__(self, texts: list[str | None], fields: Fields) -> None:
        super().__init__(fields)
        self.texts = texts

    def count(self) -> int:
        return len(self.texts)

    def columns(self) -> list[tuple[str, Sequence[Any]]]:
        return [(self.fields.text, self.texts)]

    def stream(self) -> ArrowStream | None:
        for row, text in enumerate(self.texts):
            if text is not None and not isinstance(text, str):
                raise InputError(f"row {row} is {type(text).__name__}, where the rows before are strings")
        return super().stream()

    def take(self, rows: array[int]) -> list[str | None]:
        return [self.texts[row] for row in rows]

    def take_shortened(self, rows: array[int], texts: list[str]) -> list[str]:
        return texts


class Records(ListKind):
    """A list of dicts: what a file of JSON lines holds."""

    def __init__(self, records: list[Mapping[str, Any]], fields: Fields) -> None:
        super().__init__(fields)
        self.records = records
        for row, record in enumerate(records):
            if not isinstance(record, Mapping):
                raise InputError(f"row {row} is {type(record).__name__}, where the rows before are dicts")
        fields.within(list({name: None for record in records for name in record}))
        self.has_ids = any(field(record, fields.id) is not None for record in records)

    def count(self) -> int:
        return len(self.records)

    def columns(self) -> list[tuple[str, Sequence[Any]]]:
        names = [name for name in self.fields.names() if self.has_ids or name != self.fields.id]
        return [(name, [field(record, name) for record in self.records]) for name in names]

    def stream(self) -> ArrowStream | None:
        if any("." in name for name in self.fields.names()):
            return None
        return super().stream()

    def take(self, rows: array[int]) -> list[Mapping[str, Any]]:
        return [self.records[row] for row in rows]

    def take_shortened(self, rows: array[int], texts: list[str]) -> list[dict[str, Any]]:
        return [_with_text(self.records[row], self.fields.text, text) for row, text in zip(rows, texts)]


class PandasFrame(Rows):
    """A data frame of pandas; its index stays with the rows."""

    def __init__(self, frame: Any, fields: Fields) -> None:
        super().__init__(fields)
        self.frame = frame.copy(deep=False)  # which rows stay is asked for later, and rows may be dropped meanwhile
        names = [name for name in frame.columns if isinstance(name, str)]
        self.names = fields.within(names)
        if len(set(self.names)) < len(self.names):
            raise InputError(f"two columns have the same name: {', '.join(self.names)}")
        self.has_ids = _stands_in(fields.id, names)

    def count(self) -> int:
        return len(self.frame)

    def stream(self) -> ArrowStream | None:
        pyarrow = optional("pyarrow")
        if pyarrow is None:
            return super().stream()
        try:
            table: ArrowStream = pyarrow.Table.from_pandas(self.frame[self.names], preserve_index=False)
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
            return None
        return table

    def columns(self) -> list[tuple[str, Sequence[Any]]]:
        columns = ((name, self.frame[name]) for name in self.names)
        return [(name, column.astype(object).where(column.notna(), None).tolist()) for name, column in columns]

    def take(self, rows: array[int]) -> Any:
        import numpy

        return self.frame.iloc[numpy.frombuffer(rows, dtype=numpy.uint64).astype(numpy.int64)]

    def take_shortened(self, rows: array[int], texts: list[str]) -> Any:
        taken = self.take(rows)
        name = self.fields.text
        if name in taken.columns:
            return taken.assign(**{name: texts})
        outer, _, inner = name.partition(".")
        column = taken[outer]
        changed = [_with_text(value, inner, text) for value, text in zip(column.tolist(), texts)]
        return taken.assign(**{outer: type(column)(changed, index=taken.index, dtype=column.dtype)})

    def found(self, path: Path) -> Any:
        import pandas

        if optional("pyarrow") is None:
            return pandas.read_json(path, lines=True, dtype=False)
        table = super().found(path)
        frame = table.to_pandas()
        if "members" in frame:  # lists, where pyarrow makes arrays of NumPy
            frame["members"] = table["members"].to_pylist()
        return frame


class PandasSeries(PandasFrame):
    """A column of pandas."""

    def __init__(self, series: Any, fields: Fields) -> None:
        super().__init__(series.to_frame(fields.text), fields)
        self.name = series.name

    def take(self, rows: array[int]) -> Any:
        return super().take(rows)[self.fields.text].rename(self.name)

    def take_shortened(self, rows: array[int], texts: list[str]) -> Any:
        taken = self.take(rows)
        return type(taken)(texts, index=taken.index, name=self.name)


class PolarsFrame(Rows):
    """A data frame of polars."""

    def __init__(self, frame: Any, fields: Fields) -> None:
        super().__init__(fields)
        self.frame = frame.clone()
        self.names = fields.within(frame.columns)
        self.has_ids = _stands_in(fields.id, frame.columns)

    def count(self) -> int:
        return len(self.frame)

    def stream(self) -> ArrowStream | None:
        chosen: ArrowStream = self.frame.select(self.names)
        return chosen

    def columns(self) -> list[tuple[str, Sequence[Any]]]:
        return [(name, self.frame[name].to_list()) for name in self.names]

    def take(self, rows: array[int]) -> Any:
        import polars

        return self.frame[polars.Series("row", memoryview(rows).tolist(), dtype=polars.UInt32)]

    def take_shortened(self, rows: array[int], texts: list[str]) -> Any:
        import polars

        taken = self.take(rows)
        name = self.fields.text
        if name in taken.columns:
            return taken.with_columns(polars.Series(name, texts))
        outer, _, inner = name.partition(".")
        column = taken[outer]
        changed = [_with_text(value, inner, text) for value, text in zip(column.to_list(), texts)]
        return taken.with_columns(polars.Series(outer, changed, dtype=column.dtype))

    def found(self, path: Path) -> Any:
        import polars

        return polars.DataFrame(_native.table(str(path)))


class PolarsSeries(PolarsFrame):
    """A column of polars."""

    def __init__(self, series: Any, fields: Fields) -> None:
        super().__init__(series.alias(fields.text).to_frame(), fields)
        self.name = series.name

    def take(self, rows: array[int]) -> Any:
        return super().take(rows)[self.fields.text].alias(self.name)

    def take_shortened(self, rows: array[int], texts: list[str]) -> Any:
        return type(self.frame[self.fields.text])(self.name, texts)


class ArrowTable(Rows):
    """A table or record batch of pyarrow, or anything that gives an Arrow stream."""

    def __init__(self, table: Any, fields: Fields) -> None:
        super().__init__(fields)
        self.table = table
        self.names = fields.within(table.schema.names)
        self.has_ids = _stands_in(fields.id, table.schema.names)

    def count(self) -> int:
        return int(self.table.num_rows)

    def stream(self) -> ArrowStream | None:
        chosen: ArrowStream = self.table.select(self.names)
        return chosen

    def columns(self) -> list[tuple[str, Sequence[Any]]]:
        return [(name, self.table.column(name).to_pylist()) for name in self.names]

    def take(self, rows: array[int]) -> Any:
        return _filter(self.table, _mask(rows, self.table.num_rows))

    def take_shortened(self, rows: array[int], texts: list[str]) -> Any:
        import pyarrow

        taken = self.take(rows)
        names = self.table.schema.names
        outer, _, inner = self.fields.text.partition(".")
        changed: list[Any] = texts
        if self.fields.text in names:
            outer = self.fields.text
        else:
            changed = [_with_text(value, inner, text) for value, text in zip(taken.column(outer).to_pylist(), texts)]
        place = names.index(outer)
        field = self.table.schema.field(place)
        return taken.set_column(place, field, pyarrow.array(changed, field.type))


class ArrowArray(ArrowTable):
    """A column of pyarrow."""

    def __init__(self, column: Any, fields: Fields) -> None:
        import pyarrow

        super().__init__(pyarrow.table({fields.text: column}), fields)
        self.column = column

    def take(self, rows: array[int]) -> Any:
        return self.column.filter(_mask(rows, len(self.column)))

    def take_shortened(self, rows: array[int], texts: list[str]) -> Any:
        import pyarrow

        texts = pyarrow.array(texts, self.column.type)
        return pyarrow.chunked_array([texts]) if isinstance(self.column, pyarrow.ChunkedArray) else texts


class HuggingFace(ArrowTable):
    """A `Dataset` of the library datasets."""

    def __init__(self, dataset: Any, fields: Fields) -> None:
        names = fields.within(dataset.column_names)
        super().__init__(dataset.select_columns(names).with_format("arrow")[:], fields)
        self.dataset = dataset

    def take(self, rows: array[int]) -> Any:
        return self.dataset.select(memoryview(rows).tolist())

    def take_shortened(self, rows: array[int], texts: list[str]) -> Any:
        whole = ArrowTable(self.dataset.with_format("arrow")[:], self.fields)
        changed = whole.take_shortened(rows, texts)
        return type(self.dataset)(changed, info=self.dataset.info.copy(), split=self.dataset.split)


_FRAMES: dict[tuple[str, str], Callable[[Any, Fields], Reader | Rows]] = {
    ("pandas", "DataFrame"): PandasFrame,
    ("pandas", "Series"): PandasSeries,
    ("polars", "DataFrame"): PolarsFrame,
    ("polars", "Series"): PolarsSeries,
    ("pyarrow", "Table"): ArrowTable,
    ("pyarrow", "RecordBatch"): ArrowTable,
    ("pyarrow", "RecordBatchReader"): Reader,
    ("pyarrow", "ChunkedArray"): ArrowArray,
    ("pyarrow", "Array"): ArrowArray,
    ("datasets", "Dataset"): HuggingFace,
}
_OTHERS = {
    ("polars", "LazyFrame"): "call its collect() first",
    ("datasets", "DatasetDict"): "give one of its splits",
    ("datasets", "IterableDataset"): "make a Dataset of it, or give files",
    ("datasets", "IterableDatasetDict"): "make a Dataset of a split, or give files",
}


def source(data: object, fields: Fields) -> Files | Reader | Rows:
    """The data with what is to know about their kind."""
    if isinstance(data, (str, os.PathLike)):
        return Files([data])
    for kind in type(data).__mro__:
        key = (kind.__module__.split(".")[0], kind.__name__)
        if key in _FRAMES:
            return _FRAMES[key](data, fields)
        if key in _OTHERS:
            raise TypeError(f"{key[0]}.{key[1]} cannot be read row by row: {_OTHERS[key]}")
    if hasattr(data, "__arrow_c_stream__"):
        pyarrow = optional("pyarrow")
        return Reader(data, fields) if pyarrow is None else ArrowTable(pyarrow.table(data), fields)
    if isinstance(data, (set, frozenset)):
        raise TypeError("a set has no order, so that which text stays would be left to chance: give a list of it, sorted")
    if isinstance(data, Iterable) and not isinstance(data, (bytes, bytearray, memoryview, Mapping)):
        return _of_list(list(data), fields)
    raise TypeError(
        f"{type(data).__name__} is no data that doublet reads: give a list of strings or dicts, a table or data frame, or a path"
    )


def _of_list(values: list[Any], fields: Fields) -> Files | Rows:
    first = next((value for value in values if value is not None), "")
    if isinstance(first, str):
        return Texts(values, fields)
    if isinstance(first, Mapping):
        return Records(values, fields)
    if isinstance(first, os.PathLike):
        return Files(values)
    raise TypeError(f"a list of {type(first).__name__} is no data that doublet reads: give strings, dicts or paths")


def _filter(table: Any, mask: Any) -> Any:
    import pyarrow

    try:
        return table.filter(mask)
    except pyarrow.ArrowNotImplementedError:  # views, which pyarrow holds but does not filter
        plain = pyarrow.schema([part.with_type(_without_view(part.type)) for part in table.schema])
        return table.cast(plain).filter(mask).cast(table.schema)


def _without_view(kind: Any) -> Any:
    import pyarrow

    views = {pyarrow.string_view(): pyarrow.large_string(), pyarrow.binary_view(): pyarrow.large_binary()}
    return views.get(kind, kind)


def whole_table(data: object) -> ArrowStream:
    """All columns of a table, as Arrow."""
    if hasattr(data, "select_columns") and hasattr(data, "with_format"):
        data = data.with_format("arrow")[:]
    if not hasattr(data, "__arrow_c_stream__"):
        raise TypeError(f"{type(data).__name__} is no table: give a path, a list of dicts, a table or a data frame")
    table: ArrowStream = data
    return table


def field(record: Mapping[str, Any], name: str) -> Any:
    """A field; dots lead into nested ones."""
    value: Any = record
    for part in [name] if name in record else name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    is_nan = isinstance(value, float) and value != value
    return None if is_nan else value


def _put(record: dict[str, Any], name: str, value: Any) -> None:
    *parts, last = name.split(".")
    for part in parts:
        record = record.setdefault(part, {})
    record[last] = value


def _with_text(record: Mapping[str, Any], name: str, text: str) -> dict[str, Any]:
    """A copy with another text, which leaves nested dicts of the original alone."""
    first, _, rest = name.partition(".")
    if name in record or not rest:
        return {**record, name: text}
    return {**record, first: _with_text(record[first], rest, text)}


def _batches(file: Any) -> Iterator[Any]:
    """A file of Parquet in pieces of some megabytes. By row groups: asked for all of them, pyarrow holds what it has read until the end."""
    metadata = file.metadata
    for group in range(metadata.num_row_groups):
        size = metadata.row_group(group).total_byte_size
        rows = _BATCH_BYTES * metadata.row_group(group).num_rows // max(size, 1)
        yield from file.iter_batches(max(1, min(rows, 65_536)), row_groups=[group], use_threads=False)


def _mask(rows: array[int], count: int) -> Any:
    """Which rows stay, as Arrow: to filter by it copies chunk by chunk, however large the column."""
    import pyarrow

    flags = bytearray(count)
    for row in rows:
        flags[row] = 1
    stays = pyarrow.Array.from_buffers(pyarrow.uint8(), count, [None, pyarrow.py_buffer(flags)])
    return stays.cast(pyarrow.bool_())
