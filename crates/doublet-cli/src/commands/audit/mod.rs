//! `doublet audit`: how many removals of a run were wrong?

mod ask;
mod print;
mod screen;
mod source;

use std::io::Write;

use anyhow::{Result, bail};
use doublet::audit::{Answers, Audit, AuditOptions, Run};

use super::spool_directory;
use crate::Status;
use crate::args::AuditArguments;
use crate::console::Console;
use crate::display::plural;

pub(crate) fn run(arguments: &AuditArguments, console: &Console) -> Result<Status> {
    let options = arguments.resolve()?;
    let answers = Answers::of_directory(&arguments.directory)?;
    let seed = arguments.seed.or(answers.seed());
    let run = Run::open(&arguments.directory, seed.unwrap_or(AuditOptions::SEED))?;
    if run.is_empty() {
        return nothing_removed(arguments, console);
    }
    let asks = !(arguments.page || arguments.json || arguments.answers.is_some());
    let given = arguments.inputs.iter().chain(&arguments.against);
    if asks && given.into_iter().any(|input| input == "-") {
        bail!(
            "cannot read the input from `-`, because standard input has the keys: give a file, or use `--page`"
        );
    }
    console.watch(arguments.quiet);
    let spool = spool_directory(arguments.temp_dir.as_deref())?;
    let source = source::open(arguments, &run, console, spool.path())?;
    let audit = Audit::new(run, source, answers, &options, console);
    console.finish();
    let mut audit = audit?;
    if console.speaks(arguments.quiet) {
        warn(&audit, console);
    }
    if let Some(path) = &arguments.answers {
        let (read, changed) = audit.take_answers(path)?;
        if console.speaks(arguments.quiet) {
            console.remark(&format!(
                "{} read, {changed} of them new or different",
                plural(read as u64, "answer")
            ));
        }
    }
    if arguments.page {
        let path = audit.write_page()?;
        writeln!(
            console.out(),
            "Open {} in a browser and judge {}. Then download the labels and run `doublet audit {} --answers FILE`.",
            path.display(),
            plural(audit.questions().len() as u64, "removal"),
            arguments.directory.display()
        )?;
        return Ok(Status::Done);
    }
    if asks {
        ask::ask(&mut audit, console)?;
    }
    if arguments.json {
        writeln!(console.out(), "{:#}", print::json(&audit))?;
    } else {
        print::outcome(&audit, &mut console.styled())?;
    }
    Ok(Status::Done)
}

fn nothing_removed(arguments: &AuditArguments, console: &Console) -> Result<Status> {
    let text = match arguments.json {
        true => "{\"removals\": 0}",
        false => "Nothing to judge: the run removed no texts.",
    };
    writeln!(console.out(), "{text}")?;
    Ok(Status::Done)
}

fn warn(audit: &Audit, console: &Console) {
    if !audit.is_as_long() {
        console.warning("the size of the input changed since the run: texts may differ");
    }
    let left_over = audit.left_over() as u64;
    if left_over > 0 {
        console.warning(&format!(
            "{} ignored: not about this sample; a larger `--sample` may include them",
            plural(left_over, "answer")
        ));
    }
}
