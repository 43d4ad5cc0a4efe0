"""Which names mean one thing, which do not, and which candidate is taken."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from everfact.models import Entity, Mention
from everfact.resolve import Bond, keys, resolve, same

PERSON, ORGANISATION, PLACE, WORK, UNTYPED = "Person", "Organization", "Location", "Document", ""


def entity(name: str, *aliases: str, types: tuple[str, ...] = (PERSON,)) -> Entity:
    return Entity(
        uuid=name, group_id="g", name=name, aliases=aliases, types=types, created_at=datetime(2024, 1, 1, tzinfo=UTC)
    )


def bond(a: str, b: str, type_: str = UNTYPED, other_type: str | None = None) -> Bond:
    there = same(Mention(name=a, type=type_), Mention(name=b, type=type_ if other_type is None else other_type))
    back = same(Mention(name=b, type=type_ if other_type is None else other_type), Mention(name=a, type=type_))
    assert there == back
    return there


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("São Paulo", "Sao Paulo"),
        ("Søren Łukasz", "Soren Lukasz"),
        ("The Killers", "killers"),
        ("Qur'an", "Quran"),
        ("Ana's", "Ana"),
        ("Trane 's Blues", "Trane's Blues"),
        ("Do n't believe", "Don't believe"),
        ("U.S. Navy", "US Navy"),
        ("J. R. R. Tolkien", "JRR Tolkien"),
        ("Node.js", "NodeJS"),
        ("EverfactStore", "everfact_store"),
        ("Flor-de-Lis", "Flor - de - Lis"),
        ("Morris & Sons", "Morris and Sons"),
        ("BBC One", "BBC1"),
        ("St. Louis County", "Saint Louis County"),
        ("Main St.", "Main Street"),
        ("World War II", "World War 2"),
        ("Nippon TV", "Nippon Television"),
        ("Acme Inc.", "Acme"),
        ("University of Oxford", "Oxford University"),
        ("The", "the."),
        ("北京", "北京!"),
    ],
)
def test_spelling_makes_no_difference(a: str, b: str) -> None:
    assert bond(a, b) is Bond.PLAIN


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ana Costa", "Costa, Ana"),
        ("Ana Costa", "Costa Ana"),
        ("Zack de la Rocha", "Zack Rocha"),
        ("Dr. Ana Costa", "dr Ana Costa"),
    ],
)
def test_order_and_small_words_of_a_person_make_no_difference(a: str, b: str) -> None:
    assert bond(a, b, PERSON) is Bond.PLAIN


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ana", "Ana Costa"),
        ("Costa", "Ana Costa"),
        ("Pacheco", "Gregorio Pacheco Leyes"),
        ("Ana Costa", "Ana Maria Costa"),
        ("Professor Costa", "Ana Costa"),
        ("Dr Costa", "Costa"),
        ("Ana Costa", "Ana Costa Jr."),
        ("DeMott", "William DeMott II"),
        ("Willi", 'Wilfried "Willi" Schneider'),
        ("Willi Schneider", 'Wilfried "Willi" Schneider'),
        ("Ana Costa", "Ana (Bea) Costa"),
    ],
)
def test_person_goes_by_part_of_the_name(a: str, b: str) -> None:
    assert bond(a, b, PERSON) is Bond.SHORT


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Bob Dylan", "Robert Dylan"),
        ("Bob", "Robert Dylan"),
        ("N. C. Wyeth", "Newell Convers Wyeth"),
        ("N. Wyeth", "Newell Convers Wyeth"),
        ("Ana C.", "Ana Costa"),
        ("Samuel C. Brightman", "Samuel Carl Brightman"),
    ],
)
def test_person_goes_by_initials_and_pet_names(a: str, b: str) -> None:
    assert bond(a, b, PERSON) is Bond.LOOSE


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ana Costa", "Ana Silva"),
        ("Ana Costa", "Rui Costa"),
        ("Ana Maria Costa", "Ana Silva"),
        ("Mr Smith", "Mrs Smith"),
        ("Paul Desmarais Sr", "Paul Desmarais Jr."),
        ("Carol I", "Carol II"),
        ("Elizabeth", "Elizabeth II"),
        ("Louis XIV", "Louis XV"),
        ("user 12", "user 14"),
        ("Bob", "Robert"),
        ("A", "Ana Costa"),
        ("A. C.", "Ana Costa"),
        ("Mario Silva", "Maria Silva"),
        ("Daniel Costa", "Daniela Costa"),
        ("Martin Costa", "Martha Costa"),
        ("Mark Johnson", "Mary Johnson"),
        ("Jonas", "Jonah"),
        ("Ana Reed", "Ana Reid"),
        ("Ana Martins", "Ana Martinez"),
        ("Alexander Costa", "Alexandra Costa"),
        ("Ana Costa Jr", "Ana Cosat Sr"),
        ("Roberts", "Robert"),
        ("がき", "かき"),
        ("Prince", "Sir"),
    ],
)
def test_two_people_stay_two(a: str, b: str) -> None:
    assert bond(a, b, PERSON) is Bond.NONE


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Katelyn Colegate", "Katelyn Colegtae"),
        ("Stephen Harbottle", "Stephen Harbotle"),
        ("Jhon Banelis", "John Banelis"),
        ("Banelis Sophie", "Sophie Banellis"),
        ("Kochiwama", "Kochiwmaa"),
    ],
)
def test_slip_of_the_pen_in_a_persons_name_is_seen(a: str, b: str) -> None:
    assert bond(a, b, PERSON) is Bond.MISSPELT


@pytest.mark.parametrize(
    ("a", "b", "type_"),
    [
        ("United States", "U.S.", UNTYPED),
        ("the United States", "USA", PLACE),
        ("UK", "Great Britain", UNTYPED),
        ("American", "United States", PLACE),
        ("Germans", "Germany", PLACE),
        ("South Korean", "Republic of Korea", PLACE),
        ("IOC", "International Olympic Committee", UNTYPED),
        ("NAAFI", "Navy, Army and Air Force Institutes", ORGANISATION),
        ("RIAA", "Recording Industry Association of America", ORGANISATION),
        ("TSPM", "Three-Self Patriotic Movement", ORGANISATION),
        ("OVPS", "Oberelbische Verkehrsgesellschaft Pirna Sebnitz mbH", ORGANISATION),
        ("OMB", "U.S. Office of Management and Budget", ORGANISATION),
        ("RCP", "Revolutionary Communist Party, USA", ORGANISATION),
        ("NSB", "Norges Statsbaner", ORGANISATION),
        ("RUF", "Rural Fund", ORGANISATION),
        ("POWs", "prisoners of war", UNTYPED),
        ("TBS", "Toulouse Business School (TBS)", ORGANISATION),
    ],
)
def test_other_name_is_known(a: str, b: str, type_: str) -> None:
    assert bond(a, b, type_) is Bond.KNOWN


@pytest.mark.parametrize(
    ("a", "b", "type_"),
    [
        ("Navy", "U.S. Navy", ORGANISATION),
        ("Supreme Court", "Supreme Court of Pakistan", ORGANISATION),
        ("Epic", "Epic Records", ORGANISATION),
        ("White Sox", "Chicago White Sox", ORGANISATION),
        ("Church", "Churches", ORGANISATION),
        ("Thailand Islands", "Thailand", PLACE),
        ("Republic of Karelia", "Karelia", PLACE),
        ("Paris, Texas", "Paris", PLACE),
        ("Civil War", "American Civil War", "Event"),
        ("Excitebots", "Excitebots: Trick Racing", WORK),
        ("academy award", "Academy Awards", WORK),
        ("Battery", "Batteries", "Object"),
        ("Python", "Python (language)", UNTYPED),
    ],
)
def test_thing_goes_by_part_of_the_name(a: str, b: str, type_: str) -> None:
    assert bond(a, b, type_) is Bond.SHORT


@pytest.mark.parametrize(
    ("a", "b", "type_"),
    [
        ("Python 3.11", "Python 3.12", "Technology"),
        ("Python 3.11", "Python 31.1", "Technology"),
        ("Room 12", "Room 14", PLACE),
        ("First Battle of Homs", "Second Battle of Homs", "Event"),
        ("Windows", "Windows 10", "Technology"),
        ("Halo", "Halo: 3", WORK),
        ("Northern Harbour", "Southern Harbour", PLACE),
        ("C", "C++", UNTYPED),
        ("C#", "C++", "Technology"),
        ("iPhone", "iPhone SE", UNTYPED),
        ("Python (language)", "Python (snake)", "Topic"),
        ("Python Inc (language)", "Python (snake)", UNTYPED),
        ("Python (language)", "language", UNTYPED),
        ("Python", "Python Software Foundation", UNTYPED),
        ("Nintendo", "Nintendo Australia", ORGANISATION),
        ("Commission", "Taft Commission", ORGANISATION),
        ("Sony", "Sony Pictures", ORGANISATION),
        ("Records", "Epic Records", ORGANISATION),
        ("York", "New York", PLACE),
        ("South Korea", "North Korea", PLACE),
        ("Slovakia", "Slovenia", PLACE),
        ("Osaka", "Osaka Bay", PLACE),
        ("Polish", "Poland", UNTYPED),
        ("Letters to Ana", "Letters from Ana", WORK),
        ("House Dog", "Dog House", "Object"),
        ("Milan", "Mylan", PLACE),
        ("WSSR", "WSSU", ORGANISATION),
        ("IBM", "International Olympic Committee", ORGANISATION),
        ("IO", "Iowa", PLACE),
        ("USA", "Usable Code", UNTYPED),
        ("test", "tests", UNTYPED),
        ("gas", "gases", UNTYPED),
        ("कि", "की", UNTYPED),
        ("!!!", "???", UNTYPED),
        ("!!!", "Ana", UNTYPED),
    ],
)
def test_two_things_stay_two(a: str, b: str, type_: str) -> None:
    assert bond(a, b, type_) is Bond.NONE


@pytest.mark.parametrize(
    ("a", "b", "type_"),
    [
        ("Tobolsk", "Tobolesk", PLACE),
        ("Kubernetes Cluster", "Kuberntes Cluster", "Technology"),
        ("Verkehrsgesellschaft", "Verkehrsgeselschafft", ORGANISATION),
    ],
)
def test_slip_of_the_pen_in_a_things_name_is_seen_where_its_kind_is_known(a: str, b: str, type_: str) -> None:
    assert bond(a, b, type_) is Bond.MISSPELT
    assert bond(a, b) is Bond.NONE


@pytest.mark.parametrize(
    ("name", "type_", "other", "expected"),
    [
        ("Mercury", PERSON, ORGANISATION, Bond.NONE),
        ("Mercury", PERSON, "Topic", Bond.NONE),
        ("Mercury", ORGANISATION, PLACE, Bond.NONE),
        ("Mercury", "ORG", "company", Bond.EXACT),
        ("Mercury", ORGANISATION, "Technology", Bond.EXACT),
        ("Mercury", UNTYPED, PERSON, Bond.EXACT),
        ("Mercury", "Entity", PERSON, Bond.EXACT),
        ("French", PLACE, "Topic", Bond.NONE),
    ],
)
def test_kinds_must_agree_where_both_are_known(name: str, type_: str, other: str, expected: Bond) -> None:
    assert bond(name, name, type_, other) is expected


def test_things_of_different_kinds_are_one_only_under_the_same_name() -> None:
    assert bond("GitHub", "git-hub", ORGANISATION, "Technology") is Bond.PLAIN
    assert bond("GitHub", "GitHub Inc Group", ORGANISATION, "Technology") is Bond.NONE


def test_who_is_addressed_as_a_person_is_one() -> None:
    assert bond("Mr Costa", "Costa") is Bond.SHORT
    assert bond("General Motors", "Motors") is Bond.NONE


@pytest.mark.parametrize(
    ("mention", "candidates", "expected"),
    [
        ("ana costa", ["Ana Costa", "Ana"], "Ana Costa"),
        ("Ana", ["Ana Costa", "Rui Silva"], "Ana Costa"),
        ("Ana", ["Ana Costa", "Ana Silva"], None),
        ("Ana", ["Ana Costa", "Ana Silva", "Ana"], "Ana"),
        ("Bob", ["Robert Smith", "Bob Dylan"], "Bob Dylan"),
        ("Leonard", ["Leonard Rose", "Ronald Leonard"], None),
        ("Ana Costa", ["Ana"], "Ana"),
        ("Ana Costa", ["Ana Silva"], None),
        ("Ana Cosat", ["Ana Costa", "Ana Cosaat"], None),
        ("Ana", [], None),
    ],
)
def test_the_surest_candidate_is_taken_and_a_tie_is_a_new_entity(
    mention: str, candidates: list[str], expected: str | None
) -> None:
    for order in (candidates, candidates[::-1]):
        found = resolve(Mention(name=mention, type=PERSON), [entity(name) for name in order])
        assert (found and found.name) == expected


def test_alias_counts_like_the_name() -> None:
    assert resolve(Mention(name="Big Blue"), [entity("IBM", "big blue", types=(ORGANISATION,))]) is not None


def test_longer_name_must_cover_every_longer_name_known() -> None:
    known = entity("Ana", "Ana Costa")
    assert resolve(Mention(name="Ana Silva", type=PERSON), [known]) is None
    assert resolve(Mention(name="Ana Maria Silva", type=PERSON), [known]) is None
    assert resolve(Mention(name="Ana Maria Costa", type=PERSON), [known]) is known
    assert resolve(Mention(name="Costa", type=PERSON), [known]) is known


def test_entity_of_several_types_is_met_under_each_of_them() -> None:
    assert resolve(Mention(name="Epic", type=ORGANISATION), [entity("Epic Records", types=("Topic", ORGANISATION))])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("  Ana  COSTA ", ["ana costa"]),
        ("Costa, Dr. Ana", ["costa, dr. ana", "ana costa"]),
        ("São Paulo", ["são paulo", "sao paulo"]),
        ("The Killers'", ["killers"]),
        ("Acme Inc.", ["acme inc.", "acme inc", "acme"]),
        ("dataLoader", ["dataloader", "data loader"]),
        ("data_loader", ["data_loader", "data loader", "dataloader"]),
        ("International Olympic Committee", ["ioc"]),
        ("U.S.", ["us", "united states", "american"]),
        ("Bob Dylan", ["robert dylan", "bobby dylan"]),
        ("World War II", ["world war ii", "world war 2"]),
    ],
)
def test_name_is_looked_up_under_its_forms(name: str, expected: list[str]) -> None:
    found = keys(name)
    assert set(expected) <= set(found)
    assert len(found) == len(set(found))


def test_first_key_is_the_name_itself_and_nothing_has_none() -> None:
    assert keys("Ana Costa")[0] == "ana costa"
    assert keys("Mr")[0] == "mr"
    assert keys(" ") == ()
