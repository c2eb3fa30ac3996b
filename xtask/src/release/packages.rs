//! The packages that doublet is built of, as `cargo metadata` tells them, and what each is there for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use super::TARGETS;
use crate::workspace;

/// What is released; everything else is for tests and automation.
const RELEASED: [&str; 4] = ["doublet", "doublet-server", "doublet-cli", "doublet-python"];

/// What a package is there for, the closest to the user first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Use {
    /// Its code is in a program or a wheel.
    Inside,
    /// It runs while these are built: macros and build scripts.
    Building,
    /// Tests and automation.
    Testing,
    /// Named by the lock file for systems that nothing is released for.
    Elsewhere,
}

/// A package from a registry.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: String,
    pub(crate) authors: Vec<String>,
    pub(crate) repository: Option<String>,
    pub(crate) folder: PathBuf,
    pub(crate) used: Use,
}

/// All packages of the lock file that come from a registry, by name and version.
pub(crate) fn all() -> Result<Vec<Package>> {
    let mut uses = BTreeMap::new();
    for target in TARGETS {
        let told = metadata(&["--filter-platform", target])?;
        for (id, used) in uses_of(&told)? {
            let known = uses.entry(id).or_insert(used);
            *known = used.min(*known);
        }
    }
    let told = metadata(&[])?;
    let mut packages = Vec::new();
    for package in array(&told, "packages")? {
        if package["source"].is_null() {
            continue;
        }
        let used = uses.get(text(package, "id")?).copied();
        packages.push(read(package, used.unwrap_or(Use::Elsewhere))?);
    }
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(packages)
}

fn metadata(more: &[&str]) -> Result<Value> {
    let mut line = vec!["cargo", "metadata", "--format-version", "1", "--locked"];
    line.extend(more);
    let told = workspace::output_of(&line)?;
    serde_json::from_str(&told).context("cargo metadata gives no JSON")
}

fn read(package: &Value, used: Use) -> Result<Package> {
    let manifest = PathBuf::from(text(package, "manifest_path")?);
    let authors = array(package, "authors")?;
    Ok(Package {
        name: text(package, "name")?.to_owned(),
        version: text(package, "version")?.to_owned(),
        licence: package["license"]
            .as_str()
            .unwrap_or("see its text")
            .to_owned(),
        authors: authors
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        repository: package["repository"].as_str().map(str::to_owned),
        folder: manifest
            .parent()
            .context("a manifest without a folder")?
            .to_owned(),
        used,
    })
}

/// What each package is there for on one system, by its id.
fn uses_of(told: &Value) -> Result<BTreeMap<String, Use>> {
    let mut macros = BTreeSet::new();
    let (mut released, mut others) = (Vec::new(), Vec::new());
    for package in array(told, "packages")? {
        let id = text(package, "id")?;
        if is_macro(package)? {
            macros.insert(id);
        }
        if package["source"].is_null() {
            let is_released = RELEASED.contains(&text(package, "name")?);
            let list = if is_released {
                &mut released
            } else {
                &mut others
            };
            list.push(id);
        }
    }
    let mut needs = BTreeMap::new();
    for node in array(&told["resolve"], "nodes")? {
        needs.insert(text(node, "id")?, array(node, "deps")?);
    }
    let mut uses = BTreeMap::new();
    // What is left to look at: a package, what it is there for, and whether its tests count, which those of others do not.
    let mut left: Vec<(&str, Use, bool)> = Vec::new();
    left.extend(released.iter().map(|id| (*id, Use::Inside, true)));
    left.extend(others.iter().map(|id| (*id, Use::Testing, true)));
    while let Some((id, used, own)) = left.pop() {
        if uses.get(id).is_some_and(|known| *known <= used) && !own {
            continue;
        }
        let known = uses.entry(id.to_owned()).or_insert(used);
        *known = used.min(*known);
        for need in needs.get(id).copied().into_iter().flatten() {
            let next = text(need, "pkg")?;
            for kind in array(need, "dep_kinds")? {
                let least = match kind["kind"].as_str() {
                    Some("dev") if !own => continue,
                    Some("dev") => Use::Testing,
                    Some("build") => Use::Building,
                    _ if macros.contains(next) => Use::Building,
                    _ => Use::Inside,
                };
                left.push((next, used.max(least), false));
            }
        }
    }
    Ok(uses)
}

fn is_macro(package: &Value) -> Result<bool> {
    let targets = array(package, "targets")?;
    let kinds = targets
        .iter()
        .filter_map(|target| target["kind"].as_array());
    Ok(kinds.flatten().any(|kind| kind == "proc-macro"))
}

fn array<'a>(value: &'a Value, name: &str) -> Result<&'a Vec<Value>> {
    let found = value[name].as_array();
    found.with_context(|| format!("cargo metadata has no `{name}`"))
}

fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str> {
    let found = value[name].as_str();
    found.with_context(|| format!("cargo metadata has no `{name}`"))
}
