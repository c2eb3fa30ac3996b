"""The first look at the input: every text gets a number by its id, and the whole of it a checksum.

A handle is a hash of the id with a salt. Two ids of one handle are rare, but a billion texts may have them: then the next salt is taken.
Handles depend on nothing but ids, so that a task that is run again gives the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StructType

from ..errors import InputError
from .options import Columns

_SALTS = 16


@dataclass(frozen=True)
class Input:
    """The input as the stages see it."""

    df: DataFrame
    columns: Columns
    salt: int
    read: int
    """Rows."""
    rejected: int
    """Rows without a text."""
    bytes: int
    """Of all texts."""
    checksum: str

    @property
    def texts(self) -> int:
        """Rows with a text."""
        return self.read - self.rejected

    def rows(self) -> DataFrame:
        """All rows with a text: `doc`, `text`, `id` and what else the stages take of them."""
        found = self.columns.selected(self.df)
        chosen = [column.alias(name) for name, column in found.items()]
        return self.df.where(self.reason().isNull()).select(self.handle().alias("doc"), *chosen)

    def reason(self) -> Column:
        """Why a row is rejected; null if it is not."""
        return rejection(self.columns.selected(self.df)["text"])

    def handle(self) -> Column:
        """The number of a row."""
        return handle(self.df, self.columns, self.salt)


def handle(df: DataFrame, columns: Columns, salt: int) -> Column:
    """The number of a row."""
    id = columns.selected(df)["id"]
    parts = [id, F.lit(salt)]
    if isinstance(df.select(id.alias("id")).schema["id"].dataType, (ArrayType, StructType)):
        # The hash passes over nulls, wherever they stand.
        parts.append(F.to_json(F.struct(id.alias("id"))))
    return F.xxhash64(*parts)


def rejection(text: Column) -> Column:
    """Why a text is rejected; null if it is not."""
    # Strings of Spark may hold any bytes.
    return F.when(text.isNull(), F.lit("the text is null")).when(~F.is_valid_utf8(text), F.lit("the text is not UTF-8"))


def look(df: DataFrame, columns: Columns) -> Input:
    """Counts the rows, and gives each id a number of its own.

    Raises InputError if an id is missing or stands twice.
    """
    for salt in range(_SALTS):
        found = _counts(df, columns, salt)
        if found["nulls"]:
            raise InputError(f"{found['nulls']} rows have no id in the column `{columns.id}`: fill it, or give id= another column")
        if not found["shared"]:
            return Input(
                df, columns, salt, found["read"] or 0, found["rejected"] or 0, found["bytes"] or 0, f"{found['checksum'] or 0:x}"
            )
        _check_distinct(df, columns, salt, [found["least"], found["most"]])
    raise InputError(f"the ids of the column `{columns.id}` cannot be told apart by their hashes: give id= another column")


def _counts(df: DataFrame, columns: Columns, salt: int) -> Row:
    selected = columns.selected(df)
    rows = df.select(
        handle(df, columns, salt).alias("doc"),
        selected["id"].isNull().cast("long").alias("nulls"),
        rejection(selected["text"]).isNotNull().cast("long").alias("rejected"),
        F.octet_length(selected["text"]).cast("long").alias("bytes"),
        F.xxhash64(*(selected[name] for name in sorted(selected))).alias("checksum"),
    )
    handles = rows.groupBy("doc").agg(
        F.count(F.lit(1)).alias("rows"),
        F.sum("nulls").alias("nulls"),
        F.sum("rejected").alias("rejected"),
        F.sum("bytes").alias("bytes"),
        F.bit_xor("checksum").alias("checksum"),
    )
    shared = F.when(F.col("rows") > 1, F.col("doc"))
    counted = handles.agg(
        F.sum("rows").alias("read"),
        F.sum("nulls").alias("nulls"),
        F.sum("rejected").alias("rejected"),
        F.sum("bytes").alias("bytes"),
        F.bit_xor("checksum").alias("checksum"),
        F.count(shared).alias("shared"),
        F.min(shared).alias("least"),
        F.max(shared).alias("most"),
    )
    found: Row | None = counted.first()
    assert found is not None, "a count of all rows is one row"
    return found


def _check_distinct(df: DataFrame, columns: Columns, salt: int, handles: list[int]) -> None:
    id = columns.selected(df)["id"]
    ids = df.where(handle(df, columns, salt).isin(handles)).select(id.alias("id")).groupBy("id").count()
    twice: list[Any] = ids.where(F.col("count") > 1).orderBy("id").limit(1).collect()
    if twice:
        raise InputError(
            f"the id {twice[0]['id']!r} of the column `{columns.id}` stands {twice[0]['count']} times: ids must be distinct, "
            "give id= another column or drop the copies of the rows"
        )
