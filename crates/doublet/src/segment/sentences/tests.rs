//! Texts of many languages and how they are cut, and what holds for every text.

use proptest::prelude::*;

use super::abbreviations::{CAPITAL, MAYBE, NEVER, NUMBER};
use super::starters::{BEFORE_ORDINAL, CASUAL, COUNTED, HANGING, STARTERS};
use super::*;

fn split(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut last = 0;
    SentenceSplitter::new().sentences(text, |range| {
        assert!(last <= range.start && range.start < range.end, "{text:?}");
        assert!(text[last..range.start].trim().is_empty(), "{text:?}");
        assert_eq!(text[range.clone()].trim(), &text[range.clone()], "{text:?}");
        last = range.end;
        sentences.push(&text[range]);
    });
    assert!(text[last..].trim().is_empty(), "{text:?}");
    sentences
}

/// Each case is a text with `|` where a sentence ends; the bar is taken out, white space after it stays.
fn check(cases: &[&str]) {
    let mut wrong = Vec::new();
    for case in cases {
        let expected: Vec<&str> = case.split('|').map(str::trim).collect();
        let text = case.replace('|', "");
        let found = split(&text);
        for sentence in expected.iter().filter(|sentence| !sentence.contains('\n')) {
            if split(sentence) != [*sentence] {
                wrong.push(format!("not whole when alone: {sentence:?}"));
            }
        }
        if found != expected {
            wrong.push(format!("{found:?}\n  not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn english() {
    check(&[
        "U.S. to Reveal Some Rules on Security for Internet",
        "Mr. Smith left Washington D.C. on Jan. 5.| He flew.",
        "He paid $3.14 for version 2.0.1.| It was cheap.",
        "See http://example.com/a.b?c=d.e for more.| Thanks!",
        "Write to j.doe@example.co.uk. |Do it now.",
        "Use tools, e.g. hammers, i.e. heavy ones.| Then stop.",
        "Apples, pears, etc. were sold.| We left.",
        "J. R. R. Tolkien wrote it.| Everybody read it.",
        "See No. 5 on p. 12, Fig. 3 and vol. II of it.| Good.",
        "Wait... what?| Nothing.",
        "Well… maybe not.| Fine.",
        "What?!| No!!!| Really?| Yes.",
        "\"Is it?\" he asked.| \"Yes.\"",
        "“We won.”| She left.",
        "\"Stop!\" cried the man.| Nobody did.",
        "He said \"go.\"| Then he went.",
        "It works (mostly.)| Sometimes it fails.",
        "He came at 5 p.m. on Monday.| She came at 6 a.m.| Then they left.",
        "He lives in the U.S.| The weather is good.",
        "The U.S. Senate met.| It voted.",
        "Acme Inc. said it lost money.| Acme Corp. Chairman Bob Jones left.",
        "Dr. and Mrs. Jones vs. the State of N.Y. is a case.| It is old.",
        "ok. see you tomorrow",
        "He left.\n|tomorrow.| see you",
        "that was great.| see you tomorrow.| Bye",
        "why not?| we can go.| i am here!| good",
        "Yahoo! is a company.| Mamma Mia! has begun.",
        "I like my iPhone.| iPhones are good.| eBay sells them.",
        "This ends.|The next begins.| Good.",
        "Call java.util.List or Node.js now.| Good.",
        "The file is in /etc/rc.d/init.d, not .bashrc.| Look there.",
        "As shown before.[12]| Others disagree.[3][4]| Fine.",
        "Thanks! :)| See you.",
        "Great!😀| Next one.",
        "Great. 😀👍| Next one.",
        "He was born in 1990.| Ten years later he left.",
        "It has 3.| Then there were 4.",
        "Questions: 1. Why is it so? |2. How can it be?",
        "World War II began in 1939.| It ended in 1945.",
        "Prof. A. B. Jones Jr. spoke to Gen. Lee and Sen. Kay.| They left.",
        "The PR.| Keep in touch.",
        "He is here .| She is not .",
        "A . . . b is a pause.| End.",
        "Both (a) and (b) hold.| Neither (c).",
        "He arrived at approx. 5 o'clock, cf. above.| Done.",
        "St. Louis lies on the river.| He lives on Main St. |The house is red.",
        "Read this.| https://example.com/x",
        "Mt. Everest is 8,848.86 m high.| It is cold.",
        "He asked: \"Why?\", but nobody knew.| Sad.",
        "Stop!| Stop!| Now.",
    ]);
}

#[test]
fn german() {
    check(&[
        "Dr. Müller kam.| Er ging.",
        "Am 3. Oktober kam z.B. Dr. Meier.| Dann ging er.",
        "Am 1. 1. 2020 begann es.| Es war kalt.",
        "Das kostet 1.000,50 Euro.| Das ist viel.",
        "Im 19. Jahrhundert, d. h. vor 1900, war das anders.| Heute nicht.",
        "Der 2. Mann ging zum 1. Mal.| Gut.",
        "Kaiser Wilhelm II. war da.| Er blieb.",
        "Siehe Nr. 5, S. 12, Abs. 3 und Art. 7 ff. dort.| Ende.",
        "Er wohnt in der Hauptstr. 5 in Wien.| Sie auch.",
        "Das sind ca. 5 Mio. Euro bzw. mehr.| Aha.",
        "Äpfel, Birnen usw. wurden verkauft.| Dann war Schluss.",
        "„Kommst du?“, fragte er.| „Ja.“",
        "„Kommst du?“ fragte er.| „Ja.“| Sie kam.",
        "»Nein!«, rief sie.| »Doch!«",
        "Er war 1990 hier.| 1991 nicht.",
        "Das ist u. a. falsch.| Oder?| Nein.",
    ]);
}

#[test]
fn french_spanish_portuguese_italian() {
    check(&[
        "M. Dupont est parti.| Il pleut.",
        "Vraiment ?| Oui !| Bien sûr.",
        "« Viens ! » dit-il.| Elle vint.",
        "« Je pars. »| Il partit.",
        "Voir p. 5, art. 12 et cf. M. Le Pen.| Fin.",
        "Mme. Curie et le Dr. Roux arrivent.| Ils parlent.",
        "¿Qué hora es?| ¡Tarde!| Vamos.",
        "El Sr. Pérez vive en EE.UU. desde 1990.| La Sra. López no.",
        "—¿Vienes? —preguntó ella.| Él calló.",
        "Vive en la Av. Juárez núm. 5, pág. 3.| Bien.",
        "O Sr. Silva chegou.| A Dra. Costa saiu às 15.30.| Fim.",
        "Custa R$ 1.000,50.| É caro.",
        "Il sig. Rossi e la prof.ssa Bianchi sono qui.| Bene!",
        "Vedi pag. 5, fig. 3.| Poi basta.",
    ]);
}

#[test]
fn dutch_and_nordic() {
    check(&[
        "Dhr. Jansen komt bijv. om 5 uur.| Mevr. De Vries niet.",
        ",,Kom je?'', vroeg hij.| ,,Ja.''| Zij kwam.",
        "Dat is o.a. waar.| Goed.",
        "Det är t.ex. bra, bl.a. för Dr. Ek.| Han kom.",
        "Det er f.eks. godt.| Hun kom d. 5. maj 2020.| Ja.",
        "Han bor i nr. 5, ca. 3 km fra byen.| Fint.",
        "Esim. tri Virtanen tuli 3. toukokuuta.| Hän lähti.",
    ]);
}

#[test]
fn slavic_turkish_greek() {
    check(&[
        "А. С. Пушкин родился в 1799 г. в Москве.| Он писал.",
        "Это было в 1990 г.| Он приехал в г. Москва.",
        "Хлеб, т.е. еда, и т.д. были.| Потом нет.",
        "См. рис. 5 и стр. 12.| Далее.",
        "— Да! — сказал он.| — Нет.",
        "Це було в 1990 р. в Києві.| Він писав.",
        "To jest np. dr Kowalski, ul. Długa 5.| On mieszka tu.",
        "W 1990 r. było tak.| Teraz nie.",
        "Pan prof. Novák přišel 3. května.| Odešel.",
        "To je tzv. konec, např. zde.| Ano?| Ne.",
        "Prof. Dr. Yılmaz geldi.| Sonra gitti.",
        "Bkz. s. 12.| Evet!",
        "Τι κάνεις;| Καλά.",
        "Τι κάνεις\u{37E}| Καλά.",
        "Ο κ. Παππάς ήρθε; ναι.",
    ]);
}

#[test]
fn chinese() {
    check(&[
        "你好。|我是学生！|你呢？|好。",
        "他说：“你好。”|然后走了。",
        "“我来了。”他说。|大家笑了。",
        "“真的吗？”她问道。|没人回答。",
        "价格是３．１４元。|不贵。",
        "真的！？|是的！！|好……也许吧。|走。",
        "（见第三条。）|第四条开始。",
        "第一条 为了保护权利，制定本条例。\n\n|第二条 适用本条例。",
        "上海市专利保护条例\n|第一条 为了保护发明创造专利权。",
        "圆周率是3.14。|iPhone很贵.|真的很贵.",
    ]);
}

#[test]
fn japanese() {
    check(&[
        "今日は晴れ。|明日は雨！|本当？|はい。",
        "「行くよ。」と言った。|彼は帰った。",
        "「行くよ。」|彼は帰った。",
        "『終わった。』って聞いた。|そう。",
        "えっ！と驚いた。|終わり。",
        "円周率は３．１４です。|以上．|終わり．",
        "（笑）。|次へ。",
        "すごい！！！|本当に。",
    ]);
}

#[test]
fn korean() {
    check(&[
        "그는 말했다.| 그녀는 웃었다.",
        "그는 집에 갔다.|그는 잤다.",
        "어디 가요?|집에 가죠.|정말요!",
        "\"가겠다.\"고 말했다.| 그는 갔다.",
        "맛있는 집입니다\n|또 가고 싶어요",
        "가격은 3.14달러다.| 비싸다.",
        "2020. 1. 5. 서울에서 열렸다.| 끝.",
        "사죄…외유관광 매도는 서운\n|다음 기사",
        "그는 iPhone을 샀다.| iPad는 아니다.",
        "왔다.| U.S. 대통령도 왔다.",
    ]);
}

#[test]
fn other_scripts() {
    check(&[
        "यह किताब है।| वह घर है।।| डॉ. शर्मा आए।| कौन?| मैं।",
        "ما اسمك؟| اسمي علي.| شكرا!",
        "یہ کتاب ہے۔| وہ گھر ہے۔| کیا؟",
        "Ես գնացի։| Նա մնաց։",
        "ሰላም ነው።| ደህና ነው።",
        "နေကောင်းလား။| ကောင်းပါတယ်။",
        "នេះជាសៀវភៅ។| នោះជាផ្ទះ។",
        "พ.ศ. 2550 เป็นปี ดี มาก",
        "วันนี้ดี\n|พรุ่งนี้ไม่ดี",
        "བཀྲ་ཤིས།| བདེ་ལེགས།",
        "བཀྲ་ཤིས། །|བདེ་ལེགས། །",
        "שלום לך.| מה שלומך?| טוב.",
        "გამარჯობა.| როგორ ხარ?",
        "இது புத்தகம்.| அது வீடு.",
    ]);
}

#[test]
fn lines() {
    check(&[
        "A Title\n\n|The text begins.",
        "A Title\r\n \t\r\n|The text begins.",
        "A Title\n|The text of the first paragraph begins here and it goes on for quite a while, so that nobody would call it wrapped text.",
        "The bank said the network would link 31 banks having\n13.5 billion dlrs in assets and 7.5 billion dlrs in\ndeposits with the First National Bank of New\nYork and others.| It said no more.",
        "TEXAS COMMERCE FILES PLAN\n|Texas Commerce said it filed an application with the Comptroller.",
        "Shopping:\n|- milk\n|- eggs\n|- bread and\n  butter",
        "Steps\n|1. Open the box.\n|2. Close it.\n|3) Go",
        "Points\n|a) one\n|b) two\n|(c) three",
        "• one\n|• two\n|* three\n|· four",
        "He came on the\nThird of May.| She left.",
        "He met Dr.\nMiller there.| She left.",
        "One\u{2029}|two\u{C}|three",
        "First line\u{2028}|Second line\u{85}|Third line\r|Fourth line",
        "She came home.\n|He left.\n|They slept.",
        "It ended.\r\n|It began.",
        "나도 고민을 많이 했다”\n|https://t.co/KLAMfi6KVP",
        "He wrote about it at\nhttps://example.com/page and left.| Good.",
        "A Title\n|***\n\n|the text begins.",
        "Steps\n|1.\n|2.",
    ]);
}

/// The first line of a text is a line like others, and its last is an item if it looks like one.
#[test]
fn a_paragraph_is_cut_the_same_wherever_it_stands() {
    for text in [
        "Title\n***",
        "Title\n2.",
        "Title\n-",
        "            An indented line of some words\nThe next line is as long as it.",
        "tomorrow. see you",
    ] {
        for after in ["hello", "Hello"] {
            let mut expected = vec!["One.", "Two"];
            expected.extend(split(text));
            expected.push(after);
            let joined = format!("One. Two\n\n{text}\n\n{after}");
            assert_eq!(split(&joined), expected);
        }
    }
}

#[test]
fn odd_texts() {
    check(&[
        "...",
        "?",
        "…",
        "ab",
        "\u{200B}.",
        "ab.\u{301}| B c.",
        "Ende.\u{200B}| Anfang.",
        "!!! !!!",
        ". . .",
        "¿?",
    ]);
    assert!(split("").is_empty());
    assert!(split(" \n\t\u{3000}\r\n ").is_empty());
    assert_eq!(split(" \n a \n\n "), ["a"]);
}

#[test]
fn lists_are_sorted() {
    for list in [
        NEVER,
        NUMBER,
        MAYBE,
        CAPITAL,
        STARTERS,
        CASUAL,
        HANGING,
        COUNTED,
        BEFORE_ORDINAL,
    ] {
        assert!(list.is_sorted_by(|left, right| left < right));
        assert!(
            list.iter()
                .all(|word| word.to_lowercase() == **word && word.len() <= 40)
        );
    }
    for list in [NEVER, NUMBER, MAYBE] {
        assert!(
            list.iter()
                .all(|word| word.len() <= 7 || !word.bytes().all(|byte| byte.is_ascii_lowercase()))
        );
    }
}

/// Texts that would take for ever if a judgement looked far. Each is a megabyte.
#[test]
fn time_is_linear() {
    for piece in [
        "a", ".", " ", "\n", ". ", ".\n", "a. ", "1. ", "a.", "(", "\"", ".\"", "\n-", "- ", "?! ",
        "。", "」", "。」", "A.B.", "\r\n", "[1]", "[", " .", ": ", "\u{301}", ".\u{301}", "あ",
        "다.", ".[", ". :", "x\n", "X\n ", ";", "α; ", "、", "😀", ". 😀", "1.1", "am 1. ",
        "\u{200B}", "!a", "-", "a-", "1\n", "  \n  .", ". \"", ". )",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        split(&text);
    }
}

proptest! {
    #[test]
    fn laws(text in "(?s)([A-Za-z]{1,3}|[0-9]|[ .!?;:\"'()\\[\\]\\-*,\n\r]|[。」「と다요а-яÄÖé।؟\u{301}\u{200B}…“”»«😀]|.){0,60}") {
        split(&text);
    }

    #[test]
    fn paragraphs_do_not_meet(
        left in "([A-Za-z]{1,3}|[0-9]|[ .!?;*\\-)\n]){1,30}",
        right in "([A-Za-z]{1,3}|[0-9]|[ .!?;*\\-)\n]){1,30}",
    ) {
        let joined = format!("{left}\n\n{right}");
        let mut apart = split(&left);
        apart.extend(split(&right));
        prop_assert_eq!(split(&joined), apart);
    }
}
