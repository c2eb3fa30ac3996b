//! What terabytes would take, by what was measured: straight lines through two sizes, no more.
//!
//! What begins with a run (the JVM warms up, stages start) does not grow; what grows is taken as proportional to the bytes of text, but for
//! what is shuffled for each document: ids, copies, keys and pairs. Texts to be verified are shuffled by their bytes.

use anyhow::{Context, Result};
use serde_json::Value;

/// The job in which texts are shuffled.
const TEXTS: &str = "doublet: matches";
/// Bytes of text, and of a document of the web, about.
const COLLECTIONS: [(&str, f64); 2] = [("1 TB", 1e12), ("15 TB", 15e12)];
const DOCUMENT: f64 = 5e3;
const CORES: [f64; 2] = [64.0, 1024.0];
/// Part of the time that cores are busy, about: tasks wait for others, for disks and the network.
const BUSY: f64 = 0.6;

/// What one more byte and one more document take.
struct Costs {
    cpu_a_byte: f64,
    shuffled_a_byte: f64,
    shuffled_a_document: f64,
}

impl Costs {
    /// From a small run and a large one.
    fn new(small: &Value, large: &Value) -> Result<Self> {
        let bytes = number(large, "bytes")? - number(small, "bytes")?;
        let documents = number(large, "documents")?;
        let cpu = |row: &Value| -> Result<f64> {
            Ok(number(row, "task_cpu_seconds")? + number(row, "python_cpu_seconds")?)
        };
        let texts = number(&large["jobs"][TEXTS], "shuffle_bytes")?;
        Ok(Self {
            cpu_a_byte: (cpu(large)? - cpu(small)?) / bytes,
            shuffled_a_byte: texts / number(large, "bytes")?,
            shuffled_a_document: (number(large, "shuffle_bytes")? - texts) / documents,
        })
    }
}

/// Print what collections of terabytes would take by each method that was measured at two sizes.
pub(super) fn show(rows: &[Value]) -> Result<()> {
    println!(
        "\n| method | texts | documents | CPU s a GB | core hours | {} cores, h | {} cores, h | shuffled |",
        CORES[0], CORES[1]
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut tools: Vec<&str> = rows.iter().filter_map(|row| row["tool"].as_str()).collect();
    tools.dedup();
    tools.retain(|tool| tool.starts_with("doublet.spark"));
    tools.sort_unstable();
    tools.dedup();
    for tool in tools {
        let mut sizes: Vec<&Value> = rows.iter().filter(|row| row["tool"] == tool).collect();
        sizes.sort_by_key(|row| row["documents"].as_u64());
        let [small, .., large] = &sizes[..] else {
            continue;
        };
        let costs = Costs::new(small, large)?;
        for (name, bytes) in COLLECTIONS {
            let documents = bytes / DOCUMENT;
            let hours = costs.cpu_a_byte * bytes / 3600.0;
            let shuffled = costs.shuffled_a_byte * bytes + costs.shuffled_a_document * documents;
            println!(
                "| {} | {name} | {:.0} million | {:.0} | {hours:.0} | {:.1} | {:.2} | {:.2} TB |",
                tool.trim_start_matches("doublet.spark "),
                documents / 1e6,
                costs.cpu_a_byte * 1e9,
                hours / BUSY / CORES[0],
                hours / BUSY / CORES[1],
                shuffled / 1e12,
            );
        }
    }
    Ok(())
}

fn number(row: &Value, name: &str) -> Result<f64> {
    row[name]
        .as_f64()
        .with_context(|| format!("a row without `{name}`"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_begins_with_a_run_does_not_grow() {
        let row = |documents: f64, bytes: f64, cpu: f64| {
            json!({
                "documents": documents, "bytes": bytes, "task_cpu_seconds": cpu, "python_cpu_seconds": 1.0,
                "shuffle_bytes": documents * 100.0 + bytes / 2.0,
                "jobs": { "doublet: matches": { "shuffle_bytes": bytes / 2.0 } },
            })
        };
        let costs = Costs::new(&row(10.0, 1e3, 7.0), &row(100.0, 11e3, 17.0)).expect("costs");
        assert!((costs.cpu_a_byte - 1e-3).abs() < 1e-12);
        assert!((costs.shuffled_a_byte - 0.5).abs() < 1e-12);
        assert!((costs.shuffled_a_document - 100.0).abs() < 1e-9);
    }
}
