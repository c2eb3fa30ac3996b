//! The book and the README: every command that they show is run, and prints what they show; every link leads somewhere; every page is in the
//! contents; every command and option is described.
//!
//! Blocks marked `console` are run, page by page, in a directory with the samples (`session.rs` says how). A block that cannot be run here has
//! the comment `<!-- not run here: REASON -->` above it; its commands are listed in a snapshot, and their options must exist.
//! `INSTA_UPDATE=always` writes what was printed into the pages, where they have no gaps.

mod compare;
mod figures;
mod options;
mod page;
mod pictures;
mod session;
mod svg;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use compare::{has_gaps, same};
use page::{Block, Page, pages, root};
use session::{Session, rewritten, tells_the_status};

/// Languages that are not run by a shell; `python` is run by the tests of the Python package.
const OTHER_LANGUAGES: [&str; 6] = ["text", "python", "json", "toml", "nginx", "yaml"];

fn accepts() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always")
}

/// Runs the commands of a page; what went wrong.
fn run_page(page: &Page) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut changes = Vec::new();
    let mut session = Session::new();
    let blocks = page.blocks();
    let to_run = |block: &&Block| block.language == "console" && block.not_run.is_none();
    for block in blocks.iter().filter(to_run) {
        for (number, shown) in block.commands.iter().enumerate() {
            let said = session.run(&shown.command);
            let place = format!("{}:{}: `{}`", page.name, shown.line, shown.command);
            let printed: Vec<&str> = said.lines().collect();
            let output: Vec<&str> = shown.output.iter().map(String::as_str).collect();
            let status = session.status();
            // At the head of a pipe nobody sees the status.
            let failed = status != 0 || printed.iter().any(|line| line.starts_with("error: "));
            if failed && !tells_the_status(block.commands.get(number + 1)) {
                wrong.push(format!("{place} ends with status {status}:\n{said}"));
            } else if !same(&output, &printed) {
                if accepts() && !has_gaps(&output) {
                    changes.push((shown, said));
                } else {
                    wrong.push(format!("{place} prints\n{said}"));
                }
            }
        }
    }
    if !changes.is_empty() {
        std::fs::write(root().join(&page.name), rewritten(page, &changes)).unwrap();
    }
    wrong
}

#[test]
fn every_command_runs_and_prints_what_is_shown() {
    let pages = pages();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = run_page(page);
                    wrong.lock().unwrap().extend(found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn blocks_say_what_they_are() {
    for page in pages() {
        for block in page.blocks() {
            let place = format!("{}:{}", page.name, block.line);
            match block.language.as_str() {
                "python" => {
                    let run = ["docs/python.md", "README.md"].contains(&page.name.as_str());
                    assert!(run || block.not_run.is_some(), "{place}: nobody runs this");
                }
                "rust" => assert_eq!(page.name, "README.md", "{place}: no test runs this"),
                "console" => assert!(!block.commands.is_empty(), "{place}: no `$ command`"),
                other => assert!(
                    OTHER_LANGUAGES.contains(&other),
                    "{place}: `{other}`; commands go into `console`, output and the like into `text`"
                ),
            }
        }
    }
}

#[test]
fn tables_end_with_an_empty_line() {
    for page in pages() {
        let lines: Vec<&str> = page.text.lines().map(str::trim_start).collect();
        for (number, pair) in lines.windows(2).enumerate() {
            let ends = pair[0].starts_with('|') && !pair[1].starts_with('|');
            let place = format!("{}:{}", page.name, number + 2);
            assert!(
                !ends || pair[1].is_empty(),
                "{place}: this is read as a row of the table"
            );
        }
    }
}

#[test]
fn commands_that_are_not_run_are_listed() {
    let mut list = String::new();
    for page in pages() {
        for block in page.blocks() {
            let Some(reason) = &block.not_run else {
                continue;
            };
            list.push_str(&format!("{}: {reason}\n", page.name));
            for shown in &block.commands {
                list.push_str(&format!("  {}\n", shown.command.replace('\n', "\n  ")));
            }
        }
    }
    insta::assert_snapshot!("not-run", list);
}

/// The words of a command line, as far as documentation needs it: quotes hold words together, and a comment, a pipe or the next command ends it.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in line.chars() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, letter) if letter.is_whitespace() => words.push(String::new()),
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty() && word != "\\");
    let end = |word: &String| {
        ["|", ";", "&&", "&", ">", "#"].contains(&word.as_str()) || word.starts_with('#')
    };
    let end = words.iter().position(end).unwrap_or(words.len());
    words.truncate(end);
    words
}

/// What is wrong with a command line of doublet; its values may be placeholders.
fn unknown(line: &str) -> Option<String> {
    let words = words(line);
    let mut command = doublet_cli::command_line();
    command.build();
    let mut rest = &words[1..];
    while let Some(sub) = rest.first().and_then(|word| command.find_subcommand(word)) {
        command = sub.clone();
        rest = &rest[1..];
    }
    if command.get_name() == "doublet" {
        let word = rest.first().filter(|word| !word.starts_with('-'))?;
        let placeholder = word
            .chars()
            .all(|letter| letter.is_uppercase() || letter == '…');
        // Tables call a run by its method.
        let method = ["shingles", "minhash"].contains(&word.as_str());
        return (!placeholder && !method).then(|| format!("there is no command `{word}`"));
    }
    let known = |word: &String| {
        let name = word.split('=').next().unwrap_or_default();
        match name.strip_prefix("--") {
            Some(long) => command
                .get_arguments()
                .any(|arg| arg.get_long() == Some(long)),
            None => true,
        }
    };
    let unknown = rest.iter().find(|word| !known(word))?;
    Some(format!(
        "`doublet {}` has no `{unknown}`",
        command.get_name()
    ))
}

/// What the parser says of a whole command line; nothing if it would run.
fn refused(line: &str) -> Option<String> {
    let mut words = words(line);
    words.push("--help".to_owned());
    let error = doublet_cli::command_line()
        .try_get_matches_from(words)
        .err()?;
    let asked = error.kind() == clap::error::ErrorKind::DisplayHelp;
    (!asked).then(|| error.to_string())
}

#[test]
fn examples_of_help_and_commands_that_are_not_run_can_be_parsed() {
    let mut lines: Vec<String> = Vec::new();
    for page in pages() {
        let blocks = page.blocks().into_iter();
        let blocks = blocks.filter(|block| block.not_run.is_some());
        lines.extend(
            blocks
                .flat_map(|block| block.commands)
                .map(|shown| shown.command),
        );
    }
    for named in options::all() {
        let after = named.command.get_after_help().map(ToString::to_string);
        let after = after.unwrap_or_default();
        // What an example is for stands some spaces behind it.
        let examples = after
            .lines()
            .filter_map(|line| line.strip_prefix("  doublet "));
        let examples = examples.filter_map(|line| line.split("   ").next());
        lines.extend(examples.map(|line| format!("doublet {line}")));
    }
    lines.retain(|line| line.starts_with("doublet "));
    assert!(lines.len() > 20, "{lines:?}");
    let refused: Vec<_> = lines
        .iter()
        .filter_map(|line| refused(line).map(|why| format!("{line}: {why}")))
        .collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn options_in_the_text_exist() {
    let mut wrong = Vec::new();
    for page in pages() {
        let not_run = page
            .blocks()
            .into_iter()
            .filter(|block| block.not_run.is_some());
        let mut lines: Vec<String> = not_run
            .flat_map(|block| block.commands)
            .map(|shown| shown.command)
            .collect();
        lines.extend(page.spans());
        for line in lines.iter().filter(|line| line.starts_with("doublet ")) {
            wrong.extend(unknown(line).map(|what| format!("{}: `{line}`: {what}", page.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where links of a text lead, but for those to other hosts.
fn links(text: &str) -> Vec<String> {
    let inline = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    inline
        .filter(|link| !link.contains("://") && !link.starts_with("mailto:"))
        .map(|link| link.split(' ').next().unwrap_or_default().to_owned())
        .collect()
}

/// The headings of a page.
fn anchors(pages: &[Page], path: &Path) -> Vec<String> {
    let of = |page: &&Page| root().join(&page.name).canonicalize().unwrap() == path;
    pages.iter().find(of).map(Page::anchors).unwrap_or_default()
}

#[test]
fn links_and_pictures_lead_somewhere() {
    let pages = pages();
    let mut wrong = Vec::new();
    for page in &pages {
        let folder = Path::new(&page.name).parent().unwrap();
        for link in links(&page.prose()) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => Path::new(&page.name).to_owned(),
                _ => folder.join(file),
            };
            let Ok(target) = root().join(target).canonicalize() else {
                wrong.push(format!("{}: {link}: no such file", page.name));
                continue;
            };
            if !anchor.is_empty() && !anchors(&pages, &target).contains(&anchor.to_owned()) {
                wrong.push(format!("{}: {link}: no such heading", page.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_contents_name_every_page() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    // Pages from elsewhere are there, as the test of links says.
    let own = |link: &String| !link.starts_with("../");
    let named: BTreeSet<String> = links(&summary).into_iter().filter(own).collect();
    let there: BTreeSet<String> = pages()
        .iter()
        .filter_map(|page| page.name.strip_prefix("docs/").map(str::to_owned))
        .filter(|name| name != "SUMMARY.md")
        .collect();
    assert_eq!(named, there);
}

#[test]
fn every_command_has_a_section() {
    let text = std::fs::read_to_string(root().join("docs/commands.md")).unwrap();
    for named in options::all() {
        let command = named.name.split(' ').next().unwrap();
        assert!(text.contains(&format!("\n## `{command}`")), "{command}");
        assert!(
            text.contains(&format!("doublet {}", named.name)),
            "{}",
            named.name
        );
    }
}

/// Names of the fields of JSON lines, within objects too.
fn fields(value: &serde_json::Value, names: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(object) => {
            for (name, value) in object {
                names.insert(name.clone());
                // The options of a run are those of the command line.
                if name != "options" && name != "stages" {
                    fields(value, names);
                }
            }
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| fields(value, names)),
        _ => {}
    }
}

#[test]
fn every_field_of_the_output_is_described() {
    let page = std::fs::read_to_string(root().join("docs/formats.md")).unwrap();
    let mut session = Session::new();
    session
        .run("cat samples/articles.jsonl samples/posts.jsonl > all.jsonl; echo '{}' >> all.jsonl");
    let commands = [
        "doublet dedup all.jsonl --method sentences --remove passages -q -o a; cat a/*.jsonl | grep -v lang; tr -d '\\n' < a/summary.json",
        "doublet dedup samples/collection.jsonl -q -o b; cat b/pairs.jsonl b/clusters.jsonl b/removed.jsonl",
        "doublet pairs samples/messages.jsonl --method terms -q",
        "doublet pairs samples/collection.jsonl --method simhash -q",
        "doublet check samples/posts.jsonl --against samples/articles.jsonl -q",
        "doublet check samples/posts.jsonl --against samples/posts.jsonl --method shingles -q",
        "doublet compare samples/rulff-a.txt samples/rulff-b.txt --metric coverage --json",
    ];
    let mut names = BTreeSet::new();
    for command in commands {
        let said = session.run(command);
        let lines: Vec<serde_json::Value> = said
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        assert!(!lines.is_empty(), "{command}: {said}");
        lines.iter().for_each(|line| fields(line, &mut names));
    }
    let missing: Vec<_> = names
        .iter()
        .filter(|name| !page.contains(&format!("`{name}`")))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/formats.md does not have {missing:?}"
    );
}

#[test]
fn the_page_of_options_is_that_of_the_program() {
    let path = root().join(options::PAGE);
    let page = options::page();
    if accepts() {
        std::fs::write(&path, &page).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == page,
        "{} is not what the program says; INSTA_UPDATE=always writes it",
        options::PAGE
    );
}
