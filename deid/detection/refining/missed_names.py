"""Names that annotators missed: repetitions of found names, names without a blank before or after, initials, logins."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from deid.detection.lookup.known_names import ABBREVIATIONS, LOWER_PARTICLES, NOT_NAMES, PARTICLES
from deid.detection.lookup.lexicon import Lexicon, gazetteers
from deid.detection.refining.filters import STATE, row_label
from deid.detection.text.names import glued, is_capital, is_lone_name, is_upper, opens_verb
from deid.detection.text.reading import Reading
from deid.detection.text.senses import Sense, find_sense
from deid.detection.text.vocabulary import CIVILITIES, DOCTOR_TITLES, KINSHIP, NOT_INITIALS, PROFESSIONS, word_list
from deid.domain.document import Mention, Vote
from deid.domain.labels import NAMES, Label
from deid.french.calendar import FOLDED_MONTHS, WEEKDAYS
from deid.french.folding import fold

_TITLED = 0.75  # least score of what the context finds by a title, role or field
_TO_PLACES = frozenset("a au chez d de du en par pour sur vers ' ’".split())
_HOMES = ("maison", "appartement", "appart", "villa", "ferme", "chalet", "pavillon", "chambre", "studio")
_AT_HOME = tuple([home, *of] for home in _HOMES for of in (("de",), ("d", "'")))
_OF_DAY = frozenset("a matin midi soir apres dernier prochain vers".split())
_WHOSE = frozenset("la le ' un une notre sa".split())
_BORNE = 100  # births of a surname from which "née" before it tells one
_GIVEN = 100  # births of a word as a first name, to one as a surname, from which it is no surname
_RATHER = 5  # and from which it is rather a first name, behind which a month is a surname
_FAMILY = 1_000  # births of a surname from which "les" before it tells a family
_SOURCE = 0.6  # least score of a mention whose words, initials or logins are searched
# Signs before the first word of a sentence, item or cell, which has a capital anyway.
_OPENING = frozenset({"", "\n", ".", "!", "?", "…", "«", '"', "-", "–", "—", "•", "*", ":", "|", ">", "_", "°", ")"})
_EDGES = frozenset({"", "\n", "(", ")", "/", ",", ";", ":", "+", "&", "=", "[", "]", ".", "|", "et"})
# Words before a name in text without capitals.
_ANNOUNCE = CIVILITIES | DOCTOR_TITLES | KINSHIP | PROFESSIONS | {"par", "avec", "chez", "devant"}
_OPENERS = PARTICLES | LOWER_PARTICLES
_VOWELS = frozenset("aeiouy")
_NO_MEASURES = frozenset("lu on ou sa son tu vu".split())
_SCORE, _SURE = 0.7, 0.84  # of what is found here; least score of a mention taken as known
_BEHIND_LONE = frozenset({"(", ")", ",", ";", ":", "/", "»", "."})
# Words before the state that a drug or device leaves somebody in, ahead of names, and of what is told of such a state.
_STATES = frozenset("dose en etat med periode phase score stim stimulation updrs".split())
_OF_A_CASE = frozenset("dossier famille nom".split())
_TREATED = re.compile("parkinson|dyskines|updrs|dopa")
_MOVES = re.compile(r"[ ,:(]{1,3}(?:mds|updrs|score|marche|blocage|dyskines|tremble|rigid|akines)")  # behind a state
_SETTINGS_NEAR = 120  # characters to other settings
_SYMBOLS = frozenset("ag al au ba be ca co cu fe ga he ia li na ni po ra se si te ti".split())  # of elements, and "IA"


def find_short_names(reading: Reading) -> list[Mention]:
    """Return the whole names that read like words of the language: "Dr Ou", "M. Le.", "son collègue Ou (arrêté)".

    They stand behind what announces a name, or, if no measure is called so, have a capital between a word that has
    none and a sign.
    """
    found = [
        replace(mention, votes=(Vote("announced", mention.label, mention.score),))
        for mention in reading.found.get("context", ())
        if mention.score >= _SCORE and mention.label in NAMES and is_lone_name(reading, reading.token_at(mention.start))
    ]
    known = {mention.start for mention in found}
    treated = "on" in reading.places and ("off" in reading.places or _TREATED.search(reading.folded) is not None)
    for index, start in enumerate(reading.starts):
        word = reading.words[index]
        if start in known or word not in _NO_MEASURES or not _is_capital_inside(reading, index):
            continue
        if word != "on" or not (_is_state(reading, index) or (treated and not _is_announced(reading, index))):
            found.append(_mention("announced", start, reading.ends[index], Label.PERSON, _SURE))
    return found


def _is_announced(reading: Reading, index: int) -> bool:
    before = reading.word(index - 1)
    patient = before.startswith("patient") and not _MOVES.match(reading.folded, reading.ends[index])
    return patient or before in _ANNOUNCE or before in _OF_A_CASE


def _is_state(reading: Reading, index: int) -> bool:
    """True for the state of a patient or device that is on: "UPDRS III en On", "RV lead noise On ; PR Logic Off"."""
    if reading.word(index - 1) in _STATES:
        return True
    if _is_announced(reading, index):
        return False
    start, (opened, ended) = reading.starts[index], reading.line(reading.starts[index])
    near = max(opened, start - _SETTINGS_NEAR), min(ended, start + _SETTINGS_NEAR)
    return len(STATE.findall(reading.text, *near)) > 1


def as_people(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions; one word taken for a town or organisation that a title makes somebody's is that person's.

    "Dr Lille" tells who "Lille, qui suit" is, but not "à Lille"; "les Tessier" are a family, "la maison de Naima" hers.
    In small letters a day of the week is one behind a title and what is a first name alone: "docteur yolande [jeudi]";
    a month behind such a first name: "moi anne laure [février]".
    """

    @cache  # a town told a thousand times is looked for once
    def titled(word: str) -> bool:
        return any(reading.capitals[at] and find_sense(reading, at) is Sense.PERSON for at in reading.places[word])

    named: list[Mention] = []
    for one in mentions:
        if not _is_somebodys(reading, one, titled):
            named.append(one)
        elif one.label is not Label.DATE:
            named.append(replace(one, label=Label.PERSON))
        elif named and named[-1].label in NAMES and reading.text[named[-1].end : one.start] == " ":
            named[-1] = replace(named[-1], end=one.end)
        else:
            named.append(replace(one, label=Label.DOCTOR))
    return [_of_household(reading, one) for one in named]


def _is_somebodys(reading: Reading, mention: Mention, titled: Callable[[str], bool]) -> bool:
    index = reading.token_at(mention.start)
    word, before = reading.words[index], reading.word(index - 1)
    known = any(vote.annotator == "identity" for vote in mention.votes)
    if known or len(reading.tokens(mention)) > 1 or len(word) < 3:
        return False
    if mention.label is Label.DATE and word in (*WEEKDAYS, *FOLDED_MONTHS) and reading.lowered(index):
        month = word in FOLDED_MONTHS and len(word) > 3
        rather = reading.lexicon.surnames.get(before) * (_RATHER if month else _GIVEN)
        given = rather < reading.lexicon.first_names.get(before)
        given = given and (month or reading.word(index + 1) not in _OF_DAY)
        return given and (month or reading.word(index - 2 - (reading.word(index - 2) == ".")) in DOCTOR_TITLES)
    if mention.label not in (Label.CITY, Label.ORG):
        return False
    if mention.label is Label.ORG and before == "les" and reading.surface(index).istitle():
        return reading.lexicon.surnames.get(word) >= _FAMILY
    return before not in _TO_PLACES and titled(word)


def _of_household(reading: Reading, mention: Mention) -> Mention:
    """Return the first name that a mention ends with behind "la maison de" and that is no town's; else the mention."""
    at = reading.token_at(mention.end - 1)
    name, home = reading.words[at], at - 2 - (reading.word(at - 1) == "'")
    announced = reading.words[max(0, home) : at] in _AT_HOME and reading.word(home - 1) in _WHOSE
    births = reading.lexicon.first_names.get(name) if announced else 0
    if births < _FAMILY or births < gazetteers().towns(name) or mention.start < reading.starts[home - 1]:
        return mention
    if mention.label in NAMES or (is_capital(reading, at + 1) and not reading.shouted(at)):
        return mention
    return replace(mention, start=reading.starts[at], label=Label.PERSON)


def _is_capital_inside(reading: Reading, index: int) -> bool:
    """True for a word with one capital behind a word without one and before a sign, on one line: "dossier Ou :"."""
    before = index - 1
    small = reading.word(before).isalpha() and reading.surface(before).islower() and not glued(reading, index)
    near = small and reading.text[reading.ends[before] : reading.starts[index]] == " "
    return near and reading.surface(index).istitle() and reading.word(index + 1) in _BEHIND_LONE


def repeat_names(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return `mentions` and, outside them, every further occurrence of the words of their names."""
    known = _words_of_names(reading, mentions)
    short = _short_names(reading, mentions)
    if not known and not short:
        return list(mentions)
    covered = reading.coverage(mentions)
    added = []
    for index, word in enumerate(reading.words):
        if covered[reading.starts[index]]:
            continue
        if word in short and _stands_alone(reading, index):
            added.append(_mention("repetition", reading.starts[index], reading.ends[index], short[word], _SCORE))
        if word not in known or word in short:
            continue
        sense = find_sense(reading, index)
        if sense is Sense.PERSON or (
            sense is Sense.OPEN and (_plausible(reading, index, word) or _stands_out(reading, index, known))
        ):
            added.append(_mention("repetition", reading.starts[index], reading.ends[index], *known[word]))
    added += _birth_names(reading, mentions, covered)
    return _with_particles(reading, [*mentions, *_adjoined(reading, added)])


def _birth_names(reading: Reading, mentions: Sequence[Mention], covered: bytearray) -> Iterator[Mention]:
    """Yield surnames behind a name and "née", whatever else the word means: "REIN Lucette née COEUR"."""
    for mention in mentions:
        at = reading.tokens(mention)[-1] + 2 if mention.label in NAMES and reading.tokens(mention) else -1
        word = reading.word(at)
        if (
            reading.word(at - 1) not in ("nee", "ne")
            or word in PARTICLES
            or reading.lexicon.surnames.get(word) < _BORNE
        ):
            continue
        if not covered[reading.starts[at]] and (reading.surface(at).isupper() or reading.surface(at).istitle()):
            yield _mention("repetition", reading.starts[at], reading.ends[at], mention.label, _TITLED)


def _mention(source: str, start: int, end: int, label: Label, score: float) -> Mention:
    return Mention(start, end, label, score, None, (Vote(source, label, score),))


def _words_of_names(reading: Reading, mentions: Sequence[Mention]) -> dict[str, tuple[Label, float]]:
    """Return the words of names with label and score of the surest mention.

    A word counts if 1 - product(1 - score) over its mentions is `_SOURCE` or more.
    """
    known: dict[str, tuple[Label, float]] = {}
    doubt: dict[str, float] = {}
    for mention in mentions:
        if mention.label not in NAMES:
            continue
        announced = any(one.score >= _TITLED for one in reading.overlapping("context", mention) if one.label in NAMES)
        for at in reading.tokens(mention):
            word = reading.words[at]
            if len(word) > 2 and word.isalpha() and word not in PARTICLES:
                sure = max(mention.score, _SOURCE) if announced and not reading.lexicon.is_word(word) else mention.score
                doubt[word] = doubt.get(word, 1.0) * (1.0 - min(sure, 1.0))
                score = round(min(sure - 0.05, 0.8), 4)
                if word not in known or known[word][1] < score:
                    known[word] = mention.label, score
    return {
        word: (label, max(score, _SOURCE - 0.05))
        for word, (label, score) in known.items()
        if 1.0 - doubt[word] >= _SOURCE
    }


def _short_names(reading: Reading, mentions: Sequence[Mention]) -> dict[str, Label]:
    """Return the words of two or three letters that are sure names at the end of a mention: "Dr Do", "Minh LE"."""
    found: dict[str, Label] = {}
    for mention in mentions:
        if mention.label in NAMES and mention.score >= _SURE:
            last = reading.token_at(mention.end - 1)
            word = reading.words[last]
            short = len(word) == 2 or (len(word) == 3 and word in NOT_NAMES)
            if short and word.isalpha() and not _VOWELS.isdisjoint(word) and word not in _SYMBOLS:
                found.setdefault(word, mention.label)
    return found


def _stands_alone(reading: Reading, index: int) -> bool:
    """True for a short word with one capital inside a sentence, before none: "avec Do et", but not "Le Goff"."""
    before, after = reading.word(index - 1), reading.word(index + 1)
    tied = glued(reading, index) or (glued(reading, index + 1) and after in ("-", "'", "/"))
    inside = before not in _OPENING and not before.isdigit()
    return (
        reading.surface(index).istitle() and inside and not (tied or after.isdigit() or is_capital(reading, index + 1))
    )


def _plausible(reading: Reading, index: int, word: str) -> bool:
    """True if the word has a capital, or is no word of the language."""
    lexicon = reading.lexicon
    frequency = lexicon.common.get(word, 0.0)
    if is_capital(reading, index):
        return frequency < 5 or lexicon.is_first_name(word) or lexicon.is_surname(word) or is_upper(reading, index)
    return frequency == 0.0 and word not in lexicon.medical and word not in lexicon.drugs and len(word) > 3


def _stands_out(reading: Reading, index: int, known: Collection[str]) -> bool:
    """True if a usual word that is a name of the document ("Dr Sage") is written like a name.

    It has a capital inside a sentence, stands before a verb, is joined to another name, or stands between signs or
    before an initial in text without capitals.
    """
    if reading.word(index) in NOT_NAMES or reading.shouted(index):
        return False
    before, after = reading.word(index - 1), reading.word(index + 1)
    if before == "-" and reading.word(index - 2) in known and glued(reading, index) and glued(reading, index - 1):
        return True
    if after == "-" and reading.word(index + 2) in known and glued(reading, index + 1) and glued(reading, index + 2):
        return True
    if is_capital(reading, index):
        return (before not in _OPENING and not before.isdigit()) or opens_verb(reading, index + 1)
    word, lexicon = reading.words[index], reading.lexicon
    initial = len(after) == 1 and after.isalpha() and reading.word(index + 2) == "." and glued(reading, index + 2)
    if initial and lexicon.first_names.get(word):
        return True
    if not reading.lowered(index) or not lexicon.surnames.get(word):
        return False
    return (before in _EDGES or before in _ANNOUNCE) and (after in _EDGES or opens_verb(reading, index + 1))


def _with_particles(reading: Reading, mentions: list[Mention]) -> list[Mention]:
    """Return `mentions`, names with the particle that they have elsewhere: "le bihan", "de La Tour"."""
    opened: dict[str, set[tuple[str, ...]]] = {}
    for mention in mentions:
        if mention.label in NAMES and mention.score >= _SOURCE:
            for lead, word in _particles(reading, mention):
                opened.setdefault(word, set()).add(lead)
    if not opened:
        return mentions
    ends = {mention.end for mention in mentions}
    return [
        _with_particle(reading, mention, opened, ends) if mention.label in NAMES else mention for mention in mentions
    ]


def _particles(reading: Reading, mention: Mention) -> Iterator[tuple[tuple[str, ...], str]]:
    """Return the particles of a name, each group with the word behind it."""
    lead: tuple[str, ...] = ()
    for at in reading.tokens(mention):
        word = reading.words[at]
        if word in _OPENERS and (len(word) > 1 or reading.word(at + 1) == "'"):
            lead = (*lead, word)
        elif lead and word != "'":
            if len(word) > 2 and word.isalpha():
                yield lead, word
            lead = ()


def _with_particle(
    reading: Reading, mention: Mention, opened: Mapping[str, set[tuple[str, ...]]], ends: set[int]
) -> Mention:
    first = reading.token_at(mention.start)
    for lead in sorted(opened.get(reading.words[first], ()), key=len, reverse=True):
        at = first
        for word in reversed(lead):
            at -= 1 if reading.word(at - 1) != "'" else 2
            if (
                reading.word(at) != word
                or reading.ends[at] in ends
                or "\n" in reading.text[reading.ends[at] : mention.start]
            ):
                break
        else:
            return replace(mention, start=reading.starts[at])
    return mention


def _adjoined(reading: Reading, added: list[Mention]) -> list[Mention]:
    """Return repetitions, neighbouring ones as one mention."""
    result: list[Mention] = []
    for mention in added:
        if result and reading.text[result[-1].end : mention.start] in (" ", "-", "'", "’"):
            last = result[-1]
            result[-1] = Mention(last.start, mention.end, last.label, max(last.score, mention.score), None, last.votes)
        else:
            result.append(mention)
    return result


# Names without a blank before or after: "filleAnne", "DocteurB.ROY", "épouse Paulettevient".

_KIN = (
    "mari|[ée]pou(?:se|x)|femme|conjointe?|compagne|compagnon|fils|filles?|fr[eè]res?|s(?:œ|oe)urs?|m[eè]re|p[eè]re|"
    "ni[eè]ce|neveu|cousine?|tante|oncle|voisine?|amie?|maman|papa|gendre|bru"
)
_ANNOUNCES = (
    rf"(?<![^\W\d_])(?:(?:[Ss](?:on|a|es))?(?:{_KIN})|Monsieur|Madame|M(?:me|lle|r)|"
    r"(?P<doctor>[Dd]octeur|[Pp]rofesseur|[DP]r))"
)
_CAPITAL = r"[A-ZÀ-Ý][a-zà-ÿ]{2,}(?:-[A-ZÀ-Ý][a-zà-ÿ]+)?"
# A capital inside a word is rare, and searched first.
_INSIDE = re.compile(r"[a-zà-ÿ](?=[A-ZÀ-Ý])")
_GLUED = re.compile(rf"{_ANNOUNCES}(?P<name>(?:[A-ZÀ-Ý]\.[ -]?){{0,2}}(?:{_CAPITAL}|(?<=[. -])[A-ZÀ-Ý]{{2,}}))")
_ANNOUNCED = re.compile(rf"{_ANNOUNCES} \Z")
_REACH = 16  # letters of the longest announcing word, with possessive and blank
_LONGEST = 80  # letters of a name and a word glued to it; without a bound, the cuts of a run take quadratic time
# A second name behind a glued one.
_AND = re.compile(r"et([A-ZÀ-Ý][a-zà-ÿ]{2,})")


def find_glued(reading: Reading) -> list[Mention]:
    """Return names glued to the word that announces them or to the word behind; they may overlap other mentions."""
    return [*_glued_before(reading), *_glued_after(reading)]


def _glued_before(reading: Reading) -> Iterator[Mention]:
    """Return names glued to an announcing word: "safilleAnne", "filsPauletLéo"."""
    text = reading.text
    for inside in _INSIDE.finditer(text):
        match = _GLUED.match(text, reading.starts[reading.token_at(inside.start())])
        if match and match.start("name") == inside.end() and not reading.lexicon.is_word(fold(match.group())):
            label = Label.DOCTOR if match["doctor"] else Label.PERSON
            start, end = match.span("name")
            end = start + _name_length(reading.lexicon, text[start:end])
            yield _mention("glued", start, end, label, _SCORE)
            if more := _AND.match(text, end):
                yield _mention("glued", *more.span(1), label, _SCORE)


def _glued_after(reading: Reading) -> Iterator[Mention]:
    """Return announced names glued to the next word: "son épouse Paulettevient"."""
    for index, word in enumerate(reading.words):
        if reading.capitals[index] and len(word) > 5 and reading.lexicon.is_unknown(word):
            start, end = reading.starts[index], reading.ends[index]
            length = _name_length(reading.lexicon, reading.text[start:end])
            if length < end - start and (said := _ANNOUNCED.search(reading.text, max(0, start - _REACH), start)):
                label = Label.DOCTOR if said["doctor"] else Label.PERSON
                yield _mention("glued", start, start + length, label, _SCORE)


def _name_length(lexicon: Lexicon, run: str) -> int:
    """Return the number of letters of the name that `run` starts with ("Annevient": 4); all if it is no such run."""
    if lexicon.is_first_name(fold(run)) or lexicon.is_surname(fold(run)):
        return len(run)
    for cut in range(len(run) - 2, 2, -1) if len(run) <= _LONGEST else ():
        name, rest = fold(run[:cut]), fold(run[cut:])
        if (lexicon.is_first_name(name) or lexicon.is_surname(name)) and rest in lexicon.common:
            return cut
    return len(run)


# Initials, typists' marks and logins: of people named in the document, or at the place of a signature.

_USUAL = 5  # occurrences per million from which a word is no initials
_TIED, _PLACED, _LOGIN = 0.8, 0.7, 0.75  # scores
_ENDS = 400  # characters from either end of a document within which a lone mark is a reference or a signature
_CUES = word_list("cues_of_marks")
# Said of a colleague by his initials: "RC absent la semaine prochaine".
_AWAY = frozenset("absent absente revoit rappelle prend".split())
_CLIPPING = 4  # letters of a name cut short as a mark
_SIGNED = frozenset("edite editee signe signee dicte dictee frappe tape saisi relu relue valide validee".split())
_MARK_EDGES = frozenset({"", "\n", "(", ")", "/", "|", "[", "]", "–", "—", "-", ":", ",", ";"})
_PAIR = re.compile(
    r"(?<![\w/.])([A-Z]{2,4}|[a-z]{2,4}) ?/ ?([A-Z]{2,4}|[a-z]{2,3}|[A-Z]\.)(?=[ \t]*(?:$|[.)–—|]|[ \t]{3}))",
    re.MULTILINE,
)
_TICKED = re.compile(r"(?:\[[ xX]?\]|[☐☑☒□■]) ?\Z")  # "[ ] AT/MP"
_DOTTED = re.compile(r"(?<![\w.])([^\W\d_])\. ?-?(?:([^\W\d_])\. ?)?([^\W\d_])\.(?!\w)")


_REMARKS = frozenset({"nb", "ps", "pai", "ras"})  # "N.B.", "P.S.", "P.A.I.", "R.A.S."


def find_initials(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return `mentions` and, outside them, initials and logins of the people named, and marks of writers."""
    known = _initials(reading, mentions)
    surnames = _rare_surnames(reading, mentions)
    said = [*_spaced(reading, known)]
    mentions = [one for one in mentions if not any(map(one.overlaps, said))]
    covered = reading.coverage(mentions)
    added: list[Mention] = []
    for found in (
        *said,
        *_pairs(reading, known),
        *_dotted(reading, known),
        *_cut_short(reading, mentions),
        *_initials_and_logins(reading, known, surnames),
        *_in_brackets(reading, mentions),
        *_closing_marks(reading, mentions),
    ):
        if not any(covered[found.start : found.end]):
            covered[found.start : found.end] = b"\1" * (found.end - found.start)
            added.append(found)
    return sorted([*mentions, *added])


def _names(reading: Reading, mentions: Sequence[Mention]) -> Iterator[tuple[Mention, list[str]]]:
    for mention in mentions:
        if mention.label in NAMES and mention.score >= _SOURCE:
            yield mention, [reading.words[at] for at in reading.tokens(mention) if reading.words[at].isalpha()]


def _initials(reading: Reading, mentions: Sequence[Mention]) -> dict[str, Label]:
    """Return initials → label of the person: first name first, surname first, with and without particles."""
    known: dict[str, Label] = {}
    for mention, words in _names(reading, mentions):
        for parts in (words, [word for word in words if word not in PARTICLES]):
            if 2 <= len(parts) <= 4 and any(len(word) > 2 for word in parts):
                letters = "".join(word[0] for word in parts)
                for form in (letters, letters[1:] + letters[0], letters[-1] + letters[:-1], letters[0] + letters[-1]):
                    known.setdefault(form, mention.label)
    return known


def _rare_surnames(reading: Reading, mentions: Sequence[Mention]) -> dict[str, Label]:
    """Return the words of names that are no words of the language, with the label of the person."""
    return {
        word: mention.label
        for mention, words in _names(reading, mentions)
        for word in words
        if len(word) > 3 and not reading.lexicon.is_word(word)
    }


def _pairs(reading: Reading, known: dict[str, Label]) -> Iterator[Mention]:
    """Return marks of writer and typist: "FR/mh" or, of somebody named, "fr/MH" at the end of a line."""
    for match in _PAIR.finditer(reading.text):
        near = match.start() < _ENDS or len(reading.text) - match.end() < _ENDS
        parts = [match[group].lower().strip(".") for group in (1, 2)]
        tied = [part in known for part in parts]
        line = reading.line(match.start())[0]
        opens = not reading.text[line : match.start()].strip()
        if _TICKED.search(reading.text, line, match.start()):
            continue
        if match[1].islower() and not (tied[0] and opens):
            continue
        if not all(tied) and row_label(reading, line):
            continue
        if not any(tied) and not (near and (match[2].islower() or match.end() - line < 40)):
            continue
        if any(
            part in NOT_INITIALS or part in ABBREVIATIONS for part, sure in zip(parts, tied, strict=True) if not sure
        ):
            continue
        for group, part in zip((1, 2), parts, strict=True):
            yield _mention("initials", match.start(group), match.end(group), known.get(part, Label.DOCTOR), _PLACED)


def _dotted(reading: Reading, known: dict[str, Label]) -> Iterator[Mention]:
    """Return dotted initials: "S.B." of a person named, or alone on a line near the end."""
    for match in _DOTTED.finditer(reading.text):
        letters = "".join(filter(None, match.groups())).lower()
        if letters in _REMARKS:
            continue
        if letters in known:
            yield _mention("initials", match.start(), match.end(), known[letters], _TIED)
        elif match[1].isupper() and letters not in NOT_INITIALS:
            start, end = reading.line(match.start())
            near = len(reading.text) - match.end() < _ENDS
            if near and not reading.text[match.end() : end].strip() and match.start() - start < 60:
                before = reading.text[start : match.start()]
                if not before.strip() or before.endswith("  ") or before.endswith("\t"):
                    yield _mention("initials", match.start(), match.end(), Label.DOCTOR, _PLACED)


_SAID = re.compile(r"\b(?:signature|signe|frappe|initiales)(?: par)? ([a-z](?: [a-z]){1,3})(?![\w'’-])")


def _spaced(reading: Reading, known: dict[str, Label]) -> Iterator[Mention]:
    """Return the initials of a person named that are said one by one: "signature a l c"."""
    for match in _SAID.finditer(reading.folded):
        if (letters := match[1].replace(" ", "")) in known:
            yield _mention("initials", *match.span(1), known[letters], _TIED)


def _cut_short(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Return small letters behind the last sentence that a professional's name begins with: "man" of "manue"."""
    last = next((at for at in range(len(reading.words) - 1, -1, -1) if reading.words[at].isalpha()), 0)
    word = reading.word(last)
    if reading.word(last - 1) not in (".", "!", "?", "\n") or not 1 < len(word) <= _CLIPPING:
        return
    ends = not any(map(str.isalnum, reading.text[reading.ends[last] :])) and reading.surface(last).islower()
    names = [one for mention, words in _names(reading, mentions) if mention.label is Label.DOCTOR for one in words]
    if ends and any(name.startswith(word) and len(name) >= len(word) + 2 for name in names):
        yield _mention("initials", reading.starts[last], reading.ends[last], Label.DOCTOR, _PLACED)


def _initials_and_logins(reading: Reading, known: dict[str, Label], surnames: dict[str, Label]) -> Iterator[Mention]:
    lexicon = reading.lexicon
    for index, word in enumerate(reading.words):
        if not word.isalpha():
            continue
        if len(word) <= 4:
            if word in known and len(word) > 1 and _stands_as_mark(reading, index, word):
                yield _mention("initials", reading.starts[index], reading.ends[index], known[word], _TIED)
            elif _signs_off(reading, index, word):
                yield _mention("initials", reading.starts[index], reading.ends[index], Label.DOCTOR, _PLACED)
        elif len(word) > 5 and word not in lexicon.common and word not in lexicon.medical:
            if word[1:] in surnames:
                yield _mention("initials", reading.starts[index], reading.ends[index], surnames[word[1:]], _LOGIN)
            elif not reading.capitals[index] and _is_login(reading, index, word):
                yield _mention("initials", reading.starts[index], reading.ends[index], Label.DOCTOR, _PLACED)


_BRACKETED = re.compile(r" \(([A-Z]{2,3})\)")


def _in_brackets(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Return letters in brackets behind a first name alone that begins with the first of them: "Rayan (RB)"."""
    for mention in mentions:
        match = _BRACKETED.match(reading.text, mention.end) if mention.label in NAMES else None
        letters = match[1].lower() if match else ""
        name = reading.folded[mention.start : mention.end]
        if not match or letters[0] != name[0] or not reading.lexicon.is_first_name(name):
            continue
        usual = letters in NOT_INITIALS or letters in ABBREVIATIONS or letters in reading.lexicon.clinical
        if not usual and letters not in PROFESSIONS:
            yield _mention("initials", *match.span(1), mention.label, _PLACED)


# Entries of a record by their day or hour, and two letters that close a line, behind its last sentence or not.
_OPENS_ENTRY = re.compile(
    r"^[ \t>*-]{0,4}(?:\d{1,2}(?: ?[h:]|[/.]\d)|j ?\+? ?\d|(?:lu|ma|me|je|ve|sa|di)[a-z]{0,6}\.? \d)", re.MULTILINE
)
_CLOSING = re.compile(r"(?P<sentence>[.!?])?(?<!\d) (?P<mark>[A-Z]{2}|[a-z]{2})[ \t]*$", re.MULTILINE)
_ROUTES = frozenset("im iv nl po sc sl vo".split())  # of drugs, at the end of a line; and "normal"
_SIGNED_ENTRIES = 2


def _closing_marks(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Return marks of writers where entries end with one: "Pas dormi, Imovane 3,75. LP", and those again elsewhere."""
    if len(_OPENS_ENTRY.findall(reading.folded)) < _SIGNED_ENTRIES:
        return
    found = [*_CLOSING.finditer(reading.text)]
    written = [reading.text[one.start : one.end] for one in mentions if one.label in NAMES]
    unusual = (one["mark"] for one in found if one["sentence"] and not _says_more(reading, fold(one["mark"])))
    marks = [*unusual, *(one for one in written if re.fullmatch("[A-Z]{2}|[a-z]{2}", one))]
    for one in found if len(marks) >= _SIGNED_ENTRIES else ():
        if one["mark"] in marks:
            yield _mention("initials", *one.span("mark"), Label.DOCTOR, _PLACED)


def _says_more(reading: Reading, word: str) -> bool:
    return word in NOT_INITIALS or word in _ROUTES or reading.lexicon.common.get(word, 0.0) >= _USUAL


# "119  UI/ML": a value and its unit, in capitals.
_PER_UNIT = frozenset({"ml", "dl", "mn", "kg", "ui", "mg"})
_MEASURED_IN = re.compile(r"\d\s{0,12}(?:m?u?ui|[mnpµμu]?g|[mnpµμu]mol|m?eq|u)/\Z")


def _stands_as_mark(reading: Reading, index: int, word: str) -> bool:
    """True if initials of a person named stand alone: capitals between edges, or behind a word like "dicté par"."""
    before, after = reading.word(index - 1), reading.word(index + 1)
    written = reading.surface(index)
    if before == ":":
        said = reading.word(index - 2 - (reading.word(index - 2) == "."))  # "réd. :"
        before = said if said in _CUES else before
    if before in _CUES:
        if written.islower() and reading.lexicon.common.get(word, 0.0) >= _USUAL and not reading.lowered(index):
            return False  # "passait par là"
        return after in _MARK_EDGES or after in ("le", "et", ".")
    start = reading.starts[index]
    lower = written.islower() and len(word) > 2 and reading.lexicon.is_unknown(word) and before != "/"
    if not (written.isupper() or lower) or _joined_to_code(reading, index) or _is_defined(reading, index, word):
        return False
    if before in PROFESSIONS and written.isupper() and word not in NOT_INITIALS and word not in PROFESSIONS:
        return True  # "médecin LM"
    if _closes_entry(reading, index):
        return True
    if word in NOT_INITIALS or word in ABBREVIATIONS:
        return False
    if word in _PER_UNIT and _MEASURED_IN.search(reading.folded, max(0, start - 24), start):
        return False
    left = before in _MARK_EDGES or reading.text[reading.starts[index] - 1] in "\t"
    right = after in _MARK_EDGES or reading.text[reading.ends[index] : reading.ends[index] + 1] in ("\t", "")
    if before == "." and len(word) > 2:
        left = len(reading.text) - reading.ends[index] < _ENDS  # signs behind the last sentence: "PBL, sh"
    return left and (right or after in _AWAY)


def _joined_to_code(reading: Reading, index: int) -> bool:
    """True where a hyphen joins letters to a code with a digit or to small letters: "PD-L1", "NT-proBNP"."""
    joined = reading.word(index + 1) == "-" and glued(reading, index + 1) and glued(reading, index + 2)
    behind = reading.text[reading.starts[index + 2] : reading.starts[index + 2] + 3] if joined else ""
    return behind[:1].islower() or any(map(str.isdigit, behind))


def _is_defined(reading: Reading, index: int, word: str) -> bool:
    """True for letters in brackets that abbreviate the words ahead: "pression artérielle (PA)"."""
    if reading.word(index - 1) != "(" or reading.word(index + 1) != ")":
        return False
    ahead = [at for at in range(max(0, index - 2 * len(word) - 1), index - 1) if len(reading.words[at]) > 2]
    said = ahead[-len(word) :]
    loud = [at for at in said if reading.capitals[at]]
    small = loud != said and not any(reading.lexicon.is_first_name(reading.words[at]) for at in loud)
    return small and sorted(reading.words[at][0] for at in said) == sorted(word)


def _closes_entry(reading: Reading, index: int) -> bool:
    """True behind the time of an entry, behind a sentence or dash at the end of its line, or alone on one of the last.

    "15h15 : PC : selles +", "7h30, calme. PC", "... – AV".
    """
    at, text = reading.starts[index], reading.text
    if reading.word(index + 1) not in ("", "\n"):
        timed = _TIMED.search(text, max(0, at - _TIME), at) is not None
        return timed and _ENTRY.match(text, reading.ends[index]) is not None
    start, _ = reading.line(at)
    alone = (
        not text[max(start, at - _ENDS) : at].strip()
        and len(text) - at < _ENDS
        and not reading.word(index + 2).isdigit()
    )
    entered = at - start < _ENDS and _ENTERED.fullmatch(text, start, at) is not None
    return alone or entered or text.startswith((" – ", " — "), at - 3)


_TIME = 12  # characters of the time of an entry, with the signs and blanks around
_TIMED = re.compile(r"\d{1,2} ?[h:] ?\d\d ?[:–—-]? ?\Z")
_ENTERED = re.compile(r"(?:[^\n]{0,16}\D)?\d{1,2} ?[h:] ?(?:\d\d)?(?:\W[^\n]*[.!?][ \t]+|\W{1,3})")
_ENTRY = re.compile(r" ?[:–—](?! ?[\d<>])")


def _signs_off(reading: Reading, index: int, word: str) -> bool:
    """True for two to four letters, no word, behind "signé" or "relu par" at the end of one of the last lines, and for
    small letters of no table that close the document behind its last sentence.
    """
    said = reading.word(index - 1 - (reading.word(index - 1) in ("par", ":")))
    closed = reading.word(index + 1) in ("", "\n", ".", "-", "–", "—")
    if (
        len(word) < 2
        or len(reading.text) - reading.ends[index] > _ENDS
        or reading.lexicon.common.get(word, 0.0) >= _USUAL
    ):
        return False
    if word in NOT_INITIALS or word in ABBREVIATIONS:
        return False
    if said in _SIGNED and closed:
        return True
    last = not any(map(str.isalnum, reading.text[reading.ends[index] :]))
    behind_sentence = reading.word(index - 1) in ("\n", ".", "!", "?") and not glued(reading, index)
    small = reading.surface(index).islower() and word not in reading.lexicon.clinical
    return last and behind_sentence and small and reading.lexicon.is_unknown(word)


def _is_login(reading: Reading, index: int, word: str) -> bool:
    """True if a word in no table is an initial and a surname, where systems write the user of an action."""
    lexicon = reading.lexicon
    if word in lexicon.surnames or word in lexicon.first_names or not lexicon.is_surname(word[1:]):
        return False
    if lexicon.surnames.get(word[1:]) < 200:
        return False
    before, after = reading.word(index - 1), reading.word(index + 1)
    return before in ("par", "by", "user", "login", "operateur", "oper") or (
        before in ("\n", "/", "|", "(", "[", "") and (after in _MARK_EDGES or after.isdigit()) and after != "-"
    )
