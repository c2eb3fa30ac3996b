//! Manual pages and completions say what `--help` says, of every command.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use crate::harness::Place;

/// The commands that a help lists, and the options; both as typed.
fn told(help: &str) -> (Vec<String>, Vec<String>) {
    let (mut commands, mut options) = (Vec::new(), Vec::new());
    let mut in_commands = false;
    for line in help.lines() {
        if !line.starts_with(' ') {
            in_commands = line == "Commands:";
        } else if in_commands {
            let name = line.strip_prefix("  ").unwrap();
            if !name.starts_with(' ') {
                commands.push(name.split(' ').next().unwrap().to_owned());
            }
        } else if line.trim_start().starts_with('-') {
            let words = line.split_whitespace();
            let long = words
                .map(|word| word.trim_end_matches(','))
                .find(|word| word.starts_with("--"));
            options.extend(long.map(str::to_owned));
        }
    }
    commands.retain(|command| command != "help");
    (commands, options)
}

/// Every command, from `--help` downwards, with its help; the program itself first.
fn commands(place: &Place) -> Vec<(String, String)> {
    let mut all = vec![(String::new(), place.run("--help").ok().stdout)];
    let mut next = 0;
    while let Some((name, help)) = all.get(next).cloned() {
        next += 1;
        for below in told(&help).0 {
            let name = format!("{name} {below}").trim().to_owned();
            let help = place.run(&format!("{name} --help")).ok().stdout;
            all.push((name, help));
        }
    }
    all
}

/// A page as it reads, without the escapes of roff.
fn plain(page: &str) -> String {
    page.replace("\\-", "-")
        .replace("\\fB", "")
        .replace("\\fR", "")
        .replace("\\*(Aq", "'")
        .replace("\\&", "")
        .replace("\\e", "\\")
}

/// Whether a program is there and takes a file, which then must be without fault.
fn accepts(program: &str, arguments: &[&str], place: &Place, file: &str) -> bool {
    let found = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if found.is_err() {
        return true;
    }
    let ran = Command::new(program)
        .args(arguments)
        .arg(place.path().join(file))
        .output()
        .unwrap();
    ran.status.success() && ran.stderr.is_empty()
}

#[test]
fn every_command_has_a_page_with_every_option() {
    let place = Place::new();
    place.run("man pages/man1").ok();
    let commands = commands(&place);
    assert!(commands.len() > 19, "{}", commands.len());
    for (command, help) in &commands {
        let name = format!("doublet {command}").trim().replace(' ', "-");
        let file = format!("pages/man1/{name}.1");
        let page = plain(&place.read(&file));
        assert!(page.contains(&format!("{name} - ")), "{name}");
        let (below, options) = told(help);
        assert!(!options.is_empty(), "{name}");
        for option in options {
            assert!(page.contains(&option), "{option} in {name}");
        }
        for command in below {
            assert!(
                page.contains(&format!("{name}-{command}(1)")),
                "{command} in {name}"
            );
        }
        assert!(page.contains(".SH \"EXIT STATUS\""), "{name}");
        let examples = help.split("Examples:\n").nth(1).unwrap_or_default();
        for example in examples.lines().take_while(|line| !line.is_empty()) {
            let start: String = example.trim().chars().take(30).collect();
            assert!(page.contains(&start), "`{start}` in {name}:\n{page}");
        }
        assert!(
            accepts("groff", &["-man", "-Tutf8", "-z"], &place, &file),
            "{name}"
        );
    }
    let pages: BTreeSet<_> = std::fs::read_dir(place.path().join("pages/man1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(pages.len(), commands.len());
}

#[test]
fn a_page_tells_values_and_the_exit_status() {
    let place = Place::new();
    place.run("man pages").ok();
    let page = plain(&place.read("pages/doublet-dedup.1"));
    let synopsis = page.split(".SH SYNOPSIS\n").nth(1).unwrap();
    let synopsis = synopsis.lines().next().unwrap().replace("\\fI", "");
    for part in [
        "doublet dedup ",
        " [--threshold SCORE]",
        " [-q|--quiet]",
        " <-o|--output DIR>",
        " <INPUT>...",
    ] {
        assert!(synopsis.contains(part), "{part}: {synopsis}");
    }
    let status = page.split(".SH \"EXIT STATUS\"\n").nth(1).unwrap();
    let status = status.split(".SH").next().unwrap();
    assert_eq!(status.matches(".TP").count(), 3, "{status}");
    assert!(status.contains("2\nerror, or told to end"), "{status}");
}

#[test]
fn the_main_page_goes_to_standard_output() {
    let place = Place::new();
    place.run("man pages").ok();
    assert_eq!(place.run("man").ok().stdout, place.read("pages/doublet.1"));
}

#[test]
fn a_directory_for_pages_that_is_a_file_is_an_error() {
    let place = Place::new();
    place.write("pages", "not a directory");
    let ran = place.run("man pages");
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("`pages`"), "{}", ran.stderr);
}

#[test]
fn every_shell_completes_every_command_and_option() {
    let place = Place::new();
    let commands = commands(&place);
    for (shell, check) in [
        ("bash", &["-n"][..]),
        ("zsh", &["-n"]),
        ("fish", &["--no-execute"]),
        ("powershell", &[]),
        ("elvish", &[]),
    ] {
        let script = place.run(&format!("completions {shell}")).ok().stdout;
        place.write(shell, &script);
        for (command, help) in &commands {
            let last = command.rsplit(' ').next().unwrap();
            assert!(script.contains(last), "{command} of {shell}");
            for option in told(help).1 {
                let name = option.strip_prefix("--").unwrap();
                assert!(script.contains(name), "{option} of {command} of {shell}");
            }
        }
        if !check.is_empty() {
            assert!(accepts(shell, check, &place, shell), "{shell}");
        }
    }
}

#[test]
fn a_reader_who_goes_away_is_no_error() {
    let place = Place::new();
    for arguments in ["completions bash", "man", "--help"] {
        place.run_unread(arguments).ok();
    }
}
