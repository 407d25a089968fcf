"""Documents, mentions, labels, outcomes and errors; the zone of the hospital's nights."""

from zoneinfo import ZoneInfo

PARIS = ZoneInfo("Europe/Paris")  # of nights, days and releases, whatever the machine's zone
