//! The estimate, for a person and as JSON.

use std::io::Write;

use anyhow::Result;
use doublet::audit::{Audit, Outcome, Question, Share, Stratum, Tally, plain, wrong_share};
use serde_json::{Value, json, value::RawValue};

use crate::display::{BOLD, DIM, clean, count, plural};

/// Wrong removals that are listed.
const LISTED: usize = 10;

/// Prints the estimate.
pub(super) fn outcome(audit: &Audit, out: &mut impl Write) -> Result<()> {
    let outcome = audit.outcome();
    table(&outcome, out)?;
    let directory = audit.run().directory().display();
    let to_go = outcome.sample - audit.answered();
    match outcome.wrong {
        Some(share) => estimate(&outcome, share, out)?,
        None => writeln!(
            out,
            "\nNo estimate yet: answer at least one question with `r` or `w`."
        )?,
    }
    examples(&outcome, out)?;
    if to_go > 0 {
        let questions = plural(to_go as u64, "question");
        writeln!(
            out,
            "\n{questions} left: continue with `doublet audit {directory}`."
        )?;
    }
    Ok(())
}

fn table(outcome: &Outcome, out: &mut impl Write) -> Result<()> {
    writeln!(
        out,
        "{DIM}{:<24}{:>9}{:>6}{:>6}{:>7}  wrong, 95 % interval{DIM:#}",
        "stratum", "removals", "right", "wrong", "unsure"
    )?;
    for (stratum, tally) in &outcome.strata {
        row(stratum.words(), *tally, wrong_share(&[*tally], 0), out)?;
    }
    if outcome.same_text > 0 {
        let (name, removals) = (Stratum::SameText.words(), count(outcome.same_text));
        writeln!(
            out,
            "{name:<24}{removals:>9}{:>6}{:>6}{:>7}  0 %, not asked",
            "–", "–", "–"
        )?;
    }
    let all = Tally {
        removals: outcome.removals,
        ..outcome.all()
    };
    row("all", all, outcome.wrong, out)
}

fn row(name: &str, tally: Tally, share: Option<Share>, out: &mut impl Write) -> Result<()> {
    Ok(writeln!(
        out,
        "{name:<24}{:>9}{:>6}{:>6}{:>7}  {}",
        count(tally.removals),
        count(tally.right),
        count(tally.wrong),
        count(tally.unsure),
        share.map_or_else(|| "–".to_owned(), with_interval)
    )?)
}

fn estimate(outcome: &Outcome, share: Share, out: &mut impl Write) -> Result<()> {
    let number = |share: f64| count((share * outcome.removals as f64).round() as u64);
    writeln!(
        out,
        "\nAn estimated {BOLD}{} of the removals are wrong{BOLD:#} (95 % interval {} to {}): {} of {} ({} to {}).",
        percent(share.value),
        percent(share.low),
        percent(share.high),
        number(share.value),
        count(outcome.removals),
        number(share.low),
        number(share.high),
    )?;
    if let Some((right, wrong)) = outcome.bounds {
        writeln!(
            out,
            "The estimate leaves out {}. If all of them were right, the share would be {}; if all were wrong, {}.",
            plural(outcome.all().unsure, "unsure answer"),
            with_interval(right),
            with_interval(wrong),
        )?;
    }
    Ok(())
}

fn examples(outcome: &Outcome, out: &mut impl Write) -> Result<()> {
    if outcome.examples.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nJudged wrong, lowest score first:")?;
    for Question { removed, .. } in outcome.examples.iter().take(LISTED) {
        let score = removed
            .score
            .map_or(String::new(), |score| format!("{score:.3}"));
        let (id, kept) = (
            clean(&plain(&removed.id)),
            clean(&plain(&removed.representative)),
        );
        writeln!(out, "  {score:>6}  {id}  {DIM}kept: {kept}{DIM:#}")?;
    }
    let more = outcome.examples.len().saturating_sub(LISTED);
    if more > 0 {
        writeln!(out, "  and {} more", count(more as u64))?;
    }
    Ok(())
}

fn with_interval(share: Share) -> String {
    let Share { value, low, high } = share;
    format!("{} ({} – {})", percent(value), percent(low), percent(high))
}

/// A share in percent: two digits below 1 %, one above.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        0.0 => "0 %".to_owned(),
        percent if percent < 1.0 => format!("{percent:.2} %"),
        percent => format!("{percent:.1} %"),
    }
}

/// The same for programs.
pub(super) fn json(audit: &Audit) -> Value {
    let outcome = audit.outcome();
    let all = outcome.all();
    let strata = outcome.strata.iter().map(|(stratum, tally)| {
        json!({
            "stratum": stratum.name(),
            "removals": tally.removals,
            "right": tally.right,
            "wrong": tally.wrong,
            "unsure": tally.unsure,
            "wrong_share": wrong_share(&[*tally], 0).map(share),
        })
    });
    let removals = outcome.removals as f64;
    let number = |found: Share| {
        let times = |share: f64| share * removals;
        share(Share {
            value: times(found.value),
            low: times(found.low),
            high: times(found.high),
        })
    };
    json!({
        "directory": audit.run().directory().display().to_string(),
        "run": audit.run().id,
        "seed": audit.run().seed,
        "removals": outcome.removals,
        "same_text": outcome.same_text,
        "sample": outcome.sample,
        "answered": audit.answered(),
        "right": all.right,
        "wrong": all.wrong,
        "unsure": all.unsure,
        "wrong_share": outcome.wrong.map(share),
        "wrong_removals": outcome.wrong.map(number),
        "if_unsure_right": outcome.bounds.map(|(right, _)| share(right)),
        "if_unsure_wrong": outcome.bounds.map(|(_, wrong)| share(wrong)),
        "strata": strata.collect::<Vec<_>>(),
        "wrong_examples": outcome.examples.iter().map(example).collect::<Vec<_>>(),
    })
}

fn share(share: Share) -> Value {
    json!({ "value": share.value, "low": share.low, "high": share.high })
}

fn example(question: &Question) -> Value {
    let removed = &question.removed;
    let id = |id: &str| RawValue::from_string(id.to_owned()).ok();
    json!({
        "a": id(&removed.representative),
        "b": id(&removed.id),
        "score": removed.score,
        "lost": removed.lost,
        "cluster": removed.cluster,
        "stratum": question.stratum.name(),
    })
}
