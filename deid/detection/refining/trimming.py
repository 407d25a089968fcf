"""Words that annotators took into a name or an organisation: civilities, ranks, verbs, shortened roles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from deid.detection.annotators.patterns.contact import NO_COUNTRY, find_net_end
from deid.detection.lookup.known_names import LOWER_PARTICLES, PARTICLES
from deid.detection.lookup.lexicon import gazetteers
from deid.detection.text.names import Misspellings, ends_value, glued, is_capital, namelike
from deid.detection.text.reading import Reading
from deid.detection.text.senses import PARTS, Sense, find_sense
from deid.detection.text.vocabulary import DOCTOR_TITLES, KINSHIP, PERSON_TITLES, PROFESSIONS, TITLES, word_list
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.numerals import DETECTED_NUMBER_WORDS
from deid.french.organisation_heads import find_head

USUAL_NAME = 5000  # births from which a word is a usual surname
_STATED = frozenset("dicte edite enregistre frappe imprime preleve recu relu saisi signe tape transmis valide".split())
_WHEN = frozenset("a au ce le par".split())
_TIME_WORDS = word_list("time_words")
# "Mme M.A. 4 ème geste": the rank of a pregnancy beside initials.
_RANK, _RANKS = re.compile(r"(?<=[a-z.]) \d{1,2}\Z"), re.compile(r" ?i?e(?:me)?s?\b")
# "M. J Patient de 60 ans": the word for a patient behind an initial.
_PATIENT_BEHIND = re.compile(r"(?<=\b[a-z])\.? patiente?\Z")
# "M." is left out, since it may be an initial.
_CIVILITY = re.compile(r"(?:mmes?\.?|mlles?|melles?|messieurs|mesdames|madame|mademoiselle|monsieur|docteur|drs\.?) ")
_WORD_BEHIND, _WHOLE_NUMBER = re.compile(r"(?<=\d)[ ,;–-]+([^\W\d_]{2,}(?:[ -][^\W\d_]{2,}){0,2})\Z"), 9
_LETTERS, _FIGURES = re.compile(r"[^\W\d_]+(?:[ '’.-][^\W\d_]+)*"), re.compile(r"[+(]?\d")
# "chef de clinique des hôpitaux de Tours": a rank, at the hospitals of Tours.
_HEAD_OF, _CLINIC = (
    re.compile(r"\bcheff?e?s? de \Z"),
    re.compile(r"clinique (?:de la |de l'|des |du |de |a l'|a la |au )?"),
)
_FIELD_BEHIND = re.compile(r"[^:\t\n]{0,30}:")
_CHILD = re.compile(r"enfant ")  # of the patient alone: the database says who is called so
# "le petit Lucas" of a child; a surname Le Petit stands behind a civility, in a field, or in the patient's identity.
_LITTLE = re.compile(r"(?:(?:le )?petit|(?:la )?petite)(?: |\Z)")
_TITLED = re.compile(r"\b(?:m|mr|mme|mlle|monsieur|madame|mademoiselle|dr|docteur|pr|professeur)\.? (?:l[ea] )?\Z")
_IN_A_SENTENCE = re.compile(r"(?:\w|,) (?:l[ea] )?\Z")
_SIGNED = re.compile(r"(?:paraphe|contresigne|vise|signe|relu)e? (?=[a-z]\b)")  # ahead of initials
# Behind an organisation: a preposition, the label of the number that follows ("Crédit mutuel IBAN"), what it pays
# ("MDPH AAH").
_LINK_BEHIND = re.compile(
    r"(?: (?:de|du|des|d'?)|[ ,:–-]+(?:adeli|bic|fax|finess|iban|rib|rpps|siren|siret|tel)\W*|"
    r"[ ,:/+–-]+(?:aah|actp|aeeh|apl|aspa|cmi|cmu|pch|rqth|rsa)\W*)\Z"
)
_COLUMN = re.compile(r"(?: {3,}|\t)(?=\w)")
_VERBS = word_list("verbs_behind_names")
_SPECIALTIES = word_list("specialties_behind_names")
_QUALIFYING = frozenset({"ADJ", "VER"})
_HARDLY_BORNE, _HARDLY_GIVEN = 1_000, 150  # births of "tonton" and "tata" as a surname or first name
_EXAMINATION_LEAST = 3  # letters of an acronym, which two initials behind a surname are not
_STATE_LEAST = 4  # letters of a participle or adjective behind a name
_GOES_ON = word_list("behind_an_address") | {"\n"}
_MISREAD = re.compile(r" (?=[a-z]*[01])(?=[01]*[a-z])([a-z01]{3,24})\Z", re.IGNORECASE)
# "M. Roux [sous Apixaben]": what no name holds, and what follows it.
_BEHIND_NAME = re.compile(r" (?:sous|depuis|sans|SOUS|DEPUIS) ")  # Sans is a surname
_OBJECTS = frozenset("d de des l la le les qu que un une".split())


def trim_nets(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions, addresses of the net without the word of the next sentence: "orange.fr.[Merci]".

    A name that was taken into the number of a telephone is a mention of its own: "Côte | 26 83", and so is one behind
    it: "06 12 34 56 78 | Lebrun". A number that no country has, and no word announces, is an identifier:
    "(0048213377)".
    """
    trimmed: list[Mention] = []
    for one in mentions:
        if one.label is Label.PHONE:
            number, *names = _number_and_name(reading, one)
            trimmed += [*(_without_country(reading, part) for part in _name_and_number(reading, number)), *names]
        elif one.label in (Label.EMAIL, Label.URL):
            trimmed.append(replace(one, end=find_net_end(reading, one.start, one.end)))
        else:
            trimmed.append(one)
    return trimmed


def _name_and_number(reading: Reading, mention: Mention) -> list[Mention]:
    first = reading.token_at(mention.start)
    word = reading.words[first]
    named = word in reading.lexicon.first_names or word in reading.lexicon.surnames
    written = _LETTERS.match(reading.text, mention.start, mention.end)
    if not (named and written and is_capital(reading, first)) or len(word) < 3 or word in DETECTED_NUMBER_WORDS:
        return [mention]
    name = replace(mention, end=written.end(), label=Label.PERSON)
    number = _FIGURES.search(reading.text, written.end(), mention.end)
    return [name, replace(mention, start=number.start())] if number else [name]


def _number_and_name(reading: Reading, mention: Mention) -> list[Mention]:
    """Return a whole number without the words behind it, and these where somebody or a town may be called so."""
    behind = _WORD_BEHIND.search(reading.digits, mention.start, mention.end)
    if behind is None or sum(map(str.isdigit, reading.digits[mention.start : behind.start()])) < _WHOLE_NUMBER:
        return [mention]
    number, name = replace(mention, end=behind.start()), replace(mention, start=behind.start(1), label=Label.PERSON)
    if not any(
        _may_name(reading, at) for at in range(reading.token_at(name.start), reading.token_at(name.end - 1) + 1)
    ):
        return [number]
    towns = [one.label for one in reading.overlapping("gazetteer", name) if one.label is Label.CITY]
    return [number, replace(name, label=Label.CITY) if towns else name]


def _may_name(reading: Reading, at: int) -> bool:
    word, lexicon = reading.words[at], reading.lexicon
    borne, plain = lexicon.is_surname(word) or lexicon.is_first_name(word), word in lexicon.common
    named = (borne or not plain) if is_capital(reading, at) else not plain and (borne or lexicon.is_unknown(word))
    return named and len(word) > 2


def _without_country(reading: Reading, mention: Mention) -> Mention:
    number = NO_COUNTRY.search(reading.digits, mention.start, mention.end)
    if number is None or sum(map(str.isdigit, reading.digits[mention.start : mention.end])) > len(number[0]):
        return mention
    if any(one.label is Label.PHONE for one in reading.overlapping("patterns", mention)):
        return mention
    return replace(mention, start=number.start(), end=number.end(), label=Label.ID)


def trim_civilities(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions, names without a civility ("Mmes"), as the annotation guide asks, or a rank ("M.A. 4").

    "M." alone is dropped before another name. An organisation goes without the "de" of the place behind it.
    """
    starts = {reading.token_at(one.start) for one in mentions if one.label in NAMES}
    trimmed = []
    for mention in mentions:
        if reading.folded[mention.start : mention.end] in ("m", "m.") and mention.label in NAMES:
            behind = reading.token_at(mention.end - 1) + 1
            if behind in starts or (reading.word(behind) == "." and behind + 1 in starts):
                continue
            behind += reading.word(behind) == "."
            if reading.word(behind) in ("le", "la") and "NOM" in reading.lexicon.parts.get(
                reading.word(behind + 1), ""
            ):
                continue  # "M. le directeur"
        if mention.label in NAMES and _is_slip_of_role(reading, mention):
            continue
        behind_name = mention.label in NAMES and _BEHIND_NAME.search(reading.text, mention.start, mention.end)
        if behind_name:
            mention = replace(mention, end=behind_name.start())
        opens = mention.label in NAMES and _CIVILITY.match(reading.folded, mention.start, mention.end)
        if mention.label is Label.PATIENT and not opens:
            opens = _CHILD.match(reading.folded, mention.start, mention.end)
        if mention.label in (Label.PATIENT, Label.PERSON) and not opens:
            opens = _little(reading, mention)
            if opens and opens.end() == mention.end and reading.token_at(mention.end - 1) + 1 in starts:
                continue
        if mention.label in NAMES and not opens:
            opens = _SIGNED.match(reading.folded, mention.start, mention.end) or _thing_of(reading, mention)
            opens = opens or _academic(reading, mention) or _profession(reading, mention) or _kin(reading, mention)
            opens = opens or _unit(reading, mention) or _slip_of_role(reading, mention)
        if mention.label is Label.ORG and _HEAD_OF.search(reading.folded, max(0, mention.start - 12), mention.start):
            opens = _CLINIC.match(reading.folded, mention.start, mention.end)
        if opens and opens.end() < mention.end:
            mention = replace(mention, start=opens.end())
        rank = mention.label in NAMES and _RANK.search(reading.folded, mention.start, mention.end)
        if rank and _RANKS.match(reading.folded, mention.end):
            mention = replace(mention, end=rank.start())
        patient = mention.label in NAMES and _PATIENT_BEHIND.search(reading.folded, mention.start, mention.end)
        if patient:
            mention = replace(mention, end=patient.start())
        link = mention.label is Label.ORG and _LINK_BEHIND.search(reading.folded, mention.start, mention.end)
        if link:
            mention = replace(mention, end=link.start())
        if mention.label in NAMES:
            mention = _without_misread(reading, _without_verb(reading, mention))
            mention = _without_next_field(reading, _without_role(reading, mention))
        trimmed += _in_columns(reading, mention) if mention.label is Label.ORG else [mention]
    return trimmed


def _in_columns(reading: Reading, mention: Mention) -> list[Mention]:
    """Return an organisation, and apart what another column of its line holds: "CHU DE LENS    Pôle Imagerie".

    The word for a kind alone goes on behind the gap: "CENTRE HOSPITALIER      DUBOIS".
    """
    gap = _COLUMN.search(reading.text, mention.start, mention.end)
    opening = gap and find_head(reading.text[mention.start : gap.start()])
    if not gap or (opening and mention.start + opening.end == gap.start()):
        return [mention]
    return [replace(mention, end=gap.start()), *_in_columns(reading, replace(mention, start=gap.end()))]


# "O2 2[l.] marchand (as)": the unit of a value that ends a sentence
_FLOWED = re.compile(r"[a-z]{1,3}\.? (?=[^\W\d_]{2})")
# "Pr [ag.] Vincent Delmas", "Dr hon. Le Roux"
_ACADEMIC = re.compile(r"(?:agregee?|agr?\.|emerite|honoraire|hon\.|associee?|assoc\.?) ?(?=[^\W\d_])")


def _unit(reading: Reading, mention: Mention) -> re.Match[str] | None:
    """Match the unit of a value at the start of a mention."""
    valued = ends_value(reading, reading.token_at(mention.start))
    return _FLOWED.match(reading.folded, mention.start, mention.end) if valued else None


def _academic(reading: Reading, mention: Mention) -> re.Match[str] | None:
    """Match the rank in small letters between a title and a name."""
    at = reading.token_at(mention.start) - 1
    titled = reading.word(at - (reading.word(at) == ".")) in DOCTOR_TITLES
    small = reading.text[mention.start].islower()
    return _ACADEMIC.match(reading.folded, mention.start, mention.end) if titled and small else None


_FIRST_WORD = re.compile(r"[a-z]{4,} (?=[^\W\d_])")


def _profession(reading: Reading, mention: Mention) -> re.Match[str] | None:
    """Match the noun that nobody is called between a title and a name: "DR [VETERINAIRE] ESTEVE"."""
    first, lexicon = reading.token_at(mention.start), reading.lexicon
    titled = reading.word(first - 1 - (reading.word(first - 1) == ".")) in DOCTOR_TITLES
    word, name = reading.words[first], reading.word(first + 1)
    borne = lexicon.surnames.get(word) or lexicon.first_names.get(word)
    noun = "NOM" in lexicon.parts.get(word, "").split("|") and not borne
    named = lexicon.is_surname(name) or lexicon.is_first_name(name)
    return _FIRST_WORD.match(reading.folded, mention.start, mention.end) if titled and noun and named else None


_ROLES = PROFESSIONS | {"associe", "associee", "garde", "remplacant", "remplacante"}
_NEAR_ROLES = Misspellings(one for one in _ROLES if len(one) > 4)


def _slip_of_role(reading: Reading, mention: Mention) -> re.Match[str] | None:
    """Match a small role, misspelt, cut short or rare, between a title and a capital: "dr [astrnte] Quint"."""
    match = _FIRST_WORD.match(reading.folded, mention.start, mention.end)
    return match if match and _reads_as_role(reading, reading.token_at(mention.start)) else None


def _is_slip_of_role(reading: Reading, mention: Mention) -> bool:
    """True for a mention of such a role only: "dr [anesthsiste] Pinel"."""
    first = reading.token_at(mention.start)
    return len(reading.tokens(mention)) == 1 and _reads_as_role(reading, first)


def _reads_as_role(reading: Reading, index: int) -> bool:
    word, lexicon = reading.words[index], reading.lexicon
    before = reading.word(index - 1 - (reading.word(index - 1) == "."))
    small = reading.surface(index).islower() and is_capital(reading, index + 1) and len(word) >= _STATE_LEAST
    borne = max(lexicon.first_names.get(word), lexicon.surnames.get(word)) >= _HARDLY_GIVEN
    if not small or borne or before not in TITLES | PROFESSIONS | {"aide"}:
        return False
    if word.endswith(("iste", "logue", "iatre")):
        return True
    return any(one.startswith(word) for one in _ROLES) or bool(_NEAR_ROLES.near(word))


def _kin(reading: Reading, mention: Mention) -> re.Match[str] | None:
    """Match the word for a relative that hardly anybody is called, ahead of a name: "[Tata] Lulu"."""
    first, lexicon = reading.token_at(mention.start), reading.lexicon
    given = len(reading.tokens(mention)) > 1 and not reading.surface(first + 1).isupper()
    word = reading.words[first] if given else ""
    seldom = lexicon.surnames.get(word) < _HARDLY_BORNE and lexicon.first_names.get(word) < _HARDLY_GIVEN
    told = any(one.start == mention.start for one in reading.overlapping("identity", mention))
    free = seldom and not told and word not in reading.titled
    kin = len(word) > _EXAMINATION_LEAST and word in KINSHIP | PERSON_TITLES and free
    return _FIRST_WORD.match(reading.folded, mention.start, mention.end) if kin else None


# "bâton de Joaquim", "canne d'Yvonne"
_THING_OF = re.compile(r"[a-z]{3,} (?:de |du |d['’])")


def _thing_of(reading: Reading, mention: Mention) -> re.Match[str] | None:
    """Match a noun in lower case and its "de" ahead of a name that has a capital."""
    match = _THING_OF.match(reading.folded, mention.start, mention.end)
    first = reading.token_at(mention.start)
    if match is None or not reading.text[mention.start].islower() or match.end() >= mention.end:
        return None
    noun = "NOM" in reading.lexicon.parts.get(reading.words[first], "").split("|")
    named = reading.lexicon.is_first_name(reading.words[first]) or reading.words[first] in PARTICLES
    return match if noun and not named and reading.text[match.end()].isupper() else None


def _without_verb(reading: Reading, mention: Mention) -> Mention:
    """Return a name without the verb behind it: "LE DR FABRIS [MONTRE] UNE VESICULE", "par Elfriede – [édité] le"."""
    *names, last = reading.tokens(mention)
    named = [at for at in names if reading.words[at].isalpha()]
    shows = reading.words[last] in _VERBS and reading.shouted(last) and reading.word(last + 1) in _OBJECTS
    if not named or not (
        shows or is_description(reading, last) or (is_stated(reading, last) and is_capital(reading, named[-1]))
    ):
        return mention
    if reading.lexicon.surnames.get(reading.words[last], 0) >= USUAL_NAME:
        return mention
    return replace(mention, end=reading.ends[named[-1]])


def _without_misread(reading: Reading, mention: Mention) -> Mention:
    """Return a name without a word behind it that a scanner misread: "SPEYSER [jo1nt]", "Potard [0RL]"."""
    found, lexicon = _MISREAD.search(reading.text, mention.start, mention.end), reading.lexicon
    read = {found[1].casefold().replace("0", "o").replace("1", sign) for sign in "il"} if found else set()
    named = any(lexicon.is_surname(one) or lexicon.is_first_name(one) for one in read)
    plain = not PROFESSIONS.isdisjoint(read) or (any(map(lexicon.is_word, read)) and not named)
    return replace(mention, end=found.start()) if found and plain else mention


def is_description(reading: Reading, index: int) -> bool:
    """True for a word in capitals behind a name that says what is or is done to its bearer."""
    remark = reading.words[index] == "ras" and reading.surface(index).isupper()
    return remark or _is_state(reading, index) or _is_examination(reading, index)


def _is_state(reading: Reading, index: int) -> bool:
    """True for a participle or adjective in capitals that nobody bears, before more words: "FAVRE [DECEDEE] LE"."""
    word, lexicon = reading.words[index], reading.lexicon
    qualifies = _QUALIFYING & set(lexicon.parts.get(word, "").split("|")) or _is_rare_participle(reading, word)
    if not qualifies or not reading.surface(index).isupper() or lexicon.surnames.get(word) or len(word) < _STATE_LEAST:
        return False
    return lexicon.first_names.get(word) == 0 and reading.word(index + 1) in _GOES_ON


def _is_rare_participle(reading: Reading, word: str) -> bool:
    """True for a feminine participle that no table has, beside its verb or noun: "perfusée"."""
    stem = word[:-2]
    kin = (f"{stem}er", f"{stem}ion", f"{stem}ie", f"{stem}ation")
    return word.endswith("ee") and reading.lexicon.is_unknown(word) and any(map(reading.lexicon.is_word, kin))


def _is_examination(reading: Reading, index: int) -> bool:
    """True for the acronym of an examination or disease in capitals behind a name: "KERBIRIOU [TDM] MARDI"."""
    word, lexicon = reading.words[index], reading.lexicon
    borne = lexicon.surnames.get(word) or lexicon.first_names.get(word)
    acronym = "acronym" in lexicon.clinical.get(word, "") and len(word) >= _EXAMINATION_LEAST
    return acronym and reading.surface(index).isupper() and not borne


def _without_next_field(reading: Reading, mention: Mention) -> Mention:
    """Return a name without the label of the next cell: "Bricolle", before a tab and "Personne à prévenir :"."""
    tab = reading.text.find("\t", mention.start, mention.end)
    if tab < 0 or not _FIELD_BEHIND.match(reading.text, mention.end):
        return mention
    words = [reading.words[at] for at in reading.tokens(mention) if reading.starts[at] > tab]
    ordinary = all(reading.lexicon.is_word(one) and not reading.lexicon.is_first_name(one) for one in words)
    return replace(mention, end=tab) if ordinary and tab > mention.start else mention


def _without_role(reading: Reading, mention: Mention) -> Mention:
    """Return a name without a shortened role ahead or a word behind: "[andro.] Devillard", "Letizia [sem.]".

    A shortened specialty in lower case goes without its dot too: "[cardiol] leclair-puech".
    """
    first, *rest = reading.tokens(mention)
    if rest and reading.words[first] in _SPECIALTIES and reading.surface(first).islower():
        behind = next((at for at in rest if reading.words[at].isalpha()), None)
        if behind is not None and reading.text[reading.ends[first] : reading.starts[behind]] in (" ", ". "):
            mention = replace(mention, start=reading.starts[behind])
    shortened = reading.words[first] in PROFESSIONS and reading.surface(first).islower()
    if shortened and len(rest) > 1 and reading.words[rest[0]] == "." and is_capital(reading, rest[1]):
        mention = replace(mention, start=reading.starts[rest[1]])
    words = [at for at in reading.tokens(mention) if reading.words[at].isalpha()]
    if len(words) < 2 or not is_capital(reading, words[-2]) or not reading.surface(words[-1]).islower():
        return mention
    last, lexicon = reading.words[words[-1]], reading.lexicon
    named = lexicon.is_first_name(last) or lexicon.is_surname(last) or last in PARTICLES | LOWER_PARTICLES
    plain = last in _TIME_WORDS or (lexicon.is_word(last) and not named)
    apart = reading.text[reading.ends[words[-2]] : reading.starts[words[-1]]] == " "
    return replace(mention, end=reading.ends[words[-2]]) if plain and apart else mention


def _little(reading: Reading, mention: Mention) -> re.Match[str] | None:
    """Match the words for a small child at the start of a mention, where they are no surname."""
    before = reading.folded[max(0, mention.start - 12) : mention.start]
    told = any(one.start == mention.start for one in reading.overlapping("identity", mention))
    first = reading.token_at(mention.start)
    if told or (reading.capitals[first] and not reading.shouted(first)):
        return None  # a nickname: "Petit Louis"
    if not _IN_A_SENTENCE.search(before) or _TITLED.search(before):
        return None
    return _LITTLE.match(reading.folded, mention.start, mention.end)


def is_stated(reading: Reading, index: int) -> bool:
    """Return whether a word is a participle in lower case for an act on the report: "édité le", "validé par"."""
    small = reading.surface(index).islower()
    return small and reading.words[index] in _STATED and reading.word(index + 1) in _WHEN


def trim_things(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions, names without the words at their ends that mean a disease or a thing.

    Words of the language beside these go too: "Petit caillot" is no M. Caillot, "SYNDROME DE RAYNAUD" nobody. What
    the identity of the patient or staff says is a name at its place stays: "DEBORDE LE ROUX"; so does a half that a
    hyphen ties to a word that is no thing: "PAUL BEAU-COEUR".
    """
    trimmed = []
    for mention in mentions:
        words = [at for at in reading.tokens(mention) if reading.words[at].isalpha()]
        told = [range(one.start, one.end) for one in reading.overlapping("identity", mention) if one.label in NAMES]
        if mention.label is Label.CITY and not told and len(words) == 1 and _is_no_town(reading, words[0]):
            continue
        free = [at for at in words if not any(reading.starts[at] in one for one in told) and not _joins(reading, at)]
        things = {at for at in free if mention.label in NAMES and find_sense(reading, at) is Sense.THING}
        if not things:
            trimmed.append(mention)
            continue
        known = any(vote.annotator == "identity" for vote in mention.votes)
        rest = [at for at in words if at not in things]
        if not known and all(_is_of_language(reading, at) for at in rest):
            continue
        kept = list(words)
        while kept and (kept[-1] in things or _is_small(reading, kept[-1])):
            kept.pop()
        while kept and (kept[0] in things or _is_small(reading, kept[0])):
            kept.pop(0)
        if kept:
            trimmed.append(replace(mention, start=reading.starts[kept[0]], end=reading.ends[kept[-1]]))
    return trimmed


def _is_no_town(reading: Reading, index: int) -> bool:
    """True for an eponym that no town is called, and for a word behind a part of the body: "SANG DE CORDON"."""
    word, part = reading.words[index], reading.word(index - 2) in PARTS
    eponym = word in reading.lexicon.eponyms and not gazetteers().towns(word)
    return (part or eponym) and find_sense(reading, index) is Sense.THING


def _joins(reading: Reading, index: int) -> bool:
    """Return whether a hyphen joins a word to one ahead that means no thing."""
    tied = reading.word(index - 1) == "-" and glued(reading, index) and glued(reading, index - 1)
    return tied and reading.word(index - 2).isalpha() and find_sense(reading, index - 2) is not Sense.THING


def _is_of_language(reading: Reading, index: int) -> bool:
    """True for a particle, and for a word of French or medicine that is in lower case or rather no name."""
    word = reading.words[index]
    if word in PARTICLES or _is_small(reading, index):
        return True
    return reading.lexicon.is_word(word) and not namelike(reading, index) and find_sense(reading, index) is Sense.OPEN


def _is_small(reading: Reading, index: int) -> bool:
    """True for a word of French or medicine in lower case within text that has capitals."""
    small = reading.surface(index).islower() and not reading.lowered(index)
    return small and reading.lexicon.is_word(reading.words[index])
