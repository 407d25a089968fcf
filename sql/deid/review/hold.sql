-- Grain: one review. Purpose: lock it against whoever marks or closes it at the same moment.
SELECT r.closed_at IS NOT NULL AS closed FROM deid.review AS r WHERE r.review_id = %(review_id)s FOR UPDATE
