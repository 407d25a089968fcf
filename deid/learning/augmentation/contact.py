"""EMAIL and URL: the names of the copy's people, other hosts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from deid.detection.lexicon import lexicon
from deid.french.folding import fold_line, words
from deid.french.shapes import in_case_of
from deid.learning.augmentation import pools
from deid.learning.augmentation.chance import Chance
from deid.learning.augmentation.rates import Rates

_WORD = re.compile(r"[^\W\d_]+|\d+")
_HOST = re.compile(r"(?P<before>(?:[a-z]+://)?(?:www\.)?)(?P<host>[^/\\?#:\s]+)(?P<after>.*)", re.IGNORECASE)
_ENDS = ("fr", "fr", "fr", "com", "org", "re", "net", "bzh", "example", "sante.fr", "aphp.fr", "mssante.fr")
_KINDS = "ch chu clinique cabinet ehpad labo centre hopital gh ght imagerie ssr polyclinique".split()
_PRIVATE = "gmail.com orange.fr wanadoo.fr free.fr laposte.net sfr.fr hotmail.fr yahoo.fr outlook.com".split()
_SUBJECTS = "sante cardio soins mail medecine sud nord vallee littoral mutualiste onco dialyse".split()


class Addresses:
    """The addresses of one copy. `exchanged` gives the new word of each folded word of a name."""

    def __init__(self, exchanged: Mapping[str, str], chance: Chance, rates: Rates) -> None:
        self._exchanged = exchanged
        self._chance = chance
        self._rates = rates
        self._hosts: dict[str, str] = {}

    def write(self, original: str) -> str:
        """The new text of a mention."""
        local, at, host = original.partition("@")
        if at:
            return f"{self._local(local)}@{in_case_of(host, self._host(host, private=True))}"
        found = _HOST.fullmatch(original)
        if found is None:
            return original
        return found["before"] + in_case_of(found["host"], self._host(found["host"])) + found["after"]

    def _local(self, local: str) -> str:
        return _WORD.sub(lambda match: in_case_of(match.group(), self._part(match.group())), local)

    def _part(self, part: str) -> str:
        plain = fold_line(part)
        if plain.isdigit():
            return self._chance.digits(len(plain))
        if plain in self._exchanged:
            return "".join(words(self._exchanged[plain])) or plain
        if lexicon().is_surname(plain):
            return "".join(words(self._chance.choice(pools.surnames().real))) or plain
        return plain

    def _host(self, host: str, *, private: bool = False) -> str:
        """Another host; colleagues keep sharing one."""
        if fold_line(host) not in self._hosts:
            self._hosts[fold_line(host)] = (
                self._any_host(private) if self._chance.once(self._rates.other_domain) else host
            )
        return self._hosts[fold_line(host)]

    def _any_host(self, private: bool) -> str:
        chance = self._chance
        if private and chance.once(0.3):
            return chance.choice(_PRIVATE)
        named = chance.choice(pools.towns().all).name if chance.once(0.6) else chance.choice(pools.surnames().real)
        name = "".join(words(named))
        host = f"{chance.choice(_KINDS)}-{name}" if chance.once(0.6) else f"{name}-{chance.choice(_SUBJECTS)}"
        return f"{host}.{chance.choice(_ENDS)}"
