-- Grain: one interval. Purpose: two people who open its review at the same moment open one.
SELECT pg_advisory_xact_lock(hashtextextended('review ' || %(interval_key)s, 0))
