-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a file whose columns moved, or that is not of the whole country, is refused. Judged on the latest year,
-- which is the one that is loaded.
WITH latest AS (SELECT * FROM stage WHERE year = (SELECT max(year) FROM stage))

SELECT 'counts given twice' AS what, count(*) - count(DISTINCT (pathology, department, sex, age)) AS observed
FROM latest
UNION ALL
SELECT 'counts above their population', count(*) FROM latest
WHERE patients > population
UNION ALL
SELECT 'departments missing of 96 in the metropolis', greatest(0, 96 - count(DISTINCT department)) FROM latest
WHERE department NOT LIKE '97%%'
UNION ALL
SELECT 'well-known pathologies absent (cancers, diabetes)', 2 - count(DISTINCT pathology) FROM latest
WHERE pathology IN ('CAN_CAT_CAT', 'DIA_CAT_CAT')
UNION ALL
SELECT 'departments without a known count of both', count(*)
FROM (
    SELECT department
    FROM latest
    GROUP BY department
    HAVING count(DISTINCT pathology) FILTER (
        WHERE pathology IN ('CAN_CAT_CAT', 'DIA_CAT_CAT') AND patients > 0 AND population > 0
    ) < 2
) AS bare;

-- name: load
-- Grain: one pathology, sex and age class of a department, in the latest year of the file.
-- Purpose: rows of the new version, beside those in use.
INSERT INTO ref.pathology (release_id, pathology, department, sex, age, patients, population)
SELECT %(release_id)s, pathology, department, sex, age, patients, population
FROM stage
WHERE year = (SELECT max(year) FROM stage);

-- name: prune
-- Grain: the rows of superseded versions.
-- Purpose: free their space; ref.release keeps the record of them.
DELETE FROM ref.pathology WHERE release_id = ANY(%(release_ids)s);

-- name: stage
-- Grain: one count of the file, of every year.
-- Purpose: COPY lands here, so that a wrong file touches nothing that anyone reads.
CREATE TEMPORARY TABLE stage (
    year smallint NOT NULL,
    pathology text NOT NULL,
    department text NOT NULL,
    sex text NOT NULL,
    age text NOT NULL,
    patients bigint,
    population bigint
) ON COMMIT DROP;
