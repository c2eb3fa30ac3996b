//! Whether duplicates of duplicates are duplicates: the paper's second remark, checked on a sample.

use std::collections::HashSet;

use super::finder::Pair;
use crate::corpus::random::Random;

/// With so many ways from text to text all potential pairs are listed; beyond, they are drawn.
const FEW: usize = 5_000_000;
/// Draws for each pair wanted before giving up.
const PATIENCE: usize = 10_000;

/// What the sample showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    pub(crate) potential: usize,
    /// Those of them that are no pair.
    pub(crate) wrong: usize,
}

/// Draw potential pairs and count those that the complete answer does not have.
pub(crate) fn check(pairs: &[Pair], sample: usize, seed: u64) -> Check {
    let known: HashSet<(u32, u32)> = pairs.iter().map(|pair| pair.key()).collect();
    let potential = potential_pairs(pairs, sample, seed);
    let wrong = potential.iter().filter(|key| !known.contains(key));
    Check {
        wrong: wrong.count(),
        potential: potential.len(),
    }
}

/// So many different pairs (a, c) for which there is a b with pairs (a, b) and (b, c), all equally likely; fewer
/// if there are fewer.
fn potential_pairs(pairs: &[Pair], sample: usize, seed: u64) -> Vec<(u32, u32)> {
    let neighbours = neighbours(pairs);
    let ways = cumulative_ways(&neighbours);
    let random = &mut Random::new(seed, 0);
    let total = ways.last().copied().unwrap_or(0);
    if total <= FEW {
        return listed(&neighbours, sample, random);
    }
    let mut chosen = HashSet::new();
    let mut potential = Vec::with_capacity(sample);
    for _ in 0..sample.saturating_mul(PATIENCE) {
        if potential.len() == sample {
            break;
        }
        let key = draw(&neighbours, &ways, total, random);
        if let Some(key) = key.filter(|&key| chosen.insert(key)) {
            potential.push(key);
        }
    }
    potential
}

/// For each text those it is paired with, sorted.
fn neighbours(pairs: &[Pair]) -> Vec<Vec<u32>> {
    let texts = pairs.iter().map(|pair| pair.b as usize + 1).max();
    let mut neighbours = vec![Vec::new(); texts.unwrap_or(0)];
    for pair in pairs {
        neighbours[pair.a as usize].push(pair.b);
        neighbours[pair.b as usize].push(pair.a);
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    neighbours
}

/// How many ways from text to text lead through each text and those before it.
fn cumulative_ways(neighbours: &[Vec<u32>]) -> Vec<usize> {
    let through = |list: &Vec<u32>| list.len() * list.len().saturating_sub(1) / 2;
    let ways = neighbours.iter().map(through);
    ways.scan(0, |sum, ways| {
        *sum += ways;
        Some(*sum)
    })
    .collect()
}

/// All potential pairs in random order, cut to the sample.
fn listed(neighbours: &[Vec<u32>], sample: usize, random: &mut Random) -> Vec<(u32, u32)> {
    let mut potential: Vec<(u32, u32)> = Vec::new();
    for list in neighbours {
        for (index, &a) in list.iter().enumerate() {
            potential.extend(list[index + 1..].iter().map(|&c| (a, c)));
        }
    }
    potential.sort_unstable();
    potential.dedup();
    random.shuffle(&mut potential);
    potential.truncate(sample);
    potential
}

/// One way, drawn, as the pair of its ends. A pair with many ways is as often refused, so that all are equally likely.
fn draw(
    neighbours: &[Vec<u32>],
    ways: &[usize],
    total: usize,
    random: &mut Random,
) -> Option<(u32, u32)> {
    let way = random.below(total);
    let list = &neighbours[ways.partition_point(|&sum| sum <= way)];
    let first = random.below(list.len());
    let second = (first + 1 + random.below(list.len() - 1)) % list.len();
    let (a, c) = (list[first].min(list[second]), list[first].max(list[second]));
    let others = &neighbours[c as usize];
    let between = neighbours[a as usize].iter();
    let between = between.filter(|b| others.binary_search(b).is_ok()).count();
    random.chance(1.0 / between as f64).then_some((a, c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(keys: &[(u32, u32)]) -> Vec<Pair> {
        keys.iter().map(|&(a, b)| Pair::new(a, b, 1.0)).collect()
    }

    #[test]
    fn an_open_triangle_is_wrong_and_a_closed_one_is_not() {
        // 0-1-2 is open: (0, 2) lacks. 3-4-5 is closed.
        let pairs = pairs(&[(0, 1), (1, 2), (3, 4), (4, 5), (3, 5)]);
        let check = check(&pairs, 100, 1);
        assert_eq!((check.potential, check.wrong), (4, 1));
        assert_eq!(super::check(&[], 100, 1).potential, 0);
    }

    #[test]
    fn a_seed_draws_the_same_sample() {
        let pairs = pairs(&(1..60).map(|b| (0, b)).collect::<Vec<_>>());
        let sample = potential_pairs(&pairs, 50, 7);
        assert_eq!(sample.len(), 50);
        assert_eq!(sample, potential_pairs(&pairs, 50, 7));
        assert_ne!(sample, potential_pairs(&pairs, 50, 8));
    }

    #[test]
    fn drawn_pairs_are_equally_likely() {
        // Four ways join 0 and 1, one joins 6 and 8.
        let pairs = pairs(&[
            (0, 2),
            (0, 3),
            (0, 4),
            (0, 5),
            (1, 2),
            (1, 3),
            (1, 4),
            (1, 5),
            (6, 7),
            (7, 8),
        ]);
        let neighbours = neighbours(&pairs);
        let ways = cumulative_ways(&neighbours);
        let random = &mut Random::new(1, 0);
        let mut counts = [0, 0];
        for _ in 0..50_000 {
            match draw(&neighbours, &ways, ways[ways.len() - 1], random) {
                Some((0, 1)) => counts[0] += 1,
                Some((6, 8)) => counts[1] += 1,
                _ => {}
            }
        }
        let ratio = f64::from(counts[0]) / f64::from(counts[1]);
        assert!((0.9..1.1).contains(&ratio), "{counts:?}");
    }
}
