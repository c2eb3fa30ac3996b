"""What a run was asked for: the columns of the input, the options of the method, and how the work is cut up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from .._options import Clustering, TextOptions, check_names, command_line
from ..errors import InputError, OptionError

# Bytes of a partition, about.
_PARTITION = 128 << 20


class SparkOptions(TextOptions, Clustering, total=False):
    """Options of `dedup` that say what a duplicate is, and which text is kept."""

    max_lost: float | None


# Types of which two values are either the same or in an order, whoever looks.
_ORDERED = (
    BinaryType,
    BooleanType,
    ByteType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    TimestampNTZType,
    TimestampType,
)
# Options of the command line that a cluster has other means for, and what these are.
_ELSEWHERE = {
    "against": "references are not supported here: put both collections into one DataFrame, with an order that has the references first",
    "checkpoint": "stages are kept in run_dir",
    "dry_run": "nothing but the run directory is written until you write kept",
    "force": "fresh=True begins anew",
    "format": "read the files with spark.read",
    "id_field": "use id=",
    "input": "give a DataFrame",
    "memory": "memory is set by the configuration of the executors",
    "output": "write the DataFrames of the result",
    "quiet": "nothing is printed",
    "renumber": "give an id column",
    "resume": "a run goes on by itself in the same run_dir",
    "strict": "records are read by Spark: see its mode option",
    "temp_dir": "spill is set by spark.local.dir",
    "text_field": "use text=",
    "threads": "threads are set by the cores of the executors",
}


@dataclass(frozen=True)
class Cutting:
    """How the work is cut up. It changes nothing in the result."""

    partitions: int | None = None
    """Partitions of the shuffles; by the size of the data if None."""
    most_meeting: int = 4096
    """Texts of one key that one task brings together; keys of more are cut into blocks."""
    chunk_bytes: int = 32 << 20
    """Bytes of text that are verified together, about."""
    most_edges: int = 50_000_000
    """Edges of a graph that one task connects; beyond that Spark does, in rounds."""

    def shuffled(self, df: DataFrame, bytes: int, *columns: str) -> DataFrame:
        """The rows with those of the same columns together, in partitions for so many bytes."""
        if self.partitions is not None:
            return df.repartition(self.partitions, *columns)
        usual = int(df.sparkSession.conf.get("spark.sql.shuffle.partitions") or 200)
        needed = -(-bytes // _PARTITION)
        # Spark makes fewer of the usual number where they are small, not of a number that it was given.
        return df.repartition(needed, *columns) if needed > usual else df.repartition(*columns)

    def __post_init__(self) -> None:
        for name, least in (("partitions", 1), ("most_meeting", 2), ("chunk_bytes", 1), ("most_edges", 0)):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
                raise OptionError(f"{name}={value!r}: give a whole number of at least {least}")


@dataclass(frozen=True)
class Columns:
    """The columns of the input that are looked at."""

    text: str
    id: str
    order: tuple[str, ...]
    field: str | None = None
    """Which text stays is decided by this one, if any."""

    @staticmethod
    def of(df: DataFrame, text: str, id: str, order: str | Sequence[str] | None, field: str | None) -> Columns:
        """Looks the columns up.

        Raises InputError if one is missing or of a type that will not do.
        """
        names = (order,) if isinstance(order, str) else tuple(order or ())
        columns = Columns(text, id, names, field)
        if not isinstance(_type(df, text, "text"), StringType):
            raise InputError(f"the column `{text}` is of type {_type(df, text, 'text').simpleString()}, not string: give text= or cast it")
        _check_ordered(df, id, "id")
        for name in names:
            _check_ordered(df, name, "order")
        if field is not None:
            _type(df, field, "keep")
        return columns

    def selected(self, df: DataFrame) -> dict[str, Column]:
        """The columns by the names that the stages know them by."""
        found = {"id": column(df, self.id), "text": column(df, self.text)}
        for number, name in enumerate(self.order):
            found[f"order{number}"] = column(df, name)
        if self.field is not None:
            found["field"] = column(df, self.field)
        return found

    def place(self) -> list[str]:
        """The columns of a stage that say where a text stands: the first by them is the first of the input."""
        return [f"order{number}" for number in range(len(self.order))] + ["id"]

    def carried(self) -> list[str]:
        """The columns of the input that go along with a text's fingerprints."""
        return self.place() + (["field"] if self.field is not None else [])


def column(df: DataFrame, name: str) -> Column:
    """The column of a name, or of a dotted path into a structure."""
    return df[f"`{name}`"] if name in df.columns else df[name]


def arguments_of(options: Mapping[str, object]) -> list[str]:
    """Options in the words of Python as those of the command line; what they may be is checked there."""
    for name in options:
        if name in _ELSEWHERE:
            raise OptionError(f"{name}= is not for Spark: {_ELSEWHERE[name]}")
    check_names("dedup", options, SparkOptions)
    return command_line(options)


def check_arguments(arguments: Sequence[str]) -> None:
    """Raises OptionError for options of the command line that are not for Spark."""
    for word in arguments:
        name = word.partition("=")[0].removeprefix("--").replace("-", "_")
        if word.startswith("--") and name in _ELSEWHERE:
            raise OptionError(f"{name}= is not for Spark: {_ELSEWHERE[name]}")


def _type(df: DataFrame, name: str, option: str) -> DataType:
    try:
        return df.select(column(df, name)).schema[0].dataType
    except AnalysisException:
        found = ", ".join(df.columns) or "none"
        raise InputError(f"there is no column `{name}`: give {option}= one of the columns ({found})") from None


def _check_ordered(df: DataFrame, name: str, option: str) -> None:
    kind = _type(df, name, option)
    if not _is_ordered(kind):
        raise InputError(
            f"the column `{name}` is of type {kind.simpleString()}, whose values cannot be told apart or put in order for sure: "
            f"give {option}= a column of whole numbers, strings, binary, decimal, dates or times, or cast it to string"
        )


def _is_ordered(kind: DataType) -> bool:
    if isinstance(kind, StructType):
        return len(kind) > 0 and all(_is_ordered(field.dataType) for field in kind)
    if isinstance(kind, ArrayType):
        return _is_ordered(kind.elementType)
    return isinstance(kind, _ORDERED)
