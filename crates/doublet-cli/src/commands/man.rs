//! `doublet man`: the manual pages, from the definitions that parse the command line.
//!
//! clap_mangen knows the sections of a page but runs the lines of `after_help` together; the examples there are tables, so they are
//! set here, line by line. Its synopsis leaves the values of options out, and it has no section for the exit status.

use std::path::Path;

use anyhow::Result;
use clap::{Arg, Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use doublet::files;
use doublet::files::output::OutputFile;

use crate::Status;
use crate::args::{Arguments, ManArguments};
use crate::console::Console;

/// How the paragraph begins that says what the exit status means.
const EXIT: &str = "Exit status: ";

pub(crate) fn run(arguments: &ManArguments, console: &Console) -> Result<Status> {
    let root = built();
    match &arguments.dir {
        None => {
            let page = page(&root, &root, None)?;
            console.out().write_all(&page)?;
        }
        Some(directory) => {
            files::create_dir_all(directory).map_err(|cause| doublet::Error::Io {
                doing: "make the directory",
                path: directory.clone(),
                cause,
            })?;
            write_all(directory, &root, &root, None)?;
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
fn write_all(
    directory: &Path,
    root: &Command,
    command: &Command,
    parent: Option<&Command>,
) -> Result<()> {
    let path = directory.join(format!("{}.1", name(command)));
    let mut file = OutputFile::create(&path)?;
    file.write(&page(root, command, parent)?)?;
    file.finish()?;
    for below in command.get_subcommands() {
        write_all(directory, root, below, Some(command))?;
    }
    Ok(())
}

fn name(command: &Command) -> &str {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
}

fn page(root: &Command, command: &Command, parent: Option<&Command>) -> Result<Vec<u8>> {
    let man = Man::new(command.clone().subcommand_value_name("command"))
        .title(name(command).to_uppercase())
        .source(format!("doublet {}", env!("CARGO_PKG_VERSION")))
        .manual("doublet");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    match command.get_overridden_usage() {
        Some(_) => man.render_synopsis_section(&mut page)?,
        None => synopsis(command).to_writer(&mut page)?,
    }
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        page.extend_from_slice(b".SH COMMANDS\n");
        page.extend_from_slice(&listed(command)?);
    }
    let mut rest = Roff::new();
    after_options(&mut rest, command);
    exit_status(&mut rest, root);
    see_also(&mut rest, command, parent);
    rest.to_writer(&mut page)?;
    Ok(escaped(&page).into_bytes())
}

/// How a command is called: options that may be left out, those that may not, inputs.
fn synopsis(command: &Command) -> Roff {
    let mut page = Roff::new();
    page.control("SH", ["SYNOPSIS"]);
    let mut arguments: Vec<&Arg> = command.get_arguments().collect();
    arguments.retain(|argument| !argument.is_hide_set());
    // The others stay in their order.
    arguments.sort_by_key(|argument| match argument.is_positional() {
        true => 2,
        false => u8::from(argument.is_required_set()),
    });
    let called = command.get_bin_name();
    let mut line = vec![bold(called.unwrap_or_else(|| command.get_name()))];
    for argument in arguments {
        line.push(roman(" "));
        usage(argument, &mut line);
    }
    if command.has_subcommands() {
        line.extend([roman(" <"), italic("command"), roman(">")]);
    }
    page.text(line);
    page
}

/// An argument with its values.
fn usage(argument: &Arg, line: &mut Vec<Inline>) {
    let (open, close) = match argument.is_required_set() {
        true => ("<", ">"),
        false => ("[", "]"),
    };
    line.push(roman(open));
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    if let (Some(short), Some(_)) = (&short, &long) {
        line.extend([bold(short.as_str()), roman("|")]);
    }
    line.extend(long.or(short).map(bold));
    if argument.get_action().takes_values() {
        if !argument.is_positional() {
            line.push(roman(" "));
        }
        let names = argument.get_value_names().unwrap_or_default();
        let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        line.push(italic(names.join(" ")));
    }
    line.push(roman(close));
    let values = argument.get_num_args();
    if values.is_some_and(|values| values.max_values() > 1) {
        line.push(roman("..."));
    }
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

/// What the exit status means, as the help of the program says it.
fn exit_status(page: &mut Roff, root: &Command) {
    let text = root.get_after_help().map(ToString::to_string);
    let text = text.unwrap_or_default();
    let mut paragraphs = text.split("\n\n");
    let Some(meanings) = paragraphs.find_map(|paragraph| paragraph.strip_prefix(EXIT)) else {
        return;
    };
    page.control("SH", ["EXIT STATUS"]);
    for meaning in meanings.trim_end_matches('.').split("; ") {
        let (status, words) = meaning.split_once(' ').unwrap_or((meaning, ""));
        page.control("TP", []);
        page.text([bold(status)]);
        page.text([roman(words)]);
    }
}

/// What stands behind the options in `--help`: remarks and examples, each under a heading.
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
        } else if !paragraph.starts_with(EXIT) {
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
