//! Words that are written with a full stop at their end, of all languages together.
//!
//! Lower case, without the last stop, sorted by their bytes. Single letters need no list. A word that is short for something
//! in one language and often the last of a sentence in another was left out, or stands in the mildest list that serves both.
//! Own compilation for English, German, French, Spanish, Portuguese, Dutch, Italian, Russian, Ukrainian, Polish, Czech,
//! Swedish, Danish, Norwegian, Finnish, Turkish, Greek and Hindi; Korean and Chinese have none.

/// No sentence ends with these: titles before names, and words that need another after them.
#[rustfmt::skip]
pub(super) static NEVER: &[&str] = &[
    "a.d.h.v", "a.k.a", "abg", "adm", "admón", "adv", "alb", "allg", "amb", "ang", "angl", "ank",
    "ap", "approx", "aprox", "arch", "arq", "arş", "assoc", "asst", "atty", "av", "avda", "avv",
    "bc", "betr", "bez", "bijv", "bkz", "bl.a", "boul", "brig", "bspw", "bzw", "bł", "c.-à-d",
    "c.so", "cand", "capt", "cca", "cf", "cfr", "cmdr", "cnel", "cpl", "csc", "d.h", "d.i", "d.m.v",
    "d.v.s", "d.w.z", "dep", "dgl", "dhr", "dipl", "dist", "dn", "dott", "dott.ssa", "doç", "dr",
    "dra", "drs", "ds", "dvs", "dña", "e.d", "e.g", "ecc.mo", "eds", "eg", "egr", "ehem", "einschl",
    "ej", "ekskl", "engl", "enl", "entspr", "env", "esim", "esp", "ev", "evang", "evl", "evt",
    "evtl", "excl", "excma", "excmo", "exkl", "exma", "exmo", "f.d", "f.eks", "f.n", "fg", "fr",
    "fr.o.m", "franz", "frk", "frl", "fru", "geb", "gebr", "gef", "gen", "geogr", "geom", "ggf",
    "ggfs", "gm", "gob", "godz", "gov", "govt", "gral", "griech", "hab", "habil", "hhv", "hist",
    "hon", "hptm", "hra", "hrn", "hz", "i.d", "i.d.r", "i.e", "i.h.b", "i.p.v", "i.q", "i.t.t",
    "i.v", "i.v.m", "i.w.s", "ie", "ifm", "ift", "ill.mo", "ilma", "ilmo", "incl", "ing", "inkl",
    "insb", "insbes", "insp", "inst", "intl", "inż", "ir", "ital", "j.-c", "jf", "jfr", "jhr",
    "jkvr", "judr", "jur", "jvf", "kapt", "kard", "kath", "kfm", "kpt", "ks", "kungl", "lic", "lt",
    "ltn", "m.a", "m.a.w", "m.b.t", "m.e", "m.fl", "m.i", "m.in", "m.n", "maist", "med", "mej",
    "messrs", "mevr", "mgr", "mht", "mim", "misc", "mj", "mjr", "mlle", "mlles", "mm", "mme",
    "mmes", "mons", "mr", "mrs", "ms", "msgr", "mt", "mudr", "mw", "mx", "mögl", "müh", "n.a.v",
    "n.d.l.r", "n.m", "např", "natl", "niem", "nk", "np", "npor", "ntra", "nám", "nördl", "něm",
    "o.a", "o.l.v", "o.ä", "obst", "oprac", "orig", "p.-ex", "p.a", "p.ej", "p.es", "p.ex", "p.g.a",
    "p.t", "p.za", "pbro", "pdte", "pga", "phdr", "phil", "plk", "popř", "por", "pow", "ppłk", "pr",
    "pres", "prof", "prof.ssa", "profa", "präs", "pvt", "pza", "pç", "pí", "płk", "příp", "rep",
    "reps", "rer", "resp", "ret", "rev", "rndr", "rva", "röm", "s.a.r.l", "s.e", "s.k", "s.o",
    "s.u", "sct", "sgt", "sgto", "sierż", "sig", "sig.na", "sig.ra", "sigg", "skt", "sml", "sog",
    "sogen", "spett", "sra", "sras", "sres", "srov", "srs", "srta", "sta", "staatl", "stellv",
    "sto", "stv", "stª", "städt", "supt", "såk", "südl", "t.a.v", "t.ex", "t.f", "t.g.v", "t.n.v",
    "t.o.m", "t.o.v", "techn", "tidl", "tj", "toht", "ts", "tsd", "tte", "tzn", "tzv", "tzw", "tğm",
    "tłum", "tř", "u.a", "u.u", "uds", "ul", "univ", "urspr", "usf", "uzm", "v.a", "v.d", "v.ex.ª",
    "v.le", "vb", "vds", "ved", "vedr", "verh", "vgl", "viz", "vorl", "vors", "vrt", "vs", "vve",
    "w.r.t", "westl", "wg", "wiss", "woj", "wł", "yay", "ym", "yrd", "yzb", "z.b", "z.g", "z.t",
    "z.zt", "zg", "zgn", "zob", "zus", "zw", "zzgl", "zzt", "çev", "öffentl", "örn", "österr",
    "östl", "öğr", "łac", "řec", "św", "αγ", "βλ", "δηλ", "δρ", "κα", "καθ", "κος", "π.χ", "акад",
    "англ", "архиеп", "б-р", "вул", "г-жа", "г-н", "ген", "гол", "гос", "гр", "грец", "греч", "д-р",
    "дер", "див", "доц", "еп", "зав", "зам", "им", "исп", "итал", "кап", "кит", "корп", "лат",
    "лейт", "м-р", "митр", "наб", "напр", "нем", "нім", "об", "обл", "ок", "пер", "пл", "подп",
    "полк", "пор", "пос", "прибл", "просп", "прот", "проф", "прп", "р-н", "рос", "рус", "св",
    "свящ", "смт", "ср", "стр-во", "т.е", "т.зв", "т.к", "т.н", "т.наз", "т.о", "т.ч", "тел", "укр",
    "ул", "фр", "франц", "яп", "ім", "कु", "डॉ", "पं", "प्रो", "मो", "श्री",
];

/// A sentence ends with these unless a number follows.
#[rustfmt::skip]
pub(super) static NUMBER: &[&str] = &[
    "abb", "abr", "abs", "afb", "afl", "ago", "anm", "apdo", "app", "apr", "art", "arts", "artt",
    "aufl", "aug", "avr", "bd", "bde", "blz", "böl", "břez", "ca", "cap", "capp", "caps", "ch",
    "chap", "cilt", "circa", "cl", "czerw", "dec", "des", "dez", "dic", "dl", "déc", "ene", "eq",
    "eqs", "feb", "febb", "febr", "fev", "fig", "figg", "figs", "fl", "fls", "fol", "fri", "févr",
    "fık", "giu", "grudz", "hausnr", "hfdst", "jan", "janv", "jg", "jgg", "jrg", "juil", "jul",
    "jun", "jän", "kap", "květ", "kwiet", "led", "lett", "lfd", "lip", "listop", "liv", "lug",
    "lut", "mag", "mai", "mar", "mars", "md", "mk", "mln", "mom", "mon", "mrt", "mrz", "n.º", "nn", "no",
    "nos", "nov", "nr", "nrn", "nro", "nrs", "nry", "num", "nº", "núm", "núms", "obr", "oct",
    "odst", "okt", "op", "ott", "pag", "pagg", "para", "paras", "paźdz", "pkt", "pos", "poz", "pp",
    "pt", "puh", "pág", "págs", "párr", "písm", "rdnr", "ref", "refs", "rn", "rozdz", "rys", "sat",
    "sec", "sect", "sep", "sept", "ser", "sett", "sf", "sid", "sierp", "srp", "stk", "str", "stycz",
    "sun", "sv", "tab", "taf", "taul", "tav", "tbl", "tel", "thu", "thur", "thurs", "tlf", "tue",
    "tues", "ust", "ver", "vol", "voll", "vols", "wed", "wrzes", "zał", "zeil", "ziff", "zář", "éd",
    "ún", "čl", "čvc", "čvn", "čís", "říj", "şek", "авг", "апр", "бер", "вер", "вип", "вып", "гл",
    "груд", "дек", "жовт", "изд", "илл", "квіт", "кн", "лип", "лист", "лют", "ноя", "нояб", "окт",
    "пп", "рис", "сен", "сент", "серп", "ст", "стор", "стр", "січ", "табл", "трав", "фев", "февр",
    "черв", "янв",
];

/// A sentence ends with these only if the next word is one that often begins sentences.
#[rustfmt::skip]
pub(super) static MAYBE: &[&str] = &[
    "a.c", "a.d", "a.m", "a.s", "a.ş", "a/s", "ab", "ag", "al", "apt", "ariz", "assn", "ave", "b.a",
    "b.c", "b.v", "blv", "blvd", "bros", "c.v", "cad", "calif", "chr", "cia", "cie", "co", "colo",
    "conn", "corp", "cta", "ctr", "cu", "cía", "d.c", "dept", "depto", "dpto", "dr.h.c", "e.a",
    "e.kr", "e.v", "edo", "ee.ur", "ee.uu", "esq", "eua", "f.kr", "f.lli", "fla", "ft", "ga",
    "gmbh", "gr", "hg", "hod", "hr", "hrs", "hrsg", "hwy", "i.r", "inc", "inh", "itd", "itp",
    "j.kr", "jh", "jhdt", "jhs", "jl", "jr", "kg", "kl", "kpl", "kr", "krs", "ky", "kč", "la",
    "lbs", "llc", "lp", "ltd", "ltda", "ltée", "m.d", "m.s", "m.ö", "mah", "max", "mdr", "mfg",
    "mia", "mich", "mil", "milj", "mill", "min", "minn", "mins", "mio", "mkr", "mld", "mnd",
    "mo", "mont", "mrd", "n.chr", "n.e", "n.l", "n.v", "nar", "neb", "nev", "o.g", "okla", "ont",
    "ore", "oy", "oz", "p.m", "p.n.e", "pa", "penn", "ph.d", "plc", "př.n.l", "qm", "que", "rd",
    "s.a", "s.l", "s.p.a", "s.r.l", "s.r.o", "san", "secs", "sek", "sen", "sok", "sq", "sr", "st",
    "std", "ste", "tenn", "tex", "tg", "tic", "tis", "tkr", "tys", "u.k", "u.n", "u.s", "u.ä", "ur",
    "usw.u", "v.chr", "va", "verl", "vt", "wash", "wis", "wyo", "yrs", "z.hd", "zem", "zm", "zł",
    "şti", "вв", "гг", "год", "грн", "дол", "долл", "др", "кв", "кг", "км", "коп", "крб", "куб",
    "мин", "млн", "млрд", "мм", "н.е", "н.э", "пр", "род", "рр", "руб", "сек", "см", "т.д", "т.п",
    "тис", "трлн", "тыс", "ум", "хв", "час", "чел", "чол",
];

/// Words of the lists above that count only with a capital: they are other words without.
#[rustfmt::skip]
pub(super) static CAPITAL: &[&str] = &[
    "ab", "ag", "ago", "ang", "apt", "arch", "co", "conn", "dec", "dep", "des", "dic", "dist", "fr",
    "fri", "ga", "gen", "hist", "hon", "inst", "jan", "jul", "jun", "kap", "kg", "ky", "la", "led",
    "lip", "lt", "lut", "mag", "mai", "mar", "md", "med", "mil", "mill", "mim", "mm", "mo", "mon", "ms",
    "nov", "oct", "ont", "op", "ore", "oy", "pa", "penn", "pr", "pres", "que", "reps", "ret", "rev",
    "san", "sat", "sen", "st", "ste", "sun", "tab", "tex", "va", "vt", "wash", "wed",
];
