"""gaoya: its own tokeniser, bulk insert and bulk query, all of them in native threads."""

import common
import gaoya

BATCH = 50_000


def is_long_enough(text):
    """A text shorter than a shingle has no features for gaoya, and all such texts would match each other."""
    return text.count(" ") >= common.SHINGLE or len(text.split()) >= common.SHINGLE


def main():
    corpus, output, threshold, _ = common.arguments()
    ids, texts = common.read(corpus)
    # 16 bands of 8 rows: the steepest part of the curve lies at 0.707.
    index = gaoya.minhash.MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=threshold,
        num_bands=16,
        band_size=8,
        num_hashes=common.PERMUTATIONS,
        analyzer="word",
        lowercase=True,
        ngram_range=(common.SHINGLE, common.SHINGLE),
        id_container="smallvec",
    )
    numbers = [number for number, text in enumerate(texts) if is_long_enough(text)]
    for batch in common.batches(numbers, BATCH):
        index.par_bulk_insert_docs(batch, [texts[number] for number in batch])
    pairs = set()
    for batch in common.batches(numbers, BATCH):
        found = index.par_bulk_query([texts[number] for number in batch])
        for number, others in zip(batch, found):
            pairs.update((other, number) for other in others if other < number)
    common.write_pairs(output, ids, pairs)


main()
