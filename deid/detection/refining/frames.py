"""Names that only their frame announces: before a date, in a round, behind a room or a follow-up; nicknames."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from deid.detection.lookup.known_names import BRANDS, LOWER_PARTICLES, NOT_NAMES, PARTICLES, VEHICLES
from deid.detection.lookup.lexicon import gazetteers
from deid.detection.merging.evidence import has_clinical_reading, is_acronym, is_clipped, is_misread, is_misspelt_drug
from deid.detection.refining.countries import named_territories
from deid.detection.refining.trimming import USUAL_NAME
from deid.detection.text.names import ends_value, glued, is_capital, read_name
from deid.detection.text.reading import Reading
from deid.detection.text.senses import COLOUR_WORDS, Sense, find_sense
from deid.detection.text.vocabulary import CIVILITIES, EPONYMS, KINSHIP, ORG_HEADS, PROFESSIONS, word_list
from deid.domain.document import Mention, Vote
from deid.domain.labels import NAMES, PLACES, Label
from deid.french.calendar import WEEKDAYS
from deid.reference.origins import FRENCH
from deid.reference.tables import packaged_tables

_SCORE, _SURE = 0.8, 0.85  # the second, of what is nobody's drug: "Naissance de Jasmine"
_BEARERS = 100  # births from which a word that opens an entry reads as a surname
_INHABITANTS = 2000  # from which such a word is rather a town
_LEAST = 4  # letters of a surname that no register has
_MOST_WORDS = 3
_NEAR = 240  # characters between two entries of one round
_COLUMN = 20  # characters of a line ahead of its last column
_OPENING = frozenset({"", "\n", ".", ";", "-", "–", "•", "*", ">", ")"})
_CLOSED = frozenset({":", "→", "->", "=>"})
_FULL_DATE = re.compile(r"\d{1,4}\s?[./-]\s?\d{1,2}\s?[./-]\s?\d{2,4}")
_BED = re.compile(
    r"\b(?:ch(?:b|br|bre|ambre)?|lit|box|salle)\b\.?\s?(?:n[°o]\s?)?\d{1,4}(?:[a-z]\b)?"
    r"(?:[ :,.-]{0,2}(?:porte|fenetre)\b)?"
)
_BEHIND_BED = re.compile(r"[ :,–-]{1,3}")
# The number of a bed that opens a line or an entry of a round, alone: "204 Le Roux", "B2 LOUP ; B3 …"
_BED_ALONE = re.compile(r"(?:^|[;.] )[ \t]*(?:[a-z]?\d{1,3}[a-z]?(?: [pf])?)(?= ?[ :,.)–-] ?[^\W\d_]{2})", re.MULTILINE)
# The day of a roster, in one line: "Garde mars : 1 Blot 2 Roche".
_ROSTER_DAY = re.compile(r"(?<=[ :;,])\d{1,2}(?= [^\W\d_]{2})")
_ROSTER = re.compile(r"\b(?:gardes?|astreintes?|planning|tableau|releve)\b")
_LOUD = 1000  # births from which a word in capitals reads as a surname behind a bed beside beds with names
_ENDS = frozenset({"", "\n", ".", ",", ";", "/"})
_HOUR = re.compile(r"(?<![\w.,/])(?:[01]?\d|2[0-3]) ?(?:(?:h|heures?)(?: ?[0-5]\d)?|: ?[0-5]\d)(?!\w)")
# Births by occurrence per million from which a word beside an hour reads as a surname; without a second sign of one.
_SELDOM_SAID, _HARDLY_SAID = 100, 1000
_MEETING = frozenset("appel appels entretien rdv recu revu revue visite vu vue".split())
_TO_SOMEBODY = frozenset("a avec chez ide par".split())
_TAKEN = word_list("beside_hours")
_COMPLEMENT = frozenset("d de des du".split())
_OF_PEOPLE, _OF_ALL = word_list("of_people"), word_list("of_people_or_things")
_LISTING = frozenset({"", "\n", ":", ",", ";", "/"})
_QUOTES = frozenset({"»", '"', "”"})
_CALLED = re.compile(
    r"\b(?:(?P<weak>(?P<said>dite?)|connue? (?:comme|sous le (?:sur)?nom de))|surnommee?|alias|surnom ?:|"
    r"un (?:certain|nomme)|une (?:certaine|nommee)|l[ea] (?:de|pre|sus)?nommee?|"
    r"se fait appeler|repond au (?:sur)?nom de|qu(?:'|’|e l'|e l’)on (?:l'|l’)?appelle|"
    r"que (?:tous|tout le monde) appelle(?:nt)?) ?(?P<quote>[«\"“]?) ?(?P<article>(?:le|la|les) |l['’])?(?=[^\W\d_])"
)
_QUOTED = re.compile(
    r"(?:[«\"“][ \xa0]?|(?P<and> et ))(?P<article>le|la|les) (?P<name>[A-ZÀ-Ý][a-zà-ÿ]{2,})"
    r"(?(and)(?=[.,;:)\n])|(?=[ \xa0]?[»\"”]))"
)
_BY = re.compile(
    r"\b(?:faite?s?|dictee?|signee?|operee?|relue?|validee?|redigee?|realisee?) par (?P<name>de (?:la )?[^\W\d_]{3,})"
    r"(?= (?:le|ce|a|en) |[,.;]|\s*\Z)"
)


_SEEN = re.compile(
    r"\b(?:re)?(?:vue?|faite?|lue?|adressee?|appelee?|examinee?|operee?|prescrite?|prevenue?|signee?|suivie?|validee?)"
    r"s? par (?=[a-z]{3})"
)
_FOLLOWED = re.compile(
    r"\b(?:suivie?|revue?|vue?|cs) (?P<name>(?:l[ea] |du |de )?[a-z]{4,})"
    r"(?=[.,;:)]|\s*(?:\n|\Z)| (?:le|en|pour|depuis|hier|ce|lundi|mardi|mercredi|jeudi|vendredi)\b)"
)
_FOLLOWING = 500  # births from which a word behind a follow-up is a surname in lower case
_RARE = 1.0  # occurrences per million below which a word behind a possessive may be what somebody is called
_OF_KIN = re.compile(
    rf"\b(?:{'|'.join(sorted(KINSHIP))}|naissance) (?:de |d['’])(?P<name>[a-z]{{3,}})(?: et (?P<other>[a-z]{{3,}}))?"
)
_DEAR = re.compile(
    r"(?:\b(?:dit|disait|repete|repond|crie|ecrit|appelle) (?:que |: ?)?[«\"]? ?(?:mon|ma|ton|ta|notre|votre)|"
    r"[«\"] ?(?:mon|ma|notre)|\b(?:appelle|reclame|demande|cherche) (?:mon|ma|son|sa|ses)) (?=[a-z])"
)
# A newborn by the first name alone, also ahead of the weight: "Naissance de Jasmine", "Prudence 2 150 g".
_NEWBORN = re.compile(
    r"\b[Nn]aissance (?:de |d['’])(?:l[ae] )?(?:petite? )?(?P<born>[A-ZÀ-Þ][\w'’-]+)"
    r"|(?<![\w'’-])(?P<weighed>[A-ZÀ-Þ][\w'’-]+)(?: [A-Z]\.?)?,? [1-5][ \u00a0.]?\d{3} ?g\b"
)
_GIVEN = 100  # births of a first name, whatever else it means
# "une dame mouette si si c'est son nom"
_SAID_NAME = re.compile(
    r"(?<![\w'-])(?!(?:si|oui|bien|vraiment|non)\b)(?P<name>[a-z][a-z-]+)[ ,(–—-]{1,3}"
    r"(?:(?:si|oui|bien|vraiment|non),? ){0,3}"
    r"c'est (?:bien |vraiment )?(?:son|leur) (?:vrai )?(?:nom|prenom)\b"
)
_USUAL = 1_000  # occurrences per million from which a word is none of a name
# "Exome de Yolande Kermarrec", "Prélèvement sanguin d'Yves Le Dantec"
_OF_SOMEBODY = re.compile(
    rf"(?<![^\W\d_])(?:{'|'.join(sorted(word_list('of_somebody')))})(?: [a-z]+){{0,2}} (?:de |d['’])(?=[a-z])"
)
# "bx derm Roussel": whoever examined, behind what and the specialty cut short
_EXAMINED = re.compile(
    r"\b(?:avis|biopsie|bx|cs|echo|rdv)\.? (?:"
    + "|".join(sorted(word_list("specialties_behind_names")))
    + r")\.? (?P<name>[a-z]{4,})(?=[.,;:)]|\s*(?:\n|\Z)| (?:le|ce|dans|hier)\b)"
)


@dataclass(frozen=True, slots=True)
class _Head:
    """Capitalised words that open an entry, from token `first` to `last`; `closed` if a colon or arrow follows."""

    first: int
    last: int
    closed: bool


def find_framed_names(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the names that `mentions` lack and that the frame around them announces."""
    covered = reading.coverage(one for one in mentions if one.label in NAMES)
    found = (
        *_before_dates(reading, mentions),
        *_in_rounds(reading, mentions),
        *_behind_beds(reading, covered),
        *_beside_hours(reading, covered),
        *_in_columns(reading, mentions),
        *_nicknames(reading, covered),
        *_quoted(reading, covered),
        *_authors(reading),
        *_seen_by(reading),
        *_followed(reading),
        *_dear(reading),
        *_of_kin(reading),
        *_told(reading),
        *_acting(reading),
        *_in_lists(reading),
        *(name for _, name in _of_somebody(reading)),
    )
    return [one for one in found if not all(covered[one.start : one.end])]


def without_beds(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return `mentions`, names and places without the room or bed ahead ("Ch. 21P Salaün") or behind ("ROY SALLE 4").

    None is but a room. A name goes without an hour ahead: "14H BLANC".
    """
    beds = [match.span() for match in _BED.finditer(reading.folded)]
    kept = []
    for mention in mentions:
        hour = _HOUR.match(reading.folded, mention.start, mention.end) if mention.label in NAMES else None
        bed = hour.end() if hour else next((end for start, end in beds if start <= mention.start < end), None)
        behind_name = next((start for start, end in beds if mention.start < start < mention.end <= end), None)
        if mention.label not in NAMES | PLACES | {Label.ORG} or (bed is None and behind_name is None):
            kept.append(mention)
        elif bed is None:
            name = reading.text[mention.start : behind_name].rstrip(" ,;:–-(")
            kept.append(replace(mention, end=mention.start + len(name)))
        elif mention.end > bed and (behind := _BEHIND_BED.match(reading.text, bed)) and behind.end() < mention.end:
            kept.append(replace(mention, start=behind.end()))
    return kept


def _framed(reading: Reading, first: int, last: int, label: Label = Label.PATIENT, score: float = _SCORE) -> Mention:
    return Mention(reading.starts[first], reading.ends[last], label, score, None, (Vote("announced", label, score),))


def _reads_as_surname(reading: Reading, index: int) -> bool:
    """True for a surname that is nothing else, and for a word of no table whose letters tell a language of names."""
    word, lexicon = reading.words[index], reading.lexicon
    births = lexicon.surnames.get(word)
    usual = births >= USUAL_NAME and word not in EPONYMS  # "Bernard", which a drug and an eponym are called too
    if not word.isalpha() or (_is_explained(reading, index) and not usual):
        return False
    if lexicon.is_unknown(word):
        return len(word) >= _LEAST and packaged_tables().names.origins[0].origin_of(word) != FRENCH
    return births >= _BEARERS and not lexicon.is_word(word) and gazetteers().towns(word) < _INHABITANTS


def _is_explained(reading: Reading, index: int) -> bool:
    """True for a clinical word in whatever spelling, an eponym, a brand, or a word that belongs to no name."""
    word = reading.words[index]
    listed = word in EPONYMS or word in reading.lexicon.eponyms or word in BRANDS or word in NOT_NAMES
    if listed or word in PROFESSIONS or word in KINSHIP or word in ORG_HEADS or has_clinical_reading(reading, index):
        return True
    tests = (is_acronym, is_clipped, is_misread, is_misspelt_drug)
    return "acronym" in reading.lexicon.clinical.get(word, "") or any(test(reading, index) for test in tests)


def _opens(reading: Reading, index: int) -> bool:
    before = reading.word(index - 1)
    return before in ("", "\n") or (before in _OPENING and not glued(reading, index))


def _before_dates(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the name that opens a line or sentence before a full date: "Brennec 12/11/2018 : exérèse"."""
    for mention in mentions:
        if mention.label is not Label.DATE or not _FULL_DATE.fullmatch(reading.text, mention.start, mention.end):
            continue
        last = first = reading.token_at(mention.start) - 1
        while first > max(0, last - _MOST_WORDS + 1) and not _opens(reading, first):
            first -= 1
        if first < 0 or not _opens(reading, first) or "\n" in reading.text[reading.ends[last] : mention.start]:
            continue
        if _is_bare_name(reading, first, last) or (first == last and _is_usual_surname(reading, first)):
            yield _framed(reading, first, last)


def _is_usual_surname(reading: Reading, index: int) -> bool:
    """True for a word of the language that is rather a surname than a town, with a capital: "Boucher", "Petit"."""
    return _is_borne_by_many(reading, index) and gazetteers().towns(reading.words[index]) < _INHABITANTS


def _is_borne_by_many(reading: Reading, index: int) -> bool:
    word, lexicon = reading.words[index], reading.lexicon
    named = lexicon.surnames.get(word) >= USUAL_NAME and lexicon.is_surname(word) and reading.capitals[index]
    return named and word not in NOT_NAMES and word not in WEEKDAYS


def _is_bare_name(reading: Reading, first: int, last: int) -> bool:
    """True for capitalised surnames, with particles and first names beside them."""
    words = range(first, last + 1)
    surnames = [at for at in words if _reads_as_surname(reading, at)]
    return bool(surnames) and all(
        (reading.capitals[at] or reading.lowered(at))
        and (at in surnames or reading.words[at] in PARTICLES or reading.lexicon.is_first_name(reading.words[at]))
        for at in words
    )


def _in_rounds(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the names that open entries beside entries that open with a name: "Quillivic : plaie propre".

    Beside such an entry, a word of no table before a colon is a name too; without one, two surnames before colons are.
    """
    named = {reading.token_at(one.start) for one in mentions if one.label in NAMES}
    heads = list(_heads(reading))
    for at, head in enumerate(heads):
        if head.first in named:
            continue
        near = [
            one
            for one in heads[max(0, at - 2) : at + 3]
            if one is not head and abs(reading.starts[one.first] - reading.starts[head.first]) <= _NEAR
        ]
        beside_name = any(one.first in named for one in near)
        surname = _is_bare_name(reading, head.first, head.last) and (
            head.closed or not reading.lexicon.is_unknown(reading.words[head.last])
        )
        if head.closed and not surname and any(one.closed and one.first in named for one in near):
            surname = head.first == head.last and _is_unexplained(reading, head.first)
        beside_surname = head.closed and any(one.closed and _is_bare_name(reading, one.first, one.last) for one in near)
        if surname and (beside_name or beside_surname or _is_planned(reading, head)):
            yield _framed(reading, head.first, head.last)


def _is_planned(reading: Reading, head: _Head) -> bool:
    """True where a day closes the entry: "Sissoko scanner demain"."""
    days = {*WEEKDAYS, "demain"}
    behind = range(head.last + 2, head.last + 5)
    return not head.closed and any(reading.word(at) in days and reading.word(at + 1) in _ENDS for at in behind)


def _is_unexplained(reading: Reading, index: int) -> bool:
    """True for a word of no table with one capital, which no clinical reading explains."""
    word = reading.words[index]
    titled = reading.surface(index).istitle() and len(word) >= _LEAST
    return titled and reading.lexicon.is_unknown(word) and not _is_explained(reading, index)


def _heads(reading: Reading) -> Iterator[_Head]:
    """Yield the capitalised words that open a sentence, item or line and end before a colon, arrow or lower case."""
    for first in range(len(reading.words)):
        if not (reading.capitals[first] or reading.lowered(first)) or not _opens(reading, first):
            continue
        last = first
        while last - first < _MOST_WORDS - 1 and reading.word(last) in LOWER_PARTICLES | PARTICLES:
            last += 1
        if last >= len(reading.words) or not reading.words[last].isalpha():
            continue
        after = reading.word(last + 1)
        closed = after in _CLOSED or (after == "-" and reading.word(last + 2) == ">")
        goes_on = after.isalpha() and (not reading.capitals[last + 1] or is_acronym(reading, last + 1))
        if closed or (goes_on and reading.capitals[first]):
            yield _Head(first, last, closed)


def _behind_beds(reading: Reading, covered: Sequence[int]) -> Iterator[Mention]:
    """Yield the name behind a room or bed: "Lit 12 Moal : VNI"; a word of the language beside beds with names."""
    sure = {*_beds(reading, _BED)}
    days = (place for place in _beds(reading, _ROSTER_DAY) if _is_in_roster(reading, place[0]))
    places = sorted({*sure, *_beds(reading, _BED_ALONE), *days})
    named = [reading.starts[first] for first, _ in places if covered[reading.starts[first]]]
    for first, last in places:
        told = (first, last) in sure
        beside = sum(abs(at - reading.starts[first]) <= _NEAR for at in named) > (not told)
        bare = (told or beside) and _is_bare_name(reading, first, last)
        if bare or (beside and _reads_as_surname_here(reading, last)):
            yield _framed(reading, first, last)


def _in_columns(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the surname that ends a line in the column in which a professional ends two or more of the lines near."""
    columns: dict[int, list[Mention]] = {}
    for one in mentions:
        start, end = reading.line(one.start)
        if one.label is Label.DOCTOR and one.start - start >= _COLUMN and not reading.text[one.end : end].strip():
            columns.setdefault(one.start - start, []).append(one)
    for column, cells in columns.items():
        for start in _lines_near(reading, cells) if len(cells) > 1 else ():
            at = reading.token_at(start + column)
            ends = reading.word(at + 1) in ("", "\n") and reading.starts[at : at + 1] == [start + column]
            inside = start + column < reading.line(start)[1]
            if ends and inside and is_capital(reading, at) and _reads_as_surname(reading, at):
                yield _framed(reading, at, at, Label.DOCTOR)


def _lines_near(reading: Reading, cells: Sequence[Mention]) -> Iterator[int]:
    """Yield the starts of the lines within `_NEAR` of a cell, each once; the cells are in order."""
    seen = 0
    for cell in cells:
        first = max(seen, bisect_left(reading.line_starts, cell.start - _NEAR))
        seen = max(seen, bisect_right(reading.line_starts, cell.start + _NEAR))
        yield from reading.line_starts[first:seen]


def _is_in_roster(reading: Reading, index: int) -> bool:
    return _ROSTER.search(reading.folded, reading.line(reading.starts[index])[0], reading.starts[index]) is not None


def _beds(reading: Reading, form: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the tokens, first and last, behind each room or bed: a word and the particles before it."""
    for match in form.finditer(reading.folded):
        behind = _BEHIND_BED.match(reading.text, match.end())
        first = last = reading.token_at(behind.end() if behind else len(reading.text))
        while reading.word(last) in CIVILITIES or reading.word(last) == ".":
            first = last = last + 1
        while reading.word(last) in PARTICLES and last - first < _MOST_WORDS - 1:
            last += 1
        if last < len(reading.words) and "\n" not in reading.text[match.end() : reading.starts[first]]:
            yield first, last


def _reads_as_surname_here(reading: Reading, index: int) -> bool:
    """True for a usual surname, or a rarer one in capitals in a line that is not, with no clinical meaning."""
    if has_clinical_reading(reading, index) or is_acronym(reading, index):
        return False
    loud = reading.surface(index).isupper() and not reading.shouted(index)
    return _is_usual_surname(reading, index) or (loud and reading.lexicon.surnames.get(reading.words[index]) >= _LOUD)


def _beside_hours(reading: Reading, covered: Sequence[int]) -> Iterator[Mention]:
    """Yield a surname, though a word too, beside an hour of a line in capitals: "9h00 BERGER", "TRANSMIS A BERGER 20h".

    It is said that seldom for how many bear it; less so where somebody is met ("RDV 14h PETIT") or a name is near.
    """
    ahead = [reading.token_at(match.start()) - 1 for match in _HOUR.finditer(reading.folded)]
    told = {(at, at) for at in ahead if reading.word(at - 1) in _TO_SOMEBODY | {"", "\n"}}
    places = [
        (first, last)
        for first, last in sorted({*_beds(reading, _HOUR), *told})
        if reading.shouted(last) and reading.words[last].isalpha()
    ]
    sure = {
        (first, last)
        for first, last in places
        if reading.words[last] not in COLOUR_WORDS
        and (covered[reading.starts[first]] or _is_said_seldom(reading, last, _HARDLY_SAID))
    }
    for at, (first, last) in enumerate(places):
        line = reading.token_at(reading.line(reading.starts[first])[0])
        near = {one for one in places[max(0, at - 2) : at + 3] if one in sure} - {(first, last)}
        seconded = not _MEETING.isdisjoint(reading.words[max(line, first - 5) : first])
        seconded = seconded or reading.word(first - 1) in _TO_SOMEBODY or bool(near)
        if (first, last) in sure or (seconded and _is_said_seldom(reading, last, _SELDOM_SAID)):
            yield _framed(reading, first, last)


def _is_said_seldom(reading: Reading, index: int, births: int) -> bool:
    """True for a usual surname of so many births by occurrence per million that no thing, state or complement makes."""
    word, lexicon = reading.words[index], reading.lexicon
    borne = lexicon.surnames.get(word) >= max(USUAL_NAME, births * lexicon.common.get(word, 0.0))
    plain = word in _TAKEN or reading.word(index + 1) in _COMPLEMENT or _is_explained(reading, index)
    return borne and not plain and find_sense(reading, index) is not Sense.THING


def _nicknames(reading: Reading, covered: Sequence[int]) -> Iterator[Mention]:
    """Yield nicknames: "Lagadec dit le Chinois", "qu'on appelle Titi", "surnommé « Tonton Bible »"."""
    for match in _CALLED.finditer(reading.folded):
        first = reading.token_at(match.end())
        if match["said"] and not any(covered[max(0, match.start() - 3) : match.start()]):
            continue  # "elle dit Non"
        if reading.word(first) in CIVILITIES:
            first += 1
        last = first
        while last - first < _MOST_WORDS - 1 and reading.word(last + 1).isalpha() and reading.capitals[last + 1]:
            last += 1
        if last >= len(reading.words) or not _is_nickname(reading, match, first, last):
            continue
        if match["article"] and reading.text[match.start("article")].isupper():
            first = reading.token_at(match.start("article"))
        yield _framed(reading, first, last, Label.PERSON)


def _quoted(reading: Reading, covered: Sequence[int]) -> Iterator[Mention]:
    """Yield what an article and a capital call somebody: « le Chinois », "Bastos et la Puce"."""
    for match in _QUOTED.finditer(reading.text):
        index = reading.token_at(match.start("name"))
        if match["and"] and not covered[match.start("and") - 1]:
            continue
        parts = reading.lexicon.parts.get(reading.words[index], "").split("|")
        if not {"NOM", "ADJ"}.isdisjoint(parts) and not _is_explained(reading, index):
            yield _framed(reading, reading.token_at(match.start("article")), index, Label.PERSON)


def _is_nickname(reading: Reading, cue: re.Match[str], first: int, last: int) -> bool:
    """True for what quotation marks hold alone; else for capitals that are no words, or stand behind an article."""
    if not reading.capitals[first]:
        return False
    if cue["quote"]:
        return reading.word(last + 1) in _QUOTES
    loud = reading.shouted(first)
    if is_acronym(reading, first) or has_clinical_reading(reading, first) or (loud and (cue["said"] or last > first)):
        return False
    known = reading.lexicon.is_word(reading.words[last]) and not reading.lexicon.is_first_name(reading.words[last])
    return not known or (not loud and (cue["article"] is not None or not cue["weak"]))


def _authors(reading: Reading) -> Iterator[Mention]:
    """Yield a name with a particle behind "faite par" in a line without capitals: "faite par de la porte le trois"."""
    for match in _BY.finditer(reading.folded):
        first, last = reading.token_at(match.start("name")), reading.token_at(match.end("name") - 1)
        word = reading.words[last]
        start, end = reading.line(match.start())
        small = reading.text[start:end].lstrip()[1:].islower()
        if small and not (word in PROFESSIONS or has_clinical_reading(reading, last)):
            yield _framed(reading, first, last, Label.DOCTOR)


def _seen_by(reading: Reading) -> Iterator[Mention]:
    """Yield a surname in capitals that is a word too, behind what somebody did: "revu par CHAT ce matin"."""
    for match in _SEEN.finditer(reading.folded):
        index = reading.token_at(match.end())
        loud = reading.surface(index).isupper() and not reading.shouted(index)
        borne = reading.lexicon.surnames.get(reading.words[index]) >= _BEARERS
        if loud and borne and not _is_explained(reading, index):
            yield _framed(reading, index, index, Label.DOCTOR)


def _followed(reading: Reading) -> Iterator[Mention]:
    """Yield a surname in lower case right behind a word of follow-up: "51 ans, suivi pfister."."""
    for match in _FOLLOWED.finditer(reading.folded):
        first, last = reading.token_at(match.start("name")), reading.token_at(match.end("name") - 1)
        usual = reading.lexicon.surnames.get(reading.words[last]) >= _FOLLOWING
        if usual and reading.surface(last).islower() and _reads_as_surname(reading, last):
            yield _framed(reading, first, last, Label.DOCTOR)


def _told(reading: Reading) -> Iterator[Mention]:
    """Yield first names of newborns, words that are said to be a name, and surnames of whoever examined."""
    lexicon = reading.lexicon
    for match in _NEWBORN.finditer(reading.text):
        first = reading.token_at(match.start(match.lastgroup or 0))
        if lexicon.first_names.get(reading.words[first]) >= _GIVEN:
            yield _framed(reading, first, first, Label.PERSON, _SURE)
    for match in _SAID_NAME.finditer(reading.folded):
        first = reading.token_at(match.start())
        usual = lexicon.common.get(reading.words[first], 0.0) >= _USUAL or has_clinical_reading(reading, first)
        if not usual and reading.words[first] not in KINSHIP | PROFESSIONS:
            yield _framed(reading, first, first, Label.PERSON, _SURE)
    for match in _EXAMINED.finditer(reading.folded):
        last = reading.token_at(match.start("name"))
        borne = lexicon.surnames.get(reading.words[last]) >= _FOLLOWING
        if borne and reading.surface(last).istitle() and _reads_as_surname(reading, last):
            yield _framed(reading, last, last, Label.DOCTOR)


def _acting(reading: Reading) -> Iterator[Mention]:
    """Yield a usual surname or first name that opens a sentence, behind a value perhaps, ahead of what a person does.

    "Bernard tolère bien", "O2 débit 3 L. Martin présent". An eponym opens a sentence as a sign: "Babinski absent".
    """
    lexicon = reading.lexicon
    for first, word in enumerate(reading.words):
        said, valued = reading.word(first + 1), _is_behind_value(reading, first)
        told = said in _OF_PEOPLE | _OF_ALL or (valued and said.isalpha() and not reading.capitals[first + 1])
        if not told or not reading.surface(first).istitle() or not (valued or _opens(reading, first)):
            continue
        usual = _is_borne_by_many(reading, first)
        plain = lexicon.is_word(word) or not usual
        eponym = word in lexicon.eponyms and not lexicon.is_first_name(word)
        named = usual or _reads_as_surname(reading, first)
        if named and not eponym and not (plain and said not in _OF_PEOPLE):
            yield _framed(reading, first, first)


def _in_lists(reading: Reading) -> Iterator[Mention]:
    """Yield surnames in capitals that open the entries of one line: "Bloc 2 : CORMIER hernie, LE BRAS colectomie"."""
    heads: dict[int, list[tuple[int, int]]] = {}
    for last in range(1, len(reading.words) - 1):
        first = last - (reading.word(last - 1) in PARTICLES and is_capital(reading, last - 1))
        opens = reading.word(first - 1) in _LISTING and len(reading.words[last]) > 2 and reading.surface(last).isupper()
        told = reading.word(last + 1).isalpha() and not reading.capitals[last + 1]
        if opens and (told or is_acronym(reading, last + 1)) and _reads_as_surname_here(reading, last):
            heads.setdefault(reading.line(reading.starts[last])[0], []).append((first, last))
    for entries in heads.values():
        if len(entries) > 1 and any(not reading.lexicon.is_word(reading.words[last]) for _, last in entries):
            yield from (_framed(reading, first, last) for first, last in entries)


def _is_behind_value(reading: Reading, index: int) -> bool:
    """True right behind the unit of a value, and its dot: "O2 3 L. [Martin]"."""
    return ends_value(reading, index - 1 - (reading.word(index - 1) == "."))


def _dear(reading: Reading) -> Iterator[Mention]:
    """Yield what somebody is called in reported speech: "sa grand-mère dit mon Titis", "elle réclame sa Jojo"."""
    for match in _DEAR.finditer(reading.folded):
        index = reading.token_at(match.end())
        if index >= len(reading.words) or not reading.surface(index).istitle() or len(reading.words[index]) < _LEAST:
            continue
        rare = reading.lexicon.common.get(reading.words[index], 0.0) < _RARE
        behind = index + 1
        numbered = reading.word(behind).isdigit() or reading.word(behind) == "-"
        alone = behind >= len(reading.words) or not (numbered or is_acronym(reading, behind))
        if rare and alone and not _is_explained(reading, index) and reading.words[index] not in VEHICLES:
            yield _framed(reading, index, index, Label.PERSON)


def _of_kin(reading: Reading) -> Iterator[Mention]:
    """Yield a first name in small letters whose kin is told: "la maman de cesar", "les parents de leo et rose"."""
    for match in _OF_KIN.finditer(reading.folded):
        for start, end in (match.span("name"), match.span("other")):
            word = reading.folded[max(0, start) : max(0, end)]
            often = reading.lexicon.common.get(word, 0.0)
            given = reading.lexicon.first_names.get(word) >= max(_LOUD, _HARDLY_SAID * often)
            index = reading.token_at(start) if given else 0
            if not given or not reading.surface(index).islower() or reading.ends[index] != end:
                break
            told = word in named_territories("country") or word in PROFESSIONS or has_clinical_reading(reading, index)
            if not told:
                yield _framed(reading, index, index, Label.PERSON)


def without_nouns(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return `mentions`, names and organisations without what is taken from somebody ahead ("Exome de")."""
    starts = {noun: name.start for noun, name in _of_somebody(reading)}
    return [
        replace(one, start=starts[one.start], label=one.label if one.label in NAMES else Label.PATIENT)
        if one.label in NAMES | {Label.ORG} and starts.get(one.start, one.end) < one.end
        else one
        for one in mentions
    ]


def _of_somebody(reading: Reading) -> Iterator[tuple[int, Mention]]:
    """Yield the start of a word for what is taken from somebody, and the first name and surname behind."""
    for match in _OF_SOMEBODY.finditer(reading.folded):
        first = reading.token_at(match.end())
        last = read_name(reading, first, strict=reading.shouted(first)) if reading.capitals[first] else None
        if last == first and reading.word(last + 1).isalpha() and reading.surface(last + 1).istitle():
            last += 1
        if last is not None and _is_full_name(reading, first, last):
            yield match.start(), _framed(reading, first, last, score=_SURE)


def _is_full_name(reading: Reading, first: int, last: int) -> bool:
    """True for words with blanks between, one of them a first name rather than a town, that open no known place."""
    words = [at for at in range(first, last + 1) if reading.words[at].isalpha()]
    births = reading.lexicon.first_names
    given = [at for at in words if births.get(reading.words[at]) >= max(_GIVEN, gazetteers().towns(reading.words[at]))]
    place = any(hit.end > reading.ends[first] for hit in reading.hits_at.get(reading.starts[first], ()))
    apart = any(not glued(reading, at) for at in words[1:])
    thing = reading.words[first] in ORG_HEADS or any(find_sense(reading, at) is Sense.THING for at in words)
    clinical = any(has_clinical_reading(reading, at) and not _may_be_surname(reading, at) for at in words[1:])
    return bool(given) and apart and not (place or thing or clinical)


def _may_be_surname(reading: Reading, index: int) -> bool:
    word, lexicon = reading.words[index], reading.lexicon
    return word in lexicon.eponyms or lexicon.surnames.get(word) >= _BEARERS
