"""Mentions to drop: what clinical terms, abbreviations, plain words or a hospital's own terms explain."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rapidfuzz.distance import Levenshtein

from deid.detection.merging.evidence import has_clinical_reading, is_acronym
from deid.detection.refining.clinical_terms import DOUBTED_TERMS, is_clinical_term, is_of_register, is_sure_term
from deid.detection.refining.explained import is_claimed, is_explained, is_lone_acronym, is_of_culture
from deid.detection.refining.plain_words import (
    DOUBTED_WORDS,
    SURE,
    is_abbreviation,
    is_common,
    is_dotted,
    is_misread_word,
    is_plain_word,
    is_small_word,
    is_unnamed,
    is_value_of,
    known_initials,
    slips_of,
)
from deid.detection.refining.trimming import is_stated
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import (
    CIVILITIES,
    ORG_FILLERS,
    ORG_HEADS,
    ORG_PARTICLES,
    REPORT_WORDS,
    TITLES,
    word_list,
)
from deid.domain.document import Mention
from deid.domain.labels import IDENTIFIERS, NAMES, Label
from deid.french.calendar import DETECTED_MONTHS
from deid.french.folding import key

_WIDE = re.compile(r" {2}|\t")
_CHECKED = NAMES | {Label.CITY, Label.LOC, Label.ORG}
_WORDED = _CHECKED | {Label.STREET}
_PLACED = _WORDED - NAMES
_OF_NET = frozenset({Label.EMAIL, Label.URL})
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
_LABEL_END = 2  # characters that may stand behind "Mél"
# "Port. 06 39 98": the label of a telephone, and its number; behind a postal code, Port is a town of the Ain.
_PHONE_LABEL = re.compile(
    r"(?<!\d\d )(?:bur(?:eau)?|dom(?:icile)?|fixe|mob(?:ile)?|perso|port(?:able)?|prof|sec|std|tph?|urg)\.?"
)
_NUMBER_BEHIND = re.compile(r"[. :]{0,4}(?:\+33|0[1-9])[ .-]?\d\d")
_MAIL_LABEL = re.compile(r"([a-z]{3,10})\.? ?:? {0,3}([\w.+-]{1,64})@")
# "N.B. son numéro est …", "P.S. prévenir sa fille", ahead of a line
_NOTE = re.compile(r"(?:n\.? ?b|p\.? ?s)\b\.?")
_NOTED = re.compile(r"\.? ?:?[ ]{1,3}[^\W\d_]{2,}")
_BEHIND_VERB = frozenset(
    "au beaucoup bien ce depuis des du dans encore la le les ma mal mieux peu sa ses seul seule son sur".split()
)
_FEW_BEARERS = 500  # births below which a verb is hardly a surname
_NOTHING_TO_REPORT = re.compile(r"r\.a\.s\.?")


def drop_allowed(reading: Reading, mentions: Sequence[Mention], allow: Mapping[Label, Sequence[str]]) -> list[Mention]:
    """Return the mentions except eponyms, drugs and ordinary words of a score below `SURE`, and terms of `allow`.

    Acronyms of bodies that exist everywhere are dropped whatever their score, unless the patient or staff bears them.

    `allow` holds the policy's own terms by label.
    """
    initials = known_initials(reading, mentions)
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
        and not (mention.label in NAMES | {Label.ORG, *IDENTIFIERS} and is_of_register(reading, mention))
        and not (mention.label in _CHECKED and is_dotted(reading, mention, initials))
        and not (mention.label in own and key(reading.text[mention.start : mention.end]) in own[mention.label])
        and not (mention.label in _WORDED and (is_unnamed(reading, mention) or _is_never_a_name(reading, mention)))
        and not (mention.label in _CHECKED and mention.score < SURE and any(test(reading, mention) for test in _TESTS))
    ]


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
    if is_misread_word(reading, mention):
        return True
    if _NOTHING_TO_REPORT.fullmatch(reading.folded, mention.start, mention.end):
        return True
    if mention.label in NAMES and len(words) == 1 and _does(reading, reading.token_at(mention.start)):
        return True
    if is_sure_term(reading, mention, words) or (mention.label in NAMES and is_value_of(reading, mention)):
        return True
    if mention.label in NAMES and is_small_word(reading, mention, words):
        return True
    if _NOTE.fullmatch(reading.folded, mention.start, mention.end) and _NOTED.match(reading.folded, mention.end):
        line = reading.line(mention.start)[0]
        return not reading.text[line : mention.start].strip()
    first = reading.token_at(mention.start)
    if words in (["age"], ["agee"]) and reading.word(first + 1) == "de" and reading.surface(first).islower():
        return True  # "monsieur age de trente-huit"
    if reading.word(first - 1 - (reading.word(first - 1) == ".")) in TITLES:
        return False
    if reading.text[mention.start : mention.end].casefold() in ("marié", "mariée"):  # its accent tells it from a name
        return True
    if any(test(reading, mention, words) for test in (is_clinical_term, is_abbreviation, is_plain_word, is_explained)):
        return True
    if reading.word(first - 1) in _DEAR and all(_is_colleague(reading, word) for word in words):
        return True
    named = mention.label in NAMES and len(words) == 1
    if named and is_stated(reading, first):
        return True
    if named and reading.words[max(0, first - 2) : first] == ["aux", "fils"]:  # of a suture
        return words[0] in REPORT_WORDS or reading.lexicon.is_word(words[0])
    if mention.label is Label.ORG and (_is_common_noun(reading, mention) or _is_rank(reading, first)):
        return True
    if mention.label in NAMES and _ADDRESSED.issuperset(words):
        return True
    return _PATIENTS.issuperset(words) or _is_cited(reading, mention)


def _does(reading: Reading, index: int) -> bool:
    """True for a verb that nobody is called right behind a civility: "MR [VOMIT] DEPUIS HIER", "mme [refuse] les".

    A capital among small letters is a name's: "M. Sort au bras de sa fille".
    """
    word, lexicon = reading.words[index], reading.lexicon
    if reading.surface(index).istitle():
        return False
    said = lexicon.parts.get(word) == "VER" and lexicon.common.get(word, 0.0) >= 1
    borne = lexicon.first_names.get(word) + lexicon.surnames.get(word) >= _FEW_BEARERS
    behind = reading.word(index - 1 - (reading.word(index - 1) == ".")) in CIVILITIES
    return said and behind and not borne and reading.word(index + 1) in _BEHIND_VERB


_MAIL_WORDS = frozenset({"mel", "mail"}.union(*map(slips_of, ("mel", "mail", "email", "courriel"))))


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
        return all(is_common(reading, at) or reading.words[at] in ORG_PARTICLES for at in (head, *others))
    if mention.label is not Label.ORG or reading.capitals[head] or reading.lowered(head):
        return False
    return reading.words[head] in ORG_HEADS and all(
        is_acronym(reading, at)
        or (not reading.capitals[at] and (reading.words[at] in _SORTS or reading.words[at] in reading.lexicon.medical))
        for at in others
    )


def _is_section(reading: Reading, mention: Mention) -> bool:
    """True for a section of the history alone on its line: "2. Familiaux"."""
    if mention.label not in NAMES or reading.folded[mention.start : mention.end] not in _SECTIONS:
        return False
    start = reading.text.rfind("\n", 0, mention.start) + 1
    end = reading.text.find("\n", mention.end)
    beside = reading.text[start : mention.start] + reading.text[mention.end : None if end < 0 else end]
    return not any(map(str.isalpha, beside))


_SECTIONS = word_list("history_sections")
_TESTS = (*DOUBTED_TERMS, *DOUBTED_WORDS, _is_common_noun, _is_heading_row, _is_section, is_lone_acronym)
