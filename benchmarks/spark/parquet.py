"""JSON lines with `id` and `text` as Parquet, in eight row groups."""

import sys

import pyarrow.json
import pyarrow.parquet

corpus, output = sys.argv[1:]
table = pyarrow.json.read_json(corpus).select(["id", "text"])
pyarrow.parquet.write_table(table, output, row_group_size=max(1, table.num_rows // 8))
