-- Grain: one opposition in force. Purpose: all of them, to be applied, oldest first.
SELECT o.opt_out_id, o.pseudonym, o.patient_id, o.applied_at IS NOT NULL AS applied
FROM deid.opt_out AS o
WHERE o.revoked_at IS NULL
ORDER BY o.opt_out_id
