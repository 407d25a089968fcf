-- Grain: one interval. Purpose: its latest review, whatever was staged then.
SELECT max(r.review_id) AS review_id FROM deid.review AS r WHERE r.interval_key = %(interval_key)s
