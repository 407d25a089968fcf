"""Family situation: marital status, with whom somebody lives, children and siblings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.annotators.indirect.people import name_follows
from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label

_NUMBER = r"(?:\d{1,2}|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|plusieurs|nombreux)"
_RANK = (
    r"(?:\d{1,2} ?(?:er|ere|e|eme|ieme|nd|nde|°)|premiere?|deuxieme|seconde?|troisieme|quatrieme|cinquieme|"
    r"sixieme|septieme|huitieme|neuvieme|dixieme|derniere?)"
)
_KIN = (
    r"(?:mari|epoux|epouse|femme|conjoint|conjointe|compagnon|compagne|concubin|concubine|ami|amie|copain|"
    r"copine|pere|mere|parents|fils|fille|filles|enfants|s(?:oe|œ)ur|frere|niece|neveu|tante|oncle|grand-mere|"
    r"grands-parents|petite?-fil[sl]e?|belle-fille|famille|maman)"
)
# Not before a name ("veuve Martin"), a side or a thing ("séparé de 3 cm").
_STATUS = re.compile(
    r"(?<![\w'-])(?:(?:re)?mariee?s?(?! [a-z]+(?:ant)\b)|divorcee?s?|celibataires?|pacsee?s?|veufs?|"
    r"veuves?|en concubinage|"
    r"vi(?:t|vant|vent|vait) (?:maritalement|en couple|en concubinage|en union libre)|en couple|union libre|"
    r"en (?:instance|cours|procedure) de (?:divorce|separation)|parents? (?:separes?|divorces?)|"
    r"separation des parents|garde alternee|vivent separes|"
    r"separee? (?:de (?:son|sa) (?:mari|femme|conjointe?|compagnon|compagne|epou(?:x|se)|ex)|depuis)|"
    r"mere celibataire|"
    r"famille monoparentale|feu son (?:mari|epoux)|feue sa (?:femme|epouse))(?![\w-])"
)
_HOME = re.compile(
    rf"(?<![\w'-])(?:vi(?:t|vant|vent|vait)(?: encore| toujours| desormais|"
    rf" actuellement)? (?:seule?s?(?! dans l)|(?:avec|chez) (?:son|sa|ses|leurs?|un|une|"
    rf"des) (?:\w+ )?{_KIN}(?: et (?:son|sa|ses) {_KIN})?)|"
    r"seule? (?:a|au) (?:la maison|domicile)|isolee? (?:a|au) domicile)(?![\w-])"
)
_ALONE = re.compile(r"(?:[.:] ?|(?:veuf|veuve|ans|celibataire|divorcee?), )(seule?)(?= ?[.;\n]|, |$)", re.MULTILINE)
_CHILDREN = re.compile(
    rf"(?<![\w'/,.:-])(?:(?:{_NUMBER}) (?:(?:petits?|jeunes|grands|beaux)[ -])?(?:enfants?|garcons?|"
    rf"filles?|fils|freres?|s(?:oe|œ)urs?|demi-freres?|demi-s(?:oe|œ)urs?|petits-enfants|arriere-petits-enfants)"
    rf"(?: et (?:{_NUMBER}) (?:garcons?|filles?|fils|freres?|s(?:oe|œ)urs?|petits-enfants))?"
    r"|(?:sans|pas d['e]|aucun|0) ?enfants?|nulli(?:geste)? enfant)(?![\w-])"
)
_RANKED = re.compile(
    rf"(?<![\w-])(?:(?:{_RANK}|ainee?|cadet(?:te)?|benjamine?)(?: enfants?)? (?:d'une |de la |"
    rf"d'1 )?fratrie(?: (?:de )?{_NUMBER}(?: (?:enfants?|freres?|filles?|garcons?|s(?:oe|œ)urs?))?)?|"
    rf"(?:d'une |une )?fratrie de {_NUMBER}(?: enfants?)?|{_RANK} enfant(?! ?[.:])|(?:enfant|fils|fille) uniques?|"
    rf"{_RANK} de (?:deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize))(?![\w-])"
)
# Groups of a study, deliveries, and relatives told for their disease.
_COUNTED = re.compile(
    r"(?:\b(?:cas (?:de|des|d')|chez|les|ces|des|sur|dans|entre|parmi|d'(?=une? )|pour|avec une?|etude|"
    r"nos|leurs|chaque|d'entre|ou|cet|cette|l'|d'|etait) ?)$"
)
_PARENT = re.compile(
    r"\b(?:pere|mere|maman|papa|parents?|grand-mere|grand-pere|famille|couple|avec|a|ont|avoir|ayant) (?:de |d')?$"
)
_ILL = re.compile(
    r"[^.;\n]{0,24}\b(?:atteinte?s?|malades?|avec|porteu|suivie?s?|diabet|hypert|cancer|decede|mort|"
    r"sains?|ayant|presentant|souffrant|asthm|traitee?s?|hospitalis|vaccin|infecte|vus?\b|inclus|ages? de|"
    r"agees? de|[(]\d|sur \d|pour)"
)
_ONE = re.compile(r"une? (?:(?:petite?|jeune|grande?) )?(?:enfant|garcon|fille|fils|frere|s(?:oe|œ)ur)\b")
_OF_AN_AGE = re.compile(r"une? (?:enfant|garcon|fille) (?:de|agee?) ")
_THREADS = re.compile(r"\w+ fils (?:tracteur|de suture|d'|non |resorb|metalli|a |en )")
_SINGULAR = re.compile(
    r"(?!(?:0?1|une?|sans|aucun|0|pas) ?)[^ ]+ [^ ]*(?:enfant|garcon|fille|frere|s(?:oe|œ)ur)"
)  # "5 s(?:oe|œ)ur"


def find_family(reading: Reading) -> Iterator[Mention]:
    """Yield statements on somebody's couple, home, children and siblings, but no relative's mere name."""
    end = 0
    for mention in sorted(_found(reading), key=lambda one: (one.start, -one.end)):
        if mention.start >= end:
            yield mention
            end = mention.end


def _found(reading: Reading) -> Iterator[Mention]:
    text = reading.folded
    for status in _STATUS.finditer(text):
        if status.group() in ("divorce", "divorces") and reading.text[: status.end()].rstrip("s")[-1] not in "éÉE":
            continue
        named = status.group()[:3] in ("veu", "div", "mar") or reading.text[status.start()].isupper()
        if named and name_follows(reading, status.end()):
            continue
        yield Mention(status.start(), status.end(), Label.FAMILY, 0.9)
    for home in _HOME.finditer(text):
        yield Mention(home.start(), home.end(), Label.FAMILY, 0.92)
    for alone in _ALONE.finditer(text):
        yield Mention(alone.start(1), alone.end(1), Label.FAMILY, 0.6)
    for children in _CHILDREN.finditer(text):
        if _tells_family(text, children):
            yield Mention(children.start(), children.end(), Label.FAMILY, 0.85)
    for rank in _RANKED.finditer(text):
        yield Mention(rank.start(), rank.end(), Label.FAMILY, 0.85)


def _tells_family(text: str, match: re.Match[str]) -> bool:
    """Return whether a number of children or siblings is a person's own, not a study's or one of ill relatives."""
    before = text[max(0, match.start() - 24) : match.start()]
    if (
        _SINGULAR.fullmatch(match.group())
        or _OF_AN_AGE.match(text, match.start())
        or _THREADS.match(text, match.start())
    ):
        return False
    if _ONE.match(match.group()) and not re.search(r"\b(?:a|ont|avoir|ayant|pere d'|mere d'|eu|,) ?$", before):
        return False
    if _COUNTED.search(before) and not _PARENT.search(before):
        return False
    return not _ILL.match(text, match.end(), match.end() + 40)
