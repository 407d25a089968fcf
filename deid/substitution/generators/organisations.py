"""ORG: the word for its kind kept, its name replaced by the surrogate commune's or by an invented one."""

from __future__ import annotations

import re

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.articles import of_place
from deid.french.folding import accented_like, case_of, comparable, fold_line, words
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, tag
from deid.substitution.places.gazette import Gazette

STRATEGY = "kind_kept"
# Kinds of organisations, folded; the longest that opens a name is kept. Those in the first group belong to a town.
_OF_TOWN = (
    "centre hospitalier universitaire", "centre hospitalier regional universitaire", "centre hospitalier regional",
    "centre hospitalier intercommunal", "centre hospitalier specialise", "centre hospitalier general",
    "centre hospitalier", "groupe hospitalier", "hospices civils", "hopital general", "hopital local", "hopital",
    "hopitaux", "hospice", "chu", "chru", "chr", "chic", "chi", "chs", "ch", "ghu", "ght", "gh", "mairie",
    "commissariat", "gendarmerie", "tribunal judiciaire", "tribunal", "prefecture", "ccas", "cpam", "caf", "msa",
    "mdph", "ars", "ase", "samu", "smur", "sdis", "pmi", "clic", "maison d'arret", "centre de detention",
    "centre penitentiaire", "efs", "admr", "maia", "dac", "plateforme territoriale d'appui", "universite",
    "faculte de medecine", "abattoir", "cooperative",
)  # fmt: skip
_OF_NAME = (
    "clinique", "polyclinique", "institut", "centre de lutte contre le cancer", "ehpad", "usld", "ssr", "smr", "had",
    "maison de retraite", "maison de sante", "maison medicale", "maison de repos", "residence autonomie", "residence",
    "foyer de vie", "foyer logement", "foyer rural", "foyer", "fam", "mas", "esat", "ime", "itep", "sessad", "csapa",
    "cmp", "cmpp", "cattp", "laboratoire", "labo", "pharmacie", "cabinet medical", "cabinet infirmier", "cabinet",
    "centre d'imagerie", "centre de dialyse", "centre de reeducation", "centre medical", "centre de sante",
    "centre de pathologie", "centre tep", "centre", "imagerie", "radiologie", "ambulances", "ambulance", "taxis",
    "taxi", "transports", "ecole maternelle", "ecole primaire", "ecole elementaire", "ecole", "college",
    "lycee agricole", "lycee professionnel", "lycee", "creche", "iut", "association", "amicale", "club", "fondation",
    "mutuelle", "societe", "entreprise", "sarl", "selarl", "scm", "scp", "sas", "ets", "etablissements", "restaurant",
    "hotel", "boulangerie", "garage", "ferme", "domaine", "camping", "cada", "prahda", "chrs", "communaute",
    "paroisse", "couvent", "abbaye", "service", "unite", "equipe mobile", "reseau", "agence", "comite", "syndicat",
    "banque", "assurance", "usine", "boutique", "bar", "cafe", "salon", "magasin", "atelier", "menuiserie",
    "fonderies", "chantier", "armement", "port", "parc national", "office", "bureau", "caserne", "regiment", "base",
    "collectif", "theatre", "cinema", "musee",
)  # fmt: skip
_KINDS = re.compile(
    r"(?:l[ae']s? ?)?(?P<kind>"
    + "|".join(re.escape(kind).replace(r"\ ", "[ -]") for kind in sorted(_OF_TOWN + _OF_NAME, key=len, reverse=True))
    + r")(?![a-z0-9])"
)
_NAMES = (
    "Beaurivage", "Les Tilleuls", "Valmont", "Les Cèdres", "Bellecombe", "Montfleury", "Les Alizés", "Clairval",
    "Les Acacias", "Hauterive", "Les Glycines", "Beauséjour", "Les Érables", "Rochebelle", "Les Lilas", "Val Fleuri",
    "La Roseraie", "Bel Horizon", "Les Peupliers", "Fontenelle", "L'Arc-en-Ciel", "Les Magnolias", "Belleroche",
    "Les Mimosas", "Clairefontaine", "Les Charmilles", "Mirabelle", "Les Genêts", "Champvert", "Les Embruns",
    "La Colombe", "Les Églantines", "Soleil Levant", "Les Marronniers", "Belle Étoile", "Les Oliviers", "La Passerelle",
    "Grandval", "Les Pervenches", "L'Orée du Bois", "Les Hortensias", "Montclair", "La Source", "Les Vergers",
)  # fmt: skip
_TRIES = 60
_ARTICLE = frozenset({"les"})  # begins names of the list, and hides nothing
_SMALL = frozenset({"les", "la", "le", "l", "de", "du", "des", "d"})


class Organisations:
    """Generator of ORG for one document."""

    def __init__(self, context: DocumentContext, gazette: Gazette) -> None:
        self._context = context
        self._gazette = gazette
        self._tags = context.policy.places.strategy == "tag"

    def write(self, mention: Mention, attempt: int) -> Draft:
        """An organisation of the same kind; the label where every invented name would bring something back."""
        context, gazette = self._context, self._gazette
        original = context.document.text[mention.start : mention.end]
        kind, of_town = _kind(original)
        place = gazette.places.get(mention.start)
        name: str | None
        if kind and place is not None and not self._tags:
            name = of_place(gazette.surrogate(place, attempt).name)
        elif of_town:
            commune = gazette.anywhere("organisation", " ".join(words(original)), str(attempt))
            name = of_place(commune.name)
        else:
            name = self._name(original, kind, attempt)
        if name is None:
            return tag(Label.ORG, original)
        text = f"{kind} {case_of(original[len(kind) :] or original)(name)}".strip()
        return Draft(accented_like(original, text, context.accented), STRATEGY)

    def _name(self, original: str, kind: str, attempt: int) -> str | None:
        """An invented name that shares no word with the original; None if there is none."""
        hidden = _telling(original, kind)
        stream = self._context.stream("organisation", comparable(original), str(attempt))
        for _ in range(_TRIES):
            name = stream.choice(_NAMES)
            if hidden.isdisjoint(words(name)) and not self._context.brings_back(name, _ARTICLE):
                return name
        return None


def _telling(original: str, kind: str) -> frozenset[str]:
    """The folded words of an organisation's name that no name in its stead may have."""
    return frozenset(words(original)).difference(words(kind), _SMALL)


def _kind(original: str) -> tuple[str, bool]:
    """Return the words of an organisation's kind, as written, and whether that kind belongs to a town."""
    head = _KINDS.match(fold_line(original))
    return (original[: head.end()], head["kind"].replace("-", " ") in _OF_TOWN) if head else ("", False)
