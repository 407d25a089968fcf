-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: codes that lost their zero, or a file of one region, would send addresses astray.
SELECT
    'departments missing of 96 in the metropolis' AS what,
    greatest(0, 96 - count(DISTINCT left(insee, 2))) AS observed
FROM stage
WHERE left(insee, 2) NOT IN ('97', '98')
UNION ALL
SELECT 'postal codes far from their department',
    greatest(0, count(*) FILTER (WHERE left(zip, 2)
        <> CASE left(insee, 2) WHEN '2A' THEN '20' WHEN '2B' THEN '20' ELSE left(insee, 2) END)
        - count(*) / 100)
FROM stage
UNION ALL
SELECT 'postal codes given twice, beyond one in a hundred',
    greatest(0, count(*) - count(DISTINCT (insee, zip, label, line)) - count(*) / 100)
FROM stage
UNION ALL
SELECT 'sample lookups that fail (75002 is Paris 2e, 97400 is Saint-Denis)', 2 - count(DISTINCT insee) FROM stage
WHERE (insee, zip) IN (('75102', '75002'), ('97411', '97400'));

-- name: load
-- Grain: one postal code of one commune and line.
-- Purpose: rows of the new version, beside those in use.
INSERT INTO ref.postal_code (release_id, insee, zip, label, line)
SELECT DISTINCT %(release_id)s::bigint, insee, zip, label, line FROM stage;

-- name: prune
-- Grain: the rows of superseded versions.
-- Purpose: free their space; ref.release keeps the record of them.
DELETE FROM ref.postal_code WHERE release_id = ANY(%(release_ids)s);

-- name: read
-- Grain: one postal code of one commune and line of the given version.
-- Purpose: codes that the commune table lacks, and what La Poste calls communes and their quarters.
SELECT insee, zip, label, line
FROM ref.postal_code
WHERE release_id = %(release_id)s
ORDER BY insee, zip, label, line;

-- name: stage
-- Grain: one line of La Poste's file.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (insee text NOT NULL, zip text NOT NULL, label text NOT NULL, line text NOT NULL)
ON COMMIT DROP;
