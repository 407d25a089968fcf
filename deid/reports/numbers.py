"""Numbers and days as French or English readers write them, each with its raw value for machines."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from markupsafe import Markup

from deid.domain import PARIS
from deid.french import calendar

THIN = "\u202f"  # narrow no-break space
_MONTHS = {"fr": calendar.MONTHS, "en": calendar.ENGLISH_MONTHS}
_DAYS = {"fr": calendar.WEEKDAYS, "en": calendar.ENGLISH_WEEKDAYS}


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes values in one language ("fr" or "en")."""

    lang: str

    def number(self, value: float, digits: int = 0) -> Markup:
        """`value` with `digits` decimals, wrapped so that its exact value can be read back."""
        return Markup('<data value="{}">{}</data>').format(value, self.plain(value, digits))

    def plain(self, value: float, digits: int = 0) -> str:
        """`value` with `digits` decimals, thousands apart."""
        text = f"{value:,.{digits}f}"
        return text.translate({ord(","): THIN, ord("."): ","}) if self.lang == "fr" else text

    def percent(self, share: float, digits: int = 1) -> str:
        """A share as a percentage; a tiny one that is not nought is not written as nought."""
        least = 10.0**-digits
        if 0 < share * 100 < least:
            return f"<{THIN}{self._percent(least, digits)}"
        return self._percent(share * 100, digits)

    def _percent(self, value: float, digits: int) -> str:
        return f"{self.plain(value, digits)}{THIN}%" if self.lang == "fr" else f"{self.plain(value, digits)}%"

    def signed(self, change: float) -> str:
        """A relative change, as +12 % or −3 %."""
        return ("+" if change >= 0 else "−") + self._percent(abs(change) * 100, 1)

    def day(self, day: date, *, weekday: bool = False) -> str:
        """A day in words."""
        number = "1er" if self.lang == "fr" and day.day == 1 else str(day.day)
        name = f"{_DAYS[self.lang][day.weekday()]} " if weekday else ""
        return f"{name}{number} {_MONTHS[self.lang][day.month - 1]} {day.year}"

    def short(self, day: date) -> str:
        """A day of this year, for an axis: 3 oct., 3 Oct."""
        name = _MONTHS[self.lang][day.month - 1]
        if self.lang == "en":
            return f"{day.day}{THIN}{name[:3]}"
        short = name if len(name) <= 4 else f"{calendar.SHORT_MONTHS[day.month - 1]}."
        return f"{day.day}{THIN}{short}"

    def month(self, text: str) -> str:
        """A month written 2026-10, in words."""
        year, month = text.split("-")
        return f"{_MONTHS[self.lang][int(month) - 1]} {year}"

    def instant(self, iso: str) -> str:
        """An instant in the hospital's time."""
        local = datetime.fromisoformat(iso).astimezone(PARIS)
        clock = f"{local:%H}{THIN}h{THIN}{local:%M}" if self.lang == "fr" else f"{local:%H:%M}"
        return f"{self.day(local.date())}, {clock}"

    def interval(self, key: str) -> str:
        """The key of an interval in words: one night, or the first and the last; the day that ends a key is outside."""
        first, _, last = key.partition("..")
        start = date.fromisoformat(first)
        if not last:
            return f"{'Nuit du' if self.lang == 'fr' else 'Night of'} {self.day(start, weekday=True)}"
        end = date.fromisoformat(last) - timedelta(days=1)
        link = ("Nuits du", "au") if self.lang == "fr" else ("Nights of", "to")
        return f"{link[0]} {self.day(start)} {link[1]} {self.day(end)}"

    def duration(self, seconds: float) -> str:
        """Seconds as a person says them."""
        if seconds < 60:
            return f"{self.plain(seconds, 1)}{THIN}s"
        minutes, rest = divmod(round(seconds), 60)
        if minutes < 60:
            return f"{minutes}{THIN}min{THIN}{rest:02d}{THIN}s"
        return f"{minutes // 60}{THIN}h{THIN}{minutes % 60:02d}"
