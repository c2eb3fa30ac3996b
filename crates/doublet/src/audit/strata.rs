//! Which removals a reviewer is asked about: strata, and the order of the questions.
//!
//! Every removal belongs to exactly one stratum. Removals of the same text need no question. Of the others, the fifth with the lowest
//! scores is a stratum, then up to a fifth that lost most words, then up to a fifth from the largest clusters, and then the rest.
//! Within a stratum, removals are ordered by a random number, and the strata take turns by their sizes. So every prefix of the
//! sequence is a random sample of each stratum, and a larger sample begins with the smaller one.

use std::cmp::Reverse;

/// The share of the removals that each stratum of suspects takes.
const SHARE: f64 = 0.2;
/// A stratum that is smaller than this share is asked about as if it were as large.
const LEAST: f64 = 0.05;

/// Why a removal is in the sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stratum {
    /// Its text is the kept one, white space aside: right without a question.
    SameText,
    /// Its score is among the lowest.
    Nearest,
    /// It lost more words than others.
    MostLost,
    /// Its cluster is among the largest.
    LargestClusters,
    /// None of these.
    Others,
}

impl Stratum {
    /// The strata with questions, in the order in which they choose their removals.
    pub const ASKED: [Self; 4] = [
        Self::Nearest,
        Self::MostLost,
        Self::LargestClusters,
        Self::Others,
    ];

    /// Its name in files and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::SameText => "same-text",
            Self::Nearest => "nearest",
            Self::MostLost => "most-lost",
            Self::LargestClusters => "largest-clusters",
            Self::Others => "others",
        }
    }

    /// Its name in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::SameText => "same text",
            Self::Nearest => "nearest to the threshold",
            Self::MostLost => "most words lost",
            Self::LargestClusters => "largest clusters",
            Self::Others => "other removals",
        }
    }
}

/// What decides the stratum of a removal and its place in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Traits {
    /// Whether its text is the kept one.
    pub(super) same: bool,
    /// Its score, if one was computed.
    pub(super) score: Option<f64>,
    /// Words that the kept text does not have.
    pub(super) lost: u64,
    /// Texts in its cluster.
    pub(super) cluster: u64,
    /// A random number.
    pub(super) lot: u64,
}

/// The stratum of each removal.
pub(super) fn assign(removals: &[Traits]) -> Vec<Stratum> {
    let of = |removal: &Traits| match removal.same {
        true => Stratum::SameText,
        false => Stratum::Others,
    };
    let mut strata: Vec<Stratum> = removals.iter().map(of).collect();
    let asked = strata.iter().filter(|s| **s == Stratum::Others).count();
    let quota = (asked as f64 * SHARE).ceil() as usize;
    // A score above 0 orders as its bits do.
    let nearest = |r: &Traits| r.score.filter(|s| *s < 1.0).map(|s| s.max(0.0).to_bits());
    let lost = |r: &Traits| (r.lost > 0).then_some(Reverse(r.lost));
    let cluster = |r: &Traits| (r.cluster > 2).then_some(Reverse(r.cluster));
    choose(removals, &mut strata, quota, Stratum::Nearest, nearest);
    choose(removals, &mut strata, quota, Stratum::MostLost, lost);
    choose(
        removals,
        &mut strata,
        quota,
        Stratum::LargestClusters,
        cluster,
    );
    strata
}

/// Moves the first `quota` of what is in no other stratum into `stratum`; `rank` orders those that may be in it.
fn choose<R: Ord>(
    removals: &[Traits],
    strata: &mut [Stratum],
    quota: usize,
    stratum: Stratum,
    rank: impl Fn(&Traits) -> Option<R>,
) {
    let open = (0..removals.len()).filter(|&at| strata[at] == Stratum::Others);
    let ranked = open.filter_map(|at| Some((rank(&removals[at])?, removals[at].lot, at)));
    for (_, _, at) in least(ranked.collect(), quota) {
        strata[at] = stratum;
    }
}

/// The least `count` of these, in no order.
fn least<T: Ord>(mut all: Vec<T>, count: usize) -> Vec<T> {
    if count < all.len() {
        all.select_nth_unstable(count);
        all.truncate(count);
    }
    all
}

/// The first `most` questions: indices of removals, in the order in which they are asked.
pub(super) fn sequence(removals: &[Traits], strata: &[Stratum], most: usize) -> Vec<usize> {
    let mut queues = Stratum::ASKED.map(|stratum| Queue::new(removals, strata, stratum, most));
    let asked: f64 = queues.iter().map(|queue| queue.size as f64).sum();
    for queue in &mut queues {
        queue.weight = match queue.size {
            0 => 0.0,
            size => (size as f64 / asked).max(LEAST),
        };
    }
    let mut sequence = Vec::new();
    while sequence.len() < most {
        let open = queues
            .iter_mut()
            .filter(|queue| queue.next < queue.list.len());
        // The queue furthest behind its share; the first of equals.
        let lag = |queue: &&mut Queue| queue.next as f64 / queue.weight;
        let Some(queue) = open.min_by(|a, b| lag(a).total_cmp(&lag(b))) else {
            break;
        };
        sequence.push(queue.list[queue.next]);
        queue.next += 1;
    }
    sequence
}

/// The removals of a stratum, by lot.
struct Queue {
    size: usize,
    /// The first of them.
    list: Vec<usize>,
    next: usize,
    /// Its share of the questions.
    weight: f64,
}

impl Queue {
    fn new(removals: &[Traits], strata: &[Stratum], stratum: Stratum, most: usize) -> Self {
        let members = (0..removals.len()).filter(|&at| strata[at] == stratum);
        let members: Vec<_> = members.map(|at| (removals[at].lot, at)).collect();
        let size = members.len();
        let mut first = least(members, most);
        first.sort_unstable();
        Self {
            size,
            list: first.into_iter().map(|(_, at)| at).collect(),
            next: 0,
            weight: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use proptest::prelude::*;

    fn removals(count: u64, seed: u64) -> Vec<Traits> {
        let mut random = Random::new(seed);
        let traits = |_| Traits {
            same: random.next().is_multiple_of(7),
            score: (!random.next().is_multiple_of(11)).then(|| random.share()),
            lost: random.next() % 20,
            cluster: 2 + random.next() % 9,
            lot: random.next(),
        };
        (0..count).map(traits).collect()
    }

    fn count(strata: &[Stratum], stratum: Stratum) -> usize {
        strata.iter().filter(|s| **s == stratum).count()
    }

    #[test]
    fn suspects_take_a_fifth_each() {
        let all = removals(1000, 1);
        let strata = assign(&all);
        let same = count(&strata, Stratum::SameText);
        assert_eq!(same, all.iter().filter(|r| r.same).count());
        let fifth = ((1000 - same) as f64 * SHARE).ceil() as usize;
        for stratum in &Stratum::ASKED[..3] {
            assert_eq!(count(&strata, *stratum), fifth, "{stratum:?}");
        }
        let of = |stratum| all.iter().zip(&strata).filter(move |(_, s)| **s == stratum);
        let highest = of(Stratum::Nearest).filter_map(|(r, _)| r.score);
        let highest = highest.fold(0.0, f64::max);
        assert!(of(Stratum::Others).all(|(r, _)| r.score.is_none_or(|s| s >= highest)));
        let least = of(Stratum::MostLost).map(|(r, _)| r.lost).min();
        assert!(of(Stratum::Others).all(|(r, _)| Some(r.lost) <= least));
    }

    #[test]
    fn what_no_removal_has_makes_no_stratum() {
        let mut all = removals(100, 2);
        for removal in &mut all {
            (removal.score, removal.lost, removal.cluster) = (Some(1.0), 0, 2);
        }
        let strata = assign(&all);
        assert!(
            strata
                .iter()
                .all(|s| matches!(s, Stratum::SameText | Stratum::Others))
        );
    }

    #[test]
    fn a_small_stratum_is_asked_about_too() {
        let mut all = removals(1000, 3);
        for removal in &mut all {
            removal.lost = 0;
        }
        let odd = all
            .iter()
            .position(|r| !r.same && r.score.is_none())
            .unwrap();
        all[odd].lost = 40;
        let strata = assign(&all);
        assert_eq!(count(&strata, Stratum::MostLost), 1);
        assert!(sequence(&all, &strata, 30).contains(&odd));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_sequence_is_a_sample_of_each_stratum(
            size in 0u64..400, seed in 0u64..99, most in 0usize..200,
        ) {
            let all = removals(size, seed);
            let strata = assign(&all);
            let asked = sequence(&all, &strata, most);
            let open = size as usize - count(&strata, Stratum::SameText);
            prop_assert_eq!(asked.len(), most.min(open));
            // A shorter one is its start.
            prop_assert_eq!(&sequence(&all, &strata, most / 2)[..], &asked[..asked.len().min(most / 2)]);
            for stratum in Stratum::ASKED {
                let mut lots: Vec<u64> = (0..all.len())
                    .filter(|&at| strata[at] == stratum)
                    .map(|at| all[at].lot)
                    .collect();
                lots.sort_unstable();
                let drawn = asked.iter().filter(|&&at| strata[at] == stratum);
                let drawn: Vec<u64> = drawn.map(|&at| all[at].lot).collect();
                // By lot alone, each once.
                prop_assert_eq!(&drawn[..], &lots[..drawn.len()]);
                // As many as its share, but for one or two.
                let share = lots.len() as f64 / open.max(1) as f64;
                let enough = (share * asked.len() as f64 * 0.8 - 2.0).max(0.0);
                prop_assert!(drawn.len() as f64 >= enough, "{:?}: {} of {}", stratum, drawn.len(), enough);
            }
        }
    }
}
