//! The page of all options, made from the definitions of the command line, so that nobody writes it by hand.

use std::collections::BTreeMap;
use std::fmt::Write;

use clap::{Arg, Command};

pub(crate) const PAGE: &str = "docs/options.md";

const HEAD: &str = "# All options

This page is made from the definitions of the command line, by a test (`INSTA_UPDATE=always cargo test -p doublet-cli --test it book`). What `doublet COMMAND --help`
says is said here too: first which command has which options, then what each of them means. [The command line](commands.md) explains the commands with examples.

An option that stands in several commands means the same in all of them, unless the table names the command.
";

/// A command that does something, by its full name.
pub(crate) struct Named {
    /// Such as `index add`.
    pub(crate) name: String,
    pub(crate) command: Command,
}

/// All commands that can be run.
pub(crate) fn all() -> Vec<Named> {
    let mut line = doublet_cli::command_line();
    line.build();
    let mut found = Vec::new();
    collect("", &line, &mut found);
    found
}

fn collect(before: &str, command: &Command, found: &mut Vec<Named>) {
    let own = command
        .get_subcommands()
        .filter(|sub| sub.get_name() != "help" && !sub.is_hide_set());
    let mut leaf = true;
    for sub in own {
        leaf = false;
        let name = format!("{before} {}", sub.get_name());
        collect(&name, sub, found);
    }
    if leaf {
        found.push(Named {
            name: before.trim().to_owned(),
            command: command.clone(),
        });
    }
}

/// Options and arguments that `--help` shows.
pub(crate) fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    let known = ["help", "version"];
    command
        .get_arguments()
        .filter(move |arg| !arg.is_hide_set() && !known.contains(&arg.get_id().as_str()))
}

/// The page as it has to be.
pub(crate) fn page() -> String {
    let commands = all();
    let mut page = HEAD.to_owned();
    page.push_str("\n## By command\n");
    for named in &commands {
        by_command(&mut page, named);
    }
    page.push_str("\n## What they mean\n");
    let mut groups: BTreeMap<usize, (String, Vec<Row>)> = BTreeMap::new();
    for named in &commands {
        for arg in shown(&named.command) {
            let heading = heading(arg);
            let at = groups
                .iter()
                .find(|(_, (other, _))| *other == heading)
                .map_or(groups.len(), |(&at, _)| at);
            let group = &mut groups.entry(at).or_insert((heading, Vec::new())).1;
            Row::put(group, &named.name, arg);
        }
    }
    for (heading, rows) in groups.values() {
        let _ignored = write!(page, "\n### {heading}\n\n| | |\n|---|---|\n");
        for row in rows {
            let alone = rows.iter().filter(|other| other.name == row.name).count() == 1;
            row.write(&mut page, alone);
        }
    }
    page
}

fn heading(arg: &Arg) -> String {
    let heading = arg.get_help_heading();
    let plain = if arg.is_positional() {
        "Arguments"
    } else {
        "Of single commands"
    };
    heading.unwrap_or(plain).to_owned()
}

fn by_command(page: &mut String, named: &Named) {
    let about = named.command.get_about().unwrap_or_default();
    let mut usage = named.command.clone();
    let usage = usage.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let _ignored = write!(page, "\n### `{}`\n\n{about}.\n\n", named.name);
    let _ignored = write!(page, "```text\n{usage}\n```\n\n");
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for arg in shown(&named.command).filter(|arg| !arg.is_positional()) {
        let heading = heading(arg);
        let name = format!("`--{}`", arg.get_long().unwrap());
        match groups.iter_mut().find(|(other, _)| *other == heading) {
            Some((_, names)) => names.push(name),
            None => groups.push((heading, vec![name])),
        }
    }
    for (heading, names) in groups {
        let _ignored = writeln!(page, "- {heading}: {}", names.join(", "));
    }
}

/// An option, what is said of it, and by which commands.
struct Row {
    name: String,
    meaning: String,
    commands: Vec<String>,
}

impl Row {
    fn put(rows: &mut Vec<Self>, command: &str, arg: &Arg) {
        let (name, meaning) = (name(arg), meaning(arg));
        let same = |row: &&mut Row| row.name == name && row.meaning == meaning;
        if let Some(row) = rows.iter_mut().find(same) {
            row.commands.push(command.to_owned());
            return;
        }
        let row = Self {
            commands: vec![command.to_owned()],
            name,
            meaning,
        };
        // Beside others of its name.
        let beside = rows.iter().rposition(|other| other.name == row.name);
        rows.insert(beside.map_or(rows.len(), |at| at + 1), row);
    }

    fn write(&self, page: &mut String, alone: bool) {
        let _ignored = write!(page, "| {} | ", self.name);
        if !alone {
            let commands: Vec<_> = self.commands.iter().map(|c| format!("`{c}`")).collect();
            let _ignored = write!(page, "({}) ", commands.join(", "));
        }
        let _ignored = writeln!(page, "{} |", self.meaning);
    }
}

fn name(arg: &Arg) -> String {
    let values = arg.get_value_names().unwrap_or_default().join(" ");
    let takes = arg.get_num_args().is_some_and(|range| range.takes_values());
    let (Some(long), short) = (arg.get_long(), arg.get_short()) else {
        return format!("`{values}`");
    };
    let short = short
        .map(|short| format!("`-{short}` "))
        .unwrap_or_default();
    match takes {
        true => format!("{short}`--{long} {}`", values.replace('|', "\\|")),
        false => format!("{short}`--{long}`"),
    }
}

fn meaning(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let mut meaning = help.replace('\n', " ").replace('|', "\\|");
    let defaults = arg.get_default_values();
    let takes = arg.get_num_args().is_some_and(|range| range.takes_values());
    if takes && !defaults.is_empty() {
        let defaults: Vec<_> = defaults
            .iter()
            .map(|value| value.to_string_lossy())
            .collect();
        let _ignored = write!(meaning, " [default: {}]", defaults.join(" "));
    }
    let choices: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| takes && !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !choices.is_empty() {
        let _ignored = write!(meaning, " One of {}.", choices.join(", "));
    }
    meaning
}
