"""ORG: bodies of the whole country, which stay; their town, department or region becomes the one drawn."""

from __future__ import annotations

import re

from deid.domain.document import Mention
from deid.french.articles import Ahead, Kind, Noun, fitted, of_place
from deid.french.folding import accented_like, case_of, fold_line, words
from deid.french.organisations import NATIONAL, BodyKind, read_national
from deid.french.social_words import find_occupations
from deid.reference import Commune
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft
from deid.substitution.places.areas import area, article_of, is_public
from deid.substitution.places.gazette import Gazette

# Words that say that the person told belongs to what follows: work, membership, a former post.
_BELONGING = re.compile(
    r"\b(?:employe|travaill|ouvrier|salarie|retraite|embauche|apprenti|stagiaire|recrute|agent|cadre|poste|carriere|"
    r"benevol|adheren|adhere|membre|militan|licencie|ancien|chez|compagnon|job|cdi|cdd)\w*"
)
# Right ahead of the fund that pays somebody: "la retraite de la", not "retraité de la".
_PAID = re.compile(
    r"\b(?:pensions?|réversion|reversion|retraites?|rente)(?: complémentaire)?(?: (?:vers|serv|pay)[éi]es? par)?"
    r" (?:de )?(?:la |l['’]|le )?\Z"
)
_FUNDS = frozenset("carsat cnav cnracl ircantec agirc arrco msa enim cipav cavimac rsi cgss cps".split())
_SENTENCE_END = re.compile(r"[.;:!?\n()]")
_REACH = 32
_TAIL = re.compile(
    r"(?P<gap>[\s,/(–—-]*(?P<of>(?:(?:de la|du|des|de)\s+|de l['’]|d['’]))?)(?P<rest>.*?)\W*", re.IGNORECASE | re.DOTALL
)
_OF_THE = re.compile("de l|du|des", re.IGNORECASE)  # of an area: a town has no article ahead of its name
# Kinds that a person may work for or belong to, and be known by it; carers write of the others at every page.
_OF_PEOPLE = frozenset({BodyKind.ADMINISTRATION, BodyKind.ASSOCIATION, BodyKind.EMPLOYER})


class NationalBodies:
    """Writer of the national bodies of one document."""

    def __init__(self, context: DocumentContext, gazette: Gazette) -> None:
        self._context = context
        self._gazette = gazette

    def kind_to_replace(self, mention: Mention) -> BodyKind | None:
        """Return the kind of a body where the words ahead say that somebody works there or belongs to it; else None.

        "Travaille à la MSA" tells of a person what "affiliée à la MSA" does not.
        """
        body = read_national(self._context.text(mention))
        if body is None or body.kind not in _OF_PEOPLE:
            return None
        clause = _SENTENCE_END.split(self._context.plain_before(mention, _REACH))[-1]
        paid = _PAID.search(self._context.before(mention, _REACH).lower())
        if paid and not _FUNDS.isdisjoint(words(self._context.text(mention))):
            return None
        works = _BELONGING.search(clause) or any(not one.staff for _, one in find_occupations(clause))
        return body.kind if works else None

    def write(self, mention: Mention, attempt: int) -> Draft | None:
        """Return a national body unchanged, the town or area behind its name replaced; None for others."""
        original = self._context.text(mention)
        body = read_national(original)
        if body is None:
            return None
        written, tail = original[: body.end], _TAIL.fullmatch(original[body.end :])
        if tail is None or not tail["rest"] or is_public(tail["rest"]):
            alone = tail is None or not tail["rest"]
            return Draft(original, NATIONAL if alone else PLACED, may_return=True)
        told, may_return = self._placed(mention, tail["rest"], bool(tail["of"]), attempt)
        if not told or body.one_seat:
            return Draft(written.rstrip(), NATIONAL)
        text = f"{written} {case_of(tail['rest'])(told)}"
        return Draft(accented_like(original, text, self._context.accented), PLACED, may_return=may_return)

    def _placed(self, mention: Mention, rest: str, of: bool, attempt: int) -> tuple[str, bool]:
        """Return what is written behind a body's name for a town or an area ("" for something else), and whether its
        draw may give the original back.
        """
        place = self._gazette.places.get(mention.start)
        if self._area(rest)[0] == "region":  # "MSA Bourgogne": a commune has that name too
            place = None
        if place is not None and self._context.policy.places.strategy != "tag":
            town = self._gazette.surrogate(place, attempt).name
            return of_place(town) if of else town, self._gazette.may_return(place)
        return self._in_area(rest, of, attempt)

    def _in_area(self, rest: str, of: bool, attempt: int) -> tuple[str, bool]:
        kind, code = self._area(rest)
        if not kind or self._context.policy.places.strategy == "tag":
            return "", False
        drawn = self._gazette.drawn_about_home("region" if kind == "region" else "department", code)
        town_drawn = drawn if drawn is not None and not attempt else self._anywhere(rest, attempt)
        return self._area_of(town_drawn, kind, of=of), drawn is not None and not attempt

    def numbered(self, mention: Mention, rest: str, attempt: int) -> tuple[str, bool] | None:
        """Return a department's number for that behind a kind ("AIST 83"), and whether it may return; else None."""
        told = self._area(rest)[0] == "number" and self._placed(mention, rest, False, attempt)
        return told if told and told[0] else None

    def of_area(self, mention: Mention, tail: str, attempt: int) -> tuple[str, bool] | None:
        """Return the department or region behind a kind ("préfecture de la Creuse"), and whether it may return."""
        found = _TAIL.fullmatch(tail)
        if found is None or self._area(found["rest"])[0] not in ("department", "region"):
            return None
        if mention.start in self._gazette.places and not _OF_THE.match(found["of"] or ""):
            return None  # "mairie de Paris", "TGI Paris"
        told, may_return = self._in_area(found["rest"], bool(found["of"]), attempt)
        return (case_of(found["rest"])(told), may_return) if told else None

    def _area(self, rest: str) -> tuple[str, str]:
        """Return the kind and code of a department by number or by name, or of a region; empty for other words."""
        code = rest.upper().replace(" ", "")
        if self._gazette.communes.department_name(code):
            return "number", code
        kind, code = area(rest) or ("", "")
        return (kind, code) if kind in ("department", "region") else ("", "")

    def _anywhere(self, rest: str, attempt: int) -> Commune:
        about = ("body", fold_line(rest), str(attempt))
        if attempt:  # an area may lie in the original's department
            return self._context.stream(*about).choice(self._gazette.communes.hospital_towns(None, False))
        return self._gazette.hospital_town(False, self._gazette.home, *about)

    def _area_of(self, town: Commune, kind: str, *, of: bool) -> str:
        table = self._gazette.communes
        if kind == "number":
            return town.department
        name = table.region_name(town.region) if kind == "region" else table.department_name(town.department)
        if not name:
            return ""
        noun = Noun(Kind.REGION if kind == "region" else Kind.DEPARTMENT, article_of(name))
        return fitted(Ahead("de la ", "de", "la"), noun, name) if of else name


# Strategy of a name that says the town drawn for its own, which may be that town.
PLACED = "kind_and_town"
