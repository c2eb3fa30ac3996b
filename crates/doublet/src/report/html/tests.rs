//! The page as a whole.

use super::*;

fn side(key: &str, text: &str, shared: &[std::ops::Range<usize>]) -> SideText {
    SideText {
        key: key.to_owned(),
        text: text.to_owned(),
        shared: shared.to_vec(),
        removed: false,
    }
}

fn page_with(views: Vec<PairView>) -> ReportPage {
    ReportPage {
        title: "messages.jsonl".into(),
        version: "0.1.0".into(),
        metric: "resemblance".into(),
        threshold: 0.8,
        counts: Counts {
            read: 10_000,
            kept: 7_000,
            removed: 2_900,
            empty: 60,
            rejected: 40,
        },
        pairs: 12_345,
        clusters: 1_234,
        views: vec![ViewSection {
            heading: "Weakest pairs".into(),
            note: String::new(),
            views,
        }],
        ..ReportPage::default()
    }
}

#[test]
fn the_result_stands_in_the_first_sentence() {
    let html = render(&page_with(Vec::new()));
    let sentence = "Of 10,000 texts, <strong>7,000 were kept</strong> and <strong>2,900 were removed</strong> (29.0\u{a0}%)";
    assert!(html.contains(sentence), "{html}");
    assert!(html.contains("12,345 pairs in 1,234 clusters."));
}

#[test]
fn passages_are_told_where_they_were_cut() {
    let mut page = page_with(Vec::new());
    page.passages = Some(CutPassages::default());
    page.counts.removed = 0;
    let html = render(&page);
    assert!(html.contains("<strong>Nothing was cut.</strong>"), "{html}");
    assert!(!html.contains("id=\"passages\""));

    page.counts.removed = 1;
    let row = PassageRow {
        key: "b".into(),
        source: "a".into(),
        sentences: 3,
        characters: 1_234,
        excerpt: "It rained.".into(),
    };
    page.passages = Some(CutPassages {
        texts: 40,
        passages: 50,
        sentences: 120,
        characters: 5_678,
        longest: vec![row; 30],
    });
    let html = render(&page);
    for part in [
        "<strong>7,000 were kept</strong>, 40 of them shortened, and <strong>1 was removed</strong> as a whole.",
        "40 texts lost 50 passages that an earlier text has: 120 sentences and 5,678 characters in all.",
        "<a href=\"#passages\">Longest passages cut</a>",
        "20 of 50 shown",
        "<td class=\"number\">1,234</td>",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
}

#[test]
fn nothing_foreign_becomes_markup() {
    let nasty = "</script></style><img src=x onerror=alert(1)>\"'<!--\u{0}{{body}}";
    let mut page = page_with(vec![PairView {
        a: side(nasty, nasty, &[0..9]),
        b: side(nasty, nasty, &[]),
        metric: nasty.into(),
        scores: vec![(nasty.into(), 0.5)],
        ..PairView::default()
    }]);
    for field in [
        &mut page.title,
        &mut page.version,
        &mut page.command,
        &mut page.method,
        &mut page.metric,
    ] {
        *field = nasty.into();
    }
    page.warnings = vec![nasty.into()];
    page.passages = Some(CutPassages {
        longest: vec![PassageRow {
            key: nasty.into(),
            source: nasty.into(),
            excerpt: nasty.into(),
            ..PassageRow::default()
        }],
        ..CutPassages::default()
    });
    page.stages = vec![(nasty.into(), 1.0)];
    page.options = vec![(nasty.into(), nasty.into())];
    page.views[0].heading = nasty.into();
    page.views[0].note = nasty.into();
    page.rejected = vec![RejectedRow {
        file: nasty.into(),
        line: 7,
        reason: nasty.into(),
    }];
    page.largest = vec![ClusterRow {
        representative: nasty.into(),
        excerpt: nasty.into(),
        members: vec![nasty.into(), format!("{nasty}2")],
        ..ClusterRow::default()
    }];
    let html = render(&page);
    assert!(!html.contains("<img") && !html.contains("<!--") && !html.contains('\0'));
    for (tag, times) in [
        ("</script>", 1),
        ("</style>", 1),
        ("<script", 1),
        ("<body", 1),
        ("<main", 1),
    ] {
        assert_eq!(html.matches(tag).count(), times, "{tag}");
    }
}

#[test]
fn shared_passages_are_marked() {
    let html = render(&page_with(vec![PairView {
        a: side("a", "Grüße aus Köln", &[0..7]),
        // Splits ü, and reaches past the end.
        b: side("b", "Grüße & Küsse", &[3..7, 9..99]),
        score: 0.9996,
        metric: "resemblance".into(),
        ..PairView::default()
    }]));
    assert!(html.contains(">0.9996</span>"));
    assert!(html.contains("<mark>Grüße</mark> aus Köln</div>"), "{html}");
    assert!(
        html.contains("Gr<mark>üße</mark> &amp;<mark> Küsse</mark></div>"),
        "{html}"
    );
}

#[test]
fn no_pairs_is_said_kindly() {
    let page = ReportPage {
        counts: Counts {
            read: 1200,
            kept: 1200,
            ..Counts::default()
        },
        threshold: 0.8,
        metric: "resemblance".into(),
        ..ReportPage::default()
    };
    let html = render(&page);
    assert!(html.contains(
        "<strong>No duplicates found.</strong> No two of the 1,200 texts are alike at 0.8 or above"
    ));
    for absent in [
        "id=\"figures\"",
        "id=\"clusters\"",
        "id=\"pairs\"",
        "id=\"rejected\"",
        "Please look",
        "NaN",
    ] {
        assert!(!html.contains(absent), "{absent}");
    }
    assert!(render(&ReportPage::default()).contains("No text was read"));
}

#[test]
fn links_lead_to_sections() {
    let mut page = page_with(vec![PairView::default()]);
    page.largest = vec![ClusterRow::default()];
    page.size_histogram = vec![(2, 2, 1)];
    let html = render(&page);
    let links: Vec<&str> = html
        .split("href=\"#")
        .skip(1)
        .filter_map(|l| l.split('"').next())
        .collect();
    assert!(links.len() >= 8, "{links:?}");
    for link in links {
        assert_eq!(html.matches(&format!("id=\"{link}\"")).count(), 1, "{link}");
    }
}

#[test]
fn a_huge_result_makes_a_small_page() {
    // Quotes are six bytes each once escaped, and every other character is marked.
    let text = "\"é ".repeat(30_000);
    let shared: Vec<_> = (0..60_000).map(|i| 2 * i..2 * i + 1).collect();
    let view = PairView {
        a: side(&text, &text, &shared),
        b: side(&text, &text, &shared),
        ..PairView::default()
    };
    let mut page = page_with(vec![view; 25]);
    page.views = vec![page.views[0].clone(); 9];
    page.clusters = 10_000;
    let row = ClusterRow {
        representative: text[..400].to_owned(),
        excerpt: text[..4000].to_owned(),
        members: vec![text[..400].to_owned(); 20],
        ..ClusterRow::default()
    };
    page.largest = vec![row; 10_000];
    page.rejected = vec![
        RejectedRow {
            file: text.clone(),
            line: 1,
            reason: text.clone()
        };
        200
    ];
    page.options = vec![(text.clone(), text.clone()); 300];
    page.warnings = vec![text.clone(); 100];
    page.score_histogram = vec![(0.0, 0.1, u64::MAX); 5000];
    let html = render(&page);
    assert!(html.len() < 5_000_000, "{} bytes", html.len());
    assert!(html.contains("100 of 10,000 shown; all are in <code>clusters.jsonl</code>."));
    assert!(html.contains("20 of 25 shown."));
}

#[test]
fn nothing_is_loaded_from_anywhere() {
    let html = render(&page_with(vec![PairView::default()]));
    for outside in ["http:", "https:", "src=", "url(", "@import", "<link"] {
        assert!(!html.contains(outside), "{outside}");
    }
}
