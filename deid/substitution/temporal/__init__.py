"""DATE, RELDATE and AGE: read in any French form, moved on the calendar, written back in the same form."""
