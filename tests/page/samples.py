"""Texts written for these tests. Some are copies of each other, in whole or in part."""

HARBOUR = [
    "The harbour office closes its old ticket counter at the end of the month.",
    "Passengers will find the new counter beside the fish market, behind the blue gate.",
    "Season tickets bought before Easter stay valid on all three ferries.",
    "The night ferry to the northern islands sails from the second pier until autumn.",
    "Anyone with heavy luggage may ask the crew for one of the twelve wooden carts.",
]
LIGHTHOUSE = [
    "Volunteers painted the lighthouse on Gull Rock in four days of calm weather.",
    "They carried two hundred litres of white paint up the narrow iron stairs.",
    "The lamp was switched off meanwhile and a small boat kept watch instead.",
]
ORCHARD = [
    "The village orchard gave more apples this year than the cider press could take.",
    "Children sorted the fruit into boxes by colour and by the number of worm holes.",
    "What was left over went to the horses of the neighbouring farm.",
]
CHINESE = "老城区的图书馆周末开始延长开放时间。读者可以在二楼的阅览室借阅最新的杂志和地图。孩子们喜欢坐在窗边的长椅上看书。"
ARABIC = "افتتحت البلدية حديقة صغيرة قرب محطة القطار القديمة. زرع السكان فيها أشجار الزيتون والليمون خلال الربيع الماضي. يلتقي الجيران هناك كل مساء لشرب الشاي."
MARKUP_ID = '<img src=x onerror="document.title=1">'
MARKUP = "The <b>bold</b> gardener wrote <script>document.title = 'taken'</script> on the wall of the shed. Nobody in the whole village knew what these signs should mean."


def joined(*sentences):
    return " ".join(sentences)


def documents():
    """All documents of the index, as `(id, text)`."""
    changed = HARBOUR[:3] + ["The night ferry to the southern islands sails from the third pier until winter."] + HARBOUR[4:]
    longer = HARBOUR + ["A map of the new ways hangs at every pier."]
    return [
        ("harbour-1", joined(*HARBOUR)),
        ("harbour-2", joined(*changed)),
        ("harbour-3", joined(*longer)),
        ("lighthouse", joined(*LIGHTHOUSE)),
        ("orchard", joined(*ORCHARD)),
        ("orchard copy 🍏", joined(*ORCHARD)),
        ("chinese", CHINESE),
        ("arabic", ARABIC),
        (MARKUP_ID, MARKUP),
        ("..", "Dots are a poor name for a note about the weather on the western hills in March."),
        (17, "A note under a number tells of seventeen geese that crossed the frozen lake at noon."),
        *((f"filler-{number:03}", f"Filler {word(number)} speaks of {word(number + 7)} and of nothing that {word(number + 31)} ever heard.") for number in range(130)),
    ]


def word(number):
    """A word that no other number has."""
    letters = "bdfgklmnprstvz"
    vowels = "aeiou"
    return "".join(letters[number // 5**place % 14] + vowels[number // 14**place % 5] for place in range(4))
