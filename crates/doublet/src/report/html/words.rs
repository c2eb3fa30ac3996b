//! The words of the page, each explained in one line.

/// A word and its meaning, with a name to link to.
const WORDS: [(&str, &str, &str); 7] = [
    (
        "resemblance",
        "Resemblance",
        "Cut both texts into short runs of words, or, for short texts, into words. The share of the distinct ones \
         that both texts contain, from 0 (none) to 1 (all).",
    ),
    (
        "degree",
        "Degree",
        "For short texts: the share of the words that both texts contain, each counted by its weight: nouns and verbs much, \
         particles and pronouns little. 1 means the same words, in any order.",
    ),
    (
        "coverage",
        "Coverage",
        "The share of all words, of both texts together, that lie inside a passage the two have in common.",
    ),
    (
        "containment",
        "Containment",
        "How much of one text is found again in the other: 1 means that it lies there whole, however much longer the \
         other may be.",
    ),
    (
        "cluster",
        "Cluster",
        "A group of texts that match: by default each of them scores at or above the threshold against the representative.",
    ),
    (
        "representative",
        "Representative",
        "The one text of a cluster that is kept for all the others.",
    ),
    (
        "weakest",
        "Weakest member",
        "The lowest score of any member of a cluster against its representative. Check clusters where it is low.",
    ),
];

/// The section that explains the words.
pub(super) fn section() -> String {
    let entries: String = WORDS
        .iter()
        .map(|(id, word, meaning)| {
            format!("<dt id=\"word-{id}\">{word}</dt>\n<dd>{meaning}</dd>\n")
        })
        .collect();
    format!(
        "<section id=\"words\">\n<h2>What the words mean</h2>\n<dl class=\"words\">\n{entries}</dl>\n</section>\n"
    )
}

/// The meaning of a metric, as one sentence or two.
pub(in crate::report) fn metric_meaning(metric: &str) -> Option<&'static str> {
    let id = if metric.starts_with("containment") {
        "containment"
    } else {
        metric
    };
    let metrics = &WORDS[..4];
    metrics
        .iter()
        .find(|(name, _, _)| *name == id)
        .map(|(_, _, meaning)| *meaning)
}
