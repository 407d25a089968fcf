-- Grain: one interval. Purpose: where it stands.
SELECT s.state FROM deid.interval_state AS s WHERE s.interval_key = %(interval_key)s
