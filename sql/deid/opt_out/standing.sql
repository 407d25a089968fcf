-- Grain: one opposition in force. Purpose: the one of this patient, if any.
SELECT o.opt_out_id
FROM deid.opt_out AS o
WHERE
    o.revoked_at IS NULL
    AND (o.pseudonym = %(pseudonym)s::text OR o.patient_id = %(patient_id)s::text)
ORDER BY o.opt_out_id
LIMIT 1
