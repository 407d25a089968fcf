-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a column mistaken for the name shows as names without letters.
SELECT 'names without two letters' AS what, greatest(0, count(*) - max(rows) / 1000) AS observed
FROM stage, (SELECT count(*) AS rows FROM stage) AS counted
WHERE name !~ '[[:alpha:]]{2}'
