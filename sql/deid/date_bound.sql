-- name: add
-- Grain: one episode or birth date of a patient. Purpose: its last day, unless it has one.
INSERT INTO deid.date_bound (digest, latest)
SELECT
    w.digest,
    min(w.latest) AS latest
FROM unnest(%(digests)s::text[], %(latest)s::date[]) AS w (digest, latest)
GROUP BY w.digest
ORDER BY w.digest
ON CONFLICT DO NOTHING;

-- name: read
-- Grain: one episode or birth date of a patient. Purpose: its last day.
SELECT
    b.digest,
    b.latest
FROM deid.date_bound AS b
WHERE b.digest = ANY(%(digests)s);
