//! Paper 000, measured: what `terms-figures` and `terms-scaling` measure, and how many texts have an identical copy.

use anyhow::Result;
use serde_json::{Value, json};

use super::setting::Setting;
use crate::corpus::Kind;
use crate::terms::texts::Texts;
use crate::terms::{figures, scaling};

/// The rows of all figures.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Value>> {
    let mut rows = figures::measure(&arguments(setting)?)?;
    rows.extend(identical(setting)?);
    for (kind, sizes) in [
        (Kind::Messages, setting.sizes.messages),
        (Kind::Titles, setting.sizes.titles),
    ] {
        let grown = scaling::measure(&scaling::Args {
            sizes: sizes.to_vec(),
            kind,
            from: setting.material(kind),
            runs: 1,
            name: String::new(),
            redraw: None,
            doublet: setting.tool.clone(),
        })?;
        for mut row in grown {
            row["experiment"] = json!("scaling");
            rows.push(row);
        }
    }
    Ok(rows)
}

/// With stored messages and reviews, or made ones if either is missing.
fn arguments(setting: &Setting) -> Result<figures::Args> {
    let names = ["nus_sms", "zh_reviews"];
    let is_stored = names.iter().all(|name| setting.stored(name).is_some());
    let from = if is_stored {
        Vec::new()
    } else {
        vec![setting.make(Kind::Short, setting.sizes.judged)?.path]
    };
    Ok(figures::Args {
        from,
        data: Some(setting.data()),
        limit: usize::MAX,
        documents: setting.sizes.judged,
        name: String::new(),
        redraw: None,
        doublet: setting.tool.clone(),
    })
}

/// How many texts of each collection have an identical one.
fn identical(setting: &Setting) -> Result<Vec<Value>> {
    let mut collections = Vec::new();
    for name in ["nus_sms", "sms_spam", "zh_reviews", "ko_headlines"] {
        collections.extend(setting.unpacked(name, usize::MAX)?);
    }
    let made = setting.make(Kind::Messages, setting.sizes.judged)?;
    collections.push(Texts::read("made", &made.path)?);
    let row = |texts: &Texts| {
        let (all, repeated) = texts.identical()?;
        Ok(json!({
            "experiment": "identical",
            "collection": texts.name,
            "texts": all,
            "repeated": repeated,
        }))
    };
    collections.iter().map(row).collect()
}
