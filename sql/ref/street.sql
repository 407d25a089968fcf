-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a column mistaken for the street name shows as names without letters or too long to be one, or in streets
-- that everybody knows (looked up where the version holds their city).
SELECT 'street names without two letters' AS what, greatest(0, count(*) - max(rows) / 1000) AS observed
FROM stage, (SELECT count(*) AS rows FROM stage) AS counted
WHERE name !~ '[[:alpha:]]{2}'
UNION ALL
SELECT 'fewer than ten kinds of first word', CASE WHEN count(DISTINCT split_part(name, ' ', 1)) < 10 THEN 1 ELSE 0 END
FROM stage
UNION ALL
SELECT 'sample lookups that fail (Rue de la Paix, 75002)', CASE
    WHEN count(*) > 0 AND count(*) FILTER (WHERE name = 'Rue de la Paix') = 0 THEN 1
    ELSE 0
END
FROM stage
WHERE insee = '75102';

-- name: load
-- Grain: one street name of one commune.
-- Purpose: rows of the new version, beside those in use.
INSERT INTO ref.street (release_id, insee, name, addresses)
SELECT %(release_id)s, insee, name, sum(addresses) FROM stage GROUP BY insee, name;

-- name: prune
-- Grain: the rows of superseded versions.
-- Purpose: free their space; ref.release keeps the record of them.
DELETE FROM ref.street WHERE release_id = ANY(%(release_ids)s);

-- name: read
-- Grain: one street name of the country, the most frequent first.
-- Purpose: surrogate streets; the head of the list is enough to draw from, and keeps workers small.
SELECT name
FROM ref.street
WHERE release_id = %(release_id)s
GROUP BY name
ORDER BY sum(addresses) DESC, name COLLATE "C"
LIMIT %(most)s;

-- name: stage
-- Grain: one address of the file (or one street, with its number of addresses).
-- Purpose: COPY lands here; PostgreSQL counts, so that a whole country needs no memory of ours.
CREATE TEMPORARY TABLE stage (insee text, name text NOT NULL, addresses int NOT NULL) ON COMMIT DROP;
