-- Grain: one interval. Purpose: how many documents a sample can be drawn from.
SELECT count(*) AS documents FROM deid.reviewable WHERE interval_key = %(interval_key)s
