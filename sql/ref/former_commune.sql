-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: birth places must not lead astray.
SELECT 'half of the names lead nowhere' AS what, CASE WHEN count(insee) * 2 < count(*) THEN 1 ELSE 0 END AS observed
FROM stage
UNION ALL
SELECT 'fewer than one name in a hundred has an accent',
    CASE WHEN count(*) FILTER (WHERE name ~ '[À-ÿŒœ]') * 100 < count(*) THEN 1 ELSE 0 END
FROM stage
UNION ALL
SELECT 'sample lookups that fail (Cherbourg-Octeville, 50129)', 1 - count(DISTINCT name) FROM stage
WHERE (insee, name) = ('50129', 'Cherbourg-Octeville');

-- name: load
-- Grain: one former name and the commune of today.
-- Purpose: rows of the new version, beside those in use.
INSERT INTO ref.former_commune (release_id, name, insee) SELECT DISTINCT %(release_id)s::bigint, name, insee FROM stage;

-- name: prune
-- Grain: the rows of superseded versions.
-- Purpose: free their space; ref.release keeps the record of them.
DELETE FROM ref.former_commune WHERE release_id = ANY(%(release_ids)s);

-- name: read
-- Grain: one former name of the given version, and the commune of today where that is known.
-- Purpose: birth places that no commune bears any more.
SELECT name, coalesce(insee, '') AS insee
FROM ref.former_commune
WHERE release_id = %(release_id)s
ORDER BY name COLLATE "C", insee;

-- name: stage
-- Grain: one former name.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (name text NOT NULL, insee text) ON COMMIT DROP;
