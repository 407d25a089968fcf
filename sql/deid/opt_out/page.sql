-- Grain: one opposition. Purpose: the newest first, a page at a time, or one of them; how many documents it removed.
SELECT
    o.opt_out_id, o.pseudonym, o.asked_by, o.reason, o.asked_at, o.applied_at, o.patient_id IS NOT NULL AS matched,
    o.revoked_at, o.revoked_by, o.revoked_reason,
    coalesce((
        SELECT sum(r.documents) FROM deid.opt_out_removal AS r WHERE r.opt_out_id = o.opt_out_id
    ), 0)::int AS removed
FROM deid.opt_out AS o
WHERE
    (%(before)s::bigint IS NULL OR o.opt_out_id < %(before)s)
    AND (%(opt_out_id)s::bigint IS NULL OR o.opt_out_id = %(opt_out_id)s)
ORDER BY o.opt_out_id DESC
LIMIT %(limit)s
