"""Places of the tables (communes, cities, territories, streets, lieux-dits) where case and context mean a place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.annotators.gazetteer.people import compound_end
from deid.detection.annotators.patterns.addresses import CEDEX
from deid.detection.lookup.known_names import LOWER_PARTICLES
from deid.detection.lookup.lexicon import Hit, Kind, gazetteers
from deid.detection.text.names import is_capital
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import EPONYM_CUES, HOME_CUES, ORG_HEADS, word_list
from deid.domain.document import Mention
from deid.domain.labels import Label

_BREAK = re.compile(r"[\n,;:()|/.!?\"«»=]")
_TOWN_LEADS = word_list("town_leads")
_WEAK_LEADS = frozenset("de d sur par pour et ou dans au aux en , ( / - chez le la".split())
_TITLES = frozenset("dr docteur pr professeur mme m mr madame monsieur mlle ide me drs maitre saint sainte".split())
_LOC_LEADS = frozenset("en au aux la le l du des de d dans a , (".split())
_ARTICLES = {"au": "le", "du": "le", "aux": "les", "des": "les"}
_PROFESSIONAL = re.compile(
    r"\b(?:dr|docteur|pr|pharmacie|cabinet|laboratoire|ide|kinesitherapeute)\b[^,;:(]*(?:, ?|\()$"
)
_ENDS = re.compile(r" *(?:$|[.;)])")


def find_listed_places(reading: Reading) -> Iterator[Mention]:
    """Yield the longest entry at each place; single words only where case and context allow a place."""
    reached = 0
    for hit in reading.hits:
        if hit.start < reached:
            continue
        label, score = _judge(reading, hit)
        if score <= 0.0:
            continue
        end = hit.end
        if label is Label.CITY and (cedex := CEDEX.match(reading.folded, end)):
            end = cedex.end()
        yield Mention(hit.start, end, label, score)
        reached = hit.end


def find_unlisted_towns(reading: Reading) -> Iterator[Mention]:
    """Yield towns that no table has: a capitalised word after "à"."""
    for index, word in enumerate(reading.words):
        at = index + 1
        if word != "a" or reading.text[reading.starts[index]] not in "àÀa" or not is_capital(reading, at):
            continue
        first = reading.words[at]
        if (
            len(first) < 3
            or reading.lexicon.is_word(first)
            or reading.lexicon.is_first_name(first)
            or first in ORG_HEADS
        ):
            continue
        last = compound_end(reading, at)
        if reading.text[reading.starts[at] : reading.ends[last]].isupper() and last == at and len(first) < 6:
            continue
        yield Mention(reading.starts[at], reading.ends[last], Label.CITY, 0.7)


def _judge(reading: Reading, hit: Hit) -> tuple[Label, float]:
    """Label and score of a hit, 0 where it is no place."""
    kind = hit.entry.kind
    written = reading.text[hit.start : hit.end]
    if (
        kind is Kind.ESTABLISHMENT
        and _capital(reading, hit)
        and hit.entry.name.split()[0] in ORG_HEADS
        and not _BREAK.search(written)
    ):
        return Label.ORG, 0.8
    if kind is Kind.ESTABLISHMENT or _BREAK.search(written.replace("St.", "St").replace("St.", "St")):
        return Label.ORG, 0.0
    if kind is Kind.ORGANISATION:
        return Label.ORG, _organisation_score(reading, hit)
    if kind is Kind.STREET:
        capitals = sum(word[0].isupper() for word in written.split())
        return Label.STREET, 0.6 if capitals > 1 or (reading.lower_case and " de" not in written) else 0.0
    if kind is Kind.TERRITORY:
        return Label.LOC, _territory_score(reading, hit)
    return Label.CITY, _town_score(reading, hit)


def _organisation_score(reading: Reading, hit: Hit) -> float:
    """Score a well-known organisation; the word before rules out the person, saint or town of that name."""
    before, _, _ = _before(reading, hit)
    if before in _TITLES or not (_capital(reading, hit) or reading.lower_case):
        return 0.0
    name = hit.entry.name
    named = " " not in name and (name in reading.lexicon.common or reading.lexicon.is_first_name(name))
    if before in ("a", "chez", "aux", "au", "l", "la", "par", "(", "sur", "vers", "de", "du", "hopital", "usic", "rea"):
        return 0.78 if not named else 0.3
    return 0.62 if not named and name not in reading.lexicon.surnames else 0.45 if " " not in name else 0.62


def _capital(reading: Reading, hit: Hit) -> bool:
    return reading.text[hit.start].isupper()


def _before(reading: Reading, hit: Hit) -> tuple[str, str, int]:
    index = reading.token_at(hit.start)
    before = reading.word(index - 1)
    if before in ("'", "’"):
        before = reading.word(index - 2)
        index -= 1
    return before, reading.word(index - 2), index


def _territory_score(reading: Reading, hit: Hit) -> float:
    name = hit.entry.name
    before, second, index = _before(reading, hit)
    if not _capital(reading, hit):
        if reading.lowered(index) and len(name) > 4 and name not in reading.lexicon.common and before in _LOC_LEADS:
            return 0.6
        return 0.0
    if before in _TITLES:
        return 0.0
    if before in EPONYM_CUES or (second in EPONYM_CUES and before in ("de", "d")):
        return 0.0
    after = reading.word(reading.token_at(hit.end))
    if before == "(" and after in (")", ",") and len(name) > 2:
        return 0.8
    if " " in name:
        return 0.8
    if before in ("en", "au", "aux", "la", "le", "l", "du", "des", "dans"):
        return 0.8
    if (name in reading.lexicon.common and reading.lexicon.common[name] > 1) or len(name) < 4:
        return 0.3
    if name in reading.lexicon.first_names or name in reading.lexicon.surnames:
        return 0.52 if before in (",", "(", "de", "d", "a") else 0.3
    return 0.65


_SCORE_LEADS = frozenset("selon score classification criteres protocole scale echelle".split())
_SCORES_NAMED = word_list("scores_named_after_towns")


def _after_professional(reading: Reading, hit: Hit) -> bool:
    """Return whether the town ends what names a professional or a shop: "Double au Dr Brizard, Richerenches"."""
    start, end = reading.line(hit.start)
    return bool(
        _PROFESSIONAL.search(reading.folded[max(start, hit.start - 60) : hit.start])
        and _ENDS.match(reading.folded[hit.end : end])
    )


def _town_score(reading: Reading, hit: Hit) -> float:
    name = hit.entry.name
    lexicon = reading.lexicon
    before, second, index = _before(reading, hit)
    lead = before in _TOWN_LEADS
    word = " " not in name and (lexicon.common.get(name, 0.0) > 0.3 or name in lexicon.medical)
    weight = hit.entry.weight
    article = _ARTICLES.get(before)
    if article and _capital(reading, hit) and gazetteers().towns(f"{article} {name}"):
        return 0.8 if before in ("au", "aux") else 0.62
    if not _capital(reading, hit):
        if not reading.lowered(index):
            return 0.0
        if " " in name and len(name) > 7:
            return 0.75
        return 0.7 if lead and not word and len(name) > 2 and name not in lexicon.drugs else 0.0
    if before in EPONYM_CUES or (second in EPONYM_CUES and before in ("de", "d", "du")):
        return 0.0
    if before in _TITLES:
        return 0.0
    if before in (",", "(") and hit.entry.kind is Kind.COMMUNE and _after_professional(reading, hit):
        return 0.8
    if name in _SCORES_NAMED and (not lead or reading.word(reading.token_at(hit.end)).isdigit()):
        after = reading.word(reading.token_at(hit.end))
        if after.isdigit() or before in _SCORE_LEADS:
            return 0.0
    if len(name) < 3 and not lead:
        return 0.0
    if " " in name:
        compound = len(name) > 7
        return 0.88 if lead else 0.78 if compound else 0.5
    if lead:
        return 0.88 if not word else 0.7
    if word:
        return 0.35 if before in ("de", "d") else 0.1
    borne = lexicon.is_first_name(name)
    if borne:
        return 0.52 if before in ("de", "d", "sur") and weight > 5000 else 0.3
    base = 0.72 if weight > 20000 else 0.62 if weight > 3000 else 0.45 if hit.entry.kind is Kind.COMMUNE else 0.35
    if hit.entry.kind is Kind.FOREIGN:
        base = 0.68
    if before in _WEAK_LEADS:
        base += 0.08
    if name in lexicon.drugs or (name in lexicon.eponyms and not lead):
        base -= 0.2
    if lexicon.surnames.get(name, 0) > 3000:
        base -= 0.15
    return max(base, 0.0)


# Lieux-dits and quarters: the home of a patient where an address has no street.
#
# Registers name hundreds of thousands after a mill, a cross, a family. Such a name needs a word that announces a home,
# or the commune after it; a name that no table of words or people has is enough alone.
_LOCALITY_BREAK = re.compile(r"[^\w \u00a0.'’-]")
_LOCALITY_PARTICLES = LOWER_PARTICLES | word_list("locality_particles")
_LOCALITY_LINKS = frozenset("a au aux en le la les l d de du des sur chez actuellement toujours seul seule : '".split())
_HOMES = (HOME_CUES - {"rue"}) | frozenset("chalet domicile ferme hameau lieudit originaire vivant".split())
_PERSON_TITLES = frozenset("dr docteur pr professeur mme m mr madame monsieur mlle me drs maitre prof".split())
_TOWN_KINDS = frozenset({Kind.COMMUNE, Kind.FORMER})
_HOME_REACH = 4  # words between what announces a home and its name


def find_localities(reading: Reading) -> Iterator[Mention]:
    """Yield lieux-dits, the longest name at each place, where the text means a place."""
    reached = 0
    for hit in reading.localities:
        if hit.start >= reached and (score := _locality_score(reading, hit)) > 0.0:
            yield Mention(hit.start, hit.end, Label.STREET, score)
            reached = hit.end


def _locality_score(reading: Reading, hit: Hit) -> float:
    first, last = reading.token_at(hit.start), reading.token_at(hit.end - 1)
    if any(town.end >= hit.end and town.entry.kind in _TOWN_KINDS for town in reading.hits_at.get(hit.start, ())):
        return 0.0
    telling = [at for at in range(first, last + 1) if reading.words[at].isalpha() and _tells(reading.words[at])]
    if not telling or _LOCALITY_BREAK.search(reading.text, hit.start, hit.end):
        return 0.0
    before = reading.word(first - 1)
    if before in _PERSON_TITLES or before in EPONYM_CUES or reading.word(first - 2) in EPONYM_CUES:
        return 0.0
    announced = reading.announced(first, _HOMES, _LOCALITY_LINKS, _HOME_REACH)
    if not all(is_capital(reading, at) for at in telling) and not (announced and reading.lowered(first)):
        return 0.0
    known = all(_is_known(reading, reading.words[at]) for at in telling)
    article = telling[0] > first and is_capital(reading, first)
    # "Jean-Louis, Pau" and "Arduin, Embrun" are people.
    if announced or ((article or not known) and _in_commune(reading, last)):
        return 0.7 if known else 0.8
    # One word alone, or a line in capitals, says too little.
    return 0.6 if (article or len(telling) > 1) and not known and not reading.shouted(first) else 0.0


def _tells(word: str) -> bool:
    return len(word) > 1 and word not in _LOCALITY_PARTICLES


def _is_known(reading: Reading, word: str) -> bool:
    """Return whether a word is used, or borne by people: a name made with the word may then mean something else."""
    return not reading.lexicon.is_unknown(word) or word in reading.lexicon.eponyms


def _in_commune(reading: Reading, last: int) -> bool:
    """Return whether a commune follows, after a comma or a bracket: "Les Fangeas, Embrun"."""
    at = last + 2
    if reading.word(last + 1) not in (",", "(") or not is_capital(reading, at):
        return False
    return any(hit.entry.kind in _TOWN_KINDS for hit in reading.hits_at.get(reading.starts[at], ()))
