-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: the grid of three levels, or a column mistaken for the level, is refused.
SELECT 'INSEE codes given twice' AS what, count(*) - count(DISTINCT insee) AS observed FROM stage
UNION ALL
SELECT 'levels absent of the seven', 7 - count(DISTINCT level) FROM stage
UNION ALL
SELECT 'well-known communes that are not of the densest level (Paris, Marseille)', 2 - count(*) FROM stage
WHERE insee IN ('75056', '13055') AND level = 1;

-- name: load
-- Grain: one commune of the grid.
-- Purpose: rows of the new version, beside those in use.
INSERT INTO ref.density_level (release_id, insee, level) SELECT %(release_id)s, insee, level FROM stage;

-- name: prune
-- Grain: the rows of superseded versions.
-- Purpose: free their space; ref.release keeps the record of them.
DELETE FROM ref.density_level WHERE release_id = ANY(%(release_ids)s);

-- name: stage
-- Grain: one commune of the file.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (insee text NOT NULL, level smallint NOT NULL) ON COMMIT DROP;
