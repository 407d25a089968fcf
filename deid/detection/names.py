"""Reading a person's name from a token on: initials, particles, compounds, capitals or, where allowed, none."""

from __future__ import annotations

from deid.detection.reading import Reading

_LONGEST = 6  # words in a name
PARTICLES = frozenset(
    """
    abou abu ait al ben bin d da das de del della den der des di do dos du el l la le les m mac mc n o ould san
    st ste ten ter und van von y zu
    """.split()
)
LOWER_PARTICLES = frozenset(
    "de du des d van von der den ter ten el al ben bin da dos das do di del della ait le la l".split()
)
ELISIONS = frozenset("d l m n o".split())
# Capitalised words that stand after names without belonging to them.
NOT_NAMES = frozenset(
    """
    a absent absente acc adeli adj adjoint adresse age amb ambulancier ancien ancienne anesthesiste antecedents
    as assistant assistante assistants asymptomatique atcd attache au aux avec avenue bacterio bilan biologie
    biologiste bip bloc bonjour boulevard bp brancardier cadre cardiologie cardiologue cca ccha ce cedex centre
    cette ch chef cher chere chez chir chirurgie chirurgien chu clamps clinique cmf compte conclusion cond
    confrere conge consoeur consultation consœur coordinatrice coordonnateur copie courriel cs dans date ddn de
    dect dermatologue des deux dicte dieteticienne diplome diplomee directeur directrice docteur docteurs
    dossier dr du edite edition ehpad elle email en ergotherapeute et ets evolution ex examen externe fax femme
    frappe gastro geriatre graisseur gynecologue histoire hopital hospitalier hospitaliere hospitalisation iade
    iban ibode ide il imagerie imprime infirmier infirmiere interieur interne ipp je juge kine kinesitherapeute
    la laboratoire le les lettre lib libre lu m madame mail manip manipulateur mar maternite mcu me med mel medecin
    medecine mlle mme monsieur motif mr naissance nda ne nee neuro neurologie neurologue nip nir no nom non nous
    numero objet ok on oncologie oncologue operateur operatrice orl ortho orthophoniste ou oui page par patient
    patiente pediatre pediatrie pghm ph pharmacien photo phu place pmi poids pole poste pour pr praticien
    praticiens prenom president presidente prof professeur professeurs psychiatre psychologue puph quad
    radiologue rea reanimation ref reference rendu responsable ressource revoir rhumatologue rpps rue sa sage
    samu sau scolaire se secretaire secretariat secu sejour service ses sexe sf signature signe smur sociale son
    sous specialiste ss sur taille tech technicien technicienne tel telephone tension traitement uhcd un une
    unite urgences uro urologie urologue usic usp usuel valide validee vasc vous vu whatsapp
    """.split()
)


def is_capital(reading: Reading, index: int) -> bool:
    """Whether token `index` starts with a capital letter."""
    return 0 <= index < len(reading.capitals) and reading.capitals[index]


def is_upper(reading: Reading, index: int) -> bool:
    """Whether token `index` has two letters or more, all capital."""
    return (
        reading.ends[index] - reading.starts[index] > 1
        and reading.text[reading.starts[index] : reading.ends[index]].isupper()
    )


def glued(reading: Reading, index: int) -> bool:
    """Whether token `index` touches the one before it."""
    return 0 < index < len(reading.starts) and reading.ends[index - 1] == reading.starts[index]


def namelike(reading: Reading, index: int) -> bool:
    """Whether the word at `index` is borne as a name rather than used as a word, or is in no table at all."""
    word = reading.words[index]
    lexicon = reading.lexicon
    return word.isalpha() and (
        lexicon.is_first_name(word) or lexicon.is_surname(word) or (len(word) > 2 and lexicon.is_unknown(word))
    )


def read_name(reading: Reading, index: int, lower: int = 0, strict: bool = False) -> int | None:
    """Last token of the name that starts at token `index`, or None if none does.

    `lower` is how many words without a capital may belong to it, if they look like names; `strict` asks even
    capitalised words to look like names.
    """
    words = reading.words
    last: int | None = None
    count, at = 0, index
    while at < len(words) and count < _LONGEST:
        if at > index and reading.starts[at] - reading.ends[at - 1] > 3:
            break
        word = words[at]
        joined = at > index and words[at - 1] in ("-", "'") and glued(reading, at)
        dotted = len(word) <= 2 and reading.word(at + 1) == "." and glued(reading, at + 1)
        if not word.isalpha():
            if not _sign_inside(reading, at, index, last):
                break
            last = at if word == "." else last
        elif joined and last is not None:
            last = at
        elif reading.capitals[at]:
            if not _capital_belongs(reading, at, index, count, strict):
                break
            count += 1
            at += dotted
            last = at
        elif lower and dotted and len(word) == 1:
            at += 1
            last = at
        elif word in LOWER_PARTICLES and _name_follows(reading, at, lower):
            pass
        elif lower and word not in NOT_NAMES and namelike(reading, at):
            lower -= 1
            count += 1
            last = at
        else:
            break
        at += 1
    return last


def _sign_inside(reading: Reading, at: int, start: int, last: int | None) -> bool:
    """Whether a sign stands inside a name: a hyphen or apostrophe without blanks, the dot of an initial."""
    if reading.words[at] in ("-", "'"):
        return at > start and glued(reading, at) and glued(reading, at + 1)
    return reading.words[at] == "." and at > start and len(reading.words[at - 1]) == 1 and last is not None


def _capital_belongs(reading: Reading, at: int, start: int, count: int, strict: bool) -> bool:
    """Whether a capitalised word at `at` belongs to a name that started at `start` and has `count` words."""
    word = reading.words[at]
    if len(word) == 1:
        return _initial(reading, at, start)
    if word in NOT_NAMES and not is_particle_here(reading, at):
        return False
    if count and not _goes_on(reading, at, start):
        return False
    return not strict or namelike(reading, at) or is_particle_here(reading, at)


def _initial(reading: Reading, at: int, start: int) -> bool:
    """Whether a lone capital at `at` is an initial: dotted, compound ("J-B"), or beside a name not in capitals."""
    after = reading.word(at + 1)
    if after in (".", "-") and glued(reading, at + 1):
        return True
    if after == "'" and elided(reading, at):
        return True
    if at > start:
        return not after.isalpha() and not after.isdigit() and reading.words[at] not in ("a", "y")
    return (
        is_capital(reading, at + 1)
        and after not in NOT_NAMES
        and reading.words[at] not in ("a", "y", "l", "d", "n", "s")
    )


def elided(reading: Reading, at: int) -> bool:
    """Whether a lone capital at `at` opens a surname by an apostrophe: "N'DIAYE", "D'Arcangues", "O'Brien"."""
    return (
        reading.words[at] in ELISIONS
        and is_capital(reading, at)
        and glued(reading, at + 1)
        and glued(reading, at + 2)
        and is_capital(reading, at + 2)
        and (namelike(reading, at + 2) or not reading.lexicon.is_word(reading.words[at + 2]))
    )


def is_particle_here(reading: Reading, at: int) -> bool:
    """Whether a capitalised article or particle at `at` opens a surname ("Le Goff", "DE SOUSA")."""
    return reading.words[at] in PARTICLES and is_capital(reading, at + 1) and reading.word(at + 1).isalpha()


def _name_follows(reading: Reading, at: int, lower: int) -> bool:
    nxt = at + 1
    if reading.word(nxt) in ("'", "’"):
        nxt += 1
    if reading.word(nxt) in LOWER_PARTICLES and nxt + 1 < len(reading.words):
        nxt += 1
    if nxt >= len(reading.words) or not reading.words[nxt].isalpha():
        return False
    return (is_capital(reading, nxt) and reading.words[nxt] not in NOT_NAMES) or (lower > 0 and namelike(reading, nxt))


def _goes_on(reading: Reading, at: int, start: int) -> bool:
    """Whether a further capitalised word belongs to the name, rather than starting something else."""
    word = reading.words[at]
    lexicon = reading.lexicon
    if len(word) == 1 or reading.words[at] in PARTICLES:
        return True
    if namelike(reading, at):
        return True
    if is_upper(reading, at) and not is_upper(reading, start):
        return len(word) > 2
    return lexicon.surnames.get(word, 0) > 0 and word not in lexicon.medical
