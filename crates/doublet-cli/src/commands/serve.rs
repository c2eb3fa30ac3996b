//! `doublet serve`: an index behind HTTP.

use std::io::Write;

use anyhow::{Result, ensure};
use doublet::index::{Index, IndexWriter};
use doublet_server::serve;

use crate::Status;
use crate::args::ServeArguments;
use crate::console::Console;

pub(crate) fn run(arguments: &ServeArguments, console: &Console) -> Result<Status> {
    ensure!(
        !console.is_memory(),
        "`serve` runs until it is stopped: start it as a program of its own, by `doublet serve`"
    );
    let options = arguments.resolve()?;
    let (matching, directory) = (&arguments.matching, &arguments.index);
    if directory.join("manifest").is_file() {
        // What is asked for at the first start may be asked for at every start, but not something else.
        let known = Index::open(directory)?.options().matching.method;
        ensure!(
            !matching.has_method() || matching.method() == known,
            "the index `{}` is there already and is of `{known}`, not of `{}`: leave `--method` out, or name another directory",
            directory.display(),
            matching.method()
        );
    } else {
        ensure!(
            arguments.create,
            "there is no index in `{}`: let `--create` make one, or name another directory",
            directory.display()
        );
        let matching = matching.or_sentences();
        let (made, table) = matching.index(!arguments.no_texts)?;
        IndexWriter::create(directory, &made, table)?;
    }
    serve(&arguments.index, options, |url| {
        // One line for whoever started it, whatever the log looks like.
        let _unread = writeln!(std::io::stderr(), "listening on {url}");
    })?;
    Ok(Status::Done)
}
