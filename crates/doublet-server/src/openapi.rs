//! What the service understands, as OpenAPI describes it: written by hand, but for the limits, which are those of the service that runs.

use serde_json::{Value, json};

use crate::options::ServeOptions;
use crate::problem::{KINDS, Problem};
use crate::wire::{MOST_ID, MOST_SOURCES};

const DOCUMENT: &str = include_str!("openapi.json");

/// The description, with the limits in force.
pub(crate) fn document(options: &ServeOptions) -> Result<Vec<u8>, Problem> {
    let mut document: Value = serde_json::from_str(DOCUMENT).map_err(Problem::failed)?;
    document["info"]["version"] = env!("CARGO_PKG_VERSION").into();
    document["x-limits"] = json!({
        "body_bytes": options.max_body,
        "text_bytes": options.max_text,
        "batch": options.max_batch,
        "requests": options.max_requests,
        "documents": options.max_documents,
    });
    let kinds = KINDS.iter().map(
        |kind| json!({"name": kind.name, "title": kind.title, "status": kind.status.as_u16()}),
    );
    document["x-problems"] = kinds.collect();
    let schemas = &mut document["components"]["schemas"];
    schemas["Text"]["maxLength"] = options.max_text.into();
    schemas["Id"]["anyOf"][0]["maxLength"] = MOST_ID.into();
    schemas["Top"]["anyOf"][0]["maximum"] = MOST_SOURCES.into();
    for name in ["CheckBatch", "DocumentBatch"] {
        schemas[name]["properties"]["documents"]["maxItems"] = options.max_batch.into();
    }
    serde_json::to_vec(&document).map_err(Problem::failed)
}
