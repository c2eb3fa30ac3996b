//! The service asked everything that its description allows, and what it does not, by schemathesis.

use std::path::Path;

use anyhow::Result;

use super::{profiles, python};
use crate::doublet;
use crate::serve::service::Service;
use crate::workspace;

/// What the description cannot say.
const SETTINGS: &str = "tests/api/schemathesis.toml";
/// Examples for each operation in each phase, and where their randomness begins: the same in every run, within two minutes.
const EXAMPLES: &str = "25";
const SEED: &str = "7";

pub(super) fn run(binary: &Path) -> Result<()> {
    let folder = profiles()?.join("api-test");
    doublet::clear(&folder)?;
    std::fs::create_dir_all(&folder)?;
    let index = folder.join("index");
    let (tool, name) = (binary.display().to_string(), index.display().to_string());
    workspace::run_command(&[&tool, "index", "create", &name])?;
    workspace::run_command(&[&tool, "index", "add", &name, "samples/articles.jsonl", "-q"])?;
    let service = Service::start(binary, &index, &folder.join("serve.log"), &[])?;
    let description = format!("http://{}/openapi.json", service.address);
    let program = python::SERVICE.program("schemathesis")?;
    workspace::run_command(&[
        "env",
        "PYTHONDONTWRITEBYTECODE=1",
        &program,
        "--config-file",
        SETTINGS,
        "run",
        &description,
        "--checks",
        "all",
        "--max-examples",
        EXAMPLES,
        "--seed",
        SEED,
        "--workers",
        "1",
        "--request-timeout",
        "120",
        "--no-color",
    ])?;
    service.stop()?;
    workspace::run_command(&[&tool, "index", "verify", &name])
}
