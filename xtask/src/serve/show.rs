//! What was measured of a service, as a table.

use serde_json::Value;

use super::load::Seen;

/// What a lane saw, in a line.
pub(super) fn line(seen: &Seen) -> String {
    format!(
        "{} on {} connections: {:.0} a second, p50 {}, p99 {}, p99.9 {}; {:.1} % refused with 429, {} unsent, {} broken; {:?}",
        seen.name,
        seen.connections,
        seen.rate(),
        milliseconds(seen.done.quantile(0.5)),
        milliseconds(seen.done.quantile(0.99)),
        milliseconds(seen.done.quantile(0.999)),
        100.0 * seen.shed_share(),
        seen.unsent,
        seen.broken,
        seen.statuses,
    )
}

fn milliseconds(micros: u64) -> String {
    format!("{:.2} ms", micros as f64 / 1000.0)
}

/// All rows as Markdown.
pub(super) fn table(rows: &[Value]) -> String {
    let mut lines = vec![
        "| experiment | asked | connections | offered/s | done/s | p50 ms | p99 ms | p99.9 ms | max ms | p99 from sending ms | 429 | p99 of 429 ms | peak MB |".to_owned(),
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|".to_owned(),
    ];
    for row in rows {
        let lanes = row["lanes"].as_array().map_or(&[][..], Vec::as_slice);
        lines.extend(lanes.iter().map(|lane| table_line(row, lane)));
    }
    lines.join("\n")
}

fn table_line(row: &Value, lane: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let time = |name: &str, figure: &str| match lane[name]["count"].as_u64() {
        None | Some(0) => "–".to_owned(),
        _ => format!("{:.2}", lane[name][figure].as_f64().unwrap_or(0.0) / 1000.0),
    };
    let statuses = lane["statuses"].as_object();
    let all: u64 = statuses.map_or(0, |all| all.values().filter_map(Value::as_u64).sum());
    let shed = lane["statuses"]["429"].as_u64().unwrap_or(0);
    let offered = lane["offered_per_second"].as_f64();
    let peak = row["service"]["memory"]["peak_bytes"].as_f64();
    format!(
        "| {} | {} | {} | {} | {:.0} | {} | {} | {} | {} | {} | {:.1} % | {} | {} |",
        text(&row["experiment"]),
        text(&lane["lane"]),
        lane["connections"],
        offered.map_or("all it can".to_owned(), |rate| format!("{rate:.0}")),
        lane["done_per_second"].as_f64().unwrap_or(0.0),
        time("latency_us", "p50"),
        time("latency_us", "p99"),
        time("latency_us", "p999"),
        time("latency_us", "max"),
        time("latency_from_sending_us", "p99"),
        100.0 * shed as f64 / all.max(1) as f64,
        time("shed_latency_us", "p99"),
        peak.map_or("–".to_owned(), |bytes| format!("{:.0}", bytes / 1e6)),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_has_a_line_a_lane() {
        let row = json!({
            "experiment": "overload",
            "lanes": [{"lane": "checks", "connections": 64, "offered_per_second": null, "done_per_second": 12.0,
                "statuses": {"200": 3, "429": 1}, "latency_us": {"count": 3, "p50": 500, "p99": 1500, "p999": 1500, "max": 2000},
                "latency_from_sending_us": {"count": 3, "p99": 1200},
                "shed_latency_us": {"count": 0}}],
            "service": {"memory": {"peak_bytes": 5_000_000}},
        });
        let table = table(&[row]);
        let last = table.lines().last().unwrap_or_default();
        assert_eq!(
            last,
            "| overload | checks | 64 | all it can | 12 | 0.50 | 1.50 | 1.50 | 2.00 | 1.20 | 25.0 % | – | 5 |"
        );
    }
}
