"""The words of a peer, for doublet: `own_words.py HOW CORPUS OUTPUT`.

Writes the corpus again with every text as the words that a peer makes of it, each different word as a different run of
letters. Whatever doublet finds in it is what the peer should find: the exact answer by the peer's own words. HOW is
`spaces` (rensa, datasketch), `gaoya`, `text-dedup` or `datatrove`; the last two need the environment of that tool.
"""

import os
import re
import sys
from collections.abc import Callable

import orjson

SHINGLE = 5
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def by_spaces(text: str) -> list[str]:
    return text.lower().split()


def words_of(how: str) -> Callable[[str], list[str]]:
    if how == "spaces":
        return by_spaces
    if how == "gaoya":
        # Its tokeniser cannot be called from here: runs of anything but punctuation and white space of ASCII.
        word = re.compile(r"[^!-/:-@\[-`{-~ \t\n\x0c\r]+")
        cut = lambda text: word.findall(text.lower())  # noqa: E731
    elif how == "text-dedup":
        from text_dedup.minhash import NON_ALPHA

        cut = lambda text: NON_ALPHA.split(text.lower())  # noqa: E731
    else:
        from datatrove.utils.text import simplify_text

        cut = lambda text: simplify_text(text).split()  # noqa: E731

    def long_enough(text: str) -> list[str]:
        words = cut(text)
        # All of these leave shorter texts out.
        return words if len(words) >= SHINGLE else []

    return long_enough


def letters(number: int) -> str:
    code = ""
    while True:
        number, last = divmod(number, 26)
        code += LETTERS[last]
        if not number:
            return code


def main() -> None:
    how, corpus, output = sys.argv[1:4]
    cut = words_of(how)
    codes: dict[str, str] = {}
    part = output + ".part"
    with open(corpus, "rb") as lines, open(part, "wb") as file:
        for line in lines:
            record = orjson.loads(line)
            words = cut(record["text"])
            for word in words:
                if word not in codes:
                    codes[word] = letters(len(codes))
            text = " ".join(codes[word] for word in words)
            file.write(orjson.dumps({"id": record["id"], "text": text}) + b"\n")
    # A file that is there is whole.
    os.replace(part, output)


main()
