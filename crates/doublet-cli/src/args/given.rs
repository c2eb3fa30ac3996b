//! Which options were given, whatever their values.

use std::collections::BTreeSet;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};

/// The names of the options that were given. It is flattened into other arguments and adds none of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given(BTreeSet<String>);

impl Given {
    /// Whether the option of this name was given.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// The first of these options that was given.
    pub(crate) fn first_of<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        names.into_iter().find(|name| self.has(name))
    }
}

impl FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let names = matches.ids().map(clap::Id::as_str);
        let typed =
            names.filter(|name| matches.value_source(name) == Some(ValueSource::CommandLine));
        Ok(Self(typed.map(|name| name.replace('_', "-")).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}
