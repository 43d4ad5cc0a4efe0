"""Closed classes of English words, as plain facts. No rules here."""

from __future__ import annotations

from everfact.words import word_set

FIRST = word_set("i me my mine myself we us our ours ourselves")
SECOND = word_set("you your yours yourself")
FEMALE = word_set("she her hers herself")
MALE = word_set("he him his himself")
NEUTER = word_set("it its itself")
PLURAL = word_set("they them their theirs themselves")
PRONOUNS = word_set(
    "i me we us you he him she her it they them myself yourself himself herself itself ourselves themselves mine "
    "yours ours theirs hers someone somebody anyone anybody everyone everybody nobody something anything everything "
    "nothing this that these those there here one ones none both"
)
POSSESSIVES = word_set("my your his her its our their whose")
DETERMINERS = word_set(
    "a an the this that these those some any each every all both no another other such several many few most more "
    "much various certain either neither own same whole entire"
)
MODALS = word_set("will would can could may might must shall should ought 'll 'd wo ca cannot")
BE = word_set("be is are am was were been being 's 'm 're")
HAVE = word_set("have has had having 've")
DO = word_set("do does did doing done")
NEGATIONS = word_set("not n't never no-one nobody nothing none neither nor hardly barely without")
PREPOSITIONS = word_set(
    "of in on at for from with by about as into onto over under after before between through during against among "
    "within across behind beyond near towards toward upon via per than like unlike off out up down since until till "
    "around along despite except inside outside above below beside besides instead alongside throughout amid plus"
)
CONJUNCTIONS = word_set("and or but so yet nor & plus then")
MARKS = word_set(
    "if because although though while when whenever unless whereas once whether where how why as-if in-case "
    "provided lest"
)
WH = word_set("who whom which that what")
WEEKDAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = word_set(
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec"
)
SEASONS = word_set("spring summer autumn fall winter christmas easter halloween thanksgiving ramadan hanukkah diwali")
INTERJECTIONS = word_set(
    "hey hi hello yeah yes yep yup nope no ok okay oh wow thanks thank please sorry sure well hmm ah aha haha lol "
    "cool great nice awesome congrats congratulations bye goodbye cheers absolutely definitely totally exactly omg "
    "ugh yikes whoa aw aww woo hooray welcome good morning evening afternoon night dear damn gosh btw fyi ps asap "
    "imo tbh"
)
NOT_NAMES = word_set(
    "i ok okay tv pc id ui ux api url faq todo fixme ceo cto cfo coo vp hr pr mr mrs ms dr prof am pm bc ad ce bce "
    "usd eur gbp asap fyi eta etc kpi okr poc mvp diy rsvp dm ama lol omg btw ps nb re cc bcc qa ci cd aka vs god "
    "lord sir madam mom dad mum mama papa grandma grandpa internet web english-only"
)
LABELS = word_set(
    "update correction note notes edit reminder fyi todo warning status decision summary action context background "
    "question answer re subject from to cc date time remember heads-up ps nb tip important example user-story fix "
    "bug feature result owner deadline goal goals next agenda today yesterday tomorrow"
)
FAMILY = word_set(
    "wife husband spouse partner girlfriend boyfriend fiance fiancé fiancée fiancee mother father mom dad mum "
    "parent sister brother sibling son daughter child kid baby aunt uncle cousin niece nephew grandmother "
    "grandfather grandma grandpa grandson granddaughter friend bestie roommate flatmate housemate neighbor "
    "neighbour colleague coworker boss manager supervisor mentor mentee coach teacher therapist doctor dentist "
    "landlord tenant assistant dog cat puppy kitten horse pet rabbit parrot hamster stepmother stepfather stepson "
    "stepdaughter twin ex ex-wife ex-husband godmother godfather client tutor accountant lawyer vet trainer "
    "bandmate teammate cofounder co-founder"
)
SINGLE_FAMILY = word_set(
    "wife husband spouse girlfriend boyfriend fiance fiancé fiancée fiancee mother father mom dad mum boss manager "
    "supervisor landlord partner roommate flatmate housemate therapist doctor dentist coach mentor"
)
"""A person has one of these at a time, as people speak of them ("my dentist is …")."""

SPOUSES = word_set("wife husband spouse")
PETS = word_set("dog cat puppy kitten horse pet rabbit parrot hamster")
PERSON_HEADS = (FAMILY - PETS) | word_set(
    "man woman boy girl guy person people lady gentleman engineer developer programmer designer analyst scientist "
    "researcher nurse surgeon writer author editor artist painter musician singer actor actress director producer "
    "chef cook baker waiter driver pilot captain officer soldier student professor lecturer principal librarian "
    "journalist reporter photographer architect plumber electrician carpenter mechanic farmer gardener clerk "
    "cashier salesman consultant contractor freelancer founder owner president chairman chairwoman chair secretary "
    "treasurer minister senator mayor governor king queen prince princess duke emperor politician diplomat judge "
    "attorney barista florist tailor butcher fisherman firefighter paramedic pharmacist psychologist counselor "
    "counsellor translator interpreter administrator head lead leader chief intern apprentice trainee volunteer "
    "member player footballer racer skier swimmer runner cyclist boxer wrestler golfer goalkeeper striker "
    "midfielder defender guitarist drummer bassist pianist violinist composer conductor poet novelist playwright "
    "screenwriter historian philosopher mathematician physicist chemist biologist economist astronaut ceo cto cfo "
    "coo vp pm master receptionist host hostess curator keeper maintainer organiser organizer planner buyer "
    "strategist representative agent broker banker investor entrepreneur businessman businesswoman specialist "
    "expert technician operator foreman superintendent inspector auditor bookkeeper caretaker janitor cleaner guard "
    "warden ranger sailor sergeant lieutenant colonel general admiral priest bishop rabbi imam pastor monk nun "
    "sculptor dancer choreographer comedian magician model stylist hairdresser barber masseur physiotherapist "
    "veterinarian zoologist botanist geologist treasurer deputy fellow postdoc undergraduate graduate alumnus "
    "speaker chairperson spokesperson"
)
"""Nouns for what a person is or does."""

STATUS_KINDS = {
    "health": "healthy unhealthy up down broken stable unstable online offline flaky failing passing working "
    "operational degraded out of order out of service running stopped",
    "switch": "enabled disabled active inactive locked unlocked",
    "support": "deprecated supported unsupported obsolete archived frozen live",
    "colour": "green red yellow amber",
    "stock": "available unavailable sold full empty booked vacant occupied rented out of stock in stock",
    "diet": "vegan vegetarian pescatarian omnivore",
    "person": "retired unemployed employed pregnant sick recovered alive dead healed cured infected",
    "payment": "paid unpaid signed unsigned",
    "schedule": "late delayed overdue on track off track on schedule",
}
"""What sort of status a word is. Words of different sorts stand side by side; all other statuses are about progress."""

SIDE_ROLES = word_set(
    "member fan volunteer student player runner swimmer cyclist mother father parent friend sister brother twin "
    "cousin neighbour neighbor founder author guy man woman person people lady owner graduate fellow speaker runner "
    "boxer dancer singer host"
)
"""What one can be besides one's job."""

STATUSES = word_set(
    "unhealthy degraded working pescatarian blocked done finished complete completed ready pending open closed "
    "merged deployed live broken down up healthy stable unstable approved rejected cancelled canceled postponed "
    "paused stalled frozen archived deprecated shipped released resolved unresolved fixed unfixed online offline "
    "active inactive enabled disabled green red yellow amber late delayed overdue abandoned scheduled unscheduled "
    "vacant occupied sold rented booked full empty available unavailable retired unemployed employed pregnant "
    "engaged married single divorced widowed separated vegan vegetarian sick healed recovered alive dead bankrupt "
    "obsolete supported unsupported reopened reverted draft final signed unsigned paid unpaid shelved queued "
    "suspended operational expired renewed running stopped flaky failing passing passed failed locked unlocked "
    "submitted accepted granted denied confirmed unconfirmed settled underway dormant cured infected quarantined "
    "unblocked resumed repaired restored cleared unpaused opened "
    "delivered dispatched refunded published discontinued decommissioned terminated scrapped adjourned"
)
STATUS_PHRASES = word_set(
    "review progress testing staging production development beta alpha qa draft hold track pause schedule leave "
    "sale maintenance transit stock order service way"
)
"""After "in", "on", "under", "out of": "in review", "on hold"."""

MARITAL = word_set("engaged married single divorced widowed separated")

ATTRIBUTES = word_set(
    "budget rent salary price cost fee deadline date version status owner manager maintainer lead capacity limit "
    "quota goal target score count size port timeout default address email phone number name role title age weight "
    "height password password rate ratio coverage accuracy latency threshold interval frequency schedule time day "
    "location venue host hostname url branch command framework language database editor colour color brand theme "
    "tier level balance mileage distance pace record streak rank rating mark grade headcount population length "
    "width depth speed temperature duration retention ttl assignee reviewer approver contact supplier vendor "
    "provider carrier insurer landlord bank sponsor president chair chairman captain coach director ceo cto cfo "
    "head leader capital currency nationality hometown birthday anniversary nickname surname username handle pin "
    "code key id sku model make region zone cluster replica replicas shards seats wage income allowance deposit "
    "mortgage tax discount tip toll premium cutoff expiry eta progress completion backlog attendance room desk "
    "floor seat gate platform terminal track station stop bpm mode setting policy format encoding timezone locale "
    "engine runtime compiler interpreter shell browser font keybinding wallpaper ringtone alarm routine diet dose "
    "dosage prescription medication allergy job employer occupation profession position residence home ownership "
    "responsibility"
)
"""Head nouns that name what is said about something else: "the sprint deadline", "my rent"."""

PLACE_HEADS = word_set(
    "city town village district county province state region country island river lake mountain valley street "
    "avenue road square bridge park beach bay sea ocean desert forest peninsula municipality commune suburb "
    "neighborhood neighbourhood borough parish canton prefecture voivodeship airport station harbor harbour port "
    "castle palace church cathedral temple mosque museum library theatre theater stadium arena hotel restaurant "
    "cafe hospital mall building tower apartment flat house office kitchen bedroom bathroom hall hallway garage "
    "garden attic basement cellar shed barn drawer shelf cupboard rack room lab warehouse depot"
)
ORGANIZATION_HEADS = word_set(
    "company corporation inc corp ltd llc gmbh ag plc co foundation institute university college school academy "
    "bank agency ministry department bureau office council committee commission association union league federation "
    "party group team squad band orchestra choir club society church army navy force forces corps regiment division "
    "brigade records pictures studios entertainment press publishing publishers newspaper magazine network airlines "
    "airways motors systems technologies labs laboratories hospital clinic government parliament senate congress "
    "court police startup firm nonprofit charity museum"
)
EVENTS = word_set(
    "meeting class course party wedding conference launch demo review interview call standup stand-up retro sync "
    "workshop seminar lecture concert show match game race trip flight exam appointment session rehearsal election "
    "festival visit inspection hearing trial dinner lunch breakfast event webinar meetup retreat kickoff fair market "
    "tournament ceremony funeral marathon tour surgery operation gig screening"
)
"""What takes place; anything else that has a date is due then."""

TYPE_HEADS = {
    "project": "Project",
    "initiative": "Project",
    "program": "Project",
    "programme": "Project",
    "service": "Technology",
    "library": "Technology",
    "framework": "Technology",
    "database": "Technology",
    "language": "Technology",
    "tool": "Technology",
    "api": "Technology",
    "app": "Technology",
    "repo": "Project",
    "repository": "Project",
    "document": "Document",
    "book": "Document",
    "novel": "Document",
    "paper": "Document",
    "report": "Document",
    "album": "Object",
    "song": "Object",
    "film": "Object",
    "movie": "Object",
    "conference": "Event",
    "festival": "Event",
    "meeting": "Event",
    "party": "Event",
    "war": "Event",
    "battle": "Event",
    "championship": "Event",
    "olympics": "Event",
    "tournament": "Event",
}
