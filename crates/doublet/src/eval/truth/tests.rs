//! The truth in every form that it can have.

use super::*;

fn read(name: &str, text: &str, positive: &[&str]) -> Result<Truth> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    let options = TruthOptions {
        positive: positive.iter().map(|&label| label.to_owned()).collect(),
        ..TruthOptions::default()
    };
    Truth::read(&path, &options)
}

fn pairs(truth: &Truth) -> Vec<(&str, &str, bool)> {
    let Labels::Pairs(pairs) = &truth.labels else {
        panic!("no pairs");
    };
    let text = |id: u32| truth.ids[id as usize].text.as_str();
    let pairs = pairs
        .iter()
        .map(|pair| (text(pair.a), text(pair.b), pair.duplicate));
    pairs.collect()
}

#[test]
fn labels_come_in_many_words() {
    let text = "a,b,label\nx,y,1\ny,z,false\nx,z,NEAR\nz,w,1.0\n";
    let truth = read("t.csv", text, &[]).unwrap();
    let expected = [
        ("x", "y", true),
        ("y", "z", false),
        ("x", "z", true),
        ("z", "w", true),
    ];
    assert_eq!(pairs(&truth), expected);
    let truth = read("t.csv", text, &["near"]).unwrap();
    assert_eq!(pairs(&truth)[0], ("x", "y", false));
    assert_eq!(pairs(&truth)[2], ("x", "z", true));
    let truth = read("t.jsonl", "{\"a\": 1, \"b\": \"1\"}\n", &[]).unwrap();
    assert_eq!(pairs(&truth), [("1", "1", true)]);
}

#[test]
fn unsure_rows_are_left_out_and_counted() {
    let text = "a,b,label\nx,y,unsure\ny,z,1\nx,z,Unsure\n";
    let truth = read("t.csv", text, &[]).unwrap();
    assert_eq!(pairs(&truth), [("y", "z", true)]);
    assert_eq!((truth.unsure, truth.is_sample), (2, false));
    let truth = read("t.csv", text, &["unsure"]).unwrap();
    assert_eq!(pairs(&truth)[0], ("x", "y", true));
    let text = "{\"a\":\"x\",\"b\":\"y\",\"label\":1,\"stratum\":\"others\"}\n";
    assert!(read("t.jsonl", text, &[]).unwrap().is_sample);
}

#[test]
fn what_is_said_twice_counts_once() {
    let text = "a,b,label\nx,y,1\ny,x,1\n";
    let truth = read("t.csv", text, &[]).unwrap();
    assert_eq!((truth.rows(), truth.repeated), (1, 1));
    let text = "id,cluster\nx,1\nx,1\ny,1\n";
    let truth = read("t.csv", text, &[]).unwrap();
    assert_eq!((truth.rows(), truth.repeated), (2, 1));
}

#[test]
fn targets_have_sources_in_one_row_or_in_many() {
    let one = "{\"id\": \"t\", \"duplicate\": true, \"sources\": [\"s\", \"r\"]}\n{\"id\": \"u\", \"duplicate\": false, \"sources\": []}\n";
    let many = "target,source\nt,s\nt,r\nu,\n";
    for truth in [read("t.jsonl", one, &[]), read("t.csv", many, &[])] {
        let truth = truth.unwrap();
        let Labels::Targets(targets) = &truth.labels else {
            panic!("no targets");
        };
        assert_eq!(targets.len(), 2);
        assert_eq!(targets[0].sources.len(), 2);
        assert!(targets[0].duplicate && !targets[1].duplicate);
    }
}

#[test]
fn labels_stand_in_all_rows_or_in_none() {
    let rows = "{\"a\": 1, \"b\": 2}\n{\"a\": 1, \"b\": 3, \"label\": 0}\n";
    let error = read("t.jsonl", rows, &[]).unwrap_err().to_string();
    assert!(error.contains("line 2: a `label`"), "{error}");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.csv");
    std::fs::write(&path, "a,b,label\nx,y,1\n").unwrap();
    let options = TruthOptions {
        label_field: "lable".to_owned(),
        ..TruthOptions::default()
    };
    let error = Truth::read(&path, &options).unwrap_err().to_string();
    assert!(
        error.contains("no `lable`") && error.contains("a, b, label"),
        "{error}"
    );
}

#[test]
fn contradictions_name_both_lines() {
    let says = |text: &str, part: &str| {
        let error = read("t.csv", text, &[]).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    says(
        "a,b,label\nx,y,1\ny,x,0\n",
        "line 3: `y` and `x` are different here and duplicates on line 2",
    );
    says(
        "id,cluster\nx,1\ny,1\nx,2\n",
        "line 4: `x` is in another cluster on line 2",
    );
    says(
        "target,source,label\nt,s,0\n",
        "line 2: `t` is no duplicate, but has sources",
    );
    says("a,b,label\nx,y,maybe\n", "--positive");
    says("x,y\n1,2\n", "the columns are x, y");
    says("a,b\nx,\n", "line 2: no `b`");
    says(
        "a,b,label\nx,y,1\nx,z,\n",
        "line 3: no `label`: give 1 or 0",
    );
    says("a,b,label\nx,y,\n", "line 2: no `label`");
    says("id,cluster\nx,\n", "line 2: no `cluster`");
    says("a,b,label\n", "there is no row in it");
}
