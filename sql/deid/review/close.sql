-- Grain: one review. Purpose: nothing more is read or marked in it.
UPDATE deid.review SET closed_by = %(closed_by)s, closed_at = now() WHERE review_id = %(review_id)s
