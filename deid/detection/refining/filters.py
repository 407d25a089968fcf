"""Mentions to drop: eponyms, drugs, a hospital's own terms, results that look like dates or addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from deid.detection.annotators.vocabulary import (
    CIVILITIES,
    DOCTOR_TITLES,
    DOCUMENT_CODES,
    DOUBLE_EPONYMS,
    EPONYM_CUES,
    GENERA,
    NAME_FIELDS,
    ORG_FILLERS,
    ORG_HEADS,
    ORG_PARTICLES,
    PROFESSIONS,
    UNNAMED_BODIES,
)
from deid.detection.evidence import has_clinical_reading, is_acronym
from deid.detection.known_names import LOWER_PARTICLES, PARTICLES
from deid.detection.names import is_capital
from deid.detection.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import key

_WIDE = re.compile(r" {2}|\t")
_CHECKED = NAMES | {Label.CITY, Label.LOC, Label.ORG}
_LINKS = PARTICLES | LOWER_PARTICLES | {"'", "-"}
_OF_MIGRAINE = re.compile(r"\b(?:migraines?|cephalees?)\b[^.,;\n]{0,30} (?:avec|sans|a) (?:l'|une |son )?\Z")
_D_DIMERS = re.compile("(?:d ?- ?)?dimeres?")
# "SUPERIEUR G" in capitals: of a limb, with its side.
_SIDED = re.compile(r"(?:super|infer|anter|poster)ieure?s?(?: [dg])?")
_USUAL = 20  # occurrences per million from which a word is usual
_BEHIND_ADJECTIVES = frozenset(", . ; et ou ) mais".split())
_BEFORE_PEOPLE = frozenset(
    "a avec chez d de dit et fille fils frere ma mere mon ou par pere pour que qui sa soeur son vu vue".split()
)
_POINTING = PROFESSIONS | frozenset(
    "a avec by chez d de dicte dit et m mme ou par pour qui relu signe valide vu vue / + & - : > |".split()
)
# The ending of the Latin name of a species: "S. mexicana".
_LATIN = re.compile(r"[a-z]{2,}(?:i|um|us|is|ae|a|ans|ens|ax|er|or|ix)")
# Species that are written with a capital without being anyone's name: "H. Pylori".
_USUAL_SPECIES = frozenset("aeruginosa albicans aureus coli difficile epidermidis faecalis pneumoniae pylori".split())
_PATIENTS = frozenset("nourrisson nourrissons fillette patient patiente patients patientes parturiente".split())
# Words for a patient, and civilities, which alone name nobody; "M." may be an initial.
_ADDRESSED = _PATIENTS | frozenset(word for word in CIVILITIES if len(word) > 3)
_DEAR = frozenset("cher chere chers cheres".split())
_COLLEAGUES = frozenset("ami amie amis amies collegue collegues confrere confreres consoeur maitre".split())
_ASSAYED = re.compile(
    r"\b(?:tests?|techniques?|methodes?|kits?|serologies?|dos\w+|anticorps|antigenes?|ig[agm]|immuno\w+|recherch\w+)\b"
    r"[^\n]{0,80}\Z"
)
_JOURNALS = r"(?:jama|lancet|nejm|bmj|n engl j med|j clin oncol|presse med|rev prat)"
_JOURNAL_BEHIND = re.compile(rf"(?:,? [a-z]{{1,2}}\.?)?,? (?:et al\b|\(?{_JOURNALS}\b)")
_JOURNAL = re.compile(rf" {_JOURNALS}\Z")
_REFERENCES = re.compile(r"[ \t*•–-]{0,8}(?:biblio(?:graphie)?|references? bibliographiques?) ?:")
_LONGEST_ACRONYM = 8
_SMALL_WORDS = frozenset("a au aux d de des du en et l la le les of par pour the".split())
_MAIL_LABEL = re.compile(r"mel\.? ?:? {0,3}[\w.+-]{1,64}@")
_OCCUPATIONS = frozenset("apprenti chauffeur conducteur emploi emplois metier metiers profession transporteur".split())
_NOUNS = frozenset({"NOM", "ADJ"})
_DOUBTING = frozenset({"bilstm_crf", "crf", "flair", "transformer"})
_DOUBTED = 0.5  # probability below which a tagger doubts
_USUAL_NAME = 5000  # births from which a word is a usual surname
_GRADED = re.compile(r" (?:grade |stade |type )?(?:[iv]{1,3}|[1-6])\b")
_ARTICLE = re.compile(r"(?:l['’]|(?:le|la|les|un|une|du|des|d'un|d'une) )")
_SURE = 0.84  # score from which a name is no eponym ("M. Charcot")


def drop_allowed(reading: Reading, mentions: Sequence[Mention], allow: Mapping[Label, Sequence[str]]) -> list[Mention]:
    """Return the mentions except eponyms, drugs and ordinary words of a score below `_SURE`, and terms of `allow`.

    Acronyms of bodies that exist everywhere are dropped whatever their score, unless the patient or staff bears them.

    `allow` holds the policy's own terms by label.
    """
    own = {label: {key(term) for term in terms} for label, terms in allow.items()}
    return [
        mention
        for mention in mentions
        if not (mention.label in own and key(reading.text[mention.start : mention.end]) in own[mention.label])
        and not (mention.label in _CHECKED and (_is_unnamed(reading, mention) or _is_never_a_name(reading, mention)))
        and not (mention.label in _CHECKED and mention.score < _SURE and any(test(reading, mention) for test in _TESTS))
    ]


def _is_drug(reading: Reading, mention: Mention) -> bool:
    word = reading.folded[mention.start : mention.end]
    return mention.label in NAMES and word in reading.lexicon.drugs and not reading.lexicon.is_first_name(word)


def _is_ordinary(reading: Reading, mention: Mention) -> bool:
    """True for the genus of a germ, D-dimers, "marié", which its accent tells from a name, and the aura of migraine."""
    written = reading.text[mention.start : mention.end]
    if _D_DIMERS.fullmatch(reading.folded, mention.start, mention.end):
        return True
    if key(written).split(" ")[0] in GENERA or written.casefold() in ("marié", "mariée"):
        return True
    return (
        written.casefold() == "aura"
        and _OF_MIGRAINE.search(reading.folded, max(0, mention.start - 60), mention.start) is not None
    )


def _is_never_a_name(reading: Reading, mention: Mention) -> bool:
    """True, however sure, for a germ, a graded double eponym, the label of an e-mail, and a word for a patient."""
    words = [reading.words[at] for at in reading.tokens(mention) if reading.words[at].isalpha()]
    if any(vote.annotator == "identity" for vote in mention.votes) or not words:
        return False
    if _GRADED.match(reading.folded, mention.end) and _is_double_eponym(reading, mention):
        return True
    if _MAIL_LABEL.match(reading.folded, mention.start) or _SIDED.fullmatch(reading.folded, mention.start, mention.end):
        return True
    first = reading.token_at(mention.start)
    if reading.word(first - 1 - (reading.word(first - 1) == ".")) in CIVILITIES | DOCTOR_TITLES:
        return False
    if _is_code(reading, first, words) or (len(words) == 1 and _is_occupation(reading, first)):
        return True
    if mention.label in NAMES and len(words) == 1 and (_is_quality(reading, first) or _is_common(reading, first)):
        return True
    if reading.word(first - 1) in _DEAR and _COLLEAGUES.issuperset(words):
        return True
    if len(words) == 1 and (_is_assay(reading, mention) or _is_spelt_out(reading, first)):
        return True
    if mention.label in NAMES and _ADDRESSED.issuperset(words):
        return True
    return _PATIENTS.issuperset(words) or _is_species(reading, mention, words) or _is_cited(reading, mention)


def _is_assay(reading: Reading, mention: Mention) -> bool:
    """True for the assay ELISA in capitals, behind what it measures or a word for a technique."""
    written = reading.text[mention.start : mention.end]
    before = reading.folded[max(0, mention.start - 100) : mention.start]
    return written == "ELISA" and _ASSAYED.search(before) is not None


def _is_cited(reading: Reading, mention: Mention) -> bool:
    """True for the author of an article, before "et al." or the name of a journal, or in the line of references."""
    if mention.label not in NAMES:
        return False
    if _JOURNAL.search(reading.folded[mention.start : mention.end]):
        return True
    if _JOURNAL_BEHIND.match(reading.folded, mention.end):
        return True
    line = reading.line(mention.start)[0]
    return _REFERENCES.match(reading.folded, line) is not None


def _is_spelt_out(reading: Reading, index: int) -> bool:
    """True for an acronym beside the words of the language that it stands for: "langue des signes française (LSF)"."""
    letters = reading.words[index]
    if not reading.surface(index).isupper() or not 2 <= len(letters) <= _LONGEST_ACRONYM or reading.shouted(index):
        return False
    if reading.word(index - 1) == "(":
        stands_for = reading.words[max(0, index - 1 - 4 * len(letters)) : index - 1]
        content = [word for word in stands_for if word.isalpha() and word not in _SMALL_WORDS][-len(letters) :]
    elif reading.word(index + 1) == "(":
        behind = reading.words[index + 2 : index + 2 + 4 * len(letters)]
        inside = behind[: behind.index(")")] if ")" in behind else []
        content = [word for word in inside if word.isalpha() and word not in _SMALL_WORDS]
    else:
        return False
    return "".join(word[0] for word in content) == letters and all(map(reading.lexicon.is_word, content))


def _is_code(reading: Reading, first: int, words: Sequence[str]) -> bool:
    """True for codes of documents in capitals, but behind the field of a name or a writer's mark ("validé par")."""
    if not DOCUMENT_CODES.issuperset(words) or not reading.surface(first).isupper():
        return False
    before = first - 2 if reading.word(first - 1) == ":" else first - 1
    return reading.word(before) not in _POINTING | frozenset(NAME_FIELDS)


def _is_occupation(reading: Reading, index: int) -> bool:
    """True for a noun in capitals behind a word for a job: "Métier : ROUTIER", "chauffeur ROUTIER"."""
    before = index - 2 if reading.word(index - 1) in (":", "=") else index - 1
    noun = _is_noun(reading, reading.words[index])
    return noun and reading.surface(index).isupper() and reading.word(before) in _OCCUPATIONS


def _is_noun(reading: Reading, word: str) -> bool:
    return word in reading.lexicon.common and not _NOUNS.isdisjoint(reading.lexicon.parts.get(word, "").split("|"))


def _is_stressed_noun(reading: Reading, mention: Mention) -> bool:
    """True for a noun in capitals that is rather no surname, that the taggers doubt and nothing announces.

    A line of its own may be a signature, and a capital beside it a first name.
    """
    index = reading.token_at(mention.start)
    word, lexicon = reading.words[index], reading.lexicon
    doubted = all(vote.annotator in _DOUBTING and vote.score < _DOUBTED for vote in mention.votes)
    if not (mention.votes and doubted) or len(reading.tokens(mention)) > 1 or not reading.surface(index).isupper():
        return False
    usual_name = lexicon.is_first_name(word) or lexicon.surnames.get(word, 0) >= _USUAL_NAME
    if not (_is_noun(reading, word) and lexicon.common[word] >= 1) or reading.shouted(index) or usual_name:
        return False
    beside = (reading.word(at) for at in (index - 1, index + 1) if is_capital(reading, at))
    if any(lexicon.is_first_name(one) or lexicon.is_surname(one) for one in beside):
        return False
    return not any(_announced(reading, at) for at, one in enumerate(reading.words) if one == word)


def _announced(reading: Reading, index: int) -> bool:
    before = index - 1
    while reading.word(before) in (".", ":", "(", ","):
        before -= 1
    return reading.word(before) in _POINTING | CIVILITIES | DOCTOR_TITLES | frozenset(NAME_FIELDS)


def _is_common(reading: Reading, index: int) -> bool:
    """True for a word of the language in lower case, in a line that has capitals, without a word that points at it."""
    word, lexicon = reading.words[index], reading.lexicon
    if not reading.surface(index).islower() or reading.lowered(index) or len(word) < 3 or lexicon.is_first_name(word):
        return False
    return word in lexicon.common and reading.word(index - 1) not in _POINTING


def _is_quality(reading: Reading, index: int) -> bool:
    """True for an adjective in lower case within a sentence that has capitals: "un nouveau-né rose, tonique"."""
    word, lexicon = reading.words[index], reading.lexicon
    if not reading.surface(index).islower() or reading.lowered(index) or len(word) < 4:
        return False
    usual = lexicon.common.get(word, 0.0) >= _USUAL and "ADJ" in lexicon.parts.get(word, "").split("|")
    before, after = reading.word(index - 1), reading.word(index + 1)
    return usual and before.isalpha() and before not in _BEFORE_PEOPLE and after in _BEHIND_ADJECTIVES


def _is_species(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for a germ by genus and species: "Candida Albicans", "P. aeruginosa", "S. mexicana" beside "S. bovis"."""
    lexicon, genus, species = reading.lexicon, words[0], words[-1]
    if len(words) != 2 or lexicon.is_surname(species):
        return False
    small = not reading.capitals[reading.token_at(mention.end - 1)]
    shortened = len(genus) == 1 and reading.folded[mention.start + 1] == "."
    if "germ" not in lexicon.clinical.get(species, ""):
        latin = _LATIN.fullmatch(species) and not lexicon.is_word(species) and not lexicon.is_first_name(species)
        return bool(latin and small and shortened and _names_germ(reading, genus))
    usual = shortened and (small or species in _USUAL_SPECIES)
    return usual or genus in GENERA or "germ" in lexicon.clinical.get(genus, "")


def _names_germ(reading: Reading, initial: str) -> bool:
    """True if the document names a germ whose genus has this initial."""
    clinical = reading.lexicon.clinical
    return any(word[0] == initial and (word in GENERA or "germ" in clinical.get(word, "")) for word in reading.words)


def _is_unnamed(reading: Reading, mention: Mention) -> bool:
    """True for the acronym of a body that exists everywhere, in capitals: "MDPH", "S.M.R.", "ARM07"."""
    written = reading.text[mention.start : mention.end].replace(".", "").rstrip("0123456789")
    return (
        written.isupper()
        and written.lower() in UNNAMED_BODIES
        and all(vote.annotator != "identity" for vote in mention.votes)
    )


def _is_heading_row(reading: Reading, mention: Mention) -> bool:
    """True for words of the language between wide blanks, the headings of columns: "Unité    Référence"."""
    if mention.label in NAMES or not _WIDE.search(reading.text, mention.start, mention.end):
        return False
    return all(
        reading.words[at].isalpha()
        and (reading.lexicon.is_word(reading.words[at]) or has_clinical_reading(reading, at))
        for at in reading.tokens(mention)
    )


def _is_common_noun(reading: Reading, mention: Mention) -> bool:
    """True for a kind of organisation or place that no name follows: "centre de santé", "clinique ORL", "gare de"."""
    head, *others = reading.tokens(mention)
    if mention.label is Label.LOC and others and reading.words[others[-1]] in ORG_PARTICLES:
        return all(_is_common(reading, at) or reading.words[at] in ORG_PARTICLES for at in (head, *others))
    if mention.label is not Label.ORG or reading.capitals[head] or reading.lowered(head):
        return False
    return reading.words[head] in ORG_HEADS and all(
        is_acronym(reading, at)
        or (
            not reading.capitals[at]
            and (reading.words[at] in ORG_PARTICLES | ORG_FILLERS or reading.words[at] in reading.lexicon.medical)
        )
        for at in others
    )


def _is_double_eponym(reading: Reading, mention: Mention) -> bool:
    """True for an eponym of two people, such as "Cheyne-Stokes"."""
    name = _ARTICLE.sub("", reading.folded[mention.start : mention.end])
    return "-" in name and (name in DOUBLE_EPONYMS or key(name) in reading.lexicon.double_eponyms)


def _is_eponym(reading: Reading, mention: Mention) -> bool:
    """True if the mention stands behind a word for a disease, sign, score or device."""
    first = reading.token_at(mention.start)
    at = first - 1
    while at >= 0 and first - at < 5 and reading.words[at] in _LINKS:
        at -= 1
    return at >= 0 and reading.words[at] in EPONYM_CUES


_TESTS = (_is_drug, _is_eponym, _is_double_eponym, _is_ordinary, _is_common_noun, _is_heading_row, _is_stressed_noun)


# Results, ratios and emergency numbers that look like dates, values that look like addresses; civilities before names.

_RATIO = re.compile(r"\d{1,2}\s?/\s?\d{1,2}")
_EMERGENCY = re.compile(r"(?:15|17|18|112|114|115|119)")
_CALLED = re.compile(r"(?:appel\w*|compos\w*|contact\w*|alert\w*|joind\w*|fait) (?:fait )?le $")
_CALLS = re.compile(r"\s(?:a ete (?:appele|contacte|joint|alerte|prevenu)|rappelle|envoie|regule|a envoye)")
# Short numbers of the numbering plan that are the same for everybody: a line for suicidal people, the duty pharmacist…
_PUBLIC = re.compile(r"(?:3114|3018|3020|3237|3624|3919|3939|3977|3989)")
_NUMBERED = re.compile(r"(?:numero(?: [a-z']+){0,3} ?: ?|numero |(?<!poste )(?<!bip )\b(?:le|au|du) )\Z")
_STANDARD = re.compile(
    r"\b(?:iso|iec|cei|nf|en)(?:[ /](?:iec|cei|en|iso))* ?\d{3,6}(?:-\d{1,2})?:\Z"
)  # "ISO 15189:2012"
_SURE_DATE = 0.9
# A value at a setting, and the remote monitoring of pacemakers
_SETTING = re.compile(
    r"[<>~+-]?\d+(?:[.,]\d+)?\s?[^\W\d_]{0,4}°?\s?@\s?\d+(?:[.,]\d+)?\s?(?:[^\W\d_]{1,4}|[°%])?|merlin\s?@\s?home"
)
# Civilities; "M." is left out, since it may be an initial.
# "Mme M.A. 4 ème geste": the rank of a pregnancy beside initials.
_RANK, _RANKS = re.compile(r"(?<=[a-z.]) \d{1,2}\Z"), re.compile(r" ?i?e(?:me)?s?\b")
# "M. J Patient de 60 ans": the word for a patient behind an initial.
_PATIENT_BEHIND = re.compile(r"(?<=\b[a-z])\.? patiente?\Z")
_CIVILITY = re.compile(r"(?:mmes?\.?|mlles?|melles?|messieurs|mesdames|madame|mademoiselle|monsieur|docteur|drs\.?) ")
_CHILD = re.compile(r"enfant ")  # of the patient alone: the database says who is called so
_LINK_BEHIND = re.compile(r" (?:de|du|des|d'?)\Z")


def drop_lookalikes(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions except results taken for dates, settings ("1V@0.5ms") for addresses, and public numbers."""
    return [
        one
        for one in mentions
        if not (one.label is Label.DATE and _is_lookalike(reading, one))
        and not (one.label is Label.EMAIL and _SETTING.fullmatch(reading.folded, one.start, one.end))
        and not _is_public_number(reading, one)
    ]


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
        opens = mention.label in NAMES and _CIVILITY.match(reading.folded, mention.start, mention.end)
        if mention.label is Label.PATIENT and not opens:
            opens = _CHILD.match(reading.folded, mention.start, mention.end)
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
        trimmed.append(mention)
    return trimmed


def _is_public_number(reading: Reading, mention: Mention) -> bool:
    start = mention.start
    return bool(
        _PUBLIC.fullmatch(reading.folded, start, mention.end)
        and _NUMBERED.search(reading.folded, max(0, start - 40), start)
    )


def _is_lookalike(reading: Reading, mention: Mention) -> bool:
    text = reading.folded
    surface = text[mention.start : mention.end]
    before, after = text[max(0, mention.start - 40) : mention.start], mention.end
    if _STANDARD.search(before):
        return True
    if _EMERGENCY.fullmatch(surface):
        return bool(_CALLED.search(before) or (before.endswith("le ") and _CALLS.match(text, after)))
    if _RATIO.fullmatch(surface) and mention.score < _SURE_DATE:
        return not any(one.label is Label.DATE for one in reading.overlapping("patterns", mention))
    return False
