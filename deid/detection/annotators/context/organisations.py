"""Organisations by their head word and what continues it ("CHU de Lille", "école Jean-Moulin")."""

from __future__ import annotations

from collections.abc import Iterator

from deid.detection.gazetteers import Kind
from deid.detection.names import is_capital, is_upper
from deid.detection.reading import Reading
from deid.document import Mention
from deid.labels import Label

# Head words that need a continuation to name one organisation.
HEADS = frozenset(
    "hopital hopitaux hospices clinique polyclinique centre ehpad maison residence foyer chu ch chr chru chi chp chg chs epsm ghu "
    "ght aphp institut laboratoire laboratoires labo pharmacie ecole college lycee universite creche maternelle association asso "
    "amicale club cabinet ambulances ambulance taxis taxi transports vsl societe ste sarl sas sa selarl scp gaec earl eurl groupe "
    "groupement mutuelle assurance assurances caisse cpam carsat msa caf ccas mdph mdpa ars dreal ddass udaf ase pmi cmp cmpp camsp "
    "cattp csapa caarud had ssiad savs samsah esat ime itep ifsi cfa admr adapei apf unapei tribunal tgi cour prefecture mairie "
    "commissariat gendarmerie brigade caserne sdis samu smur ssr smr usld uhr umg cnr efs ets crip jalmalv snsm cooperative usine "
    "entreprise ets etablissement etablissements boulangerie boucherie restaurant cafe bar hotel camping garage menuiserie mercerie "
    "supermarche magasin ateliers atelier chantier chantiers conserverie conserveries fonderie laiterie brasserie pompes armement "
    "compagnie agence fondation federation comite syndicat paroisse couvent monastere abbaye abbatiale communaute eglise mosquee "
    "synagogue temple prison detention internat pensionnat pensionnaire groupe maternite pavillon unite equipe reseau plateforme "
    "imagerie radiologie consulat ambassade conseil secours croix banque credit theatre musee bibliotheque mediatheque crematorium "
    "funerarium orphelinat sanatorium preventorium oncopole medipole hospitalier chantiers domaine cave ferme elevage residences "
    "village office regie prestataire service cms msp mspp cada cph chrs cer regiment bataillon lycees urps cabinets institution "
    "distillerie conservatoire papeterie tannerie scierie imprimerie marbrerie charpente plomberie toitures librairie".split()
)
# Acronyms whose bare form names an organisation of its own.
_ALONE = frozenset(
    "efs aphp ap-hp snsm sncf ratp edf gdf mgen lmde matmut maif macif groupama harmonie aprr cerballiance biogroup unilabs synlab".split()
)
# Bare heads whose own capital says little; they need two words or a cue.
_WEAK = frozenset(
    "unite equipe service centre groupe conseil maison residence village pavillon cave domaine ferme bar cafe croix caisse secours "
    "sa ste temple taxi usine agence reseau chantier cabinet foyer office credit imagerie radiologie regie had samu smur ssr smr "
    "hospitalier brigade equipe garage club atelier restaurant etablissement assurance ambulance prison detention hotel conseil".split()
)
_FILL = frozenset(
    "de du des d la le les l et en aux au a sur sous pour - ' universitaire universitaires hospitalier hospitaliere hospitaliers "
    "regional regionale regionaux departemental departementale departementaux psychiatrique medical medicale medico social sociale "
    "chirurgical chirurgicale mutualiste intercommunal intercommunale specialise specialisee general generale municipal municipale "
    "primaire elementaire maternelle publique prive privee professionnel reeducation readaptation convalescence gerontologie soins "
    "sante travail vieillesse retraite repos cancer lutte contre anticancereux polyvalent biologie analyses medicales naval navale "
    "agricole national nationale francaise francais jour nuit long sejour enfance protection maternelle infantile famille familles "
    "judiciaire penitentiaire arret detention instance grande commerce securite primaire assurance maladie allocations familiales "
    "ophtalmologique obstetrical obstetricale dentaire funebres marbrerie imagerie radiologie cardiologique cycliste sportif sportive "
    "fetes comite interieur superieur superieure technique formation apprentis aide domicile eau forets urgence secours".split()
)
_PARTICLES = frozenset("de du des d la le les l et en aux au a sur sous pour".split())


def find(reading: Reading) -> Iterator[Mention]:
    """Organisations; a head in capitals takes the capitals of its line."""
    words = reading.words
    index = 0
    while index < len(words):
        word = words[index]
        if word in HEADS and not (index and words[index - 1] == "-"):
            found = _organisation(reading, index)
            if found:
                last, score = found
                yield Mention(reading.starts[index], reading.ends[last], Label.ORG, score)
                index = last
        elif word in _ALONE and (is_capital(reading, index) or reading.lower_case):
            yield Mention(reading.starts[index], reading.ends[index], Label.ORG, 0.7)
        index += 1
    for hit in reading.hits:
        if (
            hit.entry.kind is Kind.ESTABLISHMENT
            and reading.text[hit.start].isupper()
            and "\n" not in reading.text[hit.start : hit.end]
        ):
            if hit.entry.name.split()[0] in HEADS:
                yield Mention(hit.start, hit.end, Label.ORG, 0.8)


def _organisation(reading: Reading, index: int) -> tuple[int, float] | None:
    words, text = reading.words, reading.text
    shouted = is_upper(reading, index) and len(words[index]) > 4
    last, proper, fill = index, 0, 0
    at = index + 1
    if reading.word(at) == "(":
        return None
    while at < len(words) and at - index < 16:
        word = words[at]
        if word == "\n" or reading.starts[at] - reading.ends[at - 1] > 3:
            break
        if word.isalpha():
            upper = text[reading.starts[at]].isupper()
            if (
                upper
                and word
                in (
                    "tel",
                    "fax",
                    "dr",
                    "pr",
                    "docteur",
                    "professeur",
                    "service",
                    "mme",
                    "madame",
                    "monsieur",
                    "mr",
                    "le",
                    "nom",
                    "ipp",
                    "consultation",
                    "cedex",
                )
                and word not in ("le",)
            ):
                break
            if upper and (not shouted or is_upper(reading, at) or proper == 0):
                if word not in _PARTICLES:
                    proper += word not in _FILL or shouted
                    last = at
            elif word in HEADS or word in _FILL:
                if at - 1 == last and word not in _PARTICLES and proper == 0:
                    last = at
                fill += word not in _PARTICLES
                if proper and word not in _PARTICLES:
                    break
            elif words[at - 1] in ("-", "'") and proper and reading.starts[at] == reading.ends[at - 1]:
                last = at
            else:
                break
        elif word.isdigit():
            if (
                len(word) > 3
                or at - 1 != last
                or words[index] not in ("sdis", "samu", "cnr", "lycee", "universite", "paris", "umg", "cmp")
                and proper == 0
            ):
                break
            proper += 1
            last = at
        elif word in ("-", "'", "’", ".", "&", "/"):
            if word == "." and (len(words[at - 1]) > 2 or not is_capital(reading, at - 1)):
                break
            if word == "/" and not (reading.starts[at] == reading.ends[at - 1]):
                break
            if word == "-" and reading.starts[at] != reading.ends[at - 1]:
                break
        elif word in ("«", '"', "“") and at - last <= 2:
            pass
        elif word in ("»", '"', "”") and proper:
            last = at
            break
        else:
            break
        at += 1
    if proper == 0:
        return _lower(reading, index)
    while last > index and words[last] in _PARTICLES:
        last -= 1
    weak = words[index] in _WEAK
    capital = is_capital(reading, index)
    score = 0.9 if not weak else 0.8 if capital else 0.62
    return last, score


def _lower(reading: Reading, index: int) -> tuple[int, float] | None:
    """ "ch de laval", "clinique des cedres": without capitals, a known place or an unknown word must follow."""
    if not reading.lower_case:
        return None
    at = index + 1
    while reading.word(at) in _PARTICLES or reading.word(at) in ("'",):
        at += 1
    if at == index + 1 or at >= len(reading.words) or not reading.words[at].isalpha():
        return None
    for hit in reading.hits:
        if hit.start == reading.starts[at] and hit.entry.kind is Kind.COMMUNE:
            return reading.token_at(hit.end - 1), 0.75
    lexicon = reading.lexicon
    if lexicon.is_unknown(reading.words[at]):
        return at, 0.6
    return None
