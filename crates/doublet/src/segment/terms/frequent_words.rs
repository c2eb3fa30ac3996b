//! Words that every text of a language is full of: they tell languages apart better than a function word that is rare.
//!
//! The hundred or so most frequent words, and some that messages abound in. A word of several languages stands with each.

use super::language::Language;

/// The frequent words of languages, separated by spaces.
pub(super) const FREQUENT: &[(Language, &str)] = &[
    (
        Language::English,
        "the be to of and a in that have i it for not on with he as you do at this but his by from \
         they we say her she or an will my one all would there their what so up out if about who get \
         which go me when make can like time no just him know take people into year your good some \
         could them see other than then now look only come its over think also back after use two how \
         our work first well way even new want because any these give day most us is are was were has \
         had been am did does got going let please thanks thank yes hi hello hey ok okay lol u ur im \
         dont cant wont didnt ive youre thats whats lets pls plz thx dun wat today tonight tomorrow \
         great best much many last every never always still since where within without else later per \
         via years week free call may must should more very really too why here off down before again",
    ),
    (
        Language::German,
        "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an \
         werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum \
         war haben nur oder aber vor zur bis mehr durch man sein wurde sei ich du wir ihr mich mir \
         dich dir uns kein keine wenn was hier da schon mal ja nein danke bitte hallo sehr heute \
         morgen gestern immer wieder neue neuen jahr jahre zwei drei uhr gibt geht macht kommt müssen \
         können konnte sollte daß bereits seit zwischen gegen während unter zwar sowie dabei dort \
         beim ins vom ab nie gut bin hast hab wurden worden liegt viele alles damit dazu leider lange \
         mein meine dein diese dieser dieses jetzt dann doch weil also diesem kann will waren ihre \
         seine seiner neben erste ersten befindet",
    ),
    (
        Language::French,
        "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il \
         sont avec son aux d cette ont ses mais comme on tout nous sa fait été aussi leur bien peut \
         ces deux à ans encore n sous elle je tu vous j ai c l m t s qu mon ma mes ton ta tes si ou \
         où même moi toi lui très oui non merci bonjour salut alors donc après avant depuis entre \
         sans chez leurs cet ils elles quand parce car être avoir faire tous toute toutes peuvent \
         trois premier première selon contre pendant dont ainsi lors puis toujours jamais moins vers \
         fut était suis notre votre quoi ça ville nom",
    ),
    (
        Language::Spanish,
        "de la que el en y a los se del las un por con no una su para es al lo como más pero sus le \
         ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había era muy años \
         hasta desde está mi porque qué sólo han yo hay vez puede todos así nos ni parte tiene él uno \
         donde bien tiempo mismo ese ahora cada vida otro después te otros aunque esa eso hace otra \
         gobierno tan durante siempre día tanto ella tres sí sido gran país según menos estoy hola \
         gracias tu eres soy estás están fueron además año hacer nunca antes mientras quien lugar \
         ciudad primer primera aún solo tengo encuentra encuentran personaje realidad dice nombre",
    ),
    (
        Language::Portuguese,
        "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele \
         das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela \
         entre era depois sem mesmo aos ter seus quem nas me esse eles estão você tinha foram essa \
         num nem suas meu às minha têm numa pelos elas havia seja qual será nós tenho lhe deles essas \
         esses pelas este fosse dele tu te vocês vos vai vou ano anos dia dias obrigado obrigada olá \
         sim porque após sempre nunca todo todos disse fazer apenas outro outra outros dois três \
         contra durante partir além assim ainda sobre são pode faz bem onde primeiro primeira cada \
         segundo podem estava bom entanto muitos outras pessoas nosso nossa início meses próximo \
         história período algum alguém aqui ler conforme apesar conta desde esta entra fim próxima \
         última último coisas pois qualquer vez muitas milhões cidade empresa",
    ),
    (
        Language::Dutch,
        "de het een van en in is dat op te zijn met voor niet aan er om ook als dan maar bij of uit \
         nog naar heeft ze hij door over we je ik was wordt deze die dit al kan worden meer hebben \
         zou geen had wel mijn jij jouw uw ons onze hun haar zij wij jullie u me hem hoe wat wie waar \
         waarom hier daar veel heel goed gaan gaat komt doen maken jaar twee drie tijdens tegen \
         tussen onder zoals volgens sinds ja nee hoi bedankt werd werden moet moeten zal zouden \
         kunnen hadden tot want toen nieuwe andere mensen alle eerste jaren zo nu bent ben weer pas \
         iets niets altijd eigen zei aldus meest minder moest kwam ging waren zeer steeds alleen \
         vooral binnen zonder volgende bleven toch grote",
    ),
    (
        Language::Russian,
        "и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой ещё еще \
         от так о для ты же все тот мочь вы человек такой его сказать или один как бы мне было был да \
         нет уже только когда если меня до вас ничего вот ли ну даже со сейчас где есть надо ней её \
         ее также была были является при после между которая которые которого которой год году года \
         лет время может будет очень там чтобы более под через около во об этого этой эти та те своей \
         своих своего всех одна два три привет спасибо первый их него них том этом того однако без \
         нас нам мой моя мои твой наш ваш",
    ),
    (
        Language::Italian,
        "di e il la che in a per un è non sono una con del le si da i della dei al gli nel più alla \
         anche ha come o ma se delle lo dal su mi sul ci questo ho tra cui loro essere stato era dell \
         degli molto due ti quando solo nella anni perché dopo prima ancora sempre ciao grazie sì io \
         tu lui lei noi voi sei",
    ),
    (
        Language::Swedish,
        "och i att det som en på är av för med den till inte har de ett om han men var jag sig från \
         vi så kan när år under också efter eller nu sin där vid mot ska skulle du hon mig dig tack \
         hej",
    ),
    (
        Language::Danish,
        "og i at det er en til på som af de med for den der ikke et har han var jeg sig fra men om vi \
         så kan når år også efter eller nu hvor ved mod skal du hun mig dig tak hej",
    ),
    (
        Language::Norwegian,
        "og i det er en til på som av de med for den ikke et har han var jeg seg fra men om vi så kan \
         når år også etter eller nå hvor ved mot skal du hun meg deg takk hei",
    ),
    (
        Language::Finnish,
        "ja on ei se että hän oli mutta en joka ovat kun myös minä sinä ne niin kuin jos tai vain ole \
         mitä nyt sen tämä kiitos",
    ),
    (
        Language::Polish,
        "w i na nie z do się to że jest jak od po o co tak za ale dla był już czy jego tylko jej mnie \
         mi przez może są tego jestem ma ten ta dzień cześć dziękuję",
    ),
    (
        Language::Czech,
        "a v se na je že to s z do i o si jsem za k jako jsou ale by pro po který jeho byl od tak co \
         už ve není být jsme děkuji",
    ),
    (
        Language::Slovak,
        "a v sa na je že to s z do aj o si som za k ako sú ale by pre po ktorý jeho bol od tak čo už \
         vo nie ďakujem",
    ),
    (
        Language::Hungarian,
        "a az és hogy nem is egy van ez meg de volt ha csak már még el mint én azt köszönöm kell lesz \
         vagy minden",
    ),
    (
        Language::Romanian,
        "de și în a la cu că nu o pe un care este din se mai sau ce pentru sunt fi am ca lui iar dar \
         fost au prin eu după si mulțumesc",
    ),
    (
        Language::Turkish,
        "ve bir bu da de için ile çok daha olarak ne olan gibi en o kadar sonra var ben sen değil mi \
         ama ya her şey teşekkürler merhaba",
    ),
    (
        Language::Catalan,
        "de la i el a que en els un les per una del amb és no se va ser dels al més com ha són aquest \
         aquesta seva seu però també gràcies",
    ),
    (
        Language::Indonesian,
        "yang dan di ini itu dengan untuk dari tidak dalam pada akan ke adalah saya kami kita ada \
         juga sudah bisa atau anda aku kamu mereka karena lebih terima kasih",
    ),
    (
        Language::Vietnamese,
        "và của là có không cho được người trong một với các những này để khi đã tôi anh em chị bạn \
         cảm ơn",
    ),
    (
        Language::Tagalog,
        "ang ng sa na mga ay at ko ako ka siya kung hindi para ito niya may lang naman po salamat",
    ),
    (
        Language::Croatian,
        "i je u se na da za su od s a o ne kao koji to što bi iz sam ali ili nije hvala",
    ),
    (
        Language::Ukrainian,
        "і в не на що з у та як до за це від про є він вона але для або його її був була дякую",
    ),
    (
        Language::Bulgarian,
        "на и да се в за от е не с че си са по като но ще до той това я или беше благодаря",
    ),
];

/// Words of the lists of function words that would mislead: what is left over of `don't`, and words of other languages.
pub(super) const MISLEADING: &[(Language, &str)] = &[
    (Language::English, "o ma d m s t y re ve ll don ain"),
    (Language::Catalan, "us is he son"),
    (Language::Czech, "to the do on"),
    (Language::Estonian, "see"),
    (Language::Danish, "on"),
];
