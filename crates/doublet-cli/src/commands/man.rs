//! `doublet man`: the manual pages, from the definitions that parse the command line.
//!
//! clap_mangen knows the sections of a page but runs the lines of `after_help` together; the examples there are tables, so they are
//! set here, line by line.

use std::path::Path;

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::Status;
use crate::args::{Arguments, ManArguments};
use crate::console::Console;

pub(crate) fn run(arguments: &ManArguments, console: &Console) -> Result<Status> {
    let root = built();
    match &arguments.dir {
        None => {
            let page = page(&root, None)?;
            console.out().write_all(&page)?;
        }
        Some(directory) => {
            std::fs::create_dir_all(directory)
                .with_context(|| format!("cannot make the directory `{}`", directory.display()))?;
            write_all(directory, &root, None)?;
        }
    }
    Ok(Status::Done)
}

/// The command line with every name and every option that clap adds.
fn built() -> Command {
    let mut root = Arguments::command().disable_help_subcommand(true);
    root.build();
    root
}

/// Writes the page of a command and of all below it.
fn write_all(directory: &Path, command: &Command, parent: Option<&Command>) -> Result<()> {
    let path = directory.join(format!("{}.1", name(command)));
    std::fs::write(&path, page(command, parent)?)
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    for below in command.get_subcommands() {
        write_all(directory, below, Some(command))?;
    }
    Ok(())
}

fn name(command: &Command) -> &str {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
}

fn page(command: &Command, parent: Option<&Command>) -> Result<Vec<u8>> {
    let man = Man::new(command.clone().subcommand_value_name("command"))
        .title(name(command).to_uppercase())
        .source(format!("doublet {}", env!("CARGO_PKG_VERSION")))
        .manual("doublet");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        page.extend_from_slice(b".SH COMMANDS\n");
        page.extend_from_slice(&listed(command)?);
    }
    let mut rest = Roff::new();
    after_options(&mut rest, command);
    see_also(&mut rest, command, parent);
    rest.to_writer(&mut page)?;
    Ok(escaped(&page).into_bytes())
}

/// A page in ASCII, other characters by their numbers: troff takes bytes beyond it for Latin-1.
fn escaped(page: &[u8]) -> String {
    let mut out = String::with_capacity(page.len());
    for character in String::from_utf8_lossy(page).chars() {
        match character.is_ascii() {
            true => out.push(character),
            false => out.push_str(&format!("\\[u{:04X}]", u32::from(character))),
        }
    }
    out
}

/// The commands below one, each with its page and what it is for.
fn listed(command: &Command) -> Result<Vec<u8>> {
    let mut list = Roff::new();
    for below in command.get_subcommands() {
        list.control("TP", []);
        list.text([bold(name(below)), roman("(1)")]);
        list.text([roman(
            below
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default(),
        )]);
    }
    let mut bytes = Vec::new();
    list.to_writer(&mut bytes)?;
    Ok(bytes)
}

/// What stands behind the options in `--help`: remarks, the exit status and examples, each under a heading.
fn after_options(page: &mut Roff, command: &Command) {
    let Some(text) = command.get_after_help() else {
        return;
    };
    let mut notes = false;
    for paragraph in text.to_string().split("\n\n") {
        if let Some(examples) = paragraph.strip_prefix("Examples:\n") {
            page.control("SH", ["EXAMPLES"]);
            page.control("nf", []);
            for line in examples.lines() {
                page.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
            }
            page.control("fi", []);
            notes = false;
        } else {
            match notes {
                true => page.control("PP", []),
                false => page.control("SH", ["NOTES"]),
            };
            page.text([roman(paragraph)]);
            notes = true;
        }
    }
}

fn see_also(page: &mut Roff, command: &Command, parent: Option<&Command>) {
    let siblings = parent.into_iter().flat_map(Command::get_subcommands);
    let others = siblings.filter(|other| other.get_name() != command.get_name());
    let names: Vec<&str> = parent.into_iter().chain(others).map(name).collect();
    if names.is_empty() {
        return;
    }
    page.control("SH", ["SEE ALSO"]);
    let mut line = Vec::new();
    for (place, name) in names.iter().enumerate() {
        if place > 0 {
            line.push(roman(", "));
        }
        line.push(bold(*name));
        line.push(roman("(1)"));
    }
    page.text(line);
}
