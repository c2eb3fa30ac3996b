//! `audit.html`: removals to be judged, one at a time, on a page that works offline.
//!
//! In comes an [`AuditPage`], plain data that the caller has filled in; out goes one self-contained HTML file, made like that of
//! [`super::html`] and with its style. Without JavaScript it shows all pairs; with it, one at a time, with buttons and keys. Answers
//! stay in the browser, and are downloaded as the file of labels that `doublet audit --answers` reads.

use crate::report::html::Sheet;
use crate::report::html::escape::{escape, inline};
use crate::report::html::numbers;
use crate::report::is_below;

/// Characters of an id shown.
const KEY_CHARS: usize = 120;

/// The file name of the page in a results directory.
pub const PAGE: &str = "audit.html";

/// What the page shows.
#[derive(Clone, Debug, Default)]
pub struct AuditPage {
    /// The results directory, as it was given.
    pub directory: String,
    /// Version of doublet.
    pub version: String,
    /// A name for the sample: answers about another one are not mixed with its own.
    pub sample: String,
    /// Removals of the run.
    pub removals: u64,
    /// The sample, in the order in which it is asked about.
    pub questions: Vec<QuestionView>,
}

/// A stretch of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The other text has this too.
    Shared(String),
    /// The other text does not have these words.
    Own(String),
    /// The number of words left out here.
    Cut(usize),
}

/// A removal to be judged.
#[derive(Clone, Debug, Default)]
pub struct QuestionView {
    /// The id of the kept text.
    pub kept: String,
    /// The id of the removed text.
    pub removed: String,
    /// Why it is in the sample.
    pub stratum: String,
    /// Its score, if one was computed.
    pub score: Option<f64>,
    /// What the score means.
    pub metric: String,
    /// The threshold of the run.
    pub threshold: Option<f64>,
    /// Texts in its cluster.
    pub cluster_size: u64,
    /// Words of the kept and of the removed text.
    pub words: (u64, u64),
    /// Words that are lost, as `removed.jsonl` has them.
    pub lost: u64,
    /// The kept text.
    pub kept_text: Vec<Piece>,
    /// The removed text.
    pub removed_text: Vec<Piece>,
    /// The answer so far: right, wrong, unsure.
    pub answer: Option<String>,
    /// The answer as a line of JSON, split at its label.
    pub line: (String, String),
}

impl AuditPage {
    /// The page as one HTML document. The same data gives the same bytes.
    pub fn render(&self) -> String {
        Sheet {
            kind: "audit",
            title: &self.directory,
            version: &self.version,
            style: include_str!("style.css"),
            lede: &self.lede(),
            warnings: &[],
            contents: CONTENTS,
            body: &self.body(),
            script: include_str!("script.js"),
        }
        .fill()
    }

    fn lede(&self) -> String {
        format!(
            "<p class=\"lede\">{} of {}: a random sample of those whose texts differ. Was it right to remove each text, because the kept one says the same?</p>",
            numbers::counted(self.questions.len() as u64, "removal"),
            numbers::count(self.removals),
        )
    }

    fn body(&self) -> String {
        let questions: String = self
            .questions
            .iter()
            .enumerate()
            .map(|(at, question)| question.render(at, self.questions.len()))
            .collect();
        let command = format!("doublet audit {} --answers FILE", self.directory);
        format!(
            "<section id=\"judge\" data-sample=\"{}\">\n<h2>Judge</h2>\n\
             <noscript><p class=\"note\">Judging needs JavaScript. Without it, this page shows the sample.</p></noscript>\n\
             {questions}{VERDICTS}</section>\n\
             <section id=\"labels\">\n<h2>Labels</h2>\n\
             <p id=\"tally\" class=\"note\" aria-live=\"polite\">No answers yet.</p>\n\
             <p class=\"buttons needs-script\"><button type=\"button\" id=\"download\">Download the labels</button></p>\n\
             <p class=\"note\">This browser keeps the answers. Download them, then run this for the estimated share of wrong removals:</p>\n\
             <p class=\"command\"><code>{}</code></p>\n</section>\n{HOW}",
            escape(&self.sample),
            escape(&command),
        )
    }
}

const CONTENTS: &str = "<li><a href=\"#judge\">Judge</a></li>\n<li><a href=\"#labels\">Labels</a></li>\n\
    <li><a href=\"#how\">How to judge</a></li>\n";

const VERDICTS: &str = "<div class=\"verdicts needs-script\" role=\"group\" aria-label=\"Answer\">\n\
    <button type=\"button\" data-answer=\"right\">Right <kbd>R</kbd></button>\n\
    <button type=\"button\" data-answer=\"wrong\">Wrong <kbd>W</kbd></button>\n\
    <button type=\"button\" data-answer=\"unsure\">Unsure <kbd>U</kbd></button>\n\
    <button type=\"button\" id=\"back\">Back <kbd>B</kbd></button>\n\
    <span id=\"progress\" class=\"muted\" aria-live=\"polite\"></span>\n</div>\n";

const HOW: &str = "<section id=\"how\">\n<h2>How to judge</h2>\n<dl class=\"words\">\n\
    <dt>Right</dt>\n<dd>Nothing that matters is lost: the kept text can replace the removed one.</dd>\n\
    <dt>Wrong</dt>\n<dd>The removed text says something else, or something more, and should have been kept.</dd>\n\
    <dt>Unsure</dt>\n<dd>You cannot decide. The estimate leaves these answers out.</dd>\n\
    <dt>Back</dt>\n<dd>Return to the previous question. A new answer replaces the old one.</dd>\n\
    <dt>Marked words</dt>\n<dd><del>Only the removed text</del> has these, or <ins>only the kept text</ins>. Long stretches are \
    shortened; the number of omitted words is shown.</dd>\n</dl>\n</section>\n";

impl QuestionView {
    fn render(&self, at: usize, all: usize) -> String {
        let answer = self.answer.as_deref().unwrap_or_default();
        format!(
            "<article class=\"question\" data-head=\"{}\" data-tail=\"{}\" data-answer=\"{}\" aria-label=\"Question {} of {all}\" tabindex=\"-1\">\n\
             <p class=\"facts-line\"><b>{} of {all}</b> {}</p>\n<div class=\"sides\">\n{}{}</div>\n</article>\n",
            escape(&self.line.0),
            escape(&self.line.1),
            escape(answer),
            at + 1,
            at + 1,
            self.facts(),
            side("kept", &self.kept, self.words.0, &self.kept_text),
            side("removed", &self.removed, self.words.1, &self.removed_text),
        )
    }

    /// What is known about the pair, in a line.
    fn facts(&self) -> String {
        let mut facts = vec![escape(&self.stratum).to_string()];
        facts.extend(self.score.map(|score| self.scored(score)));
        facts.push(format!(
            "cluster of {}",
            numbers::counted(self.cluster_size, "text")
        ));
        facts.push(match self.lost {
            0 => "no word lost".to_owned(),
            lost => format!("<strong>{} lost</strong>", numbers::counted(lost, "word")),
        });
        let fact = |fact: &String| format!("<span>{fact}</span>");
        facts.iter().map(fact).collect::<Vec<_>>().join(" ")
    }

    fn scored(&self, score: f64) -> String {
        let threshold = match self.threshold {
            Some(threshold) if is_below(score, threshold) => {
                format!(", below the threshold of {threshold}")
            }
            Some(threshold) => format!(", threshold {threshold}"),
            None => String::new(),
        };
        format!(
            "{} {}{threshold}",
            escape(&self.metric),
            numbers::score(score)
        )
    }
}

fn side(kind: &str, key: &str, words: u64, pieces: &[Piece]) -> String {
    let text: String = pieces.iter().map(|p| piece(p, kind)).collect();
    format!(
        "<div class=\"side\">\n<p class=\"who\"><span class=\"badge {kind}\">{kind}</span> <b class=\"key\">{}</b> \
         <span class=\"muted length\">{}</span></p>\n<div class=\"text\" dir=\"auto\" lang=\"\">{text}</div>\n</div>\n",
        inline(key, KEY_CHARS),
        numbers::counted(words, "word"),
    )
}

fn piece(piece: &Piece, kind: &str) -> String {
    let tag = if kind == "kept" { "ins" } else { "del" };
    match piece {
        Piece::Shared(text) => escape(text).to_string(),
        Piece::Own(text) => format!("<{tag}>{}</{tag}>", escape(text)),
        Piece::Cut(words) => format!(
            "<span class=\"cut\" dir=\"ltr\" lang=\"en\">… {} …</span>",
            numbers::counted(*words as u64, "word")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> AuditPage {
        let question = QuestionView {
            kept: "a".to_owned(),
            removed: "<b>".to_owned(),
            stratum: "nearest to the threshold".to_owned(),
            score: Some(0.5),
            metric: "resemblance".to_owned(),
            threshold: Some(0.8),
            cluster_size: 2,
            words: (1, 2),
            lost: 1,
            kept_text: vec![Piece::Shared("same".to_owned()), Piece::Cut(9)],
            removed_text: vec![Piece::Own("</article><script>".to_owned())],
            answer: Some("wrong".to_owned()),
            line: ("{\"b\":\"<b>\"".to_owned(), ",1}".to_owned()),
        };
        AuditPage {
            directory: "out".to_owned(),
            version: "0".to_owned(),
            sample: "run-1".to_owned(),
            removals: 1234,
            questions: vec![question.clone(), question],
        }
    }

    #[test]
    fn the_page_shows_the_sample() {
        let html = page().render();
        for part in [
            "2 removals of 1,234",
            "<b>1 of 2</b>",
            "below the threshold of 0.8",
            "<strong>1 word lost</strong>",
            "same<span class=\"cut\" dir=\"ltr\" lang=\"en\">… 9 words …</span>",
            "data-answer=\"wrong\"",
            "data-sample=\"run-1\"",
            "doublet audit out --answers FILE",
        ] {
            assert!(html.contains(part), "{part}");
        }
    }

    #[test]
    fn texts_stay_text() {
        let html = page().render();
        assert_eq!(html.matches("<script").count(), 1);
        assert!(html.contains("<del>&lt;/article&gt;&lt;script&gt;</del>"));
        assert!(
            html.contains("data-head=\"{&quot;b&quot;:&quot;&lt;b&gt;&quot;\" data-tail=\",1}\"")
        );
        assert!(!html.contains("://"), "the page loads nothing");
    }
}
