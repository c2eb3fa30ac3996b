//! `--help` is part of the interface: a change to it is seen in a snapshot.

use crate::harness::Place;

#[test]
fn help_of_every_command() {
    let place = Place::new();
    for command in [
        "",
        "dedup",
        "audit",
        "pairs",
        "clusters",
        "compare",
        "check",
        "index",
        "index create",
        "index add",
        "index remove",
        "index snapshot",
        "serve",
        "inspect",
        "background",
        "eval",
        "advise",
        "completions",
        "man",
    ] {
        let ran = place.run(&format!("{command} --help")).ok();
        let name = format!(
            "help-{}",
            if command.is_empty() {
                "doublet".to_owned()
            } else {
                command.replace(' ', "-")
            }
        );
        insta::assert_snapshot!(name, ran.stdout);
    }
}

#[test]
fn a_wrong_option_is_named() {
    let place = Place::new();
    let ran = place.run("pairs x --metric nonsense");
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("containment-coverage"),
        "{}",
        ran.stderr
    );
    let ran = place.run("pairs x --threshold 1.5");
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("above 0 and at most 1"),
        "{}",
        ran.stderr
    );
}
