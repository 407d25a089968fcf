-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a column mistaken for another shows in the names that everybody knows.
SELECT
    'sample lookups that fail (MARIE is given to girls, JEAN to boys)' AS what,
    2 - count(DISTINCT (name, sex)) AS observed
FROM stage
WHERE (name, sex) IN (('MARIE', 'F'), ('JEAN', 'M'))
UNION ALL
SELECT 'sexes swapped', CASE
    WHEN sum(births) FILTER (WHERE sex = 'F' AND name = 'JEAN')
        > sum(births) FILTER (WHERE sex = 'M' AND name = 'JEAN') THEN 1
    ELSE 0
END
FROM stage
