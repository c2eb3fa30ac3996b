//! Words that tell whether a sentence begins, goes on or counts, of all languages together. Lower case, sorted by their bytes.

/// Words that often begin a sentence and are no part of a name.
#[rustfmt::skip]
pub(super) static STARTERS: &[&str] = &[
    "aber", "according", "after", "ainsi", "ale", "alle", "allerdings", "als", "also", "although",
    "am", "ama", "anche", "another", "as", "at", "att", "auch", "auf", "außerdem", "avec", "before",
    "bei", "beim", "bij", "both", "bu", "but", "by", "c'est", "ce", "ces", "cette", "com", "como",
    "con", "cuando", "daar", "dabei", "damit", "dan", "dann", "dans", "darum", "das", "dat", "dazu",
    "denn", "dennoch", "der", "desde", "det", "deze", "die", "dies", "diese", "dieser", "dieses",
    "dit", "doch", "don't", "dort", "each", "een", "efter", "egli", "ein", "eine", "einige", "ela",
    "elas", "ele", "eles", "ella", "elle", "elles", "entre", "er", "es", "esta", "estas", "este",
    "estos", "even", "fakat", "for", "from", "für", "gdy", "han", "hasta", "he", "he's", "her",
    "here", "het", "hier", "hij", "his", "hon", "how", "however", "hun", "i'm", "i've", "ich", "if",
    "ihr", "ihre", "ikke", "il", "ils", "im", "in", "isso", "it", "it's", "its", "jak", "je",
    "jego", "jej", "jest", "jetzt", "l'on", "let", "ma", "maar", "mais", "man", "many", "mas",
    "meanwhile", "men", "met", "mit", "most", "my", "más", "naar", "nach", "nel", "nella", "nie",
    "noch", "not", "nous", "now", "nun", "nur", "não", "när", "och", "og", "on", "once", "ook",
    "other", "our", "par", "para", "pero", "please", "por", "pour", "puis", "quando", "questa",
    "questo", "schon", "secondo", "segundo", "según", "sein", "seine", "selon", "seu", "she",
    "she's", "sie", "sin", "since", "so", "sobre", "some", "still", "su", "sua", "such", "sur",
    "sus", "tak", "también", "também", "that", "the", "their", "then", "there", "these", "they",
    "this", "those", "though", "thus", "to", "toen", "trotzdem", "uma", "una", "und", "ve", "viele",
    "volgens", "vom", "voor", "vous", "warum", "was", "we", "wenn", "wer", "what", "when", "while",
    "who", "why", "wie", "wir", "with", "yes", "yet", "you", "your", "zij", "zum", "zur", "şu", "а",
    "але", "в", "ви", "во", "вона", "вони", "воно", "вы", "він", "для", "до", "его", "если", "за",
    "затем", "и", "из", "их", "його", "к", "как", "когда", "коли", "ми", "мы", "на", "не", "но",
    "он", "она", "они", "оно", "от", "по", "после", "потім", "при", "після", "с", "также", "також",
    "ты", "у", "це", "цей", "ця", "что", "що", "эта", "эти", "это", "этот", "я", "як", "якщо", "їх",
    "її",
];

/// Words that begin a sentence where people write everything in lower case.
#[rustfmt::skip]
pub(super) static CASUAL: &[&str] = &[
    "aber", "also", "but", "dann", "don't", "dont", "he", "how", "i", "i'll", "i'm", "i've", "ich",
    "if", "ill", "im", "it", "it's", "its", "ive", "jetzt", "just", "let", "my", "please", "pls",
    "she", "so", "thanks", "thanx", "that", "the", "there", "they", "this", "thx", "u", "und", "ur",
    "we", "we'll", "wenn", "what", "when", "where", "why", "wir", "you",
];

/// Words that do not stand last in a sentence: a line that ends with one goes on.
#[rustfmt::skip]
pub(super) static HANGING: &[&str] = &[
    "a", "aan", "about", "af", "after", "al", "als", "am", "an", "and", "ao", "aos", "are", "as",
    "at", "att", "au", "auch", "auf", "aus", "aux", "av", "avec", "be", "because", "been", "before",
    "bei", "between", "bij", "bir", "bis", "but", "by", "can", "che", "com", "como", "con", "could",
    "da", "dans", "das", "dass", "dat", "daß", "de", "dei", "del", "della", "delle", "dem", "den",
    "der", "des", "det", "di", "die", "dla", "do", "door", "dos", "du", "durch", "e", "een", "ein",
    "eine", "einem", "einen", "einer", "eines", "el", "em", "en", "er", "es", "est", "et", "ett",
    "for", "from", "för", "für", "gli", "haben", "had", "has", "hat", "have", "her", "het", "his",
    "i", "if", "il", "ile", "im", "in", "into", "is", "ist", "its", "için", "jest", "la", "las",
    "le", "les", "leur", "lo", "los", "may", "med", "met", "mit", "must", "na", "naar", "nach",
    "nas", "ne", "nel", "nella", "nicht", "nie", "no", "nos", "not", "o", "och", "od", "oder", "of",
    "og", "on", "op", "or", "os", "ou", "over", "par", "para", "per", "por", "pour", "przez", "på",
    "que", "qui", "sa", "said", "says", "se", "ses", "sich", "sind", "się", "som", "son", "sont",
    "sowie", "su", "sur", "sus", "te", "than", "that", "the", "their", "these", "this", "til",
    "till", "to", "uit", "um", "uma", "un", "una", "und", "under", "une", "unter", "van", "ve",
    "via", "vom", "von", "voor", "w", "war", "waren", "was", "werden", "were", "when", "which",
    "while", "who", "wie", "will", "wird", "with", "wordt", "would", "y", "z", "zijn", "zu", "zum",
    "zur", "zwischen", "à", "är", "über", "że", "а", "в", "для", "за", "и", "из", "или", "к", "как",
    "на", "не", "о", "об", "от", "по", "при", "с", "что",
];

/// What German counts with a number and a full stop: months, and nouns after ordinals.
#[rustfmt::skip]
pub(super) static COUNTED: &[&str] = &[
    "april", "armee", "auflage", "august", "ausgabe", "band", "bezirk", "bundesliga", "dezember",
    "division", "dynastie", "etappe", "feber", "februar", "geburtstag", "generation", "grad",
    "halbzeit", "jaenner", "jahr", "jahrestag", "jahrhundert", "jahrhunderten", "jahrhunderts",
    "januar", "jh", "juli", "juni", "jänner", "kapitel", "klasse", "kongress", "lebensjahr",
    "lebensjahres", "legislaturperiode", "liga", "maerz", "mai", "mal", "minute", "monat", "märz",
    "november", "obergeschoss", "oktober", "platz", "quartal", "rang", "regiment", "runde", "satz",
    "semester", "september", "sinfonie", "sitzung", "sonntag", "spieltag", "spieltages", "staffel",
    "stock", "strophe", "stunde", "symphonie", "tag", "tages", "teil", "todestag",
    "verhandlungstag", "wahlgang", "weltkrieg", "weltkrieges", "weltkriegs", "woche",
];

/// Words of German before an ordinal.
#[rustfmt::skip]
pub(super) static BEFORE_ORDINAL: &[&str] = &[
    "ab", "am", "beim", "bis", "dem", "den", "der", "des", "diesem", "diesen", "dieser", "ein",
    "eine", "einem", "einen", "einer", "ihr", "ihre", "ihrem", "ihren", "ihrer", "im", "jedem",
    "jeden", "jeder", "jedes", "rund", "sein", "seine", "seinem", "seinen", "seiner", "seit",
    "unser", "unserem", "unserer", "vom", "zum", "zur",
];
