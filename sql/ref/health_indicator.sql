-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a file of another extent, another table of the same producer or a change of unit is refused. Corsica as a
-- whole ("20") stands for its two departments.
WITH area AS (
    SELECT area, length(area) = 5 AS commune, bool_and(value IS NULL) AS unmeasured
    FROM stage
    GROUP BY area
),

covered AS (
    SELECT DISTINCT unnest(
        CASE WHEN left(area, 2) = '20' THEN ARRAY['2A', '2B'] ELSE ARRAY[left(area, 2)] END
    ) AS department
    FROM area
    WHERE area ~ '^(0[1-9]|[1-8][0-9]|9[0-5]|2[AB])'
),

middle AS (
    SELECT indicator, percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS value
    FROM stage
    GROUP BY indicator
),

middle_before AS (
    SELECT health_indicator.indicator, percentile_cont(0.5) WITHIN GROUP (ORDER BY health_indicator.value) AS value
    FROM ref.health_indicator
    INNER JOIN ref.release ON health_indicator.release_id = release.release_id
    WHERE release.source = %(source)s AND release.state = 'in_use'
    GROUP BY health_indicator.indicator
),

compared AS (
    SELECT middle.value NOT BETWEEN middle_before.value / 2 AND middle_before.value * 2 AS moved
    FROM middle
    INNER JOIN middle_before ON middle.indicator = middle_before.indicator
    WHERE middle_before.value > 0
)

SELECT 'values given twice' AS what, count(*) - count(DISTINCT (area, indicator)) AS observed FROM stage
UNION ALL
SELECT 'departments missing of 96 in the metropolis', greatest(0, 96 - count(*)) FROM covered
UNION ALL
SELECT 'departments among communes', CASE WHEN bool_or(commune) THEN count(*) FILTER (WHERE NOT commune) ELSE 0 END
FROM area
UNION ALL
SELECT 'well-known communes absent (Paris or its arrondissements, Marseille or its own, Ajaccio)',
    CASE
        WHEN bool_or(commune)
            THEN 3
                - count(*) FILTER (WHERE area = '2A004')
                - max(CASE WHEN area = '75056' OR area LIKE '751__' THEN 1 ELSE 0 END)
                - max(CASE WHEN area = '13055' OR area LIKE '132__' THEN 1 ELSE 0 END)
        ELSE 0
    END
FROM area
UNION ALL
SELECT 'communes or departments without any value, beyond one in five',
    greatest(0, count(*) FILTER (WHERE unmeasured) - count(*) / 5)
FROM area
UNION ALL
SELECT 'values below ' || %(least)s || ' or above ' || %(most)s, count(*) FROM stage
WHERE value NOT BETWEEN %(least)s AND %(most)s
UNION ALL
SELECT 'no value above 0', CASE WHEN max(value) > 0 THEN 0 ELSE 1 END FROM stage
UNION ALL
SELECT 'indicators whose middle value is less than half or more than twice that of the version in use, '
    || 'beyond half of them',
    greatest(0, count(*) FILTER (WHERE moved) - count(*) / 2)
FROM compared;

-- name: indicators
-- Grain: one indicator of the given version.
-- Purpose: what a feature may be taken from.
SELECT DISTINCT indicator FROM ref.health_indicator WHERE release_id = %(release_id)s ORDER BY indicator;

-- name: load
-- Grain: one indicator of a commune or department.
-- Purpose: rows of the new version, beside those in use.
INSERT INTO ref.health_indicator (release_id, area, indicator, value)
SELECT %(release_id)s, area, indicator, value FROM stage;

-- name: prune
-- Grain: the rows of superseded versions.
-- Purpose: free their space; ref.release keeps the record of them.
DELETE FROM ref.health_indicator WHERE release_id = ANY(%(release_ids)s);

-- name: stage
-- Grain: one indicator of a commune or department, as read.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (area text NOT NULL, indicator text NOT NULL, value numeric) ON COMMIT DROP;
