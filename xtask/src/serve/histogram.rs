//! How long answers took: counts in buckets that are never wider than a sixty-fourth of what they count.

use serde_json::{Value, json};

/// Buckets of each doubling.
const STEPS: u64 = 64;

/// Counts of times in microseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
    pub(crate) count: u64,
    max: u64,
}

impl Histogram {
    pub(crate) fn add(&mut self, micros: u64) {
        let bucket = bucket(micros);
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.count += 1;
        self.max = self.max.max(micros);
    }

    /// The time within which this share of all was answered.
    pub(crate) fn quantile(&self, share: f64) -> u64 {
        let rank = ((share * self.count as f64).ceil() as u64).max(1);
        let mut before = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            before += count;
            if before >= rank {
                return upper(bucket).min(self.max);
            }
        }
        self.max
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "count": self.count,
            "p50": self.quantile(0.5),
            "p90": self.quantile(0.9),
            "p99": self.quantile(0.99),
            "p999": self.quantile(0.999),
            "max": self.max,
        })
    }
}

fn bucket(micros: u64) -> usize {
    let doublings = (micros / STEPS + 1).ilog2();
    let within = micros.saturating_sub(STEPS * ((1 << doublings) - 1)) >> doublings;
    (u64::from(doublings) * STEPS + within) as usize
}

/// The largest time of a bucket.
fn upper(bucket: usize) -> u64 {
    let (doublings, within) = (bucket as u64 / STEPS, bucket as u64 % STEPS);
    STEPS * ((1 << doublings) - 1) + ((within + 1) << doublings) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_lies_in_its_bucket() {
        let mut last = 0;
        for micros in (0..100_000).chain([1 << 30, (1 << 40) + 12_345]) {
            let bucket = bucket(micros);
            assert!(upper(bucket) >= micros, "{micros}");
            assert!(upper(bucket) - micros <= micros / 32, "{micros}");
            assert!(bucket == 0 || upper(bucket - 1) < micros, "{micros}");
            assert!(bucket >= last);
            last = bucket;
        }
    }

    #[test]
    fn quantiles_are_those_of_a_sorted_list() {
        let mut histogram = Histogram::default();
        for micros in 1..=1000 {
            histogram.add(micros);
        }
        for (share, expected) in [(0.5, 500.0), (0.99, 990.0), (1.0, 1000.0)] {
            let found = histogram.quantile(share) as f64;
            assert!((found / expected - 1.0).abs() < 0.02, "{share}: {found}");
        }
        assert_eq!(Histogram::default().quantile(0.5), 0);
    }
}
