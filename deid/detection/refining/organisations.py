"""Organisations by the word that announces their kind: no people, towns or addresses, and with that word."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from deid.detection.lookup.known_names import ABBREVIATIONS
from deid.detection.lookup.lexicon import Hit, Kind, gazetteers
from deid.detection.merging.evidence import has_clinical_reading, is_clipped
from deid.detection.refining.overlaps import joined_mention
from deid.detection.text.names import glued, is_capital, is_upper, opens_verb
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import (
    CIVILITIES,
    DOCTOR_TITLES,
    KINDS_INCLUDED,
    KINSHIP,
    ORG_FILLERS,
    ORG_HEADS,
    ORG_PARTICLES,
    PROFESSIONS,
    REPORT_WORDS,
    SERVICE_HEADS,
    word_list,
)
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.calendar import DETECTED_MONTHS, WEEKDAYS
from deid.french.folding import key
from deid.french.organisation_heads import (
    HEAD,
    TRADES,
    KindWord,
    OrgKind,
    head_ending,
    head_of,
    kind_of_head,
    scanned,
)
from deid.french.organisations import is_national
from deid.french.social_words import find_occupations

_PLACED = frozenset({Label.CITY, Label.LOC, Label.STREET})
_ARTICLES = frozenset("la le les l".split())
_QUOTES = frozenset({"«", '"', "“"})
_SURE_VOTES = frozenset({"identity", "announced"})  # annotators that know somebody
_REACH = 9  # tokens ahead of a name in which the words for its kind stand
# Acronyms that are words, families, rates or names too: "SA", "FAM", "FC", "MAIA".
_AMBIGUOUS = frozenset("as clic dac fam fc had ico lam maia mas rc sa sas sc tc ti usp".split())
_TOWN = 10_000  # inhabitants from which a town with an article is told behind a kind: "EHPAD LE MANS"
_USUAL = 1_000  # births of a surname from which it is rather somebody's than an organisation's
# What firms do, at the end of a name, what joins its words, who is paid to provide, and sides of the country.
_TRADED = ("patho", "sante", "bio", "labo", "med", "medical")
_JOINS, _TITLES = frozenset("' - d de du".split()), CIVILITIES | DOCTOR_TITLES
_PROVIDERS = frozenset("par chez prestataire societe labo laboratoire".split())
_SIDES, _SHORTEST = frozenset("ouest nord atlantique armor breizh ocean littoral".split()), 4
# Homes that an address is told by; hospitals and units behind which the name of a patient or a town stands.
_DWELLINGS = frozenset("residence maison hotel domaine ferme camping gite port base foyer".split())
_BARE = word_list("bare_heads")
# Words that open the name of a way, and of no body.
_WAYS = (word_list("sure_street_types") | {"place", "square"}) - ORG_HEADS - {"all", "bd", "che", "grand", "grande"}
_APART = frozenset({OrgKind.ADMINISTRATION, OrgKind.MILITARY, OrgKind.BANK})
# Names without a mention: most words behind the article, signs behind them, words that belong to none.
_LONGEST, _SCORE = 3, 0.7
# Who comes to a patient's home or pays, and is told behind a colon; behind others a test may stand ("CMP : WISC").
_COMING = frozenset("ambulance ambulances asso association entreprise had mutuelle prestataire societe ssiad".split())
# Who lets a home or manages somebody's affairs, right behind the word for it: "studio SIDR", "mandataire ATPC".
_LETTING = frozenset("appart appartement bailleur curateur curatelle logement mandataire studio tutelle tuteur".split())
_UNITS = frozenset("antenne centre service site unite".split())
_HOSPITAL = re.compile("ch[a-z]{2,3}|gh(?!rh|rp|bp|ih)[a-z]{2,3}|epsm[a-z]{1,2}|icans|igr|iuct|cgfl")
_LONGEST_ACRONYM = 8
# "patron du bar la marine", in small letters
_KEEPS = re.compile(
    r"\b(?:patron(?:ne)?|gerante?|tenanciere?|serveu(?:r|se)|tien[st]|tenait) (?:du|de la|au|a la|le|la|un|une) "
    r"(?P<kind>[a-z]+) (?P<name>l[ae]s? (?P<word>[a-z]{3,}))"
)
# Words right ahead of an employer that no table knows: "salariée de la", "conducteur de tramway pour la".
_TO_EMPLOYER = re.compile(r" (?:de|a|chez|par|pour) (?:la |le |l')?\Z")
_EMPLOYED = re.compile(r"\b(?:salarie|employe|embauche|retraite|travaill)[a-z]*\Z")
_OF_TRADE = re.compile(r"(?: (?:de |en |d'|du |des )[a-z-]+)?")  # behind an occupation: "conducteur [de tramway]"
_CLAUSE_END = re.compile(r"[.;:,!?\n()]")
_UNIVERSITY = re.compile(r" Universit(?:é|y)(?![\w-])")  # behind its town
_ENDS = frozenset({"", "\n", ".", ",", ";", ")", "/", "(", "-", "–"})
_OPENINGS = frozenset({"", "\n", "|", ";", ":", "\t"})
_NOT_NAMING = KINSHIP | PROFESSIONS | word_list("time_words") | frozenset(WEEKDAYS) | DETECTED_MONTHS
_BEHIND = re.compile(r" \(([a-z]{3,8})\)")
_BODY_OF = re.compile(rf"(?<![a-z-]){HEAD.pattern} (?:d[eu] |de ia |de i'|des |d')\Z")  # letters as `scanned` has them
_AHEAD = 60  # characters ahead of a territory in which such words stand
_Name = tuple[frozenset[str], Label]
_Bearers = dict[str, dict[_Name, None]]  # names by each of their words, each once, in order


def settle_organisations(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return sorted mentions of disjoint ones; what a word for a kind of organisation announces is an organisation.

    "SSR LES TILLEULS", "cargo Maria Stella", "menuiserie Legrand" and "Les Buissonnets (SSR)" are no town, woman,
    man or street, nor is a body that the whole country knows. Whom the document names elsewhere stays somebody.
    """
    result: list[Mention] = []
    mentions = sorted(mentions)
    for firm in _firms(reading):
        first = bisect_right(mentions, firm.start, key=attrgetter("end"))
        last = bisect_left(mentions, firm.end, key=attrgetter("start"))
        if all(firm.start <= one.start and one.end <= firm.end for one in mentions[first:last]):
            mentions[first:last] = [firm]
    names = [(_own_words(reading, one), one.label) for one in mentions if one.label in NAMES]
    borne, bearers = Counter(word for words, _ in names for word in words), _by_word(names)
    added = (one for find in (_missed, _of_areas, _acronyms, _kept, _employers) for one in find(reading, mentions))
    for mention in sorted({*mentions, *added}):
        if (guest := _guest(reading, mention, bearers)) is not None:
            mention = guest
        elif mention.label is Label.ORG and (label := _whose_name(reading, mention, bearers)) is not None:
            mention = replace(mention, label=label)
        elif _is_organisation(reading, mention, borne):
            mention = replace(mention, label=Label.ORG)
        elif mention.label is Label.ORG and _is_way(reading, mention):
            mention = replace(mention, label=Label.STREET)
        if result and _goes_on(reading, result[-1], mention):
            result[-1] = replace(joined_mention(result[-1], mention), label=Label.ORG)
        else:
            result.append(mention)
    return result


def _by_word(names: Sequence[_Name]) -> _Bearers:
    found: _Bearers = {}
    for name in names:
        for word in name[0]:
            found.setdefault(word, {})[name] = None
    return found


def _guest(reading: Reading, mention: Mention, bearers: _Bearers) -> Mention | None:
    """Return whom "ch" ("chambre") makes an organisation, where a title has the name elsewhere: "ch ROY", "Mme Roy"."""
    first, *rest = reading.tokens(mention)
    name = reading.words[rest[0]] if len(rest) == 1 and reading.words[first] == "ch" else ""
    if mention.label is not Label.ORG or name not in reading.titled or gazetteers().towns(name):
        return None
    label = next((label for _, label in bearers.get(name, ())), None)
    return replace(mention, start=reading.starts[rest[0]], label=label) if label else None


def _firms(reading: Reading) -> Iterator[Mention]:
    """Yield firms called by a place and what they do: "Ouest Patho", "creusebio", "par vent d'ouest santé"."""
    for index, word in enumerate(reading.words):
        stem = next((word.removesuffix(end) for end in _TRADED if word.endswith(end)), None)
        if stem is None:
            continue
        first = index if stem and reading.lexicon.is_unknown(word) and _is_place(stem) else None
        first = _firm(reading, index) if not stem else first
        if first is not None:
            yield Mention(reading.starts[first], reading.ends[index], Label.ORG, _SCORE)


def _firm(reading: Reading, index: int) -> int | None:
    """Return the first token of a firm whose trade is at `index`; in small letters, a provider's word announces it."""
    words, first, small = reading.words, index, not is_capital(reading, index)
    while first:
        at = first - 1
        joined = words[at] in _JOINS and (words[at] != "-" or glued(reading, first))
        at -= joined + (joined and words[at - 1] in _JOINS)
        made = at == index - 1 and words[index] == "sante" and not small and reading.lexicon.is_unknown(words[at])
        told = _is_place(words[at]) or (joined and first < index) or (made and words[at] not in _TITLES)
        apart = at < 0 or reading.starts[at + 1] - reading.ends[at] > 1
        if apart or not told or not (small or is_capital(reading, at)):
            break
        first = at
    announced = reading.word(first - 1) in _PROVIDERS if small else reading.word(first - 1) not in _TITLES
    return first if first < index and announced else None


def _is_place(word: str) -> bool:
    """Return whether a word is for a territory, town or side that firms are called by."""
    if len(word) < _SHORTEST or word in ORG_HEADS:
        return False
    known = gazetteers()
    return word in _SIDES or known.towns(word) >= _TOWN or Kind.TERRITORY in known.table.kinds(word)


def _missed(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield names of no mention that open with an article behind a head and end a clause: "RESIDENCE LES AJONCS."."""
    covered = reading.coverage(mentions)
    for index, word in enumerate(reading.words):
        if word not in _ARTICLES or not reading.capitals[index] or covered[reading.starts[index]]:
            continue
        last = index
        while last - index < _LONGEST and _names(reading, last + 1, covered) and not opens_verb(reading, last + 1):
            last += 1
        behind = reading.word(last + 1)
        ends = behind in _ENDS or not (reading.shouted(index) or is_capital(reading, last + 1))
        head = _ahead(reading, index) if last > index else None
        ends |= head is not None and opens_verb(reading, last + 1) and _is_subject(reading, index - head.length)
        if ends and head is not None and head.kind not in _APART and head.words not in _BARE:
            yield Mention(reading.starts[index], reading.ends[last], Label.ORG, _SCORE)


def _is_subject(reading: Reading, head: int) -> bool:
    """Return whether a clause opens with a head and its article: "LA CRECHE LES LUTINS A APPELE", not "A LA CRECHE"."""
    article = head - 1 - (reading.word(head - 1) == "'")
    opens = reading.word(article - 1) in ("", "\n", ".", ",", ";", ":", "-", "et", "mais", "que")
    return reading.word(article) in _ARTICLES and opens


def _of_areas(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield bodies of a department or region that no mention covers: "PREFECTURE DE LA CREUSE"."""
    covered = reading.coverage(mentions)
    for start, hits in reading.hits_at.items():
        ends = [hit.end for hit in hits if hit.entry.kind is Kind.TERRITORY]
        if not ends or any(covered[start : max(ends)]):
            continue
        first = max(0, start - _AHEAD)
        found = _BODY_OF.search(scanned(reading.text[first:start]))
        if found is not None and kind_of_head(found) is OrgKind.ADMINISTRATION and head_of(found) not in _AMBIGUOUS:
            yield Mention(first + found.start("kind"), max(ends), Label.ORG, _SCORE)


def _acronyms(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield capitals of no table and no mention that begin as "CHOG" does, or that a kind or who lets announces.

    "HAD : ASDR", "mandataire ATPC"; and what heads the letter ahead of its service: "ATIRG - UNITE DE DIALYSE".
    """
    covered = reading.coverage(mentions)
    for index, word in enumerate(reading.words):
        announced = reading.word(index - 1) == ":" and reading.word(index - 2) in _COMING | _LETTING
        announced |= reading.word(index - 1) in _LETTING
        heads = _heads_letter(reading, index)
        told = announced or heads or _HOSPITAL.fullmatch(word)
        if not told or not 2 < len(word) < _LONGEST_ACRONYM or not word.isalpha() or covered[reading.starts[index]]:
            continue
        if not is_upper(reading, index) or (reading.shouted(index) and not heads):
            continue
        known = word in REPORT_WORDS or word in ABBREVIATIONS or word in reading.lexicon.clinical
        apart = not glued(reading, index) or reading.word(index - 1) in ("(", "'")
        if reading.lexicon.is_unknown(word) and not known and apart:
            yield Mention(reading.starts[index], reading.ends[index], Label.ORG, _SCORE)


def _heads_letter(reading: Reading, index: int) -> bool:
    """Return whether a word opens the document, ahead of a dash and the word for a service."""
    dashed = index == 0 and len(reading.words[0]) > _SHORTEST and reading.word(1) in ("-", "–", "—")
    return dashed and not (glued(reading, 1) or is_clipped(reading, 0)) and reading.word(2) in _UNITS


def _kept(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the name of a place that somebody keeps, in small letters without a mention."""
    covered = reading.coverage(mentions)
    for found in _KEEPS.finditer(reading.folded):
        head, (start, end) = head_ending([found["kind"]]), found.span("name")
        employs = head is not None and head.kind is OrgKind.EMPLOYER and found["word"] not in _NOT_NAMING
        if employs and reading.lowered(reading.token_at(start)) and not any(covered[start:end]):
            yield Mention(start, end, Label.ORG, _SCORE)


def _is_joined(reading: Reading, index: int) -> bool:
    """Return whether a sign joins a word to the next: "Kerlo-Valdor"."""
    return reading.word(index + 1) in ("-", "'", "&") and glued(reading, index + 1) and glued(reading, index + 2)


def _employers(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield capital words of no table and no mention right behind an occupation or the word for being employed."""
    covered = reading.coverage(mentions)
    for index, word in enumerate(reading.words):
        start = reading.starts[index]
        if covered[start] or reading.shouted(index) or not _names(reading, index, covered):
            continue
        if (
            len(word) < _SHORTEST
            or not word.isalpha()
            or not reading.lexicon.is_unknown(word)
            or _is_joined(reading, index)
        ):
            continue
        clause = _CLAUSE_END.split(reading.folded[max(0, start - _AHEAD) : start])[-1]
        if (found := _TO_EMPLOYER.search(clause)) is None:
            continue
        said = clause[: found.start()]
        trades = [trade.end() for trade, _ in find_occupations(said)]
        if _EMPLOYED.search(said) or (trades and _OF_TRADE.fullmatch(said, trades[-1])):
            yield Mention(start, reading.ends[index], Label.ORG, _SCORE)


def _names(reading: Reading, index: int, covered: bytearray) -> bool:
    """Return whether a word may be of such a name: with a capital, of nobody, no part of a day and no clinical word."""
    word = reading.word(index)
    if not is_capital(reading, index) or len(word) < 2 or covered[reading.starts[index]]:
        return False
    return word not in _NOT_NAMING and not has_clinical_reading(reading, index)


def _is_way(reading: Reading, mention: Mention) -> bool:
    """Return whether a mention on its own line opens with the word for a way: "Place Alexis-Ricordeau"."""
    first = reading.token_at(mention.start)
    opens = not reading.text[reading.line(mention.start)[0] : mention.start].strip()
    return opens and reading.words[first] in _WAYS and len(reading.tokens(mention)) > 1


def _own_words(reading: Reading, mention: Mention) -> frozenset[str]:
    return frozenset(word for at in reading.tokens(mention) if len(word := reading.words[at]) > 2)


def _is_organisation(reading: Reading, mention: Mention, borne: Mapping[str, int]) -> bool:
    """Return whether words around a mention make it an organisation; `borne` counts the names with a word."""
    if mention.label not in NAMES | _PLACED or not _SURE_VOTES.isdisjoint(vote.annotator for vote in mention.votes):
        return False
    first, last = reading.token_at(mention.start), reading.token_at(mention.end - 1)
    if mention.label in NAMES and _is_somebody(reading, mention, borne):
        return False
    if _is_known(reading, mention) or _says_trade(reading, mention):
        return True
    if (head := _opening(reading, first, last)) is not None:
        if mention.label is Label.STREET and head.kind is OrgKind.ADMINISTRATION:  # "Maison d'arrêt de Moulins"
            return not any(map(str.isdigit, reading.folded[mention.start : mention.end]))
        return mention.label is not Label.CITY and _suits(reading, mention, head, first + head.length)
    if (head := _ahead(reading, first)) is not None:
        given = head.words in _AMBIGUOUS and reading.lexicon.is_first_name(reading.words[first])  # "AS Fabienne C."
        return not given and _suits(reading, mention, head, first)
    behind = _BEHIND.match(reading.folded, mention.end)
    found = head_ending([behind[1]]) if behind and mention.label in _PLACED else None
    return found is not None and found.kind not in _APART and reading.words[first] in _ARTICLES


def _whose_name(reading: Reading, mention: Mention, bearers: _Bearers) -> Label | None:
    """Return the label of whom an organisation that opens a line or cell names, by a first name too; None for another.

    "ZEBUS Fleurette" at the foot of a page is the patient, in whatever order and with whatever accents.
    """
    said = _own_words(reading, mention)
    first, last = reading.token_at(mention.start), reading.token_at(mention.end - 1)
    opens = reading.word(first - 1) in _OPENINGS
    if not opens or len(said) < 2 or not any(map(reading.lexicon.is_first_name, said)) or _says_trade(reading, mention):
        return None
    if _opening(reading, first, last) or _ahead(reading, first):
        return None
    mine = {word for name in reading.document.patient.names for word in key(name).split()}
    found = {word: bearers.get(word, {}) for word in said}
    if all(any(label is Label.PATIENT for _, label in found[word]) for word in said - mine):
        return Label.PATIENT
    return next((label for words, label in min(found.values(), key=len) if said <= words), None)


def _is_somebody(reading: Reading, mention: Mention, borne: Mapping[str, int]) -> bool:
    """Return whether a name has a title before it, or a part that is somebody's elsewhere: "Dr Lebrun"."""
    if any(borne.get(word, 0) > 1 for word in _own_words(reading, mention)):
        return True
    before = reading.token_at(mention.start) - 1
    before -= reading.word(before) == "."
    return reading.word(before) in _TITLES


def _is_known(reading: Reading, mention: Mention) -> bool:
    """Return whether a name is an organisation's that the country knows, and hardly anybody's."""
    words = [reading.words[at] for at in reading.tokens(mention) if reading.words[at].isalpha()]
    if len(words) == 1 and (reading.lexicon.surnames.get(words[0]) >= _USUAL or gazetteers().towns(words[0])):
        return False
    return mention.label in NAMES and is_national(reading.text[mention.start : mention.end])


def _says_trade(reading: Reading, mention: Mention) -> bool:
    """Return whether words ("Ortho-Var Appareillage") open or end with what a company does, which nobody is called."""
    words = [reading.words[at] for at in reading.tokens(mention) if reading.words[at].isalpha()]
    ends = TRADES & {words[0], words[-1]} if len(words) > 1 else ()
    return any(reading.lexicon.surnames.get(word) < _USUAL for word in ends)


def _said(reading: Reading, first: int, last: int) -> list[str]:
    return [word for word in reading.words[max(0, first) : last] if word not in ("'", "’", "-")]


def _ahead(reading: Reading, first: int) -> KindWord | None:
    """Return the head right before a name, over its article and an opening quotation mark, on the same line."""
    at = first
    if reading.word(at - 1) in ("'", "’") and reading.word(at - 2) == "l":
        at -= 2
    elif reading.word(at - 1) in _ARTICLES:
        at -= 1
    at -= reading.word(at - 1) in _QUOTES
    if at < 1 or reading.text[reading.ends[at - 1] : reading.starts[at]].strip(" \u00a0"):
        return None
    if reading.starts[at] - reading.ends[at - 1] > 1 or reading.word(at - 1) in ("\n", ".", ",", ":"):
        return None
    words = _said(reading, at - _REACH, at)
    head = head_ending(words)
    return head if head is not None and _is_meant(reading, head, at - 1) else None


def _opening(reading: Reading, first: int, last: int) -> KindWord | None:
    """Return the head that opens a mention which goes on behind it, or None."""
    for end in range(min(last, first + _REACH), first, -1):
        head = head_ending(said := _said(reading, first, end))
        if head is not None and head.length == len(said) and _is_meant(reading, head, end - 1):
            return head._replace(length=end - first)
    return None


def _is_meant(reading: Reading, head: KindWord, last: int) -> bool:
    """Return whether a head that ends at `last` is no word or name: "sa" is a pronoun, "Maison" a surname."""
    if head.words in _AMBIGUOUS:
        return reading.surface(last).isupper() and not reading.shouted(last)
    return head.length > 1 or reading.surface(last).islower() or reading.lexicon.surnames.get(head.words) < _USUAL


def _suits(reading: Reading, mention: Mention, head: KindWord, first: int) -> bool:
    """Return whether a mention may be the name behind a head: no town of its kind, no address, no patient's name."""
    article = reading.word(first) in _ARTICLES or reading.word(first - 1) in _ARTICLES
    if head.kind in _APART or head.words in _BARE:
        return False
    if mention.label in NAMES or head.kind is OrgKind.SHIP:
        return True
    name = " ".join(_said(reading, first, reading.token_at(mention.end - 1) + 1))
    if mention.label is Label.STREET:
        return head.words not in _DWELLINGS and not any(map(str.isdigit, name))
    if head.words in SERVICE_HEADS - {"creche", "laboratoire", "ecole", "college", "lycee", "pharmacie"}:
        return False
    inhabitants = gazetteers().towns(name)
    known = inhabitants or any(hit.entry.kind in (Kind.FOREIGN, Kind.TERRITORY) for hit in _hits(reading, mention))
    return inhabitants < _TOWN and (article or not known)


def _hits(reading: Reading, mention: Mention) -> list[Hit]:
    return [hit for hit in reading.hits_at.get(mention.start, ()) if hit.end == mention.end]


def _goes_on(reading: Reading, mention: Mention, following: Mention) -> bool:
    """Return whether an organisation that is but the word of its kind goes on in the mention behind it."""
    if mention.label is not Label.ORG or reading.text[mention.end : following.start] not in (" ", " « "):
        return False
    words = _said(reading, reading.token_at(mention.start), reading.token_at(mention.end - 1) + 1)
    head = head_ending(words)
    if head is None or any(vote.annotator == "identity" for vote in following.votes):
        return False
    return following.label is Label.ORG or (following.label is Label.CITY and head.kind is OrgKind.SPORT)


def complete_organisations(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return sorted mentions, organisations with the word for their kind ahead: "[centre équestre] Les Crinières".

    Of a mutual, a taxi or a laboratory called "labo", the kind is left out, as the annotation guide has it.
    """
    result: list[Mention] = []
    for mention in _listed_whole(reading, mentions):
        if mention.label is Label.ORG:
            first = reading.token_at(mention.start)
            at = first - 1
            if is_capital(reading, first) and _specifies(reading, at):
                at -= 1
            near = at >= 0 and reading.text[reading.ends[at] : reading.starts[at + 1]] == " "
            if near and reading.words[at] in KINDS_INCLUDED and (not result or result[-1].end <= reading.starts[at]):
                mention = replace(mention, start=reading.starts[at])
        result.append(mention)
    ceilings = [*(one.start for one in result[1:]), len(reading.text)]
    return [_university(reading, *one) for one in zip(result, ceilings, strict=True)] if result else result


def _university(reading: Reading, mention: Mention, ceiling: int) -> Mention:
    """Return a mention, a town that a university is called by with the word behind it: "[Troyes] Université".

    "CHU Nantes" has a kind already.
    """
    named = mention.label in {Label.CITY, Label.ORG}
    named &= HEAD.match(scanned(reading.text[mention.start : mention.end])) is None
    behind = _UNIVERSITY.match(reading.text, mention.end, ceiling) if named else None
    return replace(mention, end=behind.end(), label=Label.ORG) if behind else mention


def _listed_whole(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the mentions, an organisation up to the end of its listed name: "Hôpital de la Mère [et de l'Enfant]"."""
    for at, mention in enumerate(mentions):
        ceiling = mentions[at + 1].start if at + 1 < len(mentions) else len(reading.text)
        listed = reading.overlapping("gazetteer", mention) if mention.label is Label.ORG else ()
        ends = [one.end for one in listed if one.label is Label.ORG and one.start == mention.start]
        yield replace(mention, end=max(end for end in (mention.end, *ends) if end <= ceiling))


def _specifies(reading: Reading, index: int) -> bool:
    """Return whether a word may stand between the kind of an organisation and its name: "équestre", "médical"."""
    word = reading.word(index)
    return "ADJ" in reading.lexicon.parts.get(word, "") or word in ORG_FILLERS - ORG_PARTICLES
