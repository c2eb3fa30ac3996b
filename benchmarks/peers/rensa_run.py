"""rensa: R-MinHash sketches made in batches by a pool of processes (tokenising is Python), then its LSH index."""

import itertools
import multiprocessing

import common
import rensa

BATCH = 2_000
SEED = 42
# 16 bands of 8 rows: the steepest part of the curve lies at 0.707.
BANDS = 16


def sketch(texts):
    token_sets = [common.shingles(text) for text in texts]
    return rensa.RMinHash.from_token_sets(token_sets, common.PERMUTATIONS, SEED)


def main():
    corpus, output, threshold, threads = common.arguments()
    ids, texts = common.read(corpus)
    with multiprocessing.Pool(threads) as pool:
        parts = pool.imap(sketch, common.batches(texts, BATCH))
        sketches = list(itertools.chain.from_iterable(parts))
    index = rensa.RMinHashLSH(threshold, common.PERMUTATIONS, BANDS)
    index.insert_many(sketches)
    pairs = set()
    start = 0
    for batch in common.batches(sketches, 50_000):
        for number, others in enumerate(index.query_all(batch), start):
            for other in others:
                if other < number and sketches[other].jaccard(sketches[number]) >= threshold:
                    pairs.add((other, number))
        start += len(batch)
    common.write_pairs(output, ids, pairs)


if __name__ == "__main__":
    main()
