"""Deduplicates JSON lines as an Arrow table in memory, and prints what that took as a line of JSON.

The table is made beforehand. Measured is the call, and the table of what is kept.
"""

import json
import resource
import sys
import time

import doublet
import pyarrow as pa


def read(path: str) -> pa.Table:
    ids, texts = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            ids.append(record["id"])
            texts.append(record["text"])
    return pa.table({"id": ids, "text": pa.array(texts, pa.large_string())})


def main() -> None:
    path, method, threshold, threads, memory = sys.argv[1:]
    table = read(path)
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    result = doublet.dedup(table, method=method, threshold=float(threshold), threads=int(threads), memory=memory)
    called = time.perf_counter()
    kept = result.kept
    end = time.perf_counter()
    after = resource.getrusage(resource.RUSAGE_SELF)
    used = {
        "seconds": end - start,
        "kept_seconds": end - called,
        "cpu_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "kept": kept.num_rows,
    }
    print(json.dumps(used))


main()
