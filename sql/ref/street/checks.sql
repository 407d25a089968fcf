-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a column mistaken for the street name shows as names without letters or too long to be one.
SELECT 'street names without two letters' AS what, greatest(0, count(*) - max(rows) / 1000) AS observed
FROM stage, (SELECT count(*) AS rows FROM stage) AS counted
WHERE name !~ '[[:alpha:]]{2}'
UNION ALL
SELECT 'fewer than ten kinds of first word', CASE WHEN count(DISTINCT split_part(name, ' ', 1)) < 10 THEN 1 ELSE 0 END
FROM stage
