//! Texts of terms whose pairs are known beforehand.

use super::*;

#[test]
fn degrees_by_hand() {
    let mut options = term_options(Metric::Degree, "0.1", Candidates::Exact);
    let mut interval = |group, value| {
        let interval = Interval::new(value, value).unwrap();
        options.matching.terms.weights.set(group, interval);
    };
    for group in Group::ALL {
        interval(group, 1.0);
    }
    interval(Group::Url, 10.0);
    interval(Group::Numeral, 0.5);
    // An address is a term without `www.`: 4 letters of weight 10. Numerals weigh half a letter: 1234 2, 123 1.5, 12 1.
    let texts = [
        "12 1234 www.a.de".to_owned(),
        "1234 123 www.a.de".to_owned(),
    ];
    let pairs = Texts::new(&texts, &[]).pairs(&options);
    assert_eq!(pairs.len(), 1);
    let weights = pairs[0].2.weights;
    assert_eq!(weights.common, 42 * UNIT);
    assert_eq!((weights.a, weights.b), (43 * UNIT, 43 * UNIT + UNIT / 2));
    let degree = pairs[0].2.score(Metric::Degree);
    assert!((degree - 42.0 / 44.5).abs() < 1e-12);
    assert_eq!(pairs[0].2.score(Metric::Resemblance), 0.5);
}

#[test]
fn small_and_odd_texts_do_not_fall_together() {
    let one_long = "x".repeat(10_000);
    let texts: Vec<String> = [
        "ok",
        "no",
        "yes please",
        "1",
        "2",
        "17 18",
        "17 19",
        "🙂",
        "🎉",
        "👍🏽 👍",
        "?",
        "",
        "...",
        "的",
        "了",
        &one_long,
        &format!("{one_long}y"),
        "@a",
        "#a",
        "a",
        "http://a.de",
    ]
    .map(str::to_owned)
    .to_vec();
    for candidates in [
        Candidates::Features,
        Candidates::Exact,
        Candidates::Baseline,
    ] {
        let options = term_options(Metric::Degree, "0.65", candidates);
        let pairs = Texts::new(&texts, &[]).pairs(&options);
        assert_eq!(pairs, [], "{candidates:?}");
    }
    // Each with a copy of its own, they all find it, but for the empty ones.
    let twice: Vec<String> = texts.iter().chain(&texts).cloned().collect();
    let options = term_options(Metric::Degree, "0.65", Candidates::Features);
    let pairs = Texts::new(&twice, &[]).pairs(&options);
    let expected: Vec<(u32, u32)> = (0..texts.len() as u32)
        .filter(|&text| !["?", "", "..."].contains(&texts[text as usize].as_str()))
        .map(|text| (text, text + texts.len() as u32))
        .collect();
    let found: Vec<(u32, u32)> = pairs.iter().map(|pair| (pair.0, pair.1)).collect();
    assert_eq!(found, expected);
}

#[test]
fn chinese_titles_that_differ_in_particles_and_numerals_meet() {
    let check = |a: &str, b: &str, expected: bool| {
        // A few more texts, so that frequencies mean something.
        let texts = [
            a,
            b,
            "今天天气很好",
            "我们去吃饭吧",
            "北京大学招生办公室通知",
            "手机充值优惠活动",
        ]
        .map(str::to_owned);
        for candidates in [Candidates::Features, Candidates::Exact] {
            let options = term_options(Metric::Degree, "0.65", candidates);
            let pairs = Texts::new(&texts, &[]).pairs(&options);
            let found = pairs.iter().any(|pair| (pair.0, pair.1) == (0, 1));
            assert_eq!(found, expected, "{a} / {b} {candidates:?}: {pairs:?}");
        }
    };
    check(
        "关于北京奥运会开幕式的门票问题",
        "关于北京奥运会开幕式门票问题了",
        true,
    );
    check(
        "北京奥运会开幕式门票价格公布3条",
        "北京奥运会开幕式门票价格公布5条",
        true,
    );
    check(
        "上海房价上涨分析报告第一期",
        "上海房价上涨分析报告第二期",
        true,
    );
    check("上海房价上涨分析报告", "广州交通拥堵调查报告", false);
    check(
        "北京奥运会开幕式门票问题",
        "深圳世博会闭幕式演员问题",
        false,
    );
    // Traditional characters.
    check(
        "關於北京奧運會開幕式的門票問題",
        "關於北京奧運會開幕式門票問題了",
        true,
    );
}

#[test]
fn options_that_terms_do_not_know_are_refused() {
    let options = term_options(Metric::Coverage, "0.65", Candidates::Features);
    let texts = Texts::new(&["a".to_owned()], &[]);
    let error = doublet::batch::find_matches(&texts.source, &options, &doublet::progress::Silent);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("knows degree, resemblance"), "{error}");
    let defaults = TermOptions::default();
    assert_eq!(defaults.features.gram, 3);
}

/// Texts of 14 words of 60, of which three in four are another with four words changed.
fn drawn(texts: usize) -> Vec<String> {
    const WORDS: usize = 14;
    let mut state = 7_u64;
    let mut draw = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut all: Vec<Vec<usize>> = Vec::new();
    for text in 0..texts {
        let mut words: Vec<usize> = match text % 4 {
            0 => (0..WORDS).map(|_| draw(60)).collect(),
            variant => all[text - variant].clone(),
        };
        if text % 4 > 0 {
            (0..4).for_each(|_| words[draw(WORDS)] = draw(60));
        }
        all.push(words);
    }
    let text = |words: &Vec<usize>| words.iter().map(|&own| word(own as u64) + " ").collect();
    all.iter().map(text).collect()
}

#[test]
fn the_search_is_complete_unless_a_sample_says_that_it_costs_far_more() {
    let search = |texts: &Texts, candidates| {
        let joined = texts.join(&term_options(Metric::Degree, "0.5", candidates));
        let found = joined.figures.term_search.unwrap();
        (found.candidates, found.recall, joined.matches.count())
    };
    let usual = Texts::new(&families(6000, 0), &[]);
    let (candidates, recall, _) = search(&usual, Candidates::Auto);
    assert_eq!((candidates, recall), (Candidates::Exact, Some(1.0)));
    // No word is rare, so that every prefix meets nearly every other.
    let costly = Texts::new(&drawn(8000), &[]);
    let (candidates, recall, found) = search(&costly, Candidates::Auto);
    assert_eq!(candidates, Candidates::Features);
    let (_, complete, all) = search(&costly, Candidates::Exact);
    let share = found as f64 / all as f64;
    assert_eq!(complete, Some(1.0));
    assert!(all > 1000 && share < 0.99, "{found} of {all}");
    let told = recall.unwrap();
    assert!((told - share).abs() < 0.1, "{told} told, {share} found");
    // A few texts are always compared completely.
    let few = Texts::new(&drawn(1000), &[]);
    assert_eq!(search(&few, Candidates::Auto).0, Candidates::Exact);
}
