"""Plain facts about names: countries and their people, short given names, titles, legal forms, words without weight.

Only data and its reading into dictionaries. All entries are in folded form: lower case, no accents, no punctuation.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

# Countries, regions and cities under all their names; after the colon, what their people and things are called.
_PEOPLES = """
afghanistan: afghan; albania: albanian; algeria: algerian; andorra: andorran; angola: angolan; antarctica: antarctic;
argentina: argentine, argentinian; armenia: armenian; australia: australian, aussie; austria: austrian;
azerbaijan: azerbaijani, azeri; bahrain: bahraini; bangladesh: bangladeshi; barbados: barbadian; belarus: belarusian;
belgium: belgian; belize: belizean; benin: beninese; bhutan: bhutanese; bolivia: bolivian;
bosnia and herzegovina, bosnia: bosnian; botswana: botswanan; brazil: brazilian; bulgaria: bulgarian;
burkina faso: burkinabe; burma, myanmar: burmese; burundi: burundian; cambodia: cambodian, khmer;
cameroon: cameroonian; canada: canadian; cape verde, cabo verde: cape verdean;
central african republic: central african; chad: chadian; chile: chilean;
china, prc, peoples republic of china: chinese; colombia: colombian; comoros: comorian; costa rica: costa rican;
croatia: croatian, croat; cuba: cuban; cyprus: cypriot; czech republic, czechia: czech;
czechoslovakia: czechoslovak, czechoslovakian; democratic republic of the congo, dr congo, drc: congolese;
denmark: danish, dane; djibouti: djiboutian; dominican republic: dominican;
east germany, german democratic republic, gdr: east german; east timor, timor leste: east timorese, timorese;
ecuador: ecuadorian; egypt: egyptian; el salvador: salvadoran; england: english, englishman, englishmen;
equatorial guinea: equatorial guinean; eritrea: eritrean; estonia: estonian; eswatini, swaziland: swazi;
ethiopia: ethiopian; fiji: fijian; finland: finnish, finn; france: french, frenchman, frenchmen; gabon: gabonese;
gambia: gambian; georgia: georgian; germany, federal republic of germany: german; ghana: ghanaian;
greece: greek, hellenic; greenland: greenlandic, greenlander; grenada: grenadian; guatemala: guatemalan;
guinea: guinean; guyana: guyanese; haiti: haitian; honduras: honduran; hong kong: hong konger;
hungary: hungarian, magyar; iceland: icelandic, icelander; india: indian; indonesia: indonesian;
iran, persia: iranian, persian; iraq: iraqi; ireland, republic of ireland: irish, irishman, irishmen; israel: israeli;
italy: italian; ivory coast, cote divoire: ivorian; jamaica: jamaican; japan: japanese; jordan: jordanian;
kazakhstan: kazakh, kazakhstani; kenya: kenyan; korea: korean; kosovo: kosovar, kosovan; kurdistan: kurdish, kurd;
kuwait: kuwaiti; kyrgyzstan: kyrgyz; laos: laotian, lao; latvia: latvian; lebanon: lebanese; lesotho: basotho;
liberia: liberian; libya: libyan; liechtenstein: liechtensteiner; lithuania: lithuanian;
luxembourg: luxembourgish, luxembourger; macau, macao: macanese; madagascar: malagasy; malawi: malawian;
malaysia: malaysian; maldives: maldivian; mali: malian; malta: maltese; mauritania: mauritanian; mauritius: mauritian;
mexico: mexican; moldova: moldovan; monaco: monegasque; mongolia: mongolian; montenegro: montenegrin;
morocco: moroccan; mozambique: mozambican; namibia: namibian; nepal: nepali, nepalese;
netherlands, holland: dutch, dutchman, dutchmen; new zealand, nz: new zealander, kiwi; nicaragua: nicaraguan;
niger: nigerien; nigeria: nigerian; north korea, democratic peoples republic of korea, dprk: north korean;
north macedonia, macedonia: macedonian; northern ireland: northern irish; norway: norwegian; oman: omani;
ottoman empire: ottoman; pakistan: pakistani; palestine: palestinian; panama: panamanian;
papua new guinea: papua new guinean; paraguay: paraguayan; peru: peruvian; philippines: filipino, philippine;
poland: polish, pole; portugal: portuguese; prussia, kingdom of prussia: prussian; puerto rico: puerto rican;
qatar: qatari; republic of the congo; romania: romanian; russia, russian federation: russian; rwanda: rwandan;
samoa: samoan; saudi arabia, ksa: saudi, saudi arabian; scotland: scottish, scot, scots, scotsman; senegal: senegalese;
serbia: serbian, serb; sierra leone: sierra leonean; singapore: singaporean; slovakia: slovak, slovakian;
slovenia: slovenian, slovene; somalia: somali; south africa, republic of south africa: south african;
south korea, republic of korea: south korean; south sudan: south sudanese;
soviet union, ussr, union of soviet socialist republics: soviet; spain: spanish, spaniard;
sri lanka, ceylon: sri lankan; sudan: sudanese; suriname: surinamese; sweden: swedish, swede; switzerland: swiss;
syria: syrian; taiwan, republic of china: taiwanese; tajikistan: tajik, tajikistani; tanzania: tanzanian;
thailand, siam: thai, siamese; tibet: tibetan; togo: togolese; tonga: tongan;
trinidad and tobago, trinidad: trinidadian; tunisia: tunisian; turkey, turkiye: turkish, turk; turkmenistan: turkmen;
uganda: ugandan; ukraine: ukrainian; united arab emirates, uae: emirati;
united kingdom, uk, great britain, britain, gb: british, briton;
united states, united states of america, usa, us, america: american; uruguay: uruguayan; uzbekistan: uzbek;
vatican city, vatican, holy see; venezuela: venezuelan; vietnam, viet nam: vietnamese;
wales: welsh, welshman, welshmen; west germany: west german; yemen: yemeni; yugoslavia: yugoslav, yugoslavian;
zambia: zambian; zimbabwe, rhodesia: zimbabwean; africa: african; asia: asian; europe: european;
central america: central american; latin america: latin american; north america: north american;
south america: south american; catalonia: catalan; flanders: flemish; quebec: quebecois; rome: roman; sicily: sicilian;
tuscany: tuscan; venice: venetian; moscow: muscovite; naples: neapolitan; european union, eu; united nations, un;
new york city, nyc, new york; washington dc, district of columbia
"""

# Given names; after the colon, what their bearers are also called.
_GIVEN = """
abigail: abby, gail; abraham: abe, bram; albert: al, bert, bertie; alexander: alex, alec, sandy, sasha, xander;
alexandra: alex, sandra, sasha, lexi; alfred: al, alf, fred, freddie; amanda: mandy; andrea: andie; andrew: andy, drew;
anastasia: nastya, stacy; angela: angie; anne: ann, anna, annie, nan; anthony: tony; antonio: toni, tonio;
antonia: toni; arthur: art; barbara: barb, barbie, babs; bartholomew: bart; benjamin: ben, benny, benji;
bernard: bernie; beatrice: bea; bradley: brad; caroline: carrie, carol; catherine: cathy, cate, kate, katie, kitty;
charles: charlie, chuck, chas; charlotte: charlie, lottie; christian: chris; christina: chris, chrissy, tina;
christine: chris, chrissy; christopher: chris, kit, topher; clifford: cliff; cynthia: cindy; daniel: dan, danny;
danielle: dani; david: dave, davey; deborah: deb, debbie; dennis: denny; dmitri: dima; dominic: dom, nick;
donald: don, donnie; dorothy: dot, dottie, dolly; douglas: doug; edmund: ed, eddie, ned;
edward: ed, eddie, ned, ted, teddy; edwin: ed, eddie; eleanor: ellie, nora, nell;
elizabeth: beth, betty, bess, eliza, ella, liz, lizzie, libby, lisa; emily: em, emmy; emmanuel: manny; ernest: ernie;
eugene: gene; evelyn: evie; florence: flo, flossie; frances: fran, franny, frankie; francesca: fran;
francis: frank, fran; francisco: paco, pancho, cisco; franklin: frank; frederick: fred, freddie, fritz; gabriel: gabe;
gabriella: gabby; geoffrey: geoff; gerald: gerry, jerry; gilbert: gil; gregory: greg; harold: harry, hal;
henry: harry, hank, hal; herbert: herb, bert; howard: howie; ignacio: nacho; irving: irv; isaac: ike;
isabella: bella, izzy; ivan: vanya; jacob: jake; jacqueline: jackie; james: jim, jimmy, jamie, jem; janet: jan;
jason: jay; jeffrey: jeff; jennifer: jen, jenny; jeremy: jerry; jerome: jerry; jessica: jess, jessie; joanna: jo;
johann: hans; johannes: hans; john: jack, johnny, jon; jonathan: jon, jonny, nathan; jose: pepe; joseph: joe, joey;
josephine: jo, josie; joshua: josh; judith: judy; julia: julie; katherine: kate, katie, kathy, kay, kitty;
kathleen: kathy, kate; kenneth: ken, kenny; kimberly: kim; lawrence: larry, laurie; leonard: len, lenny, leo;
leonardo: leo; lewis: lew, lou; lillian: lily, lil; louis: lou, louie; louise: lou; lucas: luke; lucille: lucy;
madeline: maddie; magdalena: lena, magda; margaret: maggie, marge, meg, peggy, rita, greta, daisy; maria: mia;
martha: marty, patty; martin: marty; mary: molly, polly, mamie; matilda: tilly; matthew: matt, matty; maximilian: max;
maxwell: max; megan: meg; melissa: mel, missy; michael: mike, mick, mickey, micky; michelle: shelly; mikhail: misha;
miguel: migi; mildred: millie; mitchell: mitch; mohammed: muhammad, mohamed, mohammad, mo; montgomery: monty;
morris: mo; nancy: nan; natalia: natasha, nat; natalie: nat; nathan: nate, nat; nathaniel: nate, nat, nathan;
nicholas: nick, nicky, claus; nicole: nicky, nikki; nikolai: kolya; norman: norm; oliver: ollie; olivia: liv, livvy;
pamela: pam; patricia: pat, patsy, patty, tricia, trish; patrick: pat, paddy; peter: pete; philip: phil, pip;
phillip: phil; priscilla: cilla; rachel: rach; randolph: randy; raymond: ray; rebecca: becca, becky;
reginald: reg, reggie; richard: rich, richie, rick, ricky, dick; robert: rob, robbie, bob, bobby, bert; roberto: beto;
roderick: rod; rodney: rod; roger: rodge; ronald: ron, ronnie; rosemary: rose, rosie; rupert: rupe; russell: russ;
samantha: sam, sammy; samuel: sam, sammy; sarah: sara, sally, sadie; sebastian: seb; sergei: seryozha; sidney: sid;
solomon: sol; sophia: sophie; stanley: stan; stephanie: steph; stephen: steve, steven; susan: sue, susie, suzy;
suzanne: sue, suzy; sylvester: sly; sylvia: syl; terence: terry; teresa: terry, tess; theodore: ted, teddy, theo;
theresa: terry, tess; thomas: tom, tommy; timothy: tim, timmy; valentine: val; valerie: val; victor: vic;
victoria: vicky, tori; vincent: vince, vinnie; virginia: ginny; vladimir: vova, volodya; walter: walt, wally;
wilfried: willi; wilhelm: willi; william: bill, billy, will, willie, liam; winston: winnie; yevgeny: zhenya;
zachary: zach, zack
"""


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


LADIES = _set(
    """
    mrs ms miss mme madame frau senora signora dame lady queen princess empress duchess countess baroness sister
    mother aunt auntie grandma
    """
)
GENTLEMEN = _set(
    """
    mr sir lord king prince emperor duke count baron father brother uncle grandpa herr monsieur senor signor don
    """
)
ADDRESSES = _set("mr mrs ms miss mx dr prof")
"""Titles that no other name begins with: who bears one is a person, whether or not anyone says so."""
TITLES = (
    LADIES
    | GENTLEMEN
    | ADDRESSES
    | _set(
        """
    professor doctor president chancellor senator governor mayor minister judge justice general gen colonel col
    major captain capt commander admiral lieutenant lt sergeant sgt corporal private agent officer detective
    inspector reverend rev pope cardinal archbishop bishop saint st rabbi imam sheikh sultan shah tsar chief coach
    crown engr hon
    """
    )
)
GENERATIONS: Mapping[str, str] = {"jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr"}

LEGAL = _set(
    """
    inc incorporated corp corporation co company ltd limited llc llp lp plc gmbh mbh ag kg se sa sas sarl spa srl bv
    nv ab as asa oy oyj kk pty pvt
    """
)
PLAINLY_LEGAL = _set("inc incorporated corp corporation ltd limited llc plc gmbh")
"""Those that mean nothing else (an iPhone SE is not an iPhone), for names of which nobody says what they name."""
ARTICLES = _set("the")
LIGHT = _set("the of a an and")
SMALL = _set(
    """
    the of a an and for in on at to by with from de la le les el los las del des du da do dos das di der die das den
    van von und et e y
    """
)

# What may be left out of the name of an organisation or of a place without making it another one.
ORGANISATION_NOUNS = _set(
    """
    records recordings university college school academy institute institution church hotel associates association
    group foundation fund trust society federation department ministry office agency authority administration
    service services committee commission council board bureau club team fc sc ac cf fk sk il if bk party movement
    union league orchestra band ensemble theatre theater museum library center centre publishing publishers studios
    network fm am telecom technologies software labs laboratories bank partners holdings holding enterprises
    industries high preparatory business music distribution national federal royal state
    """
)
PLACE_NOUNS = _set(
    """
    republic kingdom state commonwealth federation federal islands isles peoples democratic islamic socialist cdp
    """
)
SHORTENED: Mapping[str, str] = {
    "dept": "department",
    "univ": "university",
    "intl": "international",
    "natl": "national",
    "govt": "government",
    "assn": "association",
    "tv": "television",
}
STREETS: Mapping[str, str] = {"st": "street", "rd": "road", "ave": "avenue", "blvd": "boulevard"}
"""What these mean as the last word; anywhere else `st` is a saint."""

_ONES = "zero one two three four five six seven eight nine ten eleven twelve"
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ROMANS = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx"
NUMBERS: Mapping[str, str] = {
    word: str(value) for words in (_ONES, _ORDINALS) for value, word in enumerate(words.split())
}
ROMANS: Mapping[str, str] = {word: str(value) for value, word in enumerate(_ROMANS.split(), 1) if len(word) > 1}
"""Single letters are left out: they are initials as often as numbers."""


@cache
def homes() -> Mapping[tuple[str, ...], str]:
    """The words of every name of a country, and of its people, to the country's first name."""
    return {**_peoples(), **_countries()}


@cache
def home_openings() -> frozenset[str]:
    """The first words of all these."""
    return frozenset(words[0] for words in homes())


@cache
def lands() -> frozenset[str]:
    """The first names of the countries."""
    return frozenset(homes().values())


@cache
def countries() -> frozenset[tuple[str, ...]]:
    """The words of the names of the countries themselves."""
    return frozenset(_countries())


@cache
def peoples() -> frozenset[tuple[str, ...]]:
    """The words of the names of peoples, which are names of languages too."""
    return frozenset(_peoples())


def _countries() -> dict[tuple[str, ...], str]:
    entries = (entry.partition(":")[0].split(",") for entry in _PEOPLES.split(";"))
    return {tuple(name.split()): names[0].strip() for names in entries for name in names}


def _peoples() -> dict[tuple[str, ...], str]:
    entries = (entry.partition(":") for entry in _PEOPLES.split(";") if ":" in entry)
    return {
        tuple(form.split()): places.split(",")[0].strip()
        for places, _, people in entries
        for name in people.split(",")
        for form in (name, f"{name}s")
    }


@cache
def given_names() -> Mapping[str, frozenset[str]]:
    """A given name, long or short, to the long ones it may stand for."""
    found: dict[str, set[str]] = {}
    for entry in _GIVEN.split(";"):
        full, _, short = entry.partition(":")
        for name in (full, *short.split(",")):
            found.setdefault(name.strip(), set()).add(full.strip())
    return {name: frozenset(full) for name, full in found.items()}
