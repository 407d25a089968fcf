-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a list of something else is refused.
SELECT 'surnames given twice' AS what, count(*) - count(DISTINCT name) AS observed FROM stage
UNION ALL
SELECT 'sample lookups that fail (MARTIN, BERNARD, DUBOIS)', 3 - count(DISTINCT name) FROM stage
WHERE name IN ('MARTIN', 'BERNARD', 'DUBOIS')
