-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: columns that slipped show as one name borne by everybody.
SELECT 'fewer than 50 surnames in 100 professionals' AS what,
    CASE WHEN count(DISTINCT last_name) * 2 < least(count(DISTINCT identifier), 2000) THEN 1 ELSE 0 END AS observed
FROM stage;

-- name: load
-- Grain: one professional and profession.
-- Purpose: rows of the new version, beside those in use; of several places of work the least code is kept.
INSERT INTO ref.professional (release_id, identifier, last_name, first_name, profession, insee)
SELECT %(release_id)s, identifier, min(last_name), min(first_name), profession, min(insee)
FROM stage
GROUP BY identifier, profession;

-- name: prune
-- Grain: the rows of superseded versions.
-- Purpose: free their space; ref.release keeps the record of them.
DELETE FROM ref.professional WHERE release_id = ANY(%(release_ids)s);

-- name: stage
-- Grain: one activity of a professional, as the directory lists it.
-- Purpose: COPY lands here; a professional with three places of work has three rows.
CREATE TEMPORARY TABLE stage (
    identifier text NOT NULL,
    last_name text NOT NULL,
    first_name text NOT NULL,
    profession text NOT NULL,
    insee text
) ON COMMIT DROP;
