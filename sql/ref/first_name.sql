-- name: checks
-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a column mistaken for another shows in the names that everybody knows.
SELECT 'counts given twice' AS what, count(*) - count(DISTINCT (name, sex, period)) AS observed FROM stage
UNION ALL
SELECT 'sample lookups that fail (MARIE is given to girls, JEAN to boys)', 2 - count(DISTINCT (name, sex)) FROM stage
WHERE (name, sex) IN (('MARIE', 'F'), ('JEAN', 'M'))
UNION ALL
SELECT 'sexes swapped', CASE
    WHEN sum(births) FILTER (WHERE sex = 'F' AND name = 'JEAN')
        > sum(births) FILTER (WHERE sex = 'M' AND name = 'JEAN') THEN 1
    ELSE 0
END
FROM stage;

-- name: load
-- Grain: one first name and sex.
-- Purpose: rows of the new version, beside those in use. A name given less often may be a misspelling, and points at
-- somebody; the bound is that of the table that ships.
INSERT INTO ref.first_name (
    release_id, name, sex, births, births_1900_1945, births_1946_1975, births_1976_2000, births_2001_on
)
SELECT
    %(release_id)s,
    name,
    sex,
    sum(births),
    coalesce(sum(births) FILTER (WHERE generation = 0), 0),
    coalesce(sum(births) FILTER (WHERE generation = 1), 0),
    coalesce(sum(births) FILTER (WHERE generation = 2), 0),
    coalesce(sum(births) FILTER (WHERE generation = 3), 0)
FROM stage
GROUP BY name, sex
HAVING sum(births) >= 30;

-- name: prune
-- Grain: the rows of superseded versions.
-- Purpose: free their space; ref.release keeps the record of them.
DELETE FROM ref.first_name WHERE release_id = ANY(%(release_ids)s);

-- name: read
-- Grain: one first name and sex of the given version, the most given first, in the columns of the table that ships.
-- Purpose: surrogate first names by sex, generation and band; ranks deal them to the pools, so the order is one order.
SELECT
    name, sex,
    births::text AS births,
    births_1900_1945::text AS n_1900_1945,
    births_1946_1975::text AS n_1946_1975,
    births_1976_2000::text AS n_1976_2000,
    births_2001_on::text AS n_2001_2022
FROM ref.first_name
WHERE release_id = %(release_id)s
ORDER BY ref.first_name.births DESC, name COLLATE "C", sex;

-- name: stage
-- Grain: one first name, sex and period: a year of the national file, else a generation.
-- Purpose: COPY lands here. The generation is null where the year is not said.
CREATE TEMPORARY TABLE stage (
    name text NOT NULL,
    sex text NOT NULL,
    generation int,
    births bigint NOT NULL,
    period text NOT NULL
) ON COMMIT DROP;
