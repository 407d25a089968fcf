"""Words that those around them explain: answers of tests, gestures, aids, vehicles, acronyms that no table has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from deid.detection.lookup.known_names import BRANDS, FIGURE_SURNAMES, PUBLIC_FIGURES, VEHICLES
from deid.detection.lookup.lexicon import lexicon
from deid.detection.merging.evidence import starts_word
from deid.detection.text.names import glued, is_capital
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import (
    CIVILITIES,
    DOCTOR_TITLES,
    EPONYM_CUES,
    EPONYMS,
    KINSHIP,
    NAME_FIELDS,
    PROFESSIONS,
    REPORT_WORDS,
    word_list,
)
from deid.domain.document import Mention
from deid.domain.labels import NAMES, PLACES, Label

_OF_A_TEST = re.compile(
    r"\b(?:celebres?|visages?|presidents?|mms|mmse|moca|fluences?|denomination|personnages?|ecrivain)\b"
)
_TEST_REACH = 600  # characters of a test that names several figures
_FIGURES, _FIGURES_NEAR = 2, 60  # other public figures, within so many tokens, from which names are those of a test
_GENERAL = re.compile(r"\bgeneral (?:de )?\Z")
_ROLE = re.compile(rf"\b(?:{'|'.join(sorted(word_list('public_roles')))})\b[^.;?!«»\n]{{0,60}}\? ?\Z")
# A line of a test in which words are learned and told again.
_RECALLED = re.compile(r"[ \t\d.)]*(?:apprentissage|denomination|fluences?|evocation|rappels?)\b")
# Births of a surname or first name that few bear; words for what people read, hear, see and tell of artists and
# writers, in the clause ahead of the name.
_SELDOM_BORNE, _SELDOM_GIVEN = 12_000, 500
# Births of a surname and of a first name under which a famous name is hardly another's; what a person's is followed by.
_RARELY_BORNE, _RARELY_GIVEN, _RARELY_GIVEN_LAST = 1_500, 100, 2_000
_SOMEBODYS = re.compile(r" ?(?:,|\(|:)? ?(?:nee?\b|agee?\b|\d(?!er\b)|epouse\b)")
_CULTURE_REACH = 80
# Those told by one name, near words that tell of delusions.
_CALLED_BY_ONE = word_list("called_by_one_name")
_SAID_NEAR, _PLACES = 80, 50  # characters to what tells a delusion; places of a name that are looked at
_FEW_GIVEN = 1_000  # births of a first name that tells nobody but its famous bearer
_DELUSION = re.compile(rf"\b(?:{'|'.join(sorted(word_list('delusions')))})\b")
# Ahead of whom somebody takes himself for or hears. Who is said to be or heard may be real: a caller, the dead husband.
_CLAIMED = re.compile(
    r"\b(?:se (?:prend|prendre|prenait|prenant) pour|se (?:croit|croyait)|(?:pense|pensait|croit) etre|"
    r"(?:persuade|convaincu)e? d'etre|reincarnation de|(?P<said>(?:dit|disait) etre)|"
    r"(?P<heard>(?:entend\w*|ecoute\w*) (?:\w+ ){0,3}voix d[eu])) (?:l[ea] )?(?P<list>"
    rf"(?:(?:{'|'.join(sorted(_CALLED_BY_ONE))})(?:,| et| ou) (?:(?:pour|ou|et|d[eu]) )?(?:l[ea] )?){{0,6}})\Z"
)
# Ahead of whom somebody says he is kin to. Who only says so may be a caller.
_OF_KIN = re.compile(
    r"\bse (?:croit|croyait|pretend|pretendait|prend pour|(?P<said>dit|disait)) (?:etre )?(?:[«\"] ?)?"
    r"(?:l[ea] |l'|une? )?(?:petite?-)?"
    r"(?:freres?|soeur|fils|fille|mere|pere|cousine?|epouse|epoux|femme|mari|neveu|niece|descendante?|heritiere?|elue?)"
    r" (?:cachee? |preferee? )?(?:de |du |d')(?:(?:de )?[a-z]{3,} (?:et|ou) (?:de |du |d')){0,3}(?:de )?\Z"
)
_LISTED = re.compile(r" ?(?:[,.;:!?)»]|et |ou |puis |\Z|\n)")
_ROLES = (KINSHIP | PROFESSIONS | word_list("callers")) - frozenset("avis lu relu signe vu vue".split())
_IN_A_ROLE = re.compile(
    r" ?[,(:–-] ?(?:(?:une?|l[ea]|[ms]on|[ms]a|leur|notre|votre) |l')?"
    rf"(?:{'|'.join(sorted(_ROLES))})\b(?! de (?:dieu|\d))"
)
_SPEAKS = re.compile(r" (?:lui|me) (?:parl|ordonn|command|souffl)\w+")
_CLAUSE = re.compile(r"[.;!?\n|]")
_CULTURE = re.compile(rf"\b(?:{'|'.join(sorted(word_list('culture')))})\b")
_BEFORE_FIGURE = frozenset("de du d des la le les l cite".split())
_OF = frozenset({"de", "du", "d"})
_SOMEBODY = CIVILITIES | DOCTOR_TITLES | PROFESSIONS | KINSHIP
_DOES = re.compile(r"\b(?:re)?(?:fai(?:t|re|s|tes)|tent(?:e|er)|essaye?r?) (?:un |une |le |la |la manoeuvre )?\Z")
_AIDS = word_list("aids")
_SHORTENED = word_list("shortened")
_BEFORE_CAESAREAN = frozenset("cette code d de en et la ou par post pour sous une".split())
_OBSTETRIC = frozenset(
    "accouchement avb cesarienne declenchement foetal foetus forceps grossesse maternite obstetrique".split()
)
_OFTEN_BORNE = 5_000  # births from which a word in small letters with a dot may be somebody's name
_BORNE = 500  # births from which the word for an aid is rather a surname: "Collier"
_OF_NAME = re.compile(r"(?:de |du |d['’])")
_A_VEHICLE = re.compile(
    r"\b(?:(?:une?|d'une?|sa|son|ma|mon|notre|votre|leur|en) (?:vieux |vieille |petite? |grosse? |nouvelle )?|"
    r"(?:vieux|vieille|tracteur|moto|camion|voiture|camionnette|fourgon|scooter|quad) )\Z"
)
_BEHIND_MARRIED = frozenset("a avec depuis sans deux trois".split())
_ACRONYM, _DOUBTED = (3, 5), 0.66  # letters of an acronym; score below which a tagger doubts
_SIGNING = (
    PROFESSIONS | CIVILITIES | DOCTOR_TITLES | frozenset(NAME_FIELDS) | frozenset("par avec chez vu visa".split())
)


def is_explained(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """Return whether a name is none, however sure: its words alone are given."""
    if mention.label in NAMES | PLACES and is_claimed(reading, mention):
        return True
    if mention.label in NAMES and (_is_public_figure(reading, mention, words) or _is_unmistakable(reading, mention)):
        return True
    if is_of_culture(reading, mention, words):
        return True
    if mention.label not in NAMES | PLACES | {Label.ORG}:
        return False
    if _is_reagent(reading, mention) or (mention.label in NAMES and _is_make(reading, mention, words)):
        return True
    if len(words) == 1 and (_is_married(reading, mention, words[0]) or _is_shortened(reading, mention, words[0])):
        return True
    if len(words) == 3 and words[0] in EPONYM_CUES and words[1] in ("de", "d", "du"):
        return words[2] in EPONYMS or words[2] in reading.lexicon.eponyms  # "DAVIER DE WEBER"
    if _is_answer(reading, mention, words) or _is_one_behind(reading, mention, words):
        return True
    if len(words) == 1 and words[0] in _SHORTENED:  # "Nelle ordo", "gend. Abadie"
        after = reading.token_at(mention.end - 1) + 1
        return reading.word(after) == "." or (reading.word(after).isalpha() and not reading.capitals[after])
    return _is_aid(reading, mention, words)


# The noun of a device right ahead of its make, with an adjective: "mèche Merocel", "lentille souple Oculex".
_OF_DEVICE = re.compile(
    rf"\b(?:{'|'.join(sorted(word_list('device_nouns')))})"
    r"(?: (?!par\b|de\b|chez\b)[a-z]{4,}(?<!ee)(?<!ees))?[ (]{1,2}\Z"
)
# "VACCIN HEPATITE B : ENGERIX", "Collier cervical : Stifneck"
_IN_PLACE = re.compile(rf"\b(?:{'|'.join(sorted(word_list('device_nouns')))})\b[^.;:\n]{{0,24}} ?: ?\Z")
# Roots and endings of what products are called and hardly any surname is, and what is done by such means ahead: "suture
# par Surgiplex", but "suture par Biollot".
_MADE = re.compile(
    r"(?:surgi|hemo(?!n)|endo|osteo|cardio|neuro|opti|collag|vaso|arthro|hydro|cryo)[a-z]{3,}|"
    r"[a-z]{3,}(?:cath|flex|stent|clip|lok|seal|sorb|foam|glue|plug|flow|flux|patch|plast|bond|mesh|wire|fuse|pump|guard)"
)
_BY_MEANS = re.compile(
    r"\b[a-z]{3,}(?:ages?|ions?|ures?|ases?|ies?|ements?|completee?|fermee?) (?:[a-z'’-]+ ){0,5}(?:par|au|avec) \Z"
)
# Makes of several words: "Hem-o-lok", "Discovery MI".
_MAKES = re.compile(
    rf"(?<![\w-])(?:{'|'.join(one.replace(' ', '[ -]') for one in sorted(BRANDS) if ' ' in one)})(?![\w-])"
)
_LONGEST_MAKE = 24  # characters
_STATED = frozenset(
    "appele appelee dicte examine examinee faite opere operee realise realisee revue suivi suivie".split()
)
# A reagent and a lens that are called like somebody: "Brucella (Rose Bengale)", "lentille rigide Rose K2".
_REAGENT = re.compile(r"rose (?:bengale|k2?)")
_REACTS = re.compile(
    r"\b(?:brucell\w+|serolog\w+|tests?|epreuve|lenti\w+|adapt\w+|equip\w+|coloration|kerato\w+)\b[^.;\n]{0,40}\Z"
)


def _is_reagent(reading: Reading, mention: Mention) -> bool:
    ahead = _REACTS.search(reading.folded, max(0, mention.start - _SAID_NEAR), mention.start)
    return bool(ahead and _REAGENT.fullmatch(reading.folded, mention.start, mention.end))


def _is_made(reading: Reading, word: str) -> bool:
    known = reading.lexicon
    return word in known.drugs or word in REPORT_WORDS or (word in BRANDS and known.is_unknown(word))


def _is_make(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for a drug or make that nobody bears, and for what no table has behind the word for a device or its means.

    A title before one of the words anywhere makes a person, as a role, a relative or a first name beside it does.
    """
    known, first, behind = reading.lexicon, reading.token_at(mention.start), reading.token_at(mention.end - 1) + 1
    beside = [
        reading.word(first - 1 - (reading.word(first - 1) == ":")),
        reading.word(behind + (reading.word(behind) in (",", "(", "-", "–"))),
    ]
    if any(one in PROFESSIONS | KINSHIP or one in NAME_FIELDS or known.is_first_name(one) for one in beside):
        return False
    ahead = (reading.word(first - 1), reading.word(first - 2))
    if not reading.titled.isdisjoint(words) or (ahead[0] == "par" and ahead[1] in PROFESSIONS | _STATED):
        return False
    near = max(0, mention.start - _LONGEST_MAKE), mention.end + _LONGEST_MAKE
    caring = mention.label is Label.DOCTOR
    if caring and any(
        one.start() <= mention.start and mention.end <= one.end() for one in _MAKES.finditer(reading.folded, *near)
    ):
        return True
    if any(known.first_names.get(one) or known.surnames.get(one) for one in words):
        return False
    brand = reading.word(first - 1 - (ahead[0] == "-"))
    if (
        caring
        and all(map(known.is_unknown, words))
        and (words[0] in BRANDS or (brand in BRANDS and known.is_unknown(brand)))
    ):
        return True  # "CADD-[Legacy]", "Nutrison [Energy]"
    if not reading.joined.isdisjoint(words):
        return False
    if caring and _is_made(reading, words[0]) and all(_is_made(reading, one) or len(one) < 3 for one in words):
        return True
    line = reading.folded[max(reading.line(mention.start)[0], mention.start - _SAID_NEAR) : mention.start]
    made = _OF_DEVICE.search(line) or (_MADE.fullmatch(words[0]) and _BY_MEANS.search(line)) or _IN_PLACE.search(line)
    return bool(made) and all(map(known.is_unknown, words))


def _is_married(reading: Reading, mention: Mention, word: str) -> bool:
    """True for the participle in capitals: "MARIE A CHRISTIANE", "VIGNERON, MARIE, 2 ENFANTS"."""
    index = reading.token_at(mention.start)
    if word not in ("marie", "mariee") or not reading.shouted(index) or reading.word(index - 1) in _SIGNING:
        return False
    behind = reading.word(index + 1)
    return behind in _BEHIND_MARRIED or (behind == "," and reading.word(index + 2).isdigit())


def _is_shortened(reading: Reading, mention: Mention, word: str) -> bool:
    """True for a word cut short in small letters that nobody bears, in text with capitals: "[diar]. 1 sem."."""
    index = reading.token_at(mention.start)
    if word == "cesar":  # a Caesarean
        said = reading.word(index - 1) in _BEFORE_CAESAREAN or reading.word(index - 1).isdigit()
        said = said and not (
            reading.word(index - 2) in KINSHIP or reading.lexicon.is_first_name(reading.word(index - 2))
        )
        return said and reading.surface(index).islower() and any(word in reading.places for word in _OBSTETRIC)
    if not reading.surface(index).islower() or reading.lowered(index) or reading.word(index + 1) != ".":
        return False
    births, ahead = reading.lexicon.surnames.get(word), reading.word(index - 1)
    if ahead == "par" and births < _BORNE and starts_word(word):
        return reading.word(index - 2) not in PROFESSIONS | _STATED  # "reprise par [collat.]"
    borne = reading.lexicon.is_first_name(word) or births >= _OFTEN_BORNE
    return not borne and mention.score < _DOUBTED and ahead not in _SIGNING


def _is_public_figure(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for a president, writer or singer named in a test of memory, and for "le général de Gaulle"."""
    name = " ".join(words)
    if name in ("gaulle", "de gaulle"):
        return _GENERAL.search(reading.folded, max(0, mention.start - 16), mention.start) is not None
    if reading.word(reading.token_at(mention.start) - 1) in KINSHIP or name not in PUBLIC_FIGURES | FIGURE_SURNAMES:
        return False
    if name in PUBLIC_FIGURES and _OF_A_TEST.search(reading.folded, max(0, mention.start - 160), mention.end + 60):
        return True
    if not _OF_A_TEST.search(reading.folded, max(0, mention.start - _TEST_REACH), mention.end + 60):
        return False
    around = reading.words[max(0, reading.token_at(mention.start) - _FIGURES_NEAR) :][: 2 * _FIGURES_NEAR]
    pairs = {" ".join(pair) for pair in pairwise(around)} - {name}
    return len(pairs & PUBLIC_FIGURES) >= _FIGURES


def is_claimed(reading: Reading, mention: Mention) -> bool:
    """True for a famous name that somebody says he is kin to: "se croit le fils de de Gaulle"."""
    inside = [at for at in reading.tokens(mention) if reading.words[at].isalpha() and reading.words[at] not in _OF]
    if len(inside) != 1 or reading.words[inside[0]] in reading.titled:
        return False
    word, start = reading.words[inside[0]], reading.starts[inside[0]]
    if len(reading.places.get(word, ())) > 1:
        return False  # "Patient : DALI Jean. Elle se dit la femme de Dali."
    before = reading.folded[max(0, start - _SAID_NEAR) : start]
    claim = _OF_KIN.search(before)
    if claim is None or word not in _CALLED_BY_ONE | _known_by_surname():
        return False
    rare = word in _CALLED_BY_ONE and reading.lexicon.first_names.get(word) < _OFTEN_BORNE
    told = _DELUSION.search(before) is not None
    return told or (not claim["said"] and reading.lexicon.first_names.get(word) < _OFTEN_BORNE) or rare


def _is_unmistakable(reading: Reading, mention: Mention) -> bool:
    """True for a famous name that hardly anybody else bears, in a sentence: "croit qu'Emmanuel Macron lui doit".

    A title, a relative or a role ahead, a title before the surname anywhere, and an age or birth behind make a person.
    """
    inside = [at for at in reading.tokens(mention) if reading.words[at].isalpha()]
    words = [reading.words[at] for at in inside]
    if len(words) == 1 and words[0] in _CALLED_BY_ONE:
        return _is_of_delusion(reading, mention, words[0])
    if not words or " ".join(words) not in PUBLIC_FIGURES:
        return False
    lexicon, most = reading.lexicon, _RARELY_GIVEN if len(words) == 1 else _RARELY_GIVEN_LAST
    if lexicon.surnames.get(words[-1]) >= _RARELY_BORNE or lexicon.first_names.get(words[-1]) >= most:
        return False
    ahead = reading.words[max(0, inside[0] - 3) : inside[0]]
    if len(words) > 1 and not lexicon.surnames.get(words[-1]) and _SOMEBODY.isdisjoint(ahead[-1:]):
        return True  # "son vrai père serait Johnny Hallyday": nobody is called so
    if not ahead or ahead[-1] in ("\n", ":", "|", ";", ".", "-") or not _SOMEBODY.isdisjoint(ahead):
        return False
    if lexicon.parts.get(ahead[-1]) == "NOM" and ahead[-1] not in word_list("public_roles"):
        return False  # "son voisin Pompidou"
    return not _SOMEBODYS.match(reading.folded, mention.end) and words[-1] not in reading.titled


def _is_of_delusion(reading: Reading, mention: Mention, word: str) -> bool:
    """True for a name told by one word that somebody takes himself for or hears, and that is nobody's elsewhere."""
    text, births = reading.folded, reading.lexicon.first_names.get(word)
    before = text[max(0, mention.start - _SAID_NEAR) : mention.start]
    behind = text[mention.end : mention.end + _SAID_NEAR]
    ahead, claim = _CLAUSE.split(before)[-1], _CLAIMED.search(before)
    if claim is not None and claim["list"] and not _LISTED.match(behind):
        return False  # "se prend pour Jésus, César est venu"
    said = claim is not None and claim["said"] is not None
    told = _DELUSION.search(before if said else f"{ahead} {_CLAUSE.split(behind, maxsplit=1)[0]}") is not None
    if _SOMEBODYS.match(behind) or (said and not _ROLES.isdisjoint(re.findall(r"[a-z]+\b(?! de \d)", ahead))):
        return False
    spoken = told and (births < _FEW_GIVEN or _SPEAKS.match(behind))
    if not (spoken if claim is None else told or not (said or claim["heard"]) or births < _OFTEN_BORNE):
        return False
    return word not in reading.titled and not any(
        reading.word(at - 1) in KINSHIP or is_capital(reading, at + 1) or _IN_A_ROLE.match(text, reading.ends[at])
        for at in reading.places[word][:_PLACES]
    )


@cache
def _known_by_surname() -> frozenset[str]:
    """Return the last names of public figures that few others bear, as a surname or a first name."""
    surnames, given = lexicon().surnames, lexicon().first_names
    return frozenset(
        one for one in FIGURE_SURNAMES if surnames.get(one) < _SELDOM_BORNE and given.get(one) < _SELDOM_GIVEN
    )


def is_of_culture(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """Return whether a name is of an artist, writer or hero whom somebody reads or hears: "fan de Brel", "lit Camus".

    A role or relative between the words for it and the name, or a title before the name anywhere, makes a person.
    """
    names = [word for word in words if word not in _BEFORE_FIGURE]
    known = len(names) > 1 and " ".join(names) in PUBLIC_FIGURES
    known |= bool(names) and _known_by_surname().issuperset(set(names) - {"et", "ou"})
    at = next((at for at in reading.tokens(mention) if known and reading.words[at] == names[0]), 0)
    start = max(reading.line(mention.start)[0], reading.starts[at] - _CULTURE_REACH)
    clause = _CLAUSE.split(reading.folded[start : reading.starts[at]])[-1]
    cues = [*_CULTURE.finditer(clause)] if known else []
    if not cues or not _SOMEBODY.isdisjoint(re.findall(r"[a-z]+", clause[cues[-1].end() :])):
        return False
    written = reading.text[reading.starts[at] - len(clause) :][slice(*cues[-1].span())]
    if cues[-1].group() in ("cite", "lit") and (written.isupper() or not written.isascii()):
        return False  # "CITE BREL", "cité Brel", "LIT CAMUS": a street, a bed
    return names[-1] not in reading.titled


def _is_answer(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True in quotation marks behind a question about public life, or, of a plant or thing, in a test of recall.

    A name that stands outside of quotation marks too is somebody's.
    """
    line, end = reading.line(mention.start)
    opened = reading.folded.rfind("«", line, mention.start)
    if opened < 0 or "»" in reading.folded[opened : mention.start]:
        return False
    if _ROLE.search(reading.folded, line, opened):
        return True
    known = reading.lexicon
    thing = len(words) == 1 and "NOM" in known.parts.get(words[0], "").split("|")
    if not thing or not _RECALLED.match(reading.folded, line, end):
        return False
    return not any(not line <= reading.starts[at] < end for at in reading.places.get(words[0], ()))


def _is_one_behind(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for an eponym that is done and a make behind its article or kind: "a fait Heimlich", "un vieux Renault"."""
    return len(words) == 1 and any(
        words[0] in known and ahead.search(reading.folded, max(0, mention.start - 40), mention.start)
        for known, ahead in ((EPONYMS, _DOES), (VEHICLES, _A_VEHICLE))
    )


def _is_aid(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for an aid by its kind and make: "Minerve Halo", "Corset Boston"."""
    lexicon = reading.lexicon
    if words[0] not in _AIDS or lexicon.surnames.get(words[0]) >= _BORNE:
        return False
    return not _OF_NAME.match(reading.folded, reading.ends[reading.token_at(mention.start)] + 1) and not any(
        lexicon.is_first_name(word) for word in words[1:]
    )


def is_lone_acronym(reading: Reading, mention: Mention) -> bool:
    """True for three to five capitals in no table that the taggers doubt, where nobody is announced or signs."""
    index = reading.token_at(mention.start)
    word, (least, most) = reading.words[index], _ACRONYM
    if mention.label not in NAMES | {Label.ORG} or mention.score >= _DOUBTED:
        return False
    if len(reading.tokens(mention)) > 1 or not least <= len(word) <= most or not reading.surface(index).isupper():
        return False
    if not word.isalpha() or not reading.lexicon.is_unknown(word) or reading.shouted(index):
        return False
    if glued(reading, index) or (glued(reading, index + 1) and reading.word(index + 1) in ("-", "/", ".")):
        return False
    start, end = reading.starts[index], reading.ends[index]
    apart = reading.text[max(0, start - 2) : start] == "  " == reading.text[end : end + 2]  # in a column of its own
    if not apart and any(is_capital(reading, at) and reading.word(at).isalpha() for at in (index - 1, index + 1)):
        return False
    before = index - 1
    while reading.word(before) in (":", "(", "."):
        before -= 1
    said = reading.word(before) in _SIGNING and not reading.measured(index)
    return not said and reading.word(index + 1) not in ("", "\n")
