"""gaoya: its own tokeniser, bulk insert and bulk query, all of them in native threads.

It cuts at punctuation and white space of ASCII."""

import re

import common
import gaoya

BATCH = 50_000
run = common.arguments()
# So many words at the beginning of a text; never going back keeps it fast.
GAP = r"[!-/:-@\[-`{-~ \t\n\x0c\r]"
WORD = GAP.replace("[", "[^", 1)
LONG_ENOUGH = re.compile(f"{GAP}*+(?:{WORD}++{GAP}++){{{run.shingle - 1}}}{WORD}")


def is_long_enough(text):
    """A text shorter than a shingle has no features for gaoya, and all such texts would match each other."""
    if run.unit == "chars":
        return len(text) >= run.shingle
    return LONG_ENOUGH.match(text) is not None


def main():
    ids, texts = common.read(run.corpus)
    bands, rows = run.bands_or(common.BANDS)
    index = gaoya.minhash.MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=run.threshold,
        num_bands=bands,
        band_size=rows,
        num_hashes=run.permutations(),
        analyzer="word" if run.unit == "words" else "char",
        lowercase=True,
        ngram_range=(run.shingle, run.shingle),
        id_container="smallvec",
    )
    numbers = [number for number, text in enumerate(texts) if is_long_enough(text)]
    for batch in common.batches(numbers, BATCH):
        index.par_bulk_insert_docs(batch, [texts[number] for number in batch])
    pairs = set()
    for batch in common.batches(numbers, BATCH):
        found = index.par_bulk_query([texts[number] for number in batch], return_similarity=True)
        for number, others in zip(batch, found):
            pairs.update((other, number, score) for other, score in others if other < number)
    common.write_pairs(run.output, ids, pairs)


main()
