-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a column mistaken for the name shows as names without letters. Distances are in km, from the centre of the
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

SELECT 'names without two letters' AS what, greatest(0, count(*) - max(rows) / 1000) AS observed
FROM stage, (SELECT count(*) AS rows FROM stage) AS counted
WHERE name !~ '[[:alpha:]]{2}'
UNION ALL
SELECT 'identifiers given twice, beyond one in a thousand',
    greatest(0, count(key) - count(DISTINCT key) - count(*) / 1000)
FROM stage
UNION ALL
SELECT 'places more than 30 km (Guyane: 200) from their commune, beyond one in a thousand',
    greatest(0, count(*) FILTER (
        WHERE distance > CASE WHEN left(insee, 3) = '973' THEN 200 ELSE 30 END
    ) - count(*) / 1000)
FROM placed
UNION ALL
SELECT 'half of the places are more than 8 km from the centre of their commune',
    CASE WHEN percentile_cont(0.5) WITHIN GROUP (ORDER BY distance) > 8 THEN 1 ELSE 0 END
FROM placed
WHERE left(insee, 3) <> '973'
UNION ALL
SELECT 'fewer than one place for ten places', CASE WHEN count(DISTINCT (lon, lat)) * 10 < count(*) THEN 1 ELSE 0 END
FROM placed;

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
CREATE TEMPORARY TABLE stage (insee text NOT NULL, name text NOT NULL, key text NOT NULL, lon float8, lat float8)
ON COMMIT DROP;
