"""Nights and arrival times: when a document reaches the warehouse."""

from __future__ import annotations

import random
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

PARIS = ZoneInfo("Europe/Paris")
FIRST_NIGHT = date(2026, 10, 1)
WEEKEND_WEIGHT = 0.2
HOURS = (7, 20)


class Calendar:
    """The days on which documents arrive, fewer at weekends."""

    def __init__(self, nights: int) -> None:
        self.first = FIRST_NIGHT
        self.nights = nights
        self.days = tuple(self.first + timedelta(days=index) for index in range(nights))
        self._weights = [WEEKEND_WEIGHT if day.weekday() >= 5 else 1.0 for day in self.days]

    @property
    def last(self) -> date:
        """The last day on which something arrives."""
        return self.days[-1]

    def any_day(self, rng: random.Random, since: date | None = None) -> date:
        """A day of the period, not before `since`."""
        able = [
            (day, weight) for day, weight in zip(self.days, self._weights, strict=True) if since is None or day >= since
        ]
        if not able:
            return self.last
        return rng.choices([day for day, _ in able], [weight for _, weight in able])[0]

    def arrival(self, rng: random.Random, written_on: date) -> date:
        """Return the arrival day of a document written on `written_on`: at once if it is new, any day if it is old."""
        if written_on < self.first - timedelta(days=3):
            return self.any_day(rng)
        day = max(written_on + timedelta(days=rng.choice((0, 0, 0, 1, 1, 2, 3))), self.first)
        if day.weekday() >= 5 and rng.random() > WEEKEND_WEIGHT:
            day += timedelta(days=7 - day.weekday())
        return min(day, self.last)

    def moment(self, rng: random.Random, day: date) -> datetime:
        """Return a time of `day` within working hours, local time."""
        seconds = rng.randrange(HOURS[0] * 3600, HOURS[1] * 3600)
        clock = time(seconds // 3600, seconds // 60 % 60, seconds % 60)
        return datetime.combine(day, clock, tzinfo=PARIS)
