//! Whole texts, language by language, and what holds for every text.

use proptest::prelude::*;

use super::*;
use crate::options::Numbers;

fn terms_with(
    text: &str,
    normalize: &NormalizeOptions,
    options: &SegmentOptions,
) -> Vec<(String, Group)> {
    let mut terms = Vec::new();
    let mut last = 0;
    TermSegmenter::new(normalize, options).terms(text, &mut Scratch::default(), |term| {
        assert!(last <= term.start && term.start < term.end, "{text:?}");
        assert!(text.is_char_boundary(term.start) && text.is_char_boundary(term.end));
        assert!(!term.form.is_empty());
        last = term.end;
        terms.push((term.form.to_owned(), term.group));
    });
    terms
}

fn shown(terms: &[(String, Group)]) -> String {
    let shown: Vec<String> = terms
        .iter()
        .map(|(form, group)| format!("{form}/{}", group.name()))
        .collect();
    shown.join(" ")
}

/// All numbers are shown as `0`.
fn check(text: &str, expected: &str) {
    let normalize = NormalizeOptions {
        numbers: Numbers::Token,
        ..NormalizeOptions::default()
    };
    let found = terms_with(text, &normalize, &SegmentOptions::default());
    assert_eq!(shown(&found), expected, "{text}");
}

#[test]
fn a_very_long_text_is_taken_in_parts() {
    for line in [
        "The old man bought two books in London, 漢字 and all.\n",
        "我们爱北京天安门。",
    ] {
        let times = 2 * PART / line.len() + 7;
        let segmenter =
            TermSegmenter::new(&NormalizeOptions::default(), &SegmentOptions::default());
        let (mut scratch, mut of_line) = (Scratch::default(), Vec::new());
        segmenter.terms(line, &mut scratch, |term| {
            of_line.push((term.start, term.end, term.form.to_owned()));
        });
        let mut number = 0;
        segmenter.terms(&line.repeat(times), &mut scratch, |term| {
            let (start, end, form) = &of_line[number % of_line.len()];
            let base = number / of_line.len() * line.len();
            assert_eq!(
                (term.start, term.end, term.form),
                (base + start, base + end, form.as_str())
            );
            number += 1;
        });
        assert_eq!(number, times * of_line.len());
    }
    // A word is never cut.
    let word = "a".repeat(PART + 5);
    let terms = terms_with(
        &word,
        &NormalizeOptions::default(),
        &SegmentOptions::default(),
    );
    assert_eq!(terms.len(), 1);
}

#[test]
fn english() {
    check(
        "The old man bought two books in London",
        "the/pronoun old/adjective man/noun bought/verb two/numeral books/noun in/connective london/proper-noun",
    );
    check(
        "C u at 10:30, gr8!",
        "c/proper-noun u/pronoun at/connective 0/numeral gr8/noun",
    );
    check(
        "The U.S. economy grew 3.14% in 2 years",
        "the/pronoun us/proper-noun economy/noun grew/verb 0/numeral in/connective 0/numeral years/noun",
    );
    check(
        "Don't forget to call me 2moro",
        "dont/verb forget/verb to/connective call/verb me/pronoun 2moro/numeral",
    );
}

#[test]
fn german() {
    check(
        "Ich habe gestern zwei alte Freunde in Berlin getroffen.",
        "ich/pronoun habe/verb gestern/adverb zwei/numeral alte/adjective freunde/noun in/connective berlin/proper-noun getroffen/verb",
    );
    check(
        "Die Straße ist sehr lang und schmal.",
        "die/pronoun strasse/noun ist/verb sehr/adverb lang/adjective und/connective schmal/adverb",
    );
}

#[test]
fn other_languages_with_taggers() {
    check(
        "J'ai vu l'homme qu'il aimait à l’école.",
        "j/pronoun ai/verb vu/verb l/pronoun homme/noun qu/connective il/pronoun aimait/verb à/connective l/pronoun école/noun",
    );
    check(
        "Me gustaría leer un libro en la biblioteca.",
        "me/pronoun gustaría/verb leer/verb un/pronoun libro/noun en/connective la/pronoun biblioteca/noun",
    );
    check(
        "O menino comprou três livros na loja.",
        "o/pronoun menino/noun comprou/verb três/numeral livros/noun na/connective loja/noun",
    );
    check(
        "De man heeft een nieuwe fiets gekocht.",
        "de/pronoun man/noun heeft/verb een/pronoun nieuwe/adjective fiets/noun gekocht/verb",
    );
    check(
        "Мы купили две новые книги в магазине.",
        "мы/pronoun купили/verb две/numeral новые/adjective книги/noun в/connective магазине/noun",
    );
}

#[test]
fn chinese_simplified_and_traditional() {
    check(
        "我们明天去图书馆看书，花了三百块钱买了3个苹果。",
        "我们/pronoun 明天/noun 去/verb 图书馆/noun 看书/verb 花/verb 了/connective 三百块/numeral 钱/noun 买/verb 了/connective 0/numeral 个/numeral 苹果/noun",
    );
    check(
        "我們明天去圖書館看書，花了三百塊錢買了3個蘋果。",
        "我們/pronoun 明天/noun 去/verb 圖書館/noun 看書/verb 花/verb 了/connective 三百塊/numeral 錢/noun 買/verb 了/connective 0/numeral 個/numeral 蘋果/noun",
    );
    check(
        "著名的乾隆皇帝两个月前在北京",
        "著名/adjective 的/connective 乾隆皇帝/proper-noun 两个/numeral 月/numeral 前/noun 在/connective 北京/proper-noun",
    );
    check(
        "今天用iPhone拍了张照片",
        "今天/noun 用/connective iphone/proper-noun 拍/verb 了/connective 张/numeral 照片/noun",
    );
}

#[test]
fn japanese() {
    check(
        "私は昨日東京で友達と本を買いました。",
        "私/pronoun は/connective 昨日/noun 東京/proper-noun で/connective 友達/noun と/connective 本/noun を/connective 買い/verb まし/verb た/verb",
    );
    check(
        "価格は10万円！",
        "価格/noun は/connective 0/numeral 万/numeral 円/noun",
    );
}

#[test]
fn korean_particles_stand_apart() {
    check(
        "나는 어제 서울에서 친구를 만났다.",
        "나/pronoun 는/connective 어제/noun 서울/noun 에서/connective 친구/noun 를/connective 만났다/verb",
    );
    check(
        "북한은 KBS와 회담을 가졌다",
        "북한/proper-noun 은/connective kbs/noun 와/connective 회담/noun 을/connective 가졌다/verb",
    );
}

#[test]
fn languages_without_taggers_know_their_function_words() {
    check(
        "L'uomo è andato alla stazione con dell'acqua.",
        "l/connective uomo/other è/connective andato/other alla/connective stazione/other con/connective dell/connective acqua/other",
    );
    check(
        "ذهبت إلى المدرسة مع صديقي في ٢٠٢٤",
        "ذهبت/other إلى/connective المدرسة/other مع/connective صديقي/other في/connective 0/numeral",
    );
    check(
        "मैं कल दिल्ली में अपने दोस्त से मिला।",
        "मैं/other कल/other दिल्ली/other में/connective अपने/connective दोस्त/other से/connective मिला/other",
    );
    check(
        "ฉันไปโรงเรียนกับเพื่อน",
        "ฉัน/other ไป/connective โรงเรียน/other กับ/connective เพื่อน/other",
    );
    check(
        "Πήγα στο σχολείο με τον φίλο μου και ήπια καφέ.",
        "πήγα/other στο/connective σχολείο/other με/connective τον/connective φίλο/other μου/other και/connective ήπια/other καφέ/other",
    );
    check(
        "הלכתי לבית הספר עם חבר שלי",
        "הלכתי/other לבית/other הספר/other עם/connective חבר/other שלי/connective",
    );
}

#[test]
fn addresses_mentions_hashtags_and_emoji() {
    check(
        "@Anna_b loves #Berlin, see https://www.Example.com/a?b=1. 👍🏽🇩🇪 1️⃣ ❤️",
        "@annab/mention loves/noun #berlin/hashtag see/verb example.com/a?b=1/url 👍🏽/emoji 🇩🇪/emoji 1⃣/emoji ❤/emoji",
    );
    check(
        "#话题# 好看 http://t.cn/AbC，@张三 [哈哈]😂😂",
        "#话题/hashtag 好看/verb t.cn/abc/url @张三/mention 哈哈/interjection 😂/emoji 😂/emoji",
    );
    check(
        "mail john.doe@mail.co.uk or example.com",
        "mail/noun john.doe@mail.co.uk/url or/connective example.com/url",
    );
}

#[test]
fn nothing_comes_of_nothing() {
    for text in [
        "",
        " \r\n\t",
        "?!… —「」。、",
        "\u{FEFF}\u{200F}\u{200E}",
        "\u{301}\u{200D}",
        "\u{FFFD}\u{FFFD}",
        "___",
        "@ # ##",
    ] {
        check(text, "");
    }
}

#[test]
fn marks_and_line_ends_change_no_term() {
    let plain = "the cat\nsat on the mat";
    let expected = terms_with(
        plain,
        &NormalizeOptions::default(),
        &SegmentOptions::default(),
    );
    for text in [
        "the cat\r\nsat on the mat",
        "\u{FEFF}the cat\nsat on the mat\u{200F}",
        "the c\u{AD}at\nsat on the mat",
        "the cat\u{FFFD}\nsat on the mat \u{FFFD}",
        "THE CAT\nSAT ON THE MAT",
    ] {
        let found = terms_with(
            text,
            &NormalizeOptions::default(),
            &SegmentOptions::default(),
        );
        let forms =
            |terms: &[(String, Group)]| terms.iter().map(|term| term.0.clone()).collect::<Vec<_>>();
        assert_eq!(forms(&found), forms(&expected), "{text:?}");
    }
    let accented = terms_with(
        "cafe\u{301}",
        &NormalizeOptions::default(),
        &SegmentOptions::default(),
    );
    assert_eq!(accented[0].0, "café");
}

#[test]
fn a_long_word_is_one_term() {
    let word = "a".repeat(1 << 20);
    let terms = terms_with(
        &word,
        &NormalizeOptions::default(),
        &SegmentOptions::default(),
    );
    assert_eq!(terms.len(), 1);
    assert_eq!(terms[0].0.len(), word.len());
    let folds = SegmentOptions {
        fold_elongation: true,
        ..SegmentOptions::default()
    };
    let terms = terms_with(&word, &NormalizeOptions::default(), &folds);
    assert_eq!(terms[0].0, "a");
    for unit in ["中国", "日本の", "한국", "ไทย", "я", "1,"] {
        let text = unit.repeat((1 << 20) / unit.len());
        assert!(
            !terms_with(
                &text,
                &NormalizeOptions::default(),
                &SegmentOptions::default()
            )
            .is_empty()
        );
    }
}

#[test]
fn options_change_what_is_seen() {
    let forms = |text: &str, normalize: &NormalizeOptions, options: &SegmentOptions| {
        let terms = terms_with(text, normalize, options).into_iter();
        terms.map(|term| term.0).collect::<Vec<_>>().join(" ")
    };
    let mut normalize = NormalizeOptions::default();
    let mut options = SegmentOptions::default();
    let kept = forms("soooo 1,200 ok", &normalize, &options);
    assert_eq!(kept, "soooo 1200 ok");
    options.fold_elongation = true;
    normalize.numbers = Numbers::Token;
    assert_eq!(forms("soooo 12 ok", &normalize, &options), "so 0 ok");
    normalize.numbers = Numbers::Drop;
    normalize.stop_words = vec!["OK".to_owned(), "sooo".to_owned(), "的".to_owned()];
    assert_eq!(forms("soooo 12 ok 1月 yes", &normalize, &options), "月 yes");
    assert_eq!(forms("我的书", &normalize, &options), "我 书");
    normalize.fold_case = false;
    normalize.ascii = true;
    assert_eq!(
        forms("OK ok für 漢 👍 Http://A.b/Ü", &normalize, &options),
        "ok fr A.b/"
    );
}

#[test]
fn a_given_language_is_kept() {
    let given = |text: &str, language: Language| {
        let options = SegmentOptions {
            language,
            ..SegmentOptions::default()
        };
        shown(&terms_with(text, &NormalizeOptions::default(), &options))
    };
    assert_eq!(
        given("東京大学", Language::Japanese),
        "東京/proper-noun 大学/noun"
    );
    assert_eq!(given("东京大学", Language::Chinese), "东京大学/proper-noun");
    assert_eq!(given("die", Language::German), "die/pronoun");
    assert_eq!(given("e o", Language::Italian), "e/connective o/connective");
}

#[test]
fn the_fallback_serves_texts_that_do_not_tell() {
    let options = SegmentOptions {
        fallback: Language::Italian,
        ..SegmentOptions::default()
    };
    let found = terms_with("stazione", &NormalizeOptions::default(), &options);
    assert_eq!(shown(&found), "stazione/other");
    let found = terms_with(
        "the station is closed",
        &NormalizeOptions::default(),
        &options,
    );
    assert_eq!(found[0].1, Group::Pronoun);
}

#[test]
fn languages_are_told_apart() {
    for (text, code) in [
        ("Where are you going tonight?", "en"),
        ("Wo gehst du heute hin?", "de"),
        ("Où est-ce que tu vas ce soir ?", "fr"),
        ("¿Adónde vas?", "es"),
        ("Não sei onde você está", "pt"),
        ("Waar ga je naartoe vanavond?", "nl"),
        ("Куда ты идешь сегодня?", "ru"),
        ("Куди ти йдеш, є час?", "uk"),
        ("Dove vai questa sera, non lo so", "it"),
        ("Vart ska du i kväll och när?", "sv"),
        ("Dokąd idziesz, nie wiem", "pl"),
        ("你今晚去哪里", "zh"),
        ("今夜どこに行くの", "ja"),
        ("오늘 밤 어디 가요", "ko"),
        ("iPhone 15를 샀어요", "ko"),
        ("این کتاب گران است", "fa"),
        ("12345 !!", "auto"),
        ("", "auto"),
        ("Zxqv", "auto"),
    ] {
        assert_eq!(detect(text).code(), code, "{text}");
    }
    assert_eq!(
        majority(["the cat", "der Hund", "and you", "12"]),
        Language::English
    );
    assert_eq!(majority(["12", ""]), Language::Auto);
    for language in Language::ALL {
        assert_eq!(Language::from_code(language.code()), Some(*language));
    }
    assert_eq!(Language::from_code("auto"), Some(Language::Auto));
    assert_eq!(Language::from_code("xx"), None);
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,60}",
        any::<String>(),
        "[a-z'’.@#:/0-9 \u{301}\u{200D}éßя漢字かなカ한국ไทย👍🏽🇩🇪\r\n]{0,40}",
        "(http://|www\\.|@|#|[a-z]{1,5}|中文|[0-9]{1,3}|[ .,:/?]){0,12}",
    ]
}

proptest! {
    #[test]
    fn terms_lie_in_the_text_in_order(text in texts(), folds: bool, case: bool, ascii: bool) {
        let normalize = NormalizeOptions { fold_case: case, ascii, ..NormalizeOptions::default() };
        let options = SegmentOptions { fold_elongation: folds, ..SegmentOptions::default() };
        terms_with(&text, &normalize, &options);
    }

    #[test]
    fn texts_before_leave_no_trace(before in prop::collection::vec(texts(), 0..4), text in texts()) {
        let segmenter = TermSegmenter::new(&NormalizeOptions::default(), &SegmentOptions::default());
        let mut used = Scratch::default();
        for text in &before {
            segmenter.terms(text, &mut used, |_| {});
        }
        let collect = |scratch: &mut Scratch| {
            let mut terms = Vec::new();
            segmenter.terms(&text, scratch, |term| terms.push((term.start, term.end, term.group, term.form.to_owned())));
            terms
        };
        prop_assert_eq!(collect(&mut used), collect(&mut Scratch::default()));
    }
}
