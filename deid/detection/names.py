"""Reading a person's name from a token on: initials, particles, compounds, capitals or, where allowed, none."""

from __future__ import annotations

from deid.detection.reading import Reading

PARTICLES = frozenset(
    """
    abou abu ait al ben bin d da das de del della den der des di do dos du el l la le les m mac mc n o ould san
    st ste ten ter und van von y zu
    """.split()
)
LOWER_PARTICLES = frozenset(
    "de du des d van von der den ter ten el al ben bin da dos das do di del della ait le la l".split()
)
# Capitalised words that stand after names without belonging to them.
NOT_NAMES = frozenset(
    """
    a absent absente acc adeli adj adjoint adresse age amb ambulancier ancien ancienne anesthesiste antecedents
    as assistant assistante assistants asymptomatique atcd attache au aux avec avenue bacterio bilan biologie
    biologiste bip bloc bonjour boulevard bp brancardier cadre cardiologie cardiologue cca ccha ce cedex centre
    cette ch chef cher chere chez chir chirurgie chirurgien chu clamps clinique cmf compte conclusion cond
    confrere conge consoeur consultation consœur coordinatrice coordonnateur copie courriel cs dans date ddn de
    dect dermatologue des deux dicte dieteticienne diplome diplomee directeur directrice docteur docteurs
    dossier dr du edite edition ehpad elle email en ergotherapeute et evolution ex examen externe fax femme
    frappe gastro geriatre graisseur gynecologue histoire hopital hospitalier hospitaliere hospitalisation iade
    iban ibode ide il imagerie imprime infirmier infirmiere interieur interne ipp je juge kine kinesitherapeute
    la laboratoire le les lettre lib libre lu m madame mail manip manipulateur mar maternite mcu me med medecin
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
    return index > 0 and reading.ends[index - 1] == reading.starts[index]


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
    words, text = reading.words, reading.text
    last: int | None = None
    count = 0
    at = index
    while at < len(words) and count < 6:
        word = words[at]
        first = text[reading.starts[at]] if word else ""
        if at > index and reading.starts[at] - reading.ends[at - 1] > 3:
            break
        if word.isalpha():
            joined = at > index and words[at - 1] in ("-", "'") and glued(reading, at)
            if first.isupper():
                if word in NOT_NAMES and len(word) > 1 and not (joined or is_particle_here(reading, at)):
                    break
                if not joined and count and not _goes_on(reading, at, index):
                    break
                if len(word) == 1 and not joined and not _initial(reading, at, index):
                    break
                if strict and not joined and len(word) > 1 and not namelike(reading, at):
                    break
                last = at
                count += 1
                if len(word) <= 2 and reading.word(at + 1) == "." and glued(reading, at + 1):
                    last = at + 1
                    at += 1
            elif joined and last is not None:
                last = at
            elif len(word) == 1 and lower > 0 and reading.word(at + 1) == "." and glued(reading, at + 1):
                last = at + 1
                at += 1
            elif word in LOWER_PARTICLES and _name_follows(reading, at, lower):
                pass
            elif lower > 0 and word not in NOT_NAMES and namelike(reading, at):
                lower -= 1
                last = at
                count += 1
            else:
                break
        elif word in ("-", "'"):
            if at == index or not glued(reading, at) or not glued(reading, at + 1):
                break
        elif word == "." and at > index and len(words[at - 1]) == 1 and last is not None:
            last = at
        else:
            break
        at += 1
    return last


def _initial(reading: Reading, at: int, start: int) -> bool:
    """Whether a lone capital at `at` is an initial: dotted, compound ("J-B"), or beside a name not in capitals."""
    after = reading.word(at + 1)
    if after in (".", "-") and glued(reading, at + 1):
        return True
    if at > start:
        return not after.isalpha() and not after.isdigit() and reading.words[at] not in ("a", "y")
    return (
        is_capital(reading, at + 1)
        and after not in NOT_NAMES
        and reading.words[at] not in ("a", "y", "l", "d", "n", "s")
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
