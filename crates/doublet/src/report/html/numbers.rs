//! Numbers as people read them. A unit follows a no-break space.

/// `1234567` as `1,234,567`.
pub(in crate::report) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 pair`, `2 pairs`: a count with its noun, which takes an `s`.
pub(in crate::report) fn counted(n: u64, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(n))
}

/// A score with three decimals, more when fewer would make it look like 1.
pub(in crate::report) fn score(score: f64) -> String {
    if !score.is_finite() {
        return "–".to_owned();
    }
    let looks_like_one = |decimals: usize| format!("{score:.decimals$}").starts_with('1');
    let decimals = (3..=9).find(|&d| score >= 1.0 || !looks_like_one(d));
    format!("{score:.0$}", decimals.unwrap_or(9))
}

/// A threshold as it was given: `0.8`.
pub(in crate::report) fn plain(value: f64) -> String {
    if value.is_finite() {
        value.to_string()
    } else {
        "–".to_owned()
    }
}

/// `part` of `whole` in per cent. Neither a trace nor all but a trace is rounded away.
pub(in crate::report) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let share = 100.0 * part as f64 / whole as f64;
    match share {
        s if part > 0 && s < 0.1 => "under 0.1\u{a0}%".to_owned(),
        s if part < whole && s > 99.9 => "over 99.9\u{a0}%".to_owned(),
        s if part == 0 || part == whole => format!("{s:.0}\u{a0}%"),
        s => format!("{s:.1}\u{a0}%"),
    }
}

/// A share from 0 to 1 in per cent, by the same rule; `–` if it is no number.
pub(in crate::report) fn share(share: f64) -> String {
    match 100.0 * share {
        s if !s.is_finite() => "–".to_owned(),
        s if s > 0.0 && s < 0.1 => "under 0.1\u{a0}%".to_owned(),
        s if s < 100.0 && s > 99.9 => "over 99.9\u{a0}%".to_owned(),
        s if s == 0.0 || s == 100.0 => format!("{:.0}\u{a0}%", s.abs()),
        s => format!("{s:.1}\u{a0}%"),
    }
}

/// Bytes in decimal units: `1.5 GB`.
pub(in crate::report) fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "kB", "MB", "GB", "TB"];
    if n < 1000 {
        return format!("{n}\u{a0}{}", if n == 1 { "byte" } else { UNITS[0] });
    }
    let mut value = n as f64;
    let mut unit = 0;
    // 999.95 would print as `1000.0`.
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1}\u{a0}{}", UNITS[unit])
}

/// A length of time: `0.42 s`, `3 min 05 s`, `2 h 10 min`.
pub(in crate::report) fn seconds(s: f64) -> String {
    if !s.is_finite() || s < 0.0 {
        return "–".to_owned();
    }
    let whole = s.round() as u64;
    match s {
        0.0 => "0\u{a0}s".to_owned(),
        s if s < 0.0095 => format!("{:.1}\u{a0}ms", s * 1000.0),
        s if s < 9.95 => format!("{s:.2}\u{a0}s"),
        s if s < 59.95 => format!("{s:.1}\u{a0}s"),
        s if s < 3599.5 => format!("{}\u{a0}min {:02}\u{a0}s", whole / 60, whole % 60),
        _ => format!(
            "{}\u{a0}h {:02}\u{a0}min",
            count(whole / 3600),
            whole % 3600 / 60
        ),
    }
}

/// `n` things in `s` seconds as a whole number a second, if that can be said.
pub(in crate::report) fn rate(n: u64, s: f64) -> Option<u64> {
    let rate = n as f64 / s;
    (s > 0.0 && rate.is_finite() && rate >= 1.0).then_some(rate as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_separators() {
        let shown = [0, 999, 1000, 123456, 1234567].map(count);
        assert_eq!(shown, ["0", "999", "1,000", "123,456", "1,234,567"]);
        assert_eq!(counted(1, "pair"), "1 pair");
        assert_eq!(counted(0, "pair"), "0 pairs");
    }

    #[test]
    fn a_score_below_one_never_looks_like_one() {
        let shown = [1.0, 0.5, 0.9996, 0.99999999, f64::NAN].map(score);
        assert_eq!(shown, ["1.000", "0.500", "0.9996", "0.99999999", "–"]);
    }

    #[test]
    fn shares_keep_their_traces() {
        let shown =
            [(0, 9), (1, 9000), (1, 8), (8999, 9000), (9, 9), (1, 0)].map(|(a, b)| percent(a, b));
        let want = ["0 %", "under 0.1 %", "12.5 %", "over 99.9 %", "100 %", "–"];
        assert_eq!(shown.map(|s| s.replace('\u{a0}', " ")), want);
    }

    #[test]
    fn shares_of_measured_things_keep_their_traces_too() {
        let shown = [0.0, 0.0004, 0.125, 0.9999, 1.0, -0.0, f64::NAN].map(share);
        let want = [
            "0 %",
            "under 0.1 %",
            "12.5 %",
            "over 99.9 %",
            "100 %",
            "0 %",
            "–",
        ];
        assert_eq!(shown.map(|s| s.replace('\u{a0}', " ")), want);
    }

    #[test]
    fn sizes_and_times() {
        let sizes = [0, 1, 999, 1500, 999_999, 2_500_000_000].map(bytes);
        let want = [
            "0 bytes",
            "1 byte",
            "999 bytes",
            "1.5 kB",
            "1.0 MB",
            "2.5 GB",
        ];
        assert_eq!(sizes.map(|s| s.replace('\u{a0}', " ")), want);
        let times = [0.0, 0.42, 12.34, 59.99, 185.0, 7800.0, f64::INFINITY].map(seconds);
        let want = [
            "0 s",
            "0.42 s",
            "12.3 s",
            "1 min 00 s",
            "3 min 05 s",
            "2 h 10 min",
            "–",
        ];
        assert_eq!(times.map(|s| s.replace('\u{a0}', " ")), want);
        assert_eq!(
            (rate(10, 2.0), rate(10, 0.0), rate(0, 0.0)),
            (Some(5), None, None)
        );
    }
}
