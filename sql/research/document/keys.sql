-- Grain: one fingerprint. Purpose: how many published documents no other key can find.
SELECT d.key_fingerprint, count(*) AS documents
FROM research.document AS d
GROUP BY d.key_fingerprint
