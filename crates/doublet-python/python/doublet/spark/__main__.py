"""`python -m doublet.spark INPUT OUTPUT [options]`: a run from files to files, for spark-submit."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

# By their full names: spark-submit runs this file as a script.
from doublet.errors import DoubletError
from doublet.spark.options import Cutting, check_arguments
from doublet.spark.result import SparkResult
from doublet.spark.stages import Run

_ENDINGS = {".parquet": "parquet", ".jsonl": "jsonl", ".json": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv"}
_OUTPUTS = ("kept", "pairs", "clusters", "removed", "rejected", "summary.json")
# Texts are read and written as they are, blanks at their ends, line breaks, quotes and all; a backslash is nothing special.
_CSV: dict[str, Any] = {
    "quote": '"',
    "escape": '"',
    "ignoreLeadingWhiteSpace": False,
    "ignoreTrailingWhiteSpace": False,
}
_EXAMPLES = """
All options of `doublet dedup` that say what a duplicate is (matching, words, terms, sketches, sentences, clusters) go here too:
--method, --threshold, --metric, --shingle, --linkage, --keep …

OUTPUT gets kept/ (all columns, in the format of the input), pairs/, clusters/, removed/ and rejected/ (Parquet), and summary.json/ (one
line of JSON). The same command goes on where a run was interrupted.

Examples:
  python -m doublet.spark crawl.parquet clean --method minhash --threshold 0.8
  python -m doublet.spark 's3://bucket/crawl/*.jsonl.gz' s3://bucket/clean --text body --id url --order date
  python -m doublet.spark web.pages s3://bucket/clean --format table --run-dir s3://bucket/run
"""


class CommandError(Exception):
    """What the command was given will not do."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; 0 if it went well, 2 if not."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = _parser()
    if not {"-h", "--help"} & set(words) and (len(words) < 2 or any(word.startswith("-") for word in words[:2])):
        # What follows an option that is not known here cannot be told from them.
        parser.error("give INPUT and OUTPUT first, then the options")
    given, others = parser.parse_known_args(words)
    spark = SparkSession.builder.appName("doublet").getOrCreate()
    try:
        summary = _run(spark, given, others)
    except (CommandError, DoubletError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for name in ("read", "kept", "removed", "empty", "rejected", "pairs", "clusters"):
        print(f"{name:>10} {summary[name]:>14,}")
    for warning in summary["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m doublet.spark",
        description="Keep one copy of everything, on a Spark cluster",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("input", metavar="INPUT", help="files that Spark can read (Parquet, JSON lines, CSV, TSV), or the name of a table")
    add("output", metavar="OUTPUT", help="directory for the results; new, unless the run is continued")
    add("--format", choices=["parquet", "jsonl", "csv", "tsv", "table"], help="what the input is [default: by its ending]")
    add("--text", default="text", help="column of the texts [default: text]")
    add("--id", default="id", help="column of the ids [default: id]")
    add("--order", action="append", help="column that stands for the order of the input; may be repeated [default: the id]")
    add("--run-dir", help="directory of the stages, which all executors share [default: OUTPUT/run]")
    add("--fresh", action="store_true", help="begin anew, whatever OUTPUT and the run directory hold")
    add("--drop-empty", action="store_true", help="leave out texts that have no word")
    add("--most-pairs", type=int, default=100_000_000, help="write no more pairs than that [default: 100000000]")
    add("--partitions", type=int, help="partitions of the shuffles [default: by the size of the data]")
    add("--most-meeting", type=int, default=Cutting.most_meeting, help="texts of one key that one task brings together")
    add("--chunk-bytes", type=int, default=Cutting.chunk_bytes, help="bytes of text that are verified together")
    add("--most-edges", type=int, default=Cutting.most_edges, help="edges of a graph that one task connects")
    return parser


def _run(spark: SparkSession, given: argparse.Namespace, others: list[str]) -> dict[str, Any]:
    check_arguments(others)
    output = given.output.rstrip("/")
    format = given.format or _format(given.input)
    df = _read(spark, given.input, format)
    columns = (given.text, given.id, given.order)
    begun = Run.open(df, others, columns, given.run_dir or f"{output}/run", given.fresh, _tell)
    written = begun.directory.fact("output", lambda: {"output": output} if given.fresh else _new(spark, output))
    if written["output"] != output:
        raise CommandError(f"this run writes to {written['output']}, not {output}: give the same OUTPUT, or --fresh to begin anew")
    cutting = Cutting(given.partitions, given.most_meeting, given.chunk_bytes, given.most_edges)
    return _write(begun.result(cutting, given.drop_empty), output, format, given.most_pairs, given.drop_empty)


def _tell(stage: str, rows: int, seconds: float) -> None:
    print(f"{stage:>28} {rows:>14,} rows {seconds:>9.1f} s", file=sys.stderr)


def _format(input: str) -> str:
    name = input.rstrip("/").lower()
    for packed in (".gz", ".zst", ".bz2"):
        name = name.removesuffix(packed)
    found = [format for ending, format in _ENDINGS.items() if name.endswith(ending)]
    if found:
        return found[0]
    return "parquet" if "/" in name else "table"


def _read(spark: SparkSession, input: str, format: str) -> DataFrame:
    try:
        if format == "table":
            return spark.read.table(input)
        if format == "jsonl":
            return spark.read.json(input)
        if format in ("csv", "tsv"):
            separator = "," if format == "csv" else "\t"
            found = spark.read.csv(input, header=True, multiLine=True, **_CSV, sep=separator)
            # As on the command line: what is not there is an empty text.
            return found.fillna("")
        return spark.read.parquet(input)
    except AnalysisException as error:
        raise CommandError(f"cannot read {input} as {format}: {error.getMessage()}; --format says what it is") from error


def _new(spark: SparkSession, output: str) -> dict[str, Any]:
    """Raises CommandError if there are results in the directory already."""
    for name in _OUTPUTS:
        if _is_there(spark, f"{output}/{name}"):
            raise CommandError(f"{output}/{name} is there already: give another OUTPUT, or --fresh to write over it")
    return {"output": output}


def _is_there(spark: SparkSession, place: str) -> bool:
    try:
        spark.read.text(place)
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            return False
        raise
    return True


def _write(result: SparkResult, output: str, format: str, most_pairs: int, drop_empty: bool) -> dict[str, Any]:
    """Writes what is not written yet."""
    summary = {**result.summary, "warnings": list(result.summary["warnings"])}
    pairs = result.pairs
    written = summary["pairs"] <= most_pairs
    if not written:
        pairs = pairs.limit(0)
        summary["warnings"].append(
            f"there are {summary['pairs']} pairs, more than --most-pairs, and none was written: clusters/ has every text with its representative"
        )
    tables = {"pairs": pairs, "clusters": result.clusters, "removed": result.removed, "rejected": result.rejected}
    for name, table in tables.items():
        _once(result, f"{output}/{name}", table, {"format": "parquet", "all": written or name != "pairs"})
    _once(result, f"{output}/kept", result.kept, {"format": format, "drop_empty": drop_empty})
    line = json.dumps(summary, ensure_ascii=False)
    rows = result.directory.spark.range(1, numPartitions=1).select(F.lit(line).alias("value"))
    rows.write.mode("overwrite").text(f"{output}/summary.json")
    return summary


def _once(result: SparkResult, place: str, table: DataFrame, how: dict[str, Any]) -> None:
    """Writes a table unless it was written in the same way and is still there."""
    directory, format = result.directory, how["format"]
    name = f"output-{place.rpartition('/')[2]}"
    wanted = {"output": place, **how}

    def write() -> dict[str, Any]:
        writer = table.write.mode("overwrite")
        if format == "jsonl":
            writer.json(place, ignoreNullFields=False)
        elif format in ("csv", "tsv"):
            writer.csv(place, header=True, **_CSV, sep="," if format == "csv" else "\t")
        else:
            writer.parquet(place)
        return wanted

    if not _is_there(directory.spark, place):
        directory.forget(name)
    if directory.fact(name, write) != wanted:
        directory.forget(name)
        directory.fact(name, write)


if __name__ == "__main__":
    sys.exit(main())
