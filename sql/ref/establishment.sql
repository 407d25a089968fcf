-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a FINESS number is one establishment.
SELECT 'FINESS numbers given twice' AS what, count(*) - count(DISTINCT finess) AS observed FROM stage;

-- name: load
-- Grain: one establishment.
-- Purpose: rows of the new version, beside those in use.
INSERT INTO ref.establishment (release_id, finess, name, insee, kind)
SELECT %(release_id)s, finess, name, insee, kind FROM stage;

-- name: prune
-- Grain: the rows of superseded versions.
-- Purpose: free their space; ref.release keeps the record of them.
DELETE FROM ref.establishment WHERE release_id = ANY(%(release_ids)s);

-- name: read
-- Grain: one establishment of the given version.
-- Purpose: surrogate hospitals of a commune.
SELECT finess, name, insee, kind FROM ref.establishment WHERE release_id = %(release_id)s ORDER BY finess;

-- name: stage
-- Grain: one establishment of the file.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (finess text NOT NULL, name text NOT NULL, insee text NOT NULL, kind text NOT NULL)
ON COMMIT DROP;
