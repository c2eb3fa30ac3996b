"""Many settings of one peer on one corpus: `labelled_run.py TOOL CORPUS FOLDER LOWEST SETTING...`.

For `cargo xtask labelled`, which asks how well tools tell duplicates, not how fast they are. A setting of rensa, gaoya or
datasketch is `UNIT-SHINGLE-PERMUTATIONS` (`chars-4-256`), one of text-dedup or datatrove `UNIT-SHINGLE-BANDSxROWS`
(`words-3-16x8`). Each writes `FOLDER/SETTING.tsv`, `a<TAB>b<TAB>score` a pair.

The first three score pairs, so one run serves all thresholds from LOWEST up. Their bands have one row each: two texts meet if a
single value of their sketches is the same, and no pair is lost. For rensa and datasketch that is worked out from the
sketches for all pairs at once, which gives what a query of their index gives and takes less long; gaoya is asked itself.
The other two have no scores: bands and rows are their threshold, and each setting is a run.
"""

import collections
import itertools
import os
import pathlib
import sys

import common

SEED = 42


def scored(ids, sketches, lowest):
    """Pairs by the share of equal values of their sketches, a row of the matrix each."""
    import numpy

    matrix = numpy.array(sketches)
    for number in range(1, len(matrix)):
        shares = (matrix[:number] == matrix[number]).mean(axis=1)
        for other in numpy.nonzero(shares >= lowest)[0]:
            yield ids[other], ids[number], shares[other]


def rensa_pairs(ids, texts, unit, shingle, permutations, lowest):
    import rensa

    sets = [common.shingles(text, shingle, unit) for text in texts]
    sketches = rensa.RMinHash.from_token_sets(sets, permutations, SEED)
    return scored(ids, [sketch.digest() for sketch in sketches], lowest)


def datasketch_pairs(ids, texts, unit, shingle, permutations, lowest):
    from datasketch import MinHash

    sets = ([part.encode() for part in set(common.shingles(text, shingle, unit))] for text in texts)
    sketches = MinHash.bulk(sets, num_perm=permutations)
    return scored(ids, [sketch.hashvalues for sketch in sketches], lowest)


def gaoya_pairs(ids, texts, unit, shingle, permutations, lowest):
    import gaoya

    index = gaoya.minhash.MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=lowest,
        num_bands=permutations,
        band_size=1,
        num_hashes=permutations,
        analyzer="word" if unit == "words" else "char",
        lowercase=True,
        ngram_range=(shingle, shingle),
        id_container="smallvec",
    )
    # A text shorter than a shingle has no features for gaoya, and all such texts would match each other.
    lengths = [len(text.split()) if unit == "words" else len(text) for text in texts]
    numbers = [number for number, length in enumerate(lengths) if length >= shingle]
    index.par_bulk_insert_docs(numbers, [texts[number] for number in numbers])
    for number in numbers:
        for other, score in index.query(texts[number], return_similarity=True):
            if other < number:
                yield ids[other], ids[number], score


def text_dedup_pairs(corpus, folder, ids, shingle, bands, rows):
    from text_dedup import logger, minhash
    from text_dedup.utils import UnionFind

    logger.setLevel("WARNING")
    minhash.uf = UnionFind()
    options = {
        "path": "json",
        "data_files": corpus,
        "split": "train",
        "cache_dir": folder / "cache",
        "output": folder / "kept",
        "column": "text",
        "ngram": shingle,
        "min_length": shingle,
        "num_perm": bands * rows,
        "hash_func": "xxh3",
        "num_proc": 1,
        "b": bands,
        "r": rows,
    }
    line = itertools.chain.from_iterable((f"--{name}", str(value)) for name, value in options.items())
    minhash.main(list(line), standalone_mode=False)
    clusters = collections.defaultdict(list)
    for number in sorted(minhash.uf.parent):
        clusters[minhash.uf.find(number)].append(ids[number])
    for cluster in clusters.values():
        yield from ((a, b, 1.0) for a, b in itertools.combinations(cluster, 2))


def datatrove_run(corpus, output, unit, shingle, bands, rows):
    """The script of a single run, again and again: it writes the pairs itself."""
    import datatrove_run

    options = ["--unit", unit, "--shingle", shingle, "--recall-bands", f"{bands},{rows}"]
    sys.argv = ["datatrove_run.py", corpus, output, "0", "1", *options]
    datatrove_run.main()


def main():
    tool, corpus, folder, lowest, *settings = sys.argv[1:]
    folder = pathlib.Path(folder)
    ids, texts = common.read(corpus)
    for setting in settings:
        unit, shingle, size = setting.split("-")
        if tool in SCORED:
            pairs = SCORED[tool](ids, texts, unit, int(shingle), int(size), float(lowest))
        else:
            bands, rows = map(int, size.split("x"))
            if tool == "datatrove":
                datatrove_run(corpus, str(folder / f"{setting}.tsv"), unit, shingle, bands, rows)
                continue
            work = common.empty_folder(str(folder / "work"))
            pairs = list(text_dedup_pairs(corpus, work, ids, int(shingle), bands, rows))
        with open(folder / f"{setting}.tsv", "w", encoding="utf-8") as file:
            file.writelines(f"{a}\t{b}\t{score:.6g}\n" for a, b, score in pairs)


SCORED = {"rensa": rensa_pairs, "datasketch": datasketch_pairs, "gaoya": gaoya_pairs}
os.environ |= {"HF_HOME": "/nonexistent", "HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1", "LOGURU_LEVEL": "ERROR"}
if __name__ == "__main__":
    main()
