"""Documents, mentions, labels, outcomes and errors; the zone of the hospital's nights."""

from datetime import time
from zoneinfo import ZoneInfo

PARIS = ZoneInfo("Europe/Paris")  # of nights, days and releases, whatever the machine's zone
NIGHT_TURNS = time(3, 30)  # in Paris: a day's interval ends, the next begins, and the schedule processes the former
