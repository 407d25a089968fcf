"""Alter numbers (PHONE, NIR, IPP, NDA, RPPS, ID) and addresses on the network (EMAIL, URL)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from deid.detection.lookup.lexicon import lexicon
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.check_digits import nir_key
from deid.french.folding import comparable, fold_line, in_case_of, words
from deid.substitution.context import DocumentContext
from deid.substitution.generators.numbers import Numbers as Writer
from nocturne_lab.learning.augmentation import pools
from nocturne_lab.learning.augmentation.rates import Rates, SeededRandom

_NATIONAL = re.compile(r"0[1-9](?:[ .\-/]?\d\d){4}")
# 0 is a digit, A a letter; the rest stands for itself.
_LAYOUTS = {
    Label.IPP: "0000000 00000000 000000000 8000000000 A0000000 00-000000 000.000.000 AA0000000 000-00-0000".split(),
    Label.NDA: "00000000 000000000 A00000000 00-00000 00/000000 20000000000 00.000.000 AA-00-00000 00A00000".split(),
    Label.ID: "00A000000 AA-00-0000 00/00000 000000000 A-00000-00 AA 000000 0000-000 A00.00000 00000000000".split(),
}
_PHONES = (
    "{0} {1} {2} {3} {4}",
    "{0}.{1}.{2}.{3}.{4}",
    "{0}-{1}-{2}-{3}-{4}",
    "{0}{1}{2}{3}{4}",
    "+33 {5} {1} {2} {3} {4}",
    "+33{5}{1}{2}{3}{4}",
    "+33 (0){5} {1} {2} {3} {4}",
    "00 33 {5} {1} {2} {3} {4}",
    "{0}/{1}/{2}/{3}/{4}",
    "{0}{1} {2} {3} {4}",
)
_NIR = re.compile(r"(?:\D*\d){13}(?:(?:\D*\d){2})?\D*")
_KEY = 2  # digits
_CORSICA = re.compile(r"2[AB]")
_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"


class CopiedNumbers:
    """Numbers of one copy: equal originals get equal numbers, with valid check digits."""

    def __init__(self, context: DocumentContext, rng: SeededRandom, rates: Rates) -> None:
        self._context = context
        self._writer = Writer(context)
        self._rng = rng
        self._rates = rates
        self._drawn: dict[tuple[Label, str], str] = {}

    def write(self, mention: Mention) -> str:
        """Return the new text of a mention."""
        original = self._context.text(mention)
        memory = (mention.label, comparable(original))
        if memory not in self._drawn:
            self._drawn[memory] = self._number(mention, original)
        return self._drawn[memory]

    def _number(self, mention: Mention, original: str) -> str:
        if not any(char.isdigit() for char in original):
            return original
        if mention.label is Label.PHONE:
            return self._phone(original)
        if mention.label is Label.NIR:
            return self._nir(original)
        if mention.label in _LAYOUTS and self._rng.once(self._rates.relaid_number):
            return self._laid(self._rng.choice(_LAYOUTS[mention.label]))
        if original.isascii() and re.search("[A-Za-z]{2}", original) and self._rng.once(self._rates.letters_kept):
            return self._redrawn(original)
        return self._writer.write(mention, 0).text

    def _redrawn(self, text: str) -> str:
        return "".join(self._rng.choice("0123456789") if char.isdigit() else char for char in text)

    def _laid(self, layout: str) -> str:
        drawn = {"0": lambda: self._rng.choice("0123456789"), "A": lambda: self._rng.choice(_LETTERS)}
        return "".join(drawn[char]() if char in drawn else char for char in layout)

    def _phone(self, original: str) -> str:
        """Return another number; a national number keeps its area code and may change its layout."""
        if _NATIONAL.fullmatch(original) and self._rng.once(self._rates.relaid_phone):
            pairs = [original[:2], *(self._rng.digits(2) for _ in range(4))]
            return self._rng.choice(_PHONES).format(*pairs, original[1])
        head = re.match(r"\s*(?:\+33|0033|00 33)?[ (]*0?\)? ?[1-9]?", original)
        kept = head.end() if head else 0
        return original[:kept] + self._redrawn(original[kept:])

    def _nir(self, original: str) -> str:
        """Draw sex, birth, commune and rank; append the check key if the original has one."""
        if not _NIR.fullmatch(_CORSICA.sub("20", original)):
            return original[:1] + self._redrawn(original[1:]) if len(original) > _KEY else self._redrawn(original)
        rng = self._rng
        commune = rng.choice(pools.town_pool().all).zips[0]
        place = f"99{rng.randrange(100, 500)}" if rng.once(0.1) else commune[:2] + rng.digits(3)
        number = rng.choice("12") + rng.digits(2) + f"{rng.randrange(1, 13):02d}" + place + rng.digits(3)
        source = iter(number + nir_key(number))
        layout = _CORSICA.sub("20", original)
        return "".join(next(source) if char.isdigit() else char for char in layout)


# EMAIL and URL: the new names of the copy's people, other hosts.
_ADDRESS_PART = re.compile(r"[^\W\d_]+|\d+")
_HOST = re.compile(r"(?P<before>(?:[a-z]+://)?(?:www\.)?)(?P<host>[^/\\?#:\s]+)(?P<after>.*)", re.IGNORECASE)
_ENDS = ("fr", "fr", "fr", "com", "org", "re", "net", "bzh", "example", "sante.fr", "aphp.fr", "mssante.fr")
_KINDS = "ch chu clinique cabinet ehpad labo centre hopital gh ght imagerie ssr polyclinique".split()
_PRIVATE = "gmail.com orange.fr wanadoo.fr free.fr laposte.net sfr.fr hotmail.fr yahoo.fr outlook.com".split()
_SUBJECTS = "sante cardio soins mail medecine sud nord vallee littoral mutualiste onco dialyse".split()


class CopiedAddresses:
    """E-mail addresses and URLs of one copy; `exchanged` maps each folded word of a name to its new word."""

    def __init__(self, exchanged: Mapping[str, str], rng: SeededRandom, rates: Rates) -> None:
        self._exchanged = exchanged
        self._rng = rng
        self._rates = rates
        self._hosts: dict[str, str] = {}

    def write(self, original: str) -> str:
        """Return the new text of a mention."""
        local, at, host = original.partition("@")
        if at:
            return f"{self._local(local)}@{in_case_of(host, self._host(host, private=True))}"
        found = _HOST.fullmatch(original)
        if found is None:
            return original
        return found["before"] + in_case_of(found["host"], self._host(found["host"])) + found["after"]

    def _local(self, local: str) -> str:
        return _ADDRESS_PART.sub(lambda match: in_case_of(match.group(), self._part(match.group())), local)

    def _part(self, part: str) -> str:
        plain = fold_line(part)
        if plain.isdigit():
            return self._rng.digits(len(plain))
        if plain in self._exchanged:
            return "".join(words(self._exchanged[plain])) or plain
        if lexicon().is_surname(plain):
            return "".join(words(self._rng.choice(pools.surname_pool().real))) or plain
        return plain

    def _host(self, host: str, *, private: bool = False) -> str:
        """Return another host, the same for equal originals."""
        if fold_line(host) not in self._hosts:
            self._hosts[fold_line(host)] = self._any_host(private) if self._rng.once(self._rates.other_domain) else host
        return self._hosts[fold_line(host)]

    def _any_host(self, private: bool) -> str:
        rng = self._rng
        if private and rng.once(0.3):
            return rng.choice(_PRIVATE)
        named = rng.choice(pools.town_pool().all).name if rng.once(0.6) else rng.choice(pools.surname_pool().real)
        name = "".join(words(named))
        host = f"{rng.choice(_KINDS)}-{name}" if rng.once(0.6) else f"{name}-{rng.choice(_SUBJECTS)}"
        return f"{host}.{rng.choice(_ENDS)}"
