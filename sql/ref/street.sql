-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a column mistaken for the street name shows as names without letters or too long to be one, or in streets
-- that everybody knows (looked up where the version holds their city). Distances are in km, from the centre of the
-- commune in use.
WITH placed AS (
    SELECT
        stage.insee, stage.lon, stage.lat,
        111.2 * sqrt(
            ((stage.lon - known_commune.lon) * cos(radians(known_commune.lat))) ^ 2
            + (stage.lat - known_commune.lat) ^ 2
        ) AS distance
    FROM stage
    LEFT JOIN known_commune
        ON known_commune.insee = CASE
            WHEN stage.insee BETWEEN '13201' AND '13216' THEN '13055'
            WHEN stage.insee BETWEEN '69381' AND '69389' THEN '69123'
            WHEN stage.insee BETWEEN '75101' AND '75120' THEN '75056'
            ELSE stage.insee
        END
    WHERE stage.lon IS NOT NULL
)

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
WHERE insee = '75102'
UNION ALL
SELECT 'fewer than one name in a hundred has an accent',
    CASE WHEN count(*) FILTER (WHERE name ~ '[À-ÿŒœ]') * 100 < count(*) THEN 1 ELSE 0 END
FROM stage
UNION ALL
SELECT 'streets given twice in the compact table', count(*) - count(DISTINCT name) FROM stage
WHERE insee IS NULL
UNION ALL
SELECT 'identifiers given twice, beyond one in a thousand',
    greatest(0, count(key) - count(DISTINCT key) - count(*) / 1000)
FROM stage
UNION ALL
SELECT 'streets more than 30 km (Guyane: 200) from their commune, beyond one in a thousand',
    greatest(0, count(*) FILTER (
        WHERE distance > CASE WHEN left(insee, 3) = '973' THEN 200 ELSE 30 END
    ) - count(*) / 1000)
FROM placed
UNION ALL
SELECT 'half of the streets are more than 8 km from the centre of their commune',
    CASE WHEN percentile_cont(0.5) WITHIN GROUP (ORDER BY distance) > 8 THEN 1 ELSE 0 END
FROM placed
WHERE left(insee, 3) <> '973'
UNION ALL
SELECT 'fewer than one place for ten streets', CASE WHEN count(DISTINCT (lon, lat)) * 10 < count(*) THEN 1 ELSE 0 END
FROM placed;

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
-- Grain: one run of addresses of a street, by the identifier of its first and their mean position; or one street of the
-- compact table, which has neither.
-- Purpose: COPY lands here; PostgreSQL counts, so that a whole country needs no memory of ours.
CREATE TEMPORARY TABLE stage (
    insee text,
    name text NOT NULL,
    addresses int NOT NULL,
    key text,
    lon float8,
    lat float8
) ON COMMIT DROP;
