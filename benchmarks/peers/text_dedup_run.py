"""text-dedup: the command `python -m text_dedup.minhash`, called here so that its clusters can be taken from it.

It compares nothing after the bands have met, joins what met into clusters, and keeps one text of each. It has no pairs:
all pairs within a cluster are written. It cuts texts itself, at every character that is no letter, digit or `_`, and
leaves out those of fewer words than a shingle has.
"""

import collections
import itertools
import os
import shutil
import sys

import common

run = common.arguments()
if run.unit != "words":
    sys.exit("text-dedup knows words only: leave out `--unit chars`")
folder = common.empty_folder(run.output + ".work")
# Nothing is looked for on the network, nothing is kept in the home folder. Both are read on import.
os.environ |= {"HF_HOME": str(folder / "home"), "HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1"}

from text_dedup import logger, minhash  # noqa: E402


def main():
    logger.setLevel("WARNING")
    options = {
        "path": "json",
        "data_files": run.corpus,
        "split": "train",
        "cache_dir": folder / "cache",
        "output": folder / "kept",
        "column": "text",
        "ngram": run.shingle,
        "min_length": run.shingle,
        "num_perm": run.permutations(),
        "threshold": run.threshold,
        "hash_func": "xxh3",
        "num_proc": run.threads,
    }
    if run.bands:
        options |= dict(zip("br", run.bands))
    line = itertools.chain.from_iterable((f"--{name}", str(value)) for name, value in options.items())
    minhash.main(list(line), standalone_mode=False)
    clusters = collections.defaultdict(list)
    for number in sorted(minhash.uf.parent):
        clusters[minhash.uf.find(number)].append(number)
    pairs = itertools.chain.from_iterable(itertools.combinations(cluster, 2) for cluster in clusters.values())
    ids, _ = common.read(run.corpus)
    common.write_pairs(run.output, ids, ((a, b, 1.0) for a, b in pairs))
    shutil.rmtree(folder)


main()
