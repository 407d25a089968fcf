-- Grain: one opposition. Purpose: record it, unless the same is in force: then no row is given back.
INSERT INTO deid.opt_out (pseudonym, patient_id, asked_by, reason)
SELECT %(pseudonym)s, %(patient_id)s, %(asked_by)s, %(reason)s
WHERE NOT EXISTS (
    SELECT FROM deid.opt_out AS o
    WHERE
        o.revoked_at IS NULL
        AND (o.pseudonym = %(pseudonym)s::text OR o.patient_id = %(patient_id)s::text)
)
ON CONFLICT DO NOTHING
RETURNING opt_out_id
