-- Grain: one row per check, failed when `observed` is above 0.
-- Purpose: a column mistaken for the street name shows as names without letters or too long to be one, or in streets
-- that everybody knows (looked up where the release holds their city).
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
