"""Organisations by their head word and what continues it ("CHU de Lille", "école Jean-Moulin")."""

from __future__ import annotations

from collections.abc import Iterator

from deid.detection.gazetteers import Kind, gazetteers
from deid.detection.names import glued, is_capital, is_upper, namelike
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
    "winstub auberge halte base espace prevoyance tresorerie congregation amicale cokeries acieries forge abattoir audition pole equipe peloton rucher epicerie infirmerie "
    "distillerie conservatoire papeterie tannerie scierie imprimerie marbrerie charpente plomberie toitures librairie".split()
)
# Acronyms whose bare form names an organisation of its own.
_ALONE = frozenset(
    "efs aphp ap-hp snsm sncf ratp edf gdf mgen lmde matmut maif macif groupama harmonie aprr cerballiance biogroup unilabs synlab".split()
)
# Bare heads whose own capital says little; they need two words or a cue.
_WEAK = frozenset(
    "pole base espace infirmerie equipe peloton unite equipe service centre groupe conseil maison residence village pavillon cave domaine ferme bar cafe croix caisse secours "
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
    "femmes hommes arret loisirs arret mobile autodialyse soutien scolaire pathologie pathologies professionnelles tourisme anatomie cytologie "
    "fetes comite interieur superieur superieure technique formation apprentis aide domicile eau forets urgence secours".split()
)
_PARTICLES = frozenset("de du des d la le les l et en aux au a sur sous pour".split())


# Generic services: with a mere town after them, only the town identifies.
_SERVICES = frozenset(
    "gendarmerie commissariat maternite cmp cnr pmi brigade caserne temple eglise mairie camping boulangerie boucherie ecole "
    "lycee college creche prison cimetiere cabinet imagerie radiologie centre pharmacie garage restaurant cafe hotel laboratoire unite peloton".split()
)
_SPECIFIC = _FILL - _PARTICLES
_ADJECTIVE_ENDS = (
    "ique",
    "iques",
    "al",
    "ale",
    "ales",
    "aux",
    "aire",
    "aires",
    "if",
    "ive",
    "ives",
    "ee",
    "ees",
    "o",
    "iere",
    "iere",
    "ier",
)
_STOPPERS = frozenset(
    "tel fax dr pr docteur professeur service mme madame monsieur mr nom ipp consultation cedex pole unite nda patient "
    "telephone secretariat chef avec pour par qui que dont ou est a il elle depuis".split()
)
_NUMBERED = frozenset("sdis samu cnr lycee universite paris umg cmp crip udaf ase cpam caf mdph ado umd".split())


def find(reading: Reading) -> Iterator[Mention]:
    """Organisations with a head word; those of the tables; the employer after "chez"."""
    words = reading.words
    index = 0
    while index < len(words):
        word = words[index]
        if word in HEADS and not (index and words[index - 1] == "-" and glued(reading, index)):
            found = _organisation(reading, index)
            if found:
                last, score = found
                yield Mention(reading.starts[index], reading.ends[last], Label.ORG, score)
                index = last
        elif word in _ALONE and (is_capital(reading, index) or reading.lower_case):
            yield Mention(reading.starts[index], reading.ends[index], Label.ORG, 0.7)
        elif word == "chez":
            yield from _employer(reading, index)
        index += 1


def _employer(reading: Reading, index: int) -> Iterator[Mention]:
    """ "chez Renault Trucks": a company, unless it reads as a person."""
    at = index + 1
    if not is_capital(reading, at) or not reading.words[at].isalpha() or reading.words[at] in _STOPPERS:
        return
    if reading.lexicon.is_first_name(reading.words[at]) or reading.words[at] in (
        "m",
        "me",
        "mlle",
        "les",
        "la",
        "le",
        "l",
    ):
        return
    last = at
    while True:
        if (
            reading.word(last + 1) in ("-", "'", "&")
            and glued(reading, last + 1)
            and last + 2 < len(reading.words)
            and glued(reading, last + 2)
        ):
            last += 2
        elif (
            is_capital(reading, last + 1)
            and reading.words[last + 1].isalpha()
            and reading.starts[last + 1] - reading.ends[last] == 1
        ):
            last += 1
        else:
            break
    yield Mention(reading.starts[at], reading.ends[last], Label.ORG, 0.62)


def _organisation(reading: Reading, index: int) -> tuple[int, float] | None:
    """Last token and score of the organisation whose head stands at `index`; None if it has no name of its own."""
    words = reading.words
    last, proper, at = index, 0, index + 1
    shouted = is_upper(reading, index) and len(words[index]) > 4
    quoted = False
    while at < len(words) and at - index < 18:
        word = words[at]
        if word == "\n" or reading.starts[at] - reading.ends[at - 1] > 4:
            break
        if word.isalpha():
            step = _word_step(reading, index, at, proper, shouted, last)
            if step is None:
                break
            if step:
                last = at
                proper += step > 1
        elif word.isdigit():
            if (
                len(word) > 3
                or at - 1 != last
                or not (
                    words[index] in _NUMBERED or proper and len(word) < 3 and words[index] in ("lycee", "universite")
                )
            ):
                break
            proper += 1
            last = at
        elif word in ("«", '"', "“", "”", "»"):
            quoted = not quoted
            if not quoted and proper:
                last = at
                break
        elif not _sign_goes_on(reading, at):
            break
        at += 1
    if proper == 0:
        return _lower(reading, index)
    last = _without_town(reading, index, last)
    if last <= index:
        return None
    return last, _org_score(reading, index, last)


def _word_step(reading: Reading, index: int, at: int, proper: int, shouted: bool, last: int) -> int | None:
    """What a word does to an organisation's name: None ends it, 0 may lead on, 1 extends it, 2 makes it proper."""
    words = reading.words
    word = words[at]
    upper = is_capital(reading, at)
    glue = words[at - 1] in ("-", "'") and glued(reading, at)
    if (
        upper
        and not glue
        and (word in _STOPPERS or (is_upper(reading, at) and not shouted and word in HEADS and proper))
    ):
        return None
    if upper:
        if shouted and not is_upper(reading, at) and len(word) > 1 and proper and not glue:
            return None
        if word in _PARTICLES and not glue and (words[at - 1] in _PARTICLES or words[at - 1] in "'-"):
            return 0
        if (
            word in _PARTICLES
            and len(word) > 1
            and is_capital(reading, at + 1)
            and not shouted
            and last == at - 1
            and proper == 0
        ):
            return 1
        if word in _PARTICLES:
            return 0
        weak = words[index] in _WEAK or shouted and words[index] in ("centre", "laboratoire", "institut", "ecole")
        common = (
            word in _FILL
            or word in HEADS
            or (shouted and weak and reading.lexicon.is_word(word) and not reading.lexicon.is_surname(word))
        )
        return 1 if common else 2
    if word in _PARTICLES or glue:
        return 1 if glue and proper else 0
    if proper:
        return None
    if (
        word in HEADS
        or word in _FILL
        or word in reading.lexicon.medical
        or word.endswith(_ADJECTIVE_ENDS)
        and word not in _STOPPERS
    ):
        return 0
    return None


def _sign_goes_on(reading: Reading, at: int) -> bool:
    """Whether a sign at `at` stands inside a name."""
    word = reading.words[at]
    if word in ("'", "&"):
        return True
    if word == "-":
        return glued(reading, at) and at + 1 < len(reading.words) and glued(reading, at + 1)
    if word == "/":
        return glued(reading, at) and is_capital(reading, at + 1)
    if word == ".":
        return len(reading.words[at - 1]) <= 2 and is_capital(reading, at - 1) and is_capital(reading, at + 1)
    return False


def _without_town(reading: Reading, index: int, last: int) -> int:
    """Last token once a generic service has given back the town after it; `index` if nothing else remains."""
    if reading.words[index] not in _SERVICES:
        return last
    at = index + 1
    first_proper = next(
        (t for t in range(index + 1, last + 1) if is_capital(reading, t) and reading.words[t] not in _PARTICLES), last
    )
    for t in range(last, index, -1):
        if (
            reading.word(t - 1) in ("de", "d", "du", "a", "des")
            or reading.word(t - 1) == "'"
            and reading.word(t - 2) == "d"
        ):
            name = " ".join(word for word in reading.words[t : last + 1] if word not in ("-", "'"))
            if (
                gazetteers().towns(name)
                or gazetteers().towns(f"le {name}")
                or name in gazetteers().names
                and t == first_proper
            ):
                at = t - 1
                while at > index and (reading.words[at] in _PARTICLES or reading.words[at] == "'"):
                    at -= 1
                return at if at >= first_proper else index
    return last


def _org_score(reading: Reading, index: int, last: int) -> float:
    word = reading.words[index]
    if word in _WEAK and not (word == "centre" and reading.words[index + 1] in _SPECIFIC):
        if not is_capital(reading, index):
            return 0.6
        return 0.8
    return 0.9


def _lower(reading: Reading, index: int) -> tuple[int, float] | None:
    """ "ch de laval", "clinique des cedres": without capitals, a known place or names must follow."""
    if not reading.lower_case:
        return None
    at = index + 1
    while (
        reading.word(at) in _PARTICLES
        or reading.word(at) == "'"
        or reading.word(at) in _FILL
        and reading.word(at) != "-"
    ):
        at += 1
    if at >= len(reading.words) or not reading.words[at].isalpha():
        return None
    last = at - 1
    for hit in reading.hits_at.get(reading.starts[at], ()):
        if hit.entry.kind in (Kind.COMMUNE, Kind.TERRITORY, Kind.FORMER):
            last = reading.token_at(hit.end - 1)
            break
    while last + 1 < len(reading.words) and last - at < 3:
        nxt = last + 1
        if reading.words[nxt] == "-" and glued(reading, nxt):
            last += 1
        elif (
            reading.words[nxt].isalpha()
            and reading.starts[nxt] - reading.ends[last] <= 1
            and namelike(reading, nxt)
            and reading.words[nxt] not in _STOPPERS
        ):
            last += 1
        else:
            break
    if last < at or reading.words[last] == "-":
        return None
    if (
        reading.words[index] in _WEAK
        or reading.words[index] in _SERVICES
        and reading.words[at - 1] in ("de", "d", "du", "'")
    ):
        return None
    return last, 0.75
