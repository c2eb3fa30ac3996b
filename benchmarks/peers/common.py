"""What the peers' runs share: arguments, reading JSON lines, writing pairs.

Every run is `X_run.py CORPUS OUTPUT THRESHOLD THREADS`. It writes one `a<TAB>b` line a pair, `a` before `b` in the
corpus. Words are what white space separates, in small letters: what users of these libraries write, and fast.
"""

import sys

import orjson

SHINGLE = 5
PERMUTATIONS = 128


def arguments():
    corpus, output, threshold, threads = sys.argv[1:5]
    return corpus, output, float(threshold), int(threads)


def read(corpus):
    """The ids and texts of a corpus."""
    ids, texts = [], []
    with open(corpus, "rb") as lines:
        for line in lines:
            record = orjson.loads(line)
            ids.append(record["id"])
            texts.append(record["text"])
    return ids, texts


def batches(items, size):
    return (items[start : start + size] for start in range(0, len(items), size))


def shingles(text):
    """Word 5-grams; a shorter text is one shingle. Slices of one string are faster than a join for each."""
    words = text.lower().split()
    if len(words) <= SHINGLE:
        return [" ".join(words)]
    joined = " ".join(words)
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    return [joined[start : end - 1] for start, end in zip(starts, starts[SHINGLE:])]


def write_pairs(output, ids, pairs):
    """Write pairs of text numbers, each once."""
    with open(output, "w", encoding="utf-8") as file:
        for a, b in sorted(pairs):
            file.write(f"{ids[a]}\t{ids[b]}\n")
