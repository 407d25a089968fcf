"""Terms of medicine that look like names: eponyms, germs, drugs, genes, devices and their settings."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deid.detection.lookup.known_names import BRANDS, LOWER_PARTICLES, PARTICLES, VEHICLES
from deid.detection.lookup.lexicon import gazetteers
from deid.detection.merging.evidence import is_acronym, is_of_drug
from deid.detection.refining.trimming import USUAL_NAME
from deid.detection.text.names import is_capital
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import (
    DOUBLE_EPONYMS,
    EPONYM_CUES,
    EPONYMS,
    GENERA,
    KINSHIP,
    PROFESSIONS,
    TITLES,
    word_list,
)
from deid.domain.document import Mention
from deid.domain.labels import IDENTIFIERS, NAMES, Label
from deid.french.folding import key

_LINKS = PARTICLES | LOWER_PARTICLES | {"'", "-"}
_OF_MIGRAINE = re.compile(r"\b(?:migraines?|cephalees?)\b[^.,;\n]{0,30} (?:avec|sans|a) (?:l'|une |son )?\Z")
_D_DIMERS = re.compile("(?:d ?- ?)?dimeres?")
# Serovars, which are called after people and places: "Salmonella Paul, S. Virchow".
_SEROVARS = re.compile(r"\bsalmonell[a-z]+(?: [a-z]+)?(?:,? (?:et |ou )?s\. ?[a-z]+)*(?:,| et| ou|/) ?\Z")
_ISOLATED = re.compile(r" (?:isole|identifie|retrouve)e? (?:a|dans|sur|en) (?:la |l'|les |une? )?(?:\w*culture|selles)")
_LISTED_GERMS = 120  # characters of a list of germs
# The ending of the Latin name of a species: "S. mexicana".
_LATIN = re.compile(r"[a-z]{2,}(?:i|um|us|is|ae|a|ans|ens|ax|er|or|ix)")
# Species that are written with a capital without being anyone's name: "H. Pylori".
_USUAL_SPECIES = frozenset("aeruginosa albicans aureus coli difficile epidermidis faecalis pneumoniae pylori".split())
_ASSAYED = re.compile(
    r"\b(?:tests?|techniques?|methodes?|kits?|serologies?|dos\w+|anticorps|antigenes?|ig[agm]|immuno\w+|recherch\w+)\b"
    r"[^\n]{0,80}\Z"
)
_GENETIC_REACH = 60
_GRADED = re.compile(r" (?:grade |stade |type )?(?:[iv]{1,3}|[1-6])\b")
# "SUPERIEUR G" in capitals: of a limb, with its side.
_SIDED = re.compile(r"(?:super|infer|anter|poster)ieure?s?(?: [dg])?")
_CLASS = re.compile(r" classe (?:[iv]{1,3}|[1-6])\b")  # "Kennedy classe III"
_SIGN_FOUND = re.compile(r" ?(?:[+–-]{1,3}(?= ?[,;.)])|:? (?:negati|positi))")  # "(Ortolani –)"
_DEVICE_STATE = re.compile(
    r" (?:en place|ôté|gonflé|dégonflé|retiré|enlevé|clampé|(?:CH ?)?\d{2,3} ?(?:cc|mL|ml|CH)\b)"
)
_OF_DEVICE = re.compile(
    r"\b(?:[Bb]o[iî]tier|[Ss]timulateur|[Pp]ace-?[Mm]aker|PM|DAI|[Dd]éfibrillateur|[Mm]odèle)"
    r"[^.;,\n]{0,40} [A-Z][\w-]{1,20} DR \Z"
)
# A grade and what it is of, ahead of the bracket that says whose scale it is: "grade E (Balthazar)".
_GRADE_AHEAD = re.compile(
    r"(?:\+|\b(?:grade|stade|type|classe|score)s? (?:[ivx]{1,4}|\d{1,2}|[a-f])[a-d]?(?![a-z\d]))[^.;:\n()]{0,30}\(\Z"
)
_GRADING = word_list("grading_eponyms")
_GRADE_REACH = 50
STATE = re.compile(r"(?<=\w )(?<!en )(?<!hase )(?<!riode )(?<!etat )(?:On|Off|ON|OFF)(?=[ \t]*(?:[,;.|/\n]|\Z))")
_PLACES = 50  # of a word, behind which the state of a device is looked for
_SETTINGS = 80  # characters to other settings
_SIDES = frozenset("dg")
_CUT_DOUBLE = re.compile(r"[a-z]{4,}-[a-z]\.?")
_ARTICLE = re.compile(r"(?:l['’]|(?:le|la|les|un|une|du|des|d'un|d'une) )")


def is_clinical_term(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for what is, without a title ahead, an eponym of two people, a sign, an assay or a germ."""
    usual = max(reading.lexicon.surnames.get(word, 0) for word in words) >= USUAL_NAME
    borne = mention.label in NAMES and usual
    if mention.label in NAMES | {Label.CITY, Label.LOC} and not borne and _is_double_eponym(reading, mention):
        return True
    assay = len(words) == 1 and _is_assay(reading, mention)
    return assay or _is_sign(reading, mention, words[-1]) or _is_species(reading, mention, words)


def is_sure_term(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for what a title ahead makes nobody's name: a graded eponym, factor V, drugs, what a device has or shows."""
    if words[:2] == ["v", "leiden"] or _SIDED.fullmatch(reading.folded, mention.start, mention.end):
        return True
    if _GRADED.match(reading.folded, mention.end) and _is_double_eponym(reading, mention):
        return True
    return mention.label in NAMES and any(test(reading, mention, words) for test in _SURE_TERMS)


def _is_drug(reading: Reading, mention: Mention) -> bool:
    word = reading.folded[mention.start : mention.end]
    return mention.label in NAMES and word in reading.lexicon.drugs and not reading.lexicon.is_first_name(word)


def _is_usual_term(reading: Reading, mention: Mention) -> bool:
    """True for the genus of a germ, D-dimers and the aura of migraine."""
    written = reading.text[mention.start : mention.end]
    if _D_DIMERS.fullmatch(reading.folded, mention.start, mention.end):
        return True
    if key(written).split(" ")[0] in GENERA:
        return True
    return (
        written.casefold() == "aura"
        and _OF_MIGRAINE.search(reading.folded, max(0, mention.start - 60), mention.start) is not None
    )


# Symbols of genes and enzymes, with words of genetics ahead; those ahead of symbols that the list lacks.
_GENES, _SYMBOL = word_list("genes"), re.compile(r"[A-Z][A-Z0-9]{1,7}")
_GENETIC = re.compile(
    r"\b(?:consentement|depistage|expression|fusions?|genes?|genotyp\w+|genetique|[hm]etero\w+|homozygotes?|inducteurs?|"
    r"inhibiteurs?|mutations?|mutee?s?|panel|porteu\w+|recherche|sequen\w+|statut|substrats?|variants?)\b[^.;\n]{0,40}\Z"
)
_OF_GENE = re.compile(
    r"\b(?:cytochromes?|exons?|genes?|inhibiteurs?|mutations?|polymorphismes?|variants?)"
    r"(?: (?:de |du |d'|des |le )?|'|: )\Z"
)
_UNLISTED = re.compile(r"[A-Z]{2,5}\d{1,2}[A-Z]?\d{0,2}")
# Models of machines behind their make.
_MODEL, _BATCH = re.compile(r"[A-Z]{1,2}\d{2,4}[A-Z]{0,2}"), frozenset("lot lots serie sn".split())
_AHEAD_OF_PEOPLE = PROFESSIONS | KINSHIP | {"par"}
_LEAST_SYMBOL = 4  # signs of a symbol that needs no word of genetics
_RUN = re.compile(r"[^\W_]+")
_MODELLED = frozenset("helico helicoptere modele vecteur".split())


def is_of_register(reading: Reading, mention: Mention) -> bool:
    """True for the symbol of a gene and the model of a machine: "CDKN2A", "INCUBATEUR DRAGER GT5400".

    Letters that are somebody's beside a title or role are no gene: "mutation négative chez Mme MAX".
    """
    run = _RUN.match(reading.text, reading.starts[reading.token_at(mention.start)])
    first, written = reading.token_at(mention.start), run.group() if run else ""
    if any(vote.annotator == "identity" for vote in mention.votes) or (run and run.end() < mention.end):
        return False
    before = reading.word(first - 1 - (reading.word(first - 1) == ":"))
    made = before in BRANDS | VEHICLES | _MODELLED and reading.text[reading.ends[first - 1] : mention.start] == " "
    if made and mention.label in IDENTIFIERS and _MODEL.fullmatch(written):
        return _BATCH.isdisjoint(reading.words[max(0, first - 3) : first])
    ahead = reading.folded[max(0, mention.start - _GENETIC_REACH) : mention.start]
    if not _SYMBOL.fullmatch(written):
        return False
    if written.casefold() in _GENES:
        figured = len(written) >= _LEAST_SYMBOL and not written.isalpha()
        role = reading.word(first + 1 + (reading.word(first + 1) in (",", "(")))
        borne = before in _AHEAD_OF_PEOPLE or role in PROFESSIONS or reading.words[first] in reading.titled
        return figured or (_GENETIC.search(ahead) is not None and not borne)
    return _UNLISTED.fullmatch(written) is not None and _OF_GENE.search(ahead) is not None


def _is_sign(reading: Reading, mention: Mention, word: str) -> bool:
    """True for an eponym that nobody bears any more, or before its result: "voie de Sones", "(Ortolani –)"."""
    lexicon = reading.lexicon
    borne = word not in EPONYMS or lexicon.surnames.get(word) or lexicon.first_names.get(word)
    known = word in EPONYMS or word in lexicon.eponyms
    alone = reading.folded[mention.start : mention.end] == word and not lexicon.is_first_name(word)
    said = reading.word(reading.token_at(mention.start) - 1) in PROFESSIONS | KINSHIP
    few = alone and lexicon.surnames.get(word, 0) < USUAL_NAME and not said
    device = (
        _DEVICE_STATE.match(reading.text, reading.ends[at])
        for at in reading.places.get(word, ())[:_PLACES]
        if word not in reading.titled
    )
    return not borne or (known and few and bool(_SIGN_FOUND.match(reading.folded, mention.end) or any(device)))


def _is_of_device(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for an acronym behind "DR", two chambers, and the model of a device: "boîtier Advisa DR MRI"."""
    first = reading.token_at(mention.start)
    if not is_acronym(reading, first) or not all(map(reading.lexicon.is_unknown, words)):
        return False
    return _OF_DEVICE.search(reading.text, reading.line(mention.start)[0], mention.start) is not None


def _is_setting(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for what nobody is called in settings of a device: "Wavelet, PR Logic ; RV lead noise On ; T On"."""
    line, before = reading.line(mention.start), reading.token_at(mention.start) - 1
    start, end = max(mention.start - _SETTINGS, line[0]), min(mention.end + _SETTINGS, line[1])
    titled = reading.word(before - (reading.word(before) == ".")) in TITLES and reading.surface(before) != "PR"
    if titled or reading.word(before) in PROFESSIONS | KINSHIP:
        return False
    if len(STATE.findall(reading.text, start, end)) < 2:
        return False
    lexicon = reading.lexicon
    return all(one in BRANDS or not (lexicon.is_first_name(one) or lexicon.surnames.get(one)) for one in words)


def _is_pair_of_drugs(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for drugs cut short and joined by a hyphen: "Amox-Genta"."""
    joined = len(words) > 1 and reading.text[mention.start : mention.end].count("-") == len(words) - 1
    titled = reading.word(reading.token_at(mention.start) - 1) in TITLES | {"."}
    return joined and not titled and all(is_of_drug(reading, word) for word in words)


def _is_assay(reading: Reading, mention: Mention) -> bool:
    """True for the assay ELISA in capitals, behind what it measures or a word for a technique."""
    written = reading.text[mention.start : mention.end]
    before = reading.folded[max(0, mention.start - 100) : mention.start]
    return written == "ELISA" and _ASSAYED.search(before) is not None


_BORNE = 500  # births from which a word may be a name


def _is_species(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for a germ by genus and species: "Candida Albicans", "P. aeruginosa", "S. mexicana" beside "S. bovis"."""
    lexicon, genus, species = reading.lexicon, words[0], words[-1]
    shortened = len(genus) == 1 and reading.folded[mention.start + 1 : mention.start + 2] == "."
    listed = _SEROVARS.search(reading.folded, max(0, mention.start - _LISTED_GERMS), mention.start)
    if shortened and genus == "s" and (listed or _ISOLATED.match(reading.folded, mention.end)):
        return True
    if len(words) != 2 or lexicon.is_surname(species):
        return False
    small = not reading.capitals[reading.token_at(mention.end - 1)]
    if "germ" not in lexicon.clinical.get(species, ""):
        latin = _LATIN.fullmatch(species) and not lexicon.is_word(species) and not lexicon.is_first_name(species)
        return bool(latin and small and shortened and _names_germ(reading, genus))
    usual = shortened and (small or species in _USUAL_SPECIES)
    return usual or genus in GENERA or "germ" in lexicon.clinical.get(genus, "")


def _names_germ(reading: Reading, initial: str) -> bool:
    """True if the document names a germ whose genus has this initial."""
    clinical = reading.lexicon.clinical
    return any(word[0] == initial and (word in GENERA or "germ" in clinical.get(word, "")) for word in reading.words)


def _is_double_eponym(reading: Reading, mention: Mention) -> bool:
    """True for an eponym of two people, such as "Cheyne-Stokes"."""
    name = _ARTICLE.sub("", reading.folded[mention.start : mention.end])
    if "-" not in name:
        return False
    if _CUT_DOUBLE.fullmatch(name):  # "Pouteau-C."
        known = (*map(key, DOUBLE_EPONYMS), *reading.lexicon.double_eponyms)
        at = reading.token_at(mention.start) - 1
        at -= reading.word(at) == "("
        # "poignet D (Pouteau-C.)"
        sided = reading.word(at) in _SIDES and reading.word(at - 1) not in PROFESSIONS | KINSHIP
        ahead, lexicon = reading.word(at), reading.lexicon
        disease = ahead.isalpha() and reading.surface(at).islower() and ahead not in PROFESSIONS
        disease = disease and (ahead in lexicon.medical or lexicon.is_unknown(ahead))
        return (disease or sided or ahead in EPONYM_CUES) and any(one.startswith(key(name)) for one in known)
    said = reading.word(reading.token_at(mention.start) - 2)
    if mention.label is Label.CITY and gazetteers().towns(key(name)):  # "née à Saint-Louis"
        return said in EPONYM_CUES or said.endswith("ite")
    return name in DOUBLE_EPONYMS or key(name) in reading.lexicon.double_eponyms


def _is_eponym(reading: Reading, mention: Mention) -> bool:
    """Return whether the mention follows a word for a disease, sign, score or device."""
    first = reading.token_at(mention.start)
    at = first - 1
    while at >= 0 and first - at < 5 and reading.words[at] in _LINKS:
        at -= 1
    word = reading.words[first]
    if at >= 0 and reading.words[at] == "selon":
        return word in EPONYMS
    if at == first - 1 and reading.words[at] == "un" and len(reading.tokens(mention)) == 1:
        known = word in EPONYMS or word in reading.lexicon.eponyms  # "un Dupuytren et un Gilbert"
        return known and not reading.word(first + 1).isdigit() and not is_capital(reading, first + 1)
    if _CLASS.match(reading.folded, mention.end):
        return True
    if at == first - 1 and reading.words[at] == "(" and reading.folded[mention.end : mention.end + 1] == ")":
        graded = _GRADE_AHEAD.search(reading.folded, max(0, mention.start - _GRADE_REACH), mention.start)
        if graded and word in _GRADING and len(reading.tokens(mention)) == 1 and word not in reading.titled:
            return True
        words = reading.words[first : reading.token_at(mention.end - 1) + 1]  # "calcification (Ghon)", "(De Bakey I)"
        return any(one in EPONYMS and reading.lexicon.surnames.get(one) < _BORNE for one in words)
    return at >= 0 and reading.words[at] in EPONYM_CUES


def _is_product(reading: Reading, mention: Mention) -> bool:
    """True for a brand ("Game Ready"), and what is glued of words that nobody is called, but not for "LeGoff"."""
    whole = reading.folded[mention.start : mention.end]
    if whole in BRANDS:
        return " " in whole or (reading.lexicon.is_unknown(whole) and whole not in reading.titled)
    parts = _GLUED.findall(reading.text[mention.start : mention.end])
    if mention.label not in NAMES or len(parts) < 2 or "".join(parts) != reading.text[mention.start : mention.end]:
        return False
    lexicon, words = reading.lexicon, [part.lower() for part in parts]
    return not any(lexicon.is_first_name(one) or lexicon.is_surname(one) or one in _PREFIXES for one in words)


_GLUED, _PREFIXES = re.compile("[A-Z][a-z]+"), PARTICLES | LOWER_PARTICLES | frozenset({"mac", "mc"})
_SURE_TERMS = (_is_pair_of_drugs, _is_setting, _is_of_device)
DOUBTED_TERMS = (_is_drug, _is_eponym, _is_double_eponym, _is_usual_term, _is_product)
