"""rensa: R-MinHash sketches made in batches by a pool of processes (tokenising is Python), then its LSH index."""

import itertools
import multiprocessing

import common
import rensa

BATCH = 2_000
SEED = 42
run = common.arguments()


def sketch(texts):
    token_sets = [common.shingles(text, run.shingle, run.unit) for text in texts]
    return rensa.RMinHash.from_token_sets(token_sets, run.permutations(), SEED)


def main():
    ids, texts = common.read(run.corpus)
    with multiprocessing.Pool(run.threads) as pool:
        parts = pool.imap(sketch, common.batches(texts, BATCH))
        sketches = list(itertools.chain.from_iterable(parts))
    bands, _ = run.bands_or(common.BANDS)
    index = rensa.RMinHashLSH(run.threshold, run.permutations(), bands)
    index.insert_many(sketches)
    pairs = set()
    start = 0
    for batch in common.batches(sketches, 50_000):
        for number, others in enumerate(index.query_all(batch), start):
            for other in others:
                if other < number:
                    score = sketches[other].jaccard(sketches[number])
                    if score >= run.threshold:
                        pairs.add((other, number, score))
        start += len(batch)
    common.write_pairs(run.output, ids, pairs)


if __name__ == "__main__":
    main()
