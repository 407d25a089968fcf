-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a column mistaken for the name shows as names without letters.
SELECT 'names without two letters' AS what, greatest(0, count(*) - max(rows) / 1000) AS observed
FROM stage, (SELECT count(*) AS rows FROM stage) AS counted
WHERE name !~ '[[:alpha:]]{2}';

-- name: load
-- Grain: one name of a lieu-dit in a commune.
-- Purpose: rows of the new version, beside those in use; two places of one name in a commune are one name.
INSERT INTO ref.locality (release_id, insee, name) SELECT DISTINCT %(release_id)s::bigint, insee, name FROM stage;

-- name: prune
-- Grain: the rows of superseded versions.
-- Purpose: free their space; ref.release keeps the record of them.
DELETE FROM ref.locality WHERE release_id = ANY(%(release_ids)s);

-- name: stage
-- Grain: one lieu-dit of the file.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (insee text NOT NULL, name text NOT NULL) ON COMMIT DROP;
