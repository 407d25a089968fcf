"""EMAIL and URL: names follow their surrogates, domains are those that nobody can register (RFC 2606)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.folding import comparable, fold_line, in_case_of
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, redraw, redraw_digits
from deid.substitution.names.parsing import bare
from deid.substitution.names.people import People
from deid.substitution.names.reading import Pool

STRATEGY = "reserved_domain"
_DOMAINS = (
    "messagerie", "courriel", "poste", "sante", "clinique", "hopital", "cabinet", "reseau-soins", "medecine", "lettre",
    "boite", "courrier", "soins", "centre", "pole-sante", "laboratoire", "service", "accueil", "espace", "portail",
)  # fmt: skip
# Words before @ that name a service rather than a person.
_SERVICES = frozenset(
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
_BETWEEN_TOKENS = re.compile(rf"({_TOKEN.pattern})")
_SCHEME = re.compile(r"^(?:[a-z]+://|\\\\|//)?(?:www\.)?", re.IGNORECASE)
_HOST = re.compile(r"[^/\\?#:\s]+")


class Addresses:
    """Generator of EMAIL and URL for one document."""

    def __init__(self, context: DocumentContext, people: People) -> None:
        self._context = context
        self._people = people

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return an address that leads nowhere."""
        original = self._context.text(mention)
        if mention.label is Label.EMAIL and "@" in original:
            local, _, domain = original.partition("@")
            text = f"{self._local(local, attempt)}@{self._domain(domain, attempt)}"
            return Draft(in_case_of(original, text), STRATEGY)
        scheme = _SCHEME.match(original)
        head = scheme.group() if scheme else ""
        host = _HOST.match(original, len(head)) if mention.label is not Label.EMAIL else None
        stream = self._context.stream("address", comparable(original), str(attempt))
        if host is None:
            return Draft(redraw(original, stream), STRATEGY)
        tail = original[host.end() :]
        return Draft(
            head + in_case_of(host.group(), self._domain(host.group(), attempt)) + redraw(tail, stream), STRATEGY
        )

    def _domain(self, domain: str, attempt: int) -> str:
        """Another domain per domain, so colleagues keep sharing one."""
        plain = fold_line(domain)
        stream = self._context.stream("domain", plain, str(attempt))
        hidden = set(_TOKEN.findall(plain))
        names = [name for name in _DOMAINS if hidden.isdisjoint(_TOKEN.findall(name))]
        return f"{stream.choice(names)}-{100 + stream.below(900)}.example"

    def _local(self, local: str, attempt: int) -> str:
        names = {} if attempt else self._known(_TOKEN.findall(fold_line(local)))
        pieces = []
        for piece in _BETWEEN_TOKENS.split(local):
            word = fold_line(piece)
            if word.isdigit():
                pieces.append(redraw_digits(piece, self._context.stream("address number", piece, str(attempt))))
            elif not word.isalpha() or word in _SERVICES:
                pieces.append(piece)
            else:
                pieces.append(names.get(word) or self._drawn(word, attempt))
        return "".join(pieces)

    def _drawn(self, word: str, attempt: int) -> str:
        if len(word) <= _INITIALS:
            return redraw(word, self._context.stream("address letters", word, str(attempt)))
        handle = self._people.shorthand.handle(word, attempt)
        return handle or bare(self._people.drawing.surrogate(word, True, Pool.PROFESSIONAL))

    def _known(self, tokens: Sequence[str]) -> Mapping[str, str]:
        """Tokens that are names of this document or run together from them, and what stands in for them."""
        letters = [token for token in tokens if len(token) <= _INITIALS]
        # A service may be somebody's name too, which matters to initials beside it alone.
        words = [token for token in tokens if len(token) > _INITIALS and (letters or token not in _SERVICES)]
        named = {word: drawn for word in words if (drawn := self._name(word)) is not None}
        # One or two letters are somebody's initials only beside his name.
        beside = {token: self._people.shorthand.initials_beside(token, named) for token in letters}
        return named | {token: drawn for token, drawn in beside.items() if drawn}

    def _name(self, token: str) -> str | None:
        people, roster = self._people, self._people.roster
        known = people.shorthand.known(token)
        if known is None and (bearers := roster.bearers(token)):
            surname, pool = roster.is_surname(token, bearers[0]), roster.pool(token, bearers[0])
            known = bare(people.drawing.surrogate(token, surname, pool))
        return known
