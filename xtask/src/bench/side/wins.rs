//! Where a peer is better than doublet, from the figures alone.

use super::lines::{Line, distinct, number, percent};

/// A column: its name, the figure, how it is written, and whether more is better.
struct Column {
    name: &'static str,
    figure: fn(&Line) -> Option<f64>,
    write: fn(f64) -> String,
    more: bool,
}

const COLUMNS: [Column; 6] = [
    Column {
        name: "less CPU time",
        figure: |line| line.cpu.map(|cpu| cpu.median),
        write: |seconds| format!("{} s", number(seconds)),
        more: false,
    },
    Column {
        name: "less wall time",
        figure: |line| line.wall.map(|wall| wall.median),
        write: |seconds| format!("{} s", number(seconds)),
        more: false,
    },
    Column {
        name: "less memory",
        figure: |line| line.peak.map(|peak| peak.median),
        write: |megabytes| format!("{megabytes:.0} MB"),
        more: false,
    },
    Column {
        name: "higher recall",
        figure: |line| line.recall,
        write: |share| format!("{} %", percent(share)),
        more: true,
    },
    Column {
        name: "higher recall by its own words",
        figure: |line| {
            if line.is_peer() {
                line.own_recall
            } else {
                line.recall
            }
        },
        write: |share| format!("{} %", percent(share)),
        more: true,
    },
    Column {
        name: "higher precision",
        figure: |line| line.precision,
        write: |share| format!("{} %", percent(share)),
        more: true,
    },
];

/// A sentence for each collection and column in which a peer beats one of doublet's methods, by medians.
pub(super) fn wins(lines: &[Line]) -> Vec<String> {
    let mut found = Vec::new();
    for collection in distinct(lines.iter().map(|line| line.collection.clone())) {
        let here: Vec<&Line> = lines
            .iter()
            .filter(|line| line.collection == collection)
            .collect();
        for column in &COLUMNS {
            let better = beaten(&here, column);
            if !better.is_empty() {
                let better = better.join("; ");
                found.push(format!("`{collection}`, {}: {better}.", column.name));
            }
        }
    }
    found
}

/// Each peer that beats doublet in a column, with whom it beats.
fn beaten(lines: &[&Line], column: &Column) -> Vec<String> {
    let of = |line: &&Line| (column.figure)(line).map(|figure| (line.name(), figure));
    let (peers, own): (Vec<&Line>, Vec<&Line>) = lines.iter().partition(|line| line.is_peer());
    let peers = peers.iter().filter_map(of);
    let sentence = |(name, figure): (String, f64)| {
        let is_beaten = |(_, other): &(String, f64)| {
            if column.more {
                figure > *other
            } else {
                figure < *other
            }
        };
        let whom: Vec<String> = own
            .iter()
            .filter_map(of)
            .filter(is_beaten)
            .map(|(name, figure)| format!("{name} ({})", (column.write)(figure)))
            .collect();
        let figure = (column.write)(figure);
        (!whom.is_empty()).then(|| format!("{name} ({figure}) against {}", whom.join(" and ")))
    };
    peers.filter_map(sentence).collect()
}

/// The collections on which no peer is better in anything.
pub(super) fn without_wins(lines: &[Line]) -> Vec<String> {
    let names = distinct(lines.iter().map(|line| line.collection.clone()));
    let has_none = |name: &String| {
        let here: Vec<&Line> = lines
            .iter()
            .filter(|line| line.collection == *name)
            .collect();
        COLUMNS
            .iter()
            .all(|column| beaten(&here, column).is_empty())
    };
    names.into_iter().filter(has_none).collect()
}

#[cfg(test)]
mod tests {
    use super::super::lines::tests::line;
    use super::*;

    #[test]
    fn a_faster_peer_is_named_with_whom_it_beats() {
        let lines = [
            line("doublet", Some("shingles"), 4.0, 1.0),
            line("doublet", Some("minhash"), 2.0, 0.98),
            line("fast", None, 3.0, 0.9),
            line("slow", None, 30.0, 0.99),
        ];
        let cpu = "`c`, less CPU time: fast (3.00 s) against doublet shingles (4.00 s).";
        let wall = "`c`, less wall time: fast (1.50 s) against doublet shingles (2.00 s).";
        let recall = "`c`, higher recall: slow (99.0 %) against doublet minhash (98.0 %).";
        assert_eq!(wins(&lines), [cpu, wall, recall]);
        assert!(without_wins(&lines).is_empty());
    }

    #[test]
    fn a_peer_may_win_by_its_own_words() {
        let mut peer = line("peer", None, 9.0, 0.3);
        peer.peak = None;
        peer.own_recall = Some(0.99);
        let lines = [line("doublet", Some("minhash"), 2.0, 0.98), peer];
        let own =
            "`c`, higher recall by its own words: peer (99.0 %) against doublet minhash (98.0 %).";
        assert_eq!(wins(&lines), [own]);
    }

    #[test]
    fn equal_is_not_better_and_stopped_is_nothing() {
        let mut stopped = line("stopped", None, 0.1, 1.0);
        (stopped.cpu, stopped.wall, stopped.peak) = (None, None, None);
        (stopped.recall, stopped.precision) = (None, None);
        let lines = [
            line("doublet", Some("minhash"), 2.0, 0.9),
            line("equal", None, 2.0, 0.9),
            stopped,
        ];
        assert!(wins(&lines).is_empty());
        assert_eq!(without_wins(&lines), ["c"]);
    }
}
