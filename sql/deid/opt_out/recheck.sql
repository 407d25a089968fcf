-- Grain: one opposition. Purpose: a fresh look: rows that researchers can read under its pseudonym, and documents that
-- the ledger holds as published, or on their way, of its patient.
SELECT
    (SELECT count(*) FROM research.document AS d WHERE d.patient_id = o.pseudonym)
    + (
        SELECT count(*) FROM deid.document AS d
        WHERE d.patient_id = o.patient_id AND d.state IN ('staged', 'published')
    ) AS found_now,
    now() AS checked_at
FROM deid.opt_out AS o
WHERE o.opt_out_id = %(opt_out_id)s
