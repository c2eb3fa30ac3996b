//! Options out of range are refused, by name and with what is allowed.

use doublet::batch::find_matches;
use doublet::progress::Silent;
use doublet::scores::Metric;

use crate::harness::{Texts, options};

#[test]
fn options_out_of_range_say_what_is_allowed() {
    let texts = Texts::new(&["a b c".to_owned()], &[]);
    let bad = options(Metric::Resemblance, "0.5", 0);
    let message = |options: &_| {
        find_matches(&texts.source, options, &Silent)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message(&bad),
        "`--shingle 0`: a shingle has 1 to 1000 words"
    );
    let mut bad = options(Metric::Resemblance, "0.5", 5);
    bad.matching.shingle.bits = 15;
    assert_eq!(message(&bad), "`--fingerprint-bits 15`: give 16 to 64 bits");
}
