"""What verbs say: one table from verb and preposition to relation, and the rule that reads it."""

from __future__ import annotations

from dataclasses import dataclass

from everfact.extractors.local.draft import ENDS, HAPPENED, Draft, Manner, manner_of
from everfact.extractors.local.reading import words
from everfact.extractors.local.reading.clauses import Arg, Clause
from everfact.extractors.local.reading.phrases import NounPhrase
from everfact.extractors.local.scene import Scene
from everfact.models import FactKind, Mention, Value, ValueType
from everfact.relations import attribute_of, is_one_at_a_time

# verbs, prepositions ("-" for none), relation ("%": the verb itself; after ":" the attribute, where it is not the
# relation's own), what the subject is, what the object is, flags
_TABLE = (
    ("work", "at for", "WORKS_AT", "Person", "Organization", ""),
    ("employ", "at by", "WORKS_AT", "Person", "Organization", "passive"),
    ("take_place happen occur", "in at", "LOCATED_IN", "", "place", ""),
    ("take_place", "on at in", "SCHEDULED_FOR", "", "value", ""),
    ("work serve act", "as", "ROLE", "Person", "text", ""),
    ("work", "on", "WORKS_ON", "Person", "", ""),
    ("live reside dwell", "in at", "LIVES_IN", "Person", "Location", ""),
    ("settle relocate", "in to", "LIVES_IN", "Person", "Location", "begins"),
    ("study", "at", "STUDIES_AT", "Person", "Organization", ""),
    ("teach", "at", "TEACHES_AT", "Person", "Organization", ""),
    ("study learn practise practice", "-", "STUDIES", "Person", "", ""),
    ("report", "to", "REPORTS_TO", "", "Person", ""),
    ("use adopt employ utilize utilise", "-", "USES", "", "thing", ""),
    ("live room", "with", "LIVES_WITH", "Person", "Person", ""),
    ("run", "on", "USES:runs on", "", "tech", ""),
    ("rely build", "on", "USES", "", "tech", ""),
    ("power back underpin", "-", "USES:runs on", "tool", "owned", "flip"),
    ("run", "-", "USES", "", "tech", ""),
    ("write implement code rewrite reimplement", "in", "USES:written in", "", "tech", "passive"),
    ("build write make implement power back rebuild", "with in on", "USES", "", "tech", "passive"),
    ("deploy build test work monitor develop ship", "with", "USES", "", "tech", ""),
    ("talk connect write", "to", "USES", "thing", "tech", ""),
    ("have", "-", "USES", "thing", "versioned", ""),
    ("get receive", "-", "USES", "thing", "versioned", "begins"),
    ("do", "at", "WORKS_AT", "Person", "firm", ""),
    ("own", "-", "OWNS", "Person", "one", ""),
    ("power back drive underpin", "by", "USES:runs on", "", "tech", "passive"),
    ("host deploy run", "on in at", "HOSTED_ON", "", "", "passive"),
    ("store keep", "in on at", "STORED_IN", "", "", "passive"),
    ("base", "in at", "BASED_IN", "", "Location", "passive"),
    ("locate situate", "in at on near within", "LOCATED_IN", "", "Location", "passive"),
    ("own maintain lead manage head oversee chair run", "-", "OWNED_BY", "agent", "owned", "flip"),
    ("captain skipper supervise look_after", "-", "OWNED_BY", "agent", "owned", "flip"),
    ("own maintain lead manage head run oversee chair handle", "by", "OWNED_BY", "", "agent", "passive"),
    ("captain skipper supervise look_after", "by", "OWNED_BY", "", "agent", "passive"),
    ("assign", "to", "ASSIGNED_TO", "", "Person", "passive"),
    ("marry", "-", "MARRIED_TO", "Person", "Person", "begins"),
    ("marry", "to", "MARRIED_TO", "Person", "Person", "passive"),
    ("engage", "to", "ENGAGED_TO", "Person", "Person", "passive"),
    ("date", "-", "DATES", "Person", "Person", ""),
    ("divorce", "-", "MARRIED_TO", "Person", "Person", "ends"),
    ("play sing drum perform", "for in with", "PLAYS_FOR", "Person", "group", ""),
    ("play", "-", "PLAYS", "Person", "", ""),
    ("speak", "-", "SPEAKS", "Person", "", ""),
    ("drive ride", "-", "DRIVES", "Person", "", ""),
    ("like love enjoy adore", "-", "LIKES", "Person", "", ""),
    ("hate dislike loathe", "-", "DISLIKES", "Person", "", ""),
    ("volunteer", "at for with", "VOLUNTEERS_AT", "Person", "Organization", ""),
    ("belong", "to", "OWNED_BY", "thing", "agent", ""),
    ("keep track manage", "in on with", "USES", "", "tech", ""),
    ("target", "-", "TARGETS", "thing", "", ""),
    ("write code develop program edit", "in with", "USES", "Person", "tech", ""),
    ("listen", "on", "LISTENS_ON", "", "", ""),
    ("cost", "-", "COSTS", "", "value", ""),
    ("charge bill earn", "-", "%S", "", "value", ""),
    ("weigh", "-", "WEIGHT", "", "value", ""),
    ("take last", "-", "DURATION", "", "duration", ""),
    ("require", "-", "REQUIRES", "", "", ""),
    ("depend rely", "on upon", "DEPENDS_ON", "", "", ""),
    ("default", "to", "DEFAULTS_TO", "", "", ""),
    ("cause", "by", "CAUSED_BY", "", "", "passive"),
    ("fix resolve solve", "by in with", "FIXED_BY", "", "", "passive"),
    ("bear", "in at", "BORN_IN", "", "Location", "passive event"),
    ("bear", "on in", "BORN_ON", "", "value", "passive event"),
    ("die", "in at", "DIED_IN", "", "Location", "event"),
    ("die", "on in", "DIED_ON", "", "value", "event"),
    ("call name", "-", "NAME", "", "", "passive"),
    ("know", "as", "ALSO_KNOWN_AS", "", "", "passive"),
    ("meet occur happen", "on at", "MEETS_ON", "", "value", ""),
    ("end finish close expire start begin launch open", "at on in", "%S_ON", "", "value", ""),
    ("hold schedule plan book set", "on for at", "SCHEDULED_FOR", "", "value", "passive"),
)  # fmt: skip
_OBJECT_TYPES = {
    "firm": "Organization",
    "Location": "Location",
    "Organization": "Organization",
    "Person": "Person",
    "tech": "Technology",
}
_NUMBERED = frozenset(("USES", "TARGETS", "LISTENS_ON", "REQUIRES", "HOSTED_ON", "LOCATED_IN", "DEPENDS_ON"))


@dataclass(frozen=True, slots=True)
class Frame:
    """What one verb with one preposition says."""

    relation: str
    subject: str
    object: str
    is_passive: bool
    is_flipped: bool
    change: str
    attribute: str = ""


def _frames() -> dict[tuple[str, str], list[Frame]]:
    table: dict[tuple[str, str], list[Frame]] = {}
    for verbs, preps, relation, subject, thing, flags in _TABLE:
        change = next((flag for flag in ("begins", "ends", "event") if flag in flags), "")
        for verb in verbs.split():
            name, _, attribute = relation.replace("%", verb.upper()).partition(":")
            frame = Frame(name, subject, thing, "passive" in flags, "flip" in flags, change, attribute)
            for prep in preps.split():
                table.setdefault((verb, prep.replace("-", "")), []).append(frame)
    return table


FRAMES = _frames()
_THINGS_LIVE = Frame("LOCATED_IN", "", "", is_passive=False, is_flipped=False, change="")
"""A database that "lives in" a region has no home there but a place."""


def by_frame(clause: Clause, scene: Scene) -> list[Draft]:
    """What the table says about this verb."""
    drafts: list[Draft] = []
    for arg in clause.args:
        phrasal = f"{clause.verb.lemma}_{clause.verb.particle}"
        frames = FRAMES.get((phrasal, arg.prep)) or FRAMES.get((clause.verb.lemma, arg.prep), [])
        frame = next(
            (frame for frame in frames if frame.is_passive == clause.verb.is_passive and _takes(frame, arg.things[0])),
            None,
        )
        is_dated = clause.verb.lemma == "meet" and bool(arg.prep) and clause.arg("") is not None
        if frame is None or is_dated:  # "met Bob on Friday" says when, not that there is a fixture
            continue
        manner = _manner(clause, frame)
        if manner is None or (manner is ENDS and not arg.prep and _is_partial(clause)):
            return []
        for subject in clause.subjects:
            drafts += _rejected(clause, frame, subject, manner, scene)
            for thing in arg.things:
                drafts += _drafts(frame, subject, clause.about, thing, manner, scene)
    return drafts


def _is_partial(clause: Clause) -> bool:
    """ "stopped using Vim on the server": there only."""
    return any(arg.prep in ("on", "in", "at", "during") and arg.things[0].value is None for arg in clause.args)


def _rejected(clause: Clause, frame: Frame, subject: NounPhrase, manner: Manner, scene: Scene) -> list[Draft]:
    """ "uses Postgres instead of MySQL", "caused by a key, not by a tenant id": the other one is over."""
    if manner.kind is not FactKind.STATE or manner is ENDS or frame.is_flipped:
        return []
    over = ENDS
    return [
        draft
        for thing in clause.things("not", "instead of", "rather than")
        for draft in _drafts(frame, subject, clause.about, thing, over, scene)
    ]


def _manner(clause: Clause, frame: Frame) -> Manner | None:
    manner = manner_of(clause, is_change=frame.change == "begins")
    if manner is None or manner.kind is FactKind.PLAN:
        return manner
    if frame.change == "ends":
        return ENDS
    return HAPPENED if frame.change == "event" else manner


def _takes(frame: Frame, thing: NounPhrase) -> bool:
    """Whether the object is of the sort that the frame is about."""
    value, name = thing.value, thing.name
    if frame.object in ("value", "duration"):
        return value is not None and name is None and frame.object in ("value", value.type.value)
    if frame.object == "place":
        return value is None or (len(thing.core) > 1 and thing.core[-1].value is not None)
    if frame.object == "one":
        return thing.det in ("a", "an") and value is None
    if frame.object == "versioned":
        return name is not None and value is not None and value.type is ValueType.VERSION
    if frame.object in ("firm", "group"):
        kinds = ("Organization",) if frame.object == "firm" else ("Organization", "")
        return name is not None and value is None and name.name_type in kinds
    if frame.object == "tech":
        return any(token.kind == "name" and token.name_type not in ("Person", "Location") for token in thing.core) or (
            value is not None and len(thing.core) > 1 and thing.core[-1].value is not None
        )
    if frame.object == "owned":
        is_known = thing.det == "the" or thing.name is not None or thing.possessor is not None
        return is_known or thing.pronoun == "it"
    if frame.object in ("Location", "Person", "Organization", "agent"):
        return value is None or thing.name is not None or thing.head in words.PLACE_HEADS
    return not (value is not None and len(thing.core) == 1)


def is_person(phrase: NounPhrase, mention: Mention) -> bool:
    """Whether somebody is meant, as far as anyone can tell."""
    if phrase.pronoun:
        return phrase.pronoun not in words.NEUTER and not (phrase.pronoun in words.PLURAL and mention.name.islower())
    is_word = (
        mention.name.replace(" ", "").replace(".", "").replace("'", "").replace("-", "").isalpha()
        and not mention.name.isupper()
    )
    return mention.type == "Person" or (
        phrase.name is not None and mention.type == "" and is_word and len(phrase.core) == 1
    )


def _drafts(
    frame: Frame, subject: NounPhrase, about: list[Arg], thing: NounPhrase, manner: Manner, scene: Scene
) -> list[Draft]:
    who = scene.mention(subject, about)
    if who is None:
        return []
    person = is_person(subject, who)
    if frame.relation == "LIVES_IN" and not person:
        frame = _THINGS_LIVE
    is_agent = person or who.type == "Organization"
    is_tool = who.type == "Technology"
    fits = {
        "Person": person,
        "agent": is_agent,
        "tool": is_tool,
        "thing": not person or (who.type == "" and bool(thing.name and thing.name.name_type == "Person")),
    }.get(frame.subject, True)
    if not fits:
        return []
    if frame.object in ("text", "value", "duration"):
        value = Value(type=ValueType.TEXT, text=thing.words()) if frame.object == "text" else scene.value(thing)
        return [Draft(who, frame.relation, value, _attribute(frame), manner)]
    version = numbered(who, thing, manner) if frame.relation in _NUMBERED else None
    if version is not None and thing.name is None:
        return [version]
    return _between(frame, typed(who, "Person" if frame.subject == "Person" else ""), thing, manner, scene) + (
        [version] if version is not None else []
    )


def _between(frame: Frame, who: Mention, thing: NounPhrase, manner: Manner, scene: Scene) -> list[Draft]:
    what = scene.mention(thing)
    if what is None or what.name == who.name:
        return []
    if frame.object == "Person" and not (is_person(thing, what) or what.type == "Organization"):
        return []
    what = typed(what, _OBJECT_TYPES.get(frame.object, ""))
    one, other = (what, who) if frame.is_flipped else (who, what)
    return [Draft(one, frame.relation, other, _attribute(frame), manner)]


def _attribute(frame: Frame) -> str:
    attribute = frame.attribute or attribute_of(frame.relation)
    is_own = frame.object in ("value", "duration") and not frame.change and not is_one_at_a_time(attribute)
    return f"={attribute}" if is_own else attribute


def numbered(who: Mention, thing: NounPhrase, manner: Manner) -> Draft | None:
    """ "runs Python 3.12", "listens on port 8081": the number is an attribute of its own, one at a time."""
    value = thing.value
    if value is None or len(thing.core) < 2 or thing.core[-1].value is None:
        return None
    noun = thing.head
    if value.type is ValueType.VERSION or (value.type is ValueType.COUNT and "." in value.text):
        said = Value(type=ValueType.VERSION, text=thing.words())
        attribute = "version" if noun in ("version", "release") else f"={noun} version"
        return Draft(who, "VERSION", said, attribute, manner)
    if thing.name is None and noun in words.ATTRIBUTES and value.type is ValueType.COUNT:
        return Draft(
            who, noun.upper(), Value(type=ValueType.COUNT, text=thing.words(), number=value.number), f"={noun}", manner
        )
    return None


def typed(mention: Mention, kind: str) -> Mention:
    """The mention with a type, unless it has one."""
    return mention if mention.type or not kind else Mention(name=mention.name, type=kind, uuid=mention.uuid)
