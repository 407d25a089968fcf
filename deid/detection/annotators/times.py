"""Annotator *times*: times of day, where the policy replaces them; durations and schedules are none.

An hour alone ("14 h") is a time only by what stands beside it; an hour with its minutes unless that is a duration.
What may be either stays: an hour that was left tells little, a duration that was changed is another clinical fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from deid.detection.text.reading import Reading
from deid.domain.document import Mention
from deid.domain.labels import Label
from deid.french.times_of_day import CLOCK, ClockTime, clock_of

_REACH = 60  # characters read on either side, within the line
_LATE = 7  # an hour alone before it ("à 2 h", "à 6 h") is rather a delay since something
_SURE = 6  # without a sign before it, "1h45" is rather a duration
_TO_THE_MINUTE = 3  # hours from which a duration is told in round minutes: "4h58" is a time
_LONGEST = 10  # hours of an operation or a night that "de 7h30" may tell
_LIST = 3  # times in a row from which they are a schedule
_ROUND = 30  # minutes

_MONTH = r"janv|fevr?|mars|avr|mai|juin|juil|aout|sept|oct|nov|dec"
_DAY = (
    r"(?:lun|mar|mer|jeu|ven|sam|dim)(?:\.|[a-z]*(?:di|che)\b|\b)(?: (?:prochain|dernier|\d{1,2}))?|hier|demain|"
    r"aujourd'hui|jour(?:-meme)?|veille|lendemain|j ?\d{1,2}|le \d{1,2}"
)
# What stands right before a time of day: a date, a day, a part of the day, "heure :", the edge of a cell.
_DATED = re.compile(
    rf"(?:\d[/.-]\d{{1,2}}(?:[/.-]\d{{2,4}})?|\b(?:{_MONTH})[a-z]*\.?(?:[ -]\d{{2,4}})?|\b(?:{_DAY})|"
    r"\b(?:matin|soir|soiree|nuit|apres-midi|matinee)|\bheure(?: [a-z']+){0,3}|\|)[ ,:;|–=(-]{0,12}\Z"
)
_EVENT = re.compile(
    r"\b(?:arr(?:ivee?)?|dep(?:art)?|entree|sortie|retour|r?appel\w*|joint|prevenue?s?|r?e?vue?|reveil\w*|r?endort|"
    r"endormie?|dcd|deced\w+|deces|naissance|nee?|debut|fin|releve|incision|posee?|retiree?|prelevee?|prevue?|faite?|repas|"
    r"reprise|rdv|rv|transmis|passe(?:ra)?|ramenee?) :? ?\Z"
)
_OPENS = re.compile(r"\A[ \t>*•·–(\[-]*\Z")
_AHEAD = re.compile(r"\b(?:avant|des|entre|et|ou) \Z")
# What makes a number of hours a duration, right before it or as the noun of its sentence.
_LASTING = re.compile(
    r"(?:\b(?:pendant|durant|toutes? les|tous les|chaque|en|sur|dans|dans les|sous|d'ici|moins de|plus de|au bout de|"
    r"il y a|duree de|delai de|periode de|intervalle de|premieres|dernieres|prochaines|suivantes|par|depuis|apres|"
    r"environ|soit|x|dure|dormi|dort|gardee?s?|h ?\+)|(?<=\d)x|[/+≈~<>]) ?\Z"
    r"|\b(?:durees?|delais?|retard|temps)\b[^\n.;,\d]{0,40}\Z"
)
_SHORT = re.compile(
    r"\b(?:travail|sommeil|intervention|seances?|dialysee?|dialyse|anesthesie|sieste|trajet|garde|attente|vni|ventilation|"
    r"ischemie|clampage|garrot|cec)\b(?: de| :)? ?\Z"
)
_MAY_FOLLOW = re.compile(r"\b(?:depuis|apres|environ|par) ?\Z|/ \Z")
_SPAN_NOUN = re.compile(r"\b(?:estime|evalue|egal|superieur|inferieur|limite)e?s? a \Z")
_LASTED = re.compile(
    r" ?(?:/ ?(?:24|j\b)|/(?:nuit|sem|mois|h\b)|(?:par|la) (?:jour|nuit|semaine|24)|de suite|d'affilee|de duree|"
    r"plus tard|apres (?!midi)|post\b|auparavant|d'intervalle|consecutives|d'evolution|de vie|d'age|d'attente)"
)
_DELAYED = re.compile(r" (?:de (?!ce |cette |la (?:nuit|veille)|l'apres)|d'|du (?!matin|soir|\d)|des )")
_NUMBERED = re.compile(r"(?:\bn ?°|\bnumero|\blot|\bref)[ :.]{0,2}\Z")
# A position on a clock face, as eyes, breasts and stomas are described.
_FACE = re.compile(
    r"\b(?:dechirure|decollement|retin\w+|givre|corne\w+|macula|quadrant|sein|mamelon|fissure|hemorroid\w+|fistule|anale?|"
    r"cadran|erytheme|pseudopodes?|stomie|lesion|nodule)\b"
)
_FACES = 12
# A schedule: hours of a service, which point at no patient, or of a drug, which are its dose.
_SERVICE = re.compile(
    r"\b(?:joignable|secretariat|standard|ouverte?s? (?:de|du|tous)|horaires?|permanence|visites|lundi au|"
    r"tous les jours|chaque jour|quotidien|par jour|posologie|matin,? midi)\b"
)
_DOSE = re.compile(
    r"\d ?(?:mg|g|µg|ml|ui|cp|cpr|comprimes?|gel|gelules?|gouttes?|sachets?|amp|ampoules?|bouffees?)(?!\w)"
)
_DOSE_AT = re.compile(_DOSE.pattern + r" a \Z")
_JOINED = re.compile(r" ?(?:[-–/,;+]|et|puis|a| ) ?(?:a )?\Z")
_IN_A_RANGE = re.compile(r" ?(?:[-–]|a|et|au|jusqu'a) ?\Z")
_ALLELES = re.compile(r"\bhla\b|\b[abc]\*|\bd[rqp][abw]?\d")
_SURELY = frozenset({"vers", "vers les", "jusqu'a", "jusque vers", "aux alentours de", "aux environs de"})


class ClockTimes:
    """Finds times of day; the policy's strategy for them decides whether it runs (`substitution.times`)."""

    name = "times"
    version = "times-2"
    labels = (Label.TIME,)

    def annotate(self, reading: Reading) -> Iterator[Mention]:
        """Yield the times of day of a document, each with the preposition that a part of the day takes in."""
        found = [(match, clock_of(match)) for match in CLOCK.finditer(reading.folded)]
        for at, (match, clock) in enumerate(found):
            around = _Around(reading, match, [one for one, _ in found[max(0, at - _LIST) : at + _LIST + 1]])
            if around.is_time(clock):
                start = match.start() if _takes_in(clock, around) else match.start("hour")
                yield Mention(start, match.end(), Label.TIME, 0.95)


def _takes_in(clock: ClockTime, around: _Around) -> bool:
    return clock.ahead != "de" or around.opens_range


class _Around:
    """The line around a candidate, folded."""

    def __init__(self, reading: Reading, match: re.Match[str], near: list[re.Match[str]]) -> None:
        start, end = reading.line(match.start("hour"))
        text = reading.folded
        self.match = match
        self.before = text[max(start, match.start("hour") - _REACH) : match.start("hour")]
        self.outside = text[max(start, match.start() - _REACH) : match.start()]
        self.after = text[match.end() : min(end, match.end() + _REACH)]
        self.whole = match.start() - start <= _REACH
        self.text = text
        place = near.index(match)
        self.earlier, self.later = near[:place], near[place + 1 :]

    def is_time(self, clock: ClockTime) -> bool:
        """Return whether the candidate is a time of day of the patient's."""
        if clock.ahead == "t":
            return clock.exact
        if self._is_schedule(clock) or _SPAN_NOUN.search(self.before) or _NUMBERED.search(self.before):
            return False
        if clock.unit and _LASTED.match(self.after):
            return False
        return self._is_exact_time(clock) if clock.exact else self._is_hour(clock)

    def _is_exact_time(self, clock: ClockTime) -> bool:
        """Return whether an hour with its minutes is a time: with a sign before it, or where no duration is so long."""
        read = clock.hour >= _TO_THE_MINUTE and clock.minute % 5 != 0
        long = len(self.match["hour"]) > 1 or clock.hour >= _SURE or read
        if not clock.unit and (self._is_allele() or self.after[:1] == "/"):
            return False
        if self._is_signed(clock):
            return True
        if _LASTING.search(self.before):
            return long and _MAY_FOLLOW.search(self.before) is not None
        if not long or (clock.hour < _LONGEST and (_SHORT.search(self.before) or _DELAYED.match(self.after))):
            return False
        return clock.unit or len(self.match["hour"]) > 1

    def _is_hour(self, clock: ClockTime) -> bool:
        """Return whether an hour alone is a time, by the words before it."""
        if not clock.unit or _DELAYED.match(self.after) or _DOSE_AT.search(self.before):
            return False
        if 0 < clock.hour <= _FACES and _FACE.search(self.before):
            return False
        if self._is_dated() or self.match["half"] or self._in_range() or clock.ahead in _SURELY:
            return True
        if _LASTING.search(self.before):
            return False
        if self._opens_a_line():
            return re.match(r" ?[:–-]|\Z", self.after) is not None or " " not in self.match.group()
        late = clock.hour >= _LATE or self.match["hour"].startswith("0")
        return late and (clock.ahead == "a" or clock.ahead == "@" or self._is_announced())

    def _is_signed(self, clock: ClockTime) -> bool:
        ahead = bool(clock.ahead and clock.ahead != "de")
        return ahead or self._is_dated() or self._opens_a_line() or self._in_range() or self._is_announced()

    def _is_announced(self) -> bool:
        return _AHEAD.search(self.outside) is not None or _EVENT.search(self.outside) is not None

    def _is_allele(self) -> bool:
        start = max(0, self.match.start() - _REACH)
        return _ALLELES.search(self.text, start, self.match.end()) is not None

    @property
    def opens_range(self) -> bool:
        """True where a time follows that ends the span which this one opens."""
        return bool(self.later) and self._joins(self.match, self.later[0])

    def _in_range(self) -> bool:
        """Return whether two times are the ends of a span, one at least with minutes or a preposition."""
        pairs = [(self.match, self.later[0])] if self.later else []
        pairs += [(self.earlier[-1], self.match)] if self.earlier else []
        return any(
            self._joins(one, two) and any(one[part] or two[part] for part in ("ahead", "minute", "after"))
            for one, two in pairs
        )

    def _joins(self, one: re.Match[str], two: re.Match[str]) -> bool:
        between = self.text[one.end() : two.start("hour")]
        return _IN_A_RANGE.fullmatch(between) is not None

    def _is_dated(self) -> bool:
        return _DATED.search(self.outside) is not None

    def _opens_a_line(self) -> bool:
        return self.whole and _OPENS.fullmatch(self.outside) is not None

    def _is_schedule(self, clock: ClockTime) -> bool:
        """Return whether the candidate is of the hours of a service, or of a drug that is to be taken.

        Schedules have round times; so has what is listed, "8h-12h-20h".
        """
        if clock.minute % _ROUND or (clock.exact and self._is_dated()):
            return False
        if _SERVICE.search(self.outside) or _SERVICE.search(self.after):
            return True
        run = 1 + self._listed(self.earlier[::-1]) + self._listed(self.later)
        if run >= _LIST:
            return True
        dosed = _DOSE.search(self.outside[-25:]) or _DOSE.match(self.after.lstrip(" :=-"))
        return dosed is not None and (run > 1 or (not clock.exact and self._opens_a_line()))

    def _listed(self, side: list[re.Match[str]]) -> int:
        """Count the round times of one side that only signs of a list part from the candidate, nearest first."""
        last = self.match
        for count, one in enumerate(side):
            first, second = (one, last) if one.start() < last.start() else (last, one)
            joined = _JOINED.fullmatch(self.text[first.end() : second.start("hour")])
            if joined is None or clock_of(one).minute % _ROUND:
                return count
            last = one
        return len(side)
