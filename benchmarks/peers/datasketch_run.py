"""datasketch: MinHash in a pool of processes, then MinHashLSH with the bands it chooses itself unless told."""

import itertools
import multiprocessing

import common
from datasketch import LeanMinHash, MinHash, MinHashLSH

BATCH = 1_000
run = common.arguments()


def sketch(texts):
    token_sets = [[shingle.encode() for shingle in common.shingles(text, run.shingle, run.unit)] for text in texts]
    return [LeanMinHash(full) for full in MinHash.bulk(token_sets, num_perm=run.permutations())]


def main():
    ids, texts = common.read(run.corpus)
    with multiprocessing.Pool(run.threads) as pool:
        parts = pool.imap(sketch, common.batches(texts, BATCH))
        sketches = list(itertools.chain.from_iterable(parts))
    index = MinHashLSH(threshold=run.threshold, num_perm=run.permutations(), params=run.bands)
    pairs = set()
    for number, sketch_ in enumerate(sketches):
        for other in index.query(sketch_):
            score = sketch_.jaccard(sketches[other])
            if score >= run.threshold:
                pairs.add((other, number, score))
        index.insert(number, sketch_, check_duplication=False)
    common.write_pairs(run.output, ids, pairs)


if __name__ == "__main__":
    main()
