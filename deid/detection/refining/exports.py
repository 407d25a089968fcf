"""Cells of tables and fields of HL7 messages: headings, codes, units, timestamps name nobody, columns of writers do."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import PROFESSIONS, word_list
from deid.domain.document import Mention
from deid.domain.labels import IDENTIFIERS, NAMES, Label
from deid.french.folding import fold
from deid.reference.tables import packaged_tables

_WORDED = NAMES | {Label.CITY, Label.LOC, Label.ORG}
_NUMBERED = IDENTIFIERS | {Label.PHONE}
_CELL = re.compile(r'"[^"\n]*"|[^;"\n]*')
# A line of headings: three cells or more, two of which are names of columns that a patient's export has.
_HEADINGS = re.compile(
    r'^"?[a-z][\w% ]{0,24}"?(?P<sign>[;,|\t])(?:"?[a-z][\w% ]{0,24}"?(?P=sign)){1,40}"?[a-z][\w% ]{0,24}"?'
    r"(?P=sign)?[ \t]*$",
    re.MULTILINE,
)
_OF_PATIENTS = word_list("columns")
_LEAST_NAMED, _CODE = 2, 3  # columns of patients, and letters of a code
_CODED = frozenset("acte ccam cim code etat examen ghm mode sexe specialite statut type uf um unite".split())
# Year to minute or second, between the signs of a message: "|202111161519|".
_TIMESTAMP = re.compile(
    r"(?<=[|^~\"])(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?(?=[|^~\"\n]|\Z)"
)
# A segment of a message up to the code of what was measured, diagnosed or done ("OBR|1||A19|IONO^SANG") or of a kinship
# ("NK1|2|ROY^ANNE|DAU^FILLE"); up to a ward, room, bed and hospital ("PV1|1|I|MIT2^214^02^G_NORD").
_CODED_FIELD = re.compile(r"^(?:obr(?:\|[^|\n]*){3}|(?:obx|dg1|al1|pr1|nk1)(?:\|[^|\n]*){2})\|([^|\n]+)", re.MULTILINE)
_FIELD_CODE = re.compile("[A-Z]{2,4}")
# Fields of a message that hold codes of a table, and nobody's name, by segment: why, class, from where, how it ends.
_CODE_FIELDS = {"EVN": {4}, "PV1": {2, 4, 10, 14, 15, 18, 36}}
_LOCATION = re.compile(r"^pv1(?:\|[^|\n]*){2}\|([^|\n]+)", re.MULTILINE)
# Who sends a message and who receives it, behind their programs: "MSH|^~\\&|GLIMS|LABO_SUD|DXCARE|CH_NORD|"
_FACILITIES = re.compile(r"^msh\|[^|\n]*\|[^|\n]*\|([^|\n]*)(?:\|[^|\n]*\|([^|\n]*))?", re.MULTILINE)
_SURE = 0.95  # of a town beside its postal code
_DAY = 8  # digits of the day in a timestamp
# Words that head a column of writers, letters that sign there, and values that do not.
_SIGNING = word_list("signing_columns")
_ACTS = frozenset("realise saisi saisie signe valide validee validation".split())
_HEADED = _SIGNING | _OF_PATIENTS | {"acte", "heure", "soin"}
_MARK = re.compile(r"[^\W\d_]{2,3}|(?:[^\W\d_]\.[ -]?){2,3}")
_WRITERS = (PROFESSIONS | _SIGNING | {"nom"}) - {"avis", "validation"}
_ANSWERS = frozenset("non ok oui ras".split())
_NO_MARKS = frozenset("am ko na nc nd non nr ok oui pm ras".split())
# Words that head the columns of a table of implants or articles, and that of their references in a catalogue.
_OF_ARTICLES = frozenset("article designation dispositif dm fabricant fournisseur implant libelle".split())
_CATALOGUED = re.compile(r"(?:ref|reference|code)s?\.?(?: (?:article|catalogue|fabricant|produit))?")
_ZIPPED, _TOWN = r"(?P<code>\d{5})", r"(?P<town>[^\W\d_][^;|\t\n\"]{1,40})"
_COMMUNES = [
    re.compile(rf"(?<![^;|\t\n]){one}[;|\t]{other}(?![^;|\t\n])") for one, other in ((_ZIPPED, _TOWN), (_TOWN, _ZIPPED))
]
_HEADING, _LETTERS = re.compile(r'[ "]*[a-z][^.:!?]{0,24}'), re.compile("[a-z]+")


def settle_exports(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions but those of coded cells and fields; of a timestamp taken for a number, the day.

    Nobody's name is in the location of a stay, nor in the sender and the receiver of a message. Letters in a column of
    writers are a professional's initials, below the abbreviation of a measure or test they are none.
    """
    mentions = _with_communes(reading, mentions)
    facilities = [*_facilities(reading)]
    mentions = [one for one in mentions if not any(map(one.overlaps, facilities))]
    measured, added = _by_columns(reading, mentions)
    added += facilities
    places = [match.span(1) for match in _LOCATION.finditer(reading.folded)]
    coded = sorted(
        [
            *_coded_cells(reading),
            *_catalogued(reading),
            *(match.span(1) for match in _CODED_FIELD.finditer(reading.folded)),
        ]
    )
    starts = [start for start, _ in coded]
    settled = []
    for mention in mentions:
        stamp = _TIMESTAMP.match(reading.text, mention.start) if mention.label in _NUMBERED | {Label.DATE} else None
        if stamp and stamp.end() == mention.end:
            mention = replace(mention, end=mention.start + _DAY, label=Label.DATE)
        cell = bisect_right(starts, mention.start) - 1
        inside = cell >= 0 and mention.end <= coded[cell][1]
        inside |= mention.label in NAMES and mention.end <= measured.get(mention.start, 0)
        inside |= mention.label in NAMES and _fills_field(reading, mention)
        known = any(vote.annotator == "identity" for vote in mention.votes)
        if mention.label in NAMES and any(start <= mention.start and mention.end <= end for start, end in places):
            mention = replace(mention, label=Label.ORG)
        if not inside or known or mention.label not in _WORDED | _NUMBERED:
            settled.append(mention)
    return sorted([*settled, *added])


def _with_communes(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions with a postal code and its town in cells side by side, whatever else they are taken for."""
    cells = [
        Mention(*match.span(group), label, _SURE)
        for pattern in _COMMUNES
        for match in pattern.finditer(reading.text)
        if any(match["code"] in one.zips for one in packaged_tables().communes.find(match["town"], match["code"]))
        for group, label in (("code", Label.ZIP), ("town", Label.CITY))
    ]
    held = reading.coverage(cells)
    crossing = reading.coverage(one for one in mentions if not all(held[one.start : one.end]))
    cells = [one for one in dict.fromkeys(cells) if not any(crossing[one.start : one.end])]
    held = reading.coverage(cells)
    return sorted([*(one for one in mentions if not all(held[one.start : one.end])), *cells])


def _fills_field(reading: Reading, mention: Mention) -> bool:
    """Return whether letters that nobody is called are a whole field of a message: "PV1|1|I|||TRF|"."""
    line, end = reading.line(mention.start)
    written, beside = reading.text[mention.start : mention.end], reading.text[mention.end : end][:1]
    segment, *fields = reading.text[line : mention.start].split("|")
    field = len(fields) in _CODE_FIELDS.get(segment, ()) and not fields[-1] and beside in ("|", "")
    names = reading.lexicon.surnames.get(written.lower()) or reading.lexicon.first_names.get(written.lower())
    return bool(field and _FIELD_CODE.fullmatch(written) and not names)


def _facilities(reading: Reading) -> Iterator[Mention]:
    """Yield the sender and the receiver of a message that have a name, and no number alone."""
    for match in _FACILITIES.finditer(reading.folded):
        for group in (1, 2):
            if match[group] and any(map(str.isalpha, match[group].partition("^")[0])):
                start = match.start(group)
                yield Mention(start, start + len(match[group].partition("^")[0]), Label.ORG, 0.8)


def _catalogued(reading: Reading) -> Iterator[tuple[int, int]]:
    """Yield the spans of the references of a catalogue in tables of articles; a lot or serial number is one's own."""
    names: list[str] = []
    sign, at = "", 0
    for line in reading.folded.split("\n"):
        cells = line.split(sign) if sign else []
        if not names or len(cells) != len(names):
            sign = max(";|\t", key=line.count)
            found = [cell.strip(' "') for cell in line.split(sign)]
            names = found if len(found) > _CODE and not _OF_ARTICLES.isdisjoint(found) else []
        else:
            start = at
            for name, cell in zip(names, cells, strict=True):
                if _CATALOGUED.fullmatch(name):
                    yield start, start + len(cell)
                start += len(cell) + 1
        at += len(line) + 1


def _by_columns(reading: Reading, mentions: Sequence[Mention]) -> tuple[dict[int, int], list[Mention]]:
    """Return start → end of letters of measures' columns, and the mentions that columns of writers add."""
    covered, measured, added = reading.coverage(mentions), {}, []
    for words, start, end in _columns(reading):
        if not _signs(words):
            if _is_measured(reading, words):
                measured[start] = end
        elif not any(covered[start:end]) and not _is_value(reading, start, end, words):
            added.append(Mention(start, end, Label.DOCTOR, 0.8))
    return measured, added


def _signs(heading: Sequence[str]) -> bool:
    """Return whether a heading is of writers: "IDE", "Validé", "Réalisé par", but not "Examen réalisé"."""
    told = _SIGNING.intersection(heading)
    return bool(told - _ACTS) or (bool(told) and (len(heading) == 1 or "par" in heading))


def _is_value(reading: Reading, start: int, end: int, heading: Sequence[str]) -> bool:
    """Return whether letters of a cell are rather said than signed with: "ECG", "HTA", "OK".

    Below a heading that says by whom, all but an answer or a profession are initials: "FAV" below "Saisi par"; below
    one that opens with a thing ("Soins IDE") or an act, acronyms are none.
    """
    letters, acronym = reading.folded[start:end], end - start >= _CODE and reading.text[start:end].isupper()
    done = heading[0] in _ACTS and not PROFESSIONS.isdisjoint(heading[1:])  # "Validation médecin"
    if done or "par" in heading or heading[0] in _WRITERS - _ACTS:
        return letters in _ANSWERS or (acronym and letters in PROFESSIONS)
    return letters in _NO_MARKS or (acronym and "acronym" in reading.lexicon.clinical.get(letters, ""))


def _is_measured(reading: Reading, heading: Sequence[str]) -> bool:
    """Return whether an abbreviation of clinical writing, and no writer's ("AS"), heads a column: "FC", "ECG"."""
    measures = [word for word in heading if "acronym" in reading.lexicon.clinical.get(word, "")]
    return PROFESSIONS.isdisjoint(heading) and any(len(word) <= _CODE for word in measures)


def _columns(reading: Reading) -> Iterator[tuple[Sequence[str], int, int]]:
    """Yield the words of the heading and the span of each cell of two or three letters, of a heading its own words."""
    names: list[list[str]] = []
    headings: list[str] = []
    sign, at, opened = ";", 0, 0
    for line in reading.text.split("\n"):
        cells = line.split(sign)
        if len(cells) != len(names):
            sign = max(";|\t" if ", " in line else ";|\t,", key=line.count)
            headings = cells = line.split(sign)
            enough = len(cells) >= _LEAST_NAMED + (sign == ",")  # which prose has too
            found = [_LETTERS.findall(fold(cell)) for cell in cells] if enough else []
            known = [words for words in found if not _HEADED.isdisjoint(words) or _is_measured(reading, words)]
            headed = len(known) >= _LEAST_NAMED and all(map(_HEADING.fullmatch, map(fold, filter(str.strip, cells))))
            names, opened = (found if headed else []), at
        else:
            for start, row in ((opened, headings), (at, cells)):
                for words, cell in zip(names, row, strict=False):
                    mark = cell.strip(' "')
                    if _MARK.fullmatch(mark) and (row is cells or not _signs(words)):
                        yield words, start + cell.index(mark), start + cell.index(mark) + len(mark)
                    start += len(cell) + 1
            headings = []
        at += len(line) + 1


def _coded_cells(reading: Reading) -> Iterator[tuple[int, int]]:
    """Yield the spans of lines of headings and, below each, of the cells of coded columns, in the text's order."""
    for headings in _HEADINGS.finditer(reading.folded):
        names = [cell.strip().strip('"') for cell in headings.group().split(headings["sign"])]
        if not _are_columns(reading, names):
            continue
        yield headings.span()
        if headings["sign"] != ";":
            continue
        coded = {at for at, name in enumerate(names) if not _CODED.isdisjoint(name.split("_"))}
        start = headings.end() + 1
        while start < len(reading.text):
            end = reading.line(start)[1]
            cells = [*_cells(reading.text, start, end)]
            if len(cells) != len(names):
                break
            yield from (cells[at] for at in sorted(coded))
            start = end + 1


def _are_columns(reading: Reading, names: Sequence[str]) -> bool:
    """Return whether cells name columns: two or more of a patient's, most by words of the language, codes, measures."""
    cells = [re.findall("[a-z]+", name) for name in names]
    others = [cell for cell in cells if _OF_PATIENTS.isdisjoint(cell)]
    known = [len(part) <= _CODE or reading.lexicon.is_word(part) for cell in others for part in cell]
    measured = any("%" in name or "_" in name for name in names)
    return len(cells) - len(others) >= _LEAST_NAMED and (all(known) or (measured and 2 * sum(known) >= len(known)))


def _cells(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the cells of a line, without quotation marks ahead."""
    while start <= end:
        match = _CELL.match(text, start, end)
        stop = match.end() if match else end
        yield start, stop
        start = stop + 1
