"""datatrove: its four MinHash stages, as in its own example, by LocalPipelineExecutor with as many workers as threads.

It compares nothing after the buckets have met. Two texts are a pair here if they met in a bucket; stage 2 writes such
texts as chains, one a bucket, and all pairs of a chain are written. Stages 3 and 4, which cluster and keep one text of
each cluster, are run too, as its users do. Texts are simplified as it does by default (small letters, no punctuation,
numbers alike, no accents); its word tokenisers for languages want models from the network, so words are what white
space then separates. It leaves out texts of fewer words than a shingle has.
"""

import contextlib
import itertools
import shutil
import struct

import common
import orjson
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import (
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
    MinhashDedupSignature,
)
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers.jsonl import JsonlWriter
from datatrove.utils.word_tokenizers import WordTokenizer
from loguru import logger

# How many signatures stage 2 reads at a time; by default 5, which is slow on a disk of one's own.
SIGNATURES = 10_000


class Splitter(WordTokenizer):
    """Words between white space, or characters."""

    def __init__(self, unit):
        super().__init__()
        self.unit = unit

    def word_tokenize(self, text):
        return text.split() if self.unit == "words" else list(text)

    def sent_tokenize(self, text):
        return [text]

    def span_tokenize(self, text):
        return [(0, len(text))]


def split(corpus, folder, parts):
    """Divide the lines among as many files as there are tasks, for a file is the least a task can read.

    Gives the numbers of the texts in each file. Texts of no characters are left out, as the reader does."""
    numbers = [[] for _ in range(parts)]
    files = [open(folder / f"{part:05d}.jsonl", "wb") for part in range(parts)]
    ids = []
    with open(corpus, "rb") as lines:
        for number, line in enumerate(lines):
            record = orjson.loads(line)
            ids.append(record["id"])
            if record["text"]:
                files[number % parts].write(line)
                numbers[number % parts].append(number)
    for file in files:
        file.close()
    return ids, numbers


def chains(path, numbers):
    """The groups of texts with one signature in the bucket of a file of stage 2."""
    group = []
    for first_file, first, second_file, second in struct.iter_unpack("<4I", path.read_bytes()):
        a, b = numbers[first_file][first], numbers[second_file][second]
        if not group or group[-1] != a:
            yield group
            group = [a]
        group.append(b)
    yield group


def main():
    run = common.arguments()
    logger.remove()
    folder = common.empty_folder(run.output + ".work")
    texts = folder / "texts"
    texts.mkdir()
    ids, numbers = split(run.corpus, texts, run.threads)
    buckets, hashes = run.bands_or(common.BANDS)
    config = MinhashConfig(n_grams=run.shingle, num_buckets=buckets, hashes_per_bucket=hashes)

    def execute(name, pipeline, tasks):
        # Forking starts workers sooner than the server that is the default.
        executor = LocalPipelineExecutor(
            pipeline, tasks=tasks, workers=run.threads, logging_dir=str(folder / "logs" / name), start_method="fork"
        )
        # Every task tells its statistics there.
        with open(folder / f"{name}.log", "w") as log, contextlib.redirect_stderr(log):
            executor.run()

    path = {name: str(folder / name) for name in ["signatures", "matches", "removed", "kept"]}
    signature = MinhashDedupSignature(path["signatures"], config=config, language=Splitter(run.unit))
    execute("1", [JsonlReader(str(texts)), signature], run.threads)
    match = MinhashDedupBuckets(path["signatures"], path["matches"], config=config, lines_to_buffer=SIGNATURES)
    execute("2", [match], buckets)
    cluster = MinhashDedupCluster(path["matches"], path["removed"], config=config, lines_to_buffer=SIGNATURES)
    execute("3", [cluster], 1)
    keep = [JsonlReader(str(texts)), MinhashDedupFilter(path["removed"]), JsonlWriter(path["kept"], compression=None)]
    execute("4", keep, run.threads)

    pairs = set()
    for file in sorted((folder / "matches").glob("*.dups")):
        for group in chains(file, numbers):
            pairs.update(itertools.combinations(sorted(group), 2))
    common.write_pairs(run.output, ids, ((a, b, 1.0) for a, b in pairs))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
