"""EMAIL and URL: names follow their surrogates, domains are those that nobody can register (RFC 2606)."""

from __future__ import annotations

import re

from deid.document import Mention
from deid.labels import Label
from deid.substitution.characters import redraw, redraw_digits
from deid.substitution.dossier import Dossier
from deid.substitution.drafts import Draft
from deid.substitution.folding import comparable, flat
from deid.substitution.names.parsing import bare
from deid.substitution.names.people import People
from deid.substitution.names.tables import Pool
from deid.substitution.shapes import in_case_of

STRATEGY = "reserved_domain"
_DOMAINS = (
    "messagerie", "courriel", "poste", "sante", "clinique", "hopital", "cabinet", "reseau-soins", "medecine", "lettre",
    "boite", "courrier", "soins", "centre", "pole-sante", "laboratoire", "service", "accueil", "espace", "portail",
)  # fmt: skip
# What stands before @ and names a desk rather than a person.
_DESKS = frozenset(
    "secretariat secretaire sec secr contact accueil admission admissions rdv consult consultation consultations "
    "cardio cardiologie urgences urgence onco oncologie neuro neurologie pneumo gastro chir chirurgie ortho "
    "pediatrie neonat geria geriatrie gyneco obstetrique maternite radio radiologie imagerie irm labo laboratoire "
    "bio resultats pharmacie direction cadre cadres medecin medecins dr docteur cabinet social sociale service "
    "patients patient facturation paie archives dim qualite info infos infirmier infirmiere ide equipe mobile "
    "hotline support dpi rcp diabeto nephro dialyse rea reanimation anesthesie allergo dermato ophta orl uro "
    "rhumato psy psychiatrie hospitalisation hdj hc coordination greffe rein addicto csapa pmi permanence suivi "
    "telesuivi rythmo".split()
)
_INITIALS = 2
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_SCHEME = re.compile(r"^(?:[a-z]+://|\\\\|//)?(?:www\.)?", re.IGNORECASE)
_HOST = re.compile(r"[^/\\?#:\s]+")


class Addresses:
    """EMAIL and URL mentions of one document."""

    def __init__(self, dossier: Dossier, people: People) -> None:
        self._dossier = dossier
        self._people = people

    def write(self, mention: Mention, attempt: int) -> Draft:
        """An address that leads nowhere."""
        original = self._dossier.text(mention)
        stream = self._dossier.stream("address", comparable(original), str(attempt))
        if mention.label is Label.EMAIL and "@" in original:
            local, _, domain = original.partition("@")
            text = f"{self._local(local, attempt)}@{self._domain(domain, attempt)}"
            return Draft(in_case_of(original, text), STRATEGY)
        if mention.label is Label.EMAIL:
            return Draft(redraw(original, stream), STRATEGY)
        scheme = _SCHEME.match(original)
        head = scheme.group() if scheme else ""
        host = _HOST.match(original, len(head))
        if host is None:
            return Draft(redraw(original, stream), STRATEGY)
        tail = original[host.end() :]
        return Draft(
            head + in_case_of(host.group(), self._domain(host.group(), attempt)) + redraw(tail, stream), STRATEGY
        )

    def _domain(self, domain: str, attempt: int) -> str:
        """Another domain per domain, so colleagues keep sharing one."""
        stream = self._dossier.stream("domain", flat(domain), str(attempt))
        hidden = set(_TOKEN.findall(flat(domain)))
        names = [name for name in _DOMAINS if hidden.isdisjoint(_TOKEN.findall(name))]
        return f"{stream.choice(names)}-{100 + stream.below(900)}.example"

    def _local(self, local: str, attempt: int) -> str:
        tokens = _TOKEN.findall(flat(local))
        names = {} if attempt else self._known(tokens)
        pieces = []
        for piece in re.split(r"([^\W\d_]+|\d+)", local):
            word = flat(piece)
            if word.isdigit():
                pieces.append(redraw_digits(piece, self._dossier.stream("address number", piece, str(attempt))))
            elif not word.isalpha() or word in _DESKS:
                pieces.append(piece)
            else:
                pieces.append(names.get(word) or self._drawn(word, attempt))
        return "".join(pieces)

    def _drawn(self, word: str, attempt: int) -> str:
        if len(word) <= _INITIALS:
            return redraw(word, self._dossier.stream("address letters", word, str(attempt)))
        handle = self._people.shorthand.handle(word, attempt)
        return handle or bare(self._people.drawing.surrogate(word, True, Pool.PROFESSIONAL, attempt=attempt))

    def _known(self, tokens: list[str]) -> dict[str, str]:
        """Tokens that are names of this document or run together from them, and what stands in for them."""
        people, roster = self._people, self._people.roster
        known = ((token, people.shorthand.known(token)) for token in tokens)
        found = {token: drawn for token, drawn in known if drawn is not None}
        for mention in roster.mentions:
            for word in roster.words(mention):
                if word in tokens and word not in found:
                    surname, pool = roster.is_surname(word, mention), roster.pool(word, mention)
                    found[word] = bare(people.drawing.surrogate(word, surname, pool))
        # One or two letters are somebody's initials only beside his name.
        named = {token: drawn for token, drawn in found.items() if len(token) > _INITIALS}
        beside = {token: people.shorthand.initials_beside(token, named) for token in tokens if len(token) <= _INITIALS}
        return named | {token: drawn for token, drawn in beside.items() if drawn}
