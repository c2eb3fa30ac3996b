//! Mean and spread of the three sketches' estimates of resemblance against theory, as CSV.
//!
//! Every trial is a pair of sets whose union has 1,000 shingles. The seed of the sketches stays the same and the fingerprints
//! are drawn anew, as in use, where one seed meets many texts. This is sound because uniform fingerprints are exchangeable
//! under any fixed permutation: each shingle of the union is as likely as any other to be the smallest, or in the sample. And
//! it is the harder test: a bad choice of the fixed permutations would show in the spread, where new seeds would hide it.
//!
//! ```sh
//! cargo run --release --example estimators > estimators.csv
//! cargo run --release --example estimators 500       # so many trials a row instead of 10,000
//! ```

#![expect(clippy::print_stdout, reason = "its output is what the example is for")]

use std::num::NonZeroU64;

use doublet::sketch::{Modulo, Permutations, Smallest, modulo, permutations, smallest};

const SEED: u64 = 1;
const UNION: usize = 1_000;
/// Trials a row, unless another number is given.
const TRIALS: u32 = 10_000;
/// Values in a sketch; V_n has as many of a union on average.
const SIZE: usize = 200;
const DIVISOR: NonZeroU64 =
    NonZeroU64::new((UNION / SIZE) as u64).expect("the union is larger than a sketch");

/// One estimate from two sets of shingles; nothing if the sketches say nothing.
type Estimate<'a> = &'a mut dyn FnMut(&[u64], &[u64]) -> Option<f64>;

fn main() {
    let trials = std::env::args().nth(1).and_then(|given| given.parse().ok());
    let trials: u32 = trials.unwrap_or(TRIALS);
    println!("sketch,similarity,trials,mean,bias,standard_error,spread,theory");
    for step in 1..=20 {
        let common = UNION * step / 20;
        let print = |name, theory, estimate: Estimate| {
            row((name, common, trials), theory, estimate);
        };
        let theory = sample_variance(common, SIZE as f64);
        print("smallest", theory, &mut by_smallest());
        print("modulo", modulo_variance(common), &mut by_modulo());
        print(
            "permutations",
            with_replacement(common),
            &mut by_permutations(),
        );
    }
}

fn by_smallest() -> impl FnMut(&[u64], &[u64]) -> Option<f64> {
    let sketcher = Smallest::new(SIZE, SEED);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    move |a, b| {
        sketcher.sketch(a, &mut left);
        sketcher.sketch(b, &mut right);
        fraction(smallest::estimate(&left, &right, SIZE))
    }
}

fn by_modulo() -> impl FnMut(&[u64], &[u64]) -> Option<f64> {
    let sketcher = Modulo::new(DIVISOR, SEED);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    move |a, b| {
        sketcher.sketch(a, &mut left);
        sketcher.sketch(b, &mut right);
        fraction(modulo::estimate(&left, &right))
    }
}

fn by_permutations() -> impl FnMut(&[u64], &[u64]) -> Option<f64> {
    let sketcher = Permutations::new(SIZE, SEED);
    let (mut left, mut right) = ([0; SIZE], [0; SIZE]);
    move |a, b| {
        sketcher.sketch(a, &mut left);
        sketcher.sketch(b, &mut right);
        fraction((permutations::agreeing(&left, &right), SIZE as u32))
    }
}

fn fraction((common, all): (u32, u32)) -> Option<f64> {
    (all > 0).then(|| f64::from(common) / f64::from(all))
}

/// Runs the trials of one sketch at one similarity and prints what came of them.
fn row((name, common, wanted): (&str, usize, u32), theory: f64, estimate: Estimate) {
    let similarity = common as f64 / UNION as f64;
    let mut random = Random(common as u64 + 1);
    let mut shingles = [0; UNION];
    let mut second = Vec::with_capacity(UNION);
    let (mut trials, mut sum, mut squares) = (0, 0.0, 0.0);
    for _ in 0..wanted {
        shingles.fill_with(|| random.next());
        let split = common + (UNION - common) / 2;
        second.clear();
        second.extend_from_slice(&shingles[..common]);
        second.extend_from_slice(&shingles[split..]);
        if let Some(estimate) = estimate(&shingles[..split], &second) {
            let error = estimate - similarity;
            (trials, sum, squares) = (trials + 1, sum + error, squares + error * error);
        }
    }
    let count = f64::from(trials);
    let bias: f64 = sum / count;
    let spread = (squares / count - bias * bias).max(0.0).sqrt();
    let (mean, error) = (similarity + bias, spread / count.sqrt());
    let theory = theory.sqrt();
    println!(
        "{name},{similarity:.2},{trials},{mean:.5},{bias:+.5},{error:.5},{spread:.5},{theory:.5}"
    );
}

/// Variance of a share among draws that are put back, as permutations draw.
fn with_replacement(common: usize) -> f64 {
    let similarity = common as f64 / UNION as f64;
    similarity * (1.0 - similarity) / SIZE as f64
}

/// Variance of the share of common shingles in a sample of the union.
fn sample_variance(common: usize, size: f64) -> f64 {
    let (similarity, union) = (common as f64 / UNION as f64, UNION as f64);
    similarity * (1.0 - similarity) / size * (union - size) / (union - 1.0)
}

/// Mean of that variance over the sizes of V_n's sample, which are binomial; it is never empty here to speak of.
fn modulo_variance(common: usize) -> f64 {
    let (union, chance) = (UNION as f64, 1.0 / DIVISOR.get() as f64);
    let mut probability = (1.0 - chance).powf(union);
    let mut sum = 0.0;
    for size in (1..=UNION).map(|size| size as f64) {
        probability *= (union - size + 1.0) / size * chance / (1.0 - chance);
        sum += probability * sample_variance(common, size);
    }
    sum
}

/// xorshift64* (Vigna 2016): another generator than the one the sketches draw from.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
}
