"""Mentions to drop: eponyms, drugs, a hospital's own terms, results that look like dates or addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from rapidfuzz.distance import Levenshtein

from deid.detection.lookup.known_names import BRANDS, LOWER_PARTICLES, PARTICLES, VEHICLES
from deid.detection.lookup.lexicon import gazetteers
from deid.detection.merging.evidence import has_clinical_reading, is_acronym, is_of_drug
from deid.detection.refining.explained import is_claimed, is_explained, is_lone_acronym, is_of_culture
from deid.detection.refining.trimming import USUAL_NAME, is_stated
from deid.detection.text.names import is_capital
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import (
    CIVILITIES,
    DOCTOR_TITLES,
    DOCUMENT_CODES,
    DOUBLE_EPONYMS,
    EPONYM_CUES,
    EPONYMS,
    GENERA,
    KINSHIP,
    NAME_FIELDS,
    ORG_FILLERS,
    ORG_HEADS,
    ORG_PARTICLES,
    PROFESSIONS,
    REPORT_WORDS,
    UNNAMED_BODIES,
    word_list,
)
from deid.domain.document import Mention
from deid.domain.labels import IDENTIFIERS, NAMES, Label
from deid.french.calendar import DETECTED_MONTHS, FOLDED_SEASONS, PARTS_OF_PERIOD, WEEKDAYS
from deid.french.folding import key
from deid.french.social_words import origins, peoples

_WIDE = re.compile(r" {2}|\t")
_CHECKED = NAMES | {Label.CITY, Label.LOC, Label.ORG}
_WORDED = _CHECKED | {Label.STREET}
_PLACED = _WORDED - NAMES
_OF_NET = frozenset({Label.EMAIL, Label.URL})
_LINKS = PARTICLES | LOWER_PARTICLES | {"'", "-"}
_OF_MIGRAINE = re.compile(r"\b(?:migraines?|cephalees?)\b[^.,;\n]{0,30} (?:avec|sans|a) (?:l'|une |son )?\Z")
_D_DIMERS = re.compile("(?:d ?- ?)?dimeres?")
# "SUPERIEUR G" in capitals: of a limb, with its side.
_SIDED = re.compile(r"(?:super|infer|anter|poster)ieure?s?(?: [dg])?")
_USUAL = 20  # occurrences per million from which a word is usual
_BEHIND_ADJECTIVES = frozenset(", . ; et ou ) mais".split())
_BEFORE_PEOPLE = word_list("before_people")
_POINTING = PROFESSIONS | word_list("pointing_to_people")
_SAYING_WHO = _POINTING | CIVILITIES | DOCTOR_TITLES | frozenset(NAME_FIELDS)
# Serovars, which are called after people and places: "Salmonella Paul, S. Virchow".
_SEROVARS = re.compile(r"\bsalmonell[a-z]+(?: [a-z]+)?(?:,? (?:et |ou )?s\. ?[a-z]+)*(?:,| et| ou|/) ?\Z")
_ISOLATED = re.compile(r" (?:isole|identifie|retrouve)e? (?:a|dans|sur|en) (?:la |l'|les |une? )?(?:\w*culture|selles)")
_LISTED_GERMS = 120  # characters of a list of germs
# The ending of the Latin name of a species: "S. mexicana".
_LATIN = re.compile(r"[a-z]{2,}(?:i|um|us|is|ae|a|ans|ens|ax|er|or|ix)")
# Species that are written with a capital without being anyone's name: "H. Pylori".
_USUAL_SPECIES = frozenset("aeruginosa albicans aureus coli difficile epidermidis faecalis pneumoniae pylori".split())
_PATIENTS = frozenset("nourrisson nourrissons fillette patient patiente patients patientes parturiente".split())
# Words for a patient, and civilities, which alone name nobody; "M." may be an initial.
_ADDRESSED = _PATIENTS | frozenset(word for word in CIVILITIES if len(word) > 3)
_RANKS = frozenset((rank, "de", "clinique") for rank in ("chef", "cheffe", "chefs", "cheffes"))
_DEAR = frozenset("cher chere chers cheres".split())
_COLLEAGUES = frozenset("ami amie amis amies collegue collegues confrere confreres consoeur maitre".split())
_LONGEST_SLIP = 2  # signs by which a word of a salutation may differ from "confrère" and still be it
_MONTHS = "|".join(sorted(DETECTED_MONTHS))
# "art. R. 4127-4 du code de la santé publique", "(art. R. 4624-29)": what a text of law bears is nobody's.
_LAW = re.compile(
    r"\bart(?:icles?|s)?\.?\s{1,3}[lrd]\s?\*?\.\s{0,3}\d{3,4}(?:-\d{1,3}){0,3}|"
    r"\bart(?:icles?|s)?\.?\s{1,3}(?:[lrda]\s?\*?\.?\s{0,3})?\d[\d.-]*(?:\s{1,3}(?:et|a|,)\s{1,3}[lrda]?\.?\s?\d[\d.-]*)*"
    r"\s{1,3}(?:du|de la|de l')\s{1,3}(?:code|csp|loi|decret|arrete|ordonnance)\b|"
    # "la loi n° 2004-806 du 9 août 2004", "le décret du 3 juin 2013", "la loi Huriet-Sérusclat"
    r"\b(?:loi|decret)s?(?: n\s?[°o]\s?\d{2,4}[- ]\d{2,5})?"
    rf" (?:n\s?[°o]\s?\d{{2,4}}[- ]\d{{2,5}}|du \d{{1,2}}(?:er)? (?:{_MONTHS}) (?:19|20)\d\d)|"
    r"(?:(?<=\bla )|(?<=\())loi (?!du |de |n )[a-z]{3,20}(?:-[a-z]{2,20})?(?![\w-])"
)
_RESIDUE = (
    r"(?:ala|arg|asn|asp|cys|gln|glu|gly|his|ile|leu|lys|met|phe|pro|ser|thr|trp|tyr|val|ter|[acdefghiklmnpqrstvwyx*])"
)
# Sequences, changes of a gene, fusions and entries of public registers, after HGVS: "NM_001323289.2", "c.1675C>T",
# "p.(Arg559Ter)", "ETV6::RUNX1", "OMIM 300672", "rs1799963".
_GENETICS = re.compile(
    r"(?<!\w)(?:[nx][cgmpr]|lrg)_\d{3,9}(?:\.\d{1,2})?(?:\(\w{2,10}\))?(?!\w)|"
    r"(?<!\w)[cgmnr]\.[-*]?\d+(?:[+-]\d+)?(?:_[-*]?\d+(?:[+-]\d+)?)?"
    r"(?:[acgtu]*>[acgtu]+|(?:del|dup|ins|inv)[acgt]*|=)(?![\w@])|"
    rf"(?<!\w)p\.\(?{_RESIDUE}\d{{1,5}}(?:_{_RESIDUE}\d{{1,5}})?"
    rf"(?:{_RESIDUE}|del|dup|ins|fs|[*=?])[a-z*]{{0,6}}\d{{0,3}}\)?(?![\w@])|"
    r"(?<!\w)(?:omim|mim|orpha(?:net)?|hgnc|clinvar|dbsnp|cosmic|rcv|vcv)"
    r"(?: ?(?:n ?°|#|:))? ?[a-z#]{0,4}\d{3,12}(?!\w)|"
    r"(?<!\w)rs\d{3,10}(?!\w)|(?<!\w)ens[egpt]\d{8,15}(?!\w)|"
    r"(?<!\w)(?:[a-z]{2,6}\d{1,3}[a-z]?::[a-z]{2,6}\d{0,3}[a-z]?|[a-z]{2,6}::[a-z]{2,6}\d{1,3}[a-z]?)(?!\w)"
)
_MAIL = re.compile(r"(?:e[ -]?)?mails?|courriels?|adresses? (?:e-?)?mails?")
_SORTS = ORG_PARTICLES | ORG_FILLERS | word_list("hospital_sorts")
_ASSAYED = re.compile(
    r"\b(?:tests?|techniques?|methodes?|kits?|serologies?|dos\w+|anticorps|antigenes?|ig[agm]|immuno\w+|recherch\w+)\b"
    r"[^\n]{0,80}\Z"
)
_JOURNALS = r"(?:jama|lancet|nejm|bmj|n engl j med|j clin oncol|presse med|rev prat)"
_JOURNAL_BEHIND = re.compile(rf"(?:,? [a-z]{{1,2}}\.?)?,? (?:et al\b|\(?{_JOURNALS}\b)")
_JOURNAL = re.compile(rf" {_JOURNALS}\Z")
_REFERENCES = re.compile(r"[ \t*•–-]{0,8}(?:biblio(?:graphie)?|references? bibliographiques?) ?:")
# "(Durand et [al].)"; "selon Durand et Roy (2015)", "Réf : Dejours, 1998".
_OTHERS = re.compile(r" et al\.?\Z")
_CITING = re.compile(
    r"\b(?P<told>selon|d'apres|refs?\.?|references?|cf\.?|biblio(?:graphie)?|source)(?: :)? "
    r"(?:[a-z'-]+,? (?:et |& )?)?\Z"
)
_CITED_REACH = 60
_YEAR_BEHIND = re.compile(r"(?: (?:et|&) [a-z'-]+)?(?P<sign>,? \(|, )(?:19|20)\d\d\b(?!/)")
_LONGEST_ACRONYM = 8
_LONGEST_TREATMENT = 4  # letters of "lithiase traitée par LEC", "Basedow traité par NMZ"
_SMALL_WORDS = frozenset("a au aux d de des du en et l la le les of par pour the".split())
_LABEL_END = 2  # characters that may stand behind "Mél"
# "Port. 06 39 98": the label of a telephone, and its number; behind a postal code, Port is a town of the Ain.
_PHONE_LABEL = re.compile(
    r"(?<!\d\d )(?:bur(?:eau)?|dom(?:icile)?|fixe|mob(?:ile)?|perso|port(?:able)?|prof|sec|std|tph?|urg)\.?"
)
_NUMBER_BEHIND = re.compile(r"[. :]{0,4}(?:\+33|0[1-9])[ .-]?\d\d")
_MAIL_LABEL = re.compile(r"([a-z]{3,10})\.? ?:? {0,3}([\w.+-]{1,64})@")
_OCCUPATIONS = frozenset("apprenti chauffeur conducteur emploi emplois metier metiers profession transporteur".split())
_NOUNS = frozenset({"NOM", "ADJ"})
_DOUBTING = frozenset({"bilstm_crf", "crf", "encoder_bilstm_crf", "flair", "transformer"})
_DOUBTED = 0.5  # probability below which a tagger doubts
_GRADED = re.compile(r" (?:grade |stade |type )?(?:[iv]{1,3}|[1-6])\b")
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
_CELL, _DOCTORS_CELL = 48, re.compile(r"(?:dr|pr|docteur|professeur)\.? [^;\n]{2,40};\Z")
_RESULTS = frozenset("hs ind na nc nd ne neg nf nr pos ras tr".split())
_SIGNED_ROW = re.compile(r"[ |;]*(?:sign|visa|ide\b|par\b|initiales|paraphe|equipe|nom\b)")
_NEXT_CELL = re.compile(r";([^;\n\d]{2,40})")
_CUT_DOUBLE = re.compile(r"[a-z]{4,}-[a-z]\.?")
# "N.B. son numéro est …", "P.S. prévenir sa fille", ahead of a line
_NOTE = re.compile(r"(?:n\.? ?b|p\.? ?s)\b\.?")
_NOTED = re.compile(r"\.? ?:?[ ]{1,3}[^\W\d_]{2,}")
_WRITERS = re.compile(r"[ .]*(?:/ ?(?:[a-z]\.?){1,4})? *")  # who typed: "P.L./mj"
_BOXES, _FIGURE_BEHIND = frozenset({"bp", "cs"}), re.compile(r"\.? ?\d")
_LEAST_MISREAD = 6  # letters of a word that a scanner misread
_DOTTED = re.compile(r"[a-z]\.(?:[a-z]\.){0,5}[a-z]?\.?(?![a-z]{2})(?:[a-z](?![a-z]))?")
# Two abbreviations that open the row of a table: "RE / RP  | 95 %", "DDN / AGE .... 11".
_ROW_LABEL = re.compile(r"[ \t|]{0,12}([A-Z]{2,5}) / ([A-Z]{2,5})[ \t]*(?:\||\.{3})[ \t.|:]*(?=\w)")
_FIGURE, _HOUR = re.compile(r"\d"), re.compile(r"[^\W\d]*\d{1,2} ?(?:h|:\d)", re.IGNORECASE)
_SHIFTS = frozenset(
    "abs absent absents conge conges garde gardes jour jours matin nuit nuits off repos rtt soir".split()
)
_NO_VALUES = _SHIFTS | PROFESSIONS | DOCTOR_TITLES | CIVILITIES
_BLOOD = re.compile(r"(?:AB?|B|O)[ -]?(?:pos|neg|POS|NEG)(?:itif|atif|ITIF|ATIF)?")
_NOTHING_TO_REPORT = re.compile(r"r\.a\.s\.?")
_ARTICLE = re.compile(r"(?:l['’]|(?:le|la|les|un|une|du|des|d'un|d'une) )")
_BESIDE_A_PART = re.compile(
    r"(?:peri|retro|intra|inter|extra|endo|para|pre|post|sous|sus|supra|infra|trans)([a-z]{4,})"
)
_ADVERB = re.compile(r"[a-z]{3,}(?:iqu|eus|abl|ibl|ell|iv|al|air)ement")
_DAYS_NEAR = 3  # tokens on each side in which a list of days has another one
# Also the legal form of a firm.
_IDENTITY_WARNINGS = frozenset("homonyme homonymes homonymie doublon doublons eurl gaec sarl sasu selarl selas".split())
_LAUGHS = frozenset("lol ptdr xptdr".split())
_SURE = 0.84  # score from which a name is no eponym ("M. Charcot")


def drop_allowed(reading: Reading, mentions: Sequence[Mention], allow: Mapping[Label, Sequence[str]]) -> list[Mention]:
    """Return the mentions except eponyms, drugs and ordinary words of a score below `_SURE`, and terms of `allow`.

    Acronyms of bodies that exist everywhere are dropped whatever their score, unless the patient or staff bears them.

    `allow` holds the policy's own terms by label.
    """
    initials = _initials(reading, mentions)
    spans = [match.span() for one in (_LAW, _GENETICS) for match in one.finditer(reading.folded)]
    own = {label: {key(term) for term in terms} for label, terms in allow.items()}
    return [
        mention
        for mention in mentions
        if not (
            mention.label not in _OF_NET and any(start < mention.end and mention.start < end for start, end in spans)
        )
        and not _MAIL.fullmatch(reading.folded, mention.start, mention.end)
        and not _is_mail_label(reading, mention)
        and not _is_phone_label(reading, mention)
        and not (mention.label in NAMES | {Label.ORG, *IDENTIFIERS} and _is_of_register(reading, mention))
        and not (mention.label in _CHECKED and _is_dotted_acronym(reading, mention, initials))
        and not (mention.label in own and key(reading.text[mention.start : mention.end]) in own[mention.label])
        and not (mention.label in _WORDED and (_is_unnamed(reading, mention) or _is_never_a_name(reading, mention)))
        and not (mention.label in _CHECKED and mention.score < _SURE and any(test(reading, mention) for test in _TESTS))
    ]


def _is_drug(reading: Reading, mention: Mention) -> bool:
    word = reading.folded[mention.start : mention.end]
    return mention.label in NAMES and word in reading.lexicon.drugs and not reading.lexicon.is_first_name(word)


def _is_ordinary(reading: Reading, mention: Mention) -> bool:
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


def _is_never_a_name(reading: Reading, mention: Mention) -> bool:
    """True, however sure, for what the words around explain, a germ, a graded double eponym, the label of an e-mail, a
    word for a patient, a colleague greeted, a clinical acronym, an unnamed hospital, and a word for what was done to
    the report ("édité le").
    """
    words = [reading.words[at] for at in reading.tokens(mention) if reading.words[at].isalpha()]
    if any(vote.annotator == "identity" for vote in mention.votes) or not words:
        return False
    if mention.label is Label.STREET:
        return is_of_culture(reading, mention, words) or is_claimed(reading, mention)  # "cite Prévert"
    if list(words) == ["h"] and reading.word(reading.token_at(mention.start) - 1).isdigit():
        return True  # an hour: "DE 9 H A 17 H."
    if words[:2] == ["v", "leiden"]:
        return True
    if _is_misread(reading, mention):
        return True
    if _NOTHING_TO_REPORT.fullmatch(reading.folded, mention.start, mention.end):
        return True
    if mention.label in NAMES and (_is_value_of(reading, mention) or _is_pair_of_drugs(reading, mention, words)):
        return True
    if _NOTE.fullmatch(reading.folded, mention.start, mention.end) and _NOTED.match(reading.folded, mention.end):
        line = reading.line(mention.start)[0]
        return not reading.text[line : mention.start].strip()
    if _GRADED.match(reading.folded, mention.end) and _is_double_eponym(reading, mention):
        return True
    if _SIDED.fullmatch(reading.folded, mention.start, mention.end):
        return True
    first = reading.token_at(mention.start)
    if words in (["age"], ["agee"]) and reading.word(first + 1) == "de" and reading.surface(first).islower():
        return True  # "monsieur age de trente-huit"
    titled = reading.word(first - 1 - (reading.word(first - 1) == ".")) in CIVILITIES | DOCTOR_TITLES
    if mention.label in NAMES and _is_setting(reading, mention, words, titled and reading.surface(first - 1) != "PR"):
        return True
    if mention.label in NAMES and _is_of_device(reading, mention, words):
        return True
    if titled:
        return False
    if mention.label in NAMES and len(words) == 1 and _is_pronoun(reading, first):
        return True
    if reading.text[mention.start : mention.end].casefold() in ("marié", "mariée"):  # its accent tells it from a name
        return True
    usual = max(reading.lexicon.surnames.get(word, 0) for word in words) >= USUAL_NAME
    borne = mention.label in NAMES and usual
    if mention.label in NAMES | {Label.CITY, Label.LOC} and not borne and _is_double_eponym(reading, mention):
        return True
    if _is_sign(reading, mention, words[-1]) or (mention.label in NAMES and _is_coded(reading, mention, words)):
        return True
    if _is_code(reading, first, words) or (len(words) == 1 and _is_occupation(reading, first)):
        return True
    if mention.label in NAMES and len(words) == 1 and any(test(reading, first) for test in _PLAIN_WORDS):
        return True
    if mention.label in NAMES and _is_specialty(reading, mention):
        return True
    if is_explained(reading, mention, words):
        return True
    if reading.word(first - 1) in _DEAR and all(_is_colleague(reading, word) for word in words):
        return True
    named = mention.label in NAMES and len(words) == 1
    if named and (_is_long_acronym(reading, first) or is_stated(reading, first)):
        return True
    if named and reading.words[max(0, first - 2) : first] == ["aux", "fils"]:  # of a suture
        return words[0] in REPORT_WORDS or reading.lexicon.is_word(words[0])
    if mention.label is Label.ORG and (_is_common_noun(reading, mention) or _is_rank(reading, first)):
        return True
    if len(words) == 1 and (_is_assay(reading, mention) or _is_spelt_out(reading, first)):
        return True
    if mention.label in NAMES and _ADDRESSED.issuperset(words):
        return True
    return _PATIENTS.issuperset(words) or _is_species(reading, mention, words) or _is_cited(reading, mention)


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


def _is_of_register(reading: Reading, mention: Mention) -> bool:
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
    ahead = reading.folded[max(0, mention.start - _CITED_REACH) : mention.start]
    if not _SYMBOL.fullmatch(written):
        return False
    if written.casefold() in _GENES:
        figured = len(written) >= _LEAST_SYMBOL and not written.isalpha()
        role = reading.word(first + 1 + (reading.word(first + 1) in (",", "(")))
        borne = before in _AHEAD_OF_PEOPLE or role in PROFESSIONS or reading.words[first] in reading.titled
        return figured or (_GENETIC.search(ahead) is not None and not borne)
    return _UNLISTED.fullmatch(written) is not None and _OF_GENE.search(ahead) is not None


def _slips(word: str) -> Iterator[str]:
    """Yield a word with two letters in the other order, one twice or left out, and the key beside one or for it."""
    for at, letter in enumerate(word):
        ahead, behind = word[:at], word[at + 1 :]
        yield from (f"{ahead}{behind}", f"{ahead}{behind[:1]}{letter}{behind[1:]}")
        row = next(row for row in ("azertyuiop", "qsdfghjklm", "wxcvbn") if letter in row)
        pressed = row.index(letter)
        for other in row[max(0, pressed - 1) : pressed + 2]:
            yield from (f"{ahead}{other}{behind}", f"{ahead}{other}{letter}{behind}", f"{ahead}{letter}{other}{behind}")


_MAIL_WORDS = frozenset({"mel", "mail"}.union(*map(_slips, ("mel", "mail", "email", "courriel"))))
_SLIPS = frozenset({*_slips("elle"), *_slips("elles")}) - {"elle", "elles"}


def _is_mail_label(reading: Reading, mention: Mention) -> bool:
    """True for the word ahead of an address, with a slip perhaps: "Mél.", "MMél. secretariat@"."""
    label = _MAIL_LABEL.match(reading.folded, mention.start)
    if label is None or label[1] not in _MAIL_WORDS or mention.end > label.end(1) + _LABEL_END:
        return False
    named = label[1] in label[2]  # "Mel mel.durand@", "Maik maik.brandt@"
    return not named and (label[1] in ("mel", "mail") or not reading.lexicon.is_first_name(label[1]))


def _is_phone_label(reading: Reading, mention: Mention) -> bool:
    """True for the word ahead of a telephone's number, taken for a place or an organisation: "Port. 06 39"."""
    if mention.label not in _PLACED or not _NUMBER_BEHIND.match(reading.folded, mention.end):
        return False
    return _PHONE_LABEL.fullmatch(reading.folded, mention.start, mention.end) is not None


def _is_pronoun(reading: Reading, index: int) -> bool:
    """True for "Elle" with a slip of the hand, told once, before a verb: ". Emle souhaite partir".

    Two letters in the other order, one twice or left out, or the key beside; another letter makes a rare name ("Elve").
    """
    word, lexicon = reading.word(index), reading.lexicon
    opens = reading.word(index - 1) in ("", ".", "!", "?")
    slip = word in _SLIPS and len(reading.places[word]) == 1
    named = lexicon.is_first_name(word) or lexicon.is_surname(word)
    return slip and opens and not named and "VER" in lexicon.parts.get(reading.word(index + 1), "").split("|")


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


def _is_setting(reading: Reading, mention: Mention, words: Sequence[str], titled: bool) -> bool:
    """True for what nobody is called in settings of a device: "Wavelet, PR Logic ; RV lead noise On ; T On"."""
    line = reading.line(mention.start)
    start, end = max(mention.start - _SETTINGS, line[0]), min(mention.end + _SETTINGS, line[1])
    if titled or reading.word(reading.token_at(mention.start) - 1) in PROFESSIONS | KINSHIP:
        return False
    if len(STATE.findall(reading.text, start, end)) < 2:
        return False
    lexicon = reading.lexicon
    return all(one in BRANDS or not (lexicon.is_first_name(one) or lexicon.surnames.get(one)) for one in words)


def _is_value_of(reading: Reading, mention: Mention) -> bool:
    """True for a blood group, the label of a row, and a letter as value of a clinical abbreviation: "HN : O."."""
    if _BLOOD.fullmatch(reading.text, mention.start, mention.end):
        return True
    row = row_label(reading, reading.line(mention.start)[0])
    if row and mention.score < _SURE and (mention.start, mention.end) in (row.span(1), row.span(2)):
        return all("acronym" in reading.lexicon.clinical.get(part.lower(), "") for part in row.groups())
    first = reading.token_at(mention.start)
    label = reading.word(first - 2)
    letter = len(reading.words[first]) == 1 and len(reading.tokens(mention)) < 3 and reading.word(first - 1) == ":"
    return letter and label not in _SAYING_WHO and "acronym" in reading.lexicon.clinical.get(label, "")


def row_label(reading: Reading, start: int) -> re.Match[str] | None:
    """Return the two abbreviations that open a row: of professions, or of a figure or plain word, which is no shift."""
    row = _ROW_LABEL.match(reading.text, start)
    if row is None or not PROFESSIONS.isdisjoint(map(str.lower, row.groups())):
        return row
    if _FIGURE.match(reading.text, row.end()):
        return None if _HOUR.match(reading.text, row.end()) else row
    at = reading.token_at(row.end())
    return row if reading.surface(at).islower() and reading.words[at] not in _NO_VALUES else None


def _is_pair_of_drugs(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for drugs cut short and joined by a hyphen: "Amox-Genta"."""
    joined = len(words) > 1 and reading.text[mention.start : mention.end].count("-") == len(words) - 1
    titled = reading.word(reading.token_at(mention.start) - 1) in CIVILITIES | DOCTOR_TITLES | {"."}
    return joined and not titled and all(is_of_drug(reading, word) for word in words)


def _is_coded(reading: Reading, mention: Mention, words: Sequence[str]) -> bool:
    """True for a clinical acronym that fills a cell (";ETT;"), of two letters between a doctor's and a town's."""
    filled = reading.text[mention.start - 1 : mention.start] + reading.text[mention.end : mention.end + 1] == ";;"
    row = reading.folded[slice(*reading.line(mention.start))]
    result = len(words) == 1 and words[0] in _RESULTS and not _SIGNED_ROW.match(row)
    if result and len(re.findall(rf"[;|] *{words[0]} *(?=[;|])", row)) > 1:
        return True  # "CMV | ND | ND |"
    acronym = len(words) == 1 and "acronym" in reading.lexicon.clinical.get(words[0], "")
    sure = len(words[0]) > 2
    if filled and acronym and not sure:
        town = _NEXT_CELL.match(reading.text, mention.end)
        doctor = _DOCTORS_CELL.search(reading.folded, max(0, mention.start - _CELL), mention.start)
        sure = bool(doctor and town and gazetteers().towns(key(town[1])))
    return filled and acronym and sure and not reading.lexicon.surnames.get(words[0])


def _is_misread(reading: Reading, mention: Mention) -> bool:
    """True for one usual word of French that a scanner read with a wrong sign: "mobi1isation", "mourlr", "SALARlE"."""
    start, end = mention.start, mention.end
    while start and reading.text[start - 1].isalnum():
        start -= 1
    while end < len(reading.text) and reading.text[end].isalnum():
        end += 1
    surface, word, lexicon = reading.text[start:end], reading.folded[start:end], reading.lexicon
    if len(word) < _LEAST_MISREAD or not word.isalnum():
        return False
    whole = word.replace("rn", "m")
    if whole != word and len(word) > _LEAST_MISREAD and lexicon.is_unknown(word) and not gazetteers().towns(word):
        return lexicon.common.get(whole, 0.0) >= _USUAL and not lexicon.is_surname(whole)  # "dernande"
    if lexicon.is_word(word) or lexicon.is_first_name(word) or lexicon.is_surname(word):
        return False
    mixed = "l" in surface and surface.replace("l", "").isupper()
    if not (mixed or surface.islower() or set("10") & set(surface)):
        return False  # "Chalne"
    if any(_titled(reading, at) for at in reading.places.get(reading.words[reading.token_at(mention.start)], ())):
        return False
    ones = [word.replace("1", sign).replace("0", "o") for sign in "li"]
    small = [at for at, sign in enumerate(surface) if sign == "l"]
    read = {*ones, *(f"{one[:at]}i{one[at + 1 :]}" for one in ones for at in small)} - {word}
    return any((lexicon.is_word(one) or one in lexicon.medical) and not lexicon.is_surname(one) for one in read)


def _is_dotted_acronym(reading: Reading, mention: Mention, initials: Sequence[Set[str]]) -> bool:
    """True for a clinical acronym with dots, which no title, role or field announces: "B.K. +", "E.V.A. 7/10".

    The initials of somebody in the text stay, a line of its own, which may be a signature, and a post-box.
    """
    if any(vote.annotator == "identity" for vote in mention.votes):
        return False
    written = _DOTTED.match(reading.folded, mention.start)
    if not written or written.end() < mention.end or "." not in reading.folded[mention.start : mention.end]:
        return False
    letters = re.sub(r"\W", "", written.group())
    if len(letters) < 2 or "acronym" not in reading.lexicon.clinical.get(letters, ""):
        return False
    before = reading.token_at(mention.start) - 1
    while reading.word(before) in (".", ":"):
        before -= 1
    if reading.word(before).isalpha() and reading.word(before) in _SAYING_WHO:
        return False
    line, end = reading.line(mention.start)
    alone = not reading.text[line : mention.start].strip() and _WRITERS.fullmatch(reading.folded, written.end(), end)
    box = letters in _BOXES and _FIGURE_BEHIND.match(reading.folded, written.end())
    return not (alone or box or any(one >= set(letters) for one in initials))


def _initials(reading: Reading, mentions: Sequence[Mention]) -> list[set[str]]:
    """Return the initials of the patient, of whom several mentions have a part, and of each other name."""
    patient = [reading.text[one.start : one.end] for one in mentions if one.label is Label.PATIENT]
    others = [reading.text[one.start : one.end] for one in mentions if one.label in NAMES]
    named = [" ".join([*reading.document.patient.names, *patient]), *others]
    return [{part[0] for part in re.split(r"[\W_]+", key(one)) if len(part) > 1} for one in named]


def _is_rank(reading: Reading, first: int) -> bool:
    """True for the rest of a rank of physicians, a word of the language: "chefs de clinique [assistants]"."""
    ranked = tuple(reading.words[max(0, first - 3) : first]) in _RANKS
    return ranked and reading.lexicon.is_word(reading.words[first])


def _is_colleague(reading: Reading, word: str) -> bool:
    """True for "confrère" and the like, misspelt too where no table of names has the word."""
    if word in _COLLEAGUES:
        return True
    if len(word) < 6 or not reading.lexicon.is_unknown(word):
        return False
    return any(Levenshtein.distance(word, one, score_cutoff=_LONGEST_SLIP) <= _LONGEST_SLIP for one in _COLLEAGUES)


def _is_long_acronym(reading: Reading, index: int) -> bool:
    """True for a clinical acronym of four letters or more that is no name, without a name beside it: "ACFA"."""
    word = reading.words[index]
    if len(word) < 4 or not is_acronym(reading, index) or not reading.lexicon.is_unknown(word):
        return False
    if _is_beside_a_name(reading, index):
        return False
    return not any(_titled(reading, at) for at, one in enumerate(reading.words) if one == word)


def _is_beside_a_name(reading: Reading, index: int) -> bool:
    """True if the word before or behind `index` has a capital and is a first name or a surname."""
    beside = (reading.word(at) for at in (index - 1, index + 1) if is_capital(reading, at))
    return any(reading.lexicon.is_first_name(one) or reading.lexicon.is_surname(one) for one in beside)


def _titled(reading: Reading, index: int) -> bool:
    before = index - 1
    if reading.word(before) == ":" and reading.word(before - 1) in CIVILITIES:
        return False  # of a couple: "Madame : SOPK"
    while reading.word(before) in (".", ":"):
        before -= 1
    return reading.word(before) in CIVILITIES | DOCTOR_TITLES | PROFESSIONS | frozenset(NAME_FIELDS)


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
    if _REFERENCES.match(reading.folded, line) or _OTHERS.search(reading.folded[line : mention.end]):
        return True
    cited = _CITING.search(reading.folded, max(line, mention.start - _CITED_REACH), mention.start)
    year = cited and _YEAR_BEHIND.match(reading.folded, mention.end)
    if not cited or not year or reading.lexicon.is_first_name(reading.folded[mention.start : mention.end]):
        return False
    return "(" in year["sign"] or cited["told"] not in ("selon", "d'apres")


_SPECIALTIES = "|".join(sorted(word_list("specialties_behind_names")))
_SPECIALTY = re.compile(
    rf"(?:[a-z]\. ?)?(?:(?:{_SPECIALTIES})(?:[a-z]{{0,5}}\.|(?![a-z]))[ /-]*){{1,3}}|"
    r"m\.?p\.?r\.?|o\.?r\.?l\.?|m\.?a\.?r\.?"
)


def _is_specialty(reading: Reading, mention: Mention) -> bool:
    """True for a shortened specialty in parentheses behind a name: "K. PAYET (CHIR. PED.)"."""
    line, end = reading.line(mention.start)
    opened, closed = reading.text.rfind("(", line, mention.start), reading.text.find(")", mention.end, end)
    if min(opened, closed) < 0 or not is_capital(reading, reading.token_at(opened) - 1):
        return False
    return _SPECIALTY.fullmatch(reading.folded, opened + 1, closed) is not None


def _is_spelt_out(reading: Reading, index: int) -> bool:
    """Return whether an acronym is beside its expansion in French words: "langue des signes française (LSF)"."""
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
    if not reading.surface(first).isupper():
        return False
    before = first - 2 if reading.word(first - 1) == ":" else first - 1
    if reading.word(before) == "par" and reading.word(before - 1).startswith("trait") and len(words) == 1:
        unknown = len(words[0]) <= _LONGEST_TREATMENT and reading.lexicon.is_unknown(words[0])
        return unknown or words[0] in DOCUMENT_CODES
    if not DOCUMENT_CODES.issuperset(words):
        return False
    return reading.word(before) not in _POINTING | frozenset(NAME_FIELDS)


def _is_occupation(reading: Reading, index: int) -> bool:
    """True for a noun in capitals behind a word for a job: "Métier : ROUTIER", "chauffeur ROUTIER"."""
    before = index - 2 if reading.word(index - 1) in (":", "=") else index - 1
    noun = _is_noun(reading, reading.words[index])
    return noun and reading.surface(index).isupper() and reading.word(before) in _OCCUPATIONS


def _is_noun(reading: Reading, word: str) -> bool:
    return word in reading.lexicon.common and not _NOUNS.isdisjoint(reading.lexicon.parts.get(word, "").split("|"))


def _is_doubted_noun(reading: Reading, mention: Mention) -> bool:
    """True for a noun that is rather no surname, that the taggers doubt and nothing announces.

    A line of its own may be a signature, and a capital beside it a first name.
    """
    index = reading.token_at(mention.start)
    word, lexicon = reading.words[index], reading.lexicon
    only_taggers = all(vote.annotator in _DOUBTING for vote in mention.votes)
    doubted = only_taggers and (mention.score <= _DOUBTED or all(vote.score < _DOUBTED for vote in mention.votes))
    written = reading.surface(index)
    if not (mention.votes and doubted and (written.isupper() or written.islower())) or len(reading.tokens(mention)) > 1:
        return False
    if not _is_noun(reading, word):
        return False
    if reading.shouted(index):  # "FATIGABLE": nobody's name
        named = lexicon.is_first_name(word) or lexicon.surnames.get(word, 0) > 0
    else:
        named = lexicon.is_first_name(word) or lexicon.surnames.get(word, 0) >= USUAL_NAME or lexicon.common[word] < 1
    if named:
        return False
    if _is_beside_a_name(reading, index):
        return False
    return not any(_announced(reading, at) for at in reading.places[word])


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


def _is_manner(reading: Reading, index: int) -> bool:
    """True for an adverb that is in no table of names: "validé ELECTRONIQUEMENT"."""
    word, lexicon = reading.words[index], reading.lexicon
    return _ADVERB.fullmatch(word) is not None and not (lexicon.is_first_name(word) or lexicon.is_surname(word))


def _is_region(reading: Reading, index: int) -> bool:
    """True for a medical word with a prefix of place, in lower case and in no table of names: "péribulbaire"."""
    word, lexicon = reading.words[index], reading.lexicon
    found = _BESIDE_A_PART.fullmatch(word) if reading.surface(index).islower() else None
    if found is None or found[1] not in lexicon.medical:
        return False
    return not (lexicon.is_first_name(word) or lexicon.is_surname(word))


def _is_listed_day(reading: Reading, index: int) -> bool:
    """True for a day of the week beside another one: "SEANCES LE MARDI, JEUDI, SAMEDI"."""
    beside = reading.words[max(0, index - _DAYS_NEAR) : index + _DAYS_NEAR + 1]
    return reading.words[index] in WEEKDAYS and sum(word in WEEKDAYS for word in beside) > 1


def _is_identity_warning(reading: Reading, index: int) -> bool:
    """True for "HOMONYME" of a patient's record, a firm's "SARL", and a laugh of a message: "je reviens lol"."""
    return reading.words[index] in _IDENTITY_WARNINGS or reading.surface(index) in _LAUGHS


def _is_predicate(reading: Reading, index: int) -> bool:
    """True for a verb in small letters behind a pronoun and "a" or "est", which is no name: "il est aimé de".

    One that people bear is a participle by its accent alone: "elle a marie", who keeps her.
    """
    word, lexicon, written = reading.words[index], reading.lexicon, reading.surface(index)
    if not written.islower() or "VER" not in lexicon.parts.get(word, "").split("|"):
        return False
    borne = max(lexicon.surnames.get(word), lexicon.first_names.get(word)) >= _BORNE
    plain = not borne or (reading.word(index - 1) in _IS and written.endswith(("é", "ée", "és", "ées")))
    return plain and reading.word(index - 1) in _HAS | _IS and reading.word(index - 2) in _PRONOUNS


def _is_of_profession(reading: Reading, index: int) -> bool:
    """True for a usual word in small letters behind a profession and "de": "auxiliaire de [vie] josette"."""
    word, often = reading.words[index], reading.lexicon.common.get(reading.words[index], 0.0)
    named = reading.lexicon.is_first_name(word) or reading.lexicon.surnames.get(word) > _RATHER * often
    told = reading.word(index - 1) == "de" and reading.word(index - 2) in PROFESSIONS
    return told and reading.surface(index).islower() and often >= _USUAL and not named


def _is_language(reading: Reading, index: int) -> bool:
    """True for a language: "interprète bambara", "interprète en shimaoré"."""
    word, before = reading.words[index], index - 1 - (reading.word(index - 1) == "en")
    spoken = reading.word(before) in ("interprete", "interpretariat", "langue", "parle", "traducteur", "traductrice")
    return spoken and (word in _LANGUAGES or word in origins() or word in peoples())


_LANGUAGES = word_list("languages")
_HAS, _IS = frozenset("a ai as ont avait avaient".split()), frozenset("est sont etait etaient".split())
_PRONOUNS = frozenset("il elle ils elles qui on je tu y".split())
_BORNE, _RATHER = 500, 10  # births from which a verb may be a name; births by occurrence per million of a usual word
_PLAIN_WORDS = (
    _is_language, _is_quality, _is_common, _is_manner, _is_region, _is_listed_day, _is_identity_warning, _is_predicate,
    _is_of_profession,
)  # fmt: skip


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


def _is_unnamed(reading: Reading, mention: Mention) -> bool:
    """True for the acronym of a body that exists everywhere, in capitals: "MDPH", "S.M.R.", "ARM07", "MDPH AAH"."""
    written = reading.text[mention.start : mention.end].replace(".", "").rstrip("0123456789")
    body, *behind = written.lower().split(" ")
    return (
        written.isupper()
        and body in UNNAMED_BODIES
        and all("acronym" in reading.lexicon.clinical.get(one, "") for one in behind)
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
        or (not reading.capitals[at] and (reading.words[at] in _SORTS or reading.words[at] in reading.lexicon.medical))
        for at in others
    )


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


def _is_infinitive(reading: Reading, mention: Mention) -> bool:
    """True for a verb in lower case that is nobody's name ("soir : coucher"): no nickname has that form."""
    written = reading.folded[mention.start : mention.end]
    if mention.label not in NAMES or not _INFINITIVE.fullmatch(written) or not written.isalpha():
        return False
    lexicon = reading.lexicon
    lower = reading.text[mention.start : mention.end].islower()
    return (
        lower
        and "VER" in lexicon.parts.get(written, "")
        and not (lexicon.is_first_name(written) or lexicon.is_surname(written))
    )


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


def _is_section(reading: Reading, mention: Mention) -> bool:
    """True for a section of the history alone on its line: "2. Familiaux"."""
    if mention.label not in NAMES or reading.folded[mention.start : mention.end] not in _SECTIONS:
        return False
    start = reading.text.rfind("\n", 0, mention.start) + 1
    end = reading.text.find("\n", mention.end)
    beside = reading.text[start : mention.start] + reading.text[mention.end : None if end < 0 else end]
    return not any(map(str.isalpha, beside))


_SECTIONS = word_list("history_sections")
_INFINITIVE = re.compile(r"\w{2,}(?:er|ir|re)")
_GLUED, _PREFIXES = re.compile("[A-Z][a-z]+"), PARTICLES | LOWER_PARTICLES | frozenset({"mac", "mc"})
_TESTS = (
    _is_drug, _is_eponym, _is_double_eponym, _is_ordinary, _is_common_noun, _is_heading_row, _is_doubted_noun,
    _is_infinitive, _is_section, _is_product, is_lone_acronym,
)  # fmt: skip


# Results, ratios and emergency numbers that look like dates, values that look like addresses.

_RATIO = re.compile(r"\d{1,2}\s?/\s?\d{1,2}")
_EMERGENCY = re.compile(r"(?:15|17|18|112|114|115|119)")
# "12h50 le 15. sifflements": called at that time.
_TIMED = re.compile(r"\d{1,2} ?[h:] ?\d\d,? le \Z")
_NO_MORE = re.compile(r"\s*[.,;]|\s*\Z")
_CALLED = re.compile(
    r"(?:(?:appel\w*|compos\w*|contact\w*|alert\w*|joind\w*|prevenir|fait) (?:fait )?le|appel (?:au|du)) $"
)
# "le 15 a été appelé"; "puis le 15, puis le père": called in turn.
_CALLS = re.compile(
    r"\s(?:a ete (?:appele|contacte|joint|alerte|prevenu)|rappelle|envoie|regule|a envoye)|"
    r",? puis (?:le|la|sa|son) [a-z]"
)
# Short numbers of the numbering plan that are the same for everybody: a line for suicidal people, the duty pharmacist…
_PUBLIC = re.compile(r"(?:3114|3018|3020|3237|3624|3919|3939|3977|3989)")
_NUMBERED = re.compile(r"(?:numero(?: [a-z']+){0,3} ?: ?|numero |(?<!poste )(?<!bip )\b(?:le|au|du) )\Z")
_TWO_DIGITS, _LAST_DAY = re.compile(r"\d\d"), 31
_STANDARD = re.compile(
    r"\b(?:iso|iec|cei|nf|en)(?:[ /](?:iec|cei|en|iso))* ?\d{3,6}(?:-\d{1,2})?:\Z"
)  # "ISO 15189:2012"
_SURE_DATE = 0.9
# A value at a setting, and the remote monitoring of pacemakers
_SETTING = re.compile(
    r"[<>~+-]?\d+(?:[.,]\d+)?\s?[^\W\d_]{0,4}°?\s?@\s?\d+(?:[.,]\d+)?\s?(?:[^\W\d_]{1,4}|[°%])?|merlin\s?@\s?home"
)


# "le début de l'après-midi": a part of no day in particular.
_TIMES = (Label.DATE, Label.RELDATE)
_PART_OF_DAY = re.compile(
    r"(?:l[ea] )?(?:(?:debut|fin|milieu|cours) (?:de |d'))?(?:l[ea] |l')?"
    r"(?:mati(?:n|nee)|apres-midi|soir|soiree|nuit|journee)\b"
)


# "dossier AT n° 230128": letters that say of what the number is
_DAY_OF_CARE, _ROOMS = (
    re.compile(r"[Jj] ?\+? ?\d{1,3}"),
    frozenset("box chambre code dossier lit numero porte salle °".split()),
)
_KIND, _TO_SIGN = re.compile("[A-Z]{2,4} ?[nN]°"), 3


def drop_lookalikes(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the mentions except results taken for dates, settings ("1V@0.5ms") for addresses, and public numbers."""
    return [
        one
        for one in mentions
        if not (one.label is Label.DATE and _is_lookalike(reading, one))
        and not (one.label in _TIMES and _is_part_of_day(reading, one))
        and not (one.label is Label.EMAIL and _SETTING.fullmatch(reading.folded, one.start, one.end))
        and not _is_public_number(reading, one)
        and not (one.label is Label.ID and _KIND.fullmatch(reading.text[one.start : one.end + _TO_SIGN]))
        and not (one.label is Label.ID and _is_day_of_care(reading, one))
    ]


def _is_day_of_care(reading: Reading, mention: Mention) -> bool:
    """True for a day counted from an operation or graft: "réévaluation J100", but not "chambre J100"."""
    before = reading.word(reading.token_at(mention.start) - 1)
    return _DAY_OF_CARE.fullmatch(reading.text, mention.start, mention.end) is not None and before not in _ROOMS


def _is_public_number(reading: Reading, mention: Mention) -> bool:
    start = mention.start
    if mention.label is Label.PHONE and _RATIO.fullmatch(reading.digits, start, mention.end):
        return True  # a page of a fax: "P. O1/O3"
    return bool(
        _PUBLIC.fullmatch(reading.folded, start, mention.end)
        and _NUMBERED.search(reading.folded, max(0, start - 40), start)
    )


def _is_part_of_day(reading: Reading, mention: Mention) -> bool:
    part = _PART_OF_DAY.match(reading.folded, mention.start)
    return part is not None and part.end() >= mention.end


_PAGE, _PAGE_ENDS = re.compile(r"[1-9]\d?/[1-9]\d?"), re.compile(r"[ \t]*(?:\f|\s*\Z)")
# What is ahead of a page: the number of somebody or something, or an initial and name, apart on its line ...
_FOOT = re.compile(
    r"\d(?:[ .]?\d){4}[^\n]*(?: {3}|\t)\Z|(?:\b[a-zA-Z]\. ?[^\W\d_]{2,}|\b[^\W\d_]{2,} [a-zA-Z]\.)(?: {3,40}|\t)\Z"
)
# ... or nothing but the end of a sentence, an empty line or an indentation.
_LAST_LINE = re.compile(r"(?:\A|[.!?\f]\s*\n|\n[ \t]*\n|\n {3})[ \t]*\Z")
# A day is to follow: behind a sign or word for one, or what is planned, without the end of a sentence.
_AWAITED = re.compile(
    r"(?::|\b(?:le|du|au|des|depuis|jusqu'au))\s*\Z|"
    r"\b(?:dates?|sorties?|entrees?|rdv|rendez|cures?|seances?|consultations?|controle|retrait|ablation|pose|prochaine?s?|"
    r"prevue?s?|revoir|revue?|signee?|visite|chimio\w*|hospitali\w+|intervention|bloc|convoque\w*)\b[^.!?\n]*\s*\Z"
)
_FOOT_REACH = 120
_OF_SEASON = re.compile(rf" d(?:u |e l'|e |')(?:{'|'.join(FOLDED_SEASONS)})\b")
_COUNTED = re.compile(
    r"(?=[^\n]*\b(?:fax|telecopie)\b)[^\n]*\bp(?:ages?|g)?[ .:]{1,2}(?P<page>0?[1-9])/(?P<pages>0?[1-9])"
)


def is_page(reading: Reading, start: int, end: int) -> bool:
    """Return whether a pair is the page of a foot, at the end of the text: "DURAND P.  190044128       1/1"."""
    text, first = reading.text, max(0, start - _FOOT_REACH)
    if not _PAGE.fullmatch(text, start, end) or not _PAGE_ENDS.match(text, end):
        return False
    page, pages = map(int, text[start:end].split("/"))
    if page > pages or _AWAITED.search(reading.folded, first, start):
        return False
    day = rf"(?<![\d/])0?{page}/0?{pages}"
    if re.search(rf"\b(?:le|du|au|depuis) {day}(?![\d/])|{day}/\d\d", reading.folded):
        return False
    return any(ahead.search(text[first:start]) for ahead in (_FOOT, _LAST_LINE))


def _is_fax_page(text: str, mention: Mention) -> bool:
    """Return whether a pair is the page that the head of a fax counts: "FAX  22-06-2018     P. 01/02"."""
    line = text[max(0, mention.start - _FOOT_REACH) : mention.end].rpartition("\n")[2]
    counted = _COUNTED.fullmatch(line)
    return counted is not None and int(counted["page"]) <= int(counted["pages"])


def _is_lookalike(reading: Reading, mention: Mention) -> bool:
    text = reading.folded
    surface = text[mention.start : mention.end]
    before, after = text[max(0, mention.start - 40) : mention.start], mention.end
    if _STANDARD.search(before) or is_page(reading, mention.start, mention.end) or _is_fax_page(text, mention):
        return True
    if surface in PARTS_OF_PERIOD and _OF_SEASON.match(text, after):
        return True  # "Au début du printemps": the season is the date
    if _TWO_DIGITS.fullmatch(surface) and int(surface) > _LAST_DAY and before.endswith((" au ", "'au ")):
        return True  # "fraisage jusqu'au 54"
    if _EMERGENCY.fullmatch(surface):
        timed = _TIMED.search(before) and _NO_MORE.match(text, after)
        return bool(_CALLED.search(before) or timed or (before.endswith("le ") and _CALLS.match(text, after)))
    if _RATIO.fullmatch(surface) and mention.score < _SURE_DATE:
        return not any(one.label is Label.DATE for one in reading.overlapping("patterns", mention))
    return False
