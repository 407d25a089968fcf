"""Compare the clinical content of a candidate with its source: values, doses, scores, laboratory results, drugs.

The reading is this module's own: what detection took for a name, a number or a date is read here as clinical content.
Dates, ages, durations, names and places change on purpose and are no clinical content here.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from deid.domain.document import Document, Substitution
from deid.quality.identity import known_identity
from deid.quality.words import alnum, fold, word_frequencies
from deid.reference.packaged import packaged_rows

_NUMBER = r"\d{1,7}(?:[.,]\d{1,4})?"
_MONTHS = r"janv|f[ée]vr|mars|avr|mai|juin|juil|ao[ûu]t|sept|oct|nov|d[ée]c"
_NO_DATE = rf"(?![/.\-]?\d)(?!\s?(?:er\s)?(?i:{_MONTHS}))"
_PER = r"(?:\s?/\s?(?:24\s?h|min|h|j|jour|kg|m²|m2|L|l|dL|dl|mL|ml|mm3|mm³|g|mmol|prise)){0,2}"
_UNIT = (
    r"(?:[mµμnpck]?g|MG|mcg|[mµμcd]?[Ll]|[mµμn]?mol|[mµμ]?UI|UI|U|mEq|mOsm|kcal|%|mm\s?Hg|mmHg|cm\s?H2O|kPa|[cmµμ]m|cm2|"
    r"cm²|°\s?C|bpm|[mµμ]V|V(?!\s?\d)|ms|Hz|[mcµμ]?Gy|c?[Gg]rays?|[kM]Bq|Ω|ohms?|dB|dioptries?|G/L|T/L|/mm3|/mm³|/µL|/mL)"
)
# A unit in a cell of its own, or in capitals: "119	UI/ML".
_CELL_UNIT = r"(?i:(?:[mµμnpk]?g|[mµμnp]?mol|m?[µμ]?u?ui|[gtu]|meq)\s?/\s?(?:24\s?h|d?l|ml|kg|g|mmol|min)|mmhg|%)"
_FORMS = (
    r"cp|cpr?s?|comprim[ée]s?|g[ée]lules?|gouttes?|sachets?|ampoules?|bouff[ée]es?|"
    r"injections?|patchs?|dosettes?|unit[ée]s?"
)
_IN_WORDS = r"(?:une?|deux|trois|quatre|cinq|six|huit|dix|douze)(?:[ -](?:demie?|et demie?))?|(?:une? )?demie?"
_WEEKDAY = r"(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)s?"
# "hier matin et soir" tells a day, not an intake.
_NO_DAY = r"(?<!hier )(?<!main )(?<!\bce )(?<!di )"
_INTAKES = (
    rf"(?:{_NO_DAY}(?:le )?matin(?:,? (?:le )?midi)?,? et (?:le )?soir|au (?:coucher|lever)|un jour sur (?:deux|trois))"
)
_SCORES = (
    r"Glasgow|GCS|EVA|Apgar|MMSE?|MoCA|NIHSS|mRS|Rankin|Child(?:-Pugh)?|MELD|ASA|NYHA|CHA2DS2-?VASc|HAS-?BLED|Karnofsky|"
    r"OMS|ECOG|IMC|BMI|Braden|Norton|Waterlow|GIR|ADL|IADL|Wells|Gleason|BI-?RADS|ACR|PI-?RADS|TIRADS|Fagerstr[öo]m|"
    r"Epworth|Tinetti|Borg|Bishop|Mallampati|Cormack|Killip|SOFA|qSOFA|IGS|SAPS|CURB-?65|Deauville|Breslow|Clark|METAVIR|"
    r"Forrest|Balthazar|Ranson|Hinchey|Garden|Gustilo|Schatzker|HIT-?6|HAD|BDI|PHQ-?9|AUDIT|Lawton|Zarit|Doloplus|ISS"
)
_ANALYSES = (
    r"CRP|PCT|Hb|h[ée]moglobine|GB|leucocytes|PNN|lymphocytes|[ée]osinophiles|plaquettes|h[ée]matocrite|VGM|ferritine|"
    r"cr[ée]atinine(?:mie)?|cr[ée]at|DFG|ur[ée]e|natr[ée]mie|kali[ée]mie|Na\+?|K\+?|Cl-?|calc[ée]mie|phosphor[ée]mie|"
    r"magn[ée]s[ée]mie|glyc[ée]mie|HbA1c|TP|INR|TCA|fibrinog[èe]ne|D-?dim[èe]res|ASAT|ALAT|TGO|TGP|GGT|[γg]\s?-?GT|PAL|"
    r"bilirubine|albumine|TSH|T3|T4|LDL|HDL|triglyc[ée]rides|cholest[ée]rol|BNP|NT-?pro-?BNP|troponine|LDH|CPK|lipase|pH|"
    r"PaO2|PaCO2|SpO2|SaO2|lactates?|PSA|ACE|CA\s?(?:15-3|19-9|125)|AFP|hCG|VS|TA|PA|FC|FR|FEVG|poids|taille"
)
_JOIN = r"[\s:=<>≤≥~(àa]{1,6}"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<![\w.,/])(?:{_NUMBER}\s?[x×/–-]\s?){{0,2}}{_NUMBER}\s?{_UNIT}{_PER}(?![\w'’])",
        rf"(?<![\w.,/]){_NUMBER}[ \t]{{0,12}}{_CELL_UNIT}(?:[ \t]{{1,12}}{_NUMBER}\s?[-–]\s?{_NUMBER})?(?!\w)",
        rf"(?<!\w)(?i:vn|vr|normales?|norme)\s?[:=(]?\s?{_NUMBER}\s?[-–]\s?{_NUMBER}(?![\w/.])",
        r"(?<!\w)(?:[1-9]|1\d|2[0-2]|[XY])[pq]\d{2}(?:\.\d{1,2})?(?!\w)",
        rf"(?<![\w.,/])\d{{1,3}}(?:[.,/]\d{{1,2}})?\s?(?i:{_FORMS})(?!\w)",
        rf"(?<!\w)(?i:{_IN_WORDS})[\s-](?i:{_FORMS})(?!\w)",
        rf"(?<!\w)(?i:{_INTAKES})(?!\w)",
        rf"(?<!\w)(?i:{_IN_WORDS}) (?i:fois (?:par|/) ?(?:jour|semaine|mois|an))(?!\w)",
        rf"(?<![\w.,/]){_NUMBER}\s?(?:{_UNIT}|(?i:{_FORMS})),? (?i:le|les|chaque|tous les) "
        rf"(?i:{_WEEKDAY}(?:(?:,| et| ou) (?:le )?{_WEEKDAY})*)(?!\w| \d)",
        r"(?<![\w./-])\d\s?-\s?\d\s?-\s?\d(?:\s?-\s?\d)?(?![\w/-])",
        r"(?<![\w.,/])\d{1,2}\s?(?:x|fois)\s?(?:par|/)\s?(?:24\s?h|j(?:our)?|semaine|sem)\b",
        rf"(?<!\w)(?i:{_SCORES})(?: (?i:score|[àa]|de|stade|grade))?[\s:=à]{{1,4}}"
        rf"(?:\d{{1,3}}(?:[.,]\d)?(?:\s?[/+]\s?\d{{1,3}})?{_NO_DATE}|[IV]{{1,3}}\b)",
        rf"(?<!\w)(?i:{_ANALYSES}){_JOIN}(?!(?:19|20)\d\d\b)\d{{1,6}}(?:[.,]\d{{1,3}})?(?:\s?[/-]\s?\d{{1,3}})?{_NO_DATE}",
        r"(?<!\w)[cpyr]{0,3}T[0-4isx][a-d]?\s?N[0-3x][a-c]?\s?M[01x](?!\w)",
    )
)
_WORD = re.compile(r"[^\W\d_]{5,}")
_TITLE_BEFORE = re.compile(
    r"(?i)\b(?:m|mr|mme|mlle|dr|pr|docteur|professeur|monsieur|madame|n[ée]e?|nom|pr[ée]nom)\W{0,3}\Z"
)


class Item(NamedTuple):
    """A clinical value or term: its span `[start, end)` in the source."""

    start: int
    end: int


@cache
def drug_names() -> frozenset[str]:
    """Return the first words of drugs and substances in bare form (BDPM), without words of French, names and towns."""
    first = (re.match(r"[^\W\d_]{5,}", row["name"]) for row in packaged_rows("drugs"))
    drugs = {fold(match.group()) for match in first if match} - word_frequencies().keys()
    columns = (("first_names", "name"), ("communes", "name"))
    return frozenset(drugs) - {fold(row[column]) for table, column in columns for row in packaged_rows(table)}


def read_items(text: str) -> list[Item]:
    """Return the clinical values and terms of a text in order; those that share a character are one."""
    found = sorted([match.span() for pattern in _PATTERNS for match in pattern.finditer(text)] + list(_drugs(text)))
    items: list[Item] = []
    for start, end in found:
        if items and start < items[-1].end:
            items[-1] = Item(items[-1].start, max(end, items[-1].end))
        else:
            items.append(Item(start, end))
    return items


def _drugs(text: str) -> Iterator[tuple[int, int]]:
    known = drug_names()
    for match in _WORD.finditer(text):
        if fold(match.group()) in known and not _TITLE_BEFORE.search(text[max(0, match.start() - 20) : match.start()]):
            yield match.span()


def clinical_counts(
    document: Document, candidate: Substitution, read: Callable[[str], list[Item]] = read_items
) -> Mapping[str, float]:
    """Count the clinical values and terms of a source, as `read` gives them, and those that the candidate shows
    otherwise.

    One inside a longer identifier (a street, a batch number), or equal to a name of the patient, is none. Spans that do
    not fit leave every number as unproven: all count as changed.
    """
    seen = [changed for _, changed in compared_items(document, candidate, read)]
    return {"clinical_items": float(len(seen)), "clinical_content_changed": float(sum(seen))}


def compared_items(
    document: Document, candidate: Substitution, read: Callable[[str], list[Item]] = read_items
) -> Iterator[tuple[Item, bool]]:
    """Yield the items that `clinical_counts` counts, in order, each with whether the candidate shows it otherwise."""
    items = read(document.text)
    if len(candidate.spans) != len(candidate.surrogates):
        yield from ((item, True) for item in items)
        return
    mentions = [(one.mention.start, one.mention.end) for one in candidate.surrogates]
    starts, ends = [start for start, _ in mentions], [end for _, end in mentions]
    touched = [range(bisect_right(ends, item.start), bisect_left(starts, item.end)) for item in items]
    own = known_identity(document.patient)
    names = own.surnames | own.first_names
    clinical = _clinical_mentions(document.text, mentions, items, touched)
    for item, over in zip(items, touched, strict=True):
        written = document.text[item.start : item.end]
        if over and (fold(written) in names or not all(clinical[index] for index in over)):
            continue
        yield item, bool(over) and alnum(written) not in alnum(_shown(item, mentions, candidate, over))


def _clinical_mentions(
    text: str, mentions: Sequence[tuple[int, int]], items: Sequence[Item], touched: Sequence[range]
) -> list[bool]:
    """Return each mention with whether more than half of its letters and digits are clinical content."""
    covered = [0] * len(mentions)
    for item, over in zip(items, touched, strict=True):
        for index in over:
            start, end = mentions[index]
            covered[index] += len(alnum(text[max(start, item.start) : min(end, item.end)]))
    whole = (len(alnum(text[start:end])) for start, end in mentions)
    return [2 * part > full for part, full in zip(covered, whole, strict=True)]


def _shown(item: Item, mentions: Sequence[tuple[int, int]], candidate: Substitution, over: range) -> str:
    """Return what the candidate shows in the place of an item."""
    first, last = over[0], over[-1]
    start = candidate.spans[first][0] - max(0, mentions[first][0] - item.start)
    end = candidate.spans[last][1] + max(0, item.end - mentions[last][1])
    return candidate.text[max(0, start) : end]
