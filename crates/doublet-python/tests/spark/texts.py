"""A collection with known kinds of copies, the same every time."""

from __future__ import annotations

import random
from dataclasses import dataclass

BOILERPLATE = (
    "All rights reserved. No part of this page may be copied or stored without the written consent of the publisher. "
    "By reading on you agree to the terms of use and to the privacy policy of this site, which may change without notice."
)


@dataclass(frozen=True)
class Text:
    """A row of the collection."""

    id: int
    text: str | None
    date: int


def collection(size: int, seed: int = 1, boilerplate: float = 0.0) -> list[Text]:
    """So many texts: half of them new, the others copies of earlier ones, whole, edited or in part, and some that have no words."""
    writer = _Writer(random.Random(seed))
    rows = []
    for id in range(size):
        text = writer.next()
        if text and writer.random.random() < boilerplate:
            text = f"{text} {BOILERPLATE}"
        rows.append(Text(id, text, writer.random.randrange(1000)))
    return rows


class _Writer:
    def __init__(self, random: random.Random) -> None:
        self.random = random
        letters = "abcdefghijklmnopqrstuvwxyz"
        self.words = ["".join(random.choices(letters, k=random.randint(2, 9))) for _ in range(6000)]
        self.weights = [1 / (rank + 5) for rank in range(len(self.words))]
        self.characters = [chr(0x4E00 + number) for number in random.sample(range(5000), 800)]
        self.written: list[str] = []

    def next(self) -> str | None:
        kind = self.random.random()
        if kind < 0.002:
            return None
        if kind < 0.006:
            return self.random.choice(["", "   ", "…!?", "\n\n"])
        earlier = self.random.choice(self.written[-4000:]) if self.written else ""
        if not earlier or kind < 0.55:
            text = self.new()
        elif kind < 0.65:
            text = self.cased(earlier)
        elif kind < 0.9:
            text = self.edited(earlier)
        else:
            text = self.part(earlier)
        self.written.append(text)
        return text

    def new(self) -> str:
        kind = self.random.random()
        if kind < 0.1:
            return "。".join("".join(self.random.choices(self.characters, k=self.random.randint(8, 20))) for _ in range(3)) + "。"
        if kind < 0.5:
            return self.sentence(self.random.randint(4, 12))
        return " ".join(self.sentence(self.random.randint(6, 14)) for _ in range(self.random.randint(3, 9)))

    def sentence(self, words: int) -> str:
        return " ".join(self.random.choices(self.words, self.weights, k=words)).capitalize() + "."

    def cased(self, text: str) -> str:
        return text.upper() if self.random.random() < 0.5 else text

    def edited(self, text: str) -> str:
        words = text.split(" ")
        for _ in range(self.random.randint(1, max(1, len(words) // 12))):
            at = self.random.randrange(len(words))
            words[at : at + 1] = self.random.choice([[], [self.random.choice(self.words)], [words[at], self.random.choice(self.words)]])
        return " ".join(words)

    def part(self, text: str) -> str:
        sentences = text.split(". ")
        taken = sentences[: self.random.randint(1, len(sentences))]
        return ". ".join([self.sentence(self.random.randint(6, 14)).rstrip("."), *taken])
