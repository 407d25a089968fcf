"""Spans of time that are no mention: durations read as ages, times relative to an event, dates without a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import word_list
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.calendar import DETECTED_WEEKDAYS, FEASTS, FOLDED_SEASONS, MONTH_OF
from deid.french.numerals import DETECTED_NUMBER_WORDS, read_loosely


def _any(*titles: str) -> str:
    return "|".join(sorted({word for title in titles for word in word_list(title)}))


_REACH = 90  # characters on each side of a mention that are read
_UNIT = r"(?:ans?|annees?|mois|semaines?|sem\.?|jours?|heures?|minutes?)\b"
# What may stand between a word and the count that it governs, and another count of the same list.
_ABOUT = (
    r"(?:(?:environs?|a peu pres|un peu|pres|plus|moins|au moins|au plus|presque|bientot|deja|respectivement|un|les|"
    r"ces)(?: d[e'])? ?)*"
)
_SOME = rf"(?:\d{{1,3}}|{'|'.join(sorted(DETECTED_NUMBER_WORDS))}|une)"
_OTHER = rf"(?:{_SOME} ?(?:{_UNIT})? ?(?:et|ou|a|-|/) ?)?"
_GOVERNED = rf" ?{_ABOUT}{_OTHER}{_ABOUT}\Z"

# Words that make an age of the count behind them, whatever follows.
_BEARER = re.compile(
    rf"(?:\bage?e?s?\b(?: [a-z]+){{0,2}}[ :]{{0,3}}(?:de |d'|a )?|"
    rf"\b(?:{_any('age_bearers')})(?: \w+)?(?: de| d'|,| \()|"
    rf"\b(?:mes|tes|ses|vos|leurs|avais|avait|avez|aurait|eu|ayant|fete les)) ?{_ABOUT}\Z"
)
_LIFE_EVENT = re.compile(rf"\b(?:{_any('life_events')})\b(?:[ -][a-z']+){{0,4}} (?:a|vers|jusqu'a) ?{_ABOUT}\Z")
_SINCE = re.compile(
    r"\b(?:de?puis|durant|pendant|au bout d[e']|remont\w+ (?:a|de)|dat\w+ de|dur\w+|vari\w+ (?:de|entre)|"
    rf"tou[ts]e?s les|sevree? d[e'])(?: pres de)?{_GOVERNED}"
)
# "prison de Muret : 18 mois", "curatelle, 5 ans", "exposition certaine, 26 ans", "délai de prise en charge 30 ans".
_HELD = re.compile(
    r"(?:\b(?:prisons?|incarcerations?|detention|bagne|internement|captivite)\b[^.;\n]{0,60}(?:[:,(]|\d,) ?|"
    r"\b(?:curatelle|tutelle)\b[^;\n]{0,60}, ?|\bexposition\b[^.;\n]{0,60}, ?|\bdelai de [a-z ]{2,24} )\Z"
)
# "y a travaillé trente ans", "il a marché cinquante ans"; "il a fêté 40 ans" is an age.
_DONE = re.compile(
    r"\b(?:a|ont|avait|avaient|ai) (?!(?:fete|atteint|depasse|passe|eu|franchi|donne)\b)"
    rf"[a-z]{{3,}}e(?:s|es)? {_ABOUT}\Z"
)
# Years lived through: "a vécu 7 ans au Japon", "a fumé 20 ans".
_SPENT = re.compile(rf"\b(?:{_any('spent')}|(?:a|ont|avait|ayant|avoir) passe){_GOVERNED}")
_LASTING = re.compile(
    rf"\b(?:{_any('duration_nouns')})(?:(?: (?!chez|une?|la|le|du|des|par|pour|avec|post)[a-z]+){{0,2}}"
    rf"(?: de| d'| a| sur| entre| \()?|[^.,;:\n]{{0,60}} (?:est|etait|sera|serait) (?:estimee? )?(?:de|a)){_GOVERNED}"
)
_FOLLOWED_UP = re.compile(
    rf"\b(?:{_any('follow_up_words')})\b[^.,;:\n]{{0,40}} (?:a|vers|jusqu'a) ?{_ABOUT}"
    rf"(?:{_SOME} ?{_UNIT},? \(?(?:le|en) [\d/]{{5,10}}\)?(?:,| et| puis) (?:a )?{_ABOUT}){{0,4}}\Z"
)
# "vaccins à 2, 4 et 11 mois", "rappel à 25 ans, 45 ans": a schedule, whoever follows it.
_SCHEDULED = re.compile(
    rf"\b(?:{_any('scheduled')})\b[^.;:\n\d]{{0,40}} (?:a|vers|des) ?{_ABOUT}"
    rf"(?:{_SOME} ?(?:{_UNIT})?(?:,| et| puis| ou|, puis)(?: [a-z]{{2,}}){{0,3}}(?: a)? ){{0,4}}{_ABOUT}\Z"
)
_PREGNANCY = re.compile(
    rf"\b(?:grossesse|gestation|gestationnel)\b[^.;\n]{{0,40}} (?:agee? )?(?:de|a) ?{_ABOUT}{_OTHER}\Z"
)
# "cycle régulier à 29 jours", "cures tous les 21 jours": of days; "règles à 13 ans" is an age.
_CYCLE = re.compile(
    rf"\b(?:cycles?|regles|menstruations?|cures?|periodicite|rythme)\b[^.;\n]{{0,40}} (?:de|a|sur) ?{_ABOUT}{_OTHER}\Z"
)
# Ages of a rule, which tell of nobody: "âge > 75 ans" of a score, "contre-indiqué chez l'enfant de moins de 12 ans",
# "dépistage recommandé dès 45 ans", "enfants de 8 à 12 ans exclus".
_COMPARED = re.compile(r"\bage ?(?:<|>|≥|≤|<=|>=|&[lg]t;) ?\Z")
_FROM_AN_AGE = re.compile(
    r"(?:[<>≥≤]=? ?|\b(?:avant|apres|des|passe|au[- ]dela de|a (?:partir|compter) de|jusqu'a|seuil de|"
    r"(?:plus|moins) de|(?:superieure?|inferieure?)s? a)(?: l'age de)? ?|"
    r"\b(?P<range>(?:entre|de) )(?P<first>\d{1,3} ?(?:ans )?(?:et|a|-) ?)?)\Z"
)
_TO_AN_AGE = re.compile(r" ?(?:ans )?(?:et|a|-) ?\d{1,3} ?ans\b")
_OR_MORE = re.compile(r" ?(?:ans )?(?:et|ou) (?:plus|moins|davantage)\b")
_EVERYBODY = re.compile(
    r"\bchez (?:tou[ts]e?s? )?(?:(?:les )?(?:enfants|adultes|adolescents|sujets|patiente?s|femmes|hommes|personnes|"
    r"nourrissons|apparente\w*|filles|garcons)|l'(?:enfant|adulte|adolescent|homme)|la femme|le (?:nourrisson|sujet))\b"
    r"[^.;:\n]{0,30}\Z"
)
_RULE = re.compile(rf"\b(?:{_any('rule_words')})")
# "se discutera à partir de 45 ans", "IRM annuelle dès 30 ans": of a rule too, where the clause tells of nobody's past.
_ADVISED = re.compile(rf"\b(?:{_any('advice_words')})")
_PAST = re.compile(
    r"\b(?:a(?! (?:discut|propos|envisag))|ont|ai|avai\w*|etai\w*|ete|fut|eue?s?|vus?|(?:sous|en) surveillance|"
    rf"debut\w*|commenc\w*|arret\w*|diagnosti\w*|surven\w*|(?:{_any('age_bearers')}))\b"
)
_SOMEBODY = re.compile(
    r"\b(?:il|elle|mon|ma|mes|son|sa|ses|mme|mr|m|monsieur|madame|patiente?|une?|homme|femme|cette|cet|opere\w*|depuis)\b"
)
_CLAUSE_END = re.compile(r"[.;\n](?!\d)")
_AT = re.compile(rf"(?:^|[ ,;(.])(?:a|jusqu'a) ?{_ABOUT}\Z")
_OF_A_COURSE = re.compile(
    rf" ?(?:{_UNIT})?(?: (?:et|\+) (?:demie?|[a-z0-9]+ (?:jours?|mois))| ?\+ ?\d+(?: jours?)?)?(?: environ)?\)?[ -]"
    r"(?:(?:auparavant|plus tard|plus tot|durant|consecuti\w+|d'(?:intervalle|anciennete|amenorrhees?)|sa\b|"
    r"(?:de |en |du )?post[- ]?(?:op|partum|chir|natal|greffe)\w*|"
    rf"(?:de |d'|du |des )(?:(?:la |l'|cette |cet |ce )(?:{_any('procedures')})|(?:plus|moins) qu[e']|"
    rf"(?:{_any('duration_nouns', 'procedures', 'lasting_states')}))|pres)\b)"
)
_THEN = re.compile(
    rf" ?(?:{_UNIT})?(?: et demie?)? (?:apres(?![- ]demain)|avant(?![- ]hier))\b"
    rf"(?P<event> (?:le |la |l'|cette |cet |son |sa )?(?:{_any('procedures')}))?"
)
# "même âge à deux ans près", "à 4 mois de son AVC"; "trente ans, puis à la coopérative".
_NEARLY = re.compile(rf" ?(?:{_UNIT})? pres\b")
# "jusqu'à quinze dans une matinée", "huit par jour": a count of what happens in that time.
_PART_OF_A_DAY = "(?:matinee|apres-midi|soiree|nuit|journee)"
_RATED = re.compile(
    rf" (?:(?:dans|en|sur) (?:une|la meme) (?:seule )?{_PART_OF_A_DAY}|par (?:jour|nuit|heure|semaine|mois|minute))\b"
)
_IN_ONE_DAY = re.compile(rf"(?:dans|en) (?:une|la meme) (?:seule )?{_PART_OF_A_DAY}")
_FROM_EVENT = re.compile(rf" ?(?:{_UNIT})? d(?:e |')(?:son|sa|ses) [a-z]")
_THEN_ELSEWHERE = re.compile(rf" ?(?:{_UNIT})?,? puis\b(?! (?:a|vers|de) (?:{_SOME})\b)")
_AT_WORK = re.compile(r"\bchez [^,.;\n]{2,30} \Z")
# "Nous vous reverrons à un mois": the follow-up of anyone, whose age is not told in the future.
_WILL_FOLLOW = re.compile(
    r"\b(?:r?appell?er(?:ai|a|ons|ez|ont)|reverr(?:ai|a|ons|ez|ont)|controler(?:ai|a|ons|ont)|"
    r"sera(?: a)? (?:revue?|rappelee?))"
    rf"\b[^.;:\n]{{0,40}} (?:a|vers) ?{_ABOUT}(?:{_SOME} ?{_UNIT}(?:,| et| puis| ou)(?: a)? )*\Z"
)
_AGO = re.compile(r"(?:\bil ?'?|\b)y ?'?a (?:environ |pres de |plus de )?$|\bil ya ?(?:environ |pres de |plus de )?\Z")
# Years between people: "trois ans son aîné", "cinq ans de moins"; "plus jeune de 4 ans", "aîné de 4 ans de sa sœur".
_BETWEEN_PEOPLE = re.compile(
    rf" ?(?:{_UNIT})? (?:(?:mon|son|ma|sa|leur) (?:aine|cadet|puine)|de (?:plus|moins)\b(?! [de])|d'ecart\b|"
    r"plus (?:agee?|jeune|vieux|vieille)s?\b)"
)
_OLDER_BY = re.compile(
    rf"\b(?:plus (?:agee?|jeune|vieux|vieille)s? (?:que [a-z]{{2,4}}(?: [a-z]+)? )?|"
    rf"(?P<rank>aine|cadet|puine)(?:te|e)? )de ?{_ABOUT}\Z"
)
_THAN = re.compile(rf" ?(?:{_UNIT})? (?:de (?:son|sa|ses|leurs?)|que)\b")
# "a travaillé de 1974 à 2018, soit 44 ans"; "depuis 2014 (10 ans)", told ten years later.
_OF_RANGE = re.compile(r"\b(?P<first>\d{4}) ?(?:a|-|et|au|jusqu'en) ?(?P<last>\d{4}),? \(?(?P<all>soit )?\Z")
_SINCE_YEAR = re.compile(r"\bdepuis (?:l'annee )?(?P<year>\d{4}) ?[,(] ?(?:soit )?\Z")
# A day behind a count: "à 1 an le 14/05/2020", "à deux ans (en mars 2021)".
_TO_ITS_DAY = re.compile(r",? ?\(?(?:le |en |au )?")
_YEAR_OF_DAY = re.compile(r"(?:19|20)\d\d\Z")
_KIN = re.compile(rf"\b(?:{_any('kinship')})\b")
# "quatre demi-frères" counts people; "23 semaines et 6 jours" is the age of a pregnancy.
_KIN_COUNTED = re.compile(r"(?: ?(?:demi)?-| )(?:freres?|soeurs?)\b| ?a (?:droite?|gauche)\b")
_AND_DAYS = re.compile(r" (?:et |\+ ?)(?:\d|une?|deux|trois|quatre|cinq|six) (?:jours?|j)\b")
_WEEKS = re.compile(r" (?:semaines?|sa)\b(?! de vie)")
_YOUNG = re.compile(rf"\b(?:{_any('child_words', 'life_events')})\b")
_OF_A_CHILD = re.compile(
    rf"\b(?:{_any('child_words', 'life_events')}|pediatr\w*|neonat\w*|creche|nounou|allait\w*|biberons?|ecole|college|"
    r"prematur\w*|perinat\w*|obstetr\w*|maternite|doudou)\b"
)
_MONTHS = re.compile(r"mois|sem|jour")
_OWN_UNIT = re.compile(rf" {_UNIT}")
_DELAYED = 10  # years that a day is told to lie behind another one, at most
_GROWN_UP = 16  # years from which an age in months, weeks or days is someone else's


def drop_durations(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions except durations that were taken for ages, and times that are not the document's.

    An age that "il y a" governs becomes a relative date: the guide marks it so.
    """
    ordered = sorted(mentions)
    return list(_settled(reading, ordered, _of_an_adult(reading, ordered)))


def _settled(reading: Reading, mentions: Sequence[Mention], adult: bool) -> Iterator[Mention]:
    for position, mention in enumerate(mentions):
        if mention.label is Label.AGE:
            before = _before(reading, mention)
            ago = _AGO.search(before)
            if ago:
                yield replace(mention, start=mention.start - len(before) + ago.start(), label=Label.RELDATE)
            elif not (
                _lasts(reading, mention, before, adult)
                or _is_none(reading, mention)
                or _counts_years(reading, mention, before)
                or _is_at_another_age(reading, mentions, position, before)
            ):
                yield mention
        elif not (
            mention.label in (Label.DATE, Label.RELDATE)
            and _tells_no_time(reading, _whole(reading, mentions, position))
        ):
            yield mention


_FEVER = re.compile(r"\b(?:\w*febri\w+|fievre|febricule|apyretique|temperature|\w*therm\w+)(?: [a-z']{1,9}){0,3} ?\Z")
_DEGREES = re.compile(r"(?:trente|quarante)\b(?!(?:[ -][a-z]+){0,2} (?:ans|mois|jours|annees)\b)")

_TENTHS = re.compile(
    r"(?:trente[ -](?:six|sept|huit|neuf)|quarante[ -]et[ -]un) (?:un|deux|trois|quatre|cinq|six|sept|huit|neuf)\b"
)


def _is_none(reading: Reading, mention: Mention) -> bool:
    """Return whether an age is a rule's, or a temperature in words: "fièvre à trente-huit", "trente-neuf deux"."""
    degrees = _DEGREES.match(reading.folded, mention.start)
    before, tenths = _before(reading, mention), _TENTHS.match(reading.folded, mention.start)
    told = degrees and (_FEVER.search(before) or (tenths and not _BEARER.search(before)))
    return bool(told) or _of_a_rule(reading, mention)


def _counts_years(reading: Reading, mention: Mention, before: str) -> bool:
    """Return whether an age is the years between two people or years, or since one that they lead from to the document.

    "dialyse depuis 2014 (45 ans)" tells an age.
    """
    older, after, years = _OLDER_BY.search(before), _after(reading, mention), _count(reading, mention)
    stretch = _OF_RANGE.search(before)
    if stretch is not None and (stretch["all"] or abs(int(stretch["last"]) - int(stretch["first"]) - years) <= 1):
        return True
    if _BETWEEN_PEOPLE.match(after):
        return True
    if older is not None and (older["rank"] is None or _THAN.match(after)):
        return True
    since, known = _SINCE_YEAR.search(before), reading.document.reference_date
    return (
        since is not None and known is not None and abs(known.year - int(since["year"]) - _count(reading, mention)) < 2
    )


def _count(reading: Reading, mention: Mention) -> int:
    """Return the count that an age opens with; nought for none."""
    words = re.findall(r"[a-z]+|\d+", reading.folded[mention.start : mention.end])
    return int(words[0]) if words and words[0].isdecimal() else read_loosely(words[:-1]) or 0


def _is_at_another_age(reading: Reading, mentions: Sequence[Mention], position: int, before: str) -> bool:
    """Return whether years told ahead of a day are none of the patient's age then, in a clause that names no relative.

    They are a delay: "greffé à 39 ans […] bilan à 1 an le 14/05/2020".
    """
    mention, birth = mentions[position], reading.document.patient.birth_date
    day = mentions[position + 1] if position + 1 < len(mentions) else None
    if birth is None or day is None or day.label is not Label.DATE or not _AT.search(before):
        return False
    clause = _CLAUSE_END.split(before)[-1]
    year = _YEAR_OF_DAY.search(reading.folded, mention.end, day.end)
    if year is None or _KIN.search(clause) or not _TO_ITS_DAY.fullmatch(reading.folded, mention.end, day.start):
        return False
    years = _count(reading, mention)
    return years <= _DELAYED and abs(int(year.group()) - birth.year - years) > _GROWN_UP


def _whole(reading: Reading, mentions: Sequence[Mention], position: int) -> Mention:
    """Return a relative date with its parts on the lines before and behind: "la semaine", "dernière"."""
    whole = mentions[position]
    for other in mentions[max(0, position - 1) : position + 2]:
        first, last = min(whole, other), max(whole, other)
        if other.label is whole.label is Label.RELDATE and reading.text[first.end : last.start].isspace():
            whole = replace(whole, start=first.start, end=last.end)
    return whole


def _before(reading: Reading, mention: Mention) -> str:
    return reading.folded[max(0, mention.start - _REACH) : mention.start].replace("\n", " ")


def _after(reading: Reading, mention: Mention) -> str:
    return reading.folded[mention.end : mention.end + _REACH].replace("\n", " ")


def _of_an_adult(reading: Reading, mentions: Sequence[Mention]) -> bool:
    """Return whether the first age that is certainly one is an adult's, or none is and nothing speaks of a child."""
    patient, known = reading.document.patient, reading.document.reference_date
    if patient.birth_date and known:
        return (known - patient.birth_date).days > _GROWN_UP * 366
    for mention in mentions:
        if mention.label is Label.AGE and _BEARER.search(_before(reading, mention)):
            words = re.findall(r"[a-z]+|\d+", reading.folded[mention.start : mention.end])
            if not words:
                return False
            years = int(words[0]) if words[0].isdecimal() else read_loosely(words[:-1])
            return words[-1] in ("a", "an", "ans") and years is not None and years >= _GROWN_UP
    return _OF_A_CHILD.search(reading.folded) is None


def _lasts(reading: Reading, mention: Mention, before: str, adult: bool) -> bool:
    """Return whether an age is the duration of a disease, a treatment or a follow-up."""
    after = _after(reading, mention)
    if _KIN_COUNTED.match(after) or (_RATED.match(after) and not _BEARER.search(before)):
        return True
    unit = _OWN_UNIT.match(after)
    written = reading.folded[mention.start : mention.end] + (unit[0] if unit else "")
    if (_PREGNANCY.search(before) and "an" not in written) or _NEARLY.match(after):
        return True
    if _CYCLE.search(before) and "jour" in written:
        return True
    if _BEARER.search(before):
        return False
    if _WEEKS.match(after) or (written.endswith(("semaines", "sa")) and _AND_DAYS.match(after)):
        return True
    if "º" in written or "°" in written or "paquet" in written:
        return True
    if any(lead.search(before) for lead in (_SINCE, _LASTING, _SPENT, _HELD, _DONE, _WILL_FOLLOW, _SCHEDULED)):
        return True
    if _OF_A_COURSE.match(after) or _taken(reading, mention):
        return True
    then = _THEN.match(after)
    if not _AT.search(before):
        if before.endswith((" de ", " d'")):
            return False
        named = _follows_a_name(reading, mention)
        if adult and not named and _in_months(written, before, after):
            return True
        elsewhere = _THEN_ELSEWHERE.match(after) and (not named or _AT_WORK.search(before))
        return bool(elsewhere or then) and not before.endswith(", ")
    if _LIFE_EVENT.search(before):
        return False
    if _FROM_EVENT.match(after):
        return True
    if then and then["event"]:
        return True
    return adult and (_in_months(written, before, after) or bool(_FOLLOWED_UP.search(before)))


def _of_a_rule(reading: Reading, mention: Mention) -> bool:
    """Return whether an age is a threshold that a score, a recommendation or a law sets for everybody."""
    before = _CLAUSE_END.split(reading.folded[max(0, mention.start - _REACH) : mention.start])[-1]
    if _COMPARED.search(before):
        return True
    after = _CLAUSE_END.split(reading.folded[mention.end : mention.end + _REACH])[0]
    bound = _FROM_AN_AGE.search(before)
    if bound is not None and bound["range"] and not bound["first"] and _TO_AN_AGE.match(after) is None:
        bound = None
    if bound is None and _OR_MORE.match(after) is None:
        return False
    ahead = before[: bound.start() if bound else None]
    if _EVERYBODY.search(ahead):
        return True
    if _ADVISED.search(ahead) and not (_SOMEBODY.search(ahead) or _PAST.search(ahead)):
        return True
    said = [*_RULE.finditer(ahead)]
    told = ahead[said[-1].end() :] if said else ahead
    return (bool(said) or _RULE.search(after) is not None) and _SOMEBODY.search(told) is None


def _in_months(written: str, before: str, after: str) -> bool:
    """Return whether a count is of months, weeks or days, and no child is spoken of near it."""
    counted = _MONTHS.search(written) and "ans" not in written
    return bool(counted and not _YOUNG.search(before[-60:] + "|" + after[:30]))


def _taken(reading: Reading, mention: Mention) -> bool:
    """Return whether an age right behind a drug is the length of treatment: "lithium 40 ans"."""
    word = reading.word(reading.token_at(mention.start) - 1)
    return word in reading.lexicon.drugs or "drug" in reading.lexicon.clinical.get(word, "")


def _follows_a_name(reading: Reading, mention: Mention) -> bool:
    """Return whether the word before an age, but for a comma or bracket, may name its bearer: "Vadim, 4 ans"."""
    at = reading.token_at(mention.start) - 1
    at -= reading.word(at) in (",", "(")
    lexicon, word = reading.lexicon, reading.word(at)
    return lexicon.is_first_name(word) or lexicon.is_surname(word) or lexicon.is_unknown(word)


# Dates and relative dates

_TIME_WORDS = frozenset(
    (
        *word_list("time_words"),
        *DETECTED_WEEKDAYS,
        *FOLDED_SEASONS,
        *MONTH_OF,
        *(word for feast in FEASTS for word in re.split(r"[ '-]", feast) if len(word) > 3),
    )
)
_FUNCTION_WORDS = word_list("function_words")
_NEXT = re.compile(
    r" (?:suivant|qui (?:sui[tv]|ont suivi|preced)|precedant|"
    rf"apres (?:le |la |l'|cette |cet )?(?:{_any('procedures')})\b)"
)
# "cette nuit-là", "ce jour là": a time of the story, not relative to the document; "surtout en hiver": every year.
_POINTED = re.compile(r"(?:-l[aà]| là)\b", re.IGNORECASE)
_LIVED = re.compile(rf"\b(?:{_any('spent')})\b")
# "vue au 9", "au 29": a room; "du 3 au 9", "avancé au 25" are dates.
_IN_ROOM = re.compile(r"\bau \Z")
_UNTIL = re.compile(
    r"\b(?:du|jusqu|avant|apres|des|le|avance\w*|report\w+|repouss\w+|decal\w+|fix\w+|prevu\w*)\b[^.\n]{0,60}\Z"
)
_EVERY_YEAR = re.compile(
    r"\b(?:(?:surtout|plutot|souvent|toujours|parfois|chaque annee) (?:en |l'|au )|chaque |tous les )"
    r"(?:hivers?|etes?|automnes?|printemps)\Z"
)
# "chaussures d'hiver", "rhume de printemps": a kind of thing, unless the thing is a time.
_KIND = re.compile(
    r"\b(?!(?:fin|debut|milieu|courant|cours|vacances?|conges?|mois|jour\w*|soir\w*|nuits?|matin\w*|apres-midi|periode|"
    r"epoque|saison|semaines?|trimestre|solstice|date|depuis|rentree|consult\w*|visite|controle|rdv|vous|hospitalis\w*|"
    r"sejours?)\b)[a-z]{3,} d(?:'|e )"
    r"(?:hiver|ete|automne|printemps)\Z"
)
_OF_A_YEAR = re.compile(r" ?(?:[-,/] ?)?(?:\d|dernier|prochain|passe|suivant|et |de |d'|du )")
_AGO_WORDS = frozenset(("il", "y", "a"))  # "il y a un délai": what is there is no time
# "mi-mars", "mi-juin 2020" and "mi-journée" are times; "mi-cuisse" and "mi-dose" are halves.
_IN_MIDDLE = re.compile(rf"[ -](?:{'|'.join(sorted(_TIME_WORDS - {'mi'}))}|\d)")
_LENGTH = re.compile(rf"(?:{_SOME} )?{_UNIT}")
_COUNTED = re.compile(rf"{_SOME}(?:[ -]{_SOME})? ?{_UNIT}")
_EVENT = re.compile(r" (?:apres(?![- ]demain)|avant(?![- ]hier)|plus tard|plus tot|auparavant)\b")


def _tells_no_time(reading: Reading, mention: Mention) -> bool:
    """Return whether a date has no word of time ("ce dernier"), or counts from an event, not from the document."""
    written, after = reading.folded[mention.start : mention.end].replace("\n", " "), _after(reading, mention)
    words = re.findall(r"[^\W\d_]+", written)
    if words == ["tantot"]:
        return reading.words.count("tantot") > 1
    if words and DETECTED_NUMBER_WORDS.issuperset(words) and not _AGO.search(_before(reading, mention)):
        return _OWN_UNIT.match(after) is not None  # "depuis [cinq] mois"
    if mention.label is Label.RELDATE and (
        _POINTED.search(reading.text, mention.start, mention.end + 4)
        or _LIVED.search(written)
        or _IN_ONE_DAY.fullmatch(written)
    ):
        return True
    if written.isdecimal() and len(written) < 3 and mention.label is Label.DATE:
        before = _before(reading, mention)
        if _IN_ROOM.search(before) and not _UNTIL.search(before):
            return True
    if any(map(str.isdigit, reading.digits[mention.start : mention.end])):
        return bool(_counts_from_an_event(written, after))
    if _EVERY_YEAR.search(_before(reading, mention) + written) and not _OF_A_YEAR.match(after):
        return True
    if mention.label is Label.DATE:
        if _KIND.search(_before(reading, mention) + written) and not re.match(r"[ ,/-]{0,2}\d", after):
            return True
        if _LENGTH.fullmatch(written) or (words[:1] == ["mi"] and not _IN_MIDDLE.match(written[2:] + after)):
            return True
        acronym = len(written) == 3 and reading.text[mention.start : mention.end].isupper()
        if acronym and not reading.shouted(reading.token_at(mention.start)):
            return True
        if words == ["ascension"] and after.startswith((" de ", " du ", " des ")):
            return True
        return _FUNCTION_WORDS.issuperset(words)
    words = words if set(words) <= _AGO_WORDS else [word for word in words if word not in _AGO_WORDS]
    known = all(len(word) > 1 and word in reading.lexicon.common for word in words)
    no_time = known and words[-1] not in DETECTED_NUMBER_WORDS and _TIME_WORDS.isdisjoint(words)
    return no_time or _counts_from_an_event(written, after)


def _counts_from_an_event(written: str, after: str) -> bool:
    """Return whether an event is named from which a time counts: "dans les heures qui suivent", "huit mois après"."""
    if written.startswith("dans") or _LENGTH.fullmatch(written):
        return bool(_NEXT.match(after))
    return bool(_COUNTED.fullmatch(written) and _EVENT.match(after))
