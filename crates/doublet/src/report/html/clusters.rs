//! The largest clusters, as a table.
//!
//! On a phone each row becomes a small block; the roles are written out because browsers forget that a table is one
//! when its rows are laid out anew.

use super::data::{ClusterRow, ReportPage};
use super::escape::{clipped, escape, inline};
use super::numbers;
use crate::report::is_below;

/// Clusters listed.
const ROWS: usize = 100;
/// Characters of an excerpt shown.
const EXCERPT_CHARS: usize = 280;
/// Characters of a key shown.
const KEY_CHARS: usize = 120;
/// Keys of members shown.
const MEMBERS: usize = 8;

const HEAD: &str = "<thead role=\"rowgroup\"><tr role=\"row\">\
    <th role=\"columnheader\" scope=\"col\" class=\"number\">Cluster</th>\
    <th role=\"columnheader\" scope=\"col\" class=\"number\">Size</th>\
    <th role=\"columnheader\" scope=\"col\" class=\"number\">Weakest member</th>\
    <th role=\"columnheader\" scope=\"col\">Representative, and how it begins</th>\
    </tr></thead>";

/// The section of the largest clusters; nothing without clusters.
pub(super) fn section(page: &ReportPage) -> String {
    if page.largest.is_empty() {
        return String::new();
    }
    let largest = page.largest.iter().take(ROWS);
    let rows: String = largest
        .map(|cluster| row(cluster, page.threshold))
        .collect();
    format!(
        "<section id=\"clusters\">\n<h2>Largest clusters</h2>\n\
         <p class=\"note\">A cluster is a group of texts that repeat one another; its representative stands for all of \
         them. Where the <a href=\"#word-weakest\">weakest member</a> scores low, check the cluster; scores below \
         the threshold are marked. {}</p>\n\
         <table class=\"clusters\" role=\"table\" aria-label=\"Largest clusters\">\n{HEAD}\n\
         <tbody role=\"rowgroup\">\n{rows}</tbody>\n</table>\n</section>\n",
        shown(page),
    )
}

/// How many of all are listed, and where the others are.
fn shown(page: &ReportPage) -> String {
    let listed = page.largest.len().min(ROWS) as u64;
    let all = page.clusters.max(page.largest.len() as u64);
    if listed == all {
        return String::new();
    }
    format!(
        "{} of {} shown; all are in <code>clusters.jsonl</code>.",
        numbers::count(listed),
        numbers::count(all),
    )
}

fn row(cluster: &ClusterRow, threshold: f64) -> String {
    let score = numbers::score(cluster.weakest);
    let weakest = match is_below(cluster.weakest, threshold) {
        true => format!("<strong class=\"below\" title=\"below the threshold\">{score} ⚠</strong>"),
        false => score,
    };
    format!(
        "<tr role=\"row\"><td role=\"cell\" class=\"number\" data-label=\"Cluster\">{}</td>\
         <td role=\"cell\" class=\"number\" data-label=\"Size\">{}</td>\
         <td role=\"cell\" class=\"number\" data-label=\"Weakest member\">{}</td>\
         <td role=\"cell\"><p class=\"key\">{}</p>\
         <p class=\"excerpt\" dir=\"auto\" lang=\"\">{}</p>{}</td></tr>\n",
        numbers::count(cluster.number),
        numbers::count(cluster.size),
        weakest,
        inline(&cluster.representative, KEY_CHARS),
        escape(&clipped(&cluster.excerpt, EXCERPT_CHARS)),
        members(cluster),
    )
}

/// The other members, as far as they are known.
fn members(cluster: &ClusterRow) -> String {
    let others: Vec<&String> = cluster
        .members
        .iter()
        .filter(|key| **key != cluster.representative)
        .collect();
    let keys: Vec<String> = others
        .iter()
        .take(MEMBERS)
        .map(|key| inline(key, KEY_CHARS))
        .collect();
    let more = cluster.more + others.len().saturating_sub(MEMBERS) as u64;
    let list = match (keys.is_empty(), more) {
        (true, _) => return String::new(),
        (false, 0) => keys.join(", "),
        (false, n) => format!("{} and {} more", keys.join(", "), numbers::count(n)),
    };
    format!("<p class=\"members\">Also here: {list}</p>")
}
