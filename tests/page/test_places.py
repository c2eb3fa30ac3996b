"""Places in texts and overlapping passages, against the plainest way to work them out."""

import random

PAINT = "passages => import('/assets/paint.js').then(({ paint }) => paint(passages))"
UNITS = """([text, points]) => import('/assets/text.js').then(({ CodePoints }) => {
  const places = new CodePoints(text);
  return points.map((point) => places.unit(point));
})"""
BLOCKS = "text => import('/assets/text.js').then(({ blocks }) => blocks(text))"


def test_code_points_become_units(page, service):
    page.goto(service.url + "/")
    for text in ("", "plain words", "a😀b👩‍👩‍👧𝒳", "今😀" * 2000, "x" * 1500 + "😀" + "y" * 1500):
        points = sorted(random.Random(7).choices(range(len(text) + 3), k=200))
        expected = [len(text[:point].encode("utf-16-le")) // 2 for point in points]
        assert page.evaluate(UNITS, [text, points]) == expected


def test_every_place_goes_to_the_first_passage_that_covers_it(page, service):
    page.goto(service.url + "/")
    chance = random.Random(3)
    for _ in range(60):
        passages = []
        for rank in range(chance.randrange(1, 14)):
            start = chance.randrange(40)
            passages.append({"start": start, "end": start + chance.randrange(0, 15), "rank": chance.randrange(5) if rank % 2 else rank})
        shown = [None] * 60
        for stretch in page.evaluate(PAINT, passages):
            assert stretch["start"] < stretch["end"]
            for place in range(stretch["start"], stretch["end"]):
                assert shown[place] is None
                shown[place] = stretch["passage"]
        for place in range(60):
            covering = [(one["rank"], number) for number, one in enumerate(passages) if one["start"] <= place < one["end"]]
            assert shown[place] == (min(covering)[1] if covering else None)


def test_blocks_make_up_the_text_and_split_no_character(page, service):
    page.goto(service.url + "/")
    texts = ["", "short", "line\n" * 3000, "word " * 9000, "😀" * 9000, "x" * 20000 + "\n\n" + "y 😀" * 3000]
    for text in texts:
        starts = page.evaluate(BLOCKS, text)
        units = text.encode("utf-16-le")
        assert starts[0] == 0 and starts[-1] == len(units) // 2
        assert starts == sorted(starts)
        for start in starts[1:-1]:
            assert not 0xDC00 <= int.from_bytes(units[2 * start : 2 * start + 2], "little") <= 0xDFFF
