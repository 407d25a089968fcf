-- Grain: one opposition in force. Purpose: whether this patient of the source has objected.
SELECT o.opt_out_id
FROM deid.opt_out AS o
WHERE o.patient_id = %(patient_id)s AND o.revoked_at IS NULL
LIMIT 1
