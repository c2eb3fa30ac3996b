"""datasketch: MinHash in a pool of processes, then MinHashLSH with the bands it chooses itself."""

import itertools
import multiprocessing

import common
from datasketch import LeanMinHash, MinHash, MinHashLSH

BATCH = 1_000


def sketch(texts):
    token_sets = [[shingle.encode() for shingle in common.shingles(text)] for text in texts]
    return [LeanMinHash(full) for full in MinHash.bulk(token_sets, num_perm=common.PERMUTATIONS)]


def main():
    corpus, output, threshold, threads = common.arguments()
    ids, texts = common.read(corpus)
    with multiprocessing.Pool(threads) as pool:
        parts = pool.imap(sketch, common.batches(texts, BATCH))
        sketches = list(itertools.chain.from_iterable(parts))
    index = MinHashLSH(threshold=threshold, num_perm=common.PERMUTATIONS)
    pairs = set()
    for number, sketch_ in enumerate(sketches):
        for other in index.query(sketch_):
            if sketch_.jaccard(sketches[other]) >= threshold:
                pairs.add((other, number))
        index.insert(number, sketch_, check_duplication=False)
    common.write_pairs(output, ids, pairs)


if __name__ == "__main__":
    main()
