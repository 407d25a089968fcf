"""ORG: kind kept; in the surrogate's town if a town is named, else another name of the kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.articles import TOWN, Ahead, Kind, Noun, fitted, of_place, own_article
from deid.french.folding import accented_like, case_of, comparable, fold_line, words
from deid.french.gentiles import initials_of
from deid.french.organisation_heads import (
    HEAD,
    HEAD_AHEAD,
    SORT,
    TRADES,
    OpeningHead,
    OrgKind,
    head_of,
    kind_of_head,
    scanned,
)
from deid.french.organisations import BodyKind, read_national
from deid.reference import Commune
from deid.reference.partition import UNIVERSITY, hospital_towns, is_overseas_code
from deid.reference.tables import packaged_tables
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, tag
from deid.substitution.generators.national_bodies import PLACED, NationalBodies
from deid.substitution.generators.organisation_kinds import (
    HOSPITAL_ACRONYM,
    is_known_hospital,
    kind_in_words,
    known_kind,
)
from deid.substitution.generators.organisation_names import COMPLEMENTS, OF_HEADS, WHOLE
from deid.substitution.places.areas import article_of
from deid.substitution.places.finding import Place, opening_head
from deid.substitution.places.gazette import Gazette

STRATEGY = "kind_kept"
# Heads of hospitals that stand in the seats of university and regional hospitals.
_UNIVERSITY = re.compile(r"(?:chr?u|chr\b|ghu|hospices civils|centre hospitalier (?:regional|univ))")
_OF_DEPARTMENT = re.compile("conseil (?:departemental|general)|(?:maison )?departement(?:ale)?")
_TOWN_ONLY = frozenset({OrgKind.ADMINISTRATION})
# A university called by its town, which comes first.
_OF_TOWN_AHEAD = re.compile(r"(?P<town>.*[^\W\d_]) (?P<word>universit[eéy])", re.IGNORECASE)
# What stands in cities alone, as a university hospital does.
_OF_CITIES = re.compile("universite|faculte|t[jg]i?$|tribunal|cour ")
_CARE = re.compile(r"(?:ch|centre hosp|hopital (?:general|local)|group|gh|samu|smur|epsm)")
_OF_ACRONYM = re.compile(
    r"(CH[A-Z]{1,4}) (?=[A-ZÀ-Ý][^\W\d_]*[a-zà-ÿ]|de |d['’]|du )"
)  # "CHXYZ Montbard-Semur" is a "CH" in another town
_REACH, _SORT_REACH = 28, 60
_BESIDE_CARER = 4  # characters between a carer and the hospital that is the carer's: "Dr Fillol, Saint-Luc"
_LONGEST_ACRONYM = 6
# Letters of a line that say its case, and characters read on either side of a name that has a line to itself.
_LEAST_AROUND, _AROUND = 4, 60
# Kinds that have a name beside their town's; its words, and those that tell sorts of one kind and name none.
_NAMED = frozenset(OrgKind) - {OrgKind.ADMINISTRATION, OrgKind.MILITARY, OrgKind.BANK}
_NAME = re.compile(r"(?<![^\W\d_])[^\W\d_a-zà-ÿ][^\W\d_]{2,}")
_LOWER_NAME = re.compile(r"[^\W\d_]{3,}")
_SORTS = frozenset(
    "hospitalier universitaire intercommunal general regional departemental municipal prive privee public publique "
    "medical medicale chirurgicale chirurgical interregional ehpad sud nord est ouest les des aux centre specialise "
    "psychiatrique univ regional general".split()
)
_ELISION = ("'", "’")
_JOINT = re.compile(r"[\s,;:(/–—-]*(?:\b(?:de|d['’]|du|des|à))?\s*\Z", re.IGNORECASE)
_AHEAD_OF_NAME = re.compile(r"\s*(?P<of>de la |de l['’]|du |des |de |d['’]|la |le |les |l['’])?", re.IGNORECASE)
_ARTICLES = {"de la": "la", "de l'": "l'", "du": "le", "des": "les", "la": "la", "le": "le", "les": "les", "l'": "l'"}
# Kinds whose names may say a company's trade.
_TRADING = frozenset({OrgKind.EMPLOYER, OrgKind.TRANSPORT, OrgKind.CLINIC, OrgKind.LABORATORY, OrgKind.OTHER})
_INITIALS = re.compile("[A-Z]{3,7}")
_COMPANIES = frozenset("societe entreprise sarl sas sasu sa ets etablissements usine eurl scop groupe".split())
_TRIES = 60
_SEATS = 4  # attempts that look for a seat of a university hospital overseas
_OTHERS = 8  # seats drawn for a university, to be of no other's town
# Words of whole names that say a kind more closely, and name none of it.
_GENERIC = frozenset({"mutuelle", "mutuel", "credit", "banque", "regiment", "bataillon", "assurances", "habitat"})
_CENTRES = frozenset({"centre", "institut"})  # words of names of cancer centres, which stay words of any
_SMALL = frozenset({"les", "la", "le", "l", "de", "du", "des", "d", "saint", "sainte"})


class Organisations:
    """Generator of ORG for one document."""

    def __init__(self, context: DocumentContext, gazette: Gazette) -> None:
        self._context = context
        self._gazette = gazette
        self._bodies = NationalBodies(context, gazette)
        self._tags = context.policy.places.strategy == "tag"
        self._given: dict[str, str] = {}  # comparable name drawn → organisation that has it

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return an organisation of the same kind; the label if every name would bring something back."""
        original = self._context.text(mention)
        body = self._bodies.kind_to_replace(mention)
        if body is not None and body is not BodyKind.EMPLOYER:  # "laboratoire Pfizer" becomes another laboratory
            return self._bare(mention, original, attempt, OrgKind(body))
        if body is None and (national := self._bodies.write(mention, attempt)) is not None:
            return national
        centre = known_kind(original) is OrgKind.CANCER_CENTRE
        head = None if centre else opening_head(original) or self._head_across(mention, original)
        if head is None and not self._tags and (named := _OF_TOWN_AHEAD.fullmatch(original)):
            return self._university(original, named["town"], named["word"], attempt)
        acronym = None if head else _OF_ACRONYM.match(original)
        if acronym is not None and not self._gazette.named_town(mention) and _is_name(original[acronym.end() :]):
            acronym = None  # "CHAU Robert"
        if acronym is not None:
            head = OpeningHead("ch", OrgKind.HOSPITAL, acronym.end(1))
        if head is None and comparable(self._gazette.named_town(mention)) == comparable(original) and not self._tags:
            place = self._gazette.places[mention.start]  # "AS [Marmande]"
            drawn = case_of(original)(self._gazette.surrogate(place, attempt).name)
            cased = accented_like(original, drawn, self._context.accented)
            return Draft(cased, PLACED, may_return=self._gazette.may_return(place), noun=TOWN)
        if head is None:
            return self.named_short(mention, attempt) or self._bare(mention, original, attempt)
        if fold_line(original[: head.end]) in _COMPANIES:
            head = _trade_behind(original, head)
        kind, end = head.kind, _end_of_sort(original, head.end)
        if self._is_described(mention, original, head, end):
            return Draft(original, PLACED, may_return=True)
        written = original[:end] if acronym is None else f"CH{original[head.end : end]}"
        if (numbered := self._bodies.numbered(mention, original[end:].strip(), attempt)) is not None:
            return Draft(f"{written} {numbered[0]}", PLACED, may_return=numbered[1])
        if kind in _TOWN_ONLY and (placed := self._bodies.of_area(mention, original[end:], attempt)) is not None:
            text = accented_like(original, f"{written} {placed[0]}", self._context.accented)
            return Draft(text, PLACED, may_return=placed[1])
        if _OF_DEPARTMENT.match(head.words) and not self._tags:
            department = self._cased(mention, end)(self._of_department(original, attempt))
            return Draft(accented_like(original, f"{written} {department}", self._context.accented), STRATEGY)
        own = self._has_name(mention, kind, end)
        town, may_return = self._town(mention, original, kind, head.words, attempt, own=own)
        complemented = town is None or own
        tail = self._complement(original, kind, written, attempt) if complemented else ""
        if tail is None:
            return tag(Label.ORG, original)
        if town:
            bare = kind is OrgKind.SPORT and comparable(original[end:]) == comparable(self._gazette.named_town(mention))
            tail = town if bare else f"{tail} {of_place(town)}".lstrip()  # "AS Marmande"
        text = accented_like(original, f"{written} {self._cased(mention, end)(tail)}".strip(), self._context.accented)
        return Draft(text, PLACED if may_return else STRATEGY, may_return=may_return)

    def _university(self, original: str, town: str, word: str, attempt: int) -> Draft:
        """Return a university called by its town as one of the seat drawn for that, or near the area."""
        place = self._gazette.told(town)
        seated = place if place and place.commune and _has_hospital(place.commune, True) else None
        seat = self._gazette.surrogate(seated).name if seated else self._seat_apart(original, town, attempt)
        may_return = seated is not None and self._gazette.may_return(seated)
        text = accented_like(original, case_of(original)(f"{seat} {word}"), self._context.accented)
        return Draft(text, PLACED if may_return else STRATEGY, may_return=may_return)

    @cached_property
    def _drawn_towns(self) -> frozenset[str]:
        return frozenset(self._gazette.surrogate(place).name for place in self._gazette.places.values())

    def _seat_apart(self, original: str, town: str, attempt: int) -> str:
        """Draw a seat for a university that neither a place of the document nor another university has, if one is."""
        for turn in range(attempt, attempt + _OTHERS):
            seat = self._seat(original, True, turn)
            owner = self._given.setdefault(f"seat {comparable(seat)}", comparable(town))
            if seat not in self._drawn_towns and owner == comparable(town):
                break
        return seat

    def _head_across(self, mention: Mention, original: str) -> OpeningHead | None:
        """Return the end of a head that begins ahead of a mention: "club de [judo de Beaune]"; None for none.

        So do words for its sort: "laboratoire d'anatomie et [cytologie pathologiques Cyto-Rhin]".
        """
        ahead = scanned(self._context.plain_before(mention, _SORT_REACH))
        whole = ahead + scanned(original)
        for found in HEAD.finditer(whole):
            opens = not ahead[: found.start()][-1:].isalnum()
            sort = SORT.match(whole, found.end())
            end = sort.end() if sort else found.end()
            if opens and found.start() < len(ahead) < end:
                return OpeningHead(head_of(found), kind_of_head(found), end - len(ahead))
        return None

    def _is_described(self, mention: Mention, original: str, head: OpeningHead, end: int) -> bool:
        """Return whether words of the language alone say what a body is: "Unité nourrissons", "MAISON" of "la femme".

        A hospital for all is its town's.
        """
        if original[end:].strip(" ."):
            return False
        if end == head.end:  # the words are behind the mention
            behind = scanned(self._context.after(mention, _REACH))
            return head.kind is not OrgKind.HOSPITAL and SORT.match(behind) is not None
        return _CARE.match(head.words) is None

    @cached_property
    def _cores(self) -> Mapping[str, Mention]:
        """Return comparable own name → the first organisation that has it: "bichat" → "hôpital Bichat"."""
        found: dict[str, Mention] = {}
        for mention in self._context.labelled(Label.ORG):
            if (core := self._core(mention)) and comparable(core) != comparable(self._gazette.named_town(mention)):
                found.setdefault(comparable(core), mention)
        return found

    def _core(self, mention: Mention) -> str:
        """Return the own name of an organisation without its kind and town; "" for one without."""
        original = self._context.text(mention)
        head = opening_head(original)
        end = _end_of_sort(original, head.end) if head else 0
        if head is None or not self._has_name(mention, head.kind, end):
            return ""
        town = self._gazette.named_town(mention)
        rest = _JOINT.sub("", original[end : original.rfind(town) if town else None])
        return _ahead_of_name(rest)[1]

    def named_short(self, mention: Mention, attempt: int) -> Draft | None:
        """Return the surrogate of an organisation named without its kind or by its initials; None for another mention.

        "Bichat" beside "hôpital Bichat" gets the name drawn for that, whatever it was taken for.
        """
        original = self._context.text(mention)
        whole = self._cores.get(comparable(original[len(own_article(original)) :]))
        if whole is not None and HEAD_AHEAD.search(scanned(self._context.plain_before(mention, _REACH))) is None:
            article, name = _ahead_of_name(self._tail(whole, attempt) or "")
            name, article = _with_article(original, case_of(original)(name), article) if name else ("", "")
            cased = accented_like(original, name, self._context.accented)
            return Draft(cased, STRATEGY, noun=Noun(Kind.NAME, article)) if name else None
        if whole is None and mention.label is not Label.ORG and is_known_hospital(original):
            return self._bare(mention, original, attempt, OrgKind.HOSPITAL)
        return self._acronym(original) if _INITIALS.fullmatch(original) and not attempt else None

    def _tail(self, mention: Mention, attempt: int) -> str | None:
        """Return the own name drawn for an organisation, as written behind the word of its kind; None for none."""
        original = self._context.text(mention)
        if known_kind(original) is OrgKind.CANCER_CENTRE:
            whole = self.write(mention, attempt).text
            drawn = opening_head(whole)
            return whole[drawn.end if drawn else 0 :].strip()
        head = opening_head(original)
        if head is None:
            return None
        return self._complement(original, head.kind, original[: head.end], attempt)

    def _acronym(self, original: str) -> Draft | None:
        """Return the initials of the surrogate of the organisation that has these initials, else None."""
        for one in self._context.labelled(Label.ORG):
            name = self._context.text(one)
            if _INITIALS.fullmatch(name) is None and initials_of(name) == original:
                drawn = self.write(one, 0)
                if drawn.may_return or drawn.strategy == STRATEGY:
                    return Draft(initials_of(drawn.text), drawn.strategy, may_return=drawn.may_return)
        return None

    def _told_before(self, mention: Mention, university: bool) -> Place | None:
        """Return the place of the hospital that one without a town repeats: the nearest ahead, else the next."""
        places, near = self._gazette.places, None
        for one in self._context.labelled(Label.ORG):
            text = fold_line(self._context.text(one)).replace(".", "")
            alike = _CARE.match(text) is not None and (_UNIVERSITY.match(text) is not None) is university
            if one.start in places and alike and (near is None or one.start < mention.start):
                near = places[one.start]
        return near

    def _has_name(self, mention: Mention, kind: OrgKind, end: int) -> bool:
        """Return whether an organisation has its own name: "école Jules-Ferry de Billom", "CH Alphonse-Guérard"."""
        original, town = self._context.text(mention), self._gazette.named_town(mention)
        if kind not in _NAMED:
            return False
        rest = original[end : original.rfind(town)] if town else original[end:]
        told = _LOWER_NAME.findall(rest) if original.islower() else _NAME.findall(rest)
        return any(fold_line(word) not in _SORTS for word in told)

    def _cased(self, mention: Mention, end: int) -> Callable[[str], str]:
        """Return the case of the text after the kind, as a function; capitals of "CHU" alone do not decide it."""
        original = self._context.text(mention)
        rest = original[end:].strip()
        if rest or not _is_acronym(original):
            return case_of(rest or original)
        return str.upper if self._among_capitals(mention) else str

    def _among_capitals(self, mention: Mention) -> bool:
        around = self._context.line_around(mention)
        if sum(map(str.isalpha, around)) < _LEAST_AROUND:
            around = self._context.before(mention, _AROUND) + self._context.after(mention, _AROUND)
        return around.isupper()

    def _town(
        self, mention: Mention, original: str, kind: OrgKind, head: str, attempt: int, *, own: bool
    ) -> tuple[str | None, bool]:
        """Return the town to write in the name, or None, and whether it may be the original's.

        It is the surrogate of the town in the original, else of the address beside it, else a town with such a
        hospital. A hospital with a name of its own but no town gets none.
        """
        place = None if self._tags else self._gazette.places.get(mention.start)
        commune = place.commune if place else None
        cares = kind is OrgKind.HOSPITAL and _CARE.match(head) is not None
        city = _OF_CITIES.match(head) is not None
        university = city or (cares and bool(_UNIVERSITY.match(fold_line(original)) or _UNIVERSITY.match(head)))
        if place is None and cares and not own and not self._tags:
            place = self._told_before(mention, university)
            commune = place.commune if place else None
        if place is not None and (commune is None or not (cares or city) or _has_hospital(commune, university)):
            return self._gazette.surrogate(place, attempt).name, self._gazette.may_return(place)
        if not cares and kind not in _TOWN_ONLY:
            return None, False
        if place is None and own:
            return None, False
        if not head.startswith("universite") and (address := self._address(mention)) is not None:
            named = place is not None and place.key == address.key
            return self._gazette.surrogate(address).name, named and self._gazette.may_return(address)
        if place is None and self._gazette.town_follows(mention):
            return None, False
        return self._seat(original, university, attempt, commune), False

    def _of_department(self, original: str, attempt: int) -> str:
        """Return a department behind "de" ("du Doubs", "de l'Ain"): of a town with a hospital, as for `_seat`."""
        town = self._gazette.hospital_town(False, self._gazette.home, " ".join(words(original)), str(attempt))
        name = self._gazette.communes.department_name(town.department) or town.department
        return fitted(Ahead("de la ", "de", "la"), Noun(Kind.DEPARTMENT, article_of(name)), name)

    def _address(self, mention: Mention) -> Place | None:
        return None if self._tags else self._gazette.address_of(mention)

    def _seat(self, original: str, university: bool, attempt: int, named: Commune | None = None) -> str:
        """Draw a town with a hospital of the kind, whatever town is named: some strata have none to draw."""
        about = (" ".join(words(_as_meant(original))), str(attempt))
        beside = named or self._gazette.home
        # Martinique has one seat: where that is the original, another town with a hospital takes its place.
        seats = university and (attempt < _SEATS or not is_overseas_code(beside.department))
        return self._gazette.hospital_town(seats, beside, *about, afar=attempt > 0).name

    def _complement(self, original: str, kind: OrgKind, written: str, attempt: int) -> str | None:
        """Draw what follows the word of a kind; a company's is a company, without the article of "la Poste"."""
        head = fold_line(written).strip()
        names: Iterable[str] = OF_HEADS.get(head) or COMPLEMENTS.get(kind, COMPLEMENTS[OrgKind.OTHER])
        if head in _COMPANIES:
            names = (name[len(own_article(name)) :] for name in WHOLE[OrgKind.EMPLOYER])
        return self._name(names, original, written, attempt)

    def _bare(self, mention: Mention, original: str, attempt: int, kind: OrgKind | None = None) -> Draft:
        """Return a whole name and its article, of `kind`, else of that by the original or by the words ahead."""
        ahead = self._context.plain_before(mention, _REACH)
        if (written_ahead := HEAD_AHEAD.search(scanned(ahead))) and not self._gazette.named_town(mention):
            # "laboratoire [Bio-Ancelin]" is what "[laboratoire Bio-Ancelin]" is; "société [Kerbrat Ambulances]" keeps
            # its trade.
            written, headed = head_of(written_ahead), kind_of_head(written_ahead)
            trading = written in _COMPANIES and not TRADES.isdisjoint(words(original))
            if (
                headed in _NAMED
                and not trading
                and (named := self._complement(f"{written} {original}", headed, written, attempt))
            ):
                return Draft(accented_like(original, case_of(original)(named), self._context.accented), STRATEGY)
        kind = kind or self._kind_of(mention, original)
        drawn = self._whole(kind, mention, original, attempt)
        if drawn is None:
            return tag(Label.ORG, original)
        article, name = drawn
        head, _, rest = name.partition(" ")
        if rest and self._context.plain_before(mention, _REACH).endswith(f"{fold_line(head)} "):
            article, name = "", rest  # "la pharmacie [Kermaria]" says the kind already
        cased = str.upper if self._among_capitals(mention) else str
        text = (cased if _is_acronym(original, _LONGEST_ACRONYM) else case_of(original))(name)
        text, article = _with_article(original, text, article)
        model = original if text.isupper() else text  # "ICM" becomes a name with its accents
        return Draft(accented_like(model, text, self._context.accented), STRATEGY, noun=Noun(Kind.NAME, article))

    def _kind_of(self, mention: Mention, original: str) -> OrgKind:
        carers = self._context.labelled(Label.DOCTOR)
        by_carer = any(0 <= mention.start - one.end <= _BESIDE_CARER for one in carers)
        after = fold_line(self._context.after(mention, _REACH))
        return kind_in_words(original, self._context.lined_before(mention, _REACH), after, by_carer=by_carer)

    def _whole(self, kind: OrgKind, mention: Mention, original: str, attempt: int) -> tuple[str, str] | None:
        """Return the article and name of an organisation of a kind; None if no name fits.

        A name that says what a company does keeps these words: "Ortho-Var Appareillage" → "Novalis Appareillage".
        """
        if kind is OrgKind.HOSPITAL and (acronym := HOSPITAL_ACRONYM.fullmatch(fold_line(original))):
            head, address = "CHU" if acronym["group"] else "CH", self._address(mention)
            if address is None and self._gazette.town_follows(mention):
                return "le", f"{head} {self._complement(original, kind, '', attempt) or ''}".strip()
            if address is not None and head == "CH":
                return "le", f"{head} {of_place(self._gazette.surrogate(address).name)}"
            return "le", f"{head} {of_place(self._seat(original, head == 'CHU', attempt))}"
        trades = [part if fold_line(part) in TRADES else "" for part in original.split()]
        if any(trades) and not all(trades) and (kind in _TRADING or (trades[-1] and kind is OrgKind.HOSPITAL)):
            trades[trades.index("")] = self._name(WHOLE[OrgKind.EMPLOYER], original, " ".join(trades), attempt) or ""
            return "", " ".join(filter(None, trades))
        local = kind is OrgKind.ASSOCIATION and known_kind(original) is None and read_national(original) is None
        free = _CENTRES if kind is OrgKind.CANCER_CENTRE else frozenset()
        name = self._name((COMPLEMENTS if local else WHOLE)[kind], original, "", attempt, free)
        if name is None:
            return None
        article = "" if name[:1].isupper() else own_article(name)
        return article.strip(), name[len(article) :]

    def _name(
        self, names: Iterable[str], original: str, written: str, attempt: int, free: frozenset[str] = frozenset()
    ) -> str | None:
        """Draw a name that shares no telling word with the original; None if there is none.

        No other organisation of the document has it while names are left. Words that are `free` tell nothing.
        """
        said = frozenset(words(original))
        choices = tuple(names)
        if sort := said & _GENERIC:  # a "mutuelle" stays one
            choices = tuple(name for name in choices if not sort.isdisjoint(words(name))) or choices
        allowed = _SMALL | _GENERIC | free
        hidden = said.difference(words(written), allowed)
        owner, shared = comparable(_as_meant(original)), None
        stream = self._context.stream("organisation", owner, str(attempt))
        for _ in range(_TRIES):
            name = stream.choice(choices)
            told = frozenset(words(name))
            if not hidden.isdisjoint(told) or told - _SMALL == said - _SMALL:
                continue
            if self._context.brings_back(name, allowed):
                continue
            if self._given.setdefault(comparable(name), owner) == owner:
                return name
            shared = shared or name
        return shared


def _with_article(original: str, name: str, article: str) -> tuple[str, str]:
    """Return a name with its article inside, and none ahead, where the original has its own: "La Poste"."""
    if not own_article(original) or not article:
        return name, article
    whole = f"{article}{'' if article.endswith(_ELISION) else ' '}{name}"
    opened = whole[:1].upper() + whole[1:] if original[:1].isupper() else whole
    elided = original[1:2] in _ELISION and _is_acronym(original[2:])  # "L'IGR" stands in any line
    return (whole.upper() if original.isupper() and name.isupper() and not elided else opened), ""


def _as_meant(name: str) -> str:
    """Return a name without a slip in its head: "Clnique Saint-Roch" is the "clinique Saint-Roch"."""
    head = opening_head(name)
    return f"{head.words}{name[head.end :]}" if head is not None and head.slipped else name


def _ahead_of_name(name: str) -> tuple[str, str]:
    """Split the name of an organisation into its article and the rest: "des Cèdres", "Les Cèdres" → "les", "Cèdres"."""
    found = _AHEAD_OF_NAME.match(name)
    of = fold_line((found and found["of"]) or "").strip()
    return _ARTICLES.get(of, ""), name[found.end() if found else 0 :]


def _trade_behind(original: str, head: OpeningHead) -> OpeningHead:
    """Return the word of a trade behind one for any company as the head: "SARL Ambulances Ferrand"."""
    gap = len(original[head.end :]) - len(original[head.end :].lstrip())
    found = HEAD.match(scanned(original), head.end + gap)
    if found is None or not gap or kind_of_head(found) not in _TRADING:
        return head
    return OpeningHead(head_of(found), kind_of_head(found), found.end())


def _end_of_sort(original: str, end: int) -> int:
    """Return the end of the words behind a kind's word that say which sort it is: "centre équestre", "école libre".

    "hôpital Femme-Mère-Enfant" has a name, which the country knows.
    """
    found = SORT.match(scanned(original), end)
    return end if found is None or is_known_hospital(original[end:].strip()) else found.end()


def _is_name(name: str) -> bool:
    return all(map(packaged_tables().names.is_name, words(name)))


def _is_acronym(name: str, longest: int = _LONGEST_ACRONYM - 1) -> bool:
    return name.isupper() and len(name) <= longest


def _has_hospital(commune: Commune, university: bool) -> bool:
    """Return whether a commune's stratum has only towns with such a hospital; overseas, a stratum has all towns."""
    kind = hospital_towns().get(commune.insee)
    return not is_overseas_code(commune.department) and kind is not None and (not university or kind == UNIVERSITY)
