-- Grain: one opposition in force. Purpose: those of these patients, by the source's id or by a pseudonym.
SELECT o.patient_id, o.pseudonym
FROM deid.opt_out AS o
WHERE o.revoked_at IS NULL AND (o.patient_id = ANY(%(patient_ids)s) OR o.pseudonym = ANY(%(pseudonyms)s))
