//! Scores as text.

/// Scores are written with this many digits, and compared as written.
const HALF_DIGIT: f64 = 5e-7;

/// Whether a score that was written is below a threshold.
pub fn is_below(score: f64, threshold: f64) -> bool {
    score + HALF_DIGIT < threshold
}

/// Appends a score from 0 to 1 with six digits behind the point, rounded to the nearest.
pub(crate) fn push_score(score: f64, out: &mut Vec<u8>) {
    let mut millionths = (score * 1e6).round() as u64;
    let start = out.len();
    out.extend_from_slice(b"0.000000");
    for digit in out[start + 2..].iter_mut().rev() {
        *digit = b'0' + (millionths % 10) as u8;
        millionths /= 10;
    }
    out[start] = b'0' + (millionths % 10) as u8;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(score: f64) {
        let mut out = b"x".to_vec();
        push_score(score, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), format!("x{score:.6}"));
    }

    #[test]
    fn ends_and_fractions() {
        for score in [
            0.0,
            1.0,
            0.5,
            1.0 / 3.0,
            2.0 / 3.0,
            0.999_999_6,
            1e-7,
            8.0 / 28.0,
        ] {
            check(score);
        }
    }

    #[test]
    fn a_tie_is_rounded_up() {
        // 1/128 is 0.0078125 exactly; the standard library rounds it to the even digit.
        let mut out = Vec::new();
        push_score(1.0 / 128.0, &mut out);
        assert_eq!(out, b"0.007813");
    }

    proptest! {
        #[test]
        fn fractions_have_the_digits_of_the_standard_library(part in 0u32..10_000, more in 0u32..10_000) {
            // Between two numbers of six digits the standard library rounds to even: those are the
            // fractions whose double millionths are whole and odd.
            let whole = u64::from((part + more).max(1));
            let double = u64::from(part) * 2_000_000;
            prop_assume!(double % whole != 0 || (double / whole) % 2 == 0);
            check(f64::from(part) / f64::from((part + more).max(1)));
        }
    }
}
