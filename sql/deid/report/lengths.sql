-- Grain: one document. Purpose: its length in characters, for the distribution; ordered.
SELECT d.characters
FROM deid.document AS d
WHERE d.run_id = ANY(%(run_ids)s) AND d.characters IS NOT NULL
ORDER BY 1
