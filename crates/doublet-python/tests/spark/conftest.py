"""Sessions of Spark, and the collection that all methods are tried on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

sys.path.insert(0, str(Path(__file__).parent))

from cluster import session  # noqa: E402
from tables import frame  # noqa: E402
from texts import Text, collection  # noqa: E402


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A process has one session of Spark: tests that end it, for a cluster of their own, come last."""
    items.sort(key=lambda item: "cluster" in getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Two executors, each a process of its own."""
    spark = session("local-cluster[2,1,1024]")
    yield spark
    spark.stop()


@pytest.fixture(scope="session")
def texts() -> list[Text]:
    """20,000 texts."""
    return collection(20_000)


@pytest.fixture(scope="session")
def table(spark: SparkSession, texts: list[Text], tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    """The same in Parquet files, in no order."""
    return frame(spark, texts, tmp_path_factory.mktemp("texts"), partitions=5)
