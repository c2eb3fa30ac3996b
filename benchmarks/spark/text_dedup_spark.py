"""text-dedup's `minhash_spark.py`, its own program, with this folder's session in place of its own.

It asks for 8192 partitions, which suits a cluster and not one machine: it gets those of everybody here. Its connected components
come from GraphFrames, which is a package of the JVM that PyPI does not have: a union-find in the driver stands in for it, which
is quicker.
"""

import importlib.util
import pathlib
import runpy
import sys
import types

import common
from pyspark.sql import DataFrame, SparkSession

run = common.arguments(__doc__)


class GraphFrame:
    """Connected components in the driver."""

    def __init__(self, vertices: DataFrame, edges: DataFrame) -> None:
        self.vertices, self.edges = vertices, edges

    def connectedComponents(self) -> DataFrame:
        parents = {row.id: row.id for row in self.vertices.collect()}

        def find(text: int) -> int:
            while parents[text] != text:
                parents[text] = parents[parents[text]]
                text = parents[text]
            return text

        for edge in self.edges.collect():
            a, b = find(edge.src), find(edge.dst)
            parents[max(a, b)] = min(a, b)
        rows = [(text, find(text)) for text in parents]
        return self.vertices.sparkSession.createDataFrame(rows, "id long, component long")


def work(spark: SparkSession) -> dict[str, object]:
    found = importlib.util.find_spec("text_dedup")
    if found is None or not found.submodule_search_locations:
        sys.exit("text-dedup is not installed here")
    program = pathlib.Path(found.submodule_search_locations[0]) / "minhash_spark.py"
    own = program.read_text()
    changed = own.replace('"8192"', f'"{run.partitions}"').replace('"spark.default.parallelism", "100"', f'"spark.default.parallelism", "{run.partitions}"')
    # It writes its result in at least 256 parts.
    changed = changed.replace("max(256, ", f"max({run.partitions}, ")
    copy = pathlib.Path(run.output + ".program.py")
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(changed)
    options = {
        "input": run.corpus,
        "output": run.output,
        "threshold": run.threshold,
        "ngram_size": run.shingle,
        "min_length": run.shingle,
        "column": "text",
        "checkpoint_dir": run.output + ".checkpoints",
    }
    module = types.ModuleType("graphframes")
    module.GraphFrame = GraphFrame  # type: ignore[attr-defined]
    sys.modules["graphframes"] = module
    sys.argv = [str(copy)] + [word for name, value in options.items() for word in (f"--{name}", str(value))]
    stop = SparkSession.stop
    SparkSession.stop = lambda self: None  # type: ignore[method-assign]
    try:
        runpy.run_path(str(copy), run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise
    finally:
        SparkSession.stop = stop  # type: ignore[method-assign]
    return {"tool": "text-dedup minhash_spark", "kept": spark.read.parquet(run.output).count()}


common.measure(run, work)
