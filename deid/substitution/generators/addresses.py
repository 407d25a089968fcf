"""EMAIL and URL: names follow their surrogates; domains are reserved or ordinary, by the policy's `hiding`.

Nobody can register a reserved domain: RFC 2606.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from deid.domain import read_lists
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.folding import comparable, fold_line, in_case_of
from deid.french.organisations import NATIONAL, is_public_page
from deid.privacy.stream import KeyedStream
from deid.substitution.context import DocumentContext
from deid.substitution.drafts import Draft, redraw, redraw_digits
from deid.substitution.names.forms import with_elisions
from deid.substitution.names.parsing import LEADING_PARTICLES, bare
from deid.substitution.names.people import People
from deid.substitution.names.reading import Pool

MARKED, NATURAL = "reserved_domain", "ordinary_domain"
_LINES: dict[str, str] = read_lists(__file__)
# Words that tell the kind of a domain, and what a reserved one of this kind is drawn from
_DOMAINS = [[part.split() for part in line.split(">")] for line in _LINES.pop("domains").splitlines()]
_LISTS = (tuple(words.split()) for words in _LINES.values())
_SERVICES, _KINDS, _PEOPLE, _CARERS, _DESKS, _SHORTENED, _PATHS, _PROVIDERS, _OTHERS = _LISTS
_EVERY_PROVIDER = frozenset((*_PROVIDERS, *_OTHERS))
_LOGIN_DIGITS = 2  # fewest of a login at one of these
_STAYING = frozenset((*_KINDS, *_SERVICES))
_ANNOUNCING = ("person", "carer")
_JOINED = frozenset({"", "-", "_"})  # what stands between the words of one part of a path
_ORGANISED = ("cabinet", "centre", "groupe", "maison", "reseau", "association", "institut", "residence")
_ENDINGS = frozenset("fr com org net eu info sante care re mq gp yt nc pf bzh be ch lu".split())
_SHARED = frozenset("asso gouv mssante sante medecin pro".split())  # second levels that many bodies share
_INITIALS = 2  # letters
_RUN_TOGETHER = 5  # letters of a word that tells a kind within another: "laboratoiredupont"
_WORD = 4  # letters of a word of a path
_MISTYPED = 6  # letters of a name that is known again with a slip
# Specialties, which are a service in any address: "hematologie", "radiotherapie"
_SPECIALTY = re.compile(r"\w{2,}(?:log|iatr|therap|graph|scop|chirurg)(?:ie|ique)s?")
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_BETWEEN_TOKENS = re.compile(rf"({_TOKEN.pattern})")
_AT = re.compile(r"\s*(?:@|＠|[\[(]\s*(?:at|@|a)\s*[\])])\s*", re.IGNORECASE)
# A dictated address, and the signs that its words stand for: "jean point roux arobase orange point fr"
_DICTATED, _SPOKEN = (
    re.compile(r"\w arobase? \w", re.IGNORECASE),
    {"arobase": "@", "arobas": "@", "point": ".", "tiret": "-"},
)
_SIGN_SAID = re.compile(r"\s+(arobase?|point|tiret)\s+", re.IGNORECASE)
_SCHEME = re.compile(r"^(?:[a-z]+://|\\\\|//)?(?:www\.)?", re.IGNORECASE)
_HOST = re.compile(r"[^/\\?#:\s]+")


class Addresses:
    """Generator of EMAIL and URL for one document."""

    def __init__(self, context: DocumentContext, people: People) -> None:
        self._context = context
        self._people = people
        self._natural = context.policy.hiding == "natural"

    def write(self, mention: Mention, attempt: int) -> Draft:
        """Return an address that leads nowhere, or to a stranger; the page of a national body without a name stays."""
        page = self._context.text(mention) if mention.label is Label.URL else ""
        if is_public_page(page) and not self._known(_TOKEN.findall(fold_line(page))):
            return Draft(page, NATIONAL, may_return=True)
        return Draft(self._written(mention, attempt), NATURAL if self._natural else MARKED)

    def _written(self, mention: Mention, attempt: int) -> str:
        original = self._context.text(mention)
        if mention.label is Label.EMAIL and _DICTATED.search(original):
            signs = _SIGN_SAID.sub(lambda said: _SPOKEN[said[1].lower()], original)
            return _said(self._address(mention, signs, attempt))
        return self._address(mention, original, attempt)

    def _address(self, mention: Mention, original: str, attempt: int) -> str:
        if mention.label is Label.EMAIL and (sign := _AT.search(original)):
            local, domain = original[: sign.start()], original[sign.end() :]
            login = self._local(local, attempt)
            if self._natural and fold_line(domain).strip() in _EVERY_PROVIDER:
                login = self._numbered(login, attempt)
            return in_case_of(original, login + sign.group() + self._domain(domain, attempt))
        scheme = _SCHEME.match(original)
        head = scheme.group() if scheme else ""
        host = _HOST.match(original, len(head)) if mention.label is not Label.EMAIL else None
        stream = self._context.stream("address", comparable(original), str(attempt))
        if host is None:
            return redraw(original, stream)
        tail = self._path(original[host.end() :], stream, attempt)
        return head + in_case_of(host.group(), self._domain(host.group(), attempt)) + tail

    def _path(self, path: str, stream: KeyedStream, attempt: int) -> str:
        """Return another path: its names have their surrogates, services stay, and all else is redrawn."""
        tokens = list(_TOKEN.finditer(path))
        known = self._known([fold_line(one.group()) for one in tokens])
        names = {} if attempt else known
        drawn = redraw(path, stream)
        written, at = "", 0
        ahead = ""
        for token, kept in zip(tokens, self._kept_in_path(path, tokens, known), strict=True):
            word = fold_line(token.group())
            other = token.group() if kept else names.get(word) or self._other_word(path, token, ahead, attempt)
            if other:
                written += drawn[at : token.start()] + in_case_of(token.group(), other)
                at = token.end()
            ahead = _behind(word, ahead)
        return written + drawn[at:]

    def _other_word(self, path: str, token: re.Match[str], ahead: str, attempt: int) -> str | None:
        """Return another word for an unknown one of a path: a surname for a name beside others; None for a code."""
        word = fold_line(token.group())
        beside = path[token.start() - 1 : token.start()] + path[token.end() : token.end() + 1]
        if len(word) < _WORD or not word.isalpha() or any(map(str.isdigit, beside)):
            return None
        if ahead in _ANNOUNCING or (set(beside) & _JOINED and self._people.roster.tables.is_name(word)):
            return self._drawn(word, attempt)
        stream = self._context.stream("address word", word, str(attempt))
        return stream.choice([one for one in _PATHS if len(one) > _WORD and one not in path.lower()])

    def _kept_in_path(self, path: str, tokens: Sequence[re.Match[str]], known: Mapping[str, str]) -> list[bool]:
        """Return whether each word of a path stays. One that is a name too ("le", "pages") does by those joined to it.

        In "prise-en-charge" and "plan-acces" it stays, and in "marie-pages", "dr-le" and "medecins/le" it goes.
        """
        words, ahead = [fold_line(one.group()) for one in tokens], [""]
        kept, doubtful = [], []
        for word in words:
            stays = word in _PATHS or (len(word) > _INITIALS and self._is_service(word))
            stays = (stays and not self._is_borne(word, ahead[-1])) or self._is_shortened(word, ahead[-1])
            kept.append(stays and word not in known)
            doubtful.append(word in _PATHS and self._people.roster.tables.is_name(word))
            ahead.append(_behind(word, ahead[-1]))
        joined = [False, *(path[one.end() : two.start()] in _JOINED for one, two in pairwise(tokens)), False]
        long = [len(word) > _INITIALS for word in words]
        for at in range(len(words)):
            if not (kept[at] and doubtful[at]):
                continue
            if not (joined[at] or joined[at + 1]):
                kept[at] = long[at] and ahead[at] not in _ANNOUNCING
                continue
            behind_one = joined[at] and kept[at - 1] and words[at - 1] not in (*_PEOPLE, *_CARERS)
            sure = joined[at + 1] and kept[at + 1] and (not doubtful[at + 1] or (long[at] and long[at + 1]))
            kept[at] = behind_one or sure
        return kept

    def _is_borne(self, word: str, ahead: str) -> bool:
        """Return whether a word for a service is the name of the person that the words ahead announce: "dr.mater@"."""
        announced = ahead == "person" or (ahead == "carer" and word in _SHORTENED)
        return announced and self._people.roster.tables.is_name(word)

    def _is_shortened(self, word: str, ahead: str) -> bool:
        """Return whether a word is a service cut short: "secretariat.gast@"; "dr.gast@" and "gast@" are somebody."""
        if word not in _SHORTENED or ahead in _ANNOUNCING:
            return False
        return ahead == "desk" or not self._people.roster.tables.is_name(word)

    def _is_service(self, word: str) -> bool:
        """Return whether a word of an address is for a service or an organisation, not a name or place."""
        if word in _STAYING:
            return True
        return _SPECIALTY.fullmatch(word) is not None and not self._people.roster.tables.surname_births(word)

    def _domain(self, domain: str, attempt: int) -> str:
        """Return another domain of the same kind, the same for all of one site, so that colleagues keep sharing one."""
        plain = fold_line(domain).strip()
        stream = self._context.stream("domain", _site(plain), str(attempt))
        if self._natural:
            return stream.choice(_PROVIDERS) if plain in _EVERY_PROVIDER else self._ordinary(plain, stream, attempt)
        hidden = set(_TOKEN.findall(plain))
        kinds = _names_of_kind(_TOKEN.findall(plain.rpartition(".")[0]))  # ".ch" is no hospital
        names = [name for name in kinds if hidden.isdisjoint(_TOKEN.findall(name))]
        return f"{stream.choice(names or ['site'])}-{100 + stream.below(900)}.example"

    def _ordinary(self, domain: str, stream: KeyedStream, attempt: int) -> str:
        """Return a domain of the same kind and ending, with drawn names for its telling words; never a name alone."""
        labels, _, ending = domain.rpartition(".")
        names = {} if attempt else self._known(_TOKEN.findall(labels or domain))
        pieces = _BETWEEN_TOKENS.split(labels or domain)
        kept = frozenset() if attempt else _STAYING
        written = "".join([one if one in kept else self._renamed(one, names, attempt) for one in pieces])
        if kept.isdisjoint(pieces):
            written = f"{stream.choice(_ORGANISED)}-{written}"
        return f"{written}.{ending if labels and ending in _ENDINGS else 'fr'}"

    def _numbered(self, login: str, attempt: int) -> str:
        """Return a login at a provider with a number: a name alone is likely to be somebody's."""
        if sum(map(str.isdigit, login)) >= _LOGIN_DIGITS:
            return login
        stream = self._context.stream("login number", comparable(login), str(attempt))
        digits = _LOGIN_DIGITS + stream.below(3)
        return f"{login}{10 ** (digits - 1) + stream.below(9 * 10 ** (digits - 1))}"

    def _local(self, local: str, attempt: int) -> str:
        known = self._known(_TOKEN.findall(fold_line(local)))
        names = {} if attempt else known
        pieces, ahead = [], ""
        for piece in _BETWEEN_TOKENS.split(local):
            word = fold_line(piece)
            kept = word in _SERVICES or (word not in _STAYING and word not in known and self._is_service(word))
            kept = kept and not self._is_borne(word, ahead)
            kept = kept or (ahead != "" and word not in known and self._is_shortened(word, ahead))
            pieces.append(piece if kept else self._renamed(word, names, attempt))
            ahead = _behind(word, ahead)
        return "".join(pieces)

    def _renamed(self, word: str, names: Mapping[str, str], attempt: int) -> str:
        """Return the surrogate of a word or number of an address; signs stay."""
        if word.isdigit():
            return redraw_digits(word, self._context.stream("address number", word, str(attempt)))
        return names.get(word) or self._drawn(word, attempt) if word.isalpha() else word

    def _drawn(self, word: str, attempt: int) -> str:
        if len(word) <= _INITIALS:
            return redraw(word, self._context.stream("address letters", word, str(attempt)))
        handle = self._people.shorthand.handle(word, attempt)
        surname = self._people.roster.tables.surname_rather(word) >= 0
        return handle or bare(self._people.drawing.surrogate(word, surname, Pool.PROFESSIONAL))

    def _known(self, tokens: Sequence[str]) -> Mapping[str, str]:
        """Return token → surrogate of the tokens that are names of this document, or made of such ("jpdurand")."""
        letters = [token for token in tokens if len(token) <= _INITIALS]
        # A service may be somebody's name too, which matters to initials beside it alone.
        words = [token for token in tokens if len(token) > _INITIALS and (letters or token not in _SERVICES)]
        named = {word: drawn for word in words if (drawn := self._name(word)) is not None}
        # One or two letters are somebody's initials only beside his name.
        beside = {
            token: self._people.shorthand.initials_beside(token, named) or self._short_name(token) for token in letters
        }
        known = named | {token: drawn for token, drawn in beside.items() if drawn}
        for token, behind in reversed(list(pairwise(tokens))):
            if token in LEADING_PARTICLES and len(token) > 1 and behind in known:
                joined = with_elisions(f"{token} {known[behind]}")  # surrogates keep the particle: "anne.le.goff"
                known.setdefault(token, bare(joined.removesuffix(known[behind])))
        return known

    def _short_name(self, token: str) -> str | None:
        """Return the surrogate of letters that are a whole surname of the patient ("le", "ly"), else None."""
        known = len(token) > 1 and token in self._people.roster.own_surnames
        return bare(self._people.drawing.surrogate(token, True, Pool.PATIENT)) if known else None

    def _name(self, token: str) -> str | None:
        people, roster = self._people, self._people.roster
        known = people.shorthand.known(token)
        if known is None and (bearers := roster.bearers(token)):
            surname, pool = roster.is_surname(token, bearers[0]), roster.pool(token, bearers[0])
            known = bare(people.drawing.surrogate(token, surname, pool))
        if known is None and len(token) >= _MISTYPED and not roster.tables.is_name(token):
            meant = roster.misspelt(token)
            known = meant and self._name(meant)  # "marreec@" of Dr Marrec
        return known


def _said(address: str) -> str:
    """Return an address as it is dictated: its signs as words."""
    words = {sign: f" {word} " for word, sign in _SPOKEN.items() if word != "arobas"}
    return "".join(words.get(sign, sign) for sign in address)


def _site(domain: str) -> str:
    """Return what the pages and mailboxes of one body have in common: "ch-gap" of "www.ch-gap.fr", "mail.ch-gap.fr"."""
    labels = domain.strip(".").split(".")[:-1] or [domain]
    return next((label for label in reversed(labels) if label not in _SHARED), labels[-1])


def _names_of_kind(words: Collection[str]) -> Sequence[str]:
    """Return what a domain of such words is drawn from: of a laboratory, hospital, practice, provider or other."""
    for telling, names in _DOMAINS:
        if any(one in words or (len(one) >= _RUN_TOGETHER and any(one in word for word in words)) for one in telling):
            return names
    return _DOMAINS[-1][-1]


def _behind(word: str, ahead: str) -> str:
    """Return what a word of an address announces, else what the words ahead did; "" for nothing."""
    for announced, words in (("person", _PEOPLE), ("carer", _CARERS), ("desk", _DESKS)):
        if word in words:
            return announced
    return ahead or ("service" if word in _SERVICES else "")
